"""Resolves names in Rust: macros, paths, derived traits, and members of external types."""

from __future__ import annotations

from collections import Counter

from repo_mcp.graph.program import NOTHING, Confidence, Declaration, Program, Resolution
from repo_mcp.graph.rust.external_types import (
    find_trait_member,
    find_trait_methods,
    is_extension,
    is_of_external_trait,
    join_build_alternatives,
    weaken_external,
)
from repo_mcp.graph.rust.lookup import RustLookup
from repo_mcp.graph.rust.macro_calls import MacroCalls
from repo_mcp.graph.rust.receivers import RustReceivers
from repo_mcp.graph.rust.rules import get_crate_root, takes_arguments
from repo_mcp.graph.typed.file_scope import FileScope, has_trait, is_public
from repo_mcp.graph.typed.guesses import is_common_member
from repo_mcp.graph.typed.language_resolver import LanguageResolver
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.graph.typed.rules import FoundDeclarations
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import (
    AS_VALUE,
    BEHIND_POINTER,
    BY_REFERENCE,
    DEREFERENCED,
    DERIVED,
    OF_MACRO,
    PATH,
)
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, Reference, ReferenceRole, SymbolKind

_OF_TYPES = TYPE_KINDS | {SymbolKind.MODULE}


class RustResolver(LanguageResolver):
    """Resolves references in files of Rust."""

    _lookup: RustLookup
    make_lookup = RustLookup
    make_receivers = RustReceivers
    counts_every_declaration = True

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._macros = MacroCalls(self._lookup)

    def _resolve(self, scope: FileScope, reference: Reference) -> Resolution:
        self._lookup.rules.place = (scope.path, reference.line)
        return super()._resolve(scope, reference)

    def _resolve_name(self, scope: FileScope, reference: Reference) -> Resolution:
        if reference.alias == OF_MACRO:
            macro = self._macros.find(scope, reference)
            return self._conclude(macro, reference) if macro.declarations else Resolution((), reference.name)
        return super()._resolve_name(scope, reference)

    def _complete_import(
        self, scope: FileScope, reference: Reference, found: dict[Declaration, Confidence]
    ) -> dict[Declaration, Confidence]:
        """Return declarations and macros of a name; a `cfg` chooses between two types or two values."""
        sorts = {one: self._find_sort(one) for one in found}
        counts = Counter(sorts.values())
        doubted = {one: Confidence.PROBABLE if counts[sorts[one]] > 1 else found[one] for one in found}
        return doubted | dict.fromkeys(self._macros.find_imported(scope, reference), Confidence.EXACT)

    def _find_sort(self, declaration: Declaration) -> str:
        kind = self._lookup.get_kind(declaration)
        return "type" if kind in _OF_TYPES else "macro" if kind is SymbolKind.MACRO else "value"

    def _conclude_bare(self, scope: FileScope, reference: Reference, found: FoundDeclarations) -> Resolution:
        if reference.role is not ReferenceRole.TYPE or reference.arguments != DERIVED:
            return super()._conclude_bare(scope, reference, found)
        traits = tuple(one for one in found.declarations if self._lookup.get_kind(one) is SymbolKind.TRAIT)
        if not traits:
            return Resolution((), found.external or reference.name)
        return self._conclude(replace(found, declarations=traits), reference)

    def _choose_role(self, reference: Reference) -> ReferenceRole:
        """Return the role in which a name is looked up; before parentheses in a pattern, that of a call."""
        return ReferenceRole.CALL if reference.arguments == AS_VALUE else reference.role

    def _is_path(self, reference: Reference) -> bool:
        return reference.alias == PATH

    def _find_static(
        self, scope: FileScope, reference: Reference, names: tuple[str, ...]
    ) -> FoundDeclarations:
        found = super()._find_static(scope, reference, names)
        if not found.declarations:
            return found
        return weaken_external(self._lookup, join_build_alternatives(self._lookup, scope, reference, found))

    def _resolve_in_receiver(
        self, scope: FileScope, reference: Reference, receiver: Receiver | None
    ) -> Resolution:
        """Resolve a member of a type, or one that a trait gives to an external type or to all types."""
        found = super()._resolve_in_receiver(scope, reference, receiver)
        if found.external and receiver is not None and reference.role is ReferenceRole.CALL:
            added = find_trait_methods(self._lookup, scope, receiver.external, reference.name)
            if added and not is_common_member(reference.name):
                return self._conclude(FoundDeclarations(tuple(added), is_certain=False), reference)
        if found.targets or (found.external and not self._may_be_declared_here(reference, receiver)):
            return found
        found = NOTHING
        if reference.role is ReferenceRole.USE and self._is_bounded(receiver):
            return self._guess(scope, reference, is_member=True)
        if not self._is_known(receiver):
            return found
        if reference.role is not ReferenceRole.CALL or is_common_member(reference.name):
            return found
        given = self._lookup.find_blanket_members(scope, reference.name)
        return self._conclude(FoundDeclarations(tuple(given), is_certain=False), reference)

    def _may_be_declared_here(self, reference: Reference, receiver: Receiver | None) -> bool:
        """Return whether what a function outside returned may be of a type with a member declared here."""
        if receiver is None or not receiver.is_result:
            return False
        is_common = is_common_member(reference.name) or self._may_mean_library(reference)
        return not is_common and self._lookup.is_inside_somewhere(reference.name)

    def _is_bounded(self, receiver: Receiver | None) -> bool:
        """Return whether of a receiver only traits are known, none of which has fields."""
        types = receiver.types if receiver is not None and not receiver.is_items else ()
        return bool(types) and all(self._lookup.get_kind(one) is SymbolKind.TRAIT for one in types)

    def _is_known(self, receiver: Receiver | None) -> bool:
        """Return whether all members of the types of a receiver are known."""
        if receiver is None or receiver.is_items or not receiver.types:
            return False
        is_outside = is_extension(self._lookup, list(receiver.types))
        return not is_outside and not any(map(self._lookup.has_expanded_members, receiver.types))

    def _list_members(self, reference: Reference, owner: Declaration) -> tuple[list[Declaration], bool]:
        """Return the members that a use may mean; for `*value`, also those of what the value points to."""
        if given := self._list_given_to_pointer(reference):
            return given, True
        members, is_meant = super()._list_members(reference, owner)
        if reference.alias != DEREFERENCED:
            return members, is_meant
        pointed = self._lookup.list_pointees(owner)
        more = [
            each for one in pointed for each in self._lookup.find_members(one, reference.name, reference.role)
        ]
        return [*dict.fromkeys((*members, *more))], is_meant and not pointed

    def _list_given_to_pointer(self, reference: Reference) -> list[Declaration]:
        """Return the methods of `self` in `impl Draw for Arc<Shape>` that come before those of Shape."""
        scope = self._lookup.reader
        block = None if scope is None else _find_block_of_self(scope, reference, BEHIND_POINTER)
        if scope is None or block is None:
            return []
        own = scope.find_children(block, reference.name)
        if own:
            return [Declaration(scope.path, one) for one in own]
        bases = self._lookup.list_bases(Declaration(scope.path, block))
        traits = (one for one in bases if self._lookup.get_kind(one) is SymbolKind.TRAIT)
        return [
            each for one in traits for each in self._lookup.find_members(one, reference.name, reference.role)
        ]

    def _is_certain(self, scope: FileScope, reference: Reference, receiver: Receiver) -> bool:
        """Return whether a member is one of the types for sure; traits may give a reference nearer ones."""
        is_certain = super()._is_certain(scope, reference, receiver)
        return is_certain and _find_block_of_self(scope, reference, BY_REFERENCE) is None

    def _list_candidates(
        self, scope: FileScope, reference: Reference, *, is_member: bool
    ) -> list[Declaration]:
        """Return the declarations of a name that the file sees, and that take the arguments of a call."""
        found = super()._list_candidates(scope, reference, is_member=is_member)
        return [one for one in found if self._is_seen(scope, one) and self._takes(one, reference)]

    def _is_seen(self, scope: FileScope, declaration: Declaration) -> bool:
        """Return False for what is not public, or in an `impl` of such a type, and in another crate."""
        other = self._lookup.find_scope(declaration.path)
        rules = self._lookup.rules
        if other is None or get_crate_root(rules.find_home(scope)) == get_crate_root(rules.find_home(other)):
            return True
        parent = self._lookup.get_parent(declaration)
        if not self._is_extension(parent):
            return self._is_public(declaration)
        types = (one for one in self._lookup.find_extended(parent) if not self._is_extension(one))
        return has_trait(other, parent.ordinal) or all(map(self._is_public, (declaration, *types)))

    def _is_public(self, declaration: Declaration) -> bool:
        scope = self._lookup.find_scope(declaration.path)
        return scope is None or is_public(scope, declaration.ordinal)

    def _takes(self, declaration: Declaration, call: Reference) -> bool:
        """Return False for a function that takes another number of arguments than a call has."""
        scope, ordinal = self._lookup.find_scope(declaration.path), declaration.ordinal
        if scope is None or call.role is not ReferenceRole.CALL:
            return True
        is_static = scope.is_static(ordinal)
        return scope.get_kind(ordinal) not in CALLABLE_KINDS or takes_arguments(
            call, scope.count_parameters(ordinal), is_static=is_static
        )

    def _find_probable(self, found: list[Declaration]) -> Declaration | None:
        """Return the only declaration, unless its trait is external; or the one that all others implement."""
        only = super()._find_probable(found)
        if only is None or is_of_external_trait(self._lookup, only):
            return find_trait_member(self._lookup, found)
        return only

    def _are_build_alternatives(self, declarations: list[Declaration]) -> bool:
        """Return whether the declarations are in one scope."""
        return len(declarations) > 1 and len(set(map(self._lookup.get_parent, declarations))) == 1


def _find_block_of_self(scope: FileScope, reference: Reference, kind: int) -> int | None:
    """Return the `impl` for a reference or a pointer, as `kind` says, on whose `self` a method is called."""
    if reference.role is not ReferenceRole.CALL or reference.qualifier != "self":
        return None
    around = scope.find_type_around(reference.symbol)
    row = scope.find_extended(around) if around is not None else None
    return around if row is not None and row.arguments == kind else None
