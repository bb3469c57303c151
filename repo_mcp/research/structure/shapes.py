"""Find repeated shapes: families of types, decorators and registrations, names, types with equal members.

A shape is shared by at least LEAST symbols. At most MAX_FILES files are read, and only those of the program
itself; files that a search for the words of the question finds come first, then others in their folders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field

from repo_mcp.graph.bulk_scan import TOP_CALLS, TYPE_BASES, NamedUse
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import list_implementing
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.locating import find_innermost, is_decorator, is_program
from repo_mcp.research.findings.reasons import Reason
from repo_mcp.research.findings.records import Shape
from repo_mcp.research.findings.research_state import ResearchState, search_words
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind, SymbolRecord
from repo_mcp.text.citations import write_citation

LEAST = 3
MAX_FILES = 300
SEARCHED = 50  # hits of the search for the words of the question
MAX_OF_SHAPE = 6  # shapes of one kind
MAX_EXAMPLES = 5  # citations of one shape
MAX_MEMBERS = 24  # public methods of a type that is compared by its members
FIRST_LIKE, LIKENESS = 6, 0.4  # similar symbols looked at, and the least similarity of one that is shown
_HUMP = re.compile(r"[A-Z][a-z0-9]+$")
_TYPES = TYPE_KINDS - {SymbolKind.EXTENSION, SymbolKind.TYPE}
Place = tuple[str, int, int]  # path, line, ordinal of the symbol


@dataclass(slots=True)
class _Repeated:
    """The locations that share a shape, for each kind of shape."""

    family: dict[str, list[Place]] = field(default_factory=dict)
    decorator: dict[str, list[Place]] = field(default_factory=dict)
    registration: dict[str, list[Place]] = field(default_factory=dict)
    members: dict[str, list[Place]] = field(default_factory=dict)
    name: dict[str, list[Place]] = field(default_factory=dict)


_NOTES = {
    "family": "types that have it as a base",
    "decorator": "declarations that it decorates",
    "registration": "calls of it outside any function",
    "members": "types with just these public methods",
    "name": "types whose names end like this",
}


def find_shapes(state: ResearchState, text: str) -> tuple[Shape, ...]:
    """Find the repeated shapes, the most frequent of each kind first; note examples as findings."""
    paths = _choose_paths(state, text)
    found = _Repeated()
    for number, path in enumerate(paths):
        if number % 25 == 0:
            state.check()
        _look_through(state, path, found)
    state.report_hop(1)
    shapes = [shape for kind in _NOTES for shape in _build(state, kind, getattr(found, kind))]
    state.report_hop(state.depth)
    return tuple(shapes)


def find_families(state: ResearchState, nodes: Sequence[Node]) -> tuple[Shape, ...]:
    """Return a shape for each subject that is a base of other symbols, and note those symbols."""
    shapes = []
    for node in nodes:
        found = state.graph.find_incoming(node, list_implementing(node.symbol.kind))
        citations = []
        for edge in found.edges:
            other = state.get_node(edge.other)
            reason = Reason(f"{edge.type.value} {node.qualified_name}")
            state.add(other, reason, 1, edge.confidence, edge.lines)
            citations.append(write_citation(other.path, other.symbol.start_line, other.symbol.end_line))
        if citations:
            shown, note = tuple(citations[:MAX_EXAMPLES]), "symbols that have it as a base, or override it"
            shapes.append(Shape("family", node.qualified_name, len(citations), shown, note))
    return tuple(shapes)


def _choose_paths(state: ResearchState, text: str) -> list[str]:
    paths = [path for path in state.graph.scan.list_paths(state.request.folder) if is_program(path)]
    if len(paths) <= MAX_FILES:
        return paths
    state.limit(f"{len(paths) - MAX_FILES} files", f"{MAX_FILES} files are searched for shapes")
    first = dict.fromkeys(hit.path for hit in search_words(state, text, SEARCHED))
    folders = {path.rpartition("/")[0] for path in first}
    known = set(paths)
    near = [path for path in paths if path not in first and path.rpartition("/")[0] in folders]
    rest = [path for path in paths if path not in first and path.rpartition("/")[0] not in folders]
    return [*(path for path in first if path in known), *near, *rest][:MAX_FILES]


def _look_through(state: ResearchState, path: str, found: _Repeated) -> None:
    record = state.graph.scan.find_record(path)
    if record is None:
        return
    for use in state.graph.scan.list_named_uses(path, TYPE_BASES):
        if int(record.kinds[use.symbol]) in _TYPES:
            found.family.setdefault(_name_use(state, use), []).append((path, use.line, use.symbol))
    lines = state.source.read_lines(path)
    for use in state.graph.scan.list_named_uses(path, TOP_CALLS):
        holder = find_innermost(record, use.line)
        if is_decorator(lines, use.line) and _is_decorated(record, holder):
            own = found.decorator.setdefault(_name_use(state, use), [])
            if not own or (own[-1][0], own[-1][2]) != (path, holder):  # once for each declaration
                own.append((path, use.line, holder))
        elif not use.symbol:
            found.registration.setdefault(_name_use(state, use), []).append((path, use.line, holder))
    for ordinal in range(1, record.symbol_count):
        if int(record.kinds[ordinal]) in _TYPES:
            _look_at_type(path, record, ordinal, found)


def _is_decorated(record: SymbolRecord, holder: int) -> bool:
    kind = int(record.kinds[holder])
    return bool(holder) and (kind in CALLABLE_KINDS or kind in TYPE_KINDS)


def _name_use(state: ResearchState, use: NamedUse) -> str:
    """Return the name of what is used: the qualified name if it is declared here."""
    if use.target is not None:
        node = state.get_node(use.target)
        return node.qualified_name
    return use.outside or use.name


def _look_at_type(path: str, record: SymbolRecord, ordinal: int, found: _Repeated) -> None:
    name = record.get_name(ordinal)
    line = int(record.starts[ordinal])
    hump = _HUMP.search(name)
    if hump is not None and hump.start() > 0:
        found.name.setdefault(f"*{hump[0]}", []).append((path, line, ordinal))
    members = sorted(
        {
            record.strings[record.names[child]]
            for child in record.list_children(ordinal)
            if int(record.kinds[child]) == SymbolKind.METHOD
        }
    )
    public = [one for one in members if not one.startswith("_")]
    if LEAST <= len(public) <= MAX_MEMBERS:
        found.members.setdefault(", ".join(public), []).append((path, line, ordinal))


def _build(state: ResearchState, kind: str, places: dict[str, list[Place]]) -> list[Shape]:
    """Return the most frequent shapes of one kind, noting two examples of each."""
    repeated = [name for name, own in places.items() if len(_distinct(own)) >= LEAST]
    repeated.sort(key=lambda name: (-len(_distinct(places[name])), name))
    if len(repeated) > MAX_OF_SHAPE:
        state.limit(f"{len(repeated) - MAX_OF_SHAPE} shapes of the kind {kind}", f"{MAX_OF_SHAPE} are shown")
    shapes = []
    for name in repeated[:MAX_OF_SHAPE]:
        own = _distinct(places[name])
        for path, line, ordinal in own[:2]:
            node = state.get_node(Declaration(path, ordinal))
            state.add(node, Reason(f"one of {len(own)} {_NOTES[kind]}: {name}"), 1, lines=(line,))
        citations = tuple(write_citation(path, line, line) for path, line, _ in own[:MAX_EXAMPLES])
        shapes.append(Shape(kind, name, len(own), citations, _NOTES[kind]))
    return shapes


def _distinct(places: Iterable[Place]) -> list[Place]:
    return list(dict.fromkeys(places))


def find_alike(state: ResearchState, subjects: Sequence[Node]) -> tuple[Shape, ...]:
    """Find symbols written like the subjects, and note them. Return a shape for each subject that has any."""
    shapes = []
    for subject in subjects[:LEAST]:
        state.check()
        found = state.graph.find_similar(subject, FIRST_LIKE)
        alike = [(node, like) for node, like in found if like.likeness >= LIKENESS]
        for node, like in alike:
            text = f"written like {subject.qualified_name} (similarity {like.likeness})"
            state.add(node, Reason(text), 1)
        if alike:
            citations = tuple(
                write_citation(node.path, node.symbol.start_line, node.symbol.end_line)
                for node, _ in alike[:MAX_EXAMPLES]
            )
            name = subject.qualified_name
            shapes.append(Shape("likeness", name, len(alike), citations, "symbols written like it"))
    return tuple(shapes)
