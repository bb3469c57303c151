"""Rust: the symbol record of a file, by tree-sitter."""
