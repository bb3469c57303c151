"""The macros of Swift that a use means: attached ones for `@Name`, all others for `#Name`."""

from __future__ import annotations

from repo_mcp.graph.program import NOTHING, Confidence, Declaration, Resolution, Target
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.guesses import MAX_POSSIBLE
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolFlag, SymbolKind


def resolve_macro(lookup: NamedLookup, scope: FileScope, use: Reference) -> Resolution:
    """Return the macros that a use means.

    One is certain in a module that is visible there. Any other may be exported by one that is.
    """
    rules = lookup.rules
    found = [
        (other, one)
        for other, one in lookup.iter_named(scope, use.name)
        if other.get_kind(one) is SymbolKind.MACRO and _may_mean(lookup, other, one, use)
    ]
    homes = set(rules.list_visible(scope, use.symbol))
    visible = [one for one in found if rules.find_home(one[0]) in homes]
    chosen = visible or found
    if len(chosen) > MAX_POSSIBLE:
        return NOTHING
    sure = Confidence.EXACT if visible else Confidence.PROBABLE
    sure = sure if len(chosen) == 1 else Confidence.POSSIBLE
    return Resolution(tuple(Target(Declaration(other.path, one), sure) for other, one in chosen))


def _may_mean(lookup: NamedLookup, scope: FileScope, macro: int, use: Reference) -> bool:
    is_attached = bool(int(scope.record.flags[macro]) & SymbolFlag.ATTACHED)
    if use.role is not ReferenceRole.CALL:
        return is_attached
    return not is_attached and lookup.rules.accepts(scope.get_symbol(macro), use)
