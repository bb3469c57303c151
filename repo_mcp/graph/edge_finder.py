"""The search for the edges of a symbol, in windows of a fixed size.

Outgoing edges are the resolved references inside a symbol, including those inside its members. Incoming edges
are found by name: the files that use the target's name, or an alias under which one of them imports it, are
scanned, nearest to the target first. Each reference of that name is resolved, and those that lead to the
target count. Unresolved ones are listed beside the edges: a call of that name on a receiver of unknown type
may mean the target.

A call of a member that others override may run any of them. With `dispatches`, a search returns such calls as
possible edges, `via` the member that is called.

The files that import a file depend on it. Other files may get its outermost declarations through a third
file, such as a package in Python; their uses of these declarations count, too. Where no file names another,
as in Go and Java, the uses of any declaration in the file count. In both cases unresolved references are left
out: common names of members would bring thousands. In C, only includes count.

A window ends after a fixed number of references or files, never after a measured time, so equal questions get
equal answers. A caller that wants all edges reads window after window.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from repo_mcp.graph.edges import Bounds, Edges, GatheredEdges, mark_inside
from repo_mcp.graph.hierarchy.dispatch import Overrides
from repo_mcp.graph.hierarchy.set_members import SetMember, SetMembers
from repo_mcp.graph.importers import GIVEN_ON, is_named_by_importers, list_unnamed
from repo_mcp.graph.nodes import NamedProgram
from repo_mcp.graph.program import NOTHING, Confidence, Declaration, Target
from repo_mcp.graph.reference_search import ReferenceSearch, Types, Window
from repo_mcp.graph.references import MAX_FILES, References
from repo_mcp.graph.resolution import Resolvers
from repo_mcp.graph.vocabulary import (
    BASES,
    CALLS,
    IMPLEMENTATIONS,
    NAMED,
    NAMELESS_FILES,
    ROLE_EDGES,
    EdgeType,
)
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.model import DECORATES
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    ReferenceRole,
    SymbolKind,
    SymbolRecord,
    get_role,
    list_aliases,
)

MAX_OUTGOING = 3_000  # references inside one symbol that are resolved in one window
MAX_INCOMING = 6_000  # references by name that one window resolves, for one target: 0.4 s
MAX_DECLARED = 4_000  # declarations of a file that are searched for what depends on the file: 0.8 s
# The first window for a name with more uses than a full window holds; each further window is twice as large.
# It takes 0.1 s, and a full one would also show only a small part of all edges. With 40 files the first
# callers of the kernel's hottest names came 20 to 50 ms later.
FIRST = Bounds(30, 150)
CACHED_SET = 100  # members of C whose functions in tables are kept: research asks for them again and again
CACHED_USES = 100_000  # paths in cached lists of the files that use a name: 8 MB

_WITHOUT_NAMES = frozenset({EdgeType.CONTAINS, EdgeType.OVERRIDES})  # edges without a reference in the text
# The family of languages in which a file sees all declarations of the files that it includes.
_INCLUDING = "c"
_IMPORTING = frozenset({EdgeType.IMPORTS})
_VARIABLES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT})
_NAMED = frozenset(NAMED)
_CALLS = frozenset(CALLS)
_IMPLEMENTING = frozenset(IMPLEMENTATIONS)
_OVERRIDING = frozenset({EdgeType.OVERRIDES})
_REPEATED = _IMPLEMENTING | {EdgeType.OVERRIDES}  # by what declares a type and its members again
_SATISFYING = TYPE_KINDS - {SymbolKind.EXTENSION}  # a type satisfies an interface once, where it is declared


class EdgeFinder(References):
    """Finds the edges of one program. Used by one call at a time. Calls may raise IndexFormatError."""

    def __init__(self, program: NamedProgram, resolvers: Resolvers) -> None:
        super().__init__(program, resolvers)
        self._set_members = SetMembers(program, self.resolve, self.prototypes)
        self._set: LruCache[Declaration, tuple[SetMember, ...]] = LruCache(CACHED_SET)
        self._uses: LruCache[Declaration, list[tuple[str, int]]] = LruCache(CACHED_USES, len)

    # What a symbol depends on

    def find_outgoing(self, source: Declaration, types: Types, bounds: Bounds | None = None) -> Edges:
        """Return the first window of `iter_outgoing`."""
        return next(self.iter_outgoing(source, types, bounds))

    def iter_outgoing(
        self, source: Declaration, types: Types, bounds: Bounds | None = None, *, dispatches: bool = False
    ) -> Iterator[Edges]:
        """Yield the edges of these types that begin at a symbol or inside it, in windows: at least one.

        No window repeats an edge of an earlier one. All but the last have `is_followed` set; the last has
        `cut` set if a limit of the hierarchy was reached. With `dispatches`, a call of an abstract member
        leads to its overrides.
        """
        most = MAX_OUTGOING if bounds is None else bounds.references
        record = self._program.find_record(source.path)
        gathered = GatheredEdges()
        if record is None:
            yield gathered.take()
            return
        if EdgeType.CONTAINS in types:
            for ordinal in record.list_children(source.ordinal):
                line = int(record.starts[ordinal])
                gathered.add(EdgeType.CONTAINS, Declaration(source.path, ordinal), Confidence.EXACT, line)
        self.hierarchy.is_cut = False
        if EdgeType.OVERRIDES in types:
            for target in self.hierarchy.find_overridden(source):
                line = int(record.starts[source.ordinal])
                gathered.add(EdgeType.OVERRIDES, target.declaration, target.confidence, line)
        if self._asks_satisfied(source, types):
            for target in self.hierarchy.list_satisfied(source):
                line = int(record.starts[source.ordinal])
                gathered.add(EdgeType.IMPLEMENTS, target.declaration, target.confidence, line)
        if EdgeType.CALLS in types:
            for body in self.linked_names.list_bodies(source):
                gathered.add(EdgeType.CALLS, body, Confidence.EXACT, int(record.starts[source.ordinal]))
        is_cut = self.hierarchy.is_cut
        inside = mark_inside(record, source.ordinal)
        rows = np.flatnonzero(inside[record.ref_symbols]).tolist()
        below = Overrides(self.dispatch) if dispatches else None
        whole = record.get_kind(source.ordinal) not in CALLABLE_KINDS
        for resolved, row in enumerate(rows):
            if resolved and resolved % most == 0:
                yield gathered.take(is_followed=True)
            own = inside if whole else None
            self._follow(source.path, record, row, own, types, gathered, below)
        yield gathered.take(cut=is_cut or (below is not None and below.is_cut))

    def _follow(
        self,
        path: str,
        record: SymbolRecord,
        row: int,
        own: np.ndarray[tuple[int], np.dtype[np.bool_]] | None,
        types: Types,
        gathered: GatheredEdges,
        below: Overrides | None,
    ) -> None:
        role = get_role(record, row)
        if role is ReferenceRole.BIND or not (role in BASES or ROLE_EDGES[role] in types):
            return
        reference = record.get_reference(row)
        if reference.role is ReferenceRole.CALL and reference.arguments == DECORATES and types == _CALLS:
            return  # a decorator is called where its symbol is declared, not when that runs
        found = self._resolvers.resolve(path, record, row)
        targets = [target for target in found.targets if self._is_parsed(target.declaration)]
        for target in targets:
            other = target.declaration
            if own is not None and other.path == path and own[other.ordinal]:
                continue  # inside the symbol in question
            edge_type = self.name_edge(path, record, reference, target)
            if edge_type is not None and edge_type in types:
                gathered.add(edge_type, other, target.confidence, reference.line, source=found.source)
            if below is not None and self.dispatch.is_dispatched(record, row, other):
                for one in below.list_of(other):
                    gathered.add(EdgeType.CALLS, one.declaration, Confidence.POSSIBLE, reference.line, other)
        if not targets:
            edge_type = ROLE_EDGES[role]
            if found.external and edge_type in types:
                gathered.add_external(edge_type, found.external, reference.line)
            elif edge_type in types and (found.targets or found == NOTHING):
                gathered.add_unresolved(path, row, reference.line)

    def _is_parsed(self, declaration: Declaration) -> bool:
        """Return False for a file without a record, which has no node: no parser reads it, or it changed."""
        return bool(declaration.ordinal) or self._program.find_record(declaration.path) is not None

    # What depends on a symbol

    def find_incoming(self, target: Declaration, types: Types, bounds: Bounds | None = None) -> Edges:
        """Return the first window of `iter_incoming`."""
        return next(self.iter_incoming(target, types, bounds))

    def iter_incoming(
        self,
        target: Declaration,
        types: Types,
        bounds: Bounds | None = None,
        *,
        dispatches: bool = False,
        folder: str = "",
    ) -> Iterator[Edges]:
        """Yield the edges of these types that end at a symbol, in windows, as `iter_outgoing` does.

        With `dispatches`, calls of the members that it overrides are included, and those of its overrides are
        counted if only calls are asked for. All edges begin in `folder`.
        """
        record = self._program.find_record(target.path)
        gathered = GatheredEdges(folder, self._repeats_body)
        if record is None:
            yield gathered.take()
            return
        self._gather_unnamed(target, record, types, gathered)
        above = self.dispatch.list_above(target) if dispatches else frozenset()
        below = self._map_below(target) if dispatches and types == _CALLS else {}
        is_cut = self.hierarchy.is_cut
        most = bounds or Bounds(MAX_FILES, MAX_INCOMING)
        if types - _WITHOUT_NAMES:
            declared = self._list_declared(target, record, types)
            is_cut, declared = is_cut or len(declared) > MAX_DECLARED, declared[:MAX_DECLARED]
            is_hot = bounds is None and not types <= _IMPLEMENTING  # few of the uses of a type are bases
            is_hot = is_hot and self._are_hot([target, *declared], folder, most)
            window = Window(FIRST.narrow(most) if is_hot else most, most)
            by_role = bounds is None  # of what is read whole, the program comes first
            for one, apart in self._iter_named(target, declared, gathered):
                search = ReferenceSearch(
                    self, one, record, types, gathered, above, apart, below, by_role=by_role
                )
                for _ in search.run(window, folder):
                    yield gathered.take(is_followed=True)
        yield gathered.take(cut=is_cut)

    def _repeats_body(self, edge_type: EdgeType, other: Declaration) -> bool:
        """Return whether an edge from a declaration of a `.d.ts` file is that of its body as well."""
        return edge_type in _REPEATED and self.bodies.find(other) is not None

    def _map_below(self, target: Declaration) -> dict[Declaration, Declaration]:
        """Return the declarations of each override of a member, with the one that stands for it."""
        found: dict[Declaration, Declaration] = {}
        for one in self.hierarchy.find_overriding(target):
            own = one.declaration
            found |= dict.fromkeys((own, *self.prototypes.list_others(own)), own)
        return found

    def _gather_unnamed(
        self, target: Declaration, record: SymbolRecord, types: Types, gathered: GatheredEdges
    ) -> None:
        """Gather the edges without a reference: from containers, overrides, types of its shape and stubs."""
        if EdgeType.CONTAINS in types and target.ordinal:
            symbol = record.get_symbol(target.ordinal)
            parent = Declaration(target.path, symbol.parent)
            gathered.add(EdgeType.CONTAINS, parent, Confidence.EXACT, symbol.start_line)
        self.hierarchy.is_cut = False
        found = []
        if EdgeType.OVERRIDES in types:
            found += [(EdgeType.OVERRIDES, one) for one in self.hierarchy.find_overriding(target)]
        if self._asks_satisfied(target, types):
            found += [(EdgeType.IMPLEMENTS, one) for one in self.hierarchy.list_satisfying(target)]
        if EdgeType.CALLS in types:
            stubs = self.linked_names.list_stubs(target)
            found += [(EdgeType.CALLS, Target(one, Confidence.EXACT)) for one in stubs]
        for edge_type, one in found:
            other = self._program.find_record(one.declaration.path)
            line = int(other.starts[one.declaration.ordinal]) if other is not None else 0
            gathered.add(edge_type, one.declaration, one.confidence, line)
        if types == _OVERRIDING and self.find_family(target.path) == _INCLUDING:
            self._gather_set(target, gathered)

    def _gather_set(self, member: Declaration, gathered: GatheredEdges) -> None:
        """Gather the functions to which tables of C set a member, each `via` the table."""
        paths = [path for path, _ in self.list_uses(member, "")]
        read = self._set_members.iter_set
        for one in self._set.get(member, lambda: tuple(read(member, paths[:MAX_FILES]))):
            gathered.add(EdgeType.IMPLEMENTS, one.function, one.confidence, one.line, one.table)
        self.hierarchy.is_cut = self.hierarchy.is_cut or len(paths) > MAX_FILES

    def _list_declared(self, target: Declaration, record: SymbolRecord, types: Types) -> list[Declaration]:
        """Return the declarations of a file whose uses count as uses of the file; nothing for other targets.

        In C, where includes name the file, none count. The order is that of `_list_nameable`.
        """
        if target.ordinal or self.find_family(target.path) == _INCLUDING:
            return []
        if self._program.find_language(target.path) in NAMELESS_FILES:
            return _list_nameable(target, record, sys.maxsize)
        return _list_nameable(target, record, 1) if types != _IMPORTING else []

    def _iter_named(
        self, target: Declaration, declared: Iterable[Declaration], gathered: GatheredEdges
    ) -> Iterator[tuple[Declaration, frozenset[str]]]:
        """Yield the symbols whose uses count as uses of the target, each with the files where they do not."""
        own = frozenset({target.path})
        if self._program.find_language(target.path) in NAMELESS_FILES:
            yield from ((one, own) for one in declared)
            yield target, frozenset()
        else:
            yield target, frozenset()
            importing = own | gathered.list_paths(EdgeType.IMPORTS)
            yield from ((one, importing) for one in declared)

    def _are_hot(self, named: Iterable[Declaration], folder: str, most: Bounds) -> bool:
        """Return whether symbols have more uses than a window holds, so that the first windows are small."""
        files = references = 0
        for one in named:
            counts = [count for _, count in self.list_uses(one, folder)]
            files, references = files + len(counts), references + sum(counts)
            if files > most.files or references > most.references:
                return True
        return False

    def list_uses(self, target: Declaration, folder: str) -> list[tuple[str, int]]:
        """Return the files in a folder that use the name of a symbol, ascending, each with an upper bound of
        its uses.

        Every role and every meaning of the name counts."""
        found = self._uses.get(target, lambda: self._list_uses(target))
        if not folder:
            return found
        return found[bisect_left(found, (f"{folder}/",)) : bisect_left(found, (f"{folder}0",))]

    def _list_uses(self, target: Declaration) -> list[tuple[str, int]]:
        record, family = self._program.find_record(target.path), self.find_family(target.path)
        found: Counter[str] = Counter()
        for name in self.list_names(target, record) if record is not None else ():
            found.update(dict(self._program.list_uses(name)))
        if record is not None and is_named_by_importers(record, target.ordinal):
            self._count_otherwise_named(target.path, found)
        seeing = set(self.narrow(target, list(found)))
        return sorted(one for one in found.items() if one[0] in seeing and self.find_family(one[0]) == family)

    def _count_otherwise_named(self, path: str, found: Counter[str]) -> None:
        """Count the uses of what a file exports as default in those files that have another name for it."""
        for module in self.importers.list_names(path):
            for other in self.importers.list_paths(module, path):
                record = self._program.find_record(other) if other not in found else None
                rows = list_unnamed(record, module) if record is not None else []
                if record is not None and rows:
                    names = list_aliases(record, rows) - GIVEN_ON
                    found[other] = len(rows) + sum(len(record.find_references(name)) for name in names)

    def iter_samples(
        self,
        target: Declaration,
        types: Types,
        groups: Iterable[Sequence[str]],
        most: int,
        *,
        dispatches: bool,
    ) -> Iterator[tuple[int, Edges]]:
        """Yield for each group of files the number of references by name that were resolved, and their edges.

        At most `most` references are resolved in each file."""
        record = self._program.find_record(target.path)
        assert record is not None, "only files that are parsed have symbols"
        above = self.dispatch.list_above(target) if dispatches else frozenset()
        gathered = GatheredEdges()
        search = ReferenceSearch(self, target, record, types, gathered, above)
        for paths in groups:
            count = sum(search.sample(path, most) for path in paths)
            yield count, gathered.take()

    def _asks_satisfied(self, declaration: Declaration, types: Types) -> bool:
        """Return whether a search must also find types that satisfy an interface without naming it."""
        record = self._program.find_record(declaration.path)
        if EdgeType.IMPLEMENTS not in types or types == _NAMED or record is None:
            return False
        return record.get_kind(declaration.ordinal) in _SATISFYING


def _list_nameable(file: Declaration, record: SymbolRecord, most: int) -> list[Declaration]:
    """Return a file's declarations outside functions that others may name, up to `most` levels deep.

    The outermost come first. On each level, variables come last.
    """
    levels: dict[int, int] = {0: 0}  # by ordinal; parents come before their children
    for ordinal in range(1, record.symbol_count):
        parent = record.get_parent(ordinal)
        if parent in levels and record.get_kind(parent) not in CALLABLE_KINDS:
            is_module = record.get_kind(ordinal) is SymbolKind.MODULE
            levels[ordinal] = levels[parent] + (not is_module)
    kinds = {one: record.get_kind(one) for one in levels}
    named = [one for one in levels if 0 < levels[one] <= most and kinds[one] is not SymbolKind.MODULE]
    named.sort(key=lambda one: (levels[one], kinds[one] in _VARIABLES, one))
    return [Declaration(file.path, one) for one in named]
