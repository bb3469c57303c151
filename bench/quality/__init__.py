"""How good the ranking is: questions with known answers, asked through the program's own search."""
