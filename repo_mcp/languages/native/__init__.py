"""C, C++, Go, Java, Rust and Swift, by tree-sitter: the symbol record of a file."""
