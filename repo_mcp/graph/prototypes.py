"""Symbols that are declared in one place and defined in another: prototypes, stubs and signatures.

A prototype in a header and its definition in a source file are two symbols of the same name. They belong
together if they have the same name inside types of the same names and, in C and C++, the same number of
parameters. If several definitions match, only those count whose files include the prototype, and of these
only the one whose file has the same base name. If none has it, or if one is beside the prototype, each of
them defines the function for a platform or a configuration: they are twins, and the prototype stands for all
of them.

In Go, the variants of a symbol, of which each build has one, belong together without a prototype.

Left out on purpose: the linker's choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from repo_mcp.graph.c.includes import IncludeGraph
from repo_mcp.graph.go.builds import Builds
from repo_mcp.graph.program import Declaration, Program, order_by_nearness
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    iter_around,
)

MAX_FILES = 60  # declaring files examined for one name
CACHED_DEFINITIONS = 4_000  # of forward declarations: those of one name ask for each other's
CACHED_DECLARED = 4_000  # names in files, of which each symbol of a name asks for 60; 1.5 MB
WITH_HEADERS = frozenset({"c", "cpp"})

# In C and C++ a field, a type or a constant of an `enum` has no prototype.
_DECLARED_APART = CALLABLE_KINDS | {SymbolKind.VARIABLE, SymbolKind.CONSTANT}
# A namespace, and what stands for it where a function of it is defined outside it.
_NAMESPACES = frozenset({SymbolKind.MODULE, SymbolKind.EXTENSION})


class Prototypes:
    """Joins the prototypes and the definitions of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._possible: LruCache[Declaration, list[Declaration]] = LruCache(
            CACHED_DEFINITIONS, lambda found: len(found) + 1
        )
        self._declared: LruCache[tuple[str, str], tuple[Sequence[int], Sequence[int]]] = LruCache(
            CACHED_DECLARED
        )

    def list_definitions(self, declaration: Declaration) -> list[Declaration]:
        """Return the definition of a prototype; empty for a definition, or if several match."""
        alike = self.list_possible_definitions(declaration)
        if len(alike) > 1:
            alike = self._list_including(declaration) or alike
        if len(alike) > 1 and any(one.path == declaration.path for one in alike):
            return []  # a stub beside it stands for the others where a feature is left out
        if len(alike) > 1:
            stem = _stem(declaration.path)
            alike = [one for one in alike if _stem(one.path) == stem]
        return alike if len(alike) == 1 else []

    def list_possible_definitions(self, declaration: Declaration) -> list[Declaration]:
        """Return all definitions that match a prototype, such as one for each platform."""
        return self._possible.get(declaration, lambda: self._find_possible(declaration))

    def _find_possible(self, declaration: Declaration) -> list[Declaration]:
        record = self._program.find_record(declaration.path)
        if record is None or not _is_forward(record, declaration.ordinal):
            return []
        return self._list_alike(declaration, record, forward=False)

    def list_others(self, declaration: Declaration) -> list[Declaration]:
        """Return a symbol's other declarations: prototypes and variants.

        Those of a prototype are its definition or twins.
        """
        record = self._program.find_record(declaration.path)
        if record is None:
            return []
        variants = self.list_variants(declaration)
        if len(variants) > 1:
            return [one for one in variants if one != declaration]
        if not _is_forward(record, declaration.ordinal):
            return self._list_prototypes(declaration, record)
        definitions = self.list_definitions(declaration)
        if not definitions:
            return self.list_twins(declaration)
        others = [one for definition in definitions for one in self.list_others(definition)]
        return [*definitions, *(one for one in others if one != declaration)]

    def list_variants(self, declaration: Declaration) -> tuple[Declaration, ...]:
        """Return the variants of a symbol, that of a plain build first; itself if it has no other."""
        return Builds.find(self._program).list_variants(declaration)

    def read_constraints(self, declaration: Declaration) -> dict[Declaration, str]:
        """Return the variants of a symbol, each with the builds that have it; empty if it has no other."""
        variants, read = self.list_variants(declaration), Builds.find(self._program).read_constraint
        return {one: read(one.path) for one in variants} if len(variants) > 1 else {}

    def list_twins(self, declaration: Declaration) -> list[Declaration]:
        """Return the definitions of a prototype that has one for each of several platforms, else nothing."""
        record = self._program.find_record(declaration.path)
        if record is None or self.list_definitions(declaration):
            return []
        found = self._list_including(declaration)
        if len(found) < 2 or len({one.path for one in found}) < len(found):  # overloads
            return []
        return [] if self._has_namesake(declaration, record) else found

    def _list_including(self, prototype: Declaration) -> list[Declaration]:
        """Return the definitions in a prototype's file and in those that include it, by path."""
        includes = IncludeGraph.find(self._program)
        found = [
            one
            for one in self.list_possible_definitions(prototype)
            if one.path == prototype.path or includes.is_included(one.path, prototype.path)
        ]
        linked = [one for one in found if one.path == prototype.path or not self._is_static(one)]
        return sorted(linked, key=lambda one: (one.path, one.ordinal))

    def _is_static(self, declaration: Declaration) -> bool:
        record = self._program.find_record(declaration.path)
        return record is not None and bool(int(record.flags[declaration.ordinal]) & SymbolFlag.STATIC)

    def _has_namesake(self, prototype: Declaration, record: SymbolRecord) -> bool:
        """Return whether another prototype of the file matches the same definitions."""
        first = prototype.ordinal
        others = (one for one in record.find_symbols(record.get_name(first)) if one != first)
        prototypes = (one for one in others if _is_forward(record, one))
        return any(_are_alike(record, first, record, one, by_count=True) for one in prototypes)

    def _list_prototypes(self, definition: Declaration, record: SymbolRecord) -> list[Declaration]:
        alike = self._list_alike(definition, record, forward=True)
        return [one for one in alike if self.list_definitions(one) == [definition]]

    def _list_alike(
        self, declaration: Declaration, record: SymbolRecord, *, forward: bool
    ) -> list[Declaration]:
        """Return the symbols that match one in its file and, in languages with headers, in others."""
        by_count = self._program.find_language(declaration.path) in WITH_HEADERS
        if by_count and record.get_kind(declaration.ordinal) not in _DECLARED_APART:
            return []
        name = record.get_name(declaration.ordinal)
        found = []
        for path in self._list_files(declaration.path, name, forward=forward):
            for ordinal in self._list_declared(path, name, forward=forward):
                other = self._program.find_record(path)
                if other is None:
                    continue
                is_here = path == declaration.path
                if _are_of_two_types(record, declaration.ordinal, other, ordinal, is_here=is_here):
                    continue
                if _are_alike(record, declaration.ordinal, other, ordinal, by_count=by_count):
                    found.append(Declaration(path, ordinal))
        return found

    def _list_declared(self, path: str, name: str, *, forward: bool) -> Sequence[int]:
        """Return the symbols of a name in a file: its forward declarations, or the others."""
        whole, forwards = self._declared.get((path, name), lambda: self._find_declared(path, name))
        return forwards if forward else whole

    def _find_declared(self, path: str, name: str) -> tuple[Sequence[int], Sequence[int]]:
        record = self._program.find_record(path)
        found = [] if record is None else record.find_symbols(name)
        forwards = [one for one in found if record is not None and _is_forward(record, one)]
        return tuple(one for one in found if one not in forwards), tuple(forwards)

    def _list_files(self, path: str, name: str, *, forward: bool) -> Sequence[str]:
        """Return the files that declare a name, or the nearest ones if they are many."""
        if self._program.find_language(path) not in WITH_HEADERS:
            return (path,)
        near = self._program.list_declaring(name)
        if len(near) > MAX_FILES:
            near = order_by_nearness(near, path)[:MAX_FILES]
        having = [one for one in near if self._list_declared(one, name, forward=forward)]
        found = [one for one in having if self._program.find_language(one) in WITH_HEADERS]
        return found if len(found) < 2 else order_by_nearness(sorted(found), path)


