"""Resolves names in Java: labels of a switch, lambdas, and overloads that a class inherits."""

from __future__ import annotations

from itertools import islice

from repo_mcp.graph.java.lookup import JavaLookup
from repo_mcp.graph.java.overloads import Overloads
from repo_mcp.graph.java.receivers import JavaReceivers
from repo_mcp.graph.program import (
    NOTHING,
    Confidence,
    Declaration,
    Program,
    Resolution,
    Target,
    is_type_role,
    join_targets,
)
from repo_mcp.graph.typed.file_scope import FileScope, split_marks, split_name
from repo_mcp.graph.typed.language_resolver import LanguageResolver
from repo_mcp.graph.typed.member_lookup import iter_above
from repo_mcp.graph.typed.overriding import list_not_overridden
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.graph.typed.rules import FoundDeclarations
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import AS_FUNCTION, AS_LABEL, CONSTRUCTED, PATH
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
)


class JavaResolver(LanguageResolver):
    """Resolves references in files of Java."""

    _lookup: JavaLookup
    make_lookup = JavaLookup
    make_receivers = JavaReceivers

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._overloads = Overloads(self._lookup)

    def _resolve(self, scope: FileScope, reference: Reference) -> Resolution:
        reference, written = split_marks(reference)
        return self._overloads.choose(scope, reference, super()._resolve(scope, reference), written)

    def _resolve_name(self, scope: FileScope, reference: Reference) -> Resolution:
        if reference.role is ReferenceRole.IMPLEMENT and reference.arguments == AS_FUNCTION:
            return self._resolve_function_type(scope, reference)
        if reference.role is ReferenceRole.USE and reference.arguments == AS_LABEL:
            return self._resolve_label(scope, reference)
        if reference.alias == CONSTRUCTED and reference.qualifier in {"this", "super"}:
            return self._resolve_own_constructor(scope, reference)
        return super()._resolve_name(scope, reference)

    def _resolve_function_type(self, scope: FileScope, reference: Reference) -> Resolution:
        """Resolve the interface that a lambda implements: possible, as it may have more than one method."""
        found = self._lookup.find_type(scope, reference.symbol, split_name(reference))
        interfaces = [one for one in found.declarations if self._lookup.get_kind(one) is SymbolKind.INTERFACE]
        return Resolution(tuple(Target(one, Confidence.POSSIBLE) for one in interfaces), found.external)

    def _resolve_own_constructor(self, scope: FileScope, reference: Reference) -> Resolution:
        """Resolve `this(...)` and `super(...)`, which are recorded under the name of their class."""
        called = replace(reference, name=reference.qualifier, qualifier="", alias="")
        found = super()._resolve_own_constructor(scope, called)
        owner = scope.find_type_around(reference.symbol)
        if found.targets or owner is None:
            return found
        bases = self._lookup.list_external_bases(Declaration(scope.path, owner))
        return Resolution((), bases[0]) if bases else NOTHING

    def _resolve_label(self, scope: FileScope, reference: Reference) -> Resolution:
        """Resolve a label of a switch: a constant of the compared enum, or else any constant."""
        lookup, name, role = self._lookup, reference.name, reference.role
        receiver = self._find_receiver(scope, reference, reference.qualifier)
        for one in receiver.types if receiver is not None else ():
            if self._lookup.get_kind(one) is SymbolKind.ENUM:
                assert receiver is not None
                members = lookup.find_members(one, name, role)
                return self._conclude(FoundDeclarations(tuple(members), receiver.is_certain), reference)
        found = lookup.find_bare(scope, reference.symbol, name, role)
        if found.declarations:
            is_certain = found.is_certain and receiver is not None
            return self._conclude(replace(found, is_certain=is_certain), reference)
        return self._guess(scope, reference, is_member=True) if receiver is None else NOTHING

    def _choose_role(self, reference: Reference) -> ReferenceRole:
        """Return the role in which a name is looked up: after `new`, that of a type."""
        return ReferenceRole.TYPE if reference.alias == CONSTRUCTED else reference.role

    def _find_probable(self, found: list[Declaration]) -> Declaration | None:
        """Return the only declaration of a name; None if it overrides a method of a library."""
        probable = super()._find_probable(found)
        return None if probable is not None and self._overrides_external(probable) else probable

    def _overrides_external(self, method: Declaration) -> bool:
        """Return whether a method is marked as an override of something that is not declared here."""
        scope = self._lookup.find_scope(method.path)
        if scope is None or not scope.get_symbol(method.ordinal).flags & SymbolFlag.OVERRIDE:
            return False
        owner, name = self._lookup.get_parent(method), scope.get_name(method.ordinal)
        bases = self._lookup.list_bases(owner)
        return not any(self._lookup.find_members(one, name, ReferenceRole.CALL) for one in bases)

    def _resolve_in_types(self, scope: FileScope, reference: Reference, receiver: Receiver) -> Resolution:
        """Resolve a member of a receiver whose types are the results of overloads, of which one is called."""
        each = [replace(receiver, types=(one,)) for one in receiver.types]
        found = [super(JavaResolver, self)._resolve_in_types(scope, reference, one) for one in each]
        joined = join_targets(found)
        if receiver.is_certain or len({one.targets for one in found if one.targets}) < 2:
            return joined
        return Resolution(tuple(Target(one.declaration, Confidence.POSSIBLE) for one in joined.targets))

    def _may_be_other(self, owner: Declaration, members: list[Declaration]) -> bool:
        return any(self._may_be_of_class(owner, one) for one in members[:1])

    def _may_be_of_class(self, owner: Declaration, member: Declaration) -> bool:
        """Return whether a class of another repository may declare the member of an interface again."""
        if self._lookup.get_kind(self._lookup.get_parent(member)) is not SymbolKind.INTERFACE:
            return False
        above = iter_above(self._lookup, owner)
        return any(self._lookup.has_external_base(one) for one in (owner, *above))

    def _list_meant(self, declarations: list[Declaration], reference: Reference) -> list[Declaration]:
        meant = self._separate_fields(declarations, reference)
        return meant + self._list_inherited(meant, reference)

    def _separate_fields(self, declarations: list[Declaration], use: Reference) -> list[Declaration]:
        """Return the methods for a call or after `::`, else the other declarations.

        A component of a record stands for its method, unless that is declared.
        """
        if is_type_role(use.role):
            return declarations
        kinds = {one: self._lookup.get_kind(one) for one in declarations}
        if use.role is ReferenceRole.CALL or use.alias == PATH:
            called = [one for one in declarations if kinds[one] in CALLABLE_KINDS | TYPE_KINDS]
            components = [one for one in declarations if self._lookup.is_component(one)]
            if not components:
                return called
            return [one for one in called if self._accepts(one, use)] or components
        return [one for one in declarations if kinds[one] not in CALLABLE_KINDS]

    def _keep_accepting(self, declarations: list[Declaration], call: Reference) -> list[Declaration]:
        """Return the declarations that accept a call; without arguments, those without parameters first."""
        kept = super()._keep_accepting(declarations, call)
        if call.arguments != 1:
            return kept
        called = [one for one in kept if self._lookup.get_kind(one) in CALLABLE_KINDS]
        taking = {one for one in called if self._has_parameters(one)}
        return [one for one in kept if one not in taking] if len(taking) < len(called) else kept

    def _has_parameters(self, method: Declaration) -> bool:
        scope = self._lookup.find_scope(method.path)
        return scope is not None and scope.count_parameters(method.ordinal) > 0

    def _list_inherited(self, methods: list[Declaration], call: Reference) -> list[Declaration]:
        """Return the overloads of base classes that are not overridden by the method that accepts the call.

        Only the types of the arguments decide between them: `fit(T)` and `fit(long)`.
        """
        if call.role is not ReferenceRole.CALL or call.arguments < 2:
            return []
        lookup = self._lookup
        taking = [*islice((one for one in methods if self._accepts(one, call)), 2)]
        scope = lookup.find_scope(taking[0].path) if len(taking) == 1 else None
        if scope is None or scope.get_kind(taking[0].ordinal) is not SymbolKind.METHOD:
            return []
        found: list[Declaration] = []
        for base in lookup.list_bases(lookup.get_parent(taking[0])):
            beside = lookup.find_members(base, call.name, call.role, call)
            found += list_not_overridden(lookup, taking[0], beside)
        wanted = scope.count_parameters(taking[0].ordinal)  # variadic methods come last
        counted = ((one, lookup.find_scope(one.path)) for one in found)
        return [one for one, other in counted if other and other.count_parameters(one.ordinal) == wanted]
