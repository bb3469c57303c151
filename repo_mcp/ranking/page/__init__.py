"""Show hits: the live text of a chunk, its best lines and declarations, and which words the index lacks."""
