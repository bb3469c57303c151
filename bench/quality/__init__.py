"""The quality of the ranking: questions with known answers, asked through the program's own search."""
