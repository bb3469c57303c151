"""The declarations that contain the touched lines of a diff.

A line counts for the innermost symbol around it, or for the file if there is none. Comments between
declarations, and blank lines and brackets deleted with a declaration, do not change the type or file around
them. A declaration on only one side of the diff is added or deleted; comparing the outlines of both texts
shows which.

The names of a diff's files are checked before anything is read, then the diff is matched with the files. A
denied file is left out whole: neither its text nor its part of the diff is examined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set

import numpy as np
import numpy.typing as npt

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import name_shortly
from repo_mcp.graph.program import Declaration
from repo_mcp.impact.applied import AppliedFile, Side, TouchedLines, apply_hunks
from repo_mcp.impact.records import Change, ChangedSymbol, LeftOutFile
from repo_mcp.languages.patterns.landmarks import scan
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import Outline, Symbol
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    DeclaredSymbol,
    ReferenceRole,
    SymbolKind,
    SymbolRecord,
)
from repo_mcp.text.lines import decode_source
from repo_mcp.text.unified_diff import DiffFile
from repo_mcp.workspace.reader.opened_file import OpenedFile

MAX_OUTLINED = 8_000_000  # bytes of text that are parsed for one diff, beside the index: some 4 s
LEAST_OUTLINED = 10_000  # bytes that are counted for each text besides its own
FEW = 5  # paths that a note names
_AROUND = frozenset({*TYPE_KINDS, SymbolKind.FILE, SymbolKind.MODULE})  # what has declarations inside
HEAD_LINES = 12  # decorators and annotations between an outline's first line and the index's
_IMPORT = re.compile(
    r"\s*(?:from\s+\S+\s+import\b|import\b|use\s|using\s|package\s|#\s*(?:include|import)\b)"
)
_ENDS = re.compile(r"[\s\]){};,]*$|\s*end\s*$")  # nothing, or what ends a declaration
_WORD = re.compile(r"\w+")
_NOT_CODE = frozenset({"headings", "keys"})  # parsers of documents and data

MakeOutline = Callable[[str, bytes], Outline]
_Key = tuple[str, str]  # enclosing name, own name
MAX_CHARS = 50_000_000  # of the texts of both sides: some 300 MB of memory
TOO_MUCH = f"beyond the first {MAX_CHARS:,} characters of the diff's files"
BINARY = "binary: nothing is known of its contents"
MISSING = "not in the tree: neither the old nor the new state of the diff is there"
_REASONS = {
    ErrorCode.PATH_DENIED: "denied: this name is never served",
    ErrorCode.PATH_ESCAPE: "outside the root",
    ErrorCode.PATH_INVALID: "no file can have this path",
    ErrorCode.NOT_A_FILE: "not a regular file",
    ErrorCode.BINARY_FILE: BINARY,
    ErrorCode.FILE_TOO_LARGE: "larger than max_file_bytes",
    ErrorCode.UNREADABLE: "the system refuses to read it",
}


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of a diff that may be looked at."""

    path: str  # of the present file; for a missing file, as in the diff
    old_path: str | None  # the other name that the diff gives a renamed file
    lines: tuple[str, ...]  # of the present file; empty if it is missing
    applied: AppliedFile
    is_there: bool


NamePath = Callable[[str], str]  # a client's path -> as it may be named; raises RepoError
Read = Callable[[str], OpenedFile]  # raises RepoError


def judge_files(
    files: Iterable[DiffFile], name_path: NamePath, read: Read
) -> tuple[list[ChangedFile], list[LeftOutFile]]:
    """Return the files that may be looked at, in the order of the diff, and the others with reasons.

    Once the files to be looked at have MAX_CHARS in total, all further ones are left out.
    """
    judged: list[ChangedFile] = []
    left_out: list[LeftOutFile] = []
    room = MAX_CHARS
    for file in files:
        if room < 0:
            left_out.append(LeftOutFile(file.path, TOO_MUCH))
            continue
        try:
            judged.append(_judge(file, name_path, read))
            room -= sum(map(len, judged[-1].lines)) + sum(map(len, judged[-1].applied.other))
        except RepoError as error:
            left_out.append(LeftOutFile(file.path, _REASONS.get(error.code, error.message)))
    return judged, left_out


