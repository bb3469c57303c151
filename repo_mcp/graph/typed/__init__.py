"""The parts of name resolution that Go, Java, Rust, C, C++ and Swift share."""
