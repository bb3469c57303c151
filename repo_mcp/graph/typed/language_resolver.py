"""Resolves names in the way that languages with declared types have in common.

A bare name is looked up in the enclosing scopes, among imports and in the visible containers; a member in the
receiver's type, its extensions and its bases. If that fails, either is looked up by name alone. The resolver
of each language overrides what differs in it.

EXACT: scopes, imports or types lead there. PROBABLE: the only declaration of that name. POSSIBLE: one of
several, of which MAX_DECLARING at most are listed. What is known by its name alone is less: see `guesses.py`.
A call of a type means the type, and its declared constructor that accepts that many arguments.
"""

from __future__ import annotations

from collections.abc import Callable

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
from repo_mcp.graph.typed.file_scope import FileScope, find_lookup_ordinal
from repo_mcp.graph.typed.guesses import MAX_DECLARING, Guesses
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.graph.typed.receivers import ReceiverTypes
from repo_mcp.graph.typed.rules import FoundDeclarations
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import OF_GIVEN_TYPE, OF_TYPE
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Reference,
    ReferenceRole,
    SymbolKind,
    SymbolRecord,
)

MAX_IMPORTED_FILES = 40
Identity = tuple[str, str, str]


class LanguageResolver(Guesses):
    """Resolves references in files of one language, or of C and C++. Its caches are valid for one Program."""

    counts_every_declaration = False  # parts of one type are several meanings, too
    make_lookup: Callable[[Program], NamedLookup]
    make_receivers: Callable[[NamedLookup], ReceiverTypes] = ReceiverTypes

    def __init__(self, program: Program) -> None:
        self._lookup = type(self).make_lookup(program)
        self._receivers = type(self).make_receivers(self._lookup)

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """Return the meaning of a reference in a file. Never raises because of a record's contents."""
        scope = self._lookup.find_scope(path)
        if scope is None:
            return NOTHING
        self._lookup.begin_question(scope)
        return self._resolve(scope, reference)

    def _resolve(self, scope: FileScope, reference: Reference) -> Resolution:
        if reference.role in {ReferenceRole.IMPORT, ReferenceRole.EXPORT}:
            return self._resolve_import(scope, reference)
        if not reference.name or reference.name == "[]":
            return NOTHING
        if reference.role is ReferenceRole.USE and reference.arguments in {OF_TYPE, OF_GIVEN_TYPE}:
            return self._resolve_of_type(scope, reference)
        return self._resolve_name(scope, reference)

    def _resolve_name(self, scope: FileScope, reference: Reference) -> Resolution:
        if reference.qualifier:
            return self._resolve_member(scope, reference)
        return self._resolve_bare(scope, reference)

    def _resolve_of_type(self, scope: FileScope, reference: Reference) -> Resolution:
        """Resolve a member of the type that the qualifier names."""
        receiver = self._receivers.find_type_receiver(scope, reference.symbol, reference.qualifier)
        if receiver is not None and reference.arguments == OF_GIVEN_TYPE:
            receiver = replace(receiver, is_certain=False)
        return self._resolve_in_receiver(scope, reference, receiver)

    # Imports

    def _resolve_import(self, scope: FileScope, reference: Reference) -> Resolution:
        """Resolve an import, whatever the name is used for; of a method, all overloads."""
        rules = self._lookup.rules
        files, paths, external = rules.list_imported(scope, reference)
        found: dict[Declaration, Confidence] = {}
        for path in paths:
            for role in (ReferenceRole.USE, ReferenceRole.TYPE):
                one = self._lookup.find_path(scope, path, role)
                doubted = self._list_unsure_imports(scope, one)
                for declaration in one.declarations:
                    is_sure = one.is_certain and declaration not in doubted
                    found.setdefault(declaration, Confidence.EXACT if is_sure else Confidence.PROBABLE)
        found = self._complete_import(scope, reference, found)
        found |= dict.fromkeys(
            (Declaration(file, 0) for file in files[:MAX_IMPORTED_FILES]), Confidence.EXACT
        )
        if found:
            return Resolution(tuple(Target(one, confidence) for one, confidence in found.items()))
        return Resolution((), external) if external else NOTHING

    def _list_unsure_imports(self, scope: FileScope, found: FoundDeclarations) -> list[Declaration]:
        """Return the imported declarations that are only probable, although their path leads to them."""
        return []

    def _complete_import(
        self, scope: FileScope, reference: Reference, found: dict[Declaration, Confidence]
    ) -> dict[Declaration, Confidence]:
        """Return the declarations that an import leads to, together with those that have no path."""
        return found

    # Bare names

    def _resolve_bare(self, scope: FileScope, reference: Reference) -> Resolution:
        rules = self._lookup.rules
        is_own = reference.name in rules.self_words or reference.name in rules.super_words
        if is_own and reference.role is ReferenceRole.CALL:
            return self._resolve_own_constructor(scope, reference)
        return self._conclude_bare(scope, reference, self._find_bare(scope, reference))

    def _find_bare(self, scope: FileScope, reference: Reference) -> FoundDeclarations:
        ordinal, role = find_lookup_ordinal(scope, reference), self._choose_role(reference)
        return self._lookup.find_bare(scope, ordinal, reference.name, role, reference)

    def _conclude_bare(self, scope: FileScope, reference: Reference, found: FoundDeclarations) -> Resolution:
        """Return the meaning of a bare name, given the visible declarations."""
        concluded = self._conclude(found, reference)
        if concluded.targets:
            return concluded
        return Resolution((), found.external) if found.external else self._guess_bare(scope, reference)

    def _guess_bare(self, scope: FileScope, reference: Reference) -> Resolution:
        """Return the meaning of a bare name that nothing visible declares."""
        return self._guess(scope, reference, is_member=False)

    def _choose_role(self, reference: Reference) -> ReferenceRole:
        """Return the role in which a name is looked up."""
        return reference.role

    def _resolve_own_constructor(self, scope: FileScope, reference: Reference) -> Resolution:
        """Resolve `this(...)` and `super(...)`."""
        receiver = self._find_receiver(scope, reference, reference.name)
        types = receiver.types if receiver is not None else ()
        made = [one for one in types if self._lookup.get_kind(one) is not SymbolKind.INTERFACE]
        if receiver is None or not made:
            return NOTHING
        return self._conclude(FoundDeclarations(tuple(made), receiver.is_certain), reference)

    # Members

    def _resolve_member(self, scope: FileScope, reference: Reference) -> Resolution:
        names = (*reference.qualifier.split("."), reference.name)
        is_path = self._is_path(reference)
        is_value = not is_path and self._is_value(scope, reference, names[0])
        if not is_value and all(name.isidentifier() for name in names):
            found = self._find_static(scope, reference, names)
            if found.declarations:
                return self._conclude(found, reference)
            if found.external:
                return Resolution((), found.external)
        if is_path or is_type_role(reference.role):
            return NOTHING
        receiver = self._find_receiver(scope, reference, reference.qualifier)
        return self._resolve_in_receiver(scope, reference, receiver)

    def _is_path(self, reference: Reference) -> bool:
        """Return whether a dotted name is written as a path, and so never begins with a variable."""
        return False

    def _is_value(self, scope: FileScope, reference: Reference, first: str) -> bool:
        """Return whether the first name of a member is a variable or the object itself."""
        if scope.find_binding(reference.symbol, reference.line, first) is not None:
            return True
        return first in self._lookup.rules.self_words

    def _find_static(
        self, scope: FileScope, reference: Reference, names: tuple[str, ...]
    ) -> FoundDeclarations:
        """Return the meaning of a dotted name that begins with a package, a namespace or a type."""
        return self._lookup.find_static(scope, reference.symbol, names, self._choose_role(reference))

    def _find_receiver(self, scope: FileScope, reference: Reference, chain: str) -> Receiver | None:
        return self._receivers.find_receiver(scope, reference.symbol, reference.line, chain)

    def _resolve_in_receiver(
        self, scope: FileScope, reference: Reference, receiver: Receiver | None
    ) -> Resolution:
        if receiver is None:
            return self._guess(scope, reference, is_member=True)
        if receiver.external and reference.role is ReferenceRole.USE:
            receiver = self._receivers.find_pointee(receiver) or receiver
        if receiver.external:
            owner = f"[{receiver.external}]" if receiver.is_items else receiver.external
            return Resolution((), f"{owner}.{reference.name}")
        if receiver.is_items:
            return NOTHING
        found = self._resolve_in_types(scope, reference, receiver)
        if found.targets:
            return found
        pointed = self._receivers.find_pointee(receiver)
        return self._resolve_in_receiver(scope, reference, pointed) if pointed is not None else NOTHING

    def _resolve_in_types(self, scope: FileScope, reference: Reference, receiver: Receiver) -> Resolution:
        """Resolve a member of a receiver whose types are declared here."""
        is_certain = self._is_certain(scope, reference, receiver)
        concluded: list[Resolution] = []
        for one in receiver.types:
            members, is_meant = self._list_members(reference, one)
            is_certain = is_certain and is_meant
            is_other = self._may_be_other(one, members)
            found = FoundDeclarations(tuple(members), is_certain and not is_other)
            concluded.append(self._conclude(found, reference))
        return join_targets(concluded)

    def _is_certain(self, scope: FileScope, reference: Reference, receiver: Receiver) -> bool:
        """Return whether a member of the receiver is a member of its types for sure."""
        return receiver.is_certain and reference.name not in receiver.wrapper_members

    def _list_members(self, reference: Reference, owner: Declaration) -> tuple[list[Declaration], bool]:
        """Return the members of a type that a use may mean, and whether the language decides that."""
        # In Rust a member reached through a type is a path, not a field.
        is_type = reference.qualifier[:1].isupper() and reference.arguments != OF_TYPE
        name, role = reference.name, reference.role
        return self._lookup.find_members(owner, name, role, reference, of_value=not is_type), True

    def _may_be_other(self, owner: Declaration, members: list[Declaration]) -> bool:
        """Return whether something outside the repository may be meant instead of the members of a type."""
        return False

    # Conclusions

    def _conclude(self, found: FoundDeclarations, reference: Reference) -> Resolution:
        """Return declarations as targets: those that accept the number of arguments, and constructors."""
        declarations = [one for one in found.declarations if not self._is_extension(one)]
        declarations = self._list_meant(declarations, reference)
        if reference.role is ReferenceRole.CALL:
            declarations = self._choose_called(declarations, reference)
        count = self._count_meanings(declarations)
        several = count > 1 or (self.counts_every_declaration and len(declarations) > 1)
        if found.is_certain and (count <= found.alternatives or self._are_build_alternatives(declarations)):
            confidence, several = Confidence.PROBABLE, False
        elif found.is_certain and not several:
            confidence = Confidence.EXACT
        else:  # a macro that is not included mostly has the name of a library's function
            is_macro = any(self._lookup.get_kind(one) is SymbolKind.MACRO for one in declarations)
            is_doubted = several or is_macro or found.is_elsewhere
            confidence = Confidence.POSSIBLE if is_doubted else Confidence.PROBABLE
        if several:
            declarations = declarations[:MAX_DECLARING]
        return Resolution(self._weaken_constructors(declarations, confidence))

    def _list_meant(self, declarations: list[Declaration], reference: Reference) -> list[Declaration]:
        """Return the declarations that a use can mean, with others that the language considers."""
        return declarations

    def _weaken_constructors(
        self, declarations: list[Declaration], confidence: Confidence
    ) -> tuple[Target, ...]:
        """Return targets of one confidence, except that constructors may be less sure.

        The types of arguments decide between several constructors. A constructor in an extension is not the
        only one of its type: there are implicit ones, or those that another repository declares.
        """
        constructors = [one for one in declarations if self._lookup.get_kind(one) is SymbolKind.CONSTRUCTOR]
        targets = []
        for one in declarations:
            sure = confidence
            if one in constructors and len(constructors) > 1:
                sure = Confidence.POSSIBLE
            elif one in constructors and sure is Confidence.EXACT and self._is_outside_type(one):
                sure = Confidence.PROBABLE
            targets.append(Target(one, sure))
        return tuple(targets)

    def _is_outside_type(self, member: Declaration) -> bool:
        return self._is_extension(self._lookup.get_parent(member))

    def _are_build_alternatives(self, declarations: list[Declaration]) -> bool:
        """Return whether a build chooses one of these declarations of one name."""
        return False

    def _is_extension(self, declaration: Declaration) -> bool:
        """Return True for an extension, whose type is declared elsewhere."""
        return self._lookup.get_kind(declaration) is SymbolKind.EXTENSION

    def _count_meanings(self, declarations: list[Declaration]) -> int:
        """Return how many different things the declarations are."""
        return len(set(map(self._identify, declarations)))

    def _identify(self, declaration: Declaration) -> Identity:
        """Return a key that is equal for declarations that a name does not tell apart: parts of one type."""
        scope = self._lookup.find_scope(declaration.path)
        if scope is None:
            return declaration.path, "", str(declaration.ordinal)
        symbol = scope.get_symbol(declaration.ordinal)
        if symbol.kind is SymbolKind.CONSTRUCTOR or symbol.kind in TYPE_KINDS:
            return "", "", ""
        overload = ""
        if self._lookup.rules.has_overloads:
            overload = str(declaration.ordinal)
        # a generic trait may be implemented several times: `impl From<A>`
        elif symbol.kind in CALLABLE_KINDS:
            overload = symbol.parameters
        return declaration.path, symbol.name, overload

    def _choose_called(self, declarations: list[Declaration], call: Reference) -> list[Declaration]:
        chosen: list[Declaration] = []
        for one in declarations:
            if self._lookup.get_kind(one) in TYPE_KINDS:
                chosen += self._keep_accepting(self._lookup.find_constructors(one), call)
            chosen.append(one)
        return self._keep_accepting(list(dict.fromkeys(chosen)), call)

    def _keep_accepting(self, declarations: list[Declaration], call: Reference) -> list[Declaration]:
        """Return the declarations that accept a call; all if none does, except in languages with labels."""
        if not declarations or not call.arguments:
            return declarations
        names_parameters = self._lookup.rules.has_labels
        if len(declarations) == 1 and not names_parameters:
            return declarations
        accepting = [one for one in declarations if self._accepts(one, call)]
        return accepting if names_parameters else accepting or declarations
