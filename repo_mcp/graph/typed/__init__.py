"""Name resolution for Go, Java, Rust, C, C++ and Swift: one resolver, and the rules of each language."""
