"""Chooses among overloads of Java by the types of the arguments of a call, as far as they are known.

An overload is ruled out if one of its parameters cannot take the argument passed to it. Of those left, the
one whose parameters all others would take is probable. It is never certain, since a class of another
repository may declare an overload that fits better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_mcp.graph.java.lookup import JavaLookup
from repo_mcp.graph.program import Confidence, Declaration, Resolution, Target
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.member_lookup import FIELD_KINDS, MAX_TYPES, iter_above
from repo_mcp.languages.treesitter.parameter_types import is_type_parameter, list_plain_types, make_plain
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import OF_VARIABLE, UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, Reference, ReferenceRole, SymbolFlag, SymbolKind

CACHED_NAMES = 50_000  # of types above the types of arguments
_OBJECT = "Object"
_ALL = f"{_OBJECT} Comparable Serializable Constable"
_NUMBER = f"Number {_ALL}"
_TAKING_TEXT = {
    "String": f"CharSequence {_ALL}",
    "char": f"int long float double Character {_ALL}",
    "boolean": f"Boolean {_ALL}",
    "Class": "Type GenericDeclaration AnnotatedElement TypeDescriptor OfField Object Serializable Constable",
    "byte": f"short int long float double Byte {_NUMBER}",
    "short": f"int long float double Short {_NUMBER}",
    "int": f"long float double Integer {_NUMBER}",
    "long": f"float double Long {_NUMBER}",
    "float": f"double Float {_NUMBER}",
    "double": f"Double {_NUMBER}",
    "Character": f"char int long float double {_ALL}",
    "Boolean": f"boolean {_ALL}",
    "Byte": f"byte short int long float double {_NUMBER}",
    "Short": f"short int long float double {_NUMBER}",
    "Integer": f"int long float double {_NUMBER}",
    "Long": f"long float double {_NUMBER}",
    "Float": f"float double {_NUMBER}",
    "Double": f"double {_NUMBER}",
    _OBJECT: "",
}
# Types of arguments whose other types are all known -> the types of parameters that take them.
_TAKING: Mapping[str, frozenset[str]] = {name: frozenset(text.split()) for name, text in _TAKING_TEXT.items()}
_PRIMITIVE = frozenset("char boolean byte short int long float double".split())  # noqa: SIM905
_OF_ARRAYS = frozenset({_OBJECT, "Cloneable", "Serializable"})


class Overloads:
    """Chooses among the overloads that calls in one program may mean."""

    def __init__(self, lookup: JavaLookup) -> None:
        self._lookup = lookup
        self._above: LruCache[Declaration, frozenset[str] | None] = LruCache(
            CACHED_NAMES, lambda found: 1 + len(found or ())
        )

    def choose(self, scope: FileScope, call: Reference, found: Resolution, written: str) -> Resolution:
        """Return a resolution without the overloads that the types of the arguments rule out."""
        kind = self._lookup.get_kind
        possible = [one.declaration for one in found.targets if one.confidence is Confidence.POSSIBLE]
        overloads = [one for one in possible if kind(one) in CALLABLE_KINDS]
        if not written or len(overloads) < 2:
            return found
        chosen = _Call(self, scope, call, written).choose(overloads)
        if not chosen:
            return found
        sure = Confidence.PROBABLE if len(chosen) == 1 else Confidence.POSSIBLE
        targets = [
            Target(one.declaration, sure) if one.declaration in chosen else one
            for one in found.targets
            if one.declaration in chosen or one.declaration not in overloads
        ]
        return replace(found, targets=tuple(targets))

    def list_types(self, method: Declaration, passed: Sequence[str]) -> tuple[list[str], bool]:
        """Return the types of parameters for the arguments of a call, and whether any number is taken."""
        scope = self._lookup.find_scope(method.path)
        if scope is None:
            return [], False
        symbol = scope.get_symbol(method.ordinal)
        types = list_plain_types(symbol.parameters, "java")
        is_variadic = SymbolFlag.VARIADIC in symbol.flags and bool(types)
        if is_variadic and not (len(types) == len(passed) and passed[-1].endswith("[]")):
            item = types.pop().removesuffix("[]")
            types += [item] * (len(passed) - len(types))
        return types, is_variadic

    def find_field_type(self, scope: FileScope, ordinal: int, name: str) -> str:
        """Return the type of a field by its name, bare or behind its class; else UNKNOWN_TYPE."""
        names = tuple(name.split("."))
        for one in self._lookup.find_static(scope, ordinal, names, ReferenceRole.USE).declarations:
            other = self._lookup.find_scope(one.path)
            kind = self._lookup.get_kind(one)
            if other is not None and kind is SymbolKind.ENUM_MEMBER:
                return other.get_name(other.get_parent(one.ordinal))
            if other is not None and kind in FIELD_KINDS:
                return make_plain(other.get_symbol(one.ordinal).return_type) or UNKNOWN_TYPE
        return UNKNOWN_TYPE

    def list_above(self, scope: FileScope, ordinal: int, name: str) -> frozenset[str] | None:
        """Return the names of all types that a type derives from; None if they are not all known."""
        found = self._lookup.find_type(scope, ordinal, (name,)).declarations
        if len(found) != 1:
            return None
        return self._above.get(found[0], lambda: self._list_above(found[0]))

    def _list_above(self, declaration: Declaration) -> frozenset[str] | None:
        types = [declaration, *iter_above(self._lookup, declaration)]
        names: set[str] = set()
        bases: set[str] = set()
        for one in types:
            scope = self._lookup.find_scope(one.path)
            if scope is not None:
                names.add(scope.get_name(one.ordinal))
                bases.update(row.name for row in scope.list_bases(one.ordinal))
        return frozenset(names) if len(types) < MAX_TYPES and bases <= names else None


class _Call:
    """One call, and the types of its arguments."""

    def __init__(self, overloads: Overloads, scope: FileScope, call: Reference, written: str) -> None:
        self._overloads, self._scope, self._ordinal = overloads, scope, call.symbol
        self._passed = [
            overloads.find_field_type(scope, call.symbol, one[1:]) if one.startswith(OF_VARIABLE) else one
            for one in written.split(",")
        ]

    def choose(self, overloads: Sequence[Declaration]) -> list[Declaration]:
        """Return the overloads that take the arguments, or the nearest of them alone."""
        read = {one: self._overloads.list_types(one, self._passed) for one in overloads}
        left = {one: types for one, (types, _) in read.items() if self._accepts(types, self._passed)}
        fixed = [one for one in left if not read[one][1]]
        if fixed and UNKNOWN_TYPE not in self._passed:
            left = {one: left[one] for one in fixed}
        nearest = [
            one for one, types in left.items() if all(self._is_nearer(types, each) for each in left.values())
        ]
        return nearest if len(nearest) == 1 else list(left)

    def _accepts(self, types: Sequence[str], passed: Sequence[str]) -> bool:
        return all(self._takes(*each) for each in zip(types, passed, strict=False))

    def _is_nearer(self, types: Sequence[str], others: Sequence[str]) -> bool:
        """Return whether other parameters take the values of these, the same where no argument is known."""
        known = zip(types, others, self._passed, strict=False)
        return all(
            one == other if each == UNKNOWN_TYPE else self._takes(other, one, if_unsure=False)
            for one, other, each in known
        )

    def _takes(self, parameter: str, passed: str, *, if_unsure: bool = True) -> bool:
        """Return whether a parameter of one type can take a value of another; if that is not known,
        `if_unsure`."""
        if passed in (UNKNOWN_TYPE, parameter) or is_type_parameter(passed):
            return True
        if passed.endswith("[]") and parameter.endswith("[]"):
            item, own = passed[:-2], parameter[:-2]
            return (
                item not in _PRIMITIVE
                and own not in _PRIMITIVE
                and self._takes(own, item, if_unsure=if_unsure)
            )
        if parameter.endswith("[]"):
            return False
        if is_type_parameter(parameter):
            return True
        if passed.endswith("[]"):
            return parameter in _OF_ARRAYS
        if passed in _TAKING:
            return parameter in _TAKING[passed]
        if parameter in _PRIMITIVE:
            return False
        above = self._overloads.list_above(self._scope, self._ordinal, passed)
        return parameter == _OBJECT or (parameter in above if above is not None else if_unsure)
