"""The speed of repo-mcp, measured with pytest-benchmark. Nothing here fails for being slow."""
