"""Tree-sitter: texts to captured nodes, and the walks over them that the parsed languages share."""
