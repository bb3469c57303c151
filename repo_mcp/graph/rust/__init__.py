"""The rules of Rust by which its names are resolved."""
