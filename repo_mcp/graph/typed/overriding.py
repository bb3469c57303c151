"""Finds the methods of a base class that a method does not override, so that they may be called instead of
it.

This is decided by the written types of parameters and by `@Override`. A type parameter of the base fits any
type that is not a number. Left out on purpose: type arguments, and conversions of arguments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.member_lookup import iter_above
from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolFlag

_NUMBERS = frozenset({"boolean", "byte", "char", "short", "int", "long", "float", "double"})
_ARGUMENTS = re.compile(r"<[^<>]*>")
_BEFORE = re.compile(r"@[\w.]+(?:\([^()]*\))?|\bfinal\b")
_TYPE_PARAMETER = re.compile(r"[A-Z][A-Z0-9]?(?:\[\])*")  # as they are named by convention
MAX_NESTED = 4  # of type arguments


def list_not_overridden(
    lookup: NamedLookup, method: Declaration, of_base: list[Declaration]
) -> list[Declaration]:
    """Return those of the methods of a base, all of the same name, that a method does not override."""
    own, is_marked = _read(lookup, method)
    others = [(one, _read(lookup, one)[0]) for one in of_base]
    beside = [(one, types) for one, types in others if types != own]
    has_equal = len(beside) < len(others) or (is_marked and _has_equal_above(lookup, method, own))
    return [one for one, types in beside if has_equal or not _may_override(own, types, is_marked)]


def _has_equal_above(lookup: NamedLookup, method: Declaration, own: list[str]) -> bool:
    """Return whether a base declares a method with exactly these parameter types."""
    scope = lookup.find_scope(method.path)
    if scope is None:
        return False
    owner, name = Declaration(method.path, scope.get_parent(method.ordinal)), scope.get_name(method.ordinal)
    return any(
        _read(lookup, Declaration(base.path, one))[0] == own
        for base in iter_above(lookup, owner)
        if (other := lookup.find_scope(base.path)) is not None
        for one in other.find_children(base.ordinal, name)
    )


def list_results(
    lookup: NamedLookup, methods: Sequence[Declaration], owner: Declaration | None
) -> frozenset[str]:
    """Return the distinct result types, as written, of methods of one type.

    Where overloads are inherited, as in Java, those of the bases that the methods do not override are
    included.
    """
    found = set(map(lookup.get_return_type, methods))
    scope = lookup.find_scope(methods[0].path)
    if owner is not None and scope is not None and lookup.rules.inherits_overloads:
        name = scope.get_name(methods[0].ordinal)
        for base in lookup.list_bases(owner):
            inherited = lookup.find_members(base, name, ReferenceRole.CALL)
            for own in methods:
                found.update(map(lookup.get_return_type, list_not_overridden(lookup, own, inherited)))
    return frozenset(found)


def _may_override(own: list[str], other: list[str], is_marked: bool) -> bool:
    """Return whether a method may override one whose parameters are written differently."""
    if len(own) != len(other):
        return False
    if any((one in _NUMBERS) != (two in _NUMBERS) for one, two in zip(own, other, strict=True)):
        return False
    different = [two for one, two in zip(own, other, strict=True) if one != two]
    return is_marked or all(_TYPE_PARAMETER.fullmatch(one) for one in different)


def _read(lookup: NamedLookup, method: Declaration) -> tuple[list[str], bool]:
    """Return the names of the parameter types of a method, and whether it is marked as an override."""
    scope = lookup.find_scope(method.path)
    if scope is None:
        return [], False
    symbol = scope.get_symbol(method.ordinal)
    types = [_read_parameter(one) for one in split_signature(symbol.parameters).parameters]
    return types, SymbolFlag.OVERRIDE in symbol.flags


def _read_parameter(text: str) -> str:
    """Return the name of a parameter's type, without its package and its type arguments."""
    text = _BEFORE.sub("", text)
    for _ in range(MAX_NESTED):
        text = _ARGUMENTS.sub("", text)
    found = text.strip().rpartition(" ")[0]
    return re.sub(r"\s+", "", found).rpartition(".")[2] if "..." not in found else "..."
