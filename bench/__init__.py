"""The speed of repo-mcp, measured with pytest-benchmark. Not part of the tests: nothing here fails for being slow."""
