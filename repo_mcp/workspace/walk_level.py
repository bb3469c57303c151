"""A directory on the stack of a walk, with what was found in it and not yet taken."""

from __future__ import annotations

from dataclasses import field
from itertools import chain

from repo_mcp.record_classes import dataclass
from repo_mcp.workspace.walk_memory import Chain
from repo_mcp.workspace.walked_files import COLUMNS, FileColumns


@dataclass(slots=True)
class WalkLevel:
    """A directory, its path and its entries as far as they are to be walked."""

    path: str
    directory: int | None  # descriptor; None below the levels that keep one
    chain: Chain
    children: list[str] = field(default_factory=list)  # names of directories to enter, next one last
    paths: list[str] = field(default_factory=list)  # paths of the files
    numbers: list[int] = field(default_factory=list)  # COLUMNS numbers for each file
    given: int = 0  # number of files that were taken

    @property
    def prefix(self) -> str:
        """Return the prefix that makes paths of its entries' names."""
        return self.path + "/" if self.path else ""

    def sort(self, known: int) -> None:
        """Put the found entries in path order. The first `known` files are."""
        self.children.sort(key=add_slash, reverse=True)
        if len(self.paths) > known:
            order = sorted(range(len(self.paths)), key=self.paths.__getitem__)
            rows = list(zip(*[iter(self.numbers)] * COLUMNS, strict=True))
            self.paths = [self.paths[row] for row in order]
            self.numbers = list(chain.from_iterable(rows[row] for row in order))

    def give_files(self, files: FileColumns, end: int) -> None:
        """Add the files up to position `end` that have not been taken yet."""
        start, self.given = self.given, end
        if start < end:
            files.add(self.paths[start:end], self.numbers[COLUMNS * start : COLUMNS * end])


def add_slash(name: str) -> str:
    """Return the sort key of a directory's name. Code points sort like their UTF-8 bytes."""
    return name + "/"