def _judge(file: DiffFile, name_path: NamePath, read: Read) -> ChangedFile:
    given = list(dict.fromkeys(one for one in (file.new_path, file.old_path) if one is not None))
    named = [*map(name_path, given)]  # both: what is renamed from a denied name is denied
    if file.is_binary:
        raise RepoError(ErrorCode.BINARY_FILE, BINARY)
    shorter = [name_path(one.partition("/")[2]) for one in given if "/" in one]  # as `patch -p1` takes them
    for paths in (named, shorter):
        for path in paths:
            found = _read_lines(path, read)
            if found is not None:
                others = [one for one in paths if one != path]
                applied = apply_hunks(found[1], file.hunks)
                return ChangedFile(found[0], others[0] if others else None, found[1], applied, True)
    if None in (file.new_path, file.old_path):
        return _build_missing(file, named[0])
    raise RepoError(ErrorCode.NOT_FOUND, MISSING)


def _read_lines(path: str, read: Read) -> tuple[str, tuple[str, ...]] | None:
    """Return the real path of a file and its lines; None if there is no such file. Raises RepoError."""
    try:
        opened = read(path)
    except RepoError as error:
        if error.code is ErrorCode.NOT_FOUND:
            return None
        raise
    return opened.path, tuple(decode_source(opened.data).data.decode("utf-8", "replace").split("\n"))


def _build_missing(file: DiffFile, path: str) -> ChangedFile:
    """Return a file that does not exist: the diff would create it, or has deleted it."""
    mark = "-" if file.new_path is None else "+"
    other = [line for hunk in file.hunks for line in hunk.list_side(mark)]
    side = Side.NEW if file.new_path is None else Side.OLD
    touched = TouchedLines(tuple(range(1, len(other) + 1)), ())
    return ChangedFile(
        path, None, (), AppliedFile(side, TouchedLines((), ()), touched, tuple(other), 0), False
    )


def list_touched_text(file: ChangedFile) -> Sequence[str]:
    """Return the lines that the diff adds and removes, as far as both sides are known."""
    applied = file.applied
    return [
        *(file.lines[one - 1] for one in applied.here.lines),
        *(applied.other[one - 1] for one in applied.there.lines),
    ]


@dataclass(frozen=True, slots=True)
class _Side:
    """The outline of one side of a file, by name."""

    symbols: dict[_Key, list[Symbol]]

    def list_only(self, other: _Side) -> list[Symbol]:
        """Return the symbols that the other side does not declare, by line."""
        found = [one for key, ones in self.symbols.items() if key not in other.symbols for one in ones]
        return sorted(found, key=lambda one: (one.start_line, one.end_line, one.name))

    def list_signature_changes(self, other: _Side) -> list[Symbol]:
        """Return the symbols that both sides declare, with different signatures."""
        changed: list[Symbol] = []
        for key, ones in self.symbols.items():
            if key in other.symbols:
                signatures = {each.signature for each in other.symbols[key]}  # once: many share a name
                changed += [one for one in ones if one.signature not in signatures]
        return changed


