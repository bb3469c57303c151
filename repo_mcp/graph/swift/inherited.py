"""Members that a protocol here has from one of another repository: only what conforms to it declares them.

`any Server` has `run()` if `Server` refines `Service` of a library, and a call of it runs that of some type
here. Left out on purpose: superclasses of another repository.
"""

from __future__ import annotations

from collections.abc import Iterable

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import split_name
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.member_lookup import iter_above
from repo_mcp.symbols.symbol_record import SymbolKind

_MARKERS = frozenset(
    {"AnyObject", "Copyable", "Escapable", "Sendable", "SendableMetatype"}
)  # without members


def keep_conforming(
    lookup: NamedLookup, owners: Iterable[Declaration], members: Iterable[Declaration]
) -> list[Declaration]:
    """Return those of some members whose types conform to a protocol among `owners` with external bases."""
    protocols = {one for one in owners if _has_external_base(lookup, one)}
    if not protocols:
        return []
    return [one for one in members if not protocols.isdisjoint(iter_above(lookup, lookup.get_parent(one)))]


def _has_external_base(lookup: NamedLookup, protocol: Declaration) -> bool:
    """Return whether a protocol, or one that it refines, has a base that is not declared here."""
    if lookup.get_kind(protocol) is not SymbolKind.TRAIT:
        return False
    for one in (protocol, *iter_above(lookup, protocol)):
        scope = lookup.find_scope(one.path)
        for row in scope.list_bases(one.ordinal) if scope is not None else ():
            assert scope is not None
            outer = scope.get_parent(one.ordinal)
            is_here = row.name in _MARKERS or lookup.find_type(scope, outer, split_name(row)).declarations
            if not is_here:
                return True
    return False
