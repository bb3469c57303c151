"""Our graph as an index in SCIP: a document for each parsed file, in the order of their paths.

A reference is written only if it leads to a declaration with certainty: readers of SCIP take everything in it
as certain. Probable and possible references are counted and left out. Our records have only line numbers. The
characters are found by searching the line for the name; if it occurs more than once, the text before it
decides. If the file is no longer the version that was parsed, it is left out.

One document is in memory at a time, and the symbols of CACHED_FILES files. Nothing depends on the machine,
the time or the directory: equal trees give equal bytes.

Left out on purpose: names of other packages, whose versions are not known here; overriding members, since the
inheritance of the types implies them; documentation and texts, which readers have in the files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from repo_mcp import __version__
from repo_mcp.graph.program import Confidence, Declaration, Resolution
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import dataclass
from repo_mcp.scip.descriptors import SCHEME, build_descriptor
from repo_mcp.scip.messages import (
    DEFINITION,
    Document,
    Occurrence,
    SymbolInformation,
    encode_document,
    encode_metadata,
)
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind, SymbolRecord, get_role

CACHED_FILES = 512  # whose symbols are known by name
MAX_DEPTH = 100  # of symbols inside each other
MAX_HEAD_LINES = 40  # of a declaration, in which its name is looked for: decorators and attributes come first
_BASES = frozenset({ReferenceRole.INHERIT, ReferenceRole.IMPLEMENT, ReferenceRole.EXTEND})
_LAST_NAME = re.compile(r"\.|::|->")
_BEFORE_MEMBER = (".", "::", "->")
_LANGUAGES = {"cpp": "CPP", "csharp": "CSharp", "javascript": "JavaScript", "typescript": "TypeScript"}
_KINDS = {  # SymbolInformation.Kind of the schema
    SymbolKind.FILE: 16,
    SymbolKind.MODULE: 29,
    SymbolKind.CLASS: 7,
    SymbolKind.INTERFACE: 21,
    SymbolKind.STRUCT: 49,
    SymbolKind.ENUM: 11,
    SymbolKind.TRAIT: 53,
    SymbolKind.RECORD: 7,
    SymbolKind.UNION: 59,
    SymbolKind.EXTENSION: 84,
    SymbolKind.TYPE: 55,
    SymbolKind.FUNCTION: 17,
    SymbolKind.METHOD: 26,
    SymbolKind.CONSTRUCTOR: 9,
    SymbolKind.PROPERTY: 41,
    SymbolKind.ENUM_MEMBER: 12,
    SymbolKind.CONSTANT: 8,
    SymbolKind.VARIABLE: 61,
    SymbolKind.MACRO: 25,
    SymbolKind.COMPONENT: 17,
    SymbolKind.EVENT: 13,
}


class ResolvedFiles(Protocol):
    """The parsed files of a repository and what their references mean."""

    def list_paths(self, folder: str) -> list[str]:
        """Return the files with a symbol record in a folder ("" for the root), ascending."""

    def find_record(self, path: str) -> SymbolRecord | None:
        """Return the symbol record of a file, or None."""

    def find_language(self, path: str) -> str:
        """Return the language of a file."""

    def list_resolved(self, path: str) -> list[tuple[int, Resolution]]:
        """Return the rows of a file's references with their meanings, ascending."""

    def read_lines(self, path: str) -> Sequence[str]:
        """Return the lines of a file while it is the version that is indexed; else none."""


@dataclass(slots=True)
class ExportReport:
    """The counts of what was written, and of what was left out."""

    documents: int = 0
    symbols: int = 0
    references: int = 0
    not_exact: int = 0  # references that mean something here, but not for certain
    without_place: int = 0  # references whose name is not in their line
    changed: int = 0  # files that changed since they were parsed


class ScipExport:
    """The export of one repository."""

    def __init__(self, files: ResolvedFiles) -> None:
        self._files = files
        self._symbols: LruCache[str, Sequence[str]] = LruCache(CACHED_FILES)
        self.report = ExportReport()

    def iter_bytes(self) -> Iterator[bytes]:
        """Yield the index piece by piece. May raise IndexFormatError."""
        yield encode_metadata("repo-mcp", __version__)
        for path in self._files.list_paths(""):
            document = self._build_document(path)
            if document is not None:
                yield encode_document(document)

    def _build_document(self, path: str) -> Document | None:
        record = self._files.find_record(path)
        lines = self._files.read_lines(path)
        if record is None or not lines:
            self.report.changed += 1
            return None
        places = _Places(lines, record)
        symbols = self._list_symbols(path, record)
        found = dict.fromkeys(_define(record, ordinal, symbol, places) for ordinal, symbol in _named(symbols))
        self.report.documents += 1
        self.report.symbols += len(found)
        bases: dict[int, list[str]] = {}
        for row, resolution in self._files.list_resolved(path):
            meant = self._list_meant(resolution)
            if get_role(record, row) in _BASES:
                bases.setdefault(int(record.ref_symbols[row]), []).extend(meant)
            place = places.take_reference(row) if meant else None
            self.report.without_place += bool(meant) and place is None
            if place is not None:
                self.report.references += 1
                found.update(dict.fromkeys(Occurrence(symbol, *place) for symbol in meant))
        declared = tuple(
            _describe(record, ordinal, symbol, bases.get(ordinal, ())) for ordinal, symbol in _named(symbols)
        )
        language = self._files.find_language(path)
        occurrences = sorted(found, key=lambda one: (one.line, one.start, one.end, -one.roles, one.symbol))
        return Document(path, _LANGUAGES.get(language, language.capitalize()), tuple(occurrences), declared)

    def _list_meant(self, resolution: Resolution) -> list[str]:
        """Return the symbols that a reference certainly means; count it if it has only uncertain meanings."""
        exact = [one.declaration for one in resolution.targets if one.confidence is Confidence.EXACT]
        self.report.not_exact += bool(resolution.targets) and not exact
        return list(filter(None, map(self._find_symbol, exact)))

    def _find_symbol(self, declaration: Declaration) -> str:
        """Return the symbol of a declaration, "" if it has none."""
        path, record = declaration.path, self._files.find_record(declaration.path)
        symbols = () if record is None else self._list_symbols(path, record)
        return symbols[declaration.ordinal] if declaration.ordinal < len(symbols) else ""

    def _list_symbols(self, path: str, record: SymbolRecord) -> Sequence[str]:
        return self._symbols.get(path, lambda: list_symbols(path, record))


