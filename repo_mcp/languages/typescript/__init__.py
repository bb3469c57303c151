"""TypeScript, TSX and JavaScript, by tree-sitter: the symbol record of a file."""
