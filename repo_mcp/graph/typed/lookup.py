"""Lookup of declarations by name, in languages with declared types: bare names by scope, and dotted ones.

The rules of a language decide what a name can reach. Where a language looks further, or in another order, a
subclass overrides a method. Results found through scopes, imports or containers are certain, unless the rules
say otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.local_names import is_declared_twice, is_ordered_function, keep_declared
from repo_mcp.graph.typed.member_lookup import MemberLookup
from repo_mcp.graph.typed.rules import NOT_FOUND, Candidate, FoundDeclarations, Path
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import TYPE_KINDS, Reference, ReferenceRole, SymbolKind

# A property without its name is an unnamed struct's.
_NO_NAMES = frozenset({SymbolKind.EXTENSION, SymbolKind.PROPERTY})


class NamedLookup(MemberLookup):
    """Looks up names in the files of one language, or of C and C++."""

    def find_bare(
        self, scope: FileScope, ordinal: int, name: str, role: ReferenceRole, call: Reference | None = None
    ) -> FoundDeclarations:
        """Return the meaning of an unqualified name; for `call` see `find_members`."""
        rules = self.rules
        inner = self._find_in_scopes(scope, ordinal, name, role, call)
        if inner and self._is_meant(inner, call):
            found = self._choose(scope, inner)
            is_doubted = inner[0][0] is scope and self._may_be_of_ended_block(
                scope, ordinal, role, inner, call
            )
            is_doubted = is_doubted or self._may_be_hidden(scope, ordinal, found)
            found = replace(found, is_certain=False) if is_doubted else found
            return self._join_imported(scope, ordinal, name, role, found)
        bound = rules.find_import(scope, ordinal, name)
        if bound is not None:
            return self.find_path(scope, bound, role)
        doubted = NOT_FOUND
        for container in rules.list_visible(scope, ordinal):
            found = self.find_path(scope, (*container, name), role)
            kind = self.get_kind(found.declarations[0]) if found.declarations and found.is_certain else None
            # An extension counts only if its type is external: then nothing else may have that name.
            if kind not in {None, SymbolKind.EXTENSION}:
                return found
            doubted = doubted if doubted.declarations else found
        return doubted if doubted.declarations or not inner else self._choose(scope, inner)

    def _is_meant(self, inner: list[Candidate], call: Reference | None) -> bool:
        """Return whether one of the declarations in the scopes around a name is a definition."""
        return not all(scope.is_forward(one) for scope, one in inner)

    def _may_be_hidden(self, scope: FileScope, ordinal: int, found: FoundDeclarations) -> bool:
        """Return whether a nearer type may have a member that hides the declarations found through scopes."""
        return False

    def _join_imported(
        self, scope: FileScope, ordinal: int, name: str, role: ReferenceRole, found: FoundDeclarations
    ) -> FoundDeclarations:
        """Return the declarations found through scopes, with what an import of that name may mean instead."""
        return found

    def _find_in_scopes(
        self, scope: FileScope, ordinal: int, name: str, role: ReferenceRole, call: Reference | None
    ) -> list[Candidate]:
        rules = self.rules
        for around in self._iter_seen(scope, ordinal):
            kind = scope.get_kind(around)
            if kind in TYPE_KINDS and kind is not SymbolKind.TYPE:
                if not rules.has_implicit_members:
                    continue
                owner = Declaration(scope.path, around)
                members = self.find_members(owner, name, role, call, is_bare=True)
                if members:
                    return [(other, one.ordinal) for one in members if (other := self.find_scope(one.path))]
                if scope.get_name(around) == name and self.is_wanted(scope, kind, role):
                    return self._unwrap_extension(scope, around)
                continue
            found = [one for one in scope.find_children(around, name) if self._may_mean(scope, one, role)]
            real = [one for one in found if scope.get_kind(one) not in _NO_NAMES]
            real = keep_declared(rules, scope, around, real, call.line if call is not None else 0)
            if real:
                return [(scope, one) for one in real]
        return []

    def _iter_seen(self, scope: FileScope, ordinal: int) -> Iterable[int]:
        """Return a symbol and those around it whose names need no qualifier in it, innermost first."""
        return scope.iter_around(ordinal)

    def _may_be_of_ended_block(
        self,
        scope: FileScope,
        ordinal: int,
        role: ReferenceRole,
        inner: list[Candidate],
        call: Reference | None,
    ) -> bool:
        """Return whether a name in a function may be declared in a block that ends before its use."""
        one = inner[0][1]
        is_loose = one in scope.blocks
        if scope.get_kind(one) is SymbolKind.MACRO or (is_loose and call is not None):
            return is_loose and len(inner) > 1
        if not is_loose and not is_ordered_function(self.rules, scope, scope.get_parent(one)):
            return False
        path, visible = (scope.get_name(one),), self.rules.list_visible(scope, ordinal)
        is_twice = len(inner) > 1 if is_loose else is_declared_twice(self.rules, scope, one)
        return is_twice or any(self.find_path(scope, each + path, role).declarations for each in visible)

    def _unwrap_extension(self, scope: FileScope, ordinal: int) -> list[Candidate]:
        """Return the type that an extension extends, if it is declared here; any other symbol as it is."""
        if scope.get_kind(ordinal) is not SymbolKind.EXTENSION:
            return [(scope, ordinal)]
        real = self.find_extended(Declaration(scope.path, ordinal))
        return [(other, one.ordinal) for one in real if (other := self.find_scope(one.path))]

    def find_static(
        self, scope: FileScope, ordinal: int, names: Path, role: ReferenceRole
    ) -> FoundDeclarations:
        """Return the meaning of dotted names, each of which is a package, module, namespace or type."""
        if len(names) == 1:
            return self.find_bare(scope, ordinal, names[0], role)
        rules = self.rules
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
        """Return the member with the last name in the type that the names before it lead to."""
        outer = self.find_type(scope, ordinal, names[:-1])
        if outer.external:
            return FoundDeclarations((), True, f"{outer.external}.{names[-1]}")
        for one in outer.declarations:
            members = self.find_members(one, names[-1], role)
            if members:
                return FoundDeclarations(tuple(members), outer.is_certain)
        return NOT_FOUND

    def find_type(self, scope: FileScope, ordinal: int, names: Path) -> FoundDeclarations:
        """Return the type that dotted names lead to."""
        return self.find_static(scope, ordinal, names, ReferenceRole.TYPE)