def _is_forward(record: SymbolRecord, ordinal: int) -> bool:
    return bool(int(record.flags[ordinal]) & SymbolFlag.FORWARD)


def _are_of_two_types(
    one: SymbolRecord, first: int, two: SymbolRecord, second: int, *, is_here: bool
) -> bool:
    """Return whether the symbols are members of different types."""
    parents = one.get_parent(first), two.get_parent(second)
    kinds = one.get_kind(parents[0]), two.get_kind(parents[1])
    is_same = is_here and parents[0] == parents[1]
    return not is_same and SymbolKind.EXTENSION not in kinds and TYPE_KINDS.issuperset(kinds)


def _are_alike(one: SymbolRecord, first: int, two: SymbolRecord, second: int, *, by_count: bool) -> bool:
    kinds = one.get_kind(first), two.get_kind(second)
    if kinds[0] != kinds[1] and not (CALLABLE_KINDS - {SymbolKind.MACRO}).issuperset(kinds):
        return False  # a macro hides a prototype and does not define it
    if by_count and one.parameter_counts[first] != two.parameter_counts[second]:
        return False
    parents = (one, one.get_parent(first)), (two, two.get_parent(second))
    if {record.get_kind(parent) for record, parent in parents} == _NAMESPACES:  # `int store::size() {}`
        return len({record.get_name(parent) for record, parent in parents}) == 1
    owners, others = _name_owners(one, first), _name_owners(two, second)
    # an extension may lack the outer types of its own
    are_same = all(own == other for own, other in zip(owners, others, strict=False))
    return bool(owners) == bool(others) and are_same


def _name_owners(record: SymbolRecord, ordinal: int) -> list[str]:
    """Return the names of the types around a symbol, innermost first."""
    around = iter_around(record, record.get_parent(ordinal))
    return [record.get_name(one) for one in takewhile(lambda one: record.get_kind(one) in TYPE_KINDS, around)]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
