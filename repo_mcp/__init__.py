"""repo-mcp: search one code repository through its own on-disk index, for people and over MCP."""

from __future__ import annotations

# The package's metadata is made from this: reading it from there takes longer than answering the handshake.
__version__ = "0.1.0"
