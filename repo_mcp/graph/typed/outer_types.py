"""Types of other crates that Rust implements traits for: they have members that are not known."""

from __future__ import annotations

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import has_trait
from repo_mcp.graph.typed.holder import is_extension
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.rules import FoundDeclarations
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import SymbolKind


def doubt_outer(lookup: NamedLookup, found: FoundDeclarations) -> FoundDeclarations:
    """Return what a path of Rust may mean: a type of another crate has members of its own.

    Of the traits that the standard library declares it has other implementations, as `String::from`."""
    if not any(_is_of_outer(lookup, one) for one in found.declarations):
        return found
    is_elsewhere = any(is_of_trait_outside(lookup, one) for one in found.declarations)
    return replace(found, is_certain=False, is_elsewhere=is_elsewhere)


def _is_of_outer(lookup: NamedLookup, member: Declaration) -> bool:
    """Return whether a declaration is in an `impl` for a type of another crate."""
    scope = lookup.find_scope(member.path)
    if scope is None:
        return False
    block = Declaration(member.path, scope.get_parent(member.ordinal))
    return is_extension(lookup, [block]) and lookup.find_extended(block) == [block]


def is_of_trait_outside(lookup: NamedLookup, member: Declaration) -> bool:
    """Return whether a member is in an `impl` of an external trait, which external types have, too."""
    scope = lookup.find_scope(member.path)
    if scope is None or scope.language != "rust":
        return False
    owner = scope.get_parent(member.ordinal)
    if not has_trait(scope, owner):
        return False
    bases = lookup.list_bases(Declaration(member.path, owner))
    kinds = ((lookup.find_scope(one.path), one.ordinal) for one in bases)
    return not any(other and other.get_kind(ordinal) is SymbolKind.TRAIT for other, ordinal in kinds)
