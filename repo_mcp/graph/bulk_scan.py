"""A scan of many files: what they import, inherit and register, and who uses external names.

It serves questions about a whole program, for which following the edges symbol by symbol would take too long.
Every call reads one file, or a fixed number of them.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from enum import Enum, auto

import numpy as np

from repo_mcp.graph.edge_finder import EdgeFinder
from repo_mcp.graph.edges import Bounds, Edge, Edges
from repo_mcp.graph.lookup.other_names import GLANCE, OtherNames
from repo_mcp.graph.nodes import NamedProgram
from repo_mcp.graph.program import Confidence, Declaration, Resolution
from repo_mcp.graph.vocabulary import BASES, NAMELESS_FILES, ROLE_EDGES, EdgeType
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import (
    TYPE_KINDS,
    ParseStatus,
    ReferenceRole,
    SymbolKind,
    SymbolRecord,
    get_role,
    list_aliases,
)
from repo_mcp.text.roles import is_test_path

_ARGUMENTS = re.compile(r"\([^()]*\)")  # receivers of a call, as they are recorded
# the number of a variable that hides another one, and the line of an unnamed class
_NUMBER = re.compile(r"[/:]\d+")
HEAD_LINES = 8  # lines from the start of a function that may have its decorators
_NO_USES = (ReferenceRole.IMPORT, ReferenceRole.EXPORT, ReferenceRole.BIND)
_OPEN = frozenset({SymbolKind.FILE, SymbolKind.MODULE})  # what lies in them needs no name before its own
_ROWS_OF_NAME = 2  # that are resolved to find the file of a name: one of them may mean a variable
_DECLARING = 8  # files with a name that are looked at
_CACHED_NAMES = 20_000
_MAX_NAMES, _MAX_USES = 4_000, 20_000  # of one file that are looked up to find the files that it uses
_IMPORTING_SPACES = frozenset({"csharp"})  # languages whose files import namespaces


class Uses(Enum):
    """Kinds of uses that count as imports where files see each other without one, as in one namespace."""

    NONE = auto()
    NAMED = auto()  # uses of types and of what is declared outside of types: 4 ms a file
    ALL = auto()  # all uses, also of members: 30 ms a file


@dataclass(frozen=True, slots=True)
class Import:
    """One file or external name that one line imports."""

    line: int
    module: str  # as written; "" for a file that is used without an import
    target: str  # path of a file in the repository; "" for something external
    outside: str  # dotted name of something external; "" for a file in the repository, or if it is unknown


@dataclass(frozen=True, slots=True)
class NamedUse:
    """A name that is used as a base class, or called near the top of a file, where classes are registered."""

    symbol: int  # ordinal of the symbol that names it
    line: int
    name: str  # as written, with its qualifier but without arguments
    target: Declaration | None
    outside: str


Wanted = tuple[Collection[ReferenceRole], Callable[[SymbolRecord, int], bool]]  # roles, and which rows


class BulkScan:
    """Access to many files under the lock of the graph: calls take turns. They may raise IndexFormatError."""

    def __init__(self, program: NamedProgram, edges: EdgeFinder, lock: threading.RLock) -> None:
        self._program = program
        self._edges = edges
        self._other_names = OtherNames(program, edges.resolve)
        self._lock = lock
        self.read_lines = program.read_lines
        self._seen_by_name: LruCache[str, bool] = LruCache(_CACHED_NAMES)

    def list_paths(self, folder: str) -> list[str]:
        """Return the parsed files in a folder ("" for the root), ascending.

        `find_record` returns None for those that changed or were removed since.
        """
        with self._lock:
            paths = self._program.list_paths()
        prefix = f"{folder}/" if folder else ""
        return [path for path in paths if path.startswith(prefix)] if prefix else list(paths)

    def has_folder(self, folder: str) -> bool:
        """Return whether a folder holds a file with a symbol record, at any depth."""
        with self._lock:
            return self._program.has_folder(folder)

    def list_declaring(self, name: str) -> list[str]:
        """Return the files that declare a name, ascending."""
        with self._lock:
            return list(self._program.list_declaring(name))

    def list_using(self, name: str) -> list[str]:
        """Return the files with a reference to a name, ascending."""
        with self._lock:
            return list(self._program.list_using(name))

    def find_declared(self, name: str, most_files: int) -> list[Declaration]:
        """Return symbols of exactly this name by path and ordinal, in `most_files` files nearest the root."""
        found = []
        paths = self.list_declaring(name)
        if len(paths) > most_files:
            paths = sorted(sorted(paths, key=lambda path: path.count("/"))[:most_files])  # stable
        for path in paths:
            record = self.find_record(path)
            if record is not None:
                found += [Declaration(path, ordinal) for ordinal in record.find_symbols(name) if ordinal]
        return found

    def find_language(self, path: str) -> str:
        """Return the language of a file."""
        return self._program.find_language(path)

    def find_record(self, path: str) -> SymbolRecord | None:
        """Return the symbol record of a file, or None."""
        with self._lock:
            return self._program.find_record(path)

    def list_resolved(self, path: str) -> list[tuple[int, Resolution]]:
        """Return the row and meaning of each of a file's references, by row."""
        with self._lock:
            record = self._program.find_record(path)
            rows = [] if record is None else np.flatnonzero(record.ref_roles != ReferenceRole.BIND).tolist()
            return [(row, self._edges.resolve(path, record, row)) for row in rows if record is not None]

    def list_imports(self, path: str, uses: Uses = Uses.NONE) -> list[Import]:
        """Return a file's imports in line order: one per line and target file or outside name.

        Where files see each other without an import, those whose declarations this one uses are added, as far
        as such `uses` count.
        """
        with self._lock:
            record = self._program.find_record(path)
            if record is None:
                return []
            found: dict[Import, None] = {}
            for row in record.list_role(ReferenceRole.IMPORT, ReferenceRole.EXPORT):
                if not _binds_nothing(record, row):
                    found.update(dict.fromkeys(self._read_import(path, record, row)))
            if uses is not Uses.NONE and self._program.find_language(path) in NAMELESS_FILES:
                known = {path, *(one.target for one in found)}
                rows = np.flatnonzero(~np.isin(record.ref_roles, _NO_USES)).tolist()
                rows = rows[:_MAX_USES] if uses is Uses.ALL else self._choose_rows(record, rows)
                found.update(dict.fromkeys(self._iter_used(path, record, rows, known)))
            return sorted(found, key=lambda one: one.line)

    def _choose_rows(self, record: SymbolRecord, rows: Iterable[int]) -> list[int]:
        """Return the first rows of each of the first names that a type has, or something in no type."""
        chosen: dict[str, list[int]] = {}
        for row in rows:
            name = record.strings[record.ref_names[row]]
            if name not in chosen and len(chosen) == _MAX_NAMES:
                continue
            own = chosen.setdefault(name, [])
            if len(own) < _ROWS_OF_NAME:
                own.append(row)
        return sorted(row for name, own in chosen.items() if self._is_seen_by_name(name) for row in own)

    def _is_seen_by_name(self, name: str) -> bool:
        return self._seen_by_name.get(name, lambda: self._declares_openly(name))

    def _declares_openly(self, name: str) -> bool:
        """Return whether a type, or something in no type, has a name, in the first files with it."""
        for path in self._program.list_declaring(name)[:_DECLARING]:
            record = self._program.find_record(path)
            for ordinal in () if record is None else record.find_symbols(name):
                assert record is not None
                kind, parent = record.get_kind(ordinal), record.get_kind(record.get_parent(ordinal))
                if ordinal and (kind in TYPE_KINDS or parent in _OPEN):
                    return True
        return False

    def _iter_used(
        self, path: str, record: SymbolRecord, rows: Iterable[int], known: set[str]
    ) -> Iterator[Import]:
        """Yield the other files whose declarations some rows mean without doubt, each by its first use."""
        for row in rows:
            for one in _list_sure(self._edges.resolve(path, record, row)):
                if one not in known:
                    known.add(one)
                    yield Import(int(record.ref_lines[row]), "", one, "")

    def _read_import(self, path: str, record: SymbolRecord, row: int) -> Iterator[Import]:
        module = record.strings[record.ref_qualifiers[row]]
        line = int(record.ref_lines[row])
        meant = self._edges.resolve(path, record, row)
        if not meant.targets:
            meant = _prefer(self._edges.resolve_module(path, record, row), meant)
        elif get_role(record, row) is ReferenceRole.IMPORT and any(
            one.declaration.ordinal for one in meant.targets
        ):
            through = self._edges.resolve_module(path, record, row)
            if [one.declaration.ordinal for one in through.targets] == [0]:
                meant = through  # the file from which it is imported, even if that only re-exports it
        paths = dict.fromkeys(one.declaration.path for one in meant.targets)
        if self._program.find_language(path) in _IMPORTING_SPACES:
            paths = dict.fromkeys(_list_sure(meant))
        for target in paths:
            if target != path:
                yield Import(line, module, target, "")
        if not meant.targets and (meant.external or module):
            yield Import(line, module or meant.external, "", meant.external)

    def list_named_uses(self, path: str, wanted: Wanted) -> list[NamedUse]:
        """Return the uses in a file that are `wanted`: TYPE_BASES or TOP_CALLS. They are in line order."""
        roles, admits = wanted
        with self._lock:
            record = self._program.find_record(path)
            if record is None:
                return []
            rows = [row for row in record.list_role(*roles) if admits(record, row)]
            return [self._read_use(path, record, row) for row in rows]

    def _read_use(self, path: str, record: SymbolRecord, row: int) -> NamedUse:
        reference = record.get_reference(row)
        meant = self._edges.resolve(path, record, row)
        before = _NUMBER.sub("", _ARGUMENTS.sub("()", reference.qualifier))
        name = f"{before}.{reference.name}" if before and before != "?" else reference.name
        target = meant.targets[0].declaration if meant.targets else None
        return NamedUse(reference.symbol, reference.line, name, target, meant.external)

    def find_outside(self, name: str, types: Iterable[EdgeType], bounds: Bounds) -> tuple[str, Edges]:
        """Return the full name of something external ("os.path.join"), and its uses.

        `name` is the full name or an ending of it. If several full names fit, the most used one counts.
        Returns "" and no edges for a name that is unused, or that means something in the repository.
        """
        with self._lock:
            found: dict[str, list[tuple[EdgeType, Declaration, int]]] = {}
            last = name.rpartition(".")[2]
            paths = self._program.list_using(last)
            left = bounds.references
            for path in sorted(paths, key=is_test_path)[: bounds.files]:
                for whole, use in self._iter_outside(path, name, last, frozenset(types)):
                    found.setdefault(whole, []).append(use)
                    left -= 1
                if left <= 0:
                    break
            if not found:
                return "", Edges(())
            whole = min(found, key=lambda one: (-len(found[one]), one))
            return whole, _join(found[whole], len(paths) > bounds.files or left <= 0)

    def find_meant(self, name: str, bounds: Bounds = GLANCE, *, path: str = "") -> list[Declaration]:
        """Return the meanings of a name that exists only as an export alias, most frequent first.

        With a path, these are what that file imports under the name.
        """
        with self._lock:
            return self._other_names.list_meant(name, bounds, path=path)

    def _iter_outside(
        self, path: str, name: str, last: str, wanted: frozenset[EdgeType]
    ) -> Iterator[tuple[str, tuple[EdgeType, Declaration, int]]]:
        record = self._program.find_record(path)
        if record is None:
            return
        for row in list_named(record, last):
            role = get_role(record, row)
            if role is ReferenceRole.BIND or (edge_type := ROLE_EDGES[role]) not in wanted:
                continue
            meant = self._edges.resolve(path, record, row)
            whole = meant.external
            if not meant.targets and (whole == name or whole.endswith(f".{name}")):
                use = Declaration(path, int(record.ref_symbols[row]))
                yield whole, (edge_type, use, int(record.ref_lines[row]))


