"""External types for which Rust code implements traits: not all of their members are known."""

from __future__ import annotations

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope, has_trait
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.rules import FoundDeclarations
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import TYPE_KINDS, Reference, ReferenceRole, SymbolKind


def weaken_external(lookup: NamedLookup, found: FoundDeclarations) -> FoundDeclarations:
    """Return the declarations of a path, uncertain if one of them is in an `impl` for an external type.

    Such a type has members of its own, and other implementations of traits of the standard library, such as
    `String::from`.
    """
    if not any(_is_of_external_type(lookup, one) for one in found.declarations):
        return found
    is_elsewhere = any(is_of_external_trait(lookup, one) for one in found.declarations)
    return replace(found, is_certain=False, is_elsewhere=is_elsewhere)


def join_build_alternatives(
    lookup: NamedLookup, scope: FileScope, use: Reference, found: FoundDeclarations
) -> FoundDeclarations:
    """Return the members that a path leads to, with those of the type that its qualifier names.

    These differ if a build chooses between `pub use own::*` and `pub type Size = Other;`.
    """
    names = tuple(use.qualifier.split("."))
    block = _find_block(lookup, found.declarations[0])
    if block is None or not names[-1][:1].isupper() or names[-1] == "Self":
        return found
    own = set(lookup.find_extended(block))
    types = lookup.find_type(scope, use.symbol, names).declarations
    if own & {*types, *(base for one in types for base in lookup.list_bases(one))}:
        return found
    more = [each for one in types for each in lookup.find_members(one, use.name, use.role)]
    declarations = tuple(dict.fromkeys((*found.declarations, *more)))
    is_more = len(declarations) > len(found.declarations)
    return replace(found, declarations=declarations, alternatives=len(declarations)) if is_more else found


def _find_block(lookup: NamedLookup, member: Declaration) -> Declaration | None:
    """Return the `impl` that a declaration is in, or None."""
    parent = lookup.get_parent(member)
    return parent if lookup.get_kind(parent) is SymbolKind.EXTENSION else None


def _is_of_external_type(lookup: NamedLookup, member: Declaration) -> bool:
    """Return whether a declaration is in an `impl` for an external type."""
    block = _find_block(lookup, member)
    return block is not None and lookup.find_extended(block) == [block]


def is_of_external_trait(lookup: NamedLookup, member: Declaration) -> bool:
    """Return whether a member is in an `impl` of an external trait, which external types may implement."""
    scope = lookup.find_scope(member.path)
    if scope is None:
        return False
    owner = scope.get_parent(member.ordinal)
    if not has_trait(scope, owner):
        return False
    bases = lookup.list_bases(Declaration(member.path, owner))
    return not any(lookup.get_kind(one) is SymbolKind.TRAIT for one in bases)


def find_trait_member(lookup: NamedLookup, members: list[Declaration]) -> Declaration | None:
    """Return the member of a trait that all the other members implement; None without such a trait."""
    of_trait: list[Declaration] = []
    traits: set[str] = set()
    for one in members:
        scope = lookup.find_scope(one.path)
        parent = scope.get_parent(one.ordinal) if scope is not None else 0
        if scope is None:
            return None
        if scope.get_kind(parent) is SymbolKind.TRAIT:
            of_trait.append(one)
            traits.add(scope.get_name(parent))
        else:
            rows = [row.name for row in scope.list_bases(parent) if row.role is ReferenceRole.IMPLEMENT]
            traits.add(rows[0] if rows else "")
    return of_trait[0] if len(of_trait) == 1 and len(traits) == 1 else None


def find_trait_methods(lookup: NamedLookup, scope: FileScope, type_name: str, name: str) -> list[Declaration]:
    """Return the methods of a name that traits of this repository give to an external type."""
    own = type_name.rpartition(".")[2]
    found = []
    for other, ordinal in lookup.iter_named(scope, name):
        block, member = other.get_parent(ordinal), Declaration(other.path, ordinal)
        is_block = other.get_kind(block) is SymbolKind.EXTENSION and other.get_name(block) == own
        if is_block and has_trait(other, block) and not is_of_external_trait(lookup, member):
            found.append(member)
    return found


def is_extension(lookup: NamedLookup, found: list[Declaration]) -> bool:
    """Return whether one of the types is an extension, which stands for an external type."""
    return any(lookup.get_kind(one) is SymbolKind.EXTENSION for one in found)


def declares_type(lookup: NamedLookup, scope: FileScope, name: str) -> bool:
    """Return whether a type of a name is declared anywhere in the repository."""
    kinds = (other.get_kind(one) for other, one in lookup.iter_named(scope, name))
    return any(kind in TYPE_KINDS and kind is not SymbolKind.EXTENSION for kind in kinds)
