"""Text: bytes to lines, lines to words, words to terms. The whole program shares these."""
