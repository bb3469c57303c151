"""Walks the files of the root that exist, are not denied and are not ignored, in path order.

They are also found in that order: in a directory, a file comes before everything below a directory whose name
plus a slash sorts later. So a caller that wants the first files need not wait for the last.

The repository reader opens every directory beneath its parent and lists it there; nothing follows a
symbolic link. A directory that cannot be listed is reported as unreadable, so that the files below it are
not mistaken for deleted. Skipped entries are counted by reason; an entry that is a directory counts once.

The walk uses its own stack, not Python's: a tree may be deeper than the recursion limit. Only the upper
levels keep their directory open, so that a walk needs few descriptors at any depth.

The names checked in a directory are cached for the next walk (`walk_memory`) and not checked again; the files
themselves are examined every time.

Left out on purpose: reading anything but `.gitignore` files, and telling text from binary. What Git tracks
(`repo_mcp.workspace.git_index`) comes with the ignore rules.
"""

from __future__ import annotations

import errno
import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import chain
from operator import attrgetter

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import WalkReport
from repo_mcp.record_classes import dataclass
from repo_mcp.workspace.client_paths import is_unicode
from repo_mcp.workspace.hidden_names import is_hidden
from repo_mcp.workspace.ignore import CATCH_ALLS_SET_ASIDE, IGNORE_NAME, MAX_IGNORE_FILE_BYTES, IgnoreRules
from repo_mcp.workspace.ignore_layers import NameRules
from repo_mcp.workspace.listed_ahead import FindListed, find_nothing
from repo_mcp.workspace.policy import OWN_DIRECTORY_RULE, Denial
from repo_mcp.workspace.reader_bounds import OTHER_FILE_SYSTEM, RULES, find_entry_refusal
from repo_mcp.workspace.repository_reader import RepositoryReader, entry_name
from repo_mcp.workspace.walk_memory import Chain, JudgedNames, NewVerdicts, WalkMemory
from repo_mcp.workspace.walked_files import COLUMNS, FileColumns

MAX_DEPTH = 128  # directories on a path; the deepest of 78,579 files of Linux has 12
MAX_ENTRIES = 2_000_000  # files and directories met; twenty times the largest repository we aim at
_HELD_LEVELS = 16  # directories kept open at a time
GIT_INDEX_NOT_USED = ".git/index is {}, so it is not used: tracked files that .gitignore names are left out."
_MAX_DENIED_INODES = 10_000
_NOTHING_JUDGED = JudgedNames(())
_NO_VERDICTS = NewVerdicts()

_get_numbers = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")
_Entry = tuple[str, str, os.DirEntry[str]]  # name, path, and the system's entry


@dataclass(slots=True)
class _Level:
    """A directory on the stack of the walk."""

    path: str
    directory: int | None  # descriptor; None below the levels that keep one
    chain: Chain
    children: list[str] = field(default_factory=list)  # names of directories to enter, next one last
    paths: list[str] = field(default_factory=list)  # of the files
    numbers: list[int] = field(default_factory=list)  # COLUMNS of each file
    given: int = 0  # how many of the files were taken

    @property
    def prefix(self) -> str:
        """Return the prefix that makes paths of its entries' names."""
        return self.path + "/" if self.path else ""

    def sort(self, known: int) -> None:
        """Put the found entries in path order. The first `known` files are."""
        self.children.sort(key=_with_slash, reverse=True)
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