class ChangedSymbols:
    """Finds the symbols that the files of one diff change."""

    def __init__(self, graph: Graph, outline: MakeOutline) -> None:
        self._graph = graph
        self._outline = outline
        self._room = MAX_OUTLINED
        self.unparsed: list[str] = []  # paths of code without a symbol record
        self._uncompared = 0

    def list_of(self, file: ChangedFile) -> list[ChangedSymbol]:
        """Return the symbols that a diff changes in a file, by line; those only on the other side last."""
        here = self._make_side(file.path, file.lines) if file.is_there else _Side({})
        there = None if file.applied.side is Side.NEITHER else self._make_side(file.path, file.applied.other)
        record = self._find_record(file)
        if record is not None:
            found = self._list_indexed(file, record, here, there)
        else:
            found = _list_outlined(file, here)
        if file.is_there and record is None and find_language(file.path).kind == "code":
            self.unparsed.append(file.path)
        if here is None or there is None:
            return found
        change = Change.DELETED if file.applied.side is Side.NEW else Change.ADDED
        return [*found, *(_name_symbol(file.path, one, change) for one in there.list_only(here))]

    def list_notes(self) -> list[str]:
        """Return notes about what could not be found out about the files so far."""
        notes = []
        if self.unparsed:
            some = ", ".join(self.unparsed[:FEW]) + " ..." * (len(self.unparsed) > FEW)
            notes.append(f"No symbols of these files are indexed: uses are found by names alone: {some}.")
        if self._uncompared:
            notes.append(
                f"What is added to and deleted from {self._uncompared:,} of the files is not known:"
                " they are too large."
            )
        return notes

    def _find_record(self, file: ChangedFile) -> SymbolRecord | None:
        """Return the symbol record of exactly the text that the file has, or None."""
        known = self._graph.read_lines(file.path) if file.is_there else ()
        return self._graph.scan.find_record(file.path) if known and tuple(known) == file.lines else None

    def _list_indexed(
        self, file: ChangedFile, record: SymbolRecord, here: _Side | None, there: _Side | None
    ) -> list[ChangedSymbol]:
        only: list[Symbol] = []
        gone: list[Symbol] = []
        resigned: list[Symbol] = []
        if here is not None and there is not None:
            only, gone = here.list_only(there), there.list_only(here)
            resigned = here.list_signature_changes(there)
        comments = find_comments(file.path, file.lines)
        by_number = file.applied.side is Side.NEITHER
        idle = _list_idle_gaps(file, gone)
        touched = list_touched(record, file.applied.here, file.lines, comments, idle, by_number=by_number)
        if file.old_path is not None:
            touched[0] = Change.CHANGED  # renamed: files that import it use another name for it
        new = Change.ADDED if file.applied.side is Side.NEW else Change.DELETED
        if 0 in touched and file.applied.side is not Side.NEITHER and not any(file.applied.other):
            touched[0] = new
        alone = _list_alone(file, record, touched) if there is not None else frozenset()
        found = []
        for ordinal, change in sorted(touched.items()):
            node = self._graph.get_node(Declaration(file.path, ordinal))
            is_new = ordinal in alone or (bool(ordinal) and _is_among(only, node.symbol))
            found.append(
                ChangedSymbol(
                    file.path,
                    node.name_inside,
                    node.kind,
                    node.symbol.start_line,
                    new if is_new else change,
                    bool(ordinal) and _is_among(resigned, node.symbol),
                    node,
                    name_shortly(record, ordinal),
                )
            )
        return found

    def _make_side(self, path: str, lines: Sequence[str]) -> _Side | None:
        """Return the outline of a text; None for a document, or once outlines have used up their limit."""
        text = "\n".join(lines).encode("utf-8", "surrogatepass")
        if len(text) > self._room:
            self._uncompared += 1
            return None
        self._room -= len(text) + LEAST_OUTLINED
        outline = self._outline(path, text)
        if outline.parser in _NOT_CODE:
            return None
        found: dict[_Key, list[Symbol]] = {}
        for one in outline.symbols:
            found.setdefault((one.parent_symbol or "", one.name), []).append(one)
        return _Side(found)


def _list_outlined(file: ChangedFile, here: _Side | None) -> list[ChangedSymbol]:
    """Return the touched symbols of a file without a symbol record, by its outline."""
    symbols = [one for ones in here.symbols.values() for one in ones] if here is not None else []
    symbols.sort(key=lambda one: (one.start_line, -one.end_line))
    owners = _number_innermost([(one.start_line, one.end_line) for one in symbols], len(file.lines))
    numbers = sorted({int(owners[line]) for line in _iter_lines(file.applied.here, file.lines)} - {0})
    return [_name_symbol(file.path, symbols[number - 1], Change.CHANGED) for number in numbers]


def _is_among(outlined: Sequence[Symbol], symbol: DeclaredSymbol) -> bool:
    """Return whether an outline has a symbol of the index, which may begin below its decorators."""
    return any(
        one.name == symbol.name and one.start_line <= symbol.start_line <= one.start_line + HEAD_LINES
        for one in outlined
    )


def _name_symbol(path: str, symbol: Symbol, change: Change) -> ChangedSymbol:
    name = f"{symbol.parent_symbol}.{symbol.name}" if symbol.parent_symbol else symbol.name
    return ChangedSymbol(path, name, symbol.kind, symbol.start_line, change)


