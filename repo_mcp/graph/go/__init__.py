"""The rules of Go by which its names are resolved."""