class _Walk:
    """The state of one walk."""

    def __init__(
        self,
        reader: RepositoryReader,
        find_denial: Callable[[str], Denial | None],
        ignore: IgnoreRules | None,
        hidden: bool,
        memory: WalkMemory | None,
        find_listed: FindListed,
        inside: str,
    ) -> None:
        self.inside = inside
        self.memory = memory
        self.find_listed = find_listed
        self.judged: dict[str, JudgedNames] = {}
        self.has_set_aside = False  # the root's rules that match every name there
        self.new_names = 0
        self.reader = reader
        self.is_bounded = not reader.bounds.are_wide
        self.find_denial = find_denial
        self.ignore = ignore
        self.include_hidden = hidden
        self.files = FileColumns()
        self.skipped: Counter[str] = Counter()
        self.unreadable: list[str] = []
        self.warnings: list[str] = []
        self.entries = 0
        self.denied_inodes: set[int] = set()
        self.denied: set[str] = set()

    def run(
        self, cancelled: Callable[[], bool] | None, met: Callable[[FileColumns], None] | None
    ) -> WalkReport:
        """Descend until nothing is left. Raises CANCELLED when asked to stop between two directories."""
        levels: list[_Level] = []
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

    def _enter(self, levels: list[_Level], name: str, parent: _Level | None) -> None:
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
        level = _Level(path, directory, parent.chain if parent is not None else ())
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

    def _enter_listed(self, levels: list[_Level], path: str, parent: _Level) -> bool:
        """Push a directory that was listed ahead, if its names are just those that are known to be admitted.

        Returns False for any other: it is to be listed here.
        """
        listed = self.find_listed(path)
        known = None if listed is None or self.memory is None else self.memory.judged.get(path)
        if listed is None or known is None or known.chain != parent.chain or known.has_ignored:
            return False
        if listed.files != known.file_names or listed.directories != known.directory_names:
            return False
        files, children = listed.files.split("/")[:-1], listed.directories.split("/")[:-1]
        self.entries += len(files) + len(children)
        self.judged[path] = known
        level = _Level(path, None, parent.chain, sorted(children, key=_with_slash, reverse=True))
        level.paths = [f"{path}/{name}" for name in files]
        level.numbers = listed.numbers.tolist()
        levels.append(level)
        return True

    def _leave(self, levels: list[_Level]) -> None:
        level = levels.pop()
        if level.directory is not None:
            self.reader.close_directory(level.directory)

    def _list(self, level: _Level, directory: int) -> int:
        """Add the directory's files and directories to the level's: first the known files, in path order.

        Returns how many these are.
        """
        entries = self.reader.scan(directory)
        # By name: a listing may contain one twice while the directory is being written to.
        found = dict(zip(map(entry_name, entries), entries, strict=True))
        self.entries += len(found)
        recalled = self._recall(level, directory, found)
        known = recalled if recalled is not None else _NOTHING_JUDGED
        if known is not _NOTHING_JUDGED and self._add_same(level, known, found):
            self.judged[level.path] = _NO_VERDICTS.add_to(known, found) if known.has_ignored else known
            return len(level.paths)
        others: Mapping[str, os.DirEntry[str]] = found
        if known is not _NOTHING_JUDGED:
            others = self._add_known(level, known, found)
        known_files = len(level.paths)
        prefix = level.prefix
        unknown = [(name, prefix + name, entry) for name, entry in others.items()]
        unknown = self._settle_ignored(level, known, unknown)
        verdicts = self._judge(level, self._admit(unknown)) if unknown else _NO_VERDICTS
        if recalled is None and self.memory is not None and self.has_set_aside:
            recalled = JudgedNames(level.chain)
        if recalled is not None:
            self.judged[level.path] = verdicts.add_to(recalled, found)
            self.new_names += verdicts.count
        return known_files

    def _add_same(self, level: _Level, known: JudgedNames, found: Mapping[str, os.DirEntry[str]]) -> bool:
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
        self, level: _Level, known: JudgedNames, found: Mapping[str, os.DirEntry[str]]
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

    def _add_files(self, level: _Level, names: Sequence[str], found: Mapping[str, os.DirEntry[str]]) -> None:
        """Add files by name, as `_add` does, in few loops: nearly all files are known."""
        prefix = level.prefix
        try:
            stats = [] if self.is_bounded else [found[name].stat(follow_symlinks=False) for name in names]
        except FileNotFoundError:  # one is gone since it was listed
            stats = []
        if stats:
            level.paths += [prefix + name for name in names]
            level.numbers += chain.from_iterable(map(_get_numbers, stats))
        else:
            self._add(level, [(prefix + name, found[name]) for name in names])

    def _settle_ignored(self, level: _Level, known: JudgedNames, entries: list[_Entry]) -> list[_Entry]:
        """Leave out entries known to be ignored, unless Git tracks them. Return those without a verdict."""
        if self.ignore is None or not known.has_ignored:
            return entries
        files, directories, tracked = known.ignored_files, known.ignored_directories, self.ignore.tracked
        others = []
        for one in entries:
            name, path, entry = one
            if name in files and entry.is_file(follow_symlinks=False):
                is_directory, is_tracked = False, tracked.has_file(path)
            elif name in directories and entry.is_dir(follow_symlinks=False):
                is_directory, is_tracked = True, tracked.has_below(path)
            else:
                others.append(one)
                continue
            if not is_tracked:
                self.skipped["ignored"] += 1
            elif self.ignore.has_exclusions:  # which leave out what is tracked, too
                others.append(one)
            elif is_directory:
                level.children.append(name)
            else:
                self._add(level, [(path, entry)])
        return others

    def _recall(
        self, level: _Level, directory: int, found: Mapping[str, os.DirEntry[str]]
    ) -> JudgedNames | None:
        """Return the known verdicts on a directory's names under the rules in force there, perhaps without
        any.

        Return None where none may be remembered, because they depend on more than the name.
        """
        if self.ignore is None:
            return None
        own, own_path = found.get(IGNORE_NAME), level.prefix + IGNORE_NAME
        if own is not None and own.is_file(follow_symlinks=False) and not self.find_denial(own_path):
            self._read_rules(level, directory, own_path)
        if self.memory is None:
            return None
        known = self.memory.judged.get(level.path)
        if not level.path and self.ignore.has_catch_alls:
            return known if known is not None and self._set_aside_again(level, known, found) else None
        return known if known is not None and known.chain == level.chain else JudgedNames(level.chain)

    def _set_aside_again(
        self, level: _Level, known: JudgedNames, found: Mapping[str, os.DirEntry[str]]
    ) -> bool:
        """Set the root's catch-alls aside if the last walk did and each name was there already.

        Then the complete rules need not be parsed: they ignored all of these names.
        """
        assert self.ignore is not None
        own = self.ignore.find_file("")
        if own is None or known.chain != (own.set_catch_alls_aside().facts.digest,):
            return False
        if self.ignore.tracked.starts:  # a tracked name is not ignored, and what is tracked changes
            return False
        files, directories = known.files | known.ignored_files, known.directories | known.ignored_directories
        visible = [(name, entry) for name, entry in found.items() if name[0] != "."]
        is_known = all(
            (name in files and entry.is_file(follow_symlinks=False))
            or (name in directories and entry.is_dir(follow_symlinks=False))
            for name, entry in visible
        )
        if visible and is_known:
            self._set_aside(level)
        return self.has_set_aside

    def _judge(self, level: _Level, entries: list[_Entry]) -> NewVerdicts:
        """Add entries that are not left out; return what to remember about them."""
        rules = None
        if self.ignore is not None and not level.path and self.ignore.has_catch_alls:
            rules = self._rules_in_root(level, entries)
        verdicts = NewVerdicts()
        entered: list[str] = []  # only once all are known: what cannot be listed whole is not entered
        ignored = 0
        for name, path, entry in entries:
            if name[0] == "." and not self.include_hidden and is_hidden(name):
                self.skipped["hidden"] += 1
                continue
            is_directory = not entry.is_file(follow_symlinks=False)
            if is_directory and not entry.is_dir(follow_symlinks=False):
                self.skipped["symlink" if entry.is_symlink() else "special"] += 1
                continue
            if rules is None and self.ignore is not None:  # only now: what follows parses the files
                rules = self.ignore.names_in(level.path)
            is_named = rules is not None and rules.named(name, is_directory)
            verdicts.add(name, is_directory, is_named)  # tracked or not: Git's index changes
            if rules is not None and is_named and not rules.is_tracked(name, is_directory):
                ignored += 1
                continue
            if is_directory:
                entered.append(name)
            else:
                self._add(level, [(path, entry)])
        level.children += entered
        if ignored:
            self.skipped["ignored"] += ignored
        return verdicts

    def _add(self, level: _Level, entries: Iterable[tuple[str, os.DirEntry[str]]]) -> None:
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

    def _admit(self, entries: list[_Entry]) -> list[_Entry]:
        """Return the entries whose names are UTF-8 and not denied."""
        find_denial = self.find_denial
        admitted = []
        for one in entries:
            name, path, entry = one
            if not name.isascii() and not is_unicode(name):
                self.skipped["name_not_utf8"] += 1
                continue
            denial = find_denial(path)
            if denial is not None and entry.is_dir(follow_symlinks=False):
                denial = find_denial(path + "/")
            if denial is None:
                admitted.append(one)
            elif denial.rule != OWN_DIRECTORY_RULE:  # the answer must not reveal whether it is there
                self.skipped["denied"] += 1
                if len(self.denied_inodes) < _MAX_DENIED_INODES:
                    self.denied_inodes.add(entry.inode())
                    if entry.is_dir(follow_symlinks=False):
                        self.denied.add(path)
        return admitted

    def _read_rules(self, level: _Level, directory: int, path: str) -> None:
        """Add a directory's own `.gitignore` to the rules."""
        assert self.ignore is not None
        try:
            text = self.reader.read_child(directory, path, MAX_IGNORE_FILE_BYTES).data
        except RepoError as error:
            self.warnings.append(f"{path} is not applied: {error.message}")
            return
        self.ignore.add_file(level.path, text)
        own = self.ignore.find_file(level.path)
        if own is not None:
            level.chain = (*level.chain, own.facts.digest)

    def _rules_in_root(self, level: _Level, entries: list[_Entry]) -> NameRules:
        """Return the ignore rules for the root's entries, of which one may be a rule for everything."""
        assert self.ignore is not None
        rules = self.ignore.names_in("")
        if not _ignores_everything(rules, entries):
            return rules
        self._set_aside(level)
        return self.ignore.names_in("")

    def _set_aside(self, level: _Level) -> None:
        """Leave out the root's rules that match every name there."""
        assert self.ignore is not None
        self.ignore.set_aside_catch_alls()
        self.has_set_aside = True
        self.warnings.append(CATCH_ALLS_SET_ASIDE)
        own = self.ignore.find_file("")
        assert own is not None
        level.chain = (own.facts.digest,)

    def _note_failure(self, path: str, error: OSError | RepoError) -> None:
        """Record a failure: unless the directory is gone, everything below it is unknown."""
        if isinstance(error, FileNotFoundError) and path:
            return
        if _is_other_file_system(error):
            self.skipped[OTHER_FILE_SYSTEM] += 1
            return
        self.unreadable.append(path)

    def _report(self) -> WalkReport:
        if self.memory is not None and self.ignore is not None and not self.inside:
            self.memory.judged = self.judged
            self.memory.new_names, self.memory.entries = self.new_names, self.entries
            self.memory.rules = self.ignore
            self.memory.denied = frozenset(self.denied)
            self.ignore.remember()
        if self.skipped["too_deep"]:
            self.warnings.append(f"Directories more than {MAX_DEPTH} levels deep were left out.")
        if self.skipped["too_many"]:
            self.warnings.append(f"There are more than {MAX_ENTRIES} entries: the rest were left out.")
        if self.ignore is not None:
            self.warnings.extend(self.ignore.warnings)
            if self.ignore.tracked.fault and self.skipped["ignored"]:
                self.warnings.append(GIT_INDEX_NOT_USED.format(self.ignore.tracked.fault))
        skipped = {reason: self.skipped[reason] for reason in sorted(self.skipped) if self.skipped[reason]}
        unreadable, denied = tuple(sorted(self.unreadable)), frozenset(self.denied_inodes)
        count = len(unreadable) - self.skipped["too_deep"] - self.skipped["too_many"]  # warned about above
        if count:
            named = "1 directory" if count == 1 else f"{count} directories"
            self.warnings.append(f"{named} could not be listed: files there may have changed since.")
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
    started = _Walk(reader, find_denial, ignore, include_hidden, memory, find_listed, inside)
    return started.run(cancelled, met)


def _ignores_everything(rules: NameRules, entries: list[_Entry]) -> bool:
    """Return True when there are entries to walk and the rules leave none of them."""
    visible = [(name, entry) for name, _, entry in entries if name[0] != "."]
    return bool(visible) and all(
        rules.ignored(name, entry.is_dir(follow_symlinks=False)) for name, entry in visible
    )


def _is_other_file_system(error: OSError | RepoError) -> bool:
    """Return True for a directory that the operator has excluded as another file system."""
    if isinstance(error, RepoError):
        return error.details.get("rule") == RULES[OTHER_FILE_SYSTEM]
    return error.errno == errno.EXDEV


def _with_slash(name: str) -> str:
    """Return the sort key of a directory's name. Code points sort like their UTF-8 bytes."""
    return name + "/"
