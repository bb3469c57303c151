"""How surely a member overrides one of its name in a type above, by what both declare.

In C# and Swift the override of a class's member says so; one that does not hides it. In Java nothing static
or private is overridden. In C#, Java and C++ an override has the parameter types of its base, in which a type
parameter may stand for any type.

Left out on purpose: whether a member of C++ is virtual, and what `using` or `typedef` makes of a type.
"""

from __future__ import annotations

import re

from repo_mcp.graph.program import Confidence
from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.symbols.symbol_record import Access, DeclaredSymbol, SymbolFlag, SymbolKind

# Languages where members with one name but different parameter counts are different members.
BY_SIGNATURE = frozenset({"csharp", "java", "cpp"})
_WITH_KEYWORD = frozenset({"csharp", "swift"})
_WITHOUT_ALIASES = frozenset({"csharp", "java"})
_CLASSES = frozenset({SymbolKind.CLASS, SymbolKind.RECORD})
_LAST_NAME = re.compile(r"\w+\s*$")
_ASIDE = re.compile(
    r"<[^<>]*>|@\w+(?:\([^()]*\))?|\b(?:final|const|ref|out|in|this|params|struct|class)\b|[\w.:]*(?:\.|::)(?=\w)|\?"
)
_SPACES = re.compile(r"\s+")
_TYPE_PARAMETER = re.compile(r"[A-Z][A-Z0-9]*|T[A-Z]\w*|This|Self")
_NAMES = {"String": "string", "Object": "object", "Boolean": "bool", "Int32": "int", "Int64": "long"}  # of C#


def judge_override(
    language: str, low: DeclaredSymbol, high: DeclaredSymbol, above: SymbolKind
) -> Confidence | None:
    """Return how sure it is that `low` overrides `high`, a member of a type of the kind `above`; None if it
    does not."""
    is_of_class = above in _CLASSES
    if language in _WITH_KEYWORD and is_of_class and SymbolFlag.OVERRIDE not in low.flags:
        return None
    if language == "java" and (_is_fixed(low) or _is_fixed(high)):
        return None
    if language not in BY_SIGNATURE or _have_types_of(low, high, language):
        return Confidence.EXACT
    if language in _WITHOUT_ALIASES and SymbolFlag.OVERRIDE not in low.flags:
        return None
    return Confidence.POSSIBLE


def list_types(parameters: str) -> list[str]:
    """Return the types in a written parameter list: the text after a colon, or before the name."""
    types = []
    for one in split_signature(parameters).parameters:
        text = one.partition("=")[0].strip()
        before, colon, behind = text.partition(":")
        types.append(behind.strip() if colon and before.strip() else _LAST_NAME.sub("", text).strip())
    return types


def _is_fixed(member: DeclaredSymbol) -> bool:
    is_method = member.kind is SymbolKind.METHOD
    return is_method and (SymbolFlag.STATIC in member.flags or member.access is Access.PRIVATE)


def _have_types_of(low: DeclaredSymbol, high: DeclaredSymbol, language: str) -> bool:
    ours, theirs = _list_plain(low.parameters, language), _list_plain(high.parameters, language)
    pairs = zip(ours, theirs, strict=False)  # as many as the shorter has: those of a cut list are not known
    return all(one == other or _TYPE_PARAMETER.fullmatch(other.strip("&*[]")) for one, other in pairs)


def _list_plain(parameters: str, language: str) -> list[str]:
    """Return the types of parameters without qualifiers, type arguments, modifiers and annotations."""
    found = []
    for text in list_types(parameters):
        plain = text
        while (shorter := _ASIDE.sub("", plain)) != plain:
            plain = shorter
        plain = _SPACES.sub("", plain).replace("...", "[]")
        found.append(_NAMES.get(plain, plain) if language == "csharp" else plain)
    return found
