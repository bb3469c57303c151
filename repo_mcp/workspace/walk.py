"""Walks the files of the root that exist, are not denied and are not ignored, in path order.

They are also found in that order: in a directory, a file comes before everything below a directory whose name
plus a slash sorts later. So a caller that wants the first files need not wait for the last.

The repository reader opens every directory beneath its parent and lists it there; nothing follows a
symbolic link. A directory that cannot be listed is reported as unreadable, so that the files below it are
not mistaken for deleted. Skipped entries are counted by reason; an entry that is a directory counts once.

The walk uses its own stack, not Python's: a tree may be deeper than the recursion limit. Only the upper
levels keep their directory open, so that a walk needs few descriptors at any depth.

Names that the last walk admitted (`name_judge`) are not judged again; the files themselves are examined every
time.

Left out on purpose: reading anything but `.gitignore` files, and telling text from binary. What Git tracks
(`repo_mcp.workspace.git.index`) comes with the ignore rules.
"""

from __future__ import annotations

import errno
import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import WalkReport
from repo_mcp.workspace.ignore.ignore import IgnoreRules
from repo_mcp.workspace.listed_ahead import FindListed, find_nothing
from repo_mcp.workspace.name_judge import NOTHING_JUDGED, NameJudge
from repo_mcp.workspace.policy import Denial
from repo_mcp.workspace.reader.bounds import OTHER_FILE_SYSTEM, RULES, find_entry_refusal
from repo_mcp.workspace.reader.repository_reader import RepositoryReader, entry_name
from repo_mcp.workspace.walk_level import WalkLevel, add_slash
from repo_mcp.workspace.walk_memory import JudgedNames, NewVerdicts, WalkMemory
from repo_mcp.workspace.walked_files import FileColumns

MAX_DEPTH = 128  # most directories on a path; the deepest of 78,579 files of Linux has 12
MAX_ENTRIES = 2_000_000  # most entries that are visited: twenty times the largest repository we aim at
GIT_INDEX_NOT_USED = ".git/index is {}, so it is not used: tracked files that .gitignore names are left out."
UNLISTED = "could not be listed, so files there are missing or may be out of date: check the permissions."
_HELD_LEVELS = 16  # most directories kept open at a time
_NO_VERDICTS = NewVerdicts()

_get_numbers = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")


