"""The speed of repo-mcp, measured with pytest-benchmark. Nothing here fails for being slow."""

from repo_mcp.config.server_config import choose_instructions

choose_instructions()  # as our commands do, before any module of this package imports numpy
