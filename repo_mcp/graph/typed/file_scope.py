"""One parsed file as the resolvers of typed languages see it: scopes, members, typed variables, imports.

Everything is looked up by names that the symbol record already numbers. The only tables built for a whole
file are those of typed variables and of imports, each on its first use.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from repo_mcp.languages.treesitter.type_names import TypeName, read_type
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import AS_FIELDS, BEHIND_ALIAS, BLOCK, UNBOUND, UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import (
    ACCESS_SHIFT,
    KIND_BY_VALUE,
    TYPE_KINDS,
    Access,
    Binding,
    DeclaredSymbol,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    get_role,
    list_references,
    map_binds,
)

MANY_SYMBOLS = 500  # of one file
MAX_PARENTS = 400  # the parsers nest no deeper
_OWNERS = TYPE_KINDS | {SymbolKind.MACRO}
_WITH_TESTS = frozenset({"c", "cpp"})  # a header of C++ may have the name of a C header
_BASE_ROLES = (ReferenceRole.INHERIT, ReferenceRole.IMPLEMENT, ReferenceRole.EXTEND)


def is_fixture_test(record: SymbolRecord, ordinal: int) -> bool:
    """Return whether a member is a test of C++: it has its macro as its result, and no parameters."""
    if record.get_kind(ordinal) is not SymbolKind.METHOD or record.strings[record.parameters[ordinal]]:
        return False
    macro: str = record.strings[record.types[ordinal]]
    return macro.isupper()


class SymbolScopes:
    """The symbols of a file, addressed by ordinal."""

    def __init__(self, path: str, language: str, record: SymbolRecord) -> None:
        self.path = path
        self.language = language
        self.record = record
        self.folder = path.rpartition("/")[0]
        # Each call compares all overloads of its name: where a file has thousands, they are decoded once.
        self._symbols: dict[int, DeclaredSymbol] | None = {} if record.symbol_count > MANY_SYMBOLS else None
        self._parents: list[int] = record.parents.tolist()
        self._kinds: list[int] = record.kinds.tolist()

    def get_kind(self, ordinal: int) -> SymbolKind:
        """Return the kind of a symbol."""
        return KIND_BY_VALUE[self._kinds[ordinal]]

    def get_parent(self, ordinal: int) -> int:
        """Return the ordinal of the enclosing symbol."""
        return self._parents[ordinal]

    def get_symbol(self, ordinal: int) -> DeclaredSymbol:
        """Return the symbol with an ordinal."""
        if self._symbols is None:
            return self.record.get_symbol(ordinal)
        found = self._symbols.get(ordinal)
        if found is None:
            found = self._symbols[ordinal] = self.record.get_symbol(ordinal)
        return found

    def get_name(self, ordinal: int) -> str:
        """Return the name of a symbol."""
        return self.record.get_name(ordinal)

    def find_named(self, name: str) -> list[int]:
        """Return the symbols with a name that code can use."""
        return self._drop_tests(self.record.find_symbols(name))

    def find_children(self, ordinal: int, name: str) -> list[int]:
        """Return the symbols with a name that code can use directly inside another."""
        return self._drop_tests(self.record.find_children(ordinal, name))

    def _drop_tests(self, ordinals: list[int]) -> list[int]:
        """Return symbols without the tests that macros of C++ make members of their fixtures."""
        if self.language not in _WITH_TESTS:
            return ordinals
        return [one for one in ordinals if not is_fixture_test(self.record, one)]

    def iter_around(self, ordinal: int) -> Iterator[int]:
        """Yield a symbol and those around it, the file last."""
        for _ in range(MAX_PARENTS):
            yield ordinal
            if not ordinal:
                return
            ordinal = self._parents[ordinal]

    def find_type_around(self, ordinal: int) -> int | None:
        """Return the innermost type that a symbol is or is in, or None."""
        return next((one for one in self.iter_around(ordinal) if self.get_kind(one) in TYPE_KINDS), None)

    def is_member(self, ordinal: int) -> bool:
        """Return whether a symbol is directly inside a type, or in a macro that declares fields."""
        return self.get_kind(self._parents[ordinal]) in _OWNERS

    def get_qualified_names(self, ordinal: int) -> tuple[str, ...]:
        """Return the names of a symbol and those around it, outermost first, without the file."""
        names = [self.get_name(one) for one in self.iter_around(ordinal) if one]
        return tuple(reversed(names))

    def is_forward(self, ordinal: int) -> bool:
        """Return whether a symbol is only a forward declaration."""
        return bool(int(self.record.flags[ordinal]) & SymbolFlag.FORWARD)

    def is_static(self, ordinal: int) -> bool:
        """Return whether a symbol is declared static."""
        return bool(int(self.record.flags[ordinal]) & SymbolFlag.STATIC)


class FileScope(SymbolScopes):
    """A file's symbols together with its references."""

    def count_parameters(self, ordinal: int) -> int:
        """Return the number of parameters of a symbol."""
        return int(self.record.parameter_counts[ordinal])

    @cached_property
    def imports(self) -> list[Reference]:
        """Return every import of the file."""
        return list_references(self.record, ReferenceRole.IMPORT)

    @cached_property
    def _imports_by_alias(self) -> dict[str, list[Reference]]:
        found: dict[str, list[Reference]] = {}
        for row in self.imports:
            if row.alias:
                found.setdefault(row.alias, []).append(row)
        return found

    def find_imports(self, alias: str) -> list[Reference]:
        """Return the imports that bind a name."""
        return self._imports_by_alias.get(alias, [])

    @cached_property
    def wildcard_imports(self) -> list[Reference]:
        """Return the wildcard imports."""
        return [row for row in self.imports if row.name == "*"]

    @cached_property
    def exports(self) -> list[Reference]:
        """Return the names that the file re-exports to its importers."""
        return list_references(self.record, ReferenceRole.EXPORT)

    @cached_property
    def _bindings(self) -> dict[tuple[int, str], list[Reference]]:
        return map_binds(self.record)

    def find_binding(self, ordinal: int, line: int, name: str) -> Reference | None:
        """Return the last row up to a line that types a variable, in the nearest scope with such a row."""
        for around in self.iter_around(ordinal):
            rows = self._bindings.get((around, name), ())
            above = bisect_right(rows, line, key=_get_line)
            if above and rows[above - 1].name != UNBOUND:
                return rows[above - 1]
        return None

    @cached_property
    def blocks(self) -> dict[int, tuple[int, int]]:
        """Map each symbol in a body whose head is a macro to the first and the last line that see it."""
        if BLOCK not in self.record.strings:
            return {}
        rows = (one for (_, alias), found in self._bindings.items() if alias == BLOCK for one in found)
        return {one.symbol: (one.line, one.arguments) for one in rows}

    def list_bindings(self, ordinal: int, name: str) -> list[Reference]:
        """Return the rows that type a variable of a symbol, or that give the bounds of its type parameter."""
        return self._bindings.get((ordinal, name), [])

    def has_type(self, ordinal: int) -> bool:
        """Return whether a type is written in the declaration of a symbol."""
        return bool(self.record.strings[int(self.record.types[ordinal])])

    @cached_property
    def _extended(self) -> dict[int, Reference]:
        found: dict[int, Reference] = {}
        for reference in list_references(self.record, ReferenceRole.EXTEND):
            if self.get_name(reference.symbol) == reference.name:
                found.setdefault(reference.symbol, reference)
        return found

    def find_extended(self, ordinal: int) -> Reference | None:
        """Return the row that names the type that an extension extends; None for other symbols."""
        return self._extended.get(ordinal) if self.get_kind(ordinal) is SymbolKind.EXTENSION else None

    def list_bases(self, ordinal: int) -> list[Reference]:
        """Return the rows that name bases of a type."""
        record = self.record
        found = [record.get_reference(row) for row in record.list_own_role(ordinal, *_BASE_ROLES)]
        extended = self.find_extended(ordinal)
        return [one for one in found if one != extended]

    @cached_property
    def _macro_fields(self) -> dict[int, list[str]]:
        record = self.record
        found: dict[int, list[str]] = {}
        for row in np.flatnonzero(record.ref_arguments == AS_FIELDS).tolist():
            if get_role(record, row) is ReferenceRole.USE:
                name = record.strings[int(record.ref_names[row])]
                found.setdefault(int(record.ref_symbols[row]), []).append(name)
        return found

    def list_macro_fields(self, ordinal: int) -> list[str]:
        """Return the names of the macros that declare fields of a type of C, or of another such macro."""
        return self._macro_fields.get(ordinal, [])