class _Walk:
    """The state of one walk."""

    def __init__(
        self, reader: RepositoryReader, names: NameJudge, find_listed: FindListed, inside: str
    ) -> None:
        self.inside = inside
        self.find_listed = find_listed
        self.reader = reader
        self.is_bounded = not reader.bounds.are_wide
        self.names = names
        self.skipped, self.warnings = names.skipped, names.warnings
        self.files = FileColumns()
        self.unreadable: list[str] = []
        self.entries = 0

    def run(
        self, cancelled: Callable[[], bool] | None, met: Callable[[FileColumns], None] | None
    ) -> WalkReport:
        """Descend until nothing is left. Raises CANCELLED when asked to stop between two directories."""
        levels: list[WalkLevel] = []
        try:
            self._enter(levels, "", None)
            while levels:
                if cancelled is not None and cancelled():
                    raise RepoError(ErrorCode.CANCELLED, "The walk was cancelled.")
                level = levels[-1]
                if level.children:
                    name = level.children.pop()
                    level.give_files(self.files, bisect_left(level.paths, f"{level.prefix}{name}/"))
                    self._enter(levels, name, level)
                else:
                    level.give_files(self.files, len(level.paths))
                    self._leave(levels)
                if met is not None:
                    met(self.files)
        finally:
            while levels:
                self._leave(levels)
        return self._report()

    def _enter(self, levels: list[WalkLevel], name: str, parent: WalkLevel | None) -> None:
        """List one directory and push it on the stack, unless it cannot be listed or is too deep."""
        path = parent.prefix + name if parent is not None else name
        if len(levels) > MAX_DEPTH or self.entries >= MAX_ENTRIES:
            self.skipped["too_deep" if len(levels) > MAX_DEPTH else "too_many"] += 1
            self.unreadable.append(path)
            return
        if parent is not None and self._enter_listed(levels, path, parent):
            return
        try:
            if parent is None or parent.directory is None:
                directory = self.reader.open_directory(path)
            else:
                directory = self.reader.open_child(parent.directory, name)
        except (OSError, RepoError) as error:
            self._note_failure(path, error)
            return
        level = WalkLevel(path, directory, parent.chain if parent is not None else ())
        levels.append(level)
        known = 0
        try:
            known = self._list(level, directory)
        except OSError as error:
            self._note_failure(path, error)
        level.sort(known)
        if level.path != self.inside and self.inside.startswith(level.prefix):
            wanted = self.inside[len(level.prefix) :].partition("/")[0]
            level.children = [wanted] if wanted in level.children else []
        if len(levels) > _HELD_LEVELS:
            self.reader.close_directory(directory)
            level.directory = None

    def _enter_listed(self, levels: list[WalkLevel], path: str, parent: WalkLevel) -> bool:
        """Push a directory that was listed ahead, if its names are just those that are known to be admitted.

        Returns False for any other: it is to be listed here.
        """
        listed = self.find_listed(path)
        known = None if listed is None else self.names.find_known(path)
        if listed is None or known is None or known.chain != parent.chain or known.has_ignored:
            return False
        if listed.files != known.file_names or listed.directories != known.directory_names:
            return False
        files, children = listed.files.split("/")[:-1], listed.directories.split("/")[:-1]
        self.entries += len(files) + len(children)
        self.names.judged[path] = known
        level = WalkLevel(path, None, parent.chain, sorted(children, key=add_slash, reverse=True))
        level.paths = [f"{path}/{name}" for name in files]
        level.numbers = listed.numbers.tolist()
        levels.append(level)
        return True

    def _leave(self, levels: list[WalkLevel]) -> None:
        level = levels.pop()
        if level.directory is not None:
            self.reader.close_directory(level.directory)

    def _list(self, level: WalkLevel, directory: int) -> int:
        """Add the directory's files and directories to the level's: first the known files, in path order.

        Returns how many these are.
        """
        entries = self.reader.scan(directory)
        # By name: a listing may contain one twice while the directory is being written to.
        found = dict(zip(map(entry_name, entries), entries, strict=True))
        self.entries += len(found)
        recalled = self.names.recall(level, directory, found)
        known = recalled if recalled is not None else NOTHING_JUDGED
        if known is not NOTHING_JUDGED and self._add_same(level, known, found):
            if known.has_ignored:
                self.names.keep(level, known, _NO_VERDICTS, found)
            else:
                self.names.judged[level.path] = known
            return len(level.paths)
        others: Mapping[str, os.DirEntry[str]] = found
        if known is not NOTHING_JUDGED:
            others = self._add_known(level, known, found)
        known_files, verdicts = len(level.paths), NewVerdicts()
        self._add_others(level, known, others, verdicts)
        self.names.keep(level, recalled, verdicts, found)
        return known_files

    def _add_others(
        self,
        level: WalkLevel,
        known: JudgedNames,
        others: Mapping[str, os.DirEntry[str]],
        verdicts: NewVerdicts,
    ) -> None:
        """Add those entries, of which no name is known to be admitted, that are not left out."""
        prefix = level.prefix
        entries = [(name, prefix + name, entry) for name, entry in others.items()]
        entered: list[str] = []  # Added at the end: a directory that cannot be listed whole is not entered
        for (name, path, entry), is_directory in self.names.iter_admitted(level, known, entries, verdicts):
            if is_directory:
                entered.append(name)
            else:
                self._add(level, [(path, entry)])
        level.children += entered

    def _add_same(self, level: WalkLevel, known: JudgedNames, found: Mapping[str, os.DirEntry[str]]) -> bool:
        """Add all entries if their names are exactly the admitted ones, as in nearly every directory.

        Returns False, and adds nothing, if they are not.
        """
        files = sorted([name for name, entry in found.items() if entry.is_file(follow_symlinks=False)])
        if "/".join([*files, ""]) != known.file_names:
            return False
        directories: list[str] = []
        if len(files) < len(found):
            others = found.keys() - frozenset(files)
            directories = sorted([name for name in others if found[name].is_dir(follow_symlinks=False)])
            if len(directories) < len(others):
                return False
        if "/".join([*directories, ""]) != known.directory_names:
            return False
        level.children += directories
        self._add_files(level, files, found)
        return True

    def _add_known(
        self, level: WalkLevel, known: JudgedNames, found: Mapping[str, os.DirEntry[str]]
    ) -> Mapping[str, os.DirEntry[str]]:
        """Add the files and directories whose names are known to be admitted. Return the other entries."""
        files = [
            name
            for name in sorted(known.files.intersection(found))
            if found[name].is_file(follow_symlinks=False)
        ]
        directories = [
            name
            for name in known.directories.intersection(found)
            if found[name].is_dir(follow_symlinks=False)
        ]
        level.children += directories
        self._add_files(level, files, found)
        settled = {*files, *directories}
        return {name: entry for name, entry in found.items() if name not in settled}

    def _add_files(
        self, level: WalkLevel, names: Sequence[str], found: Mapping[str, os.DirEntry[str]]
    ) -> None:
        """Add files by name, as `_add` does, in few loops: nearly all files are known."""
        prefix = level.prefix
        try:
            stats = [] if self.is_bounded else [found[name].stat(follow_symlinks=False) for name in names]
        except FileNotFoundError:  # a file has gone since the directory was listed
            stats = []
        if stats:
            level.paths += [prefix + name for name in names]
            level.numbers += chain.from_iterable(map(_get_numbers, stats))
        else:
            self._add(level, [(prefix + name, found[name]) for name in names])

    def _add(self, level: WalkLevel, entries: Iterable[tuple[str, os.DirEntry[str]]]) -> None:
        """Add files by path, except those deleted since they were listed or refused whatever their names."""
        for path, entry in entries:
            refusal = find_entry_refusal(self.reader.bounds, entry) if self.is_bounded else None
            if refusal is not None:
                self.skipped[refusal] += 1
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            level.paths.append(path)
            level.numbers += _get_numbers(status)

    def _note_failure(self, path: str, error: OSError | RepoError) -> None:
        """Record a failure: unless the directory is gone, everything below it is unknown."""
        if isinstance(error, FileNotFoundError) and path:
            return
        if _is_other_file_system(error):
            self.skipped[OTHER_FILE_SYSTEM] += 1
            return
        self.unreadable.append(path)

    def _report(self) -> WalkReport:
        ignore = self.names.ignore
        if not self.inside:
            self.names.remember(self.entries)
        if self.skipped["too_deep"]:
            self.warnings.append(f"Directories more than {MAX_DEPTH} levels deep were left out.")
        if self.skipped["too_many"]:
            self.warnings.append(f"There are more than {MAX_ENTRIES} entries: the rest were left out.")
        if ignore is not None:
            self.warnings.extend(ignore.warnings)
            if ignore.tracked.fault and self.skipped["ignored"]:
                self.warnings.append(GIT_INDEX_NOT_USED.format(ignore.tracked.fault))
        skipped = {reason: self.skipped[reason] for reason in sorted(self.skipped) if self.skipped[reason]}
        unreadable, denied = tuple(sorted(self.unreadable)), frozenset(self.names.denied_inodes)
        count = len(unreadable) - self.skipped["too_deep"] - self.skipped["too_many"]  # warned about above
        if count:
            named = "1 directory" if count == 1 else f"{count} directories"
            self.warnings.append(f"{named} {UNLISTED}")
        return WalkReport(self.files.finish(), skipped, unreadable, tuple(self.warnings), denied)


