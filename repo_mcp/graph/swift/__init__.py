"""The rules of Swift by which its names are resolved."""
