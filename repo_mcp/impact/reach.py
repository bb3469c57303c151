"""The reach of changed symbols: what depends on them, level by level.

A path is only as certain as its weakest edge. Possible edges are listed but not followed, because what
depends on a guess is mostly wrong. Calls of a method that a changed method overrides are possible edges: they
may reach it. An override does not run what it overrides, so it depends on a new signature and on a member
without a body, but on no other change. Each level shares a fixed number of references among its symbols, and
no limit is a time, so equal diffs have equal answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.edges import Bounds, Edges
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node, name_shortly
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import CALLS, IMPLEMENTATIONS, NAMED, EdgeType
from repo_mcp.impact.records import Change, ChangedSymbol, Reached
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS
from repo_mcp.titled_names import is_titled

MAX_SEEDS = 200  # changed symbols that are followed
WIDTH = 60  # symbols that are followed at each later level
FIRST_REFERENCES, REFERENCES = 12_000, 6_000  # resolved for all symbols of one level: 0.8 and 0.4 s
FIRST_FILES, FILES = 3_000, 1_500
LEAST = Bounds(files=30, references=60)  # for one symbol
_DEPENDENT = frozenset({*NAMED, EdgeType.OVERRIDES})
_FURTHER = frozenset({*CALLS, *IMPLEMENTATIONS})
ORDER = {Confidence.EXACT: 0, Confidence.PROBABLE: 1, Confidence.POSSIBLE: 2}


@dataclass(frozen=True, slots=True)
class Reach:
    """The symbols and files that depend on some symbols."""

    found: tuple[Reached, ...]  # by distance, then in the order of the changed symbols
    unresolved: int  # references by the names of the changed symbols that resolve to nothing
    is_cut: bool  # a limit was reached: there may be more


class Follower:
    """Follows edges upwards. Used by one call."""

    def __init__(self, graph: Graph, cancelled: Callable[[], bool]) -> None:
        self._graph = graph
        self._cancelled = cancelled
        self._unresolved = 0
        self._is_cut = False

    def _name(self, declaration: Declaration) -> str:
        record = self._graph.scan.find_record(declaration.path)
        assert record is not None
        return name_shortly(record, declaration.ordinal)

    def _name_apart(self, nodes: Iterable[Node]) -> dict[Declaration, str]:
        """Return short names, with the file's name before those that symbols of several files share."""
        nodes = list(nodes)
        names = {one.declaration: self._name(one.declaration) for one in nodes}
        files = Counter(name for name, _ in {(names[one.declaration], one.path) for one in nodes})
        return {
            one.declaration: name if files[name] == 1 else f"{one.path.rpartition('/')[2]}:{name}"
            for one in nodes
            for name in [names[one.declaration]]
        }

    def follow(self, changed: Sequence[ChangedSymbol], depth: int) -> Reach:
        """Return what depends on the changed symbols, over at most `depth` edges. Raises CANCELLED."""
        followed = [
            one
            for one in changed
            if one.change is Change.DELETED or (one.node is not None and one.change is not Change.IMPORTS)
        ]
        self._is_cut = len(followed) > MAX_SEEDS
        own = {one.node.declaration for one in changed if one.node is not None}
        found = list(self._iter_first(followed[:MAX_SEEDS]))
        met = {*own, *(one.node.declaration for one in found)}
        level = _choose_level(one for one in found if one.node.declaration not in own)
        for distance in range(2, depth + 1):
            self._is_cut = self._is_cut or len(level) > WIDTH
            reached = [
                one
                for one in self._iter_next(level[:WIDTH], distance)
                if one.node.declaration not in met  # nearer already
            ]
            found += reached
            met.update(one.node.declaration for one in reached)
            level = _choose_level(reached)
        return Reach(tuple(found), self._unresolved, self._is_cut)

    def _iter_first(self, changed: Sequence[ChangedSymbol]) -> Iterator[Reached]:
        bounds = _share(len(changed), FIRST_FILES, FIRST_REFERENCES)
        names = self._name_apart(one.node for one in changed if one.node is not None)
        for one in changed:
            self._check()
            if one.node is None:
                name = one.name.rpartition(".")[2]
                edges = self._graph.name_uses.find_dangling(name, one.path, bounds)
                self._is_cut = self._is_cut or edges.cut
                yield from self._iter_reached(edges, one.name, 1)
                continue
            types = _DEPENDENT - {EdgeType.OVERRIDES} if self._changes_body(one) else _DEPENDENT
            edges = (
                self._find_loading(one.node, bounds)
                if is_titled(one.node.symbol.name)
                else self._graph.find_incoming(one.node, types, bounds, dispatches=True)
            )
            self._is_cut = self._is_cut or edges.cut
            self._unresolved += sum(place.count for place in edges.unresolved)
            found = [*self._iter_reached(edges, names[one.node.declaration], 1)]
            yield from found
            if one.has_new_signature:
                yield from self._iter_declared(one.node, names[one.node.declaration], found)

    def _changes_body(self, one: ChangedSymbol) -> bool:
        """Return whether a diff changes nothing but the body of a symbol."""
        is_same = one.change is Change.CHANGED and not one.has_new_signature
        return is_same and one.node is not None and not self._graph.is_abstract(one.node)

    def _find_loading(self, node: Node, bounds: Bounds) -> Edges:
        """Return the imports of the file of a function with a title, which runs for those that load it."""
        file = self._graph.get_node(Declaration(node.path, 0))
        return self._graph.find_incoming(file, frozenset({EdgeType.IMPORTS}), bounds)

    def _iter_declared(self, changed: Node, name: str, found: Sequence[Reached]) -> Iterator[Reached]:
        """Yield the declarations in other files of what has a new signature, and of what overrides that.

        They have the old one: a definition of C++ outside its class, and the class in its header.
        """
        itself = Reached(
            changed, EdgeType.REFERENCES, Confidence.EXACT, 1, (name,), (), self._name(changed.declaration)
        )
        for one in (itself, *(one for one in found if one.edge_type is EdgeType.OVERRIDES)):
            for other in self._graph.list_spans(one.node):
                if other.path != one.node.path:
                    node = self._graph.get_node(other.declaration)
                    yield replace(one, node=node, lines=(other.start_line,))

    def _iter_next(self, level: Sequence[tuple[Node, Confidence]], distance: int) -> Iterator[Reached]:
        bounds = _share(len(level), FILES, REFERENCES)
        names = self._name_apart(node for node, _ in level)
        for node, confidence in level:
            self._check()
            edges = self._graph.find_incoming(node, _FURTHER, bounds)
            self._is_cut = self._is_cut or edges.cut
            yield from self._iter_reached(edges, names[node.declaration], distance, confidence)

    def _iter_reached(
        self, edges: Edges, via: str, distance: int, most: Confidence = Confidence.EXACT
    ) -> Iterator[Reached]:
        """Yield the other ends of edges, none of them surer than `most`."""
        for edge in edges.edges:
            confidence = max(most, edge.confidence, key=ORDER.__getitem__)
            name = via if edge.via is None else self._name(edge.via)
            node, own = self._graph.get_node(edge.other), self._name(edge.other)
            yield Reached(node, edge.type, confidence, distance, (name,), edge.lines, own)

    def _check(self) -> None:
        if self._cancelled():
            raise RepoError(ErrorCode.CANCELLED, "The call was cancelled.")


def _share(symbols: int, files: int, references: int) -> Bounds:
    count = max(1, symbols)
    return Bounds(max(LEAST.files, files // count), max(LEAST.references, references // count))


def _choose_level(reached: Iterable[Reached]) -> list[tuple[Node, Confidence]]:
    """Return the symbols to follow further, each once: the surest first."""
    chosen: dict[Declaration, tuple[Node, Confidence]] = {}
    for one in sorted(reached, key=lambda each: ORDER[each.confidence]):
        if one.confidence is not Confidence.POSSIBLE and one.node.symbol.kind in CALLABLE_KINDS | TYPE_KINDS:
            chosen.setdefault(one.node.declaration, (one.node, one.confidence))
    return list(chosen.values())
