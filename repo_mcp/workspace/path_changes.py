"""Looks at a few named files as a walk would, using what the last walk found out.

It serves paths reported as changed. A name is judged by the same rules and looked at through the same
repository reader as in a walk. Where that is not enough, since directories came or went or the rules
changed, the result is None: the tree must be walked. Counts of skipped entries stay those of the last walk.
"""

from __future__ import annotations

import stat as modes
from collections.abc import Callable, Iterable
from enum import Enum

from repo_mcp.errors import RepoError
from repo_mcp.file_stat import FileStat
from repo_mcp.model import WalkedFile
from repo_mcp.record_classes import dataclass
from repo_mcp.workspace.git.index import GitIndex
from repo_mcp.workspace.hidden_names import is_hidden
from repo_mcp.workspace.ignore.files import IGNORE_NAME
from repo_mcp.workspace.ignore.ignore import IgnoreRules
from repo_mcp.workspace.policy import Denial
from repo_mcp.workspace.reader.opened_file import file_stat
from repo_mcp.workspace.reader.repository_reader import RepositoryReader, entry_name
from repo_mcp.workspace.walk_memory import WalkMemory

MAX_MET = 20_000  # files found by name that are remembered; after more, the tree is walked instead
MAX_DENIED = 1_000  # most denied directories that are searched
MAX_DENIED_ENTRIES = 300_000  # most entries visited in them in all, in under a second
MAX_DENIED_LEVELS = 32


@dataclass(frozen=True, slots=True)
class PathChanges:
    """The named files as they are now, in path order."""

    files: tuple[WalkedFile, ...]  # files that may be indexed
    gone: tuple[str, ...]  # paths without a file that may be indexed now; there may have been one
    met_denied: bool = False  # one of the names is denied: a file that is gone may have been renamed to it


class _Verdict(Enum):
    WALK = 1  # only a walk can tell
    NOTHING = 2  # no file that is indexed now, or was
    GONE = 3
    REFUSED = 4  # still there, but not to be served whatever its name


class PathChangeFinder:
    """One root, seen through the memory of its walks. Safe for several threads."""

    def __init__(
        self,
        reader: RepositoryReader,
        find_denial: Callable[[str], Denial | None],
        memory: WalkMemory,
        git_index: GitIndex | None = None,
    ) -> None:
        """`memory` comes from walks with this reader and policy, and with this index of Git."""
        self._reader = reader
        self._find_denial = find_denial
        self._memory = memory
        self._git_index = git_index
        self._met: set[str] = set()  # files found by name, which a walk before them does not know

    @property
    def root(self) -> str:
        """Return the absolute path of the root."""
        return self._reader.root

    @property
    def git_directory(self) -> str:
        """Return the directory of Git's index: below the root, or an absolute path; "" if it is not read."""
        return "" if self._git_index is None else self._git_index.directory

    def tracks_others(self) -> bool:
        """Return True if Git tracks other files than it did at the last walk. Reads the index, if it changed.

        The walk may have taken these for ignored: a checkout writes the files first, then the index.
        """
        rules = self._memory.rules
        return rules is not None and self._git_index is not None and self._git_index.read() != rules.tracked

    def list_directories(self) -> list[str] | None:
        """Return the directories that the last walk entered, "" for the root; None before the first walk."""
        return None if self._memory.rules is None else ["", *filter(None, self._memory.judged)]

    def look_at(self, paths: Iterable[str]) -> PathChanges | None:
        """Return the current state of the paths; None when only a walk can tell."""
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
                self._memory.denied |= {path}  # the path may be a directory created since the last walk
            met_denied |= is_denied or found is _Verdict.REFUSED
            if found is _Verdict.WALK:
                return None
            if found in (_Verdict.GONE, _Verdict.REFUSED):
                gone.append(path)
            elif isinstance(found, FileStat):
                files.append(WalkedFile(path, found))
        self._met.update(file.path for file in files)
        if len(self._met) > MAX_MET:
            self._met.clear()
            return None
        return PathChanges(tuple(files), tuple(gone), met_denied)

    def is_there(self, path: str) -> bool:
        """Return True when something exists at the path and its name is not denied."""
        return self._reader.lstat(path) is not None

    def find_below_denied(self, inodes: frozenset[int]) -> frozenset[int] | None:
        """Return those of the inodes found below denied directories; None if there is too much to scan.

        Only inode numbers are compared: no name is kept, and no file is opened.
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
            except (OSError, RepoError):
                pass  # it is gone, is a file, or has a name that is not UTF-8
            finally:
                self._reader.close_directory(parent)
        return frozenset(found) if left > 0 else None

    def _judge(self, path: str, rules: IgnoreRules) -> FileStat | _Verdict:
        directory, _, name = path.rpartition("/")
        judged = self._memory.judged
        if directory and directory not in judged:
            return self._judge_above(directory, rules)
        if name == IGNORE_NAME or (not directory and rules.may_set_aside(name)):
            return _Verdict.WALK
        was_file = not directory or judged[directory].has_file(name) or rules.tracked.has_file(path)
        was_file = was_file or path in self._met
        absent = _Verdict.GONE if was_file else _Verdict.NOTHING
        if is_hidden(name) or self._find_denial(path + "/") is not None:
            return absent  # a file's denial makes no difference here: it has no status
        status = self._reader.lstat(path)
        if status is None:
            return _Verdict.WALK if path in judged else absent
        is_directory = modes.S_ISDIR(status.st_mode)
        if path in judged:
            return _Verdict.WALK
        if rules.names_in(directory).ignored(name, is_directory):
            return absent
        if is_directory:
            return _Verdict.WALK
        if self._reader.bounds.find_refusal(status) is not None:
            return _Verdict.REFUSED if was_file else _Verdict.NOTHING
        return file_stat(status) if modes.S_ISREG(status.st_mode) else absent

    def _judge_above(self, directory: str, rules: IgnoreRules) -> _Verdict:
        """Judge a path in a directory that was not entered: NOTHING if that is left out by its name."""
        parts = directory.split("/")
        for depth, name in enumerate(parts):
            above, path = "/".join(parts[:depth]), "/".join(parts[: depth + 1])
            if path in self._memory.judged:
                continue
            hidden = is_hidden(name) or self._find_denial(path + "/") is not None
            return _Verdict.NOTHING if hidden or rules.names_in(above).ignored(name, True) else _Verdict.WALK
        return _Verdict.WALK


def _look_below(
    reader: RepositoryReader, parent: int, name: str, inodes: frozenset[int], found: set[int], most: int
) -> int:
    """Add the inodes found below a directory to `found`; return the number of entries visited.

    Returns at least `most` when not all were visited, or below MAX_DENIED_LEVELS. Raises OSError.
    """
    # Each open directory, with the names in it that are still to be entered.
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
            except (OSError, RepoError):  # gone, or a name that is not UTF-8
                entering = False
    finally:
        for directory, _ in levels:
            reader.close_directory(directory)
    return seen
