"""A few named files as a walk would find them, by what the last walk found out.

For paths that somebody says have changed. A name is judged by the same rules and looked at through the
same door as in a walk. Where that is not enough, because directories came or went or the rules changed, the
answer is None: then the tree must be walked. The counts of what is left out stay those of the last walk.
"""

from __future__ import annotations

import stat as modes
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from repo_mcp.errors import RepoError
from repo_mcp.file_stat import FileStat
from repo_mcp.model import WalkedFile
from repo_mcp.workspace.ignore import IgnoreRules
from repo_mcp.workspace.policy import Denial
from repo_mcp.workspace.repository_reader import RepositoryReader, entry_name, file_stat
from repo_mcp.workspace.walk import WalkMemory

IGNORE_NAME = ".gitignore"
MAX_DENIED = 1_000  # denied directories that are looked below
MAX_DENIED_ENTRIES = 300_000  # met there in all: under a second
MAX_DENIED_LEVELS = 32


@dataclass(frozen=True, slots=True)
class PathChanges:
    """What the named files are now, in path order."""

    files: tuple[WalkedFile, ...]  # that may be indexed
    gone: tuple[str, ...]  # that are no such file, and may have been one
    met_denied: bool = False  # one of the names is denied: what is gone may have been given it


class _Verdict(Enum):
    WALK = 1  # a walk must find out
    NOTHING = 2  # no file of ours, now or before
    GONE = 3
    REFUSED = 4  # still there, and not to be served whatever its name


class PathChangeFinder:
    """One root, seen through the memory of its walks. Safe for several threads."""

    def __init__(
        self, reader: RepositoryReader, find_denial: Callable[[str], Denial | None], memory: WalkMemory
    ) -> None:
        """`memory` is that of walks with this door and policy."""
        self._reader = reader
        self._find_denial = find_denial
        self._memory = memory

    @property
    def root(self) -> str:
        """The absolute path of the root."""
        return self._reader.root

    def list_directories(self) -> list[str] | None:
        """The directories that the last walk entered, "" for the root; None before the first walk."""
        return None if self._memory.rules is None else ["", *self._memory.admitted]

    def look_at(self, paths: Iterable[str]) -> PathChanges | None:
        """What stands at the paths; None when the tree must be walked to know."""
        rules = self._memory.rules
        if rules is None:
            return None
        files: list[WalkedFile] = []
        gone: list[str] = []
        met_denied = False
        for path in sorted(set(paths)):
            found = self._judge(path, rules)
            is_denied = self._find_denial(path) is not None
            if is_denied and len(self._memory.denied) < MAX_DENIED:
                self._memory.denied |= {path}  # a directory that came since the last walk, for all we know
            met_denied |= is_denied or found is _Verdict.REFUSED
            if found is _Verdict.WALK:
                return None
            if found in (_Verdict.GONE, _Verdict.REFUSED):
                gone.append(path)
            elif isinstance(found, FileStat):
                files.append(WalkedFile(path, found))
        return PathChanges(tuple(files), tuple(gone), met_denied)

    def is_there(self, path: str) -> bool:
        """True when something stands at the path and its name is not denied."""
        return self._reader.lstat(path) is not None

    def find_below_denied(self, inodes: frozenset[int]) -> frozenset[int] | None:
        """Those of the inodes that stand below denied directories; None when there are too many to look at.

        Numbers are compared and nothing else: no name is kept, no file opened.
        """
        denied, found, left = self._memory.denied, set[int](), MAX_DENIED_ENTRIES
        if len(denied) >= MAX_DENIED:
            return None
        for path in sorted(denied):
            above, _, name = path.rpartition("/")
            try:
                parent = self._reader.open_directory(above)
            except RepoError:
                continue
            try:
                left -= _look_below(self._reader, parent, name, inodes, found, left)
            except OSError:
                pass  # it is gone, or a file
            finally:
                self._reader.close_directory(parent)
        return frozenset(found) if left > 0 else None

    def _judge(self, path: str, rules: IgnoreRules) -> FileStat | _Verdict:
        directory, _, name = path.rpartition("/")
        admitted = self._memory.admitted
        if directory and directory not in admitted:
            return self._judge_above(directory, rules)
        if name == IGNORE_NAME or (not directory and rules.may_set_aside(name)):
            return _Verdict.WALK
        was_file = not directory or name in admitted[directory].files
        absent = _Verdict.GONE if was_file else _Verdict.NOTHING
        if name[0] == "." or self._find_denial(path) is not None:
            return absent
        status = self._reader.lstat(path)
        if status is None:
            return _Verdict.WALK if path in admitted else absent
        is_directory = modes.S_ISDIR(status.st_mode)
        if path in admitted:
            return _Verdict.WALK
        if rules.names_in(directory).ignored(name, is_directory):
            return absent
        if is_directory:
            return _Verdict.WALK
        if self._reader.bounds.find_refusal(status) is not None:
            return _Verdict.REFUSED if was_file else _Verdict.NOTHING
        return file_stat(status) if modes.S_ISREG(status.st_mode) else absent

    def _judge_above(self, directory: str, rules: IgnoreRules) -> _Verdict:
        """A path in a directory that was not entered: nothing where that is left out by its name."""
        parts = directory.split("/")
        for depth, name in enumerate(parts):
            above, path = "/".join(parts[:depth]), "/".join(parts[: depth + 1])
            if path in self._memory.admitted:
                continue
            hidden = name[0] == "." or self._find_denial(path) is not None
            return _Verdict.NOTHING if hidden or rules.names_in(above).ignored(name, True) else _Verdict.WALK
        return _Verdict.WALK


def _look_below(
    reader: RepositoryReader, parent: int, name: str, inodes: frozenset[int], found: set[int], most: int
) -> int:
    """Adds the inodes that are met below a directory; returns how many entries were looked at.

    `most` or more when not all were, and also below MAX_DENIED_LEVELS. `OSError` when it cannot be opened.
    """
    # Each open directory, and the names of those in it that are still to be entered.
    levels: list[tuple[int, list[str]]] = [(reader.open_child(parent, name), [])]
    seen = 0
    entering = True
    try:
        while levels:
            directory, names = levels[-1]
            if entering:
                entries = reader.scan(directory)
                seen += len(entries)
                found.update(inodes.intersection(entry.inode() for entry in entries))
                names += [entry_name(entry) for entry in entries if entry.is_dir(follow_symlinks=False)]
            if seen >= most or len(levels) > MAX_DENIED_LEVELS:
                return max(seen, most)
            entering = bool(names)
            if not names:
                reader.close_directory(levels.pop()[0])
                continue
            try:
                levels.append((reader.open_child(directory, names.pop()), []))
            except OSError:
                entering = False
    finally:
        for directory, _ in levels:
            reader.close_directory(directory)
    return seen
