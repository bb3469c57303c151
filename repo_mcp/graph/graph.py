"""The graph of one snapshot, behind every navigation call. Thread-safe: a lock makes calls take turns."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from functools import cached_property

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.bulk_scan import BulkScan
from repo_mcp.graph.edges import Bounds, EdgeFinder, Edges, any_of
from repo_mcp.graph.nodes import Node, NodeBook, normalise_name
from repo_mcp.graph.program.program import Declaration
from repo_mcp.graph.questions import IMPLEMENTATIONS, KINDS, EdgeType, SymbolFilter
from repo_mcp.graph.resolution import MakeResolver, Resolvers
from repo_mcp.graph.similar import Similar, SimilarFinder
from repo_mcp.graph.symbol_query import SearchableProgram, SymbolFinder
from repo_mcp.graph.typed.prototypes import WITH_HEADERS
from repo_mcp.symbols.symbol_record import ParseStatus, SymbolFlag, SymbolKind
from repo_mcp.workspace.client_paths import shown

NEAR_NAMES = 5
MAX_DOTTED = 8  # parts in the name of one namespace
MAX_LOOKED_UP = 2_000  # declaring files read for one name
FEW_FILES = 50  # with more, only those that fit the rest of the name are read

_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.EVENT})


# A file belongs to the nearest project above it, or else to the root, whose id is ".". The id of a project is
# its folder.
ROOT = "."
MAX_NAMED = 3
_NAMES = frozenset(
    """
    package.json pyproject.toml setup.py setup.cfg go.mod Cargo.toml pom.xml build.gradle build.gradle.kts
    Package.swift CMakeLists.txt composer.json
    """.split()  # noqa: SIM905
)
_SUFFIXES = (".csproj", ".fsproj", ".vbproj")


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
            ordinal = bisect_left(self.folders, folder)
            if ordinal < len(self.folders) and self.folders[ordinal] == folder:
                return folder
            folder = folder.rpartition("/")[0]
        return ROOT

    def suggest(self, project_id: str) -> list[str]:
        """Return the existing ids most similar to an unknown one, at most MAX_NAMED."""
        return get_close_matches(project_id, self.folders, MAX_NAMED, 0.4)


class NameMatch(Enum):
    """How well the qualified names that were found fit the requested one, best first."""

    EXACT = 0
    ENDING = 1
    IN_ORDER = 2

    def admits(self, wanted: str, found: str) -> bool:
        """Return whether the found qualified name fits the wanted one in this way."""
        if self is NameMatch.EXACT:
            return found == wanted
        if self is NameMatch.ENDING:
            return found.endswith("." + wanted)
        parts = iter(found.split("."))
        return all(part in parts for part in wanted.split("."))


@dataclass(frozen=True, slots=True)
class Span:
    """The lines of one declaration of a symbol."""

    path: str
    start_line: int
    end_line: int
    is_primary: bool


class Graph:
    """Symbols and edges of one program. Methods may raise IndexFormatError for a damaged index."""

    def __init__(self, program: SearchableProgram, makers: Mapping[str, MakeResolver]) -> None:
        """Read nothing yet. `makers` maps each language to the constructor of its resolver."""
        self._program = program
        self._lock = threading.RLock()
        self._nodes = NodeBook(program)
        self._edges = EdgeFinder(program, Resolvers(program, makers, program.count_decoded))
        self._symbols = SymbolFinder(program, self._nodes)
        self._similar = SimilarFinder(program)
        self.scan = BulkScan(program, self._edges, self._lock)

    @cached_property
    def projects(self) -> Projects:
        """Return the projects of the repository."""
        return Projects(self._program.list_source_paths())

    def get_node(self, declaration: Declaration) -> Node:
        """Return the node of a declaration from another call. Raises KeyError when it no longer exists."""
        with self._lock:
            return self._nodes.get(declaration)

    def get(self, node_id: str) -> Node:
        """Return the node with an id. Raises NOT_FOUND with the nearest names, BUSY during a reparse."""
        with self._lock:
            declaration = self._nodes.find(node_id)
            if declaration is not None:
                return self._nodes.get(declaration)
            self._check_parsed(node_id)
            near = self._suggest(node_id)
        hint = "Find the symbol with search_symbols or lookup_symbol; renaming changes a node_id."
        if near:
            named = ", ".join(f"{node.qualified_name} ({node.node_id})" for node in near)
            hint = f"Nearest: {named}."
        raise RepoError(
            ErrorCode.NOT_FOUND,
            f"No symbol found with node_id {shown(node_id)}.",
            hint,
            {"argument": "node_id"},
        )

    def _check_parsed(self, node_id: str) -> None:
        for path in self._nodes.find_paths(node_id):
            if self._program.has_file(path) and self._program.find_record(path) is None:
                raise RepoError(
                    ErrorCode.BUSY,
                    f"{shown(path)}, which may declare this symbol, changed and is not parsed yet.",
                    details={"argument": "node_id"},
                )

    def _suggest(self, node_id: str) -> list[Node]:
        """Return symbols of the file that an id points to; if there is none, search for the text."""
        paths = self._nodes.find_paths(node_id)
        if paths:
            declarations = self._nodes.list_file(paths[0])[:NEAR_NAMES]
        else:
            found = self._symbols.find(node_id, lambda _path, _kind: True, NEAR_NAMES)
            declarations = [one.declaration for one in found]
        return [self._nodes.get(one) for one in declarations]

    def search(self, query: str, scope: SymbolFilter, limit: int) -> list[tuple[Node, float]]:
        """Return the best symbols for a query with their scores. Raises NOT_FOUND for an unknown project."""
        with self._lock:
            found = self._symbols.find(query, self._build_filter(scope), limit)
            return [(self._nodes.get(one.declaration), one.score) for one in found]

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
            f"A project_id is a folder with a project file, such as: {', '.join(near)}.",
            {"argument": "project_id"},
        )

    def _admits_path(self, path: str, scope: SymbolFilter) -> bool:
        if scope.language is not None and self._program.find_language(path) != scope.language:
            return False
        return scope.project_id is None or self.projects.find(path) == scope.project_id

    def look_up(self, qualified_name: str, scope: SymbolFilter) -> tuple[list[Node], NameMatch]:
        """Return the symbols that a qualified name fits best, and how well it fits.

        Exact matches win over names that end with it, and those over names with the same last part and the
        others in this order: "pkg.mod.C" for "pkg.C". Raises NOT_FOUND for an unknown project.
        """
        name = normalise_name(qualified_name)
        self._check_project(scope.project_id)
        with self._lock:
            named = [one for last in _list_endings(name) for one in self._list_named(name, last, scope)]
            record = self._program.find_record(qualified_name)
            if record is not None and self._admits_path(qualified_name, scope):
                named.append((qualified_name, Declaration(qualified_name, 0)))
            named = sorted(
                set(named), key=lambda row: (self._is_forward(row[1]), row[1].path, row[1].ordinal)
            )
            for match in NameMatch:
                chosen = [one for found, one in named if match.admits(name, found) or found == qualified_name]
                if chosen:
                    return [self._nodes.get(one) for one in chosen], match
            return [], NameMatch.EXACT

    def _is_forward(self, declaration: Declaration) -> bool:
        record = self._program.find_record(declaration.path)
        return record is not None and bool(int(record.flags[declaration.ordinal]) & SymbolFlag.FORWARD)

    def _list_named(self, name: str, last: str, scope: SymbolFilter) -> list[tuple[str, Declaration]]:
        """Return the symbols named `last` with their qualified names, by path and line."""
        paths = self._program.list_declaring(last)
        if len(paths) > FEW_FILES:
            paths = self._list_inside(paths, name.removesuffix(last).strip(".")) or paths
        found = []
        for path in paths[:MAX_LOOKED_UP]:
            record = self._program.find_record(path)
            if record is not None and self._admits_path(path, scope):
                declarations = [Declaration(path, ordinal) for ordinal in record.find_symbols(last)]
                found += [(self._nodes.name(one), one) for one in declarations]
        return found

    def _list_inside(self, paths: Sequence[str], around: str) -> list[str]:
        """Return the paths that declare an ending of the enclosing name, or contain its last part."""
        declaring = {path for one in _list_endings(around) for path in self._program.list_declaring(one)}
        module = around.rpartition(".")[2]
        return [path for path in paths if path in declaring or module in path]

    def outline(self, path: str) -> list[Node]:
        """Return the symbols of a file in line order; empty for a file without a symbol record."""
        with self._lock:
            nodes = self._nodes.list_nodes(path)
            return sorted(nodes, key=lambda node: (node.symbol.start_line, node.symbol.ordinal))

    def find_status(self, path: str) -> ParseStatus | None:
        """Return how much of a file was understood, or None for a file without a symbol record."""
        return self._program.find_status(path)

    def list_spans(self, node: Node) -> list[Span]:
        """Return the declarations of a symbol: the primary one first, then by path and line."""
        with self._lock:
            ordinals = self._list_places(node)
        primary = min(ordinals, key=lambda one: (bool(one.symbol.flags & SymbolFlag.FORWARD), one != node))
        if not node.symbol.flags & SymbolFlag.PARTIAL:
            primary = primary if node.symbol.flags & SymbolFlag.FORWARD else node
        else:
            primary = max(ordinals, key=_count_lines)  # the longest; on a tie the first
        spans = [
            Span(one.path, one.symbol.start_line, one.symbol.end_line, one == primary) for one in ordinals
        ]
        return sorted(spans, key=lambda span: (not span.is_primary, span.path, span.start_line))

    def _list_places(self, node: Node) -> list[Node]:
        """Return a node and the other declarations of the same symbol, by path and ordinal."""
        parts = self._edges.hierarchy.list_parts(node.declaration)
        if len(parts) == 1:
            others = self._edges.prototypes.list_others(node.declaration)
            parts = [node.declaration, *self._list_forward(node), *others]
        found = dict.fromkeys(parts)
        return [self._nodes.get(one) for one in sorted(found, key=lambda one: (one.path, one.ordinal))]

    def _list_forward(self, node: Node) -> list[Declaration]:
        """Return a definition with its prototypes and overload signatures in the same file."""
        record = self._program.find_record(node.path)
        if record is None or node.language in WITH_HEADERS:  # there overloads are distinct symbols
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

    def find_incoming(self, node: Node, types: Iterable[EdgeType], bounds: Bounds | None = None) -> Edges:
        """Return the edges of these types that end at a symbol, most certain first."""
        with self._lock:
            return self._edges.find_incoming(node.declaration, any_of(types), bounds)

    def find_outgoing(self, node: Node, types: Iterable[EdgeType], bounds: Bounds | None = None) -> Edges:
        """Return the edges of these types that begin at a symbol, most certain first."""
        with self._lock:
            return self._edges.find_outgoing(node.declaration, any_of(types), bounds)

    def find_implementations(self, node: Node) -> Edges:
        """Return the edges from subtypes or implementations of a type, or overrides of a member."""
        wanted = (EdgeType.OVERRIDES,) if node.symbol.kind in _MEMBERS else IMPLEMENTATIONS
        return self.find_incoming(node, wanted)

    def find_similar(self, node: Node, limit: int) -> list[tuple[Node, Similar]]:
        """Return the symbols most like one, most similar first."""
        with self._lock:
            found = self._similar.find(node.declaration, limit)
            return [(self._nodes.get(one.declaration), one) for one in found]


def _list_endings(name: str) -> list[str]:
    """Return the possible own names in a qualified name; a namespace has dots in its own name."""
    parts = name.split(".")
    return [".".join(parts[-count:]) for count in range(1, min(len(parts), MAX_DOTTED) + 1)]


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