def walk(
    reader: RepositoryReader,
    find_denial: Callable[[str], Denial | None],
    ignore: IgnoreRules | None,
    *,
    include_hidden: bool = False,
    cancelled: Callable[[], bool] | None = None,
    memory: WalkMemory | None = None,
    met: Callable[[FileColumns], None] | None = None,
    find_listed: FindListed = find_nothing,
    inside: str = "",
) -> WalkReport:
    """Return all regular files of the reader's root that may be indexed, sorted, with their status.

    `ignore` collects the `.gitignore` files met; None walks ignored files too. `memory` must be of the same
    root, policy and excluded globs, and of walks without hidden files. `met` is called between two
    directories with the files so far; later ones only come after them. Raises RepoError with CANCELLED and
    what `met` raises, nothing else: directories that cannot be listed are in the report.

    With `inside`, a folder, only that is entered, with those above it, whose files are found too. `memory` is
    read then, and stays as it was.
    """
    names = NameJudge(reader, find_denial, ignore, include_hidden, memory)
    return _Walk(reader, names, find_listed, inside).run(cancelled, met)


def _is_other_file_system(error: OSError | RepoError) -> bool:
    """Return True for a directory that the operator has excluded as another file system."""
    if isinstance(error, RepoError):
        return error.details.get("rule") == RULES[OTHER_FILE_SYSTEM]
    return error.errno == errno.EXDEV
