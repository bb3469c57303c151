"""`repo-mcp report`: what is known of an index, as one HTML page."""
