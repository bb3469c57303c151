"""C#, by tree-sitter: the symbol record of a file."""
