"""Unified diffs as `git diff`, `diff -u`, and people and models write them: text in, files and hunks out.

    diff --git a/ledger/post.py b/ledger/post.py
    --- a/ledger/post.py
    +++ b/ledger/post.py
    @@ -12,3 +12,4 @@ def post():
     context
    -removed
    +added
    +added too

In a hunk written by a model, the numbers in its header often differ from its lines: the lines are believed,
and a fault reports the difference. Lines that are not understood are skipped and reported by number. A text
that names no file is not a diff.

Left out on purpose: checking paths against the policy, and the combined diffs of merges (`@@@`), which have
several old files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.record_classes import dataclass

BYTE_ORDER_MARK = "\ufeff"  # part of a first line in a diff, and of no line of a decoded file
MAX_FAULTS = 20  # of one diff; further ones are counted
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_ESCAPES = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
# Prefixes of the two sides: Git's own, reversed, and those of diff.mnemonicPrefix.
_PREFIXES = frozenset({"a/", "b/", "c/", "i/", "o/", "w/"})
_NOWHERE = "/dev/null"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Some lines of a file before and after. A side without lines begins after its start line."""

    old_start: int
    new_start: int
    lines: tuple[str, ...]  # each with its mark: " ", "-" or "+"

    def list_side(self, mark: str) -> list[str]:
        """Return the lines of the side whose own mark is "-" (before) or "+" (after), without marks."""
        return [line[1:] for line in self.lines if line[0] in (" ", mark)]


@dataclass(slots=True)
class DiffFile:
    """One file of a diff.

    Paths are as written, without the prefix of their side; None if there is no such side.
    """

    old_path: str | None
    new_path: str | None
    hunks: list[Hunk] = field(default_factory=list)
    is_binary: bool = False

    @property
    def path(self) -> str:
        """Return the path after the change, or, for a deleted file, before it."""
        return self.new_path or self.old_path or ""


@dataclass(frozen=True, slots=True)
class UnifiedDiff:
    """A parsed diff."""

    files: tuple[DiffFile, ...]
    faults: tuple[str, ...]  # what was not understood, in words, with line numbers; at most MAX_FAULTS


def parse_diff(text: str) -> UnifiedDiff:
    """Return the files of a diff in order. Raises RepoError with INVALID_ARGUMENT for any other text.

    A text of white space alone is a diff without files.
    """
    reader = _Reader(text.replace("\r\n", "\n").split("\n"))
    reader.run()
    if not reader.files and text.strip():
        fault = f" {reader.faults[0]}" if reader.faults else ""
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"This is not a unified diff: it has no file header.{fault}",
            "Give what `git diff` or `diff -u` prints, with its lines `--- a/file` and `+++ b/file`.",
            {"argument": "diff"},
        )
    more = reader.fault_count - len(reader.faults)
    faults = [*reader.faults, *[f"{more:,} more places of the diff were not understood."] * bool(more)]
    return UnifiedDiff(tuple(reader.files), tuple(faults))


