"""Find what a question is about by its words, and the errors that this makes."""