# A call directly inside a symbol of these kinds runs when its file is loaded.
_HOLDERS = frozenset(
    {SymbolKind.FILE, SymbolKind.CLASS, SymbolKind.MODULE, SymbolKind.VARIABLE, SymbolKind.CONSTANT}
)


def _is_of_type(record: SymbolRecord, row: int) -> bool:
    return record.get_kind(record.ref_symbols[row]) in TYPE_KINDS


def _is_near_top(record: SymbolRecord, row: int) -> bool:
    holder = int(record.ref_symbols[row])
    is_head = int(record.ref_lines[row]) < int(record.starts[holder]) + HEAD_LINES
    return is_head or record.get_kind(holder) in _HOLDERS


TYPE_BASES: Wanted = (BASES, _is_of_type)
TOP_CALLS: Wanted = ((ReferenceRole.CALL,), _is_near_top)  # and those at the top of functions: decorators


def _list_sure(meant: Resolution) -> list[str]:
    """Return the files of what a name means, without those of possible targets."""
    return [one.declaration.path for one in meant.targets if one.confidence is not Confidence.POSSIBLE]


def _binds_nothing(record: SymbolRecord, row: int) -> bool:
    """Return whether an import row binds no name, as that of the type of a static import of Java."""
    name = record.strings[record.ref_names[row]]
    return name not in {"", "*"} and not record.ref_aliases[row]


