"""The configuration files of TypeScript and of packages, and the paths in them.

They are JSON that may hold comments and trailing commas.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from typing import Any

from repo_mcp.graph.program import Program

_COMMENTS = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\\?\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\\?\Z))|,(?=\s*[}\]])')
MAX_JSON_CHARS = 1_000_000


class ConfigFiles:
    """Reads files, those in JSON once each."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._json: dict[str, dict[str, Any]] = {}

    def read_json(self, path: str) -> dict[str, Any]:
        """Return a JSON file that may hold comments; empty if it is missing or invalid."""
        if path not in self._json:
            self._json[path] = parse_loose_json(self.read_text(path))
        return self._json[path]

    def read_text(self, path: str) -> str:
        """Return the text of a file; empty if it is missing."""
        text = self._program.read_text(path) if self._program.has_file(path) else None
        return text or ""


def parse_loose_json(text: str) -> dict[str, Any]:
    """Return a JSON object, allowing comments and trailing commas; empty for anything else."""
    if len(text) > MAX_JSON_CHARS:
        return {}
    text = _COMMENTS.sub(lambda found: found[1] or " ", text.removeprefix("\ufeff"))
    text = _TRAILING.sub(lambda found: found[1] or "", text)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def join(folder: str, path: str) -> str | None:
    """Return a path relative to a folder, normalised; None when it leaves the root."""
    joined = posixpath.normpath(posixpath.join(folder, path))
    if joined == ".":
        return ""
    return None if joined == ".." or joined.startswith(("../", "/")) else joined


def under(folder: str, name: str) -> str:
    """Return the path of a name in a folder."""
    return f"{folder}/{name}" if folder else name


def iter_up(folder: str) -> Iterator[str]:
    """Yield a folder and those above it, up to the root."""
    while True:
        yield folder
        if not folder:
            return
        folder = posixpath.dirname(folder)
