"""A name or a place as a client writes it, and the symbols that it may mean."""
