"""Resolves names in languages with declared types: Go, Java, Rust, C, C++ and Swift.

A bare name is looked up in the enclosing scopes, among imports and in the visible containers; a member in
the receiver's type, its extensions and its bases. If that fails, either is looked up by name alone.

EXACT: scopes, imports or types lead there. PROBABLE: the only declaration of that name. POSSIBLE: one of a
few. More than MAX_POSSIBLE give none, and neither do common member names on a receiver of unknown type. A
call of a type means the type, and its declared constructor that accepts that many arguments.
"""

from __future__ import annotations

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
from repo_mcp.graph.typed.c_rules import settle
from repo_mcp.graph.typed.cpp_overloads import (
    choose_taking,
    is_left_to_arguments,
    is_pasted,
    split_marks,
)
from repo_mcp.graph.typed.embedding import may_be_nearer
from repo_mcp.graph.typed.file_scope import WITH_MACROS, FileScope, skip_own_scope, split_name
from repo_mcp.graph.typed.guesses import MAX_POSSIBLE, accepts, guess
from repo_mcp.graph.typed.holder import (
    Holder,
    choose_twin,
    find_pointed,
    list_c_members,
    may_mean_of_reference,
)
from repo_mcp.graph.typed.imports import resolve_import
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.outer_types import doubt_outer, join_built
from repo_mcp.graph.typed.overriding import is_beside_others, list_not_overridden, may_be_of_class
from repo_mcp.graph.typed.parsed_files import LANGUAGES
from repo_mcp.graph.typed.receivers import find_holder, find_type_holder
from repo_mcp.graph.typed.renaming import Renaming
from repo_mcp.graph.typed.rules import NOT_FOUND, FoundDeclarations
from repo_mcp.graph.typed.rust_macro_calls import MacroCalls
from repo_mcp.graph.typed.swift_overloads import (
    choose_overload,
    doubt_bare,
    is_of_bare_dot,
    is_static,
    prefer_meant,
)
from repo_mcp.languages.native.go import BUILTIN
from repo_mcp.languages.native.swift_types import KNOWN_PARAMETERS
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import (
    AS_FUNCTION,
    AS_LABEL,
    AS_VALUE,
    BARE_DOT,
    CONSTRUCTED,
    DERIVED,
    OF_GIVEN_TYPE,
    OF_MACRO,
    OF_TYPE,
    PATH,
)
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Reference,
    ReferenceRole,
    SymbolKind,
    SymbolRecord,
)

__all__ = ["LANGUAGES", "NamedResolver"]

ALIAS, STRUCT = "alias", "struct"  # a `typedef` of C is the struct of its name, if there is one
# In C, `#if` chooses one of several.
_ONE_EACH = TYPE_KINDS | {SymbolKind.PROPERTY, SymbolKind.MACRO, SymbolKind.ENUM_MEMBER}