def _get_line(reference: Reference) -> int:
    return reference.line


def get_access(scope: SymbolScopes, ordinal: int) -> Access:
    """Return the access level of a symbol."""
    return Access(int(scope.record.flags[ordinal]) >> ACCESS_SHIFT)


def is_public(scope: SymbolScopes, ordinal: int) -> bool:
    """Return whether a symbol is declared public."""
    return get_access(scope, ordinal) is Access.PUBLIC


def read_type_names(scope: FileScope, ordinal: int) -> tuple[str, ...]:
    """Return the parts of the dotted type name in a declaration; empty when it shows none."""
    found = read_type(scope.record.strings[int(scope.record.types[ordinal])])
    return found.names if found.name else ()


def is_list(scope: FileScope, ordinal: int) -> bool:
    """Return whether the written type of a declaration is a list, which lacks the members of its items."""
    return read_type(scope.record.strings[int(scope.record.types[ordinal])]).is_items


def split_name(reference: Reference) -> tuple[str, ...]:
    """Return the parts of a reference's dotted name, as written."""
    return (*reference.qualifier.split("."), reference.name) if reference.qualifier else (reference.name,)


def split_marks(reference: Reference) -> tuple[Reference, str]:
    """Return a call without the marks of its literal arguments, which follow its alias, and the marks."""
    alias, behind, marks = reference.alias.partition(BEHIND_ALIAS)
    return (replace(reference, alias=alias), marks) if behind else (reference, "")


