"""The version of the installed distribution, which the server and `repo.status` report."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def find_version() -> str:
    """The version as the package's metadata has it; "0" in a tree that is not installed."""
    try:
        return version("repo-mcp")
    except PackageNotFoundError:
        return "0"
