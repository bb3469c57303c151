"""Read a query: terms and filters, the names and paths in it, what of a pasted report counts. Pure."""
