"""The files in which a declaration can be named, by the rules of its language."""
