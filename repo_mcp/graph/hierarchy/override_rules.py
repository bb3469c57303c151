"""Judges how surely a member overrides one of its name in a type above, by what both declare.

In C# and Swift a member says so if it overrides one of a class; otherwise it hides that one. In Java nothing
static or private is overridden, in Python and TypeScript nothing whose name makes it private. In C#, Java and
C++ an override has the parameter types of its base, in which a type parameter may stand for any type.

Left out on purpose: whether a member of C++ is virtual, and what `using` or `typedef` makes of a type.
"""

from __future__ import annotations

from repo_mcp.graph.c.cpp_parameters import list_types
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.swift.rules import have_same_labels
from repo_mcp.languages.treesitter.parameter_types import is_type_parameter, list_plain_types, make_plain
from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    Access,
    Binding,
    DeclaredSymbol,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
)

# Languages where members with one name but different parameter counts are different members.
BY_SIGNATURE = frozenset({"csharp", "java", "c", "cpp"})  # a header of C++ may have the name of a C header
_WITH_KEYWORD = frozenset({"csharp", "swift"})
_SCRIPTS = frozenset({"javascript", "typescript"})
_WITHOUT_ALIASES = frozenset({"csharp", "java"})
_CLASSES = frozenset({SymbolKind.CLASS, SymbolKind.RECORD})


def have_one_name(language: str, one: DeclaredSymbol, other: DeclaredSymbol) -> bool:
    """Return whether two members of one base name have one full name, which in Swift includes the labels.

    A case of an enum may stand for a static function of a protocol, and for a property.
    """
    if language != "swift" or SymbolKind.ENUM_MEMBER in {one.kind, other.kind}:
        return True
    if one.kind in CALLABLE_KINDS and other.kind in CALLABLE_KINDS:
        return have_same_labels(one.parameters, other.parameters)
    return one.kind not in CALLABLE_KINDS and other.kind not in CALLABLE_KINDS


def judge_override(
    language: str, low: DeclaredSymbol, high: DeclaredSymbol, above: SymbolRecord
) -> Confidence | None:
    """Return how sure it is that `low` overrides `high`, a member of a type in the file `above`; None if it
    does not."""
    is_of_class = above.get_kind(high.parent) in _CLASSES
    if language in _WITH_KEYWORD and is_of_class and SymbolFlag.OVERRIDE not in low.flags:
        return None
    if language == "java" and (is_fixed(low) or is_fixed(high)):
        return None
    if language == "python" and high.name.startswith("__") and not high.name.endswith("__"):
        return None  # each class has its own
    if language in _SCRIPTS and (high.name.startswith("#") or _are_apart(low, high)):
        return None
    if language == "swift" and low.kind is not SymbolKind.ENUM_MEMBER and _are_apart(low, high):
        return None
    if language not in BY_SIGNATURE or _have_types_of(low, high, language, above):
        return Confidence.EXACT
    if language in _WITHOUT_ALIASES and SymbolFlag.OVERRIDE not in low.flags:
        return None
    return Confidence.POSSIBLE


def _are_apart(low: DeclaredSymbol, high: DeclaredSymbol) -> bool:
    """Return whether one of two members belongs to the class itself, and the other to its objects."""
    return bool(low.flags & SymbolFlag.STATIC) != bool(high.flags & SymbolFlag.STATIC)


def is_fixed(member: DeclaredSymbol) -> bool:
    """Return whether a method of Java neither overrides another nor is overridden."""
    is_method = member.kind is SymbolKind.METHOD
    return is_method and (SymbolFlag.STATIC in member.flags or member.access is Access.PRIVATE)


def _have_types_of(low: DeclaredSymbol, high: DeclaredSymbol, language: str, above: SymbolRecord) -> bool:
    ours, theirs = _list_types(low, language), _list_types(high, language)
    pairs = zip(ours, theirs, strict=False)  # as many as the shorter list has, because it may have been cut
    different = [other for one, other in pairs if one != other]
    if language not in _WITHOUT_ALIASES:
        return all(map(is_type_parameter, different))
    return not different or _list_type_parameters(above, high.ordinal).issuperset(
        one.strip("[]") for one in different
    )


def _list_type_parameters(record: SymbolRecord, ordinal: int) -> set[str]:
    """Return the names of the type parameters that a member of Java or C# sees.

    C# has them in its symbols, Java in rows that bind them.
    """
    names: set[str] = set()
    while ordinal:
        written = split_signature(record.strings[record.parameters[ordinal]]).type_parameters
        names.update(one.split()[-1] for one in written if one)  # `in T`
        bound = record.list_own_role(ordinal, ReferenceRole.BIND)
        names.update(
            record.strings[record.ref_aliases[row]]
            for row in bound
            if record.ref_arguments[row] == Binding.BOUND
        )
        ordinal = record.get_parent(ordinal)
    return names


def _list_types(member: DeclaredSymbol, language: str) -> list[str]:
    if language in _WITHOUT_ALIASES:
        return list_plain_types(member.parameters, language)
    return [make_plain(one) for one in list_types(member)]
