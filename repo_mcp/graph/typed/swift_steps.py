"""Steps of a Swift chain that lead from a call to its arguments, and from a case to its values.

`make.@1(of:_:)` is the second parameter of the function, initialiser or case with these labels. `#0` after it
is the first parameter of the function that is passed there. `%some:0:2` is the first of two values of a case.
None of these is sure: an overload in another repository may fit better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.holder import Holder
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.swift_rules import accepts_labels, find_parameter, list_values
from repo_mcp.languages.native.swift_types import (
    KNOWN_PARAMETERS,
    find_arguments,
    find_given,
    find_type_chain,
    list_parameters,
)
from repo_mcp.languages.treesitter.written_lists import split_list
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Binding,
    Reference,
    ReferenceRole,
    SymbolKind,
)

# Finds the type of a text at a declaration, as seen from a receiver.
ReadText = Callable[[Declaration, str, Holder | None], Holder | None]


@dataclass(frozen=True, slots=True)
class ReceiverFunctions:
    """The functions of `receivers` that find a type. That module imports this one, so it passes them."""

    find_holder: Callable[[NamedLookup, FileScope, int, int, str], Holder | None]
    take_step: Callable[[NamedLookup, Holder, str], Holder | None]
    read_declared: Callable[[NamedLookup, Declaration], Holder | None]
    read_text: Callable[[NamedLookup, Declaration, str, Holder | None], Holder | None]


MAX_DEPTH = 12  # of type arguments in type arguments
STEPS = frozenset("@#%")
_MAX_CALLED = 12  # overloads that are looked at
_VALUES = frozenset({SymbolKind.PROPERTY, SymbolKind.VARIABLE})


def find_given_type(
    lookup: NamedLookup,
    found: Sequence[Declaration],
    step: str,
    inner: str,
    read: ReadText,
    holder: Holder | None,
) -> Holder | None:
    """Return the type of a parameter of the declarations found for a call; `inner` is the step after it.

    If they show several types, the result has all of these.
    """
    position, _, labels = step[1:].partition("(")
    labels = f"({labels}"
    holders: dict[tuple[Declaration, ...] | str, Holder] = {}
    for one in found[:_MAX_CALLED]:
        text = _find_text(lookup, one, int(position), labels)
        text = _follow_alias(lookup, one, text) if inner else text
        text = find_given(text, int(inner[1:])) if inner else text
        each = read(one, text, holder) if text else None
        if each is not None and (each.types or each.external):
            holders.setdefault(each.types or each.external, each)
    known = [one for one in holders.values() if one.types]
    if not known:
        return next(iter(holders.values()), None)
    types = tuple(dict.fromkeys(each for one in known for each in one.types))
    is_items = all(one.is_items for one in known)
    return replace(known[0], types=types, is_items=is_items, is_certain=False)


def _follow_alias(lookup: NamedLookup, at: Declaration, text: str) -> str:
    """Return the type that a text stands for, if it names an alias of a function type."""
    chain = find_type_chain(text)
    scope = lookup.find_scope(at.path)
    if not chain or scope is None:
        return text
    for one in lookup.find_type(scope, at.ordinal, tuple(chain.split("."))).declarations[:1]:
        other = lookup.find_scope(one.path)
        if other is not None and other.get_kind(one.ordinal) is SymbolKind.TYPE:
            return other.get_symbol(one.ordinal).return_type or text
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
    if symbol.kind in _VALUES:  # a function that a property holds
        return find_given(symbol.return_type, position)
    return ""


def find_called(
    lookup: NamedLookup, found: Sequence[Declaration], labels: str
) -> tuple[list[Declaration], list[Declaration]]:
    """Return the declarations that a call may mean, initialisers for types; and structs without any."""
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
        makers = lookup.find_members(one, "init", ReferenceRole.CALL)
        for maker in makers:
            other = lookup.find_scope(maker.path)
            if other and accepts_labels(other.get_symbol(maker.ordinal).parameters, labels):
                called.append(maker)
        if kind is SymbolKind.STRUCT and not scope.find_children(one.ordinal, "init"):
            plain.append(one)
    return called, plain


def find_labelled(lookup: NamedLookup, made: Declaration, labels: str, position: int) -> list[Declaration]:
    """Return the property of a struct without initialisers that an argument names by its label."""
    names = labels.strip("(").partition(")")[0].split(":")
    if position >= len(names) - 1:
        return []
    found = lookup.find_members(made, names[position], ReferenceRole.USE)
    return [one for one in found if one.path == made.path]


def find_value(lookup: NamedLookup, holder: Holder, step: str, read: ReadText) -> Holder | None:
    """Return the type of a value of a case, by position."""
    name, position, count = step[1:].split(":")
    for one in holder.types:
        for member in lookup.find_members(one, name, ReferenceRole.USE):
            scope = lookup.find_scope(member.path)
            if scope is None or scope.get_kind(member.ordinal) is not SymbolKind.ENUM_MEMBER:
                continue
            values = list_values(scope.get_symbol(member.ordinal).parameters)
            if len(values) == int(count):
                found = read(member, values[int(position)], holder)
                return replace(found, is_certain=False) if found is not None else None
    return None


def find_literal_item(lookup: NamedLookup, holder: Holder) -> tuple[Declaration, str] | None:
    """Return the initialiser that takes the items of a list literal, and their type; None without one."""
    for one in holder.types:
        for maker in lookup.find_members(one, "init", ReferenceRole.CALL):
            scope = lookup.find_scope(maker.path)
            text = scope.get_symbol(maker.ordinal).parameters if scope is not None else ""
            if text.startswith("(arrayLiteral"):
                return maker, find_parameter(text, "(arrayLiteral:)", 0)
    return None


def follow_steps(
    lookup: NamedLookup,
    scope: FileScope,
    ordinal: int,
    line: int,
    segments: list[str],
    receivers: ReceiverFunctions,
) -> Holder | None:
    """Return the type of a Swift chain with steps into arguments or values; see the top of this file."""

    def read(at: Declaration, text: str, holder: Holder | None) -> Holder | None:
        return receivers.read_text(lookup, at, text, holder)

    last = max(at for at, one in enumerate(segments) if one[:1] in STEPS)
    before, step, inner = segments[:last], segments[last], ""
    if step[0] == "#" and before and before[-1][0] == "@":
        before, step, inner = before[:-1], before[-1], step
    if not before:
        return None
    holder: Holder | None = None
    if step[0] == "%":
        owner = receivers.find_holder(lookup, scope, ordinal, line, ".".join(before))
        holder = find_value(lookup, owner, step, read) if owner is not None else None
    elif step[0] == "@":
        owner, found = _find_callees(lookup, scope, ordinal, line, before, receivers)
        position, _, labels = step[1:].partition("(")
        called, plain = find_called(lookup, found, f"({labels}")
        if called or not plain:
            holder = find_given_type(lookup, called, step, inner, read, owner)
        for one in plain if holder is None and not inner else ():
            named = find_labelled(lookup, one, f"({labels}", int(position))
            holder = receivers.read_declared(lookup, named[0]) if named else None
    holder = replace(holder, is_certain=False) if holder is not None else None
    for segment in segments[last + 1 :]:
        if holder is None or holder.external:
            break
        holder = receivers.take_step(lookup, holder, segment)
    return holder


def _find_callees(
    lookup: NamedLookup,
    scope: FileScope,
    ordinal: int,
    line: int,
    names: list[str],
    receivers: ReceiverFunctions,
) -> tuple[Holder | None, list[Declaration]]:
    """Return the receiver of a call, if it has one, and the declarations with the called name."""
    *before, name = names
    rules = lookup.get_rules(scope)
    if not before:
        return None, list(lookup.find_bare(scope, ordinal, name, ReferenceRole.CALL).declarations)
    first = before[0]
    is_own = first in rules.own_words or first in rules.base_words
    is_path = not is_own and all(one.isidentifier() for one in names)
    if is_path and scope.find_binding(ordinal, line, first) is None:
        found = lookup.find_static(scope, ordinal, tuple(names), ReferenceRole.CALL)
        if found.declarations:
            return None, list(found.declarations)
    holder = receivers.find_holder(lookup, scope, ordinal, line, ".".join(before))
    if holder is None:
        return None, []
    if name == "init":
        return holder, list(holder.types)
    found_members = [
        each for one in holder.types for each in lookup.find_members(one, name, ReferenceRole.CALL)
    ]
    return holder, found_members


def find_written_bound(scope: FileScope, ordinal: int, name: str) -> str | None:
    """Return the bound of a type parameter of a type around a symbol; None if there is none of that name."""
    for around in scope.iter_around(ordinal):
        if scope.get_kind(around) in TYPE_KINDS:
            for part in split_list(scope.get_symbol(around).parameters[1:-1]):
                parameter, _, bound = part.partition(":")
                if parameter.strip() == name:
                    return bound.strip() if bound.strip() != name else ""
    return None


def read_generic(
    lookup: NamedLookup,
    scope: FileScope,
    at: Declaration,
    text: str,
    found: Holder,
    holder: Holder | None,
    receivers: ReceiverFunctions,
) -> Holder | None:
    """Return a Swift type with its type arguments; for an alias, the type that it stands for."""
    given: list[tuple[str, Holder]] = []
    said = find_arguments(text)
    one = found.types[0] if found.types else None
    other = lookup.find_scope(one.path) if one is not None else None
    names: Sequence[str] = KNOWN_PARAMETERS.get(found.external, ())
    if one is not None and other is not None:
        symbol = other.get_symbol(one.ordinal)
        names = list_parameters(symbol.parameters) or KNOWN_PARAMETERS.get(symbol.name, ())
    if lookup.depth < MAX_DEPTH and lookup.spare > 0:
        lookup.depth += 1
        lookup.spare -= 1 + len(said)  # aliases of each other can nest without end
        try:
            for name, part in zip(names, said, strict=False):
                each = receivers.read_text(lookup, at, part, holder)
                given += [(name, each)] if each is not None else []
            if one is not None and other is not None and other.get_kind(one.ordinal) is SymbolKind.TYPE:
                alias = replace(found, given=tuple(given))
                behind = receivers.read_text(lookup, one, symbol.return_type, alias)
                if behind is not None and behind.types and not found.is_items:
                    return replace(behind, is_certain=behind.is_certain and found.is_certain)
        finally:
            lookup.depth -= 1
    return replace(found, given=tuple(given)) if given else found


def choose_called(
    lookup: NamedLookup, scope: FileScope, found: Sequence[Declaration], role: ReferenceRole
) -> tuple[Sequence[Declaration], bool]:
    """Return those of several Swift declarations of a name that are called, and whether it is one.

    Functions are preferred to properties. The labels of a chain's calls are not known.
    """
    if scope.language != "swift" or role is not ReferenceRole.CALL or len(found) < 2:
        return found, True
    called = [one for one in found if is_callable(lookup, one)]
    return (called, len(called) == 1) if called else (found, True)


def is_callable(lookup: NamedLookup, one: Declaration) -> bool:
    """Return whether a declaration is a function."""
    scope = lookup.find_scope(one.path)
    return scope is not None and scope.get_kind(one.ordinal) in CALLABLE_KINDS


def is_of_swift(lookup: NamedLookup, holder: Holder) -> bool:
    """Return whether the type is declared in Swift."""
    scope = lookup.find_scope(holder.types[0].path) if holder.types else None
    return scope is not None and scope.language == "swift"


def is_of_itself(binding: Reference, line: int) -> bool:
    """Return whether a line gives a variable a value that begins with the variable's own name."""
    value = f"{binding.qualifier}.{binding.name}" if binding.qualifier else binding.name
    is_value = binding.arguments not in {Binding.TYPE, Binding.ITEMS}
    return is_value and binding.line == line and value.partition(".")[0] == binding.alias
