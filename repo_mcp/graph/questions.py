"""What the graph can be asked for: types of edges, and what a search for symbols is limited to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from repo_mcp.symbols.model import SymbolKind


class EdgeType(StrEnum):
    """What a relation is, as specification 3 names them."""

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
IMPLEMENTATIONS = (EdgeType.IMPLEMENTS, EdgeType.EXTENDS, EdgeType.INHERITS)
# Who names a symbol in any role: all but where it stands and what it overrides.
NAMED = tuple(one for one in EdgeType if one not in (EdgeType.CONTAINS, EdgeType.OVERRIDES))


def name_kind(kind: SymbolKind) -> str:
    """A kind as answers and arguments write it: "method", "enum_member"."""
    return kind.name.lower()


KINDS = {name_kind(kind): kind for kind in SymbolKind}


@dataclass(frozen=True, slots=True)
class SymbolFilter:
    """What a search for symbols is limited to."""

    kind: str | None = None  # one of KINDS
    language: str | None = None
    project_id: str | None = None
