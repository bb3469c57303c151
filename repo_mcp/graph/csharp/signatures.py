"""What a method of C# takes, as it is written in the text of its parameters."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, Symbol, SymbolKind

_FRAMEWORK_NAMES = {
    "String": "string", "Int32": "int", "Int64": "long", "Int16": "short", "Boolean": "bool", "Char": "char",
    "Byte": "byte", "SByte": "sbyte", "UInt16": "ushort", "UInt32": "uint", "UInt64": "ulong",
    "Single": "float", "Double": "double", "Decimal": "decimal", "Object": "object",
    "IntPtr": "nint", "UIntPtr": "nuint",
}  # fmt: skip
_PARAMETER = re.compile(
    r"(?:\[[^\]]*\]\s*)*((?:(?:this|ref|out|in|params|scoped|readonly)\s+)*)(.*?)\s*@?(\w+)", re.DOTALL
)


class Parameter(NamedTuple):
    """One parameter, as written."""

    type: str
    name: str
    is_reference: bool | None  # ref or out; None for a value before the name of the method, which may be
    is_optional: bool
    is_params: bool


class Method(NamedTuple):
    """What a method takes, as written."""

    type_parameters: frozenset[str]
    parameters: tuple[Parameter, ...]
    is_cut: bool  # there are more

    def find(self, number: int, name: str) -> int | None:
        """The place of the parameter of an argument; None where it has none, or none that is known."""
        if name:
            return next((ordinal for ordinal, one in enumerate(self.parameters) if one.name == name), None)
        if number < len(self.parameters):
            return number
        is_last = bool(self.parameters) and self.parameters[-1].is_params
        return len(self.parameters) - 1 if is_last else None

    @property
    def is_inferable(self) -> bool:
        """True when arguments can tell the type parameters."""
        words = set(re.findall(r"\w+", " ".join(one.type for one in self.parameters)))
        return self.is_cut or self.type_parameters <= words


@lru_cache(maxsize=4_096)
def read_method(parameters: str) -> Method:
    """Of the text of a symbol's parameters, "<T>(T one, int two = 2)"."""
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


def list_parameter_types(method: Symbol) -> tuple[str, ...]:
    """The types of the parameters of a method, as written but for spaces."""
    return tuple(one.type for one in read_method(method.parameters).parameters)


def has_arity(member: Symbol, arity: int) -> bool:
    """True for a method with so many type parameters, and with any where a call gives none."""
    if not arity or member.kind is SymbolKind.CONSTRUCTOR or member.kind not in CALLABLE_KINDS:
        return True
    return len(read_method(member.parameters).type_parameters) == arity


def normalize_type(text: str) -> str:
    """A written type without spaces, by its keyword where it has one."""
    plain = "".join(text.split()).removeprefix("global::")
    short = plain.removeprefix("System.")
    name = strip_nullable(short)
    if name in _FRAMEWORK_NAMES:
        return _FRAMEWORK_NAMES[name] + "?" * short.endswith("?")
    return plain


def strip_nullable(text: str) -> str:
    """A written type that does not say that it may be nothing."""
    return text.removesuffix("?")


def get_item_type(text: str) -> str:
    """The type of one item of what `params` takes."""
    plain = strip_nullable(text)
    if plain.endswith("[]"):
        return plain[:-2]
    return plain.partition("<")[2].removesuffix(">") or plain
