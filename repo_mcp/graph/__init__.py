"""Navigation: which declaration a name means, what uses a declaration, and how certain that is."""
