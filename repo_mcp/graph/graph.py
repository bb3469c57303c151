"""The graph of one snapshot, behind every navigation call. Thread-safe: a lock makes calls take turns.

`NameUses` finds uses by name alone: those of rare names, and those of a declaration that was removed.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cached_property

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.bulk_scan import ROLE_EDGES, BulkScan, list_named
from repo_mcp.graph.edge_finder import EdgeFinder
from repo_mcp.graph.edge_list import EdgeLists
from repo_mcp.graph.edges import Bounds, Edges, GatheredEdges
from repo_mcp.graph.nodes import Node, ProgramNodes
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.resolution import MakeResolver, PreciseAnswers, Resolvers
from repo_mcp.graph.similar import Similar, SimilarFinder
from repo_mcp.graph.symbol_lookup import NameMatch, SymbolLookup
from repo_mcp.graph.symbol_search import FoundSymbols, SearchableProgram, SymbolFinder
from repo_mcp.graph.typed.prototypes import WITH_HEADERS
from repo_mcp.graph.vocabulary import CALLS, KINDS, EdgeType, SymbolFilter, list_implementing
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolFlag, SymbolKind
from repo_mcp.workspace.client_paths import shown

NEAR_NAMES = 5


# A file belongs to the nearest project above it, or else to the root, whose id is ".". The id of any other
# project is its folder.
ROOT = "."
MAX_NAMED = 3
_NAMES = frozenset(
    """
    package.json pyproject.toml setup.py setup.cfg go.mod Cargo.toml pom.xml build.gradle build.gradle.kts
    Package.swift CMakeLists.txt composer.json
    """.split()  # noqa: SIM905
)
_SUFFIXES = (".csproj", ".fsproj", ".vbproj")
CACHED_LOOKED_UP = 20_000  # symbols found for qualified names: 2 MB
CACHED_FOUND = 5_000  # symbols found by searches, and as many similar ones: under 2 MB
FIRST_CALLS = Bounds(files=20, references=40)
MAX_DECLARING = 8  # other files that declare the name of a removed symbol


class Projects:
    """The projects among some paths."""

    def __init__(self, paths: Iterable[str]) -> None:
        folders = {ROOT}
        for path in paths:
            folder, _, name = path.rpartition("/")
            if name in _NAMES or name.endswith(_SUFFIXES):
                folders.add(folder or ROOT)
        self.folders = sorted(folders)

    def find(self, path: str) -> str:
        """Return the id of the project that a file belongs to."""
        folder = path.rpartition("/")[0]
        while folder:
            position = bisect_left(self.folders, folder)
            if position < len(self.folders) and self.folders[position] == folder:
                return folder
            folder = folder.rpartition("/")[0]
        return ROOT

    def suggest(self, project_id: str) -> list[str]:
        """Return the existing ids most similar to an unknown one, at most MAX_NAMED."""
        return get_close_matches(project_id, self.folders, MAX_NAMED, 0.4)


@dataclass(frozen=True, slots=True)
class Span:
    """The lines of one declaration of a symbol."""

    path: str
    start_line: int
    end_line: int
    is_primary: bool


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
        self._lookup = SymbolLookup(program, self._nodes, self._symbols, self._list_places, self.is_called)
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

        def list_near(name: str) -> list[Node]:
            """Return the symbols with names most like an undeclared one, best first."""
            with self._lock:
                return self._lookup.list_near(name, name.rpartition(".")[2])

        self.list_near = list_near

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

    def search(self, query: str, scope: SymbolFilter, limit: int) -> list[tuple[Node, float]]:
        """Return the best symbols for a query with their scores. Raises NOT_FOUND for an unknown project."""
        return self.search_widely(query, scope, limit)[0]

    def search_widely(
        self, query: str, scope: SymbolFilter, limit: int
    ) -> tuple[list[tuple[Node, float]], bool]:
        """Return what `search` returns, and whether more symbols match than can be scored."""

        def search() -> tuple[list[FoundSymbols], bool]:
            found = self._symbols.find(query, self._build_filter(scope), limit)
            return found, self._symbols.is_cut

        with self._lock:
            found, is_cut = self._searched.get((query, scope, limit), search)
            return [(self._nodes.get(one.declaration), one.score) for one in found], is_cut

    def _build_filter(self, scope: SymbolFilter) -> Callable[[str, SymbolKind], bool]:
        kind = None if scope.kind is None else _get_kind(scope.kind)
        self._check_project(scope.project_id)

        def admits(path: str, found: SymbolKind) -> bool:
            if kind is not None and found is not kind:
                return False
            return self._admits_path(path, scope)

        return admits

    def _check_project(self, project_id: str | None) -> None:
        if project_id is None or project_id in self.projects.folders:
            return
        near = self.projects.suggest(project_id) or self.projects.folders[:NEAR_NAMES]
        raise RepoError(
            ErrorCode.NOT_FOUND,
            f"There is no project {shown(project_id)}.",
            f"A project_id is a folder with a project file, for example {', '.join(near)}.",
            {"argument": "project_id"},
        )

    def _admits_path(self, path: str, scope: SymbolFilter) -> bool:
        if scope.language is not None and self._program.find_language(path) != scope.language:
            return False
        return scope.project_id is None or self.projects.find(path) == scope.project_id

    def look_up(
        self, qualified_name: str, scope: SymbolFilter, most: int | None = None
    ) -> tuple[list[Node], NameMatch, int]:
        """Return the first `most` symbols that a qualified name fits best, how well, and how many it fits.

        See `SymbolLookup.look_up`. Raises NOT_FOUND for an unknown project.
        """
        self._check_project(scope.project_id)

        def look_up() -> tuple[list[Declaration], NameMatch]:
            return self._lookup.look_up(qualified_name, lambda path: self._admits_path(path, scope))

        with self._lock:
            found, match = self._looked_up.get((qualified_name, scope), look_up)
            return [self._nodes.get(one) for one in found[:most]], match, len(found)

    def outline(self, path: str) -> list[Node]:
        """Return the symbols of a file in line order; empty for a file without a symbol record."""
        with self._lock:
            nodes = self._nodes.list_nodes(path)
            return sorted(nodes, key=lambda node: (node.symbol.start_line, node.symbol.ordinal))

    def list_spans(self, node: Node) -> list[Span]:
        """Return the declarations of a symbol: the primary one first, then by path and line."""
        with self._lock:
            places = self._list_places(node)
        primary = places[0]
        spans = [Span(one.path, one.symbol.start_line, one.symbol.end_line, one == primary) for one in places]
        return sorted(spans, key=lambda span: (not span.is_primary, span.path, span.start_line))

    def _list_places(self, node: Node) -> list[Node]:
        """Return the declarations of the symbol of a node: the primary one, then the others by path and
        ordinal.

        Primary is the longest part of a partial type, the definition of a prototype if there is only one,
        else the node itself.
        """
        parts = self._edges.hierarchy.list_parts(node.declaration)
        prototypes = self._edges.prototypes
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
        same = [
            ordinal
            for ordinal in record.find_symbols(symbol.name)
            if record.kinds[ordinal] == symbol.kind and record.parents[ordinal] == symbol.parent
        ]
        forward = [ordinal for ordinal in same if int(record.flags[ordinal]) & SymbolFlag.FORWARD]
        if not forward:
            return []
        if symbol.ordinal in forward or len(same) == len(forward) + 1:
            return [Declaration(node.path, ordinal) for ordinal in same]
        return []

    # Edges

    def is_called(self, node: Node) -> bool:
        """Return whether a call of a symbol is soon found."""
        return bool(self.find_incoming(node, CALLS, FIRST_CALLS).edges)

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

    def find_implementations(self, node: Node) -> Edges:
        """Return the edges from subtypes or implementations of a type, or overrides of a member."""
        return self.find_incoming(node, list_implementing(node.symbol.kind))

    def find_similar(self, node: Node, limit: int) -> list[tuple[Node, Similar]]:
        """Return the symbols most like one, most similar first."""
        target = node.declaration
        with self._lock:
            found = self._likened.get((target, limit), lambda: self._similar.find(target, limit))
            return [(self._nodes.get(one.declaration), one) for one in found]


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


class NameUses:
    """The uses of names in one program, under the lock of the graph. Calls may raise IndexFormatError."""

    def __init__(self, program: SearchableProgram, edges: EdgeFinder, lock: threading.RLock) -> None:
        self._program = program
        self._edges = edges
        self._lock = lock

    def list_source_paths(self) -> list[str]:
        """Return all source files, with or without a symbol record, ascending."""
        with self._lock:
            return list(self._program.list_source_paths())

    def list_rare(self, name: str, most: int) -> list[list[str]]:
        """Return the files using a name and those declaring it, without lists longer than `most`."""
        with self._lock:
            return [list(paths) for paths in self._program.list_rare(name, most)]

    def find_dangling(self, name: str, near: str, bounds: Bounds) -> Edges:
        """Return the references by a name, or an alias of it, that lead to no declaration: uses of a removed
        symbol.

        `near` is the file that declared it. The edges are PROBABLE if no file declares the name any more. If
        more than MAX_DECLARING files do, none are returned.
        """
        with self._lock:
            gathered, find_family = GatheredEdges(), self._edges.find_family
            family = find_family(near)
            left_in = [one for one in self._program.list_declaring(name) if find_family(one) == family]
            if len(left_in) > MAX_DECLARING:
                return gathered.take()
            confidence = Confidence.POSSIBLE if left_in else Confidence.PROBABLE
            paths = self._edges.list_candidates(name, near, is_imported=False)
            left = bounds.references
            for path in [one for one in paths[: bounds.files] if find_family(one) == family]:
                record = self._program.find_record(path)
                for row in list_named(record, name)[:left] if record is not None else ():
                    assert record is not None
                    left -= 1
                    role = ReferenceRole(int(record.ref_roles[row]))
                    if role is not ReferenceRole.BIND and not self._edges.resolve(path, record, row).targets:
                        source = Declaration(path, int(record.ref_symbols[row]))
                        edge_type = ROLE_EDGES.get(role, EdgeType.REFERENCES)
                        gathered.add(edge_type, source, confidence, int(record.ref_lines[row]))
            return gathered.take(cut=len(paths) > bounds.files or left <= 0)
