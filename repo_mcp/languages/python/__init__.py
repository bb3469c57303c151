"""Python, by `ast`: the outline, and the symbol record of a file."""
