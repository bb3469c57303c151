"""Looks up names in Rust: `use` inside functions, alternatives of a `cfg`, inherent members, `Deref`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from repo_mcp.graph.program import Declaration, Program, is_type_role
from repo_mcp.graph.rust.rules import FollowedPath, RustRules, get_crate_root
from repo_mcp.graph.typed.file_scope import FileScope, has_trait, is_blanket_impl, is_list, read_type_names
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.rules import NOT_FOUND, OUTSIDE, Candidate, FoundDeclarations, Path
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import OF_MACRO
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, Reference, ReferenceRole, SymbolKind

_WITHOUT_VALUES = frozenset({SymbolKind.ENUM, SymbolKind.TRAIT})  # `Err(...)` is no enum `Err`
_NAMED_APART = TYPE_KINDS | {SymbolKind.MODULE}  # whose names are apart from those of values
_MODULES = frozenset({SymbolKind.FILE, SymbolKind.MODULE})
_NAMED_LIKE_TYPES = TYPE_KINDS | {SymbolKind.ENUM_MEMBER}


class RustLookup(NamedLookup):
    """Looks up names in files of Rust."""

    rules: RustRules

    def __init__(self, program: Program) -> None:
        super().__init__(program, RustRules(program))
        self._joining: set[Path] = set()  # paths whose alternatives are being looked for
        self._followed: dict[tuple[Path, Path, ReferenceRole], FoundDeclarations] = {}  # by crate

    def is_wanted(self, scope: FileScope, kind: SymbolKind, role: ReferenceRole) -> bool:
        """Return whether a name can mean a symbol; patterns name variants, and no name means a macro."""
        if is_type_role(role):
            return kind in _NAMED_LIKE_TYPES
        is_value = role is not ReferenceRole.CALL or kind not in _WITHOUT_VALUES
        return is_value and kind is not SymbolKind.MACRO and super().is_wanted(scope, kind, role)

    def _iter_seen(self, scope: FileScope, ordinal: int) -> Iterable[int]:
        return self.rules.iter_seen(scope, ordinal)

    def find_bare(
        self, scope: FileScope, ordinal: int, name: str, role: ReferenceRole, call: Reference | None = None
    ) -> FoundDeclarations:
        """Return the meaning of an unqualified name; imports inside functions come first."""
        for path in self.rules.list_local_imports(scope, ordinal, name):
            found = self.find_path(scope, path, role)
            if found.declarations or found.external:
                return found
        return self._join_bound(
            scope, ordinal, name, role, super().find_bare(scope, ordinal, name, role, call)
        )

    def _join_bound(
        self, scope: FileScope, ordinal: int, name: str, role: ReferenceRole, found: FoundDeclarations
    ) -> FoundDeclarations:
        """Return what an import leads to, with the target of another one under another `cfg`."""
        bound = self.rules.list_import_paths(scope, ordinal, name)
        if len(bound) < 2 or self.find_path(scope, bound[0], role) != found:
            return found
        others = [one for path in bound[1:] for one in self.find_path(scope, path, role).declarations]
        declarations = tuple(dict.fromkeys((*found.declarations, *others)))
        if len(declarations) == len(found.declarations):
            return found
        return replace(found, declarations=declarations, alternatives=len(declarations), external="")

    def _join_imported(
        self, scope: FileScope, ordinal: int, name: str, role: ReferenceRole, found: FoundDeclarations
    ) -> FoundDeclarations:
        """Return the declarations of a module and a namesake import, between which a `cfg` chooses."""
        bound = self.rules.find_import(scope, ordinal, name)
        if bound is None or any(self._is_in_function(one) for one in found.declarations):
            return found
        imported = self.find_path(scope, bound, role)
        declarations = tuple(dict.fromkeys((*found.declarations, *imported.declarations)))
        count = len(declarations) + bool(imported.external)
        return replace(found, declarations=declarations, alternatives=count) if count > 1 else found

    def _is_in_function(self, declaration: Declaration) -> bool:
        """Return whether an item is declared inside a function: there it hides what the module imports."""
        return self.get_kind(self.get_parent(declaration)) in CALLABLE_KINDS

    def find_path(self, scope: FileScope, path: Path, role: ReferenceRole) -> FoundDeclarations:
        """Return the declarations of a full path as its crate sees them, also through re-exports."""
        key = (get_crate_root(self.rules.find_home(scope)), path, role)
        if key not in self._followed:
            found = self._skip_impl_blocks(scope, path, role, super().find_path(scope, path, role))
            self._followed[key] = NOT_FOUND if self._is_of_own_type(scope, path, found) else found
        return self._followed[key]

    def _is_of_own_type(self, scope: FileScope, path: Path, found: FoundDeclarations) -> bool:
        """Return whether a path led outside only because its last name is a member declared apart from its
        type.

        After `use super::*; use other::*;`, a member of `Stamp` whose `impl` is in another module is found at
        no path behind the first wildcard, while it may be anything behind the second.
        """
        if not found.external or len(path) < 3 or path[:1] == OUTSIDE:
            return False
        own = self.find_path(scope, path[:-1], ReferenceRole.TYPE).declarations
        return bool(own) and self.get_kind(own[0]) in TYPE_KINDS

    def _find_exactly(self, scope: FileScope, path: Path, role: ReferenceRole) -> list[Candidate]:
        """Return the declarations of a path, where `mod a;` means the file of the module."""
        return [
            one for one in super()._find_exactly(scope, path, role) if self.rules.is_reachable(scope, *one)
        ]

    def _skip_impl_blocks(
        self, scope: FileScope, path: Path, role: ReferenceRole, found: FoundDeclarations
    ) -> FoundDeclarations:
        """Return the type that a module imports, if the path led to `impl` blocks of an external type."""
        if any(self.get_kind(one) is not SymbolKind.EXTENSION for one in found.declarations):
            return found
        for other in self.rules.list_reexports(scope, path) if found.declarations else ():
            behind = super().find_path(scope, other, role)
            if behind.declarations and self.get_kind(behind.declarations[0]) is not SymbolKind.EXTENSION:
                return behind
        return found

    def _join_reexports(
        self,
        scope: FileScope,
        path: Path,
        found: FoundDeclarations,
        waiting: list[Path],
        role: ReferenceRole,
    ) -> FoundDeclarations:
        """Return the targets of a path and of re-exports with its name, between which a `cfg` chooses."""
        named = [one for one in waiting if not (isinstance(one, FollowedPath) and one.is_hidden)]
        others = [
            one
            for other in named
            if (more := self._find_exactly(scope, other, role))
            for one in self._choose(scope, more).declarations
        ]
        others += self._list_reexported(scope, path, found.declarations, role)
        declarations = tuple(dict.fromkeys((*found.declarations, *others)))
        if len(declarations) == len(found.declarations):
            return found
        return replace(found, declarations=declarations, alternatives=len(declarations))

    def _list_reexported(
        self, scope: FileScope, path: Path, found: Sequence[Declaration], role: ReferenceRole
    ) -> list[Declaration]:
        """Return what a module imports under the name of something that it declares as well.

        A module has one item of each name, so that a `cfg` chooses between a stub and the import. A name that
        is one of a type and of a value may be two items. Members of an `impl` are apart from their type.
        """
        around = {self.get_kind(self.get_parent(one)) for one in found}
        is_type = {self._is_type(one) for one in found}
        is_block = SymbolKind.EXTENSION in map(self.get_kind, found)
        if path in self._joining or is_block or not around <= _MODULES or len(is_type) > 1:
            return []
        self._joining.add(path)  # imports may form a cycle
        followed = (one for one in self.rules.list_reexports(scope, path) if isinstance(one, FollowedPath))
        imported = [one for one in followed if not one.is_wide]
        behind = [each for one in imported for each in self.find_path(scope, one, role).declarations]
        self._joining.discard(path)
        return [one for one in behind if self._is_type(one) in is_type]

    def _is_type(self, declaration: Declaration) -> bool:
        return self.get_kind(declaration) in _NAMED_APART

    def _prefer(self, found: list[Candidate]) -> list[Candidate]:
        """Return the inherent members if there are any: they take precedence over members of traits."""
        if len(found) < 2:
            return found
        return [one for one in found if not has_trait(one[0], one[0].get_parent(one[1]))] or found

    def _list_merged_types(
        self, owner: Declaration, name: str, waiting: list[Declaration]
    ) -> Sequence[Declaration]:
        """Return the other traits of a type if a trait has the member: imports decide which one is meant."""
        return [one for one in waiting if self._is_interface(one)] if self._is_interface(owner) else ()

    def _is_same_type(self, scope: FileScope, owner: int, other: FileScope, extension: int) -> bool:
        """Return whether an `impl` is for exactly that type; in another crate, only one of a trait can be."""
        if super()._is_same_type(scope, owner, other, extension):
            return True
        if scope.get_kind(owner) is SymbolKind.EXTENSION or not has_trait(other, extension):
            return False
        return Declaration(scope.path, owner) in self._list_extended(Declaration(other.path, extension))

    def has_expanded_members(self, owner: Declaration) -> bool:
        """Return whether a macro that may declare members is called in the body of a type or its `impl`."""
        scope = self.find_scope(owner.path)
        if scope is None:
            return False
        return any(_calls_macro(other, part) for other, part in self._iter_parts(scope, owner.ordinal))

    def find_blanket_members(self, scope: FileScope, name: str) -> list[Declaration]:
        """Return the members of a name in traits that all types implement: `impl<T> Shown for T`."""
        found = []
        for other, ordinal in self.iter_named(scope, name):
            parent = other.get_parent(ordinal)
            if other.get_kind(parent) is SymbolKind.TRAIT and _has_blanket_impl(other, parent):
                found.append(Declaration(other.path, ordinal))
        return found

    def _find_alias(self, scope: FileScope, ordinal: int) -> tuple[Declaration, ...]:
        return () if is_list(scope, ordinal) else super()._find_alias(scope, ordinal)

    def list_pointees(self, owner: Declaration) -> list[Declaration]:
        """Return the `Target` of the `impl Deref` of a type; the alias itself if its type is unknown."""
        scope = self.find_scope(owner.path)
        if scope is None:
            return []
        found = list(self._iter_other_bases(scope, owner.ordinal))
        return found or [
            Declaration(other.path, one)
            for other, part in self._iter_parts(scope, owner.ordinal)
            if any(row.name == "Deref" for row in other.list_bases(part))
            for one in other.find_children(part, "Target")
        ]

    def _iter_other_bases(self, scope: FileScope, ordinal: int) -> Iterable[Declaration]:
        """Yield the `Target` of a type's `impl Deref`, whose members the type has as well."""
        for other, part in self._iter_parts(scope, ordinal):
            targets = other.find_children(part, "Target")
            names = read_type_names(other, targets[0]) if targets and not is_list(other, targets[0]) else ()
            if names and any(row.name == "Deref" for row in other.list_bases(part)):
                yield from self.find_type(other, part, names).declarations


def _calls_macro(scope: FileScope, ordinal: int) -> bool:
    rows = scope.record.list_own_role(ordinal, ReferenceRole.CALL)
    return any(scope.record.get_reference(row).alias == OF_MACRO for row in rows)


def _has_blanket_impl(scope: FileScope, trait: int) -> bool:
    """Return whether the file of a trait implements it for a type parameter."""
    name, kinds = scope.get_name(trait), scope.record.kinds
    extensions = np.flatnonzero(kinds == int(SymbolKind.EXTENSION)).tolist()
    blocks = (one for one in extensions if is_blanket_impl(scope, one))
    return any(row.name == name for one in blocks for row in scope.list_bases(one))
