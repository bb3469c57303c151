"""Describe how a tree is built: modules, layers and packages, and forms of code that repeat."""
