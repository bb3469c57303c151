"""The files of the root: what is there, is not denied and is not ignored, in path order.

Every directory is opened by the door beneath its parent and listed there; nothing follows a
symbolic link. A directory that cannot be listed is reported as unreadable, so that nobody takes
the files below it for deleted. What is left out is counted by reason; an entry that is a
directory counts once.

The stack is ours, not Python's: a tree may be deeper than the recursion limit. Only the upper
levels keep their directory open, so that a walk needs few descriptors at any depth.

Left out on purpose: reading anything but `.gitignore` files, and judging text from binary.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.ignore import MAX_IGNORE_FILE_BYTES, IgnoreRules
from repo_mcp.ignore_layers import NameRules
from repo_mcp.model import FileStat, WalkedFile, WalkReport
from repo_mcp.policy import OWN_DIRECTORY_RULE, Denial
from repo_mcp.sandbox import Door, entry_name

MAX_DEPTH = 128  # directories on a path; the deepest of 78,579 files of Linux has 12
MAX_ENTRIES = 2_000_000  # files and directories met; twenty times the largest repository we aim at
_HELD_LEVELS = 16  # directories kept open at a time
_IGNORE_NAME = ".gitignore"

_Entry = tuple[str, str, os.DirEntry[str]]  # name, path, what the system says of it


@dataclass(slots=True)
class _Level:
    """A directory on the way down."""

    path: str
    directory: int | None  # descriptor; None below the levels that keep one
    children: list[str]  # names of the directories still to be entered


class _Walk:
    """The state of one walk."""

    def __init__(
        self,
        door: Door,
        find_denial: Callable[[str], Denial | None],
        ignore: IgnoreRules | None,
        hidden: bool,
    ) -> None:
        self.door = door
        self.find_denial = find_denial
        self.ignore = ignore
        self.include_hidden = hidden
        self.files: list[WalkedFile] = []
        self.skipped: Counter[str] = Counter()
        self.unreadable: list[str] = []
        self.warnings: list[str] = []
        self.entries = 0

    def run(self, cancelled: Callable[[], bool] | None) -> WalkReport:
        """Descends until nothing is left, `CANCELLED` when asked to stop between two directories."""
        levels: list[_Level] = []
        try:
            self._enter(levels, "", None)
            while levels:
                if cancelled is not None and cancelled():
                    raise RepoError(ErrorCode.CANCELLED, "The walk was cancelled.")
                level = levels[-1]
                if level.children:
                    self._enter(levels, level.children.pop(), level)
                else:
                    self._leave(levels)
        finally:
            while levels:
                self._leave(levels)
        return self._report()

    def _enter(self, levels: list[_Level], name: str, parent: _Level | None) -> None:
        """Lists one directory and puts it on the stack, unless it cannot be listed or lies too deep."""
        path = f"{parent.path}/{name}" if parent is not None and parent.path else name
        if len(levels) > MAX_DEPTH or self.entries >= MAX_ENTRIES:
            self.skipped["too_deep" if len(levels) > MAX_DEPTH else "too_many"] += 1
            self.unreadable.append(path)
            return
        try:
            if parent is None or parent.directory is None:
                directory = self.door.open_directory(path)
            else:
                directory = self.door.open_child(parent.directory, name)
        except (OSError, RepoError) as error:
            self._note_failure(path, error)
            return
        level = _Level(path, directory, [])
        levels.append(level)
        try:
            self._list(level, directory)
        except OSError as error:
            self._note_failure(path, error)
        if len(levels) > _HELD_LEVELS:
            self.door.close_directory(directory)
            level.directory = None

    def _leave(self, levels: list[_Level]) -> None:
        level = levels.pop()
        if level.directory is not None:
            self.door.close_directory(level.directory)

    def _list(self, level: _Level, directory: int) -> None:
        """Adds the directory's files to the report's and its directories to the level's."""
        entries = self._admit(level.path + "/" if level.path else "", self.door.scan(directory))
        rules = self._rules_in(level.path, entries) if self.ignore is not None else None
        files, ignored = self.files, 0
        for name, path, entry in entries:
            if name[0] == "." and not self.include_hidden:
                self.skipped["hidden"] += 1
            elif entry.is_file(follow_symlinks=False):
                if rules is not None and rules.ignored(name, False):
                    ignored += 1
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # deleted since it was listed
                stat = FileStat(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
                files.append(WalkedFile(path, stat))
            elif not entry.is_dir(follow_symlinks=False):
                self.skipped["symlink" if entry.is_symlink() else "special"] += 1
            elif rules is not None and rules.ignored(name, True):
                ignored += 1
            else:
                level.children.append(name)
        if ignored:
            self.skipped["ignored"] += ignored

    def _admit(self, prefix: str, entries: list[os.DirEntry[str]]) -> list[_Entry]:
        """The entries whose names are UTF-8 and not denied, with their names and paths."""
        self.entries += len(entries)
        find_denial = self.find_denial
        admitted = []
        for entry in entries:
            name = entry_name(entry)
            path = prefix + name
            if not name.isascii() and not _is_utf8(name):
                self.skipped["name_not_utf8"] += 1
                continue
            denial = find_denial(path)
            if denial is None:
                admitted.append((name, path, entry))
            elif denial.rule != OWN_DIRECTORY_RULE:  # our own: the answer must not tell whether it is there
                self.skipped["denied"] += 1
        return admitted

    def _rules_in(self, path: str, entries: list[_Entry]) -> NameRules:
        """The ignore rules for a directory's entries, its own `.gitignore` included."""
        assert self.ignore is not None
        own = next((entry for name, _, entry in entries if name == _IGNORE_NAME), None)
        if own is not None and own.is_file(follow_symlinks=False):
            ignore_path = f"{path}/{_IGNORE_NAME}" if path else _IGNORE_NAME
            try:
                text = self.door.read_walked(ignore_path, MAX_IGNORE_FILE_BYTES).data
            except RepoError as error:
                self.warnings.append(f"{ignore_path} not applied: {error.message}")
            else:
                self.ignore.add_file(path, text)
        rules = self.ignore.names_in(path)
        if path or own is None or not _ignores_everything(rules, entries):
            return rules
        if self.ignore.set_aside_catch_alls():
            self.warnings.append(".gitignore ignores everything: its patterns for every name are not applied")
        return self.ignore.names_in(path)

    def _note_failure(self, path: str, error: OSError | RepoError) -> None:
        """A directory that is gone is gone; any other failure leaves what lies below it unknown."""
        if isinstance(error, FileNotFoundError) and path:
            return
        self.unreadable.append(path)

    def _report(self) -> WalkReport:
        # Strings compare by code point, which is the order of their UTF-8 bytes.
        self.files.sort(key=attrgetter("path"))
        if self.skipped["too_deep"]:
            self.warnings.append(f"directories deeper than {MAX_DEPTH} levels were not entered")
        if self.skipped["too_many"]:
            self.warnings.append(f"more than {MAX_ENTRIES} entries: the rest was not walked")
        if self.ignore is not None:
            self.warnings.extend(self.ignore.warnings)
        skipped = {reason: self.skipped[reason] for reason in sorted(self.skipped) if self.skipped[reason]}
        return WalkReport(tuple(self.files), skipped, tuple(sorted(self.unreadable)), tuple(self.warnings))


def walk(
    door: Door,
    find_denial: Callable[[str], Denial | None],
    ignore: IgnoreRules | None,
    *,
    include_hidden: bool = False,
    cancelled: Callable[[], bool] | None = None,
) -> WalkReport:
    """All regular files of the door's root that may be indexed, sorted, with their status.

    `ignore` is filled with the `.gitignore` files met; None walks ignored files too. Raises
    CANCELLED, and nothing else: what cannot be listed stands in the report.
    """
    return _Walk(door, find_denial, ignore, include_hidden).run(cancelled)


def _ignores_everything(rules: NameRules, entries: list[_Entry]) -> bool:
    """True when there are entries to walk and the rules leave none of them."""
    visible = [(name, entry) for name, _, entry in entries if name[0] != "."]
    return bool(visible) and all(
        rules.ignored(name, entry.is_dir(follow_symlinks=False)) for name, entry in visible
    )


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
