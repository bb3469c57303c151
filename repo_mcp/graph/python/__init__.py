"""What names mean in Python: scopes, imports, classes, and the types of expressions."""
