"""The search for the edges of a symbol, in windows of a fixed size.

Outgoing edges are the resolved references inside a symbol, for a type, a module or a file also those inside
its members. Incoming edges are found by name: the files that use the target's name, or an alias that one of
them imports it under, are scanned, nearest to the target first. Each reference of that name is resolved, and
those that lead to the target count. Unresolved ones are listed beside the edges: a call of that name on a
receiver of unknown type may mean the target.

A call of a member that others override may run any of them. A search that dispatches has such calls as
possible edges, `via` the member that is called.

Where no file names another, as in Go and Java, what depends on a file is whatever outside of it uses a
declaration in it. Unresolved references are left out there: common names of members would bring thousands.

A window ends after a fixed number of references or files, never after a measured time, so equal questions get
equal answers. A caller that wants all edges reads window after window.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge

import numpy as np

from repo_mcp.graph.edges import Bounds, Edges, GatheredEdges, mark_inside
from repo_mcp.graph.hierarchy import ABSTRACT_KINDS, Dispatch, Hierarchy, Overrides
from repo_mcp.graph.nodes import NamedProgram
from repo_mcp.graph.program import (
    NOTHING,
    SURENESS,
    Confidence,
    Declaration,
    Resolution,
    Target,
    order_by_nearness,
)
from repo_mcp.graph.questions import NAMED, NAMELESS_FILES, EdgeType, find_family
from repo_mcp.graph.resolution import Resolvers
from repo_mcp.graph.sight import Sight
from repo_mcp.graph.typed.prototypes import Prototypes
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    list_aliases,
)

MAX_OUTGOING = 3_000  # references resolved in one window, of those inside one symbol
MAX_INCOMING = 6_000  # references by name resolved in one window, of those to one target: 0.4 s
MAX_FILES = 400  # scanned in one window
# The first window for a name with more uses than any window holds; each next window is twice as large. It
# takes 0.1 s, and would show only a small part of all edges anyway. With 40 files the first callers of the
# kernel's hottest names came 20 to 50 ms later.
FIRST = Bounds(30, 150)
CACHED_USES = 100_000  # paths in cached lists of the files that use a name: 8 MB
MAX_ALIASES = 8  # other names under which a symbol is imported

Types = frozenset[EdgeType]

_BASES = frozenset({ReferenceRole.INHERIT, ReferenceRole.IMPLEMENT, ReferenceRole.EXTEND})
_TYPES = {
    ReferenceRole.CALL: EdgeType.CALLS,
    ReferenceRole.IMPORT: EdgeType.IMPORTS,
    ReferenceRole.EXPORT: EdgeType.IMPORTS,
    ReferenceRole.ACCEPT: EdgeType.ACCEPTS,
    ReferenceRole.TYPE: EdgeType.REFERENCES,
    ReferenceRole.USE: EdgeType.REFERENCES,
}
# Nothing is known about a base declared outside the repository, so the reference's role decides.
_OUTSIDE = {
    ReferenceRole.INHERIT: EdgeType.INHERITS,
    ReferenceRole.IMPLEMENT: EdgeType.IMPLEMENTS,
    ReferenceRole.EXTEND: EdgeType.EXTENDS,
}
_WITHOUT_NAMES = frozenset({EdgeType.CONTAINS, EdgeType.OVERRIDES})  # no reference shows them
_LAST_NAME = re.compile(r"\.|::|->")  # between the names of a qualifier
_DEFAULT = "default"
_STANDING_FOR_FOLDERS = frozenset({"__init__", "index", "mod", "lib", "main", "doc"})
_NAMED = frozenset(NAMED)
_OWNERS = TYPE_KINDS | {SymbolKind.MACRO}  # of members: in C a macro may declare fields
_SATISFYING = TYPE_KINDS - {SymbolKind.EXTENSION}  # a type satisfies an interface once, where it is declared


class EdgeFinder:
    """Finds the edges of one program. Used by one call at a time. Calls may raise IndexFormatError."""

    def __init__(self, program: NamedProgram, resolvers: Resolvers) -> None:
        self._program = program
        self._resolvers = resolvers
        self.hierarchy = Hierarchy(program, resolvers)
        self.prototypes = Prototypes(program)
        self.dispatch = Dispatch(program, self.hierarchy)
        self._uses: LruCache[Declaration, list[tuple[str, int]]] = LruCache(CACHED_USES, len)
        self.sight = Sight(program)

    # What a symbol depends on

    def find_outgoing(self, source: Declaration, types: Types, bounds: Bounds | None = None) -> Edges:
        """Return the first window of `iter_outgoing`."""
        return next(self.iter_outgoing(source, types, bounds))

    def iter_outgoing(
        self, source: Declaration, types: Types, bounds: Bounds | None = None, *, dispatches: bool = False
    ) -> Iterator[Edges]:
        """Yield the edges of these types that begin at a symbol or inside it, in windows: at least one.

        No window repeats an edge of an earlier one. Each but the last has `is_followed` set; the last has
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
        is_cut = self.hierarchy.is_cut
        inside = mark_inside(record, source.ordinal)
        rows = np.flatnonzero(inside[record.ref_symbols]).tolist()
        below = Overrides(self.dispatch) if dispatches else None
        whole = SymbolKind(int(record.kinds[source.ordinal])) not in CALLABLE_KINDS
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
        role = ReferenceRole(int(record.ref_roles[row]))
        if role is ReferenceRole.BIND or not (role in _BASES or _TYPES[role] in types):
            return
        reference = record.get_reference(row)
        found = self._resolvers.resolve(path, record, row)
        targets = [target for target in found.targets if self._is_parsed(target.declaration)]
        for target in targets:
            other = target.declaration
            if own is not None and other.path == path and own[other.ordinal]:
                continue  # inside the symbol in question
            edge_type = self._name_edge(record, reference, target)
            if edge_type in types:
                gathered.add(edge_type, other, target.confidence, reference.line, source=found.source)
            if below is not None and self.dispatch.is_dispatched(record, row, other):
                for one in below.list_of(other):
                    gathered.add(edge_type, one.declaration, Confidence.POSSIBLE, reference.line, other)
        if not targets:
            edge_type = _TYPES.get(role) or _OUTSIDE[role]
            if found.external and edge_type in types:
                gathered.add_external(edge_type, found.external, reference.line)
            elif edge_type in types and (found.targets or found == NOTHING):
                gathered.add_unresolved(path, row, reference.line)

    def _is_parsed(self, declaration: Declaration) -> bool:
        """Return False for a file without a record, which has no node: no parser reads it, or it changed."""
        return bool(declaration.ordinal) or self._program.find_record(declaration.path) is not None

    def _name_edge(self, record: SymbolRecord, reference: Reference, target: Target) -> EdgeType:
        """Return the type of an edge; for a base it depends on the kinds of both ends."""
        if reference.role not in _BASES:
            return _TYPES[reference.role]
        other = self._program.find_record(target.declaration.path)
        kind = SymbolKind(int(other.kinds[target.declaration.ordinal])) if other is not None else None
        if kind in ABSTRACT_KINDS:
            own = SymbolKind(int(record.kinds[reference.symbol]))
            return EdgeType.EXTENDS if own in ABSTRACT_KINDS else EdgeType.IMPLEMENTS
        return EdgeType.EXTENDS if reference.role is ReferenceRole.EXTEND else EdgeType.INHERITS

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

        With `dispatches`, calls of the members that it overrides are included. All edges begin in `folder`.
        """
        record = self._program.find_record(target.path)
        gathered = GatheredEdges(folder)
        if record is None:
            yield gathered.take()
            return
        self._gather_unnamed(target, record, types, gathered)
        above = self.dispatch.list_above(target) if dispatches else frozenset()
        is_cut = self.hierarchy.is_cut
        most = bounds or Bounds(MAX_FILES, MAX_INCOMING)
        if types - _WITHOUT_NAMES:
            named = self._list_named(target, record)
            is_hot = bounds is None and self._are_hot(named, folder, most)
            window = _Window(FIRST.narrow(most) if is_hot else most, most)
            for one in named:
                search = _Search(self, one, record, types, gathered, above, outside=one != target)
                for _ in search.run(window, folder):
                    yield gathered.take(is_followed=True)
        yield gathered.take(cut=is_cut)

    def _gather_unnamed(
        self, target: Declaration, record: SymbolRecord, types: Types, gathered: GatheredEdges
    ) -> None:
        """Gather what leads to a symbol without naming it: what holds it, overrides it or has its shape."""
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
        for edge_type, one in found:
            other = self._program.find_record(one.declaration.path)
            line = int(other.starts[one.declaration.ordinal]) if other is not None else 0
            gathered.add(edge_type, one.declaration, one.confidence, line)

    def _list_named(self, target: Declaration, record: SymbolRecord) -> list[Declaration]:
        """Return what a reference to a symbol names: for a file that none names, also what it declares."""
        if target.ordinal or self._program.find_language(target.path) not in NAMELESS_FILES:
            return [target]
        return [*_list_nameable(target, record), target]

    def _are_hot(self, named: Iterable[Declaration], folder: str, most: Bounds) -> bool:
        """Return whether symbols have more uses than a window holds, so that the first ones are small."""
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
        for name in _iter_names(target, record) if record is not None else ():
            found.update(dict(self._program.list_uses(name)))
        seeing = set(self.sight.narrow(target, list(found)))
        return sorted(one for one in found.items() if one[0] in seeing and self.find_family(one[0]) == family)

    def iter_samples(
        self,
        target: Declaration,
        types: Types,
        groups: Iterable[Sequence[str]],
        most: int,
        *,
        dispatches: bool = False,
    ) -> Iterator[tuple[int, Edges]]:
        """Yield for each group of files the number of references by name that were resolved, and their edges.

        At most `most` references are resolved in each file."""
        record = self._program.find_record(target.path)
        assert record is not None, "only files that are parsed have symbols"
        above = self.dispatch.list_above(target) if dispatches else frozenset()
        gathered = GatheredEdges()
        search = _Search(self, target, record, types, gathered, above)
        for paths in groups:
            count = sum(search.sample(path, most) for path in paths)
            yield count, gathered.take()

    def _asks_satisfied(self, declaration: Declaration, types: Types) -> bool:
        """Return whether a search must also find types that satisfy an interface without naming it."""
        record = self._program.find_record(declaration.path)
        if EdgeType.IMPLEMENTS not in types or types == _NAMED or record is None:
            return False
        return SymbolKind(int(record.kinds[declaration.ordinal])) in _SATISFYING

    def resolve(self, path: str, record: SymbolRecord, row: int) -> Resolution:
        """Return the meaning of the reference in a row of the file's symbol record."""
        return self._resolvers.resolve(path, record, row)

    def resolve_module(self, path: str, record: SymbolRecord, row: int) -> Resolution:
        """Return the meaning of the module named by the import or export in a row."""
        return self._resolvers.resolve_module(path, record, row)

    def list_candidates(self, name: str, near: str, *, is_imported: bool) -> Sequence[str]:
        """Return the files that use a name, or import a file or module of that name; nearest first."""
        paths = self._program.list_using(name)
        if is_imported:
            paths = list(dict.fromkeys(merge(paths, self._program.list_importing(name))))
        ordered = order_by_nearness(paths, near)
        if name == _DEFAULT and len(ordered) > MAX_FILES:  # nearly every file has one, so importers go first
            importing = {path for one in _list_file_names(near) for path in self._program.list_importing(one)}
            ordered.sort(key=lambda path: path not in importing)
        return ordered

    def find_family(self, path: str) -> str:
        """Return the family of a file's language: the languages that can name each other's symbols."""
        return find_family(self._program.find_language(path))

    def find_record(self, path: str) -> SymbolRecord | None:
        """Return the symbol record of a file, or None."""
        return self._program.find_record(path)

    name_edge = _name_edge


