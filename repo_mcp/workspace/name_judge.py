"""Judges the names that a walk or a listing meets: none that is denied, hidden or ignored is admitted.

What is left out is counted by reason. The verdicts of the ignore rules on the names of a directory are kept
for the next walk (`walk_memory`), which does not judge them again; denials are decided anew each time, and so
is what Git tracks.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from repo_mcp.errors import RepoError
from repo_mcp.workspace.hidden_names import is_hidden
from repo_mcp.workspace.ignore.files import IGNORE_NAME
from repo_mcp.workspace.ignore.ignore import CATCH_ALLS_SET_ASIDE, MAX_IGNORE_FILE_BYTES, IgnoreRules
from repo_mcp.workspace.ignore.layers import NameRules
from repo_mcp.workspace.policy import OWN_DIRECTORY_RULE, Denial
from repo_mcp.workspace.reader.client_paths import is_unicode
from repo_mcp.workspace.reader.repository_reader import RepositoryReader
from repo_mcp.workspace.walk_level import WalkLevel
from repo_mcp.workspace.walk_memory import JudgedNames, NewVerdicts, WalkMemory

NOTHING_JUDGED = JudgedNames(())
_MAX_DENIED_INODES = 10_000

Entry = tuple[str, str, os.DirEntry[str]]  # (name, path, the system's entry)


class NameJudge:
    """The rules of one walk, and what they decided so far."""

    def __init__(
        self,
        reader: RepositoryReader,
        find_denial: Callable[[str], Denial | None],
        ignore: IgnoreRules | None,
        hidden: bool,
        memory: WalkMemory | None,
    ) -> None:
        self._reader = reader
        self._find_denial = find_denial
        self.ignore = ignore
        self._include_hidden = hidden
        self._memory = memory
        self.judged: dict[str, JudgedNames] = {}
        self._has_set_aside = False  # the root's rules that match every name there are set aside
        self._new_names = 0
        self.skipped: Counter[str] = Counter()
        self.warnings: list[str] = []
        self.denied_inodes: set[int] = set()
        self._denied: set[str] = set()

    def recall(
        self, level: WalkLevel, directory: int, found: Mapping[str, os.DirEntry[str]]
    ) -> JudgedNames | None:
        """Return the known verdicts on a directory's names under the rules in force there; perhaps none.

        Returns None if no verdict may be remembered there, because it depends on more than the name.
        """
        if self.ignore is None:
            return None
        own, own_path = found.get(IGNORE_NAME), level.prefix + IGNORE_NAME
        if own is not None and own.is_file(follow_symlinks=False) and not self._find_denial(own_path):
            self._read_rules(level, directory, own_path)
        if self._memory is None:
            return None
        known = self._memory.judged.get(level.path)
        if not level.path and self.ignore.has_catch_alls:
            return known if known is not None and self._set_aside_again(level, known, found) else None
        return known if known is not None and known.chain == level.chain else JudgedNames(level.chain)

    def find_known(self, path: str) -> JudgedNames | None:
        """Return what the last walk kept of a directory, whatever rules were in force."""
        return None if self._memory is None else self._memory.judged.get(path)

    def iter_admitted(
        self, level: WalkLevel, known: JudgedNames, entries: list[Entry], verdicts: NewVerdicts
    ) -> Iterator[tuple[Entry, bool]]:
        """Yield the entries that are not left out, and whether each is a directory.

        What is new about the names is added to `verdicts`.
        """
        others = entries
        if self.ignore is not None and known.has_ignored:
            others = []
            yield from self._iter_tracked(self.ignore, known, entries, others)
        if others:
            yield from self._judge(level, self.list_allowed(others), verdicts)

    def find_rules(self, level: WalkLevel, entries: list[Entry]) -> NameRules:
        """Return the ignore rules for the entries of a directory, whose own file `recall` has read."""
        assert self.ignore is not None
        if not level.path and self.ignore.has_catch_alls:
            return self._rules_in_root(level, self.list_allowed(entries))
        return self.ignore.names_in(level.path)

    def list_allowed(self, entries: list[Entry]) -> list[Entry]:
        """Return the entries whose names are UTF-8 and not denied."""
        find_denial = self._find_denial
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
            elif denial.rule != OWN_DIRECTORY_RULE:  # No count may reveal that our data directory exists
                self.skipped["denied"] += 1
                if len(self.denied_inodes) < _MAX_DENIED_INODES:
                    self.denied_inodes.add(entry.inode())
                    if entry.is_dir(follow_symlinks=False):
                        self._denied.add(path)
        return admitted

    def keep(
        self,
        level: WalkLevel,
        known: JudgedNames | None,
        verdicts: NewVerdicts,
        found: Mapping[str, os.DirEntry[str]],
    ) -> None:
        """Keep the verdicts on the names of a directory, beside those that `recall` returned, if it did."""
        if known is None and self._memory is not None and self._has_set_aside:
            known = JudgedNames(level.chain)
        if known is not None:
            self.judged[level.path] = verdicts.add_to(known, found)
            self._new_names += verdicts.count

    def remember(self, entries: int) -> None:
        """Give what was kept to the memory, after a whole walk that met so many entries."""
        memory = self._memory
        if memory is not None and self.ignore is not None:
            memory.judged = self.judged
            memory.new_names, memory.entries = self._new_names, entries
            memory.rules = self.ignore
            memory.denied = frozenset(self._denied)
            self.ignore.remember()

    def _iter_tracked(
        self, ignore: IgnoreRules, known: JudgedNames, entries: list[Entry], others: list[Entry]
    ) -> Iterator[tuple[Entry, bool]]:
        """Yield known ignored entries that are tracked, and add those without a verdict to `others`."""
        files, directories, tracked = known.ignored_files, known.ignored_directories, ignore.tracked
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
            elif ignore.has_exclusions:  # the operator's exclusions leave out tracked files too
                others.append(one)
            else:
                yield one, is_directory

    def _judge(
        self, level: WalkLevel, entries: list[Entry], verdicts: NewVerdicts
    ) -> Iterator[tuple[Entry, bool]]:
        """Yield the entries that are neither hidden nor ignored, nor anything but files and directories."""
        rules = None
        if self.ignore is not None and not level.path and self.ignore.has_catch_alls:
            rules = self._rules_in_root(level, entries)
        for one in entries:
            name, _, entry = one
            if name[0] == "." and not self._include_hidden and is_hidden(name):
                self.skipped["hidden"] += 1
                continue
            is_directory = not entry.is_file(follow_symlinks=False)
            if is_directory and not entry.is_dir(follow_symlinks=False):
                self.skipped["symlink" if entry.is_symlink() else "special"] += 1
                continue
            if rules is None and self.ignore is not None:  # As late as possible: it parses the ignore files
                rules = self.ignore.names_in(level.path)
            is_named = rules is not None and rules.named(name, is_directory)
            verdicts.add(name, is_directory, is_named)  # Tracked or not, since Git's index changes
            if rules is not None and is_named and not rules.is_tracked(name, is_directory):
                self.skipped["ignored"] += 1
            else:
                yield one, is_directory

    def _read_rules(self, level: WalkLevel, directory: int, path: str) -> None:
        """Add a directory's own `.gitignore` to the rules."""
        assert self.ignore is not None
        try:
            text = self._reader.read_child(directory, path, MAX_IGNORE_FILE_BYTES).data
        except RepoError as error:
            self.warnings.append(f"{path} is not applied: {error.message}")
            return
        self.ignore.add_file(level.path, text)
        own = self.ignore.find_file(level.path)
        if own is not None:
            level.chain = (*level.chain, own.facts.digest)

    def _rules_in_root(self, level: WalkLevel, entries: list[Entry]) -> NameRules:
        """Return the ignore rules for the root's entries, of which one may be a rule for everything."""
        assert self.ignore is not None
        rules = self.ignore.names_in("")
        if not _ignores_everything(rules, entries):
            return rules
        self._set_aside(level)
        return self.ignore.names_in("")

    def _set_aside(self, level: WalkLevel) -> None:
        """Leave out the root's rules that match every name there."""
        assert self.ignore is not None
        self.ignore.set_aside_catch_alls()
        self._has_set_aside = True
        self.warnings.append(CATCH_ALLS_SET_ASIDE)
        own = self.ignore.find_file("")
        assert own is not None
        level.chain = (own.facts.digest,)

    def _set_aside_again(
        self, level: WalkLevel, known: JudgedNames, found: Mapping[str, os.DirEntry[str]]
    ) -> bool:
        """Set the root's catch-alls aside if the last walk did and each name was there already.

        Then the complete rules need not be parsed: they ignored all of these names.
        """
        assert self.ignore is not None
        own = self.ignore.find_file("")
        if own is None or known.chain != (own.set_catch_alls_aside().facts.digest,):
            return False
        if self.ignore.tracked.starts:  # a tracked name is not ignored, and what Git tracks changes
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
        return self._has_set_aside


def _ignores_everything(rules: NameRules, entries: list[Entry]) -> bool:
    """Return True when there are entries to walk and the rules leave none of them."""
    visible = [(name, entry) for name, _, entry in entries if name[0] != "."]
    return bool(visible) and all(
        rules.ignored(name, entry.is_dir(follow_symlinks=False)) for name, entry in visible
    )
