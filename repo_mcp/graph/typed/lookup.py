"""Lookup of declarations by name, in languages with declared types: by scope, full path, or as members.

Candidates come from the names in the index. Each language's rules decide which of them a name can reach.
Results found through scopes, imports or containers are certain, unless the rules say otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from repo_mcp.graph.program import Declaration, Program, is_type_role, is_wanted
from repo_mcp.graph.typed.c_rules import is_meant, settle
from repo_mcp.graph.typed.file_scope import (
    WITH_MACROS,
    FileScope,
    extends_anything,
    get_access,
    is_declared_twice,
    is_function_in_order,
    is_list,
    is_of_block,
    keep_declared,
    list_enumerators,
    prefer_inherent,
    read_type_names,
    split_name,
    takes_in,
)
from repo_mcp.graph.typed.parsed_files import ParsedFiles
from repo_mcp.graph.typed.rules import (
    NOT_FOUND,
    OUTSIDE,
    FoundDeclarations,
    Path,
)
from repo_mcp.graph.typed.rust_rules import get_crate_root
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Access,
    Reference,
    ReferenceRole,
    SymbolKind,
)

MAX_TYPES = 40  # visited among direct and indirect bases, for one member
MAX_FOLLOWED = 48  # re-exports followed for one path: a module of a large crate has some 20 of `a::*`
MAX_OPEN = 20  # depth: types whose bases are needed to find another's bases
MAX_STEPS = 500  # types whose bases are determined for one question
MAX_EXTENSIONS = 30  # files with extensions of one type, examined for its bases

# A property without its name is an unnamed struct's.
_NO_NAMES = frozenset({SymbolKind.EXTENSION, SymbolKind.PROPERTY})
_FIELD_KINDS = frozenset({SymbolKind.PROPERTY, SymbolKind.CONSTANT, SymbolKind.ENUM_MEMBER})


class NamedLookup(ParsedFiles):
    """Looks up names in one Program."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._bases: dict[Declaration, tuple[Declaration, ...]] = {}
        self._extended: dict[Declaration, tuple[Declaration, ...]] = {}
        self._followed: dict[tuple[Path, Path, ReferenceRole], FoundDeclarations] = {}  # of Rust, by crate
        self.open_ended: dict[Declaration, bool] = {}  # whether a type has a base of another repository
        self._open: set[Declaration] = set()  # types whose bases are being determined
        self._cuts = 0  # lookups of bases cut short by a cycle or a limit
        self._steps = MAX_STEPS
        self._reader: FileScope | None = None  # of the use that is asked about
        self.depth = self.spare = 0  # receivers in receivers; type arguments that may still be read

    # -- by scope and by path -----------------------------------------------------------------------------

    def find_bare(
        self, scope: FileScope, ordinal: int, name: str, role: ReferenceRole, call: Reference | None = None
    ) -> FoundDeclarations:
        """Return the meaning of an unqualified name; for `call` see `find_members`."""
        found = self._find_bare(scope, ordinal, name, role, call)
        if scope.language not in WITH_MACROS:
            return found
        line = call.line if call is not None else int(scope.record.starts[ordinal])
        return settle(self.get_rules(scope), scope, line, found)

    def _find_bare(
        self, scope: FileScope, ordinal: int, name: str, role: ReferenceRole, call: Reference | None
    ) -> FoundDeclarations:
        rules = self.get_rules(scope)
        for path in rules.list_nearer(scope, ordinal, name):
            found = self.find_path(scope, path, role)
            if found.declarations or found.external:
                return found
        inner = self._find_in_scopes(scope, ordinal, name, role, call)
        if inner and is_meant(rules, inner, call):
            found = self._choose(scope, inner)
            if scope.language == "rust":
                return self._join_imported(scope, ordinal, name, role, found)
            is_hidden = rules.sees_outer_members and self._is_perhaps_hidden(scope, ordinal, found)
            if inner[0][0] is scope:
                is_hidden = is_hidden or self._is_perhaps_of_block(scope, ordinal, role, inner, call)
            return replace(found, is_certain=False) if is_hidden else found
        bound = rules.find_import(scope, ordinal, name)
        if bound is not None:
            return self.find_path(scope, bound, role)
        doubted = NOT_FOUND
        for container in rules.list_visible(scope, ordinal):
            found = self.find_path(scope, (*container, name), role)
            kind = self.get_kind(found.declarations[0]) if found.declarations and found.is_certain else None
            # An extension stands for its type if that is external.
            if kind not in {None, SymbolKind.EXTENSION}:
                return found
            doubted = doubted if doubted.declarations else found
        return doubted if doubted.declarations or not inner else self._choose(scope, inner)

    def _find_in_scopes(
        self, scope: FileScope, ordinal: int, name: str, role: ReferenceRole, call: Reference | None
    ) -> list[tuple[FileScope, int]]:
        rules = self.get_rules(scope)
        for around in scope.iter_around(ordinal):
            kind = scope.get_kind(around)
            if kind in TYPE_KINDS and kind is not SymbolKind.TYPE:
                if not rules.has_implicit_members:
                    continue
                owner = Declaration(scope.path, around)
                members = self.find_members(owner, name, role, call, is_bare=True)
                if members:
                    return [(other, one.ordinal) for one in members if (other := self.find_scope(one.path))]
                if scope.get_name(around) == name and is_wanted(kind, role, scope.language):
                    return self._as_type(scope, around)
                continue
            found = [one for one in scope.find_children(around, name) if self._is_wanted(scope, one, role)]
            real = [one for one in found if scope.get_kind(one) not in _NO_NAMES]
            real = keep_declared(scope, around, real, call.line if call is not None else 0)
            if real:
                return [(scope, one) for one in real]
        return []

    def _is_perhaps_of_block(
        self,
        scope: FileScope,
        ordinal: int,
        role: ReferenceRole,
        inner: list[tuple[FileScope, int]],
        call: Reference | None,
    ) -> bool:
        """Return whether a function's name, also declared elsewhere, may be that of an ended block."""
        one = inner[0][1]
        is_loose = one in scope.blocks
        if scope.get_kind(one) is SymbolKind.MACRO or (is_loose and call is not None):
            return is_loose and len(inner) > 1
        if not is_loose and not is_function_in_order(scope, scope.get_parent(one)):
            return False
        path, visible = (scope.get_name(one),), self.get_rules(scope).list_visible(scope, ordinal)
        is_twice = len(inner) > 1 if is_loose else is_declared_twice(scope, one)
        return is_twice or any(self.find_path(scope, each + path, role).declarations for each in visible)

    def _join_imported(
        self, scope: FileScope, ordinal: int, name: str, role: ReferenceRole, found: FoundDeclarations
    ) -> FoundDeclarations:
        """Return the declarations of a Rust module and a namesake import, between which a `cfg` chooses."""
        bound = self.get_rules(scope).find_import(scope, ordinal, name)
        if bound is None:
            return found
        imported = self.find_path(scope, bound, role)
        declarations = tuple(dict.fromkeys((*found.declarations, *imported.declarations)))
        count = len(declarations) + bool(imported.external)
        return replace(found, declarations=declarations, alternatives=count) if count > 1 else found

    def _is_perhaps_hidden(self, scope: FileScope, ordinal: int, found: FoundDeclarations) -> bool:
        """Return whether a nearer type has an external base, whose members may hide the found one."""
        owners = {self._find_owner(one) for one in found.declarations} - {None}
        if not owners:
            return False
        for around in scope.iter_around(ordinal):
            one = Declaration(scope.path, around)
            if scope.get_kind(around) in TYPE_KINDS:
                above = {one, *iter_above(self, one)}
                if owners & above:
                    return False
                if any(has_base_outside(self, each) for each in above):
                    return True
        return False

    def _find_owner(self, one: Declaration) -> Declaration | None:
        """Return the type that a member belongs to, or None."""
        scope = self.find_scope(one.path)
        is_member = scope and scope.is_member(one.ordinal)
        return Declaration(one.path, scope.get_parent(one.ordinal)) if scope and is_member else None

    def _as_type(self, scope: FileScope, ordinal: int) -> list[tuple[FileScope, int]]:
        """Return the type of an extension if it is found; any other declaration as it is."""
        if scope.get_kind(ordinal) is not SymbolKind.EXTENSION:
            return [(scope, ordinal)]
        real = self.find_extended(Declaration(scope.path, ordinal))
        return [(other, one.ordinal) for one in real if (other := self.find_scope(one.path))]

    def _is_wanted(self, scope: FileScope, ordinal: int, role: ReferenceRole) -> bool:
        kind = scope.get_kind(ordinal)
        return kind is not SymbolKind.CONSTRUCTOR and is_wanted(kind, role, scope.language)

    def find_static(
        self, scope: FileScope, ordinal: int, names: Path, role: ReferenceRole
    ) -> FoundDeclarations:
        """Return the meaning of dotted names, each of which is a package, module, namespace or type."""
        if len(names) == 1:
            return self.find_bare(scope, ordinal, names[0], role)
        rules = self.get_rules(scope)
        doubted = NOT_FOUND
        for path in rules.list_paths(scope, ordinal, names):
            found = self.find_path(scope, path, role)
            if found.external or (found.declarations and found.is_certain):
                return found
            doubted = doubted if doubted.declarations else found
        if doubted.declarations:
            return doubted
        return self._find_in_types(scope, ordinal, names, role)

    def _find_in_types(
        self, scope: FileScope, ordinal: int, names: Path, role: ReferenceRole
    ) -> FoundDeclarations:
        """Return the member of the type that all names but the last lead to."""
        outer = self.find_type(scope, ordinal, names[:-1])
        if outer.external:
            return FoundDeclarations((), True, f"{outer.external}.{names[-1]}")
        for one in outer.declarations:
            members = self.find_members(one, names[-1], role)
            if members:
                return FoundDeclarations(tuple(members), outer.is_certain)
        return NOT_FOUND

    def find_path(self, scope: FileScope, path: Path, role: ReferenceRole) -> FoundDeclarations:
        """Return the declarations of a full path as its crate sees them, also through re-exports."""
        if scope.language != "rust":
            return self._follow_path(scope, path, role)
        key = (get_crate_root(self.get_rules(scope).find_home(scope)), path, role)
        if key not in self._followed:
            self._followed[key] = self._follow_path(scope, path, role)
        return self._followed[key]

    def _follow_path(self, scope: FileScope, path: Path, role: ReferenceRole) -> FoundDeclarations:
        rules, waiting, seen = self.get_rules(scope), [path], {path}
        for _ in range(MAX_FOLLOWED):
            if not waiting:
                break
            one = waiting.pop(0)
            if one[:1] == OUTSIDE:
                return FoundDeclarations((), True, ".".join(one[1:]))
            found = self._find_exactly(scope, one, role)
            if found:
                return self._join_given_on(scope, self._choose(scope, found), waiting, role)
            more = [other for other in rules.follow(scope, one) if other not in seen]
            seen.update(more)
            waiting += more
        return NOT_FOUND

    def _join_given_on(
        self, scope: FileScope, found: FoundDeclarations, waiting: list[Path], role: ReferenceRole
    ) -> FoundDeclarations:
        """Return the targets of a Rust path and of re-exports by its name: a configuration chooses one."""
        if scope.language != "rust":
            return found
        others = [
            self._choose(scope, more) for path in waiting if (more := self._find_exactly(scope, path, role))
        ]
        declarations = tuple(dict.fromkeys(one for each in (found, *others) for one in each.declarations))
        if len(declarations) == len(found.declarations):
            return found
        return replace(found, declarations=declarations, alternatives=len(declarations))

    def _find_exactly(self, scope: FileScope, path: Path, role: ReferenceRole) -> list[tuple[FileScope, int]]:
        rules = self.get_rules(scope)
        found = []
        for other in self.iter_declaring(scope, path[-1], path):
            for ordinal in other.find_named(path[-1]):
                if not self._is_wanted(other, ordinal, role) or extends_anything(other, ordinal):
                    continue
                if rules.parts_fields and other.get_kind(ordinal) is SymbolKind.PROPERTY:
                    continue
                if is_of_block(other, ordinal):
                    continue
                reachable = other is scope or rules.is_reachable(scope, other, ordinal)
                if reachable and rules.get_full_path(other, ordinal) == path:
                    found.append((other, ordinal))
        return found

    def _choose(self, scope: FileScope, found: list[tuple[FileScope, int]]) -> FoundDeclarations:
        """Return types before their extensions, and definitions before forward declarations."""
        real = [one for one in found if one[0].get_kind(one[1]) is not SymbolKind.EXTENSION]
        real = prefer_inherent(real)
        chosen, is_certain = self.get_rules(scope).choose(scope, real or found)
        return FoundDeclarations(
            tuple(Declaration(other.path, ordinal) for other, ordinal in chosen), is_certain
        )

    def find_type(self, scope: FileScope, ordinal: int, names: Path) -> FoundDeclarations:
        """Return the type that dotted names lead to."""
        return self.find_static(scope, ordinal, names, ReferenceRole.TYPE)

    # -- members ------------------------------------------------------------------------------------------

    def find_extended(self, extension: Declaration) -> list[Declaration]:
        """Return the type that an extension extends; the extension itself if that is external."""
        scope = self.find_scope(extension.path)
        if scope is None:
            return []
        row = scope.find_extended(extension.ordinal)
        if row is None:
            return [extension]
        outer = scope.get_parent(extension.ordinal)
        found = self.find_type(scope, outer, split_name(row)).declarations
        return [one for one in found if one != extension] or [extension]

    def find_members(
        self,
        owner: Declaration,
        name: str,
        role: ReferenceRole,
        call: Reference | None = None,
        *,
        of_value: bool = False,
        is_bare: bool = False,
    ) -> list[Declaration]:
        """Return the members of a type with a name: its own and its extensions', or the nearest base's.

        With `parts_fields`, a member `of_value` that is not called is a field. With inherited overloads, the
        nearest type with one that accepts the call counts. In C all equally near members count, since a macro
        for fields may have a definition for each platform. A method of every class is never an interface's.
        In Java a type does not have its bases' private members, and a bare name means a method if called.
        """
        waiting, seen = [owner], {owner}
        scope = self.find_scope(owner.path)
        rules = self.get_rules(scope) if scope is not None else None
        is_c = scope is not None and scope.language == "c"
        known = rules.of_every_class.get(name) if rules is not None and not self._promises(owner) else None
        for _ in range(MAX_TYPES):
            if not waiting:
                break
            one = waiting.pop(0)
            found = self._find_own_members(one, name, role)
            if rules is not None and rules.inherits_overloads:
                found = self._keep_inherited(found, one == owner, role if is_bare else None)
            if found and call is not None and call.arguments == known and self._promises(one):
                return []
            if of_value and self._parts_fields(one, role):
                found = [member for member in found if self.get_kind(member) is SymbolKind.PROPERTY]
            brought = takes_in(self.find_scope(one.path), one.ordinal, name) if found else False
            for other in waiting if found and is_c else self.list_bases(one) if brought else ():
                found += self._find_own_members(other, name, role)
            if found and self._takes_any(found, call):
                return found
            more = [base for base in self.list_bases(one) if base not in seen]
            seen.update(more)
            if rules is not None and rules.inherits_overloads:  # a class's before those of interfaces
                waiting = [base for base in more if not self._promises(base)] + waiting
                more = [base for base in more if self._promises(base)]
            waiting += more
        return []

    def _keep_inherited(
        self, found: list[Declaration], is_own: bool, role: ReferenceRole | None
    ) -> list[Declaration]:
        """Return the members of Java that a type has of a base, or as its own; of a sort if they are bare."""
        kept = []
        for one in found:
            scope = self.find_scope(one.path)
            is_hidden = scope is None or (not is_own and get_access(scope, one.ordinal) is Access.PRIVATE)
            is_other = role is ReferenceRole.USE and self.get_kind(one) in CALLABLE_KINDS
            is_other = is_other or (role is ReferenceRole.CALL and self.get_kind(one) in _FIELD_KINDS)
            kept += [] if is_hidden or is_other else [one]
        return kept

    def _promises(self, owner: Declaration) -> bool:
        return self.get_kind(owner) in {SymbolKind.INTERFACE, SymbolKind.TRAIT}

    def _parts_fields(self, owner: Declaration, role: ReferenceRole) -> bool:
        scope = self.find_scope(owner.path)
        return role is ReferenceRole.USE and scope is not None and self.get_rules(scope).parts_fields

    def _takes_any(self, members: list[Declaration], call: Reference | None) -> bool:
        scope = self.find_scope(members[0].path)
        if scope is None or call is None or not call.arguments:
            return True
        rules = self.get_rules(scope)
        if not rules.inherits_overloads:
            return True
        scopes = ((self.find_scope(one.path), one.ordinal) for one in members)
        return any(other and rules.accepts(other.get_symbol(ordinal), call) for other, ordinal in scopes)

    def _find_own_members(self, owner: Declaration, name: str, role: ReferenceRole) -> list[Declaration]:
        scope = self.find_scope(owner.path)
        if scope is None:
            return []
        own = [one for one in scope.find_children(owner.ordinal, name) if self._is_member(scope, one, role)]
        found = [(scope, one) for one in own or list_enumerators(scope, owner.ordinal, name, role)]
        rules = self.get_rules(scope)
        owner_name = scope.get_name(owner.ordinal)
        if rules.has_extensions:
            extending = set(self.program.list_declaring(owner_name))
            for path in self.program.list_declaring(name):
                other = self.find_scope(path) if path in extending else None
                if other is not None and other.language in rules.languages:
                    found += self._find_in_extensions(scope, owner.ordinal, other, name, role)
        found = prefer_inherent(found)
        defined = {one[0].count_parameters(one[1]) for one in found if not one[0].is_forward(one[1])}
        kept = [
            one
            for one in found
            if not one[0].is_forward(one[1]) or one[0].count_parameters(one[1]) not in defined
        ]
        return [Declaration(other.path, ordinal) for other, ordinal in kept]

    def _find_in_extensions(
        self, scope: FileScope, owner: int, other: FileScope, name: str, role: ReferenceRole
    ) -> list[tuple[FileScope, int]]:
        owner_name = scope.get_name(owner)
        found = []
        for ordinal in other.find_named(name):
            parent = other.get_parent(ordinal)
            if other.get_name(parent) != owner_name or (other is scope and parent == owner):
                continue
            is_extension = other.get_kind(parent) is SymbolKind.EXTENSION
            from_extension = (
                scope.get_kind(owner) is SymbolKind.EXTENSION and other.get_kind(parent) in TYPE_KINDS
            )
            is_member = (is_extension or from_extension) and self._is_member(other, ordinal, role)
            if is_member and scope.language == "swift" and other not in (scope, self._reader):
                is_member = self.get_rules(scope).is_reachable(scope, other, ordinal)
            if is_member and self._is_same_type(scope, owner, other, parent):
                found.append((other, ordinal))
        return found

    def _is_same_type(self, scope: FileScope, owner: int, other: FileScope, extension: int) -> bool:
        """Return whether an extension with a type's name extends that very type."""
        rules = self.get_rules(scope)
        if not rules.is_same_type(scope, owner, other, extension) or extends_anything(scope, owner):
            return False
        is_extension = other.get_kind(extension) is SymbolKind.EXTENSION
        if not rules.checks_extensions or not is_extension or scope.get_kind(owner) is SymbolKind.EXTENSION:
            return True
        one = Declaration(other.path, extension)
        if one not in self._extended:
            self._extended[one] = tuple(self.find_extended(one))
        found = self._extended[one]
        return Declaration(scope.path, owner) in found or found == (one,)

    def _is_member(self, scope: FileScope, ordinal: int, role: ReferenceRole) -> bool:
        kind = scope.get_kind(ordinal)
        if kind is SymbolKind.CONSTRUCTOR and not self.get_rules(scope).constructor_name:
            return role is ReferenceRole.CALL  # except in a call, where the name is the type's
        if kind is SymbolKind.CONSTRUCTOR and role is ReferenceRole.CALL:
            return True
        if scope.language == "c":
            return kind is SymbolKind.PROPERTY and not is_type_role(role)
        if kind is SymbolKind.PROPERTY and role is ReferenceRole.CALL and self.get_rules(scope).parts_fields:
            return False
        return is_wanted(kind, role, scope.language)

    def list_bases(self, owner: Declaration) -> tuple[Declaration, ...]:
        """Return the declared bases of a type or extension; for an alias, the type it stands for."""
        known = self._bases.get(owner)
        if known is not None:
            return known
        if owner in self._open or len(self._open) >= MAX_OPEN or self._steps <= 0:
            self._cuts += 1  # inheritance may be cyclic
            return ()
        cuts = self._cuts
        self._open.add(owner)
        self._steps -= 1
        try:
            found = tuple(self._find_bases(owner))
        finally:
            self._open.discard(owner)
        if cuts == self._cuts:  # an incomplete result is not cached, but determined again
            self._bases[owner] = found
        return found

    def begin(self, reader: FileScope | None = None) -> None:
        """Start a new question about a use in the file `reader`, with MAX_STEPS steps available."""
        self._steps, self.depth, self.spare, self._reader = MAX_STEPS, 0, MAX_STEPS, reader

    @contextmanager
    def deepen(self) -> Iterator[None]:
        """Count one more receiver or type that is determined to find another one."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def _find_bases(self, owner: Declaration) -> list[Declaration]:
        scope = self.find_scope(owner.path)
        if scope is None:
            return []
        found: dict[Declaration, None] = {}
        kind = scope.get_kind(owner.ordinal)
        if kind is SymbolKind.EXTENSION:
            found.update(dict.fromkeys(one for one in self.find_extended(owner) if one != owner))
        for other, ordinal in self._iter_parts(scope, owner.ordinal):
            for row in other.list_bases(ordinal):
                outer = other.get_parent(ordinal)
                found.update(dict.fromkeys(self.find_type(other, outer, split_name(row)).declarations))
        if kind is SymbolKind.TYPE:
            found.update(dict.fromkeys(self._find_alias(scope, owner.ordinal)))
        if scope.language == "rust":
            found.update(dict.fromkeys(self._find_pointed(scope, owner.ordinal)))
        if scope.language in WITH_MACROS:
            for name in scope.list_macro_fields(owner.ordinal):
                macros = self.find_bare(scope, 0, name, ReferenceRole.USE).declarations
                found.update(dict.fromkeys(one for one in macros if self.get_kind(one) is SymbolKind.MACRO))
        found.pop(owner, None)
        return list(found)

    def _find_pointed(self, scope: FileScope, ordinal: int) -> Iterator[Declaration]:
        """Yield the `Target` of a Rust type's `impl Deref`, whose members the type has as well."""
        for other, part in self._iter_parts(scope, ordinal):
            targets = other.find_children(part, "Target")
            names = read_type_names(other, targets[0]) if targets and not is_list(other, targets[0]) else ()
            if names and any(row.name == "Deref" for row in other.list_bases(part)):
                yield from self.find_type(other, part, names).declarations

    def _iter_parts(self, scope: FileScope, ordinal: int) -> Iterator[tuple[FileScope, int]]:
        """Yield a type and its extensions."""
        yield scope, ordinal
        rules, name = self.get_rules(scope), scope.get_name(ordinal)
        if not rules.has_extensions:
            return
        for other in list(self.iter_declaring(scope, name))[:MAX_EXTENSIONS]:
            for one in other.find_named(name):
                is_other = other is not scope or one != ordinal
                is_part = is_other and other.get_kind(one) is SymbolKind.EXTENSION
                if is_part and self._is_same_type(scope, ordinal, other, one):
                    yield other, one

    def _find_alias(self, scope: FileScope, ordinal: int) -> tuple[Declaration, ...]:
        names = read_type_names(scope, ordinal)
        if scope.language in {"rust", "swift"} and is_list(scope, ordinal):
            return ()
        return self.find_type(scope, scope.get_parent(ordinal), names).declarations if names else ()

    def find_constructors(self, owner: Declaration) -> list[Declaration]:
        """Return the declared constructors of a type."""
        scope = self.find_scope(owner.path)
        if scope is None:
            return []
        name = self.get_rules(scope).constructor_name or scope.get_name(owner.ordinal)
        found = self._find_own_members(owner, name, ReferenceRole.CALL)
        return [one for one in found if self.get_kind(one) is SymbolKind.CONSTRUCTOR]

    def get_kind(self, declaration: Declaration) -> SymbolKind:
        """Return the kind of a declaration."""
        scope = self.find_scope(declaration.path)
        return scope.get_kind(declaration.ordinal) if scope is not None else SymbolKind.FILE


def has_base_outside(lookup: NamedLookup, owner: Declaration) -> bool:
    """Return whether a base class of a type is declared in another repository."""
    if owner not in lookup.open_ended:
        scope = lookup.find_scope(owner.path)
        rows = scope.list_bases(owner.ordinal) if scope is not None else []
        lookup.open_ended[owner] = any(
            not lookup.find_type(scope, scope.get_parent(owner.ordinal), split_name(row)).declarations
            for row in rows
            if scope is not None and row.role is ReferenceRole.INHERIT
        )
    return lookup.open_ended[owner]


def iter_above(lookup: NamedLookup, owner: Declaration) -> Iterator[Declaration]:
    """Yield the direct and indirect bases of a type, at most MAX_TYPES."""
    waiting, seen = [owner], {owner}
    while waiting and len(seen) < MAX_TYPES:
        for base in [one for one in lookup.list_bases(waiting.pop()) if one not in seen]:
            seen.add(base)
            waiting.append(base)
            yield base
