"""Chooses among overloads of Java by the literals among the arguments of a call.

An overload is ruled out if one of its parameters cannot take the literal passed to it. Of those left, one
whose parameters have exactly the types of the literals is probable, if the overloads differ in nothing else.
It is never certain, since a class of another repository may declare an overload that fits better.
"""

from __future__ import annotations

from repo_mcp.graph.program import Confidence, Declaration, Resolution, Target
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.languages.treesitter.parameter_types import is_type_parameter, list_plain_types
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolFlag

_ALL = "Object Comparable Serializable Constable"
_NUMBERS = f"Number {_ALL}"
_TAKEN_TEXT = {
    "s": f"String CharSequence {_ALL}",
    "c": f"char int long float double Character {_ALL}",
    "b": f"boolean Boolean {_ALL}",
    "t": "Class Type GenericDeclaration AnnotatedElement Object Serializable Constable",
    "i": f"int long float double Integer {_NUMBERS}",
    "l": f"long float double Long {_NUMBERS}",
    "f": f"float double Float {_NUMBERS}",
    "d": f"double Double {_NUMBERS}",
}
_TAKEN = {mark: frozenset(text.split()) for mark, text in _TAKEN_TEXT.items()}
_EXACT = {"s": "String", "c": "char", "b": "boolean", "t": "Class", "i": "int", "l": "long"} | {
    "f": "float",
    "d": "double",
}
_OTHER = "?"


def choose_by_literals(lookup: NamedLookup, found: Resolution, marks: str) -> Resolution:
    """Return a resolution without the overloads that the literals of a call rule out."""
    overloads = [
        one
        for one in found.targets
        if one.confidence is Confidence.POSSIBLE and lookup.get_kind(one.declaration) in CALLABLE_KINDS
    ]
    if not marks or len(overloads) < 2:
        return found
    types = {one.declaration: _list_types(lookup, one.declaration, len(marks)) for one in overloads}
    left = [one.declaration for one in overloads if _accepts(types[one.declaration], marks)]
    best = _find_best({one: types[one] for one in left}, marks)
    ruled_out = {one.declaration for one in overloads} - ({best} if best is not None else {*left})
    if not left:
        return found
    sure = Confidence.PROBABLE if best is not None else Confidence.POSSIBLE
    targets = [
        Target(one.declaration, sure) if one in overloads else one
        for one in found.targets
        if one.declaration not in ruled_out
    ]
    return replace(found, targets=tuple(targets))


def _list_types(lookup: NamedLookup, declaration: Declaration, count: int) -> list[str]:
    """Return the parameter types of a method for as many arguments."""
    scope = lookup.find_scope(declaration.path)
    if scope is None:
        return []
    symbol = scope.get_symbol(declaration.ordinal)
    types = list_plain_types(symbol.parameters, "java")
    if SymbolFlag.VARIADIC in symbol.flags and types:
        types += [types.pop().removesuffix("[]")] * (count - len(types) + 1)
    return types


def _accepts(types: list[str], marks: str) -> bool:
    pairs = zip(types, marks, strict=False)
    return all(mark == _OTHER or one in _TAKEN[mark] or is_type_parameter(one) for one, mark in pairs)


def _find_best(overloads: dict[Declaration, list[str]], marks: str) -> Declaration | None:
    """Return the overload that is probably called, or None.

    That is the only one left or, if all others take the same types where no literal is passed, the only one
    with exactly the types of the literals.
    """
    if len(overloads) == 1:
        return next(iter(overloads))
    exact = [one for one, types in overloads.items() if _has_exact(types, marks)]
    others = {tuple(_list_unmarked(types, marks)) for types in overloads.values()}
    return exact[0] if len(exact) == 1 and len(others) == 1 else None


def _has_exact(types: list[str], marks: str) -> bool:
    return all(mark == _OTHER or one == _EXACT[mark] for one, mark in zip(types, marks, strict=False))


def _list_unmarked(types: list[str], marks: str) -> list[str]:
    known = marks.ljust(len(types), _OTHER)
    return [one for one, mark in zip(types, known, strict=False) if mark == _OTHER]
