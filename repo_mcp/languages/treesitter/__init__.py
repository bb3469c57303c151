"""Tree-sitter: captured nodes of a text, and the walks over them that the parsed languages share."""
