"""Score units by BM25F: posting lists, their bounds, and the best units of a snapshot."""
