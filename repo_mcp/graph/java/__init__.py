"""The rules of Java by which its names are resolved."""
