"""C, C++, Go, Java, Rust and Swift: the symbol record of a file, by tree-sitter."""