def find_comments(path: str, lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines covered by comments that begin a line, and by docstrings."""
    text = "\n".join(lines).encode("utf-8", "surrogatepass")
    found: set[int] = set()
    number = at = 0
    for start, end in scan(find_language(path), text).doc_spans:
        first = number + text.count(b"\n", at, start)
        number, at = first + text.count(b"\n", start, end - 1), end - 1
        found.update(range(first + 1, number + 2))
    return frozenset(found)


def _list_idle_gaps(file: ChangedFile, gone: Sequence[Symbol]) -> frozenset[int]:
    """Return the gaps where the other side has only blank lines, comments and declarations of its own."""
    comments = find_comments(file.path, file.applied.other)
    inside = {line for one in gone for line in range(one.start_line, one.end_line + 1)} | comments
    here = file.applied.here
    return frozenset(
        gap
        for gap, missing in zip(here.gaps, here.missing, strict=False)
        if missing and all(line in inside or _ENDS.match(file.applied.other[line - 1]) for line in missing)
    )


def _list_alone(file: ChangedFile, record: SymbolRecord, touched: Iterable[int]) -> frozenset[int]:
    """Return the touched symbols that only this side of the diff has and that an outline may lack.

    These are variables and members: all their lines are touched, and no touched line of the other side has
    their name.
    """
    other, lines = file.applied.other, frozenset(file.applied.here.lines)
    words = {word for line in file.applied.there.lines for word in _WORD.findall(other[line - 1])}
    kinds = _AROUND | CALLABLE_KINDS
    found = (record.get_symbol(one) for one in touched if record.kinds[one] not in kinds)
    return frozenset(
        one.ordinal
        for one in found
        if one.name not in words and lines.issuperset(range(one.start_line, one.end_line + 1))
    )


def list_touched(
    record: SymbolRecord,
    touched: TouchedLines,
    lines: Sequence[str],
    comments: Set[int] = frozenset(),
    idle_gaps: Set[int] = frozenset(),
    *,
    by_number: bool = False,
) -> dict[int, Change]:
    """Return the innermost symbols with touched lines, by ordinal, each with CHANGED.

    The file, 0, has IMPORTS if outside all symbols only imports are touched. A gap belongs to the symbol that
    has both lines beside it; beside an import it counts as an import. Blank lines and the bracket that ends a
    declaration never count. Comments and idle gaps do not count for a type or a file. A touched namespace or
    package counts as the file around it. `by_number` means that the lines are elsewhere in the text: what is
    on them here says nothing, so that all of them count.
    """
    starts, ends = record.starts.tolist(), (record.starts + record.spans).tolist()
    owners = _number_innermost(list(zip(starts[1:], ends[1:], strict=True)), len(lines))
    imports = _list_import_lines(record, lines)
    found: dict[int, Change] = {}

    def note(ordinal: int, *, is_import: bool) -> None:
        while ordinal and record.kinds[ordinal] == SymbolKind.MODULE:
            ordinal = record.get_parent(ordinal)
        if ordinal or not is_import:
            found[ordinal] = Change.CHANGED
        else:
            found.setdefault(ordinal, Change.IMPORTS)

    for line in touched.lines:
        ordinal = int(owners[line])
        is_around = record.kinds[ordinal] in _AROUND
        is_end = _ENDS.match(lines[line - 1]) is not None and (is_around or line == ends[ordinal])
        is_idle = not lines[line - 1].strip() or is_end or (line in comments and is_around)
        if by_number or not is_idle:
            note(ordinal, is_import=line in imports)
    for gap in touched.gaps:
        ordinal = int(owners[gap])
        while ordinal and ends[ordinal] <= gap:
            ordinal = record.get_parent(ordinal)
        if gap not in idle_gaps or record.kinds[ordinal] not in _AROUND:
            note(ordinal, is_import=bool(imports & {gap - 1, gap, gap + 1, gap + 2}))
    return found


def _list_import_lines(record: SymbolRecord, lines: Sequence[str]) -> frozenset[int]:
    """Return the lines that import something, by the record of the file or by their first word."""
    rows = record.list_role(ReferenceRole.IMPORT)
    named = (row for row in rows if record.ref_names[row] or record.ref_qualifiers[row])
    written = (number for number, line in enumerate(lines, 1) if _IMPORT.match(line))
    return frozenset({int(record.ref_lines[row]) for row in named}.union(written))


def _iter_lines(touched: TouchedLines, lines: Sequence[str]) -> Iterator[int]:
    yield from (line for line in touched.lines if lines[line - 1].strip())
    yield from touched.gaps


def _number_innermost(spans: Iterable[tuple[int, int]], total: int) -> npt.NDArray[np.int32]:
    """Return the number, from 1, of the last span over each line: of the innermost (int32, from line 0)."""
    owners = np.zeros(total + 1, dtype=np.int32)
    for number, (start, end) in enumerate(spans, 1):
        owners[start : end + 1] = number
    return owners
