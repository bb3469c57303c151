"""`repo-mcp doctor`: is everything as it should be, and what to do where it is not."""
