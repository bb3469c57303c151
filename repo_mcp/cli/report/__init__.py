"""`repo-mcp report`: one HTML page about an index and its use."""
