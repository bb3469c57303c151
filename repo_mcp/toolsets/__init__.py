"""Toolsets: what clients see of the engine, one folder each. They never import each other."""
