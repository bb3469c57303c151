"""The signatures by which a TypeScript value may be called, and the type arguments of generic code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typescript.names import ScriptNames
from repo_mcp.graph.typescript.owners import (
    NOT_WRITTEN,
    Bound,
    Owners,
    Parameter,
    Written,
    join_bound,
    write_type,
)
from repo_mcp.graph.typescript.script_file import ScriptFile, find_type_parameter
from repo_mcp.languages.typescript.types import read_function, split_parameters, split_type, take_parameter
from repo_mcp.languages.typescript.walk import RESULT as RESULTS
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, DeclaredSymbol, SymbolFlag, SymbolKind, iter_around

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_TYPE_OF_THIS = re.compile(r"\(\s*this\s*:\s*")
THIS = "this"
_CALLED_BY_SIGNATURES = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE, SymbolKind.PROPERTY})


def list_signatures(
    names: ScriptNames, owners: Owners, *, is_result: bool = False
) -> Iterator[tuple[list[str], str, Written, Bound]]:
    """Yield for each signature of owners the types of its parameters, its result, its place and what is
    bound.

    Type parameters stay unbound, because the arguments determine them. With `is_result`, constructors are
    left out.
    """
    for one in owners.functions:
        read = read_function(one.text)
        if read is not None:
            yield *read, one, one.bound
    for declaration in owners.declarations:
        file, symbol = names.find_file(declaration.path), names.get_symbol(declaration)
        if file is None or symbol is None or not symbol.ordinal:
            continue
        at = Written(declaration.path, declaration.ordinal)
        kind = symbol.kind
        if (kind in CALLABLE_KINDS and kind is not SymbolKind.CONSTRUCTOR) or (
            kind in _CALLED_BY_SIGNATURES and symbol.parameters
        ):
            declared = split_parameters(symbol.parameters) if symbol.parameters else []
            bound = join_bound(list_unbound(file, symbol), owners.bound)
            if kind in CALLABLE_KINDS:
                yield declared, symbol.return_type, at, bound
                continue
            for row in file.binds.get((symbol.ordinal, RESULTS), ()):
                taken = split_parameters(row.qualifier) if row.qualifier else declared
                yield taken, row.name.removeprefix(":"), at, bound
        elif kind is SymbolKind.CLASS and not is_result:
            for each in file.find_children(symbol.ordinal, "constructor"):
                place = Written(declaration.path, each.ordinal)
                yield split_parameters(each.parameters), "", place, owners.bound


def list_parameter_types(
    signatures: Iterable[tuple[list[str], str, Written, Bound]], position: int
) -> list[tuple[Written, str, Bound]]:
    """Return the types at a position (from 0) in signatures, each with its place and what is bound."""
    each = ((at, take_parameter(types, position), bound) for types, _, at, bound in signatures)
    return [one for one in each if one[1]]


def choose_signatures(names: ScriptNames, declarations: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
    """Return the signatures that a caller of a function sees: overloads, or else the implementation."""
    if len(declarations) < 2:
        return declarations
    symbols = [(one, names.get_symbol(one)) for one in declarations]
    seen = [one for one, symbol in symbols if symbol is not None and symbol.flags & SymbolFlag.FORWARD]
    return tuple(seen) or declarations


def list_unbound(file: ScriptFile, symbol: DeclaredSymbol) -> Bound:
    """Return the type parameters of a symbol, bound to nothing known."""
    names = file.type_parameters.get(symbol.ordinal, ())
    return tuple(((file.path, symbol.ordinal, one), NOT_WRITTEN) for one in names)


def bind_type_arguments(
    names: ScriptNames,
    declarations: Sequence[Declaration],
    type_arguments: Sequence[str],
    file: ScriptFile,
    ordinal: int,
    bound: Bound,
) -> Bound:
    """Return the parameters of generic declarations, bound to type arguments that a symbol writes."""
    found: list[tuple[Parameter, Written]] = []
    for one in declarations:
        other = names.find_file(one.path)
        parameters = other.type_parameters.get(one.ordinal) if other is not None else None
        if not parameters or (
            not type_arguments and one.path == file.path and one.ordinal in iter_around(file.record, ordinal)
        ):
            continue
        for at, (name, text) in enumerate(parameters.items()):
            default = text.partition(" = ")[2]
            written = Written(one.path, one.ordinal, default) if default else NOT_WRITTEN
            if at < len(type_arguments):
                written = _close(file, ordinal, type_arguments[at], bound)
            found.append(((one.path, one.ordinal, name), written))
    return tuple(found)


def bind_receiver(names: ScriptNames, owner: Declaration, members: Sequence[Declaration]) -> Bound:
    """Return THIS of the classes that declare some members, bound to the class that has inherited them.

    The same for the sole type parameter in the type of `this`, as in `static make<T>(this: new () => T): T`.
    """
    symbol = names.get_symbol(owner)
    if symbol is None or symbol.kind is not SymbolKind.CLASS:
        return ()
    found: list[tuple[Parameter, Written]] = []
    written = Written(owner.path, symbol.parent, symbol.name)
    for one in members:
        file, member = names.find_file(one.path), names.get_symbol(one)
        if file is None or member is None or member.kind is not SymbolKind.METHOD:
            continue
        if member.return_type in {"", THIS} and (one.path, member.parent) != (owner.path, owner.ordinal):
            found.append(((one.path, member.parent, THIS), written))
        typed = _TYPE_OF_THIS.match(member.parameters)
        if typed is not None:
            first = split_type(member.parameters[typed.end() : -1], ",")[0]
            free = set(_NAME.findall(first)) & file.type_parameters.get(one.ordinal, {}).keys()
            found += [((one.path, one.ordinal, name), written) for name in free if len(free) == 1]
    return tuple(found)


def _close(file: ScriptFile, ordinal: int, text: str, bound: Bound) -> Written:
    """Return a text with what is bound around it; for a bound parameter, the text bound to it."""
    if bound and _NAME.fullmatch(text):
        key = file.path, find_type_parameter(file, ordinal, text), text
        found = next((one for other, one in bound if other == key), None)
        if found is not None:
            return found
    return write_type(file.path, ordinal, text, bound)
