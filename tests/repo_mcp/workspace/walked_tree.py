"""A root in a temporary directory, and the results of its walk."""

from __future__ import annotations

from pathlib import Path

from repo_mcp.model import WalkReport
from repo_mcp.workspace.ignore.ignore import IgnoreRules
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader.repository_reader import RepositoryReader
from repo_mcp.workspace.walk import walk


class Tree:
    """A root, its reader and the policy; whoever makes one closes the reader."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.deny = DenyPolicy()
        self.reader = RepositoryReader(str(root), self.deny.find_denial)

    def write(self, *paths: str, text: str = "x") -> None:
        for path in paths:
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)

    def walk(self, *, ignored: bool = False, hidden: bool = False) -> WalkReport:
        rules = None if ignored else IgnoreRules()
        return walk(self.reader, self.deny.find_denial, rules, include_hidden=hidden)

    def paths(self, *, ignored: bool = False, hidden: bool = False) -> list[str]:
        return [file.path for file in self.walk(ignored=ignored, hidden=hidden).files]