def list_named(record: SymbolRecord, name: str) -> list[int]:
    """Return the rows that refer to a name, or to an alias that the file gives to it, ascending."""
    rows = record.find_references(name)
    aliases = list_aliases(record, rows) - {name}
    return sorted({*rows, *(row for alias in aliases for row in record.find_references(alias))})


def _prefer(first: Resolution, second: Resolution) -> Resolution:
    return first if first.targets or first.external else second


def _join(uses: Sequence[tuple[EdgeType, Declaration, int]], cut: bool) -> Edges:
    """Return one edge per symbol and type, by path and ordinal."""
    lines: dict[tuple[EdgeType, Declaration], list[int]] = {}
    for edge_type, source, line in uses:
        lines.setdefault((edge_type, source), []).append(line)
    edges = [
        Edge(edge_type, source, Confidence.EXACT, tuple(sorted(set(own))))
        for (edge_type, source), own in lines.items()
    ]
    edges.sort(key=lambda edge: (edge.other.path, edge.other.ordinal, edge.type))
    return Edges(tuple(edges), cut=cut)


def is_partly_parsed(scan: BulkScan, path: str) -> bool:
    """Return True for a file of which a parser has read only a part."""
    record = scan.find_record(path)
    return record is not None and record.status is ParseStatus.PARTIAL
