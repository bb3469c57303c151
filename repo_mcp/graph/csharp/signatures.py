"""The parameters of a C# method, read from the text of its signature."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    DeclaredSymbol,
    Reference,
    SymbolFlag,
    SymbolKind,
)

_CALLED_KINDS = CALLABLE_KINDS | TYPE_KINDS
_FRAMEWORK_NAMES = {
    "String": "string", "Int32": "int", "Int64": "long", "Int16": "short", "Boolean": "bool", "Char": "char",
    "Byte": "byte", "SByte": "sbyte", "UInt16": "ushort", "UInt32": "uint", "UInt64": "ulong",
    "Single": "float", "Double": "double", "Decimal": "decimal", "Object": "object",
    "IntPtr": "nint", "UIntPtr": "nuint",
}  # fmt: skip
# Implicit numeric conversions of an argument, nearest first.
WIDER = {
    "sbyte": "short int long float double decimal",
    "byte": "short ushort int uint long ulong float double decimal",
    "short": "int long float double decimal",
    "ushort": "int uint long ulong float double decimal",
    "int": "nint long float double decimal",
    "uint": "nuint long ulong float double decimal",
    "nint": "long float double decimal",
    "nuint": "ulong float double decimal",
    "long": "float double decimal",
    "ulong": "float double decimal",
    "char": "ushort int uint long ulong float double decimal",
    "float": "double",
}
PLAIN = frozenset({*WIDER, "double", "decimal", "bool", "string"})
_PARAMETER = re.compile(
    r"(?:\[[^\]]*\]\s*)*((?:(?:this|ref|out|in|params|scoped|readonly)\s+)*)(.*?)\s*@?(\w+)", re.DOTALL
)


class Parameter(NamedTuple):
    """One parameter, as written."""

    type: str
    name: str
    # ref or out; None for the receiver of an extension method (`this`), for which both are allowed
    is_reference: bool | None
    is_optional: bool
    is_params: bool


class Method(NamedTuple):
    """The parameters of a method, as written."""

    type_parameters: frozenset[str]
    parameters: tuple[Parameter, ...]
    is_cut: bool  # the text was cut, so that there are further parameters

    def find(self, number: int, name: str) -> int | None:
        """Return the position of the parameter for an argument, by `name` if it is named; None if unknown."""
        if name:
            return next((position for position, one in enumerate(self.parameters) if one.name == name), None)
        if number < len(self.parameters):
            return number
        is_last = bool(self.parameters) and self.parameters[-1].is_params
        return len(self.parameters) - 1 if is_last else None

    @property
    def is_inferable(self) -> bool:
        """Return whether the type parameters can be inferred from arguments."""
        words = set(re.findall(r"\w+", " ".join(one.type for one in self.parameters)))
        return self.is_cut or self.type_parameters <= words


@lru_cache(maxsize=4_096)
def read_method(parameters: str) -> Method:
    """Return the method described by the text of a symbol's parameters, "<T>(T one, int two = 2)"."""
    types, written = split_signature(parameters)
    is_cut = parameters.endswith("…")
    read = tuple(_read_parameter(one) for one in (written[:-1] if is_cut else written))
    return Method(frozenset(types), read, is_cut)


def _read_parameter(text: str) -> Parameter:
    head, _, default = text.partition("=")
    found = _PARAMETER.fullmatch(head.strip())
    words = found[1].split() if found is not None else []
    kind, name = (found[2], found[3]) if found is not None else (text, "")
    is_reference = None if "this" in words else "out" in words or "ref" in words
    return Parameter(normalize_type(kind), name, is_reference, bool(default), "params" in words)


def list_parameter_types(method: DeclaredSymbol) -> tuple[str, ...]:
    """Return the types of a method's parameters, as normalised by `normalize_type`."""
    return tuple(one.type for one in read_method(method.parameters).parameters)


def has_arity(member: DeclaredSymbol, arity: int) -> bool:
    """Return whether a member has that many type parameters; True for 0, and for all but plain methods."""
    if not arity or member.kind is SymbolKind.CONSTRUCTOR or member.kind not in CALLABLE_KINDS:
        return True
    return len(read_method(member.parameters).type_parameters) == arity


def normalize_type(text: str) -> str:
    """Return a written type without spaces, by its C# keyword where it has one."""
    plain = "".join(text.split()).removeprefix("global::")
    short = plain.removeprefix("System.")
    name = strip_nullable(short)
    if name in _FRAMEWORK_NAMES:
        return _FRAMEWORK_NAMES[name] + "?" * short.endswith("?")
    return plain


def strip_nullable(text: str) -> str:
    """Return a written type without a "?" at its end."""
    return text.removesuffix("?")


def get_item_type(text: str) -> str:
    """Return the type of one argument of a `params` parameter."""
    plain = strip_nullable(text)
    if plain.endswith("[]"):
        return plain[:-2]
    return plain.partition("<")[2].removesuffix(">") or plain


def accepts(symbol: DeclaredSymbol, row: Reference) -> bool:
    """Return whether a callable accepts the number of arguments, perhaps as an extension method."""
    return accepts_count(symbol, row.arguments) or accepts_as_extension(symbol, row)


def accepts_as_extension(symbol: DeclaredSymbol, row: Reference) -> bool:
    """Return whether a call of a value may be one of an extension method, by the number of arguments."""
    is_extension = bool(symbol.flags & SymbolFlag.EXTENSION_METHOD)
    return is_extension and bool(row.qualifier) and accepts_count(symbol, row.arguments, extended=True)


def accepts_count(symbol: DeclaredSymbol, arguments: int, *, extended: bool = False) -> bool:
    """Return whether a callable accepts this many arguments: the number plus one; 0 if it is not known."""
    if not arguments or symbol.kind not in _CALLED_KINDS:
        return True
    passed = arguments - 1 + extended
    wanted = symbol.parameter_count
    if passed == wanted:
        return True
    if symbol.flags & SymbolFlag.VARIADIC:
        return passed >= wanted - 1
    if symbol.parameters.endswith("…"):
        return passed <= wanted  # the part that was cut may have any number of defaults
    optional = symbol.parameters.count("=") - symbol.parameters.count("=>")
    return wanted - optional <= passed <= wanted
