"""The declarations that a use of a name can mean, judged by its role and its number of arguments."""

from __future__ import annotations

from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Reference,
    ReferenceRole,
    Symbol,
    SymbolFlag,
    SymbolKind,
)

_TYPE_ROLES = frozenset(
    {
        ReferenceRole.TYPE,
        ReferenceRole.ACCEPT,
        ReferenceRole.INHERIT,
        ReferenceRole.IMPLEMENT,
        ReferenceRole.EXTEND,
        ReferenceRole.BIND,
    }
)
_VALUES = frozenset(
    {SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.PROPERTY, SymbolKind.ENUM_MEMBER, SymbolKind.EVENT}
)
_CALLED = CALLABLE_KINDS | TYPE_KINDS | _VALUES
_USED = _CALLED | {SymbolKind.MODULE}
_C_CALLED = CALLABLE_KINDS | _VALUES - {SymbolKind.ENUM_MEMBER}
_C_USED = CALLABLE_KINDS | _VALUES
_NAMED_LIKE_TYPES = {
    "rust": TYPE_KINDS | {SymbolKind.ENUM_MEMBER},  # a variant of an enum, in patterns
    "c": TYPE_KINDS | {SymbolKind.MACRO},
}


def is_wanted(kind: SymbolKind, role: ReferenceRole, language: str) -> bool:
    """Return whether a name used in a role can mean a symbol of a kind."""
    if role in _TYPE_ROLES:
        return kind in _NAMED_LIKE_TYPES.get(language, TYPE_KINDS)
    if language == "c":
        return kind in (_C_CALLED if role is ReferenceRole.CALL else _C_USED)
    return kind in (_CALLED if role is ReferenceRole.CALL else _USED)


def is_type_role(role: ReferenceRole) -> bool:
    """Return whether only types are named in a role."""
    return role in _TYPE_ROLES


def accepts_call(symbol: Symbol, call: Reference) -> bool:
    """Return whether a declaration accepts a call, judged by the number of its arguments."""
    if not call.arguments or symbol.kind not in CALLABLE_KINDS:
        return True
    given = call.arguments - 1
    wanted = symbol.parameter_count
    if SymbolFlag.VARIADIC in symbol.flags:
        return given >= wanted - 1
    defaults = symbol.parameters.count("=")
    return wanted - defaults <= given <= wanted
