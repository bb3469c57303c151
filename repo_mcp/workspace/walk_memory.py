"""The results of earlier walks of one root about names, for the next walk.

The rules that judge a name rarely change from walk to walk: the policy, and the ignore files above it, which
are compared by their text. So the names judged in a directory are cached and not judged again; the files
themselves are checked every time, and so is Git's index, which may contain ignored files. Denials are decided
anew each time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from typing import NamedTuple

from repo_mcp.record_classes import dataclass
from repo_mcp.workspace.ignore.files import IgnoreFacts
from repo_mcp.workspace.ignore.ignore import IgnoreRules, ParsedRules

Chain = tuple[bytes, ...]  # the digests of the ignore files in force in a directory, from the root down


class JudgedNames(NamedTuple):
    """The names judged in one directory by the rules of a chain, none of them denied.

    Each set is stored as one text: sets of 80,000 names would take ten times the memory between walks.
    """

    chain: Chain
    file_names: str = ""  # admitted; each followed by a slash
    directory_names: str = ""
    ignored_file_names: str = ""
    ignored_directory_names: str = ""

    def copy(self) -> JudgedNames:
        """Return an equal record in memory of its own."""
        return JudgedNames(
            self.chain,
            _copy(self.file_names),
            _copy(self.directory_names),
            _copy(self.ignored_file_names),
            _copy(self.ignored_directory_names),
        )

    @property
    def size(self) -> int:
        """Return the number of names."""
        admitted = self.file_names.count("/") + self.directory_names.count("/")
        return admitted + self.ignored_file_names.count("/") + self.ignored_directory_names.count("/")

    @property
    def has_ignored(self) -> bool:
        """Return True when some of the names are ignored."""
        return bool(self.ignored_file_names or self.ignored_directory_names)

    def has_file(self, name: str) -> bool:
        """Return whether a file of this name was admitted, without a set of all names."""
        return self.file_names.startswith(f"{name}/") or f"/{name}/" in self.file_names

    @property
    def files(self) -> frozenset[str]:
        """Return the names of the admitted files."""
        return split_names(self.file_names)

    @property
    def directories(self) -> frozenset[str]:
        """Return the names of the admitted directories."""
        return split_names(self.directory_names)

    @property
    def ignored_files(self) -> frozenset[str]:
        """Return the names of the ignored files."""
        return split_names(self.ignored_file_names)

    @property
    def ignored_directories(self) -> frozenset[str]:
        """Return the names of the ignored directories."""
        return split_names(self.ignored_directory_names)


@dataclass(slots=True)
class NewVerdicts:
    """New verdicts of the rules on names in one directory."""

    files: list[str] = field(default_factory=list)
    directories: list[str] = field(default_factory=list)
    ignored_files: list[str] = field(default_factory=list)
    ignored_directories: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Return the number of names."""
        ignored = len(self.ignored_files) + len(self.ignored_directories)
        return len(self.files) + len(self.directories) + ignored

    def add(self, name: str, is_directory: bool, is_ignored: bool) -> None:
        """Add the verdict of the rules on one name."""
        if is_ignored:
            (self.ignored_directories if is_directory else self.ignored_files).append(name)
        else:
            (self.directories if is_directory else self.files).append(name)

    def add_to(self, known: JudgedNames, found: Collection[str]) -> JudgedNames:
        """Return the known verdicts with these added, without vanished names if there are many of those."""
        if not self.count and known.size <= 2 * len(found):
            return known
        there = frozenset(found)
        return JudgedNames(
            known.chain,
            join_names(known.files.intersection(there).union(self.files)),
            join_names(known.directories.intersection(there).union(self.directories)),
            join_names(known.ignored_files.intersection(there).union(self.ignored_files)),
            join_names(known.ignored_directories.intersection(there).union(self.ignored_directories)),
        )


class WalkMemory:
    """The findings of the last walk of a root. About 3 MB for 80,000 files. Safe for several walks."""

    def __init__(self) -> None:
        self.parsed = ParsedRules()
        self.judged: dict[str, JudgedNames] = {}  # verdicts by entered directory; replaced as a whole
        self.rules: IgnoreRules | None = None  # rules as the last walk left them; None before the first walk
        self.denied: frozenset[str] = frozenset()  # paths of the denied directories met
        # Numbers of names that the last walk had to judge, and of entries that it met.
        self.new_names = self.entries = 0
        self._moved: dict[str, JudgedNames] = {}  # the last result of `move_together`

    def recall(self, judged: Mapping[str, JudgedNames], facts: Mapping[str, IgnoreFacts]) -> None:
        """Start from the results of a walk in another process, unless this one has walked already."""
        if self.rules is None:
            self.parsed.facts = facts
            self.judged = self._moved = dict(judged)  # just read, and so compact already

    def list_facts(self) -> dict[str, IgnoreFacts]:
        """Return the facts of the ignore files met in the last walk, by directory."""
        return {directory: file.facts for directory, file in self.parsed.files.items()}

    def move_together(self) -> None:
        """Copy what stays into compact memory, once a walk's other data is gone: scattered among that data,
        it would keep ten times as much memory from being reused.
        """
        judged, before = self.judged, self._moved
        if judged is before:
            return
        is_same = list(judged) == list(before)
        paths = before if is_same else map(_copy, judged)
        kept = {id(value) for value in before.values()}
        values = (value if id(value) in kept else value.copy() for value in judged.values())
        moved = dict(zip(paths, values, strict=True))
        if self.judged is judged:  # otherwise another walk has ended meanwhile
            self.judged = self._moved = moved


def split_names(text: str) -> frozenset[str]:
    """Return the names of a joined text."""
    return frozenset(text.split("/")[:-1])


def join_names(names: frozenset[str]) -> str:
    """Return names as one text, each followed by a slash: ascending, so that equal sets are equal texts."""
    return "".join(f"{name}/" for name in sorted(names))


def _copy(text: str) -> str:
    """Return an equal text as a new object."""
    return text.encode().decode()