def list_symbols(path: str, record: SymbolRecord) -> Sequence[str]:
    """Return the symbol of each declaration of a file, by ordinal; "" for one below MAX_DEPTH others."""
    symbols = [SCHEME + build_descriptor(path, SymbolKind.FILE)]
    depths = [0]
    namesakes: Counter[tuple[int, str]] = Counter()
    strings = record.strings
    rows = zip(record.names[1:].tolist(), record.kinds[1:].tolist(), record.parents[1:].tolist(), strict=True)
    for number, kind, parent in rows:
        depths.append(depths[parent] + 1)
        plain = build_descriptor(strings[number], SymbolKind(kind))
        before = namesakes[parent, plain]
        namesakes[parent, plain] += 1
        own = build_descriptor(strings[number], SymbolKind(kind), before) if before else plain
        symbols.append(symbols[parent] + own if symbols[parent] and depths[-1] <= MAX_DEPTH else "")
    return symbols


def _named(symbols: Sequence[str]) -> Iterator[tuple[int, str]]:
    return ((ordinal, symbol) for ordinal, symbol in enumerate(symbols) if symbol)


def _define(record: SymbolRecord, ordinal: int, symbol: str, places: _Places) -> Occurrence:
    """Return the definition of a symbol, with its body around it."""
    first = int(record.starts[ordinal])
    last = first + int(record.spans[ordinal])
    line, start, end = places.take_declaration(record.get_name(ordinal), first, last, ordinal)
    return Occurrence(symbol, line, start, end, DEFINITION, (first - 1, 0, last - 1, places.measure(last)))


def _describe(record: SymbolRecord, ordinal: int, symbol: str, bases: Sequence[str]) -> SymbolInformation:
    kind = record.get_kind(ordinal)
    name = record.get_name(ordinal)
    return SymbolInformation(symbol, _KINDS[kind], name, tuple(dict.fromkeys(bases)))


class _Places:
    """The places of names in the lines of one file. Each place is given to one use only."""

    def __init__(self, lines: Sequence[str], record: SymbolRecord) -> None:
        self._lines = lines
        self._record = record
        self._taken: set[tuple[int, int]] = set()
        is_name = record.ref_roles != ReferenceRole.BIND
        rows = zip(record.ref_lines[is_name].tolist(), record.ref_names[is_name].tolist(), strict=True)
        self._named = Counter((line, record.strings[name]) for line, name in rows)

    def measure(self, line: int) -> int:
        """Return the number of characters in a line, numbered from 1; 0 for a line that does not exist."""
        return len(self._lines[line - 1]) if 0 < line <= len(self._lines) else 0

    def take_declaration(self, name: str, first: int, last: int, ordinal: int) -> tuple[int, int, int]:
        """Return line, start and end of the name of a declaration, all from 0; an empty place if it is not
        found.

        The name is taken from the first line that has it more often than references there use it.
        """
        for line in range(first, min(last, first + MAX_HEAD_LINES) + 1) if ordinal else ():
            found = self._find(line, name)
            if len(found) > self._named[line, name]:
                free = [start for start in found if (line, start) not in self._taken]
                if free:
                    return self._take(line, free[0], name)
        return max(0, first - 1), 0, 0

    def take_reference(self, row: int) -> tuple[int, int, int] | None:
        """Return line, start and end of the name of a reference, all from 0, or None."""
        record, line = self._record, int(self._record.ref_lines[row])
        name = record.strings[record.ref_names[row]]
        found = self._find(line, name)
        before = _LAST_NAME.split(record.strings[record.ref_qualifiers[row]])[-1]
        fitting = [start for start in found if self._fits(line, start, before)] or found
        free = [start for start in fitting if (line, start) not in self._taken]
        return self._take(line, (free or fitting)[0], name) if fitting else None

    def _fits(self, line: int, start: int, before: str) -> bool:
        """Return whether a place is preceded by what the reference has: a receiver of that name, or none."""
        text = self._lines[line - 1][:start].rstrip()
        if not before or not text.endswith(_BEFORE_MEMBER):
            return not before and not text.endswith(_BEFORE_MEMBER)
        return not before.isidentifier() or text.rstrip(".:->?!").endswith(before)

    def _find(self, line: int, name: str) -> list[int]:
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        return find_words(text, name)

    def _take(self, line: int, start: int, name: str) -> tuple[int, int, int]:
        self._taken.add((line, start))
        return line - 1, start, start + len(name)


def find_words(text: str, name: str) -> list[int]:
    """Return the positions of a name in a line, ascending, where it is not part of a longer one."""
    found: list[int] = []
    start = text.find(name) if name else -1
    while start >= 0:
        end = start + len(name)
        is_whole = not (is_letter(name[0]) and is_letter(text[start - 1 : start]))
        if is_whole and not (is_letter(name[-1]) and is_letter(text[end : end + 1])):
            found.append(start)
        start = text.find(name, end)
    return found


def is_letter(text: str) -> bool:
    """Return whether a character may be part of a name; False for no character."""
    return text.isalnum() or text in ("_", "$")
