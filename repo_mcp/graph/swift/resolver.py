"""Resolves names in Swift: labels, initialisers, members after a bare dot, and requirements of protocols."""

from __future__ import annotations

from repo_mcp.graph.program import NOTHING, UNCOUNTED, Confidence, Declaration, Resolution, Target
from repo_mcp.graph.swift.extensions import list_extension_members
from repo_mcp.graph.swift.inherited import keep_conforming
from repo_mcp.graph.swift.lookup import SwiftLookup
from repo_mcp.graph.swift.macros import resolve_macro
from repo_mcp.graph.swift.overloads import (
    choose_members,
    choose_overload,
    drop_asynchronous,
    is_after_bare_dot,
    is_type_member,
    weaken_bare,
)
from repo_mcp.graph.swift.receivers import SwiftReceivers
from repo_mcp.graph.swift.rules import has_values, is_of_value
from repo_mcp.graph.typed.file_scope import FileScope, find_lookup_ordinal
from repo_mcp.graph.typed.guesses import MAX_POSSIBLE
from repo_mcp.graph.typed.language_resolver import LanguageResolver
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.graph.typed.rules import NOT_FOUND, FoundDeclarations
from repo_mcp.languages.swift.types import KNOWN_PARAMETERS
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import AS_ATTRIBUTE, AS_LABEL, BARE_DOT, EXPANDING, SIGN_OF_MACRO
from repo_mcp.symbols.symbol_record import TYPE_KINDS, Reference, ReferenceRole, SymbolKind


