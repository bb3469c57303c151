"""One opened root: its indexes, the engines that answer from them, and a call that brings both up to date."""

from repo_mcp.repository.repository import Repository

__all__ = ["Repository"]
