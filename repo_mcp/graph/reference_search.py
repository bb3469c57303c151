"""The search for the references to one symbol, by its names, in windows.

The files that use a name are scanned, nearest to the symbol first, or before that those of the program, and
each reference of that name is resolved. An alias under which a file imports the symbol is one more name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from repo_mcp.graph.edges import Bounds, GatheredEdges
from repo_mcp.graph.importers import (
    GIVEN_ON,
    MAX_GIVING,
    is_named_by_importers,
    iter_importing,
    iter_named_default,
    list_file_names,
    list_unnamed,
)
from repo_mcp.graph.program import NOTHING, SURENESS, Confidence, Declaration, Resolution, Target
from repo_mcp.graph.references import References
from repo_mcp.graph.visibility.swift import adds_members
from repo_mcp.graph.vocabulary import BASES, IMPLEMENTATIONS, ROLE_EDGES, EdgeType
from repo_mcp.symbols.symbol_record import (
    TYPE_KINDS,
    Reference,
    ReferenceRole,
    SymbolKind,
    SymbolRecord,
    get_role,
    list_aliases,
)
from repo_mcp.text.roles import order_by_role

MAX_ALIASES = 8  # other names under which a symbol is imported

Types = frozenset[EdgeType]

_IMPLEMENTING = frozenset(IMPLEMENTATIONS)
_EXPORTING = "javascript"  # the family of languages whose files say what can be imported from them
_WITHOUT_BASES = ".c"  # the ending of files of C that are no headers
_LAST_NAME = re.compile(r"\.|::|->")  # between the names of a qualifier
# kinds of symbols that have members: in C a macro may declare fields
_OWNERS = TYPE_KINDS | {SymbolKind.MACRO}


class Window:
    """Counts what one window has scanned. Each is twice as large as the one before it, up to `most`."""

    def __init__(self, first: Bounds, most: Bounds) -> None:
        self.bounds = first
        self.files = self.references = 0
        self._most = most

    def follow(self, files: int = 0) -> None:
        """Begin the next window, with this many files in it."""
        self.bounds = self.bounds.grow(self._most)
        self.files, self.references = files, 0


class ReferenceSearch:
    """The search for the references to one symbol.

    References in the files `apart` do not count. If there are such files, the symbol stands for its own file,
    and unresolved references are left out.
    """

    def __init__(
        self,
        references: References,
        target: Declaration,
        record: SymbolRecord,
        types: Types,
        gathered: GatheredEdges,
        above: frozenset[Declaration],
        apart: frozenset[str] = frozenset(),
        below: Mapping[Declaration, Declaration] = MappingProxyType({}),
        *,
        by_role: bool = False,
    ) -> None:
        """With `by_role`, files of the program are scanned before its tests and the like."""
        self._references = references
        self._by_role = by_role
        self._apart = apart
        self._above = above  # members that the target overrides, if calls of them count
        self._below = below  # declarations of overrides of the target, each with the one that stands for it
        self._target = target
        self._symbol = record.get_symbol(target.ordinal)
        self._types = types
        self._gathered = gathered
        self._meant = set(_iter_meant(target, record))
        # A use of the name means the definition, or a twin or a variant of it for another platform.
        self._meant.update(references.prototypes.list_definitions(target))
        self._meant.update(references.prototypes.list_twins(target))
        self._meant.update(filter(None, [references.bodies.find(target)]))
        self._meant.update(references.prototypes.list_variants(target))
        self._meant.update(references.list_parts(target, record))
        self._meant.update(references.hierarchy.list_names(target))
        possible = references.prototypes.list_possible_definitions(target)
        self._maybe_meant = {one for one in possible if not references.c_visibility.is_static(one)}
        self._names = references.list_names(target, record)
        self._modules = [target.path] if is_named_by_importers(record, target.ordinal) else []
        self._is_constructor = self._symbol.kind is SymbolKind.CONSTRUCTOR
        self._is_imported = self._symbol.kind in (SymbolKind.FILE, SymbolKind.MODULE)
        self._opened: set[str] = set()  # a file may be a candidate by several names
        self._family = references.find_family(target.path)
        self._holders = set(_list_holders(target, record))
        self._is_member = record.get_kind(self._symbol.parent) in _OWNERS

    def run(self, window: Window, folder: str) -> Iterator[None]:
        """Gather the references in a folder; yield when the window is full and another candidate follows."""
        inside = f"{folder}/" if folder else ""
        for name, module in self._iter_searched():
            paths = self._list_candidates(name, module)
            narrowed = self._references.narrow(self._target, paths)
            ordered = order_by_role(narrowed) if self._by_role else narrowed
            for path in (one for one in ordered if one.startswith(inside) and self._can_name(one)):
                if path not in self._opened and window.files == window.bounds.files:
                    yield
                    window.follow()
                window.files += path not in self._opened
                self._opened.add(path)
                record = self._references.find_record(path)
                if record is None:
                    continue
                for row in self._iter_candidates(path, record, name, module):
                    if window.references == window.bounds.references:
                        yield
                        window.follow(files=1)
                    window.references += 1
                    self._resolve(path, record, row)

    def _iter_searched(self) -> Iterator[tuple[str, str]]:
        """Yield the names to search for, then those of modules, each with the path of its file.

        Aliases, and modules that give the target on, are added while they are found.
        """
        names = modules = 0
        while names < len(self._names) or modules < len(self._modules):
            if names < len(self._names):
                yield self._names[names], ""
                names += 1
            else:
                path = self._modules[modules]
                yield from ((name, path) for name in self._references.importers.list_names(path))
                modules += 1

    def _list_candidates(self, name: str, module: str) -> Sequence[str]:
        path = self._target.path
        if module or self._references.is_script(self._target):
            return self._references.importers.list_paths(name, module or path)
        return self._references.list_candidates(name, path, is_imported=self._is_imported)

    def sample(self, path: str, most: int) -> int:
        """Gather the first references in a file, at most `most`; return their number."""
        record = self._references.find_record(path)
        rows = (
            []
            if record is None
            else [
                row
                for name, module in self._iter_searched()
                for row in self._iter_candidates(path, record, name, module)
            ]
        )
        for row in rows[:most]:
            assert record is not None
            self._resolve(path, record, row)
        return len(rows[:most])

    def _can_name(self, path: str) -> bool:
        """Return False for a file that does not count, or whose language cannot name the target so.

        In C no type has a base; what looks like C in a header may be C++.
        """
        if self._types <= _IMPLEMENTING and path.endswith(_WITHOUT_BASES):
            return False
        return path not in self._apart and self._references.find_family(path) == self._family

    def _iter_candidates(self, path: str, record: SymbolRecord, name: str, module: str) -> Iterator[int]:
        """Yield the rows of a file that may be edges of the wanted types."""
        rows = self._iter_bound(path, record, name) if module else self._iter_rows(record, name)
        for row in rows:
            role = get_role(record, row)
            if role is ReferenceRole.BIND:
                continue
            imports = role in (ReferenceRole.IMPORT, ReferenceRole.EXPORT)
            if imports or role in BASES or ROLE_EDGES[role] in self._types:
                yield row

    def _resolve(self, path: str, record: SymbolRecord, row: int) -> None:
        resolution = self._references.resolve(path, record, row)
        found = self._find_meant(resolution, path, record, row)
        if found is not None:
            self._note(path, record, row, found, resolution.source)
        elif above := [one.declaration for one in resolution.targets if one.declaration in self._above]:
            if EdgeType.CALLS in self._types and self._references.dispatch.is_dispatched(
                record, row, above[0]
            ):
                source = Declaration(path, int(record.ref_symbols[row]))
                line = int(record.ref_lines[row])
                self._gathered.add(EdgeType.CALLS, source, Confidence.POSSIBLE, line, above[0])
        elif resolution == NOTHING and not self._apart and self._could_mean(record, row):
            self._gathered.add_unresolved(path, row, int(record.ref_lines[row]))
        elif self._below and int(record.ref_roles[row]) == ReferenceRole.CALL:
            self._note_below(resolution, path, int(record.ref_lines[row]))

    def _note_below(self, resolution: Resolution, path: str, line: int) -> None:
        """Note the override of the target that a call is sure to name."""
        for one in resolution.targets:
            if one.confidence is not Confidence.POSSIBLE and one.declaration in self._below:
                self._gathered.add_below(self._below[one.declaration], path, line)
                return

    def _find_meant(self, resolution: Resolution, path: str, record: SymbolRecord, row: int) -> Target | None:
        """Return the matching target if the reference in a row means it, or imports from it."""
        targets = resolution.targets
        if self._target.ordinal == 0:
            targets += self._references.resolve_module(path, record, row).targets
        meant = [one for one in targets if one.declaration in self._meant]
        if meant:  # the type may be certain although it is unknown which of its constructors is called
            return min(meant, key=lambda one: SURENESS[one.confidence])
        likely = [one for one in targets if one.declaration in self._maybe_meant]
        if not likely:
            return None
        # If a prototype may stand for all targets, these are its definitions, one for each platform.
        are_all = len(likely) > 1 and len(likely) == len(targets)
        return likely[0] if are_all else Target(likely[0].declaration, Confidence.POSSIBLE)

    def _could_mean(self, record: SymbolRecord, row: int) -> bool:
        """Return False if the form of a reference rules out the target.

        No constructor is meant by its own name, and a symbol that is no member is meant after a receiver only
        if that has the name of its module.
        """
        role = get_role(record, row)
        if role in (ReferenceRole.IMPORT, ReferenceRole.EXPORT) or self._target.ordinal == 0:
            return False
        if ROLE_EDGES[role] not in self._types:
            return False
        if not self._references.could_mean(self._target, record, row):
            return False
        name: str = record.strings[record.ref_names[row]]
        if self._is_constructor:
            return name != self._symbol.name
        qualifier: str = record.strings[record.ref_qualifiers[row]]
        if qualifier and name not in self._names:
            return False  # a local name of the symbol is used without a receiver
        return self._is_member or not qualifier or _LAST_NAME.split(qualifier)[-1] in self._holders

    def _iter_rows(self, record: SymbolRecord, name: str) -> Iterator[int]:
        """Yield the rows that refer to a name or to a local alias of it."""
        if self._is_imported:
            yield from iter_importing(record, name)
            if self._target.ordinal == 0:
                return
        rows = record.find_references(name)
        yield from rows
        for alias in sorted(list_aliases(record, rows) - {name}):
            yield from record.find_references(alias)

    def _iter_bound(self, path: str, record: SymbolRecord, module: str) -> Iterator[int]:
        """Yield the rows that import the whole of a module, and those that refer to it by another name."""
        rows = list_unnamed(record, module)
        yield from rows
        aliases = list_aliases(record, rows)
        if not aliases.isdisjoint(GIVEN_ON):
            self._add_module(path)  # `module.exports = require("./store")`
        for alias in sorted(aliases - {*GIVEN_ON, *self._names}):
            yield from record.find_references(alias)
        yield from iter_named_default(record) if rows else ()

    def _add_module(self, path: str) -> None:
        """Note a file that gives the target on as its default or its whole, so that its importers have it."""
        if path not in self._modules and len(self._modules) <= MAX_GIVING:
            self._modules.append(path)

    def _note_alias(self, path: str, reference: Reference) -> None:
        """Note under which name, or from which file, further files import the target."""
        alias = "" if reference.role is ReferenceRole.CALL else reference.alias
        if alias in GIVEN_ON and reference.role is ReferenceRole.EXPORT:
            self._add_module(path)
            return
        if reference.symbol or (reference.role is not ReferenceRole.EXPORT and self._family == _EXPORTING):
            return
        if alias and alias not in self._names and len(self._names) <= MAX_ALIASES:
            self._names.append(alias)  # files that import the symbol from there use this name

    def _note(self, path: str, record: SymbolRecord, row: int, found: Target, decided_by: str) -> None:
        reference = record.get_reference(row)
        self._note_alias(path, reference)
        if (
            self._is_constructor
            and reference.role is not ReferenceRole.CALL
            and found.declaration != self._target
        ):
            return  # this names the type and constructs nothing
        edge_type = self._references.name_edge(path, record, reference, found)
        if edge_type is None or edge_type not in self._types:
            return
        if self._types == _IMPLEMENTING and adds_members(self._family, record, reference):
            return
        source = Declaration(path, reference.symbol)
        marked = self._references.hierarchy.list_marked(source) if reference.role in BASES else []
        for one, line in marked:
            self._gathered.add(edge_type, one.declaration, one.confidence, line)
        if not marked:
            self._gathered.add(edge_type, source, found.confidence, reference.line, source=decided_by)


def _list_holders(target: Declaration, record: SymbolRecord) -> Iterator[str]:
    """Yield the names of what contains a target that is no member: its file, folder and namespace."""
    yield from list_file_names(target.path)
    yield target.path.rpartition("/")[0].rpartition("/")[2]
    yield record.get_name(record.get_parent(target.ordinal))


def _iter_meant(target: Declaration, record: SymbolRecord) -> Iterator[Declaration]:
    """Yield the symbols that count as the target: it, its constructors, or the type of a sole constructor."""
    yield target
    kind = record.get_kind(target.ordinal)
    if kind is SymbolKind.CONSTRUCTOR:
        parent = record.get_parent(target.ordinal)
        if len(_list_constructors(record, parent)) == 1:  # of several, the arguments of the call decide
            yield Declaration(target.path, parent)
    elif kind in TYPE_KINDS:
        for ordinal in _list_constructors(record, target.ordinal):
            yield Declaration(target.path, ordinal)


def _list_constructors(record: SymbolRecord, ordinal: int) -> list[int]:
    children = record.list_children(ordinal)
    return [child for child in children if record.get_kind(child) is SymbolKind.CONSTRUCTOR]
