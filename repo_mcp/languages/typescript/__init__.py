"""TypeScript, TSX and JavaScript: the symbol record of a file, by tree-sitter."""