class SwiftResolver(LanguageResolver):
    """Resolves references in files of Swift."""

    make_lookup = SwiftLookup
    make_receivers = SwiftReceivers

    def _resolve(self, scope: FileScope, reference: Reference) -> Resolution:
        found = super()._resolve(scope, reference)
        if len(found.targets) < 2 or self._may_mean_library(reference):
            return found
        if self._is_passed_out(scope, reference):
            return found
        return choose_overload(self._lookup, self._receivers, scope, reference, found)

    def _resolve_name(self, scope: FileScope, reference: Reference) -> Resolution:
        if reference.role is ReferenceRole.USE and reference.arguments == AS_LABEL:
            return self._resolve_label(scope, reference)
        if reference.qualifier == SIGN_OF_MACRO:
            found = resolve_macro(self._lookup, scope, reference)
            return found if found.targets else Resolution((), SIGN_OF_MACRO + reference.name)
        of_type = reference.arguments if reference.role is ReferenceRole.TYPE else 0
        if of_type == EXPANDING:
            path = (*reference.qualifier.split("."), reference.name)
            return self._conclude(self._lookup.find_path(scope, path, ReferenceRole.TYPE), reference)
        found = super()._resolve_name(scope, reference)
        if found == NOTHING and of_type == AS_ATTRIBUTE:
            return resolve_macro(self._lookup, scope, reference)
        return found

    # Labels

    def _resolve_label(self, scope: FileScope, reference: Reference) -> Resolution:
        """Resolve a label of a switch: a case or a static member of the compared type."""
        receiver = self._find_receiver(scope, reference, reference.qualifier)
        is_property = "." in reference.qualifier and not reference.qualifier.endswith("()")
        if receiver is None or (receiver.is_result and not is_property):
            return self._guess(scope, reference, is_member=True)  # a case is not a name in scope
        for one in receiver.types:
            if self._lookup.get_kind(one) in TYPE_KINDS:
                members = self._lookup.find_members(one, reference.name, reference.role)
                static = tuple(each for each in members if is_type_member(self._lookup, each))
                return self._conclude(FoundDeclarations(static, receiver.is_certain), reference)
        return NOTHING

    def _resolve_of_type(self, scope: FileScope, reference: Reference) -> Resolution:
        """Resolve the label of an argument: it names a property if the struct declares no initialiser."""
        names = tuple(reference.qualifier.split("."))
        found = NOT_FOUND
        if all(one.isidentifier() for one in names) and names[0] not in {"self", "Self"}:
            found = self._lookup.find_type(scope, reference.symbol, names)
        if not found.declarations:
            receiver = self._find_receiver(scope, reference, reference.qualifier)
            found = FoundDeclarations(receiver.types, receiver.is_certain) if receiver is not None else found
        if (
            len(found.declarations) != 1
            or self._lookup.get_kind(found.declarations[0]) is not SymbolKind.STRUCT
        ):
            return NOTHING
        made = found.declarations[0]
        other = self._lookup.find_scope(made.path)
        if other is None or other.find_children(made.ordinal, "init"):
            return NOTHING
        own = [
            Declaration(made.path, one)
            for one in other.find_children(made.ordinal, reference.name)
            if other.get_kind(one) is SymbolKind.PROPERTY
        ]
        constructors = self._lookup.find_constructors(made)  # initialisers in extensions may be meant instead
        return self._conclude(FoundDeclarations(tuple(own), found.is_certain and not constructors), reference)

    def _list_candidates(
        self, scope: FileScope, reference: Reference, *, is_member: bool
    ) -> list[Declaration]:
        """Return the declarations that may be meant by name alone.

        After a bare dot these are members of types, and after the name of a value members of values. If there
        are too many for a guess, none are left out.
        """
        found = super()._list_candidates(scope, reference, is_member=is_member)
        if reference.role is ReferenceRole.CALL:
            found = [one for one in found if self._may_be_called(one, reference)]
        if len(found) > MAX_POSSIBLE:
            return found
        if is_after_bare_dot(reference):
            return [one for one in found if is_type_member(self._lookup, one)]
        if is_member and is_of_value(reference):
            return [one for one in found if not is_type_member(self._lookup, one)]
        return found

    def _may_be_called(self, member: Declaration, call: Reference) -> bool:
        """Return False for a case, unless it follows a bare dot and has the values that are passed."""
        if self._lookup.get_kind(member) is not SymbolKind.ENUM_MEMBER:
            return True
        return is_after_bare_dot(call) and has_values(self._lookup.get_parameters(member), call.alias)

    def _is_callable_kind(self, scope: FileScope, kind: SymbolKind) -> bool:
        return kind is SymbolKind.ENUM_MEMBER or super()._is_callable_kind(scope, kind)

    def _guess(self, scope: FileScope, reference: Reference, *, is_member: bool) -> Resolution:
        """Return the declarations of a name; after a bare dot, one that is passed out is only possible."""
        found = super()._guess(scope, reference, is_member=is_member)
        if found.targets and self._is_passed_out(scope, reference):
            targets = (replace(one, confidence=Confidence.POSSIBLE) for one in found.targets)
            return replace(found, targets=tuple(targets))
        return found

    def _is_passed_out(self, scope: FileScope, reference: Reference) -> bool:
        """Return whether a member after a bare dot is an argument of a method of an external type.

        Such a method takes external types, unless a type argument of its type is one of the repository.
        """
        called, step, _ = reference.qualifier.rpartition(".@")
        owner = called.rpartition(".")[0] if step and is_after_bare_dot(reference) else ""
        if not owner:
            return False
        receiver = self._find_receiver(scope, reference, owner)
        if receiver is not None:
            is_key = receiver.is_items and called.endswith(".subscript")
            is_own = bool(receiver.types) or _has_own_arguments(receiver)
            return bool(receiver.external) and not (is_own or is_key)
        names = tuple(owner.split("."))
        is_type = names[-1][:1].isupper() and all(one.isidentifier() for one in names)
        is_type = is_type and names[-1] not in KNOWN_PARAMETERS  # of a type argument that is not written
        return is_type and not self._lookup.find_type(scope, reference.symbol, names).declarations

    def _may_mean_library(self, reference: Reference) -> bool:
        """Return whether a case or a static member after a bare dot or a type may be one of the library."""
        is_of_type = is_after_bare_dot(reference) or reference.qualifier.rpartition(".")[2][:1].isupper()
        return is_of_type and super()._may_mean_library(reference)

    # Bare names

    def _conclude_bare(self, scope: FileScope, reference: Reference, found: FoundDeclarations) -> Resolution:
        if self._is_associated_type(scope, find_lookup_ordinal(scope, reference), found):
            return Resolution((), reference.name)
        return super()._conclude_bare(scope, reference, weaken_bare(self._lookup, scope, reference, found))

    def _is_associated_type(self, scope: FileScope, ordinal: int, found: FoundDeclarations) -> bool:
        """Return whether a name leads to an associated type of a protocol, seen from a type that conforms to
        it.

        There it means what the type has in its place: a type parameter, or a type that the compiler infers.
        """
        around = scope.find_type_around(ordinal)
        if around is None or not found.declarations:
            return False
        owners = self._lookup.find_extended(Declaration(scope.path, around))
        is_protocol = any(self._lookup.get_kind(one) is SymbolKind.TRAIT for one in owners)
        # the extended type may be one of the standard library
        if scope.get_kind(around) is SymbolKind.EXTENSION:
            other = self._lookup.find_scope(found.declarations[0].path)
            known = KNOWN_PARAMETERS.get("Collection" if is_protocol else scope.get_name(around), ())
            if other is not None and other.get_name(found.declarations[0].ordinal) in known:
                return True
        return not is_protocol and all(
            self._lookup.get_kind(one) is SymbolKind.TYPE and self._is_requirement(one)
            for one in found.declarations
        )

    def _choose_called(self, declarations: list[Declaration], call: Reference) -> list[Declaration]:
        return drop_asynchronous(self._lookup, call, super()._choose_called(declarations, call))

    # Members

    def _find_static(
        self, scope: FileScope, reference: Reference, names: tuple[str, ...]
    ) -> FoundDeclarations:
        found = super()._find_static(scope, reference, names)
        reached = tuple(one for one in found.declarations if is_type_member(self._lookup, one))
        return replace(found, declarations=reached)

    def _find_receiver(self, scope: FileScope, reference: Reference, chain: str) -> Receiver | None:
        return super()._find_receiver(scope, reference, chain.removesuffix(BARE_DOT))

    def _resolve_member(self, scope: FileScope, reference: Reference) -> Resolution:
        found = super()._resolve_member(scope, reference)
        # Most subscripts are those of lists and dictionaries.
        return found if found.targets or reference.name != "subscript" else UNCOUNTED

    def _resolve_in_receiver(
        self, scope: FileScope, reference: Reference, receiver: Receiver | None
    ) -> Resolution:
        is_made = reference.name == "init" and reference.role is ReferenceRole.CALL
        if is_made and receiver is not None:
            return self._resolve_init(reference, receiver)
        # the member of an external type may give out a value of one of its type arguments
        for _, given in receiver.type_arguments if receiver is not None and receiver.is_result else ():
            found = self._resolve_in_types(scope, reference, replace(given, is_certain=False))
            if found.targets:
                return found
        if receiver is not None and (receiver.external or receiver.is_items):
            extending = list_extension_members(self._lookup, scope, receiver, reference)
            found = self._conclude(FoundDeclarations(extending, is_certain=False), reference)
            if found.targets:
                return found
        return super()._resolve_in_receiver(scope, reference, receiver)

    def _resolve_in_types(self, scope: FileScope, reference: Reference, receiver: Receiver) -> Resolution:
        found = super()._resolve_in_types(scope, reference, receiver)
        if not found.targets:
            return self._find_in_conforming(scope, reference, receiver)
        if len(receiver.types) == 1 or receiver.is_certain or reference.role is not ReferenceRole.CALL:
            return found
        kept = drop_asynchronous(self._lookup, reference, [one.declaration for one in found.targets])
        targets = [one for one in found.targets if one.declaration in kept]
        if len(targets) > 1:  # the value has only one of these types
            targets = [replace(one, confidence=Confidence.POSSIBLE) for one in targets]
        return replace(found, targets=tuple(targets))

    def _find_in_conforming(self, scope: FileScope, reference: Reference, receiver: Receiver) -> Resolution:
        """Resolve a member that a protocol has from an external one: that of a conforming type, possibly."""
        if is_after_bare_dot(reference):
            return NOTHING
        candidates = self._list_candidates(scope, reference, is_member=True)
        found = keep_conforming(self._lookup, receiver.types, candidates)
        if reference.role is ReferenceRole.CALL:
            found = [one for one in found if self._accepts(one, reference)]
        if len(found) > MAX_POSSIBLE:
            return NOTHING
        return Resolution(tuple(Target(one, Confidence.POSSIBLE) for one in found))

    def _resolve_init(self, reference: Reference, receiver: Receiver) -> Resolution:
        """Resolve `.init(...)`: an initialiser, or a type that declares none."""
        lookup = self._lookup
        for one in () if receiver.is_items else receiver.types:
            constructors = lookup.find_members(one, "init", ReferenceRole.CALL, reference)
            concluded = self._conclude(FoundDeclarations(tuple(constructors), receiver.is_certain), reference)
            if concluded.targets:
                return concluded
            if not lookup.find_constructors(one) and self._lookup.get_kind(one) is not SymbolKind.TRAIT:
                return self._conclude(FoundDeclarations((one,), is_certain=False), reference)
        return Resolution((), f"{receiver.external}.init") if receiver.external else NOTHING

    def _list_members(self, reference: Reference, owner: Declaration) -> tuple[list[Declaration], bool]:
        members, _ = super()._list_members(reference, owner)
        if is_after_bare_dot(reference):
            members = [one for one in members if is_type_member(self._lookup, one)]
        return choose_members(self._lookup, owner, reference, members)

    def _may_be_other(self, owner: Declaration, members: list[Declaration]) -> bool:
        return self._is_extension(owner) and any(self._is_requirement(one) for one in members)

    def _is_requirement(self, member: Declaration) -> bool:
        """Return whether a protocol declares a member, so that conforming types have their own."""
        return self._lookup.get_kind(self._lookup.get_parent(member)) is SymbolKind.TRAIT

    def _are_build_alternatives(self, declarations: list[Declaration]) -> bool:
        """Return whether the declarations are types in one scope."""
        types = [one for one in declarations if self._lookup.get_kind(one) is not SymbolKind.CONSTRUCTOR]
        is_type = len(types) > 1 and all(self._lookup.get_kind(one) in TYPE_KINDS for one in types)
        return is_type and len(set(map(self._lookup.get_parent, types))) == 1


def _has_own_arguments(receiver: Receiver) -> bool:
    """Return whether a type argument of a receiver's type is declared in the repository."""
    return any(one.types for _, one in receiver.type_arguments)