class _Reader:
    """Reads the lines of a diff once, from the first to the last."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._at = 0
        self._file: DiffFile | None = None
        self._is_named = False  # by its "---" and "+++" lines
        self.files: list[DiffFile] = []
        self.faults: list[str] = []
        self.fault_count = 0

    def run(self) -> None:
        while self._at < len(self._lines):
            self._read_line(self._lines[self._at])

    def _read_line(self, line: str) -> None:
        at = self._at
        self._at += 1
        if line.startswith("diff --git "):
            self._begin(*_split_git_header(line.removeprefix("diff --git ")))
        elif line.startswith("--- ") and self._peek(0).startswith("+++ "):
            self._at += 1
            self._name_sides(_read_path(line[4:]), _read_path(self._lines[at + 1][4:]))
        elif line.startswith(("diff --cc ", "diff --combined ")):
            self._file = None
            self._fault(at, "a merge's combined diff is not read: give the diff to one parent")
        elif line.startswith("@@ -"):
            self._read_hunk(at, line)
        elif self._file is not None:
            self._read_extended(self._file, line)

    def _begin(self, old: str, new: str) -> None:
        self._file, self._is_named = DiffFile(*_strip_prefixes(old, new)), False
        self.files.append(self._file)

    def _name_sides(self, old: str, new: str) -> None:
        """Take the paths of the "---" and "+++" lines, which begin a file unless a `diff --git` line did."""
        file = self._file
        if file is None or self._is_named or file.hunks or file.is_binary:
            self._begin(old, new)
        else:
            file.old_path, file.new_path = _strip_prefixes(old, new)
        self._is_named = True
        if self._file is not None and not self._file.path:
            self.files.remove(self._file)
            self._file = None
            self._fault(self._at - 1, "both sides are /dev/null")

    def _read_extended(self, file: DiffFile, line: str) -> None:
        if line.startswith(("rename from ", "copy from ")):
            file.old_path = _read_path(line.partition(" from ")[2])
        elif line.startswith(("rename to ", "copy to ")):
            file.new_path = _read_path(line.partition(" to ")[2])
        elif line.startswith("new file mode"):
            file.old_path = None
        elif line.startswith("deleted file mode"):
            file.new_path = None
        elif line.startswith(("Binary files ", "GIT binary patch")):
            file.is_binary = True
        elif line.startswith(("+++ ", "--- ")):
            self._fault(self._at - 1, "a line names one side of a file without the other")

    def _read_hunk(self, at: int, head: str) -> None:
        match = _HUNK.match(head)
        if match is None or self._file is None:
            what = "a hunk's header is not understood" if match is None else "a hunk comes before any file"
            self._fault(at, what)
            return
        old_start, old, new_start, new = (1 if one is None else int(one) for one in match.groups())
        lines = list(self._iter_body(old, new))
        found = (sum(line[0] != "+" for line in lines), sum(line[0] != "-" for line in lines))
        if found != (old, new):
            wanted = f"{old} old and {new} new lines"
            self._fault(at, f"the hunk says {wanted}, and has {found[0]} and {found[1]}, which are used")
        if lines:
            self._file.hunks.append(Hunk(old_start, new_start, tuple(lines)))

    def _iter_body(self, old: int, new: int) -> Iterator[str]:
        """Yield the lines of a hunk: as many as its header says, and those of a hunk that directly follow."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            is_due = old > 0 or new > 0
            if line.startswith("\\"):  # "\ No newline at end of file"
                self._at += 1
                continue
            if not line:  # an empty line of context, whose mark an editor or a model dropped
                if not is_due or self._ends_at(self._at):
                    return
                line = " "
            else:
                belongs = is_due and self._fits(line, old, new)
                if line[0] not in " -+" or (not belongs and self._is_foreign()):
                    return
            self._at += 1
            old -= line[0] != "+"
            new -= line[0] != "-"
            yield line[0] + line[1:].removeprefix(BYTE_ORDER_MARK)

    def _fits(self, line: str, old: int, new: int) -> bool:
        """Return True if the hunk still lacks such a line, and the line does not begin a file."""
        is_last = (old, new) == (1, 1)
        begins = self._names_file() and self._peek(2).startswith("@@ -") and not is_last
        return (line[0] == "+" or old > 0) and (line[0] == "-" or new > 0) and not begins

    def _is_foreign(self) -> bool:
        """Return True if the next line begins a file, or is the signature at the end of a mailed patch."""
        return self._peek(0) == "-- " or self._names_file()

    def _names_file(self) -> bool:
        return self._peek(0).startswith("--- ") and self._peek(1).startswith("+++ ")

    def _ends_at(self, at: int) -> bool:
        """Return True if only empty lines, or the next file or hunk, follow."""
        rest = next((line for line in self._lines[at : at + 100] if line), "")
        return not rest or rest.startswith(("@@ -", "diff ", "--- "))

    def _peek(self, ahead: int) -> str:
        at = self._at + ahead
        return self._lines[at] if at < len(self._lines) else ""

    def _fault(self, at: int, what: str) -> None:
        self.fault_count += 1
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(f"Line {at + 1} of the diff: {what}.")


def _strip_prefixes(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Return the paths without "a/" and "b/", where both have such a prefix; /dev/null becomes None."""
    sides = [None if one == _NOWHERE else one for one in (old, new)]
    given = [one for one in sides if one is not None]
    heads = {one[:2] for one in given}
    if given and heads <= _PREFIXES and (len(given) == 1 or len(heads) == 2):
        sides = [None if one is None else one[2:] for one in sides]
    return sides[0], sides[1]


def _split_git_header(text: str) -> tuple[str, str]:
    """Return the two paths of a `diff --git` line: quoted, or two equal halves behind their prefixes."""
    quoted = _QUOTED.findall(text)
    if len(quoted) == 2:
        return _unquote(quoted[0]), _unquote(quoted[1])
    middle = len(text) // 2
    if len(text) % 2 and text[middle] == " " and text[:middle][2:] == text[middle + 1 :][2:]:
        return text[:middle], text[middle + 1 :]
    old, _, new = text.partition(" b/")
    return (old, f"b/{new}") if new else (text.partition(" ")[0], text.rpartition(" ")[2])


def _read_path(text: str) -> str:
    """Return the path in the rest of a line: quoted as Git does, or up to the tab before a time."""
    match = _QUOTED.match(text)
    return _unquote(match[1]) if match else text.partition("\t")[0]


def _unquote(text: str) -> str:
    """Return a path that Git has quoted; its octal escapes are the bytes of UTF-8."""

    def restore(match: re.Match[str]) -> str:
        one = match[1]
        return chr(int(one, 8) & 0xFF) if len(one) == 3 else _ESCAPES.get(one, one)

    if "\\" not in text:
        return text
    raw = _ESCAPE.sub(restore, text.encode().decode("latin-1"))
    return raw.encode("latin-1").decode("utf-8", "replace")
