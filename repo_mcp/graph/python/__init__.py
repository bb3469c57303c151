"""Name resolution for Python: scopes, imports, classes, and the types of expressions."""