class _Window:
    """Counts what one window has scanned. Each is twice as large as the one before it, up to `most`."""

    def __init__(self, first: Bounds, most: Bounds) -> None:
        self.bounds = first
        self.files = self.references = 0
        self._most = most

    def follow(self, files: int = 0) -> None:
        """Begin the next window, with this many files in it."""
        self.bounds = self.bounds.grow(self._most)
        self.files, self.references = files, 0


class _Search:
    """The search for the references to one symbol. With `outside`, those in its own file do not count."""

    def __init__(
        self,
        finder: EdgeFinder,
        target: Declaration,
        record: SymbolRecord,
        types: Types,
        gathered: GatheredEdges,
        above: frozenset[Declaration],
        *,
        outside: bool = False,
    ) -> None:
        self._finder = finder
        self._outside = outside
        self._above = above  # what the target overrides, if calls of that count
        self._target = target
        self._symbol = record.get_symbol(target.ordinal)
        self._types = types
        self._gathered = gathered
        self._meant = set(_iter_meant(target, record))
        self._meant.update(finder.prototypes.list_definitions(target))  # its name means the definition
        self._meant.update(finder.prototypes.list_twins(target))  # or that of the platform it is compiled for
        possible = finder.prototypes.list_possible_definitions(target)
        self._maybe_meant = {one for one in possible if not finder.sight.is_static(one)}
        self._names = list(_iter_names(target, record))
        self._is_constructor = self._symbol.kind is SymbolKind.CONSTRUCTOR
        self._is_imported = self._symbol.kind in (SymbolKind.FILE, SymbolKind.MODULE)
        self._family = finder.find_family(target.path)
        self._holders = set(_list_holders(target, record))
        self._is_member = SymbolKind(int(record.kinds[self._symbol.parent])) in _OWNERS

    def run(self, window: _Window, folder: str) -> Iterator[None]:
        """Gather the references in a folder; yield when the window is full and another candidate follows."""
        inside = f"{folder}/" if folder else ""
        for name in self._names:  # grows as aliases are found
            paths = self._finder.list_candidates(name, self._target.path, is_imported=self._is_imported)
            paths = self._finder.sight.narrow(self._target, paths)
            for path in (one for one in paths if one.startswith(inside) and self._can_name(one)):
                if window.files == window.bounds.files:
                    yield
                    window.follow()
                window.files += 1
                record = self._finder.find_record(path)
                if record is None:
                    continue
                for row in self._iter_candidates(record, name):
                    if window.references == window.bounds.references:
                        yield
                        window.follow(files=1)
                    window.references += 1
                    self._resolve(path, record, row)

    def sample(self, path: str, most: int) -> int:
        """Gather the first references in a file, at most `most`; return their number."""
        record = self._finder.find_record(path)
        rows = (
            []
            if record is None
            else [row for name in self._names for row in self._iter_candidates(record, name)]
        )
        for row in rows[:most]:
            assert record is not None
            self._resolve(path, record, row)
        return len(rows[:most])

    def _can_name(self, path: str) -> bool:
        """Return False for a file that does not count, or in a language that cannot name the target."""
        if self._outside and path == self._target.path:
            return False
        return self._finder.find_family(path) == self._family

    def _iter_candidates(self, record: SymbolRecord, name: str) -> Iterator[int]:
        """Yield the rows of a file that may be edges of the wanted types."""
        for row in self._iter_rows(record, name):
            role = ReferenceRole(int(record.ref_roles[row]))
            if role is ReferenceRole.BIND:
                continue
            imports = role in (ReferenceRole.IMPORT, ReferenceRole.EXPORT)
            if imports or role in _BASES or _TYPES[role] in self._types:
                yield row

    def _resolve(self, path: str, record: SymbolRecord, row: int) -> None:
        resolution = self._finder.resolve(path, record, row)
        found = self._find_meant(resolution, path, record, row)
        if found is not None:
            self._note(path, record, row, found, resolution.source)
        elif above := [one.declaration for one in resolution.targets if one.declaration in self._above]:
            if EdgeType.CALLS in self._types and self._finder.dispatch.is_dispatched(record, row, above[0]):
                source = Declaration(path, int(record.ref_symbols[row]))
                line = int(record.ref_lines[row])
                self._gathered.add(EdgeType.CALLS, source, Confidence.POSSIBLE, line, above[0])
        elif resolution == NOTHING and not self._outside and self._could_mean(record, row):
            self._gathered.add_unresolved(path, row, int(record.ref_lines[row]))

    def _find_meant(self, resolution: Resolution, path: str, record: SymbolRecord, row: int) -> Target | None:
        """Return the matching target when the reference in a row means it, or imports from it."""
        targets = resolution.targets
        if self._target.ordinal == 0:
            targets += self._finder.resolve_module(path, record, row).targets
        meant = [one for one in targets if one.declaration in self._meant]
        if meant:  # a type is known where it is not known which of its constructors is called
            return min(meant, key=lambda one: SURENESS[one.confidence])
        likely = [one for one in targets if one.declaration in self._maybe_meant]
        if not likely:
            return None
        # One of the definitions that the prototype may stand for, or all of them: one for each platform.
        are_all = len(likely) > 1 and len(likely) == len(targets)
        return likely[0] if are_all else Target(likely[0].declaration, Confidence.POSSIBLE)

    def _could_mean(self, record: SymbolRecord, row: int) -> bool:
        """Return False if the form of a reference rules the target out.

        Ruled out are a constructor used by its name, and a non-member on a receiver without the name of its
        module.
        """
        role = ReferenceRole(int(record.ref_roles[row]))
        if role in (ReferenceRole.IMPORT, ReferenceRole.EXPORT) or self._target.ordinal == 0:
            return False
        if (_TYPES.get(role) or _OUTSIDE[role]) not in self._types:
            return False
        name: str = record.strings[record.ref_names[row]]
        if self._is_constructor:
            return name != self._symbol.name
        qualifier: str = record.strings[record.ref_qualifiers[row]]
        return self._is_member or not qualifier or _LAST_NAME.split(qualifier)[-1] in self._holders

    def _iter_rows(self, record: SymbolRecord, name: str) -> Iterator[int]:
        """Yield the rows that refer to a name or to a local alias of it."""
        if self._is_imported:
            yield from _iter_importing(record, name)
            if self._target.ordinal == 0:
                return
        rows = record.find_references(name)
        yield from rows
        for alias in sorted(list_aliases(record, rows) - {name}):
            yield from record.find_references(alias)

    def _note(self, path: str, record: SymbolRecord, row: int, found: Target, told_by: str) -> None:
        reference = record.get_reference(row)
        alias = "" if reference.role is ReferenceRole.CALL else reference.alias
        if alias and alias not in self._names and not reference.symbol and len(self._names) <= MAX_ALIASES:
            self._names.append(alias)  # files that import it from there use this name
        if (
            self._is_constructor
            and reference.role is not ReferenceRole.CALL
            and found.declaration != self._target
        ):
            return  # names the type without constructing one
        edge_type = self._finder.name_edge(record, reference, found)
        if edge_type in self._types:
            source = Declaration(path, reference.symbol)
            self._gathered.add(edge_type, source, found.confidence, reference.line, source=told_by)


