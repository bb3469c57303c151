"""The vocabulary of graph queries: the types of edges, and the filters of a symbol search."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import CALLABLE_KINDS, TYPE_KINDS, ReferenceRole, SymbolKind


class EdgeType(StrEnum):
    """The types of relations, as named in specification 3."""

    CALLS = "calls"
    INHERITS = "inherits"
    IMPLEMENTS = "implements"
    IMPORTS = "imports"
    OVERRIDES = "overrides"
    REFERENCES = "references"
    CONTAINS = "contains"
    ACCEPTS = "accepts"
    EXTENDS = "extends"


CALLS = (EdgeType.CALLS,)
BASES = (ReferenceRole.INHERIT, ReferenceRole.IMPLEMENT, ReferenceRole.EXTEND)
# Role of a reference -> the type of its edge; for one to a base, as long as nothing is known of the base.
ROLE_EDGES: Mapping[ReferenceRole, EdgeType] = {
    ReferenceRole.CALL: EdgeType.CALLS,
    ReferenceRole.INHERIT: EdgeType.INHERITS,
    ReferenceRole.IMPLEMENT: EdgeType.IMPLEMENTS,
    ReferenceRole.EXTEND: EdgeType.EXTENDS,
    ReferenceRole.IMPORT: EdgeType.IMPORTS,
    ReferenceRole.EXPORT: EdgeType.IMPORTS,
    ReferenceRole.ACCEPT: EdgeType.ACCEPTS,
    ReferenceRole.TYPE: EdgeType.REFERENCES,
    ReferenceRole.USE: EdgeType.REFERENCES,
}
IMPLEMENTATIONS = (EdgeType.IMPLEMENTS, EdgeType.EXTENDS, EdgeType.INHERITS)
# Every role in which a symbol is named: all but containment and overriding.
NAMED = tuple(one for one in EdgeType if one not in (EdgeType.CONTAINS, EdgeType.OVERRIDES))

# Language -> the kinds of symbols whose uses its parser does not record.
UNRECORDED_KINDS: Mapping[str, frozenset[SymbolKind]] = {
    "cpp": frozenset({SymbolKind.MODULE}),
    "java": frozenset({SymbolKind.MODULE}),
    "go": frozenset({SymbolKind.MODULE}),
    "rust": frozenset({SymbolKind.MODULE, SymbolKind.EXTENSION}),  # an `impl`; its type is named
    "swift": frozenset({SymbolKind.EXTENSION}),
}
# Languages without extensions: an EXTENSION in their records holds methods that stand above their type or in
# another file.
_WITHOUT_EXTENSIONS = frozenset({"go"})
# Languages in which no file names another, so that what depends on a file is what uses its declarations.
NAMELESS_FILES = frozenset({"csharp", "go", "java", "swift"})
# Languages whose files can name each other's symbols; a file in any other names only those of its own
# language.
_FAMILIES = {"cpp": "c", "typescript": "javascript"}
_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.EVENT})
IMPLEMENTED_KINDS = TYPE_KINDS | _MEMBERS
CALLED_KINDS = CALLABLE_KINDS | TYPE_KINDS  # a type is called through its constructors


def list_implementing(kind: SymbolKind) -> tuple[EdgeType, ...]:
    """Return the types of edges from implementations or overrides of a symbol of this kind."""
    return (EdgeType.OVERRIDES,) if kind in _MEMBERS else IMPLEMENTATIONS


def are_uses_recorded(language: str, kind: SymbolKind) -> bool:
    """Return whether the parser of a language records the uses of symbols of a kind."""
    return kind not in UNRECORDED_KINDS.get(language, ())


def is_in_text(language: str, kind: SymbolKind) -> bool:
    """Return False for a symbol that a parser adds to hold others, and that nobody asks for."""
    return kind is not SymbolKind.EXTENSION or language not in _WITHOUT_EXTENSIONS


def find_family(language: str) -> str:
    """Return the family of a language: the name of those languages that can name symbols of each other."""
    return _FAMILIES.get(language, language)


def list_family(language: str) -> frozenset[str]:
    """Return the languages that can name symbols of a language."""
    family = find_family(language)
    return frozenset({language, family, *(one for one, other in _FAMILIES.items() if other == family)})


IMPL = "impl"
ALIAS = "alias"  # of a type of Go
BLOCKS = frozenset({IMPL, "extension"})  # names of kinds that only add to a type


def name_kind(kind: SymbolKind, language: str = "") -> str:
    """Return a kind in the spelling of answers and arguments: "method", "enum_member"."""
    return IMPL if language == "rust" and kind is SymbolKind.EXTENSION else kind.name.lower()


KINDS = {name_kind(kind): kind for kind in SymbolKind} | {IMPL: SymbolKind.EXTENSION}
DEFAULT_IMPACT_DEPTH, MAX_IMPACT_DEPTH = 2, 4  # edges between a changed symbol and what it reaches


@dataclass(frozen=True, slots=True)
class SymbolFilter:
    """The filters of a symbol search; None admits everything."""

    kind: str | None = None  # one of KINDS
    language: str | None = None
    project_id: str | None = None
