"""`repo-mcp doctor`: find out whether everything works, and say what to do about what does not."""