def _list_nameable(file: Declaration, record: SymbolRecord) -> list[Declaration]:
    """Return the declarations of a file that others may name, the outermost first: none inside functions."""
    levels: dict[int, int] = {0: 0}  # by ordinal; parents come before their children
    for ordinal in range(1, record.symbol_count):
        parent = int(record.parents[ordinal])
        if parent in levels and SymbolKind(int(record.kinds[parent])) not in CALLABLE_KINDS:
            levels[ordinal] = levels[parent] + 1
    named = [one for one in levels if one and SymbolKind(int(record.kinds[one])) is not SymbolKind.MODULE]
    return [Declaration(file.path, one) for one in sorted(named, key=lambda one: (levels[one], one))]


def _list_holders(target: Declaration, record: SymbolRecord) -> Iterator[str]:
    """Yield the names of the containers of a target that is not a member: file, folder, namespace."""
    yield from _list_file_names(target.path)
    yield target.path.rpartition("/")[0].rpartition("/")[2]
    yield record.strings[record.names[int(record.parents[target.ordinal])]]


def _iter_importing(record: SymbolRecord, name: str) -> Iterator[int]:
    """Yield the imports and exports of a name, or from a module whose name ends with it."""
    strings = record.strings
    ending = re.compile(rf"(?:.*\W)?{re.escape(name)}(?:\.\w+)?")
    for row in record.list_role(ReferenceRole.IMPORT, ReferenceRole.EXPORT):
        module = strings[record.ref_qualifiers[row]]
        if strings[record.ref_names[row]] == name or ending.fullmatch(module):
            yield row


