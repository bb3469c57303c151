"""Cut a declaration into statements, and choose the lines that are shown of it."""