def find_lookup_ordinal(scope: FileScope, reference: Reference) -> int:
    """Return the symbol in which a name is looked up: outside the type for its bases, else its own symbol."""
    is_header = reference.role in {ReferenceRole.INHERIT, ReferenceRole.IMPLEMENT, ReferenceRole.EXTEND}
    return scope.get_parent(reference.symbol) if is_header and reference.symbol else reference.symbol


def is_blanket_impl(scope: FileScope, ordinal: int) -> bool:
    """Return whether a symbol is a blanket implementation, for every type: in Rust, `impl<T> Shape for T`."""
    return scope.get_kind(ordinal) is SymbolKind.EXTENSION and scope.find_extended(ordinal) is None


def has_trait(scope: FileScope, ordinal: int) -> bool:
    """Return whether an `impl` implements a trait."""
    return any(one.role is ReferenceRole.IMPLEMENT for one in scope.list_bases(ordinal))


def list_parameter_bounds(scope: FileScope, ordinal: int, named: TypeName) -> list[Reference]:
    """Return the rows of bounds if a type written at a symbol is a type parameter; else none."""
    if named.qualifier:
        return []
    for around in scope.iter_around(ordinal):
        rows = [one for one in scope.list_bindings(around, named.name) if one.arguments == Binding.BOUND]
        if rows:
            return rows
    return []


def list_type_parameters(scope: FileScope, ordinal: int) -> list[str]:
    """Return the names of the type parameters of a symbol, in order."""
    rows = map(scope.record.get_reference, scope.record.list_own_role(ordinal, ReferenceRole.BIND))
    return [*dict.fromkeys(one.alias for one in rows if one.arguments == Binding.BOUND)]


def is_unbounded_parameter(scope: FileScope, ordinal: int, name: str) -> bool:
    """Return whether a name at a symbol is that of a type parameter without bounds."""
    rows = (row for one in scope.iter_around(ordinal) for row in scope.list_bindings(one, name))
    return any(row.arguments == Binding.BOUND and row.name == UNKNOWN_TYPE for row in rows)
