"""One Python file as the resolver sees it: the bindings, imports, bases and written types of its scopes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from repo_mcp.graph.python.overloads import choose_overloads
from repo_mcp.languages.python.types import list_argument_forms
from repo_mcp.symbols.model import FROM_ITSELF, OF_CLASS, REPLACED
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    list_references,
)

_READ_ROLES = (
    ReferenceRole.USE,
    ReferenceRole.CALL,
    ReferenceRole.TYPE,
    ReferenceRole.ACCEPT,
    ReferenceRole.INHERIT,
)
_VARIABLES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.TYPE})
_ROOT = re.compile(r"[.(\[]")  # after the first name of an expression
MAX_DECLARED = 64  # declarations of one name in a scope that are compared
MAX_LOOKED_BACK = 200  # symbols searched for the method that assigns an attribute


class Bound(NamedTuple):
    """One BIND row."""

    symbol: int
    line: int
    qualifier: str
    name: str
    form: int
    is_own: bool  # the value is computed from the variable itself: `x = x.next`

    @property
    def is_other(self) -> bool:
        """Return whether the row says only that the variable has another value, of unknown type."""
        return not self.name and not self.qualifier

    @property
    def expression(self) -> str:
        """Return the expression that the variable is bound to, or to a part of it."""
        if not self.name:
            return self.qualifier
        return f"{self.qualifier}.{self.name}" if self.qualifier else self.name


class Imported(NamedTuple):
    """One IMPORT row."""

    symbol: int
    module: str
    name: str
    line: int


class PythonSymbols:
    """The symbols of one record: their kinds, and how they are nested."""

    def __init__(self, record: SymbolRecord) -> None:
        self.record = record
        self.parents: list[int] = record.parents.tolist()
        self.kinds: list[int] = record.kinds.tolist()

    @cached_property
    def children(self) -> dict[tuple[int, str], list[int]]:
        """Map (ordinal, name) to the ordinals of the symbols with that name directly inside it."""
        strings = self.record.strings
        found: dict[tuple[int, str], list[int]] = {}
        for ordinal, name in enumerate(self.record.names.tolist()):
            if ordinal:
                found.setdefault((self.parents[ordinal], strings[name]), []).append(ordinal)
        return found

    def list_declared(self, ordinal: int, name: str) -> list[int]:
        """Return the symbols with a name directly inside another; of overloads, the implementation."""
        ordinals = self.children.get((ordinal, name), [])
        if len(ordinals) > 1:
            flags = self.record.flags
            whole = [one for one in ordinals if not int(flags[one]) & SymbolFlag.FORWARD]
            return whole or ordinals
        return ordinals

    def list_overloads(self, ordinal: int, arguments: str) -> list[int]:
        """Return the overloads of a function that a call may choose; empty for one without overloads."""
        if not self.is_function(ordinal):
            return []
        record = self.record
        key = (self.parents[ordinal], record.get_name(ordinal))
        flags = record.flags
        found = [one for one in self.children.get(key, ()) if int(flags[one]) & SymbolFlag.FORWARD]
        if len(found) < 2:
            return []
        texts = [record.strings[record.parameters[one]] for one in found]
        is_bound = self.is_class(key[0]) and not int(flags[ordinal]) & SymbolFlag.STATIC
        return [found[place] for place in choose_overloads(texts, arguments, is_bound)]

    def iter_around(self, ordinal: int) -> Iterator[int]:
        """Yield a symbol and those around it, innermost first; the file is the last."""
        while ordinal:
            yield ordinal
            ordinal = self.parents[ordinal]
        yield 0

    def find_class(self, ordinal: int) -> int:
        """Return the class that a symbol is or is in; 0 if there is none."""
        for around in self.iter_around(ordinal):
            if self.is_class(around):
                return around
        return 0

    def find_method(self, ordinal: int, parameter: str) -> int:
        """Return the enclosing non-static method whose first parameter has this name; 0 if there is none.

        A parameter of a function inside the method hides it.
        """
        for around in self.iter_around(ordinal):
            if around and self.has_parameter(around, parameter) and not self.is_class(self.parents[around]):
                return 0
            if around and self.is_function(around) and self.is_class(self.parents[around]):
                symbol = self.record.get_symbol(around)
                first = symbol.parameters[1:].partition(",")[0].partition(":")[0].partition("=")[0]
                if first.rstrip(")").strip() == parameter and not symbol.flags & SymbolFlag.STATIC:
                    return around
        return 0

    def has_parameter(self, ordinal: int, name: str) -> bool:
        """Return whether a function has a parameter of this name without an annotation."""
        text = self.record.strings[self.record.parameters[ordinal]]
        return re.search(rf"[(,*] ?{re.escape(name)} ?[,=)]", text) is not None

    def is_type_guard(self, ordinal: int) -> bool:
        """Return whether a function is annotated as a type guard."""
        written = self.record.strings[self.record.types[ordinal]]
        return "TypeGuard[" in written or "TypeIs[" in written

    def is_assigned_in_method(self, ordinal: int) -> bool:
        """Return whether an attribute is first assigned in a method, without an annotation."""
        record = self.record
        if self.kinds[ordinal] != SymbolKind.PROPERTY or record.types[ordinal] or record.parameters[ordinal]:
            return False
        for before in range(ordinal - 1, max(0, ordinal - MAX_LOOKED_BACK), -1):
            if self.parents[before] == self.parents[ordinal] and self.is_function(before):
                return bool(record.starts[before] + record.spans[before] >= record.starts[ordinal])
        return False

    def is_declared_property(self, ordinal: int) -> bool:
        """Return whether a symbol is a property or an annotated attribute."""
        record = self.record
        if self.kinds[ordinal] != SymbolKind.PROPERTY:
            return False
        return bool(record.types[ordinal]) or self.is_function(ordinal)

    def is_class(self, ordinal: int) -> bool:
        """Return whether a symbol is a class or an enumeration."""
        return self.kinds[ordinal] in TYPE_KINDS and self.kinds[ordinal] != SymbolKind.TYPE

    def is_function(self, ordinal: int) -> bool:
        """Return whether a symbol is a function, a method, or a property written as one."""
        if self.kinds[ordinal] in CALLABLE_KINDS:
            return True
        is_property = self.kinds[ordinal] == SymbolKind.PROPERTY
        return is_property and bool(self.record.parameters[ordinal])


class PythonNames(PythonSymbols):
    """The lookup tables of one symbol record, each built on first use."""

    @cached_property
    def imports(self) -> dict[tuple[int, str], list[Imported]]:
        """Map (ordinal, local name) to the imports there; stars have the local name "*"."""
        found: dict[tuple[int, str], list[Imported]] = {}
        for one in list_references(self.record, ReferenceRole.IMPORT):
            imported = Imported(one.symbol, one.qualifier, one.name, one.line)
            found.setdefault((one.symbol, one.alias or "*"), []).append(imported)
        return found

    def binds_again(self, name: str) -> bool:
        """Return whether the module declares or imports a name more than once, perhaps by a star.

        False for more than MAX_DECLARED times: then any of them may be meant.
        """
        count = len(self.children.get((0, name), ())) + len(self.imports.get((0, name), ()))
        return count > 0 and 1 < count + len(self.imports.get((0, "*"), ())) <= MAX_DECLARED

    @cached_property
    def bounds(self) -> dict[tuple[int, str], list[Bound]]:
        """Map (ordinal, variable) to its BIND rows by line; attributes of self belong to the class."""
        found: dict[tuple[int, str], list[Bound]] = {}
        for one in list_references(self.record, ReferenceRole.BIND):
            owner = one.symbol
            if one.alias.startswith("self."):
                owner = self.find_class(owner)
            is_own = bool(one.arguments & FROM_ITSELF)
            is_own = is_own or _ROOT.split(one.qualifier or one.name, maxsplit=1)[0] == one.alias
            form = one.arguments & ~FROM_ITSELF
            bound = Bound(one.symbol, one.line, one.qualifier, one.name, form, is_own)
            found.setdefault((owner, one.alias), []).append(bound)
        return found

    @cached_property
    def replaced(self) -> dict[str, list[Bound]]:
        """Map the name of an attribute to the rows of assignments that replace its value."""
        found: dict[str, list[Bound]] = {}
        for (_, alias), bounds in self.bounds.items():
            if alias.startswith(REPLACED):
                found.setdefault(alias.removeprefix(REPLACED), []).extend(bounds)
        return found

    @cached_property
    def _bases(self) -> dict[int, dict[int, str]]:
        found: dict[int, dict[int, str]] = {}
        for one in list_references(self.record, ReferenceRole.INHERIT):
            found.setdefault(one.symbol, {})[one.arguments] = one.dotted
        return found

    def list_bases(self, ordinal: int) -> list[str]:
        """Return the dotted names of the bases of a class in order; "" for a base without a name."""
        named = self._bases.get(ordinal, {})
        is_more = bool(int(self.record.flags[ordinal]) & SymbolFlag.UNNAMED_BASE)
        return [named.get(number, "") for number in range(1, max(named, default=0) + is_more + 1)]

    @cached_property
    def exports(self) -> list[tuple[str, str]]:
        """Return the qualifier and name of each entry in `__all__`; ("w", "*") for all of `w.__all__`."""
        return [(one.qualifier, one.name) for one in list_references(self.record, ReferenceRole.EXPORT)]

    @cached_property
    def reads(self) -> frozenset[tuple[int, str]]:
        """Return (ordinal, name) of each bare name that a symbol reads, but for variables of functions."""
        record, strings = self.record, self.record.strings
        rows = [row for row in record.list_role(*_READ_ROLES) if not record.ref_qualifiers[row]]
        return frozenset((int(record.ref_symbols[row]), strings[record.ref_names[row]]) for row in rows)

    @cached_property
    def heads(self) -> frozenset[tuple[int, str]]:
        """Return (ordinal, name) of each bare name in the head of a method that its class binds."""
        if OF_CLASS not in self.record.strings:
            return frozenset()
        rows = list_references(self.record, *_READ_ROLES)
        return frozenset((one.symbol, one.name) for one in rows if one.alias == OF_CLASS)


def list_arguments(names: PythonSymbols, ordinal: int) -> list[Bound]:
    """Return rows for the only type argument of a variable's written type: T of `Key[T]`."""
    record = names.record
    parent, line = names.parents[ordinal], int(record.starts[ordinal])
    forms = list_argument_forms(record.strings[record.types[ordinal]])
    return [Bound(parent, line, *form, False) for form in forms]


def find_scope(names: PythonSymbols, ordinal: int) -> int:
    """Return the symbol in whose scope the code of one runs: the module for a variable of the module."""
    is_variable = names.kinds[ordinal] in _VARIABLES and not names.parents[ordinal]
    return 0 if is_variable else ordinal


def is_private(name: str) -> bool:
    """Return whether an attribute is private to one class, by two underscores before its name."""
    return name.startswith("__") and not name.endswith("__")
