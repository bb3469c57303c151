"""Navigation: which declaration a name means, who uses a declaration, and how sure that is."""
