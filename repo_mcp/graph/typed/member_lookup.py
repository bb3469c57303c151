"""Lookup of members of types, in languages with declared types: those of a type, its extensions and bases.

A subclass overrides what differs in a language, and says what a name in the head of a type means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.typed.file_scope import (
    FileScope,
    get_access,
    is_blanket_impl,
    read_type_names,
    split_name,
)
from repo_mcp.graph.typed.path_lookup import PathLookup
from repo_mcp.graph.typed.rules import Candidate, FoundDeclarations, Path, Rules
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Access,
    Reference,
    ReferenceRole,
    SymbolKind,
    find_inside,
)

MAX_TYPES = 40  # visited among direct and indirect bases, for one member
MAX_OPEN = 20  # depth: types whose bases are needed to find another's bases
MAX_STEPS = 500  # types whose bases are determined for one question
CACHED_MEMBERS = 20_000  # answers about members: those of a base are asked for by all types below it
MAX_LOOKED_INSIDE = 4  # files that declare a name, looked at before the types that may have it as a member
MAX_EXTENSIONS = 30  # files with extensions of one type, examined for its bases
_Asked = tuple[Declaration, str, ReferenceRole, tuple[int, str] | None, bool, bool, str | None]
_FILES = frozenset({SymbolKind.FILE, SymbolKind.MODULE})  # what is declared in these is no member
_AskedOwn = tuple[Declaration, str, ReferenceRole, str | None]
FIELD_KINDS = frozenset({SymbolKind.PROPERTY, SymbolKind.CONSTANT, SymbolKind.ENUM_MEMBER})


class MemberLookup(PathLookup):
    """Looks up members of types in the files of one language, or of C and C++."""

    def __init__(self, program: Program, rules: Rules) -> None:
        super().__init__(program, rules)
        self._bases: dict[Declaration, tuple[Declaration, ...]] = {}
        self._extended: dict[Declaration, tuple[Declaration, ...]] = {}
        self._members: LruCache[_Asked, tuple[Declaration, ...]] = LruCache(CACHED_MEMBERS)
        self._inside: dict[str, bool] = {}  # whether some type may have a member of a name
        self._own: LruCache[_AskedOwn, tuple[Declaration, ...]] = LruCache(CACHED_MEMBERS)
        self._open: set[Declaration] = set()  # types whose bases are being determined
        self.cuts = 0  # lookups of bases cut short by a cycle or a limit
        self._steps = MAX_STEPS
        self.reader: FileScope | None = None  # the file of the use that is being resolved
        self.depth = self.type_arguments_left = (
            0  # receivers in receivers; type arguments that may still be read
        )

    def find_type(self, scope: FileScope, ordinal: int, names: Path) -> FoundDeclarations:
        """Return the type that dotted names lead to. Implemented by the lookup of bare names."""
        raise NotImplementedError

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
        """Return the members of a type with a name: its own and those of its extensions, or else of its
        nearest base.

        `of_value` says that the owner is a value: then, where rules have `separates_fields`, a member that is
        not called is a field. Where rules have `inherits_overloads`, the nearest type with an overload that
        accepts the call counts, private members of bases do not, and a bare name (`is_bare`) means a method
        only if it is called. A method that every class has is not looked up in interfaces.
        """
        if self.get_kind(owner) not in _FILES and not self.is_inside_somewhere(name):
            return []
        passed = None if call is None else (call.arguments, call.alias)  # what decides whether a call fits
        reader = None if self.reader is None else self.reader.path
        key = owner, name, role, passed, of_value, is_bare, reader
        known = self._members.find(key)
        if known is None:
            cuts = self.cuts
            known = tuple(self._find_members(owner, name, role, call, of_value=of_value, is_bare=is_bare))
            if cuts == self.cuts:  # as for bases
                self._members.put(key, known)
        return list(known)

    def is_inside_somewhere(self, name: str) -> bool:
        """Return False for a name that only files and namespaces declare: no type has such a member."""
        known = self._inside.get(name)
        if known is None:
            paths = self.program.list_declaring(name)
            known = len(paths) > MAX_LOOKED_INSIDE or any(map(partial(self._has_inside, name), paths))
            self._inside[name] = known
        return known

    def _has_inside(self, name: str, path: str) -> bool:
        scope = self.find_scope(path)
        parents = (scope.get_parent(one) for one in scope.find_named(name)) if scope is not None else ()
        return scope is not None and any(scope.get_kind(one) not in _FILES for one in parents)

    def _find_members(
        self,
        owner: Declaration,
        name: str,
        role: ReferenceRole,
        call: Reference | None,
        *,
        of_value: bool,
        is_bare: bool,
    ) -> list[Declaration]:
        rules, waiting, seen = self.rules, [owner], {owner}
        known = rules.methods_of_every_class.get(name) if not self._is_interface(owner) else None
        for _ in range(MAX_TYPES):
            if not waiting:
                break
            one = waiting.pop(0)
            found = self._find_own_members(one, name, role)
            if rules.inherits_overloads:
                found = self._keep_accessible(found, one == owner, role if is_bare else None)
            if found and call is not None and call.arguments == known and self._is_interface(one):
                return []
            if of_value and rules.separates_fields and role is ReferenceRole.USE:
                found = [member for member in found if self.get_kind(member) is SymbolKind.PROPERTY]
            for other in self._list_merged_types(one, name, waiting) if found else ():
                found += self._find_own_members(other, name, role)
            if found and self._accepts_any(found, call):
                return found
            more = [base for base in self.list_bases(one) if base not in seen]
            seen.update(more)
            if rules.inherits_overloads:  # a class's before those of interfaces
                waiting = [base for base in more if not self._is_interface(base)] + waiting
                more = [base for base in more if self._is_interface(base)]
            waiting += more
        return []

    def _list_merged_types(
        self, owner: Declaration, name: str, waiting: list[Declaration]
    ) -> Sequence[Declaration]:
        """Return further types whose members of a name count together with those of `owner`.

        `waiting` holds the types that are searched next, as near as this one.
        """
        return ()

    def _keep_accessible(
        self, found: list[Declaration], is_own: bool, role: ReferenceRole | None
    ) -> list[Declaration]:
        """Return the members without those of a base that are hidden, unless they are the type's own
        (`is_own`).

        For a bare name, `role` also decides: a call means no field, any other use no method.
        """
        kept = []
        for one in found:
            scope = self.find_scope(one.path)
            is_hidden = scope is None or (not is_own and self._is_hidden(scope, one.ordinal))
            is_other = role is ReferenceRole.USE and self.get_kind(one) in CALLABLE_KINDS
            is_other = is_other or (role is ReferenceRole.CALL and self.get_kind(one) in FIELD_KINDS)
            kept += [] if is_hidden or is_other else [one]
        return kept

    def _is_hidden(self, scope: FileScope, ordinal: int) -> bool:
        """Return whether types below do not see a member."""
        return get_access(scope, ordinal) is Access.PRIVATE

    def _is_interface(self, owner: Declaration) -> bool:
        return self.get_kind(owner) in {SymbolKind.INTERFACE, SymbolKind.TRAIT}

    def _accepts_any(self, members: list[Declaration], call: Reference | None) -> bool:
        """Return whether one of the members accepts a call; True where overloads are not inherited."""
        rules = self.rules
        if call is None or not call.arguments or not rules.inherits_overloads:
            return True
        scopes = ((self.find_scope(one.path), one.ordinal) for one in members)
        return any(other and rules.accepts(other.get_symbol(ordinal), call) for other, ordinal in scopes)

    def _find_own_members(self, owner: Declaration, name: str, role: ReferenceRole) -> list[Declaration]:
        """Return the members that a type and its extensions declare; cached for all its subtypes."""
        key = owner, name, role, None if self.reader is None else self.reader.path
        known = self._own.find(key)
        if known is None:
            cuts = self.cuts
            known = tuple(self._search_own_members(owner, name, role))
            if cuts == self.cuts:
                self._own.put(key, known)
        return list(known)

    def _search_own_members(self, owner: Declaration, name: str, role: ReferenceRole) -> list[Declaration]:
        scope = self.find_scope(owner.path)
        if scope is None:
            return []
        found = [(scope, one) for one in self._list_inside(scope, owner.ordinal, name, role)]
        if self.rules.has_extensions:
            extending = set(self.program.list_declaring(scope.get_name(owner.ordinal)))
            for path in self.program.list_declaring(name):
                other = self.find_scope(path) if path in extending else None
                if other is not None:
                    found += self._find_in_extensions(scope, owner.ordinal, other, name, role)
        found = self._prefer(found)
        defined = {one[0].count_parameters(one[1]) for one in found if not one[0].is_forward(one[1])}
        kept = [
            one
            for one in found
            if not one[0].is_forward(one[1]) or one[0].count_parameters(one[1]) not in defined
        ]
        return [Declaration(other.path, ordinal) for other, ordinal in kept]

    def _list_inside(self, scope: FileScope, owner: int, name: str, role: ReferenceRole) -> list[int]:
        """Return the members with a name that a type declares itself."""
        return [one for one in scope.find_children(owner, name) if self._is_member(scope, one, role)]

    def _find_in_extensions(
        self, scope: FileScope, owner: int, other: FileScope, name: str, role: ReferenceRole
    ) -> list[Candidate]:
        found = []
        for ordinal in find_inside(other.record, scope.get_name(owner), name):
            parent = other.get_parent(ordinal)
            if other is scope and parent == owner:
                continue
            is_extension = other.get_kind(parent) is SymbolKind.EXTENSION
            from_extension = (
                scope.get_kind(owner) is SymbolKind.EXTENSION and other.get_kind(parent) in TYPE_KINDS
            )
            is_member = (is_extension or from_extension) and self._is_member(other, ordinal, role)
            is_member = is_member and self._is_extended_for(scope, other, ordinal)
            if is_member and self._is_same_type(scope, owner, other, parent):
                found.append((other, ordinal))
        return found

    def _is_extended_for(self, scope: FileScope, other: FileScope, ordinal: int) -> bool:
        """Return whether the use sees a member that `other` adds to a type of `scope`."""
        return True

    def _is_same_type(self, scope: FileScope, owner: int, other: FileScope, extension: int) -> bool:
        """Return whether an extension that names a type by its name extends exactly that type."""
        rules = self.rules
        if not rules.is_same_type(scope, owner, other, extension) or is_blanket_impl(scope, owner):
            return False
        is_extension = other.get_kind(extension) is SymbolKind.EXTENSION
        if not rules.checks_extensions or not is_extension or scope.get_kind(owner) is SymbolKind.EXTENSION:
            return True
        one = Declaration(other.path, extension)
        found = self._list_extended(one)
        return Declaration(scope.path, owner) in found or found == (one,)

    def is_block_of_type(self, scope: FileScope, owner: int, other: FileScope, extension: int) -> bool:
        """Return whether an extension extends the same type as `owner`, which is a type or an extension."""
        if not self.rules.is_same_type(scope, owner, other, extension):
            return False
        if scope.get_kind(owner) is not SymbolKind.EXTENSION or not self.rules.checks_extensions:
            return True
        own = Declaration(scope.path, owner)
        part = Declaration(other.path, extension)
        types, others = self._list_extended(own), self._list_extended(part)
        return bool({*types} & {*others}) or (types, others) == ((own,), (part,))

    def _list_extended(self, extension: Declaration) -> tuple[Declaration, ...]:
        if extension not in self._extended:
            self._extended[extension] = tuple(self.find_extended(extension))
        return self._extended[extension]

    def _is_member(self, scope: FileScope, ordinal: int, role: ReferenceRole) -> bool:
        kind = scope.get_kind(ordinal)
        if kind is SymbolKind.CONSTRUCTOR and not self.rules.constructor_name:
            return role is ReferenceRole.CALL  # otherwise the name is that of the type
        if kind is SymbolKind.CONSTRUCTOR and role is ReferenceRole.CALL:
            return True
        if kind is SymbolKind.PROPERTY and role is ReferenceRole.CALL and self.rules.separates_fields:
            return False
        return self.is_wanted(scope, kind, role)

    def find_extended(self, extension: Declaration) -> list[Declaration]:
        """Return the type that an extension extends; the extension itself if that type is external."""
        scope = self.find_scope(extension.path)
        if scope is None:
            return []
        row = scope.find_extended(extension.ordinal)
        if row is None:
            return [extension]
        outer = scope.get_parent(extension.ordinal)
        found = self.find_type(scope, outer, split_name(row)).declarations
        return [one for one in found if one != extension] or [extension]

    def list_bases(self, owner: Declaration) -> tuple[Declaration, ...]:
        """Return the declared bases of a type or an extension; for an alias, the type that it stands for."""
        known = self._bases.get(owner)
        if known is not None:
            return known
        if owner in self._open or len(self._open) >= MAX_OPEN or self._steps <= 0:
            self.cuts += 1  # inheritance may be cyclic
            return ()
        cuts = self.cuts
        self._open.add(owner)
        self._steps -= 1
        try:
            found = tuple(self._find_bases(owner))
        finally:
            self._open.discard(owner)
        if cuts == self.cuts:  # an incomplete result is not cached, but determined again
            self._bases[owner] = found
        return found

    def begin_question(self, reader: FileScope | None = None) -> None:
        """Start a new question about a use in the file `reader`, with MAX_STEPS steps available."""
        self._steps, self.depth, self.type_arguments_left, self.reader = MAX_STEPS, 0, MAX_STEPS, reader

    @contextmanager
    def deepen(self) -> Iterator[None]:
        """Count one more level of types that are determined in order to determine another type."""
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
        found.update(dict.fromkeys(self._iter_other_bases(scope, owner.ordinal)))
        found.pop(owner, None)
        return list(found)

    def _iter_other_bases(self, scope: FileScope, ordinal: int) -> Iterable[Declaration]:
        """Yield what a type has members from besides its declared bases."""
        return ()

    def _iter_parts(self, scope: FileScope, ordinal: int) -> Iterator[tuple[FileScope, int]]:
        """Yield a type and its extensions."""
        yield scope, ordinal
        rules, name = self.rules, scope.get_name(ordinal)
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
        return self.find_type(scope, scope.get_parent(ordinal), names).declarations if names else ()

    def find_constructors(self, owner: Declaration) -> list[Declaration]:
        """Return the declared constructors of a type."""
        scope = self.find_scope(owner.path)
        if scope is None:
            return []
        name = self.rules.constructor_name or scope.get_name(owner.ordinal)
        found = self._find_own_members(owner, name, ReferenceRole.CALL)
        return [one for one in found if self.get_kind(one) is SymbolKind.CONSTRUCTOR]


def iter_above(lookup: MemberLookup, owner: Declaration) -> Iterator[Declaration]:
    """Yield the direct and indirect bases of a type, at most MAX_TYPES."""
    waiting, seen = [owner], {owner}
    while waiting and len(seen) < MAX_TYPES:
        for base in [one for one in lookup.list_bases(waiting.pop()) if one not in seen]:
            seen.add(base)
            waiting.append(base)
            yield base
