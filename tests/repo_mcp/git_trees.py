"""Checkouts made by Git itself, for tests of what we read of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.written_trees import write_tree

with_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CEILING_DIRECTORIES": "/",
    **{
        f"GIT_{who}_{what}": "test@example.org"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    },
}
HOUR_NS = 3_600_000_000_000


class GitTree:
    """One checkout, or a bare repository."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def git(self, *arguments: str) -> str:
        """Run Git here and return its output."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=ENVIRONMENT, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def write(self, files: Mapping[str, str]) -> None:
        """Write files, by path."""
        write_tree(self.root, files)

    def commit(self) -> None:
        """Commit everything that there is."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")

    def add_work_tree(self, root: Path) -> GitTree:
        """Make a linked work tree of the last commit."""
        self.git("worktree", "add", "-q", "--detach", str(root))
        return GitTree(root)

    def settle(self) -> None:
        """Have Git write its index an hour after the files were changed, as far as it can tell."""
        for path in self.git("ls-files", "-z").split("\0"):
            if path and (self.root / path).is_file():
                earlier = (self.root / path).stat().st_mtime_ns - HOUR_NS
                os.utime(self.root / path, ns=(earlier, earlier))
        self.git("update-index", "-q", "--really-refresh")
