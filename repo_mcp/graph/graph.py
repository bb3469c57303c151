"""The graph of one snapshot, behind every navigation call. Thread-safe: a lock makes calls take turns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial

import numpy as np

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.bulk_scan import BulkScan
from repo_mcp.graph.edge_finder import EdgeFinder
from repo_mcp.graph.edge_list import EdgeLists
from repo_mcp.graph.edges import Bounds, Edges
from repo_mcp.graph.lookup.external_bases import is_external_base
from repo_mcp.graph.lookup.other_names import OtherNames
from repo_mcp.graph.lookup.qualified_names import NameMatch
from repo_mcp.graph.lookup.symbol_lookup import SymbolLookup
from repo_mcp.graph.lookup.symbol_search import FoundSymbols, SearchableProgram, SymbolFinder
from repo_mcp.graph.name_uses import NameUses
from repo_mcp.graph.nodes import Node, ProgramNodes, normalise_name
from repo_mcp.graph.outside_callers import OutsideCallers
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.projects import Projects
from repo_mcp.graph.prototypes import WITH_HEADERS
from repo_mcp.graph.resolution import MakeResolver, PreciseAnswers, Resolvers
from repo_mcp.graph.sampled_uses import SampledUses, UseSampler
from repo_mcp.graph.similar import Similar, SimilarFinder
from repo_mcp.graph.variant_uses import VariantUses
from repo_mcp.graph.vocabulary import CALLS, KINDS, EdgeType, SymbolFilter, is_in_text
from repo_mcp.languages.patterns.language_registry import passes_language
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import SymbolFlag, SymbolKind
from repo_mcp.workspace.reader.client_paths import shown

CACHED_LOOKED_UP = 20_000  # symbols found for qualified names: 2 MB
CACHED_FOUND = 5_000  # symbols found by searches, and as many similar ones: under 2 MB
FIRST_CALLS = Bounds(files=20, references=40)


@dataclass(frozen=True, slots=True)
class Span:
    """The lines of one declaration of a symbol."""

    path: str
    start_line: int
    end_line: int
    is_primary: bool
    declaration: Declaration
    constraint: str = ""  # of the builds that have it, if others have other declarations of the symbol


class Graph:
    """Symbols and edges of one program. Methods may raise IndexFormatError for a damaged index."""

    def __init__(
        self,
        program: SearchableProgram,
        makers: Mapping[str, MakeResolver],
        precise: PreciseAnswers | None = None,
    ) -> None:
        """Read nothing yet.

        `makers` maps each language to the constructor of its resolver. Answers of `precise` take precedence
        over those of resolvers.
        """
        self._program = program
        self._lock = threading.RLock()
        self._nodes = ProgramNodes(program)
        self._edges = EdgeFinder(program, Resolvers(program, makers, program.count_decoded, precise))
        self._symbols = SymbolFinder(program, self._nodes)
        self._similar = SimilarFinder(program)
        other_names = self._other_names = OtherNames(program, self._edges.resolve)
        self._lookup = SymbolLookup(
            program,
            self._nodes,
            self._symbols,
            other_names,
            self._list_places,
            partial(is_called, self),
            partial(is_external_base, program, self._edges.resolve),
        )
        self._sampler = UseSampler(program, self._edges.resolve, self._list_places)
        self._looked_up: LruCache[tuple[str, SymbolFilter], tuple[list[Declaration], NameMatch]] = LruCache(
            CACHED_LOOKED_UP, lambda found: 1 + len(found[0])
        )
        self._searched: LruCache[tuple[str, SymbolFilter, int], tuple[list[FoundSymbols], bool]] = LruCache(
            CACHED_FOUND, lambda found: 1 + len(found[0])
        )
        self._likened: LruCache[tuple[Declaration, int], list[Similar]] = LruCache(
            CACHED_FOUND, lambda found: 1 + len(found)
        )
        self.edge_lists = EdgeLists(self._edges, self._lock)
        self.read_lines = program.read_lines
        self.find_status = program.find_status
        self.scan = BulkScan(program, self._edges, self._lock)
        self.name_uses = NameUses(program, self._edges, self._lock)
        self.variant_uses = VariantUses(program, self._edges, self._lock)
        self.outside_callers = OutsideCallers(program, self._edges, self._lock)

    @cached_property
    def projects(self) -> Projects:
        """Return the projects of the repository."""
        return Projects(self._program.list_source_paths())

    def get_node(self, declaration: Declaration) -> Node:
        """Return the node of a declaration from another call. Raises KeyError when it no longer exists."""
        with self._lock:
            return self._nodes.get(declaration)

    def choose(
        self,
        symbol: str,
        argument: str = "symbol",
        *,
        has_body: bool = False,
        likely: frozenset[SymbolKind] = frozenset(),
    ) -> Node:
        """Return the one symbol that an id, a name or a place means, as `SymbolLookup.choose` does."""
        with self._lock:
            return self._lookup.choose(symbol, argument, has_body=has_body, likely=likely)

    def sample_uses(self, nodes: Sequence[Node]) -> SampledUses:
        """Return symbols of one name, those first that most of its uses mean."""
        with self._lock:
            return self._sampler.sample(nodes)

    def search(self, query: str, scope: SymbolFilter, limit: int) -> tuple[list[tuple[Node, float]], bool]:
        """Return the best symbols for a query with their scores, and whether more match than can be scored.

        Raises NOT_FOUND for an unknown project.
        """

        def search() -> tuple[list[FoundSymbols], bool]:
            admits = self._build_filter(scope)
            found = self._symbols.find(query, admits, limit)
            return self._put_own_first(query, found, admits)[:limit], self._symbols.is_cut

        with self._lock:
            found, is_cut = self._searched.get((query, scope, limit), search)
            return [(self._nodes.get(one.declaration), one.score) for one in found], is_cut

    def _put_own_first(
        self, name: str, found: list[FoundSymbols], admits: Callable[[str, SymbolKind], bool]
    ) -> list[FoundSymbols]:
        """Return found symbols behind those whose values call themselves by the name."""
        nodes = map(self._nodes.get, self._other_names.list_own(name))
        own = [one.declaration for one in nodes if admits(one.path, one.symbol.kind)]
        best = found[0].score if found else 1.0
        others = (one for one in found if one.declaration not in own)
        return [*(FoundSymbols(one, best) for one in own), *others] if own else found

    def _build_filter(self, scope: SymbolFilter) -> Callable[[str, SymbolKind], bool]:
        kind = None if scope.kind is None else _get_kind(scope.kind)
        self.projects.check(scope.project_id)

        def admits(path: str, found: SymbolKind) -> bool:
            if kind is not None and found is not kind:
                return False
            if not is_in_text(self._program.find_language(path), found):
                return False
            return self._admits_path(path, scope)

        return admits

    def _admits_path(self, path: str, scope: SymbolFilter) -> bool:
        if not passes_language(path, self._program.find_language(path), scope.language):
            return False
        return scope.project_id is None or self.projects.find(path) == scope.project_id

    def look_up(
        self, qualified_name: str, scope: SymbolFilter, most: int | None = None
    ) -> tuple[list[Node], NameMatch, int]:
        """Return the first `most` symbols that a qualified name fits best, how well, and how many it fits.

        See `SymbolLookup.look_up`. Raises NOT_FOUND for an unknown project.
        """
        self.projects.check(scope.project_id)

        def look_up() -> tuple[list[Declaration], NameMatch]:
            return self._lookup.look_up(qualified_name, lambda path: self._admits_path(path, scope))

        with self._lock:
            found, match = self._looked_up.get((qualified_name, scope), look_up)
            return [self._nodes.get(one) for one in found[:most]], match, len(found)

    def list_near(self, name: str) -> list[Node]:
        """Return the symbols with names most like an undeclared one, best first."""
        with self._lock:
            return self._lookup.list_near(name, normalise_name(name).rpartition(".")[2])

    def outline(self, path: str) -> list[Node]:
        """Return the symbols of a file in line order; empty for a file without a symbol record."""
        with self._lock:
            nodes = [one for one in self._nodes.list_nodes(path) if is_in_text(one.language, one.symbol.kind)]
            return sorted(nodes, key=lambda node: (node.symbol.start_line, node.symbol.ordinal))

    def list_spans(self, node: Node) -> list[Span]:
        """Return the declarations of a symbol: the primary one first, then by path and line."""
        with self._lock:
            places = self._list_places(node)
            primary, constraints = places[0], self._edges.prototypes.read_constraints(node.declaration)
        spans = [
            Span(
                one.path,
                one.symbol.start_line,
                one.symbol.end_line,
                one == primary,
                one.declaration,
                constraints.get(one.declaration, ""),
            )
            for one in places
        ]
        return sorted(spans, key=lambda span: (not span.is_primary, span.path, span.start_line))

    def _list_places(self, node: Node) -> list[Node]:
        """Return the declarations of the symbol of a node: the primary one, then the others by path and
        ordinal.

        Primary is the longest part of a partial type, the definition of a prototype if there is only one,
        the variant of a plain build, the body of what a `.d.ts` file declares, else the node itself.
        """
        prototypes, bodies = self._edges.prototypes, self._edges.bodies
        body = bodies.find(node.declaration) or node.declaration
        declared = bodies.list_declared(body)
        if declared:
            return [self._nodes.get(one) for one in (body, *declared)]
        variants = prototypes.list_variants(node.declaration)
        if len(variants) > 1:
            return [self._nodes.get(one) for one in variants]
        parts = self._edges.hierarchy.list_parts(node.declaration)
        if len(parts) == 1:
            others = prototypes.list_others(node.declaration)
            parts = [node.declaration, *self._list_forward(node), *others]
        if len(parts) == 1:
            return [node]
        found = dict.fromkeys(parts)
        nodes = [self._nodes.get(one) for one in sorted(found, key=lambda one: (one.path, one.ordinal))]
        primary = node
        if node.symbol.flags & SymbolFlag.PARTIAL:
            primary = max(nodes, key=_count_lines)  # the longest; on a tie the first
        elif node.symbol.flags & SymbolFlag.FORWARD and not prototypes.list_twins(node.declaration):
            primary = min(nodes, key=lambda one: (bool(one.symbol.flags & SymbolFlag.FORWARD), one != node))
        return [primary, *(one for one in nodes if one != primary)]

    def _list_forward(self, node: Node) -> list[Declaration]:
        """Return the declarations of a symbol in its file: its definition, prototypes and overload
        signatures.

        Empty if the file has only definitions of it, or if it is one of several definitions.
        """
        record = self._program.find_record(node.path)
        # in these languages, overloads are distinct symbols
        if record is None or node.language in WITH_HEADERS:
            return []
        symbol = node.symbol
        named = np.asarray(record.find_symbols(symbol.name), dtype=np.intp)  # perhaps thousands of overloads
        is_same = (record.kinds[named] == int(symbol.kind)) & (record.parents[named] == symbol.parent)
        same = named[is_same].tolist()
        forward = named[is_same & (record.flags[named] & int(SymbolFlag.FORWARD) != 0)].tolist()
        if not forward:
            return []
        if symbol.ordinal in forward or len(same) == len(forward) + 1:
            return [Declaration(node.path, ordinal) for ordinal in same]
        return []

    # Edges

    def is_abstract(self, node: Node) -> bool:
        """Return whether a member has no body: that of an interface, or one declared abstract."""
        return self._edges.dispatch.is_abstract(node.declaration)

    def find_incoming(
        self, node: Node, types: Iterable[EdgeType], bounds: Bounds | None = None, *, dispatches: bool = False
    ) -> Edges:
        """Return the edges of these types that end at a symbol, most certain first.

        With `dispatches`, calls of the members that it overrides are included.
        """
        with self._lock:
            search = self._edges.iter_incoming
            return next(search(node.declaration, frozenset(types), bounds, dispatches=dispatches))

    def find_outgoing(
        self, node: Node, types: Iterable[EdgeType], bounds: Bounds | None = None, *, dispatches: bool = False
    ) -> Edges:
        """Return the edges of these types that begin at a symbol, most certain first.

        With `dispatches`, calls of abstract members also lead to their overrides.
        """
        with self._lock:
            search = self._edges.iter_outgoing
            return next(search(node.declaration, frozenset(types), bounds, dispatches=dispatches))

    def find_similar(self, node: Node, limit: int) -> list[tuple[Node, Similar]]:
        """Return the symbols most like one, most similar first."""
        target = node.declaration
        with self._lock:
            found = self._likened.get((target, limit), lambda: self._similar.find(target, limit))
            return [(self._nodes.get(one.declaration), one) for one in found]


def is_called(graph: Graph, node: Node) -> bool:
    """Return whether a call of a symbol is soon found."""
    return bool(graph.find_incoming(node, CALLS, FIRST_CALLS).edges)


def _count_lines(node: Node) -> int:
    return node.symbol.end_line - node.symbol.start_line


def _get_kind(name: str) -> SymbolKind:
    """Return the kind of a name. Raises RepoError with INVALID_ARGUMENT."""
    kind = KINDS.get(name)
    if kind is None:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"There is no kind of symbol {shown(name)}.",
            f"Kinds: {', '.join(sorted(KINDS))}.",
            {"argument": "kind"},
        )
    return kind
