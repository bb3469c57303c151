"""repo-mcp: search one code repository through its own on-disk index, for people and over MCP."""

from __future__ import annotations


def __getattr__(name: str) -> str:
    """Return `__version__`, looked up on demand: reading the metadata costs more than this package."""
    if name == "__version__":
        from repo_mcp.version import find_version

        return find_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
