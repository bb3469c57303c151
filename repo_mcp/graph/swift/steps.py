"""Reads from Swift declarations the types to which a step of a chain leads: parameters, properties, bounds.

`repo_mcp/graph/swift/receivers.py` explains the steps and follows them.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.swift.rules import accepts_labels, find_parameter, list_values
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.languages.swift.types import find_parameter_type, find_type_chain
from repo_mcp.languages.treesitter.written_lists import split_list
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, ReferenceRole, SymbolKind

_VALUES = frozenset({SymbolKind.PROPERTY, SymbolKind.VARIABLE})


def find_parameter_text(lookup: NamedLookup, one: Declaration, position: int, labels: str, inner: str) -> str:
    """Return the written type of a parameter; with `inner`, of a parameter of the function it takes."""
    text = _find_text(lookup, one, position, labels)
    return find_parameter_type(_follow_alias(lookup, one, text), int(inner[1:])) if inner else text


def _follow_alias(lookup: NamedLookup, at: Declaration, text: str) -> str:
    """Return the type that an alias stands for; any other text as it is."""
    chain = find_type_chain(text)
    scope = lookup.find_scope(at.path)
    if not chain or scope is None:
        return text
    for one in lookup.find_type(scope, at.ordinal, tuple(chain.split("."))).declarations[:1]:
        if lookup.get_kind(one) is SymbolKind.TYPE:
            return lookup.get_return_type(one) or text
    return text


def _find_text(lookup: NamedLookup, one: Declaration, position: int, labels: str) -> str:
    scope = lookup.find_scope(one.path)
    if scope is None:
        return ""
    symbol = scope.get_symbol(one.ordinal)
    if symbol.kind in CALLABLE_KINDS or symbol.kind is SymbolKind.ENUM_MEMBER:
        if symbol.kind is SymbolKind.ENUM_MEMBER:
            values = list_values(symbol.parameters)
            return values[position] if position < len(values) else ""
        return find_parameter(symbol.parameters, labels, position)
    if symbol.kind in _VALUES:  # the value of a property may be a function
        return find_parameter_type(symbol.return_type, position)
    return ""


def find_called(
    lookup: NamedLookup, found: Sequence[Declaration], labels: str
) -> tuple[list[Declaration], list[Declaration]]:
    """Return the functions and initialisers that a call may mean, and the structs without an initialiser."""
    called: list[Declaration] = []
    plain: list[Declaration] = []
    for one in found:
        scope = lookup.find_scope(one.path)
        if scope is None:
            continue
        kind = scope.get_kind(one.ordinal)
        if kind not in TYPE_KINDS:
            if kind not in CALLABLE_KINDS or accepts_labels(scope.get_symbol(one.ordinal).parameters, labels):
                called.append(one)
            continue
        constructors = lookup.find_members(one, "init", ReferenceRole.CALL)
        called += [
            constructor
            for constructor in constructors
            if accepts_labels(lookup.get_parameters(constructor), labels)
        ]
        if kind is SymbolKind.STRUCT and not scope.find_children(one.ordinal, "init"):
            plain.append(one)
    return called, plain


def find_labelled(lookup: NamedLookup, made: Declaration, labels: str, position: int) -> list[Declaration]:
    """Return the property of a struct without initialisers that the label of an argument names."""
    names = labels.strip("(").partition(")")[0].split(":")
    if position >= len(names) - 1:
        return []
    found = lookup.find_members(made, names[position], ReferenceRole.USE)
    return [one for one in found if one.path == made.path]


def find_literal_item(lookup: NamedLookup, receiver: Receiver) -> tuple[Declaration, str] | None:
    """Return the initialiser that takes a list literal, and the written type of an item, or None."""
    for one in receiver.types:
        for constructor in lookup.find_members(one, "init", ReferenceRole.CALL):
            text = lookup.get_parameters(constructor)
            if text.startswith("(arrayLiteral"):
                return constructor, find_parameter(text, "(arrayLiteral:)", 0)
    return None


def find_written_bound(scope: FileScope, ordinal: int, name: str) -> str | None:
    """Return the written bound of a type parameter of a type around a symbol; "" for one without a bound.

    Returns None if no type around the symbol has such a parameter.
    """
    for around in scope.iter_around(ordinal):
        if scope.get_kind(around) in TYPE_KINDS:
            for part in split_list(scope.get_symbol(around).parameters[1:-1]):
                parameter, _, bound = part.partition(":")
                if parameter.strip() == name:
                    return bound.strip() if bound.strip() != name else ""
    return None
