"""Find where a tree is entered: what runs first or, in a library, what its tests and examples use most.

A program beside the rest, which shows, measures or tries it, is no entry: its users do not start there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from operator import itemgetter

import numpy as np

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.research.findings.locating import is_program, may_answer
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolFlag, SymbolKind, SymbolRecord

MAX_ENTRIES = 12
IMPORTERS = Bounds(files=60, references=240)  # for a file that may be an entry point
_BEGINNINGS = frozenset({"main", "__main__", "cli", "app", "manage", "server", "index", "program"})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_BESIDE = frozenset(
    """
    bench benchmark benchmarks demo demos example examples perf performance playground sample samples sandbox
    test testing tests toy toys
    """.split()  # noqa: SIM905
)
_STARTED = CALLABLE_KINDS | {SymbolKind.CLASS, SymbolKind.STRUCT}
MOST_LOOKED_AT = 400  # files of a library whose names are counted
MOST_COUNTED = 10_000  # of these names; generated files have more: 0.1 ms each
USED_OUTSIDE = "files of tests and examples have its name"
USED_MOST = 3  # names that are said to be used most
LEAST_USERS = 3  # files of tests and examples that use one
CHECKED = 8  # names of which it is checked whether they are meant
USERS = Bounds(files=160, references=640)  # read for one of them


def note_entries(state: ResearchState, names: Mapping[str, str], edges: Collection[tuple[str, str]]) -> None:
    """Note where the files that `names` gives a module are entered. `edges` are between modules."""
    imported = {target for _, target in edges}
    own = [path for path in names if not _is_beside(path)]
    for path in state.graph.scan.list_declaring("main"):
        main = _find_function(state, path, "main") if path in names and not _is_beside(path) else None
        if main is not None and len(state.entry_points) < MAX_ENTRIES:
            state.enter(main, "a function named main")
    for path in own:
        stem = path.rpartition("/")[2].partition(".")[0].lower()
        if (
            stem in _BEGINNINGS
            and not path.endswith((".h", ".hpp"))
            and names[path] not in imported
            and len(state.entry_points) < MAX_ENTRIES
        ):
            node = state.source.find_file(path)
            if node is not None and not _is_passed_through(state, node, names):
                state.enter(node, "named like an entry point, and no other module imports its module")
    if len(state.entry_points) >= MAX_ENTRIES:
        state.limit("more entry points", f"{MAX_ENTRIES} are listed")
    if not state.entry_points:
        _note_used_most(state, own)


def _is_beside(path: str) -> bool:
    """Return True for a file of a program that only shows, measures or tries the rest."""
    words = {word.lower() for word in _WORD.findall(path)}
    return not may_answer(path) or not words.isdisjoint(_BESIDE)


def _is_passed_through(state: ResearchState, node: Node, names: Mapping[str, str]) -> bool:
    """Return True when other modules import a file only to reach names that it re-exports."""
    found = state.graph.find_incoming(node, (EdgeType.IMPORTS,), IMPORTERS)
    return any(names.get(edge.other.path, names[node.path]) != names[node.path] for edge in found.edges)


def _find_function(state: ResearchState, path: str, name: str) -> Node | None:
    record = state.graph.scan.find_record(path)
    if record is None:
        return None
    for ordinal in record.find_symbols(name):
        if int(record.kinds[ordinal]) in CALLABLE_KINDS and not int(record.parents[ordinal]):
            return state.get_node(Declaration(path, ordinal))
    return None


def _note_used_most(state: ResearchState, own: Collection[str]) -> None:
    """Note the public functions and classes that most files of tests and examples use."""
    scan = state.graph.scan
    inside = set(own)
    outside = {path for path in scan.list_paths("") if path not in inside and not is_program(path)}
    if len(outside) < LEAST_USERS:
        return
    counts: dict[str, int] = {}
    declared: dict[str, Declaration] = {}
    for name, declaration in islice(_iter_public(state, own), MOST_COUNTED):
        if name in declared:  # another part of it, perhaps
            declared[name] = max(declared[name], declaration, key=lambda one: _measure(state, one))
        else:
            declared[name] = declaration
            counts[name] = sum(path in outside for path in scan.list_using(name))
    best = sorted(counts.items(), key=itemgetter(1), reverse=True)[:CHECKED]  # stable
    noted = 0
    for name, count in best:
        state.check()
        node = state.get_node(declared[name])
        if count >= LEAST_USERS and noted < USED_MOST and _is_meant(state, node, outside):
            state.enter(node, f"{count} {USED_OUTSIDE}")
            noted += 1


def list_outermost(record: SymbolRecord) -> list[int]:
    """Return the symbols of a file that lie in none or only in namespaces, in their order."""
    spaces = (record.kinds == SymbolKind.MODULE) | (record.kinds == SymbolKind.FILE)
    return [one for one in np.flatnonzero(spaces[record.parents] & ~spaces).tolist() if one]


def _measure(state: ResearchState, declaration: Declaration) -> int:
    node = state.get_node(declaration)
    return node.symbol.end_line - node.symbol.start_line


def _iter_public(state: ResearchState, own: Collection[str]) -> Iterator[tuple[str, Declaration]]:
    """Yield the name of each public function and class that lies in no other, of the first files."""
    for number, path in enumerate(own):
        record = state.graph.scan.find_record(path) if number < MOST_LOOKED_AT else None
        for ordinal in () if record is None else list_outermost(record):
            assert record is not None
            is_public = int(record.flags[ordinal]) & SymbolFlag.PUBLIC_API
            if is_public and int(record.kinds[ordinal]) in _STARTED:
                yield record.strings[record.names[ordinal]], Declaration(path, ordinal)


def _is_meant(state: ResearchState, node: Node, outside: Collection[str]) -> bool:
    """Return True when enough files outside use a symbol itself, not only something of its name."""
    found = state.graph.find_incoming(node, (*CALLS, EdgeType.REFERENCES), USERS)
    sure = {one.other.path for one in found.edges if one.confidence is not Confidence.POSSIBLE}
    return len(sure.intersection(outside)) >= LEAST_USERS
