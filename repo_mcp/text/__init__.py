"""Text: bytes to lines, lines to words, words to terms. Shared by the whole program."""
