"""The types that are written in declarations: of members, results and variables, read where they stand.

A type parameter has the type of its argument, or else its bounds. A subclass overrides what differs in one
language. Left out on purpose: the steps of a chain, which take these types (`receivers.py`).
"""

from __future__ import annotations

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import (
    FileScope,
    is_unbounded_parameter,
    list_parameter_bounds,
    split_name,
)
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.graph.typed.rules import FoundDeclarations
from repo_mcp.languages.treesitter.type_names import TypeName, iter_wrappers, read_type
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, Binding, Reference, SymbolKind

_END = 1 << 30  # a line after all others
_VALUE_KINDS = frozenset({SymbolKind.PROPERTY, SymbolKind.VARIABLE, SymbolKind.CONSTANT})


class WrittenTypes:
    """Reads types in files of one language, or of C and C++."""

    own_bounds = False  # the bounds of a type parameter are looked up in the symbols around its use
    bounds_around = False  # the bounds of a type parameter are those of the type and its extensions

    def __init__(self, lookup: NamedLookup) -> None:
        self._lookup = lookup

    def find_receiver(self, scope: FileScope, ordinal: int, line: int, qualifier: str) -> Receiver | None:
        """Return the type of a qualifier. Implemented by the types of receivers."""
        raise NotImplementedError

    def _find_all_bounds(
        self, scope: FileScope, rows: list[Reference], *, is_certain: bool = True
    ) -> Receiver | None:
        """Return all types that rows name, as bounds do; uncertain unless they are traits or interfaces."""
        found = [self._find_type(scope, one.symbol, split_name(one)) for one in rows]
        known = [one for one in found if one is not None and one.types]
        if not known:
            return next(filter(None, found), None)
        types = tuple(dict.fromkeys(each for one in known for each in one.types))
        is_plain = set(map(self._lookup.get_kind, types)) <= {SymbolKind.TRAIT, SymbolKind.INTERFACE}
        is_certain = is_certain and is_plain and all(one.is_certain for one in known)
        return Receiver(types, is_certain=is_certain)

    def _find_type(
        self, scope: FileScope, ordinal: int, names: tuple[str, ...], *, is_items: bool = False
    ) -> Receiver | None:
        """Return the type of a written name."""
        if len(names) == 1 and names[0] in self._lookup.rules.self_words:
            return self._find_self_type(scope, ordinal)
        found = self._lookup.find_type(scope, ordinal, names)
        if found.declarations:
            return self._make_receiver(scope, found, is_items=is_items)
        is_parameter = names[-1] == UNKNOWN_TYPE or names[-1] in self._lookup.rules.type_parameters
        # by convention, one capital is a type parameter
        is_parameter = is_parameter or (len(names[-1]) == 1 and names[-1].isupper())
        if is_parameter and not found.external:
            return None
        return Receiver(external=found.external or ".".join(names), is_items=is_items)

    def _make_receiver(self, scope: FileScope, found: FoundDeclarations, *, is_items: bool) -> Receiver:
        """Return a receiver of the type that a name led to; of several, the first, uncertain."""
        is_one = len(found.declarations) == 1 and not found.alternatives
        return Receiver(found.declarations[:1], "", is_items, found.is_certain and is_one)

    def _find_self_type(self, scope: FileScope, ordinal: int) -> Receiver | None:
        """Return the type around a symbol: that of `this` or `self`."""
        around = scope.find_type_around(ordinal)
        if around is None:
            return None
        return Receiver(tuple(self._lookup.find_extended(Declaration(scope.path, around))))

    def _read_declared(self, declaration: Declaration, receiver: Receiver | None = None) -> Receiver | None:
        """Return the type that is written in a declaration; a type is its own."""
        scope = self._lookup.find_scope(declaration.path)
        if scope is None:
            return None
        kind = scope.get_kind(declaration.ordinal)
        if kind in TYPE_KINDS:
            return Receiver((declaration,))
        if kind is SymbolKind.CONSTRUCTOR or kind is SymbolKind.ENUM_MEMBER:
            owner = Declaration(scope.path, scope.get_parent(declaration.ordinal))
            return Receiver(tuple(self._lookup.find_extended(owner)))
        if kind not in CALLABLE_KINDS and kind not in _VALUE_KINDS:
            return None
        return self._read_text(declaration, scope.get_symbol(declaration.ordinal).return_type, receiver)

    def _read_text(self, at: Declaration, text: str, receiver: Receiver | None) -> Receiver | None:
        """Return the type that a text names, such as that of a result, looked up where `at` is declared.

        `receiver` is the receiver of the member in whose declaration the text is written, if there is one.
        """
        scope = self._lookup.find_scope(at.path)
        if scope is None:
            return None
        plain = self._lookup.rules.read_result(text)
        # an unnamed struct, whose members are recorded as those of the outer one
        if plain.rstrip("*[] ") in {"struct", "union"}:
            return Receiver((Declaration(scope.path, scope.get_parent(at.ordinal)),), group=at)
        if plain.endswith("()"):  # recorded for a variable that is initialised by a call
            found = self.find_receiver(scope, at.ordinal, _END, plain)
            return found if found is None or found.types != (at,) else None
        # A repository may declare a wrapper or a container of its own.
        for wrapper in iter_wrappers(plain):
            if self._lookup.find_type(scope, at.ordinal, wrapper.names).declarations:
                return self._find_container(scope, at, plain, wrapper.names)
        named = read_type(plain)
        return self._find_named(scope, at, text, named, receiver) if named.name else None

    def _find_container(
        self, scope: FileScope, at: Declaration, text: str, names: tuple[str, ...]
    ) -> Receiver | None:
        """Return the type of the repository that has the name of a known wrapper or container."""
        return self._find_type(scope, at.ordinal, names)

    def _find_named(
        self, scope: FileScope, at: Declaration, text: str, named: TypeName, receiver: Receiver | None
    ) -> Receiver | None:
        """Return the type with the name that was read in a text."""
        if named.name == "Self" and receiver is not None:
            return receiver
        for name, argument in receiver.type_arguments if receiver is not None and not named.qualifier else ():
            if name == named.name:
                return replace(argument, is_items=named.is_items or argument.is_items, is_certain=False)
        bounds, is_parameter = self._find_type_parameter(scope, at, named)
        if is_parameter:  # though a type may have the same name
            return bounds
        found = self._find_type(scope, at.ordinal, named.names, is_items=named.is_items)
        return self._complete(at, text, named, found, receiver) if found is not None else None

    def _complete(
        self, at: Declaration, text: str, named: TypeName, found: Receiver, receiver: Receiver | None
    ) -> Receiver:
        """Return the type that was found, with what else is written in the text."""
        return replace(found, inner=named.inner)

    def _find_type_parameter(
        self, scope: FileScope, at: Declaration, named: TypeName
    ) -> tuple[Receiver | None, bool]:
        """Return the bounds of a type parameter, and whether the name is one."""
        rows = list_parameter_bounds(scope, at.ordinal, named) if self.own_bounds else []
        if rows:
            return None if named.is_items else self._find_all_bounds(scope, rows, is_certain=False), True
        if not self.bounds_around or named.qualifier:
            return None, False
        bounded = self._find_bounds_around(scope, at, named.name)
        return bounded, bounded is not None or is_unbounded_parameter(scope, at.ordinal, named.name)

    def _find_bounds_around(self, scope: FileScope, at: Declaration, name: str) -> Receiver | None:
        """Return the trait bounds of a type parameter that a field or a result has as its type; None without
        any.

        They are the bounds in the type around it and in its `impl` blocks. They are never certain: the block
        of the use may have other bounds.
        """
        lookup = self._lookup
        owner = scope.get_parent(at.ordinal)
        owner_name = scope.get_name(owner)
        found: list[Receiver] = []
        for other, part in lookup.iter_named(scope, owner_name):
            bounds = [one for one in other.list_bindings(part, name) if one.arguments == Binding.BOUND]
            if not bounds:
                continue
            is_own = other is scope and part == owner
            is_block = other.get_kind(part) is SymbolKind.EXTENSION
            if is_own or (is_block and lookup.is_block_of_type(scope, owner, other, part)):
                one = self._find_all_bounds(other, bounds)
                found += [one] if one is not None else []
        types = tuple(dict.fromkeys(each for one in found for each in one.types))
        if types:
            return Receiver(types, is_certain=False)
        return replace(found[0], is_certain=False) if found else None
