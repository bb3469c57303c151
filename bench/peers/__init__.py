"""repo-mcp beside other search engines on the same files: `make bench-peers TREE=DIR`."""
