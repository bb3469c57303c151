"""Python: the outline and the symbol record of a file, by `ast`."""