def _iter_meant(target: Declaration, record: SymbolRecord) -> Iterator[Declaration]:
    """Yield the symbols that count as the target: also its constructors, or a sole constructor's type."""
    yield target
    kind = SymbolKind(int(record.kinds[target.ordinal]))
    if kind is SymbolKind.CONSTRUCTOR:
        parent = int(record.parents[target.ordinal])
        if len(_list_constructors(record, parent)) == 1:  # with several, the call's arguments decide
            yield Declaration(target.path, parent)
    elif kind in TYPE_KINDS:
        for ordinal in _list_constructors(record, target.ordinal):
            yield Declaration(target.path, ordinal)


def _list_constructors(record: SymbolRecord, ordinal: int) -> list[int]:
    kinds = record.kinds
    return [child for child in record.list_children(ordinal) if kinds[child] == SymbolKind.CONSTRUCTOR]


def _iter_names(target: Declaration, record: SymbolRecord) -> Iterator[str]:
    """Yield the names under which other files may refer to the target."""
    symbol = record.get_symbol(target.ordinal)
    if symbol.kind is SymbolKind.FILE:
        yield from _list_file_names(target.path)
        return
    yield symbol.name
    named = symbol
    if symbol.kind is SymbolKind.CONSTRUCTOR:
        named = record.get_symbol(symbol.parent)
        yield named.name
    if named.flags & SymbolFlag.DEFAULT_EXPORT:
        yield _DEFAULT


def _list_file_names(path: str) -> list[str]:
    """Return the possible last parts of a module name that means this file."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return [stem, folder.rpartition("/")[2]] if stem in _STANDING_FOR_FOLDERS else [stem]