class NamedResolver:
    """Resolves references in files of LANGUAGES. Its caches are valid for one Program."""

    def __init__(self, program: Program) -> None:
        self._lookup = NamedLookup(program)
        self._program = program
        self._renaming = Renaming(self._lookup)
        self._macros = MacroCalls(self._lookup)

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """Return the meaning of a reference in a file. Never raises because of a record's contents."""
        scope = self._lookup.find_scope(path)
        if scope is None:
            return NOTHING
        self._lookup.begin(scope)
        if scope.language in WITH_MACROS:
            reference, marks = split_marks(reference)
            found = choose_taking(self._lookup, self._resolve(scope, reference), marks)
            return self._renaming.doubt(scope, reference, found)
        found = self._resolve(scope, reference)
        if scope.language == "swift" and len(found.targets) > 1:
            return choose_overload(self._lookup, scope, reference, found)
        return found

    def _resolve(self, scope: FileScope, reference: Reference) -> Resolution:
        role = reference.role
        if role in {ReferenceRole.IMPORT, ReferenceRole.EXPORT}:
            return resolve_import(self._lookup, self._macros, scope, reference)
        if not reference.name or reference.name == "[]":
            return NOTHING
        if role is ReferenceRole.IMPLEMENT and reference.arguments == AS_FUNCTION:
            return self._resolve_function_type(scope, reference)
        if role is ReferenceRole.USE and reference.arguments == AS_LABEL:
            return self._resolve_label(scope, reference)
        if role is ReferenceRole.USE and reference.arguments in {OF_TYPE, OF_GIVEN_TYPE}:
            if scope.language == "swift":
                return self._resolve_argument_label(scope, reference)
            holder = find_type_holder(self._lookup, scope, reference.symbol, reference.qualifier)
            if holder is not None and reference.arguments == OF_GIVEN_TYPE:
                holder = replace(holder, is_certain=False)
            return self._resolve_in_holder(scope, reference, holder)
        if reference.alias == OF_MACRO and scope.language == "rust":
            macro = self._macros.find(scope, reference)
            return self._conclude(macro, reference) if macro.declarations else Resolution((), reference.name)
        if reference.qualifier:
            return self._resolve_member(scope, reference)
        return self._resolve_bare(scope, reference)

    def _resolve_function_type(self, scope: FileScope, reference: Reference) -> Resolution:
        """Resolve the interface that a lambda implements: possible, as it may have more than one method."""
        found = self._lookup.find_type(scope, reference.symbol, split_name(reference))
        interfaces = [one for one in found.declarations if self._get_kind(one) is SymbolKind.INTERFACE]
        return Resolution(tuple(Target(one, Confidence.POSSIBLE) for one in interfaces), found.external)

    def _resolve_label(self, scope: FileScope, reference: Reference) -> Resolution:
        """Resolve a label of a switch: a constant of the enum that is compared, or else any constant."""
        lookup = self._lookup
        holder = find_holder(lookup, scope, reference.symbol, reference.line, reference.qualifier)
        has_labels = lookup.get_rules(scope).has_labels
        for one in holder.types if holder is not None else ():
            if self._get_kind(one) is SymbolKind.ENUM or (has_labels and self._get_kind(one) in TYPE_KINDS):
                assert holder is not None
                members = lookup.find_members(one, reference.name, reference.role)
                if has_labels:
                    members = [each for each in members if is_static(lookup, each)]
                return self._conclude(FoundDeclarations(tuple(members), holder.is_certain), reference)
        if has_labels:  # Swift: a case follows a dot, and is not a name in scope
            return guess(self._lookup, scope, reference, is_member=True) if holder is None else NOTHING
        found = lookup.find_bare(scope, reference.symbol, reference.name, reference.role)
        if found.declarations:
            is_certain = found.is_certain and holder is not None
            return self._conclude(replace(found, is_certain=is_certain), reference)
        return guess(self._lookup, scope, reference, is_member=True) if holder is None else NOTHING

    def _resolve_argument_label(self, scope: FileScope, reference: Reference) -> Resolution:
        """Resolve the label of an argument in Swift: a property, if the struct declares no initialiser."""
        names = tuple(reference.qualifier.split("."))
        found = NOT_FOUND
        if all(one.isidentifier() for one in names) and names[0] not in {"self", "Self"}:
            found = self._lookup.find_type(scope, reference.symbol, names)
        if not found.declarations:
            chain = reference.qualifier
            holder = find_holder(self._lookup, scope, reference.symbol, reference.line, chain)
            found = FoundDeclarations(holder.types, holder.is_certain) if holder is not None else found
        if len(found.declarations) != 1 or self._get_kind(found.declarations[0]) is not SymbolKind.STRUCT:
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
        makers = self._lookup.find_constructors(made)  # those of extensions may be meant instead
        return self._conclude(FoundDeclarations(tuple(own), found.is_certain and not makers), reference)

    def _get_kind(self, declaration: Declaration) -> SymbolKind:
        scope = self._lookup.find_scope(declaration.path)
        return scope.get_kind(declaration.ordinal) if scope is not None else SymbolKind.FILE

    # -- bare names ---------------------------------------------------------------------------------------

    def _resolve_bare(self, scope: FileScope, reference: Reference) -> Resolution:
        lookup, name, role = self._lookup, reference.name, reference.role
        ordinal = skip_own_scope(scope, reference)
        rules = lookup.get_rules(scope)
        if reference.alias == PATH and scope.language in WITH_MACROS:
            outer = settle(rules, scope, reference.line, lookup.find_path(scope, (name,), role))
            return self._conclude(outer, reference) if outer.declarations else Resolution((), name)
        if role is ReferenceRole.CALL and (name in rules.own_words or name in rules.base_words):
            return self._resolve_own_constructor(scope, reference)
        sought = self._find_sought(scope, reference)
        found = lookup.find_bare(scope, ordinal, name, sought, reference)
        if is_left_to_arguments(lookup, scope, reference, found.declarations):
            found = replace(found, is_certain=False)
        if reference.arguments == DERIVED and role is ReferenceRole.TYPE and scope.language == "rust":
            traits = tuple(one for one in found.declarations if self._get_kind(one) is SymbolKind.TRAIT)
            found = replace(found, declarations=traits)
            return self._conclude(found, reference) if traits else Resolution((), found.external or name)
        if scope.language == "swift":
            if self._is_left_open(scope, ordinal, found):
                return Resolution((), name)
            found = doubt_bare(lookup, scope, reference, found)
        concluded = self._conclude(found, reference)
        if concluded.targets and is_type_role(role) and scope.language in WITH_MACROS:
            return self._weaken_renamed(scope, ordinal, reference, concluded)
        if concluded.targets and reference.alias and is_pasted(lookup, scope, reference):
            return Resolution(
                tuple(Target(one.declaration, Confidence.POSSIBLE) for one in concluded.targets)
            )
        if concluded.targets:
            return concluded
        if found.external:
            return Resolution((), found.external)
        if role is ReferenceRole.CALL and name in rules.predeclared:
            return Resolution((), f"{BUILTIN}.{name}")
        return guess(self._lookup, scope, reference, is_member=False)

    def _find_sought(self, scope: FileScope, reference: Reference) -> ReferenceRole:
        """Return the role in which a name is looked up: that of a type behind `new` in Java."""
        if reference.arguments == AS_VALUE and scope.language == "rust":
            return ReferenceRole.CALL
        is_made = reference.alias == CONSTRUCTED and scope.language == "java"
        return ReferenceRole.TYPE if is_made else reference.role

    def _is_left_open(self, scope: FileScope, ordinal: int, found: FoundDeclarations) -> bool:
        """Return whether a name in a Swift type leads to an associated type of a protocol of that type.

        There it means what the type has in its place: a type parameter, or a type that is inferred.
        """
        around = scope.find_type_around(ordinal)
        if around is None or not found.declarations:
            return False
        if scope.get_kind(around) is SymbolKind.EXTENSION:  # of a type of the standard library
            name = self._lookup.find_scope(found.declarations[0].path)
            extended = self._lookup.find_extended(Declaration(scope.path, around))
            is_protocol = any(self._get_kind(one) is SymbolKind.TRAIT for one in extended)
            known = KNOWN_PARAMETERS.get("Collection" if is_protocol else scope.get_name(around), ())
            if name is not None and name.get_name(found.declarations[0].ordinal) in known:
                return True
        owners = self._lookup.find_extended(Declaration(scope.path, around))
        if any(self._get_kind(one) is SymbolKind.TRAIT for one in owners):
            return False
        return all(
            self._get_kind(one) is SymbolKind.TYPE and self._is_promised(one) for one in found.declarations
        )

    def _weaken_renamed(
        self, scope: FileScope, ordinal: int, reference: Reference, found: Resolution
    ) -> Resolution:
        """Return the meaning of a C type whose name is also a macro, `#define text other_text`.

        The macro is meant, and possibly the type.
        """
        use = replace(reference, role=ReferenceRole.USE)
        macros = self._conclude(self._lookup.find_bare(scope, ordinal, use.name, use.role, use), use).targets
        seen = [one for one in macros if one.confidence is not Confidence.POSSIBLE]
        seen = [one for one in seen if self._renames(one.declaration)]
        if not seen:
            return found
        meant = [one for one in seen if one.confidence is Confidence.EXACT]
        others = (*(one for one in seen if one not in meant), *found.targets)
        return Resolution((*meant, *(Target(one.declaration, Confidence.POSSIBLE) for one in others)))

    def _renames(self, declaration: Declaration) -> bool:
        """Return whether a declaration is a macro without parameters."""
        scope = self._lookup.find_scope(declaration.path)
        symbol = scope.get_symbol(declaration.ordinal) if scope is not None else None
        return symbol is not None and symbol.kind is SymbolKind.MACRO and not symbol.parameters

    def _resolve_own_constructor(self, scope: FileScope, reference: Reference) -> Resolution:
        """Resolve `this(...)` and `super(...)`."""
        holder = find_holder(self._lookup, scope, reference.symbol, reference.line, reference.name)
        made = (
            [one for one in holder.types if self._get_kind(one) is not SymbolKind.INTERFACE] if holder else []
        )
        if holder is None or not made:
            return NOTHING
        return self._conclude(FoundDeclarations(tuple(made), holder.is_certain), reference)

    # -- members ------------------------------------------------------------------------------------------

    def _resolve_member(self, scope: FileScope, reference: Reference) -> Resolution:
        lookup, qualifier, role = self._lookup, reference.qualifier, reference.role
        names = (*qualifier.split("."), reference.name)
        first = names[0]
        ordinal = reference.symbol
        is_path = reference.alias == PATH and scope.language == "rust"
        is_local = not is_path and scope.find_binding(ordinal, reference.line, first) is not None
        is_own = not is_path and first in lookup.get_rules(scope).own_words
        if not is_local and not is_own and all(name.isidentifier() for name in names):
            found = lookup.find_static(scope, ordinal, names, self._find_sought(scope, reference))
            if scope.language in WITH_MACROS:
                found = settle(lookup.get_rules(scope), scope, reference.line, found)
            if found.declarations and scope.language == "rust":
                found = doubt_outer(lookup, join_built(lookup, scope, reference, found))
            if found.declarations and scope.language == "swift":
                reached = tuple(one for one in found.declarations if is_static(lookup, one))
                found = replace(found, declarations=reached)
            if found.declarations:
                return self._conclude(found, reference)
            if found.external:
                return Resolution((), found.external)
        if is_path or is_type_role(role):
            return NOTHING
        return self._resolve_by_holder(scope, reference)

    def _resolve_by_holder(self, scope: FileScope, reference: Reference) -> Resolution:
        chain = reference.qualifier.removesuffix(BARE_DOT)
        holder = find_holder(self._lookup, scope, reference.symbol, reference.line, chain)
        return self._resolve_in_holder(scope, reference, holder)

    def _resolve_in_holder(self, scope: FileScope, reference: Reference, holder: Holder | None) -> Resolution:
        lookup = self._lookup
        if holder is None:
            return guess(self._lookup, scope, reference, is_member=True)
        if scope.language == "swift" and reference.name == "init" and reference.role is ReferenceRole.CALL:
            return self._resolve_made(reference, holder)
        if holder.external and reference.role is ReferenceRole.USE:
            holder = find_pointed(lookup, holder) or holder
        if holder.external or holder.is_items:
            return Resolution((), f"{holder.external}.{reference.name}") if holder.external else NOTHING
        if scope.language == "c":
            members = list_c_members(lookup, holder, reference.name, reference.role)
            is_certain = holder.is_certain and len(members) >= len(holder.types)
            found = FoundDeclarations(tuple(members), is_certain)
            found = settle(lookup.get_rules(scope), scope, reference.line, found)
            return self._conclude(found if found.alternatives else choose_twin(scope, found), reference)
        # In Rust a member reached through a type is a path, not a field.
        is_type = reference.qualifier[:1].isupper() and reference.arguments != OF_TYPE
        is_certain = holder.is_certain and not may_mean_of_reference(scope, reference)
        is_certain = is_certain and reference.name not in holder.hiding
        is_bare_dot = scope.language == "swift" and is_of_bare_dot(reference)
        concluded: list[Resolution] = []
        for one in holder.types:
            members = lookup.find_members(
                one, reference.name, reference.role, reference, of_value=not is_type
            )
            if scope.language == "swift":
                if is_bare_dot:
                    members = [each for each in members if is_static(lookup, each)]
                members, is_plain = prefer_meant(lookup, one, reference, members)
                is_certain = is_certain and is_plain
            is_own = not (self._is_extension(one) and any(self._is_promised(each) for each in members))
            is_own = is_own and not any(may_be_nearer(lookup, one, each) for each in members[:1])
            is_own = is_own and not any(may_be_of_class(lookup, one, each) for each in members[:1])
            found = FoundDeclarations(tuple(members), is_certain and is_own)
            concluded.append(self._conclude(found, reference))
        joined = join_targets(concluded)
        if joined.targets:
            return joined
        pointed = find_pointed(lookup, holder)
        return self._resolve_in_holder(scope, reference, pointed) if pointed is not None else NOTHING

    def _resolve_made(self, reference: Reference, holder: Holder) -> Resolution:
        """Resolve `.init(...)` in Swift: initialisers, or a type that declares none but has implied ones."""
        lookup = self._lookup
        for one in () if holder.is_items else holder.types:
            makers = lookup.find_members(one, "init", ReferenceRole.CALL, reference)
            concluded = self._conclude(FoundDeclarations(tuple(makers), holder.is_certain), reference)
            if concluded.targets:
                return concluded
            if not lookup.find_constructors(one) and self._get_kind(one) is not SymbolKind.TRAIT:
                return self._conclude(FoundDeclarations((one,), is_certain=False), reference)
        return Resolution((), f"{holder.external}.init") if holder.external else NOTHING

    def _is_promised(self, member: Declaration) -> bool:
        """Return whether a Swift protocol declares a member.

        A conforming type in another repository has its own."""
        scope = self._lookup.find_scope(member.path)
        if scope is None or scope.language != "swift":
            return False
        return scope.get_kind(scope.get_parent(member.ordinal)) is SymbolKind.TRAIT

    # -- conclusions --------------------------------------------------------------------------------------

    def _conclude(self, found: FoundDeclarations, reference: Reference) -> Resolution:
        """Return the found targets, chosen by the number of arguments, with constructors added."""
        declarations = [one for one in found.declarations if not self._is_extension(one)]
        if declarations and self._program.find_language(declarations[0].path) == "java":
            declarations = self._part_fields(declarations, reference)
            declarations += self._list_inherited(declarations, reference)
        if reference.role is ReferenceRole.CALL:
            declarations = self._choose_called(declarations, reference)
        identities = {self._get_identity(one) for one in declarations}
        if any(one[0] == STRUCT for one in identities):
            identities = {one for one in identities if one[0] != ALIAS}
        several = len(identities) > 1
        is_choice = len(identities) <= found.alternatives or self._are_built_apart(declarations)
        several = several or (len(declarations) > 1 and self._is_rust(declarations[0]))
        if found.is_certain and is_choice:
            confidence, several = Confidence.PROBABLE, False
        elif found.is_certain and not several:
            confidence = Confidence.EXACT
        else:  # the name of a macro that is not included is mostly a library's function
            is_macro = any(self._get_kind(one) is SymbolKind.MACRO for one in declarations)
            is_doubted = several or is_macro or found.is_elsewhere
            confidence = Confidence.POSSIBLE if is_doubted else Confidence.PROBABLE
        if several and len(declarations) > MAX_POSSIBLE:
            declarations = declarations[:MAX_POSSIBLE]
        makers = [one for one in declarations if self._get_kind(one) is SymbolKind.CONSTRUCTOR]
        doubted = [one for one in makers if is_beside_others(self._lookup, one)]
        makers = makers if len(makers) > 1 else []  # the types of the arguments decide between these
        targets = [Target(one, Confidence.POSSIBLE if one in makers else confidence) for one in declarations]
        for at, one in enumerate(targets):
            if one.declaration in doubted and one.confidence is Confidence.EXACT:
                targets[at] = Target(one.declaration, Confidence.PROBABLE)
        return Resolution(tuple(targets))

    def _part_fields(self, declarations: list[Declaration], use: Reference) -> list[Declaration]:
        """Return the declarations that a Java name may mean: methods in calls and after `::`, else others."""
        if is_type_role(use.role):
            return declarations
        kinds = {one: self._get_kind(one) for one in declarations}
        if use.role is ReferenceRole.CALL or use.alias == PATH:
            return [one for one in declarations if kinds[one] in CALLABLE_KINDS | TYPE_KINDS]
        return [one for one in declarations if kinds[one] not in CALLABLE_KINDS]

    def _list_inherited(self, methods: list[Declaration], call: Reference) -> list[Declaration]:
        """Return the methods of a Java base that are not overridden by the one that takes the call.

        The types of arguments decide between them: `fit(T)` beside `fit(long)`.
        """
        if call.role is not ReferenceRole.CALL or call.arguments < 2:
            return []
        taking = [one for one in methods if accepts(self._lookup, one, call)]
        scope = self._lookup.find_scope(taking[0].path) if len(taking) == 1 else None
        if scope is None or scope.get_kind(taking[0].ordinal) is not SymbolKind.METHOD:
            return []
        owner = Declaration(scope.path, scope.get_parent(taking[0].ordinal))
        found: list[Declaration] = []
        for base in self._lookup.list_bases(owner):
            beside = self._lookup.find_members(base, call.name, call.role, call)
            found += list_not_overridden(self._lookup, taking[0], beside)
        wanted = scope.count_parameters(taking[0].ordinal)  # variadic methods come last
        counted = ((one, self._lookup.find_scope(one.path)) for one in found)
        return [one for one, other in counted if other and other.count_parameters(one.ordinal) == wanted]

    def _are_built_apart(self, declarations: list[Declaration]) -> bool:
        """Return True for declarations of one name between which build constraints choose.

        They are in one Go package, each in its own file, in one Rust scope, or types in a Swift scope.
        """
        if len(declarations) > 1 and self._program.find_language(declarations[0].path) == "swift":
            types = [one for one in declarations if self._get_kind(one) is not SymbolKind.CONSTRUCTOR]
            is_type = len(types) > 1 and all(self._get_kind(one) in TYPE_KINDS for one in types)
            return is_type and len({self._get_scope(one) for one in types}) == 1
        if len(declarations) > 1 and self._is_rust(declarations[0]):
            return len({self._get_scope(one) for one in declarations}) == 1
        paths = {one.path for one in declarations}
        if len(paths) < 2 or self._program.find_language(declarations[0].path) != "go":
            return False
        folders = {path.rpartition("/")[0] for path in paths}
        return len(folders) == 1 and len(paths) == len(declarations)

    def _is_rust(self, declaration: Declaration) -> bool:
        return self._program.find_language(declaration.path) == "rust"

    def _get_scope(self, declaration: Declaration) -> tuple[str, int]:
        """Return the file and the ordinal of the scope that contains a declaration."""
        scope = self._lookup.find_scope(declaration.path)
        return declaration.path, scope.get_parent(declaration.ordinal) if scope is not None else 0

    def _is_extension(self, declaration: Declaration) -> bool:
        """Return True for an extension, whose type is declared elsewhere."""
        return self._get_kind(declaration) is SymbolKind.EXTENSION

    def _get_identity(self, declaration: Declaration) -> tuple[str, str, str]:
        """Return a key that is equal for declarations that a name cannot distinguish: parts of one type."""
        scope = self._lookup.find_scope(declaration.path)
        if scope is None:
            return declaration.path, "", str(declaration.ordinal)
        name = scope.get_name(declaration.ordinal)
        symbol = scope.get_symbol(declaration.ordinal)
        is_constructor = symbol.kind is SymbolKind.CONSTRUCTOR or symbol.kind in TYPE_KINDS
        is_overloaded = self._lookup.get_rules(scope).has_overloads and scope.language != "c"
        if scope.language == "c" and symbol.kind in _ONE_EACH:
            if symbol.kind is SymbolKind.TYPE:
                return ALIAS, declaration.path, ""
            sort = STRUCT if symbol.kind in TYPE_KINDS else symbol.kind.name
            return sort, declaration.path, str(declaration.ordinal)
        if (
            symbol.kind is SymbolKind.TYPE
            and scope.language == "cpp"
            and scope.is_member(declaration.ordinal)
        ):
            # Each specialisation of a template has its own.
            return ALIAS, declaration.path, str(symbol.parent)
        if is_constructor:
            return ("", "", "")
        overload = ""
        if is_overloaded:
            overload = str(declaration.ordinal)
        elif symbol.kind in CALLABLE_KINDS:  # of several implementations of a generic trait: `impl From<A>`
            overload = symbol.parameters
        return declaration.path, name, overload

    def _choose_called(self, declarations: list[Declaration], call: Reference) -> list[Declaration]:
        chosen: list[Declaration] = []
        for one in declarations:
            scope = self._lookup.find_scope(one.path)
            if scope is not None and scope.get_kind(one.ordinal) in TYPE_KINDS and scope.language != "c":
                makers = self._lookup.find_constructors(one)
                chosen += [*self._keep_accepting(makers, call), one]
            else:
                chosen.append(one)
        return self._keep_accepting(list(dict.fromkeys(chosen)), call)

    def _keep_accepting(self, declarations: list[Declaration], call: Reference) -> list[Declaration]:
        """Return the declarations that accept a call; all if none does, except in languages with labels."""
        if not declarations or not call.arguments:
            return declarations
        scope = self._lookup.find_scope(declarations[0].path)
        is_told = scope is not None and self._lookup.get_rules(scope).has_labels
        if len(declarations) == 1 and not is_told:
            return declarations
        accepting = [one for one in declarations if accepts(self._lookup, one, call)]
        return accepting if is_told else accepting or declarations
