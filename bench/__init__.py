"""The speed of repo-mcp, measured with pytest-benchmark. Nothing here fails for being slow."""

from repo_mcp.config.environment import prepare_numpy

prepare_numpy()  # as our commands do, before any module of this package imports numpy
