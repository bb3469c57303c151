"""The files of one commit after another in a directory, taken from a Git directory without a work tree.

Only the differences from the previous commit are written, so that an index can follow. Left out are links,
submodules, and objects that a partial clone lacks.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

_FILES = (b"100644", b"100755")


class Checkout:
    """A directory with the files of one commit."""

    def __init__(self, git_dir: Path, tree: Path) -> None:
        """Take an empty directory, or one that this class has filled."""
        self._git_dir = git_dir
        self.tree = tree
        self._known: dict[str, bytes] = {}  # path -> object
        tree.mkdir(parents=True, exist_ok=True)

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """Return what Git prints. Raises subprocess.CalledProcessError."""
        command = ["git", "--git-dir", str(self._git_dir), *arguments]
        return subprocess.run(command, input=given, capture_output=True, check=True).stdout

    def move_to(self, commit: str) -> None:
        """Make the directory hold the files of a commit."""
        wanted = dict(self._iter_tree(commit))
        for path in self._known.keys() - wanted.keys():
            (self.tree / path).unlink(missing_ok=True)
        changed = [path for path, name in wanted.items() if self._known.get(path) != name]
        for path, data in self._iter_objects(changed, wanted):
            self.write(path, data)
        self._known = wanted

    def write(self, path: str, data: bytes) -> None:
        """Write one file; the next commit writes it again."""
        target = self.tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        self._known.pop(path, None)

    def _iter_tree(self, commit: str) -> Iterator[tuple[str, bytes]]:
        for row in self.run("ls-tree", "-r", "-z", commit).split(b"\0"):
            facts, _, path = row.partition(b"\t")
            if facts.startswith(_FILES):
                yield path.decode("utf-8", "surrogateescape"), facts.split()[2]

    def _iter_objects(self, paths: Iterable[str], names: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
        wanted = list(paths)
        if not wanted:
            return
        output = self.run("cat-file", "--batch", given=b"\n".join(names[path] for path in wanted) + b"\n")
        at = 0
        for path in wanted:
            head = output[at : output.index(b"\n", at)]
            at += len(head) + 1
            if not head.endswith(b" missing"):
                size = int(head.split()[2])
                yield path, output[at : at + size]
                at += size + 1
