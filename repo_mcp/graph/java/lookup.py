"""Looks up names in Java, where an external base of a nearer class may hide a declaration that was found."""

from __future__ import annotations

from collections.abc import Iterable

from repo_mcp.graph.java.rules import LANG, JavaRules
from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.typed.file_scope import FileScope, split_name
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.member_lookup import FIELD_KINDS, iter_above
from repo_mcp.graph.typed.rules import FoundDeclarations
from repo_mcp.symbols.symbol_record import TYPE_KINDS, ReferenceRole, SymbolKind

ROOT = (*LANG, "Object")  # the class above all others


def _is_component(scope: FileScope, ordinal: int) -> bool:
    is_field = scope.get_kind(ordinal) is SymbolKind.PROPERTY and not scope.is_static(ordinal)
    return is_field and scope.get_kind(scope.get_parent(ordinal)) is SymbolKind.RECORD


class JavaLookup(NamedLookup):
    """Looks up names in files of Java."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, JavaRules(program))
        self._external_bases: dict[Declaration, tuple[str, ...]] = {}

    def _may_be_hidden(self, scope: FileScope, ordinal: int, found: FoundDeclarations) -> bool:
        """Return whether a nearer type has an external base, whose members may hide those found."""
        owners = {self._find_owner(one) for one in found.declarations} - {None}
        if not owners:
            return False
        for around in scope.iter_around(ordinal):
            one = Declaration(scope.path, around)
            if scope.get_kind(around) in TYPE_KINDS:
                above = {one, *iter_above(self, one)}
                if owners & above:
                    return False
                if any(self.has_external_base(each) for each in above):
                    return True
        return False

    def _find_owner(self, one: Declaration) -> Declaration | None:
        """Return the type that a member belongs to, or None."""
        scope = self.find_scope(one.path)
        is_member = scope and scope.is_member(one.ordinal)
        return Declaration(one.path, scope.get_parent(one.ordinal)) if scope and is_member else None

    def _is_member(self, scope: FileScope, ordinal: int, role: ReferenceRole) -> bool:
        """Return whether a use may mean a member: a call never means a field, which may share its name.

        The components of a record are called by their names.
        """
        is_field = role is ReferenceRole.CALL and scope.get_kind(ordinal) in FIELD_KINDS
        return (not is_field or _is_component(scope, ordinal)) and super()._is_member(scope, ordinal, role)

    def _keep_accessible(
        self, found: list[Declaration], is_own: bool, role: ReferenceRole | None
    ) -> list[Declaration]:
        kept = super()._keep_accessible(found, is_own, role)
        is_called = is_own and role is ReferenceRole.CALL
        components = [one for one in found if self.is_component(one)] if is_called else []
        return kept + [one for one in components if one not in kept]

    def is_component(self, declaration: Declaration) -> bool:
        """Return whether a symbol is a component of a record, which has a method of its name."""
        scope = self.find_scope(declaration.path)
        return scope is not None and _is_component(scope, declaration.ordinal)

    def _iter_other_bases(self, scope: FileScope, ordinal: int) -> Iterable[Declaration]:
        """Yield `Object` for a type that names no class above it, if the repository declares java.lang."""
        roles = {row.role for row in scope.list_bases(ordinal)}
        is_top = ReferenceRole.INHERIT not in roles and ReferenceRole.EXTEND not in roles
        if is_top and scope.get_kind(ordinal) in TYPE_KINDS:
            found = self.find_path(scope, ROOT, ReferenceRole.TYPE).declarations
            yield from (one for one in found if one != Declaration(scope.path, ordinal))

    def has_external_base(self, owner: Declaration) -> bool:
        """Return whether a base class of a type is declared in another repository."""
        return bool(self.list_external_bases(owner))

    def list_external_bases(self, owner: Declaration) -> tuple[str, ...]:
        """Return the full names of the base classes of a type that are declared in another repository."""
        scope = self.find_scope(owner.path)
        if owner not in self._external_bases and scope is not None:
            rows = [row for row in scope.list_bases(owner.ordinal) if row.role is ReferenceRole.INHERIT]
            around = scope.get_parent(owner.ordinal)
            found = [self.find_type(scope, around, split_name(row)) for row in rows]
            self._external_bases[owner] = tuple(
                one.external or row.dotted
                for one, row in zip(found, rows, strict=True)
                if not one.declarations
            )
        return self._external_bases.get(owner, ())

    def find_inherited_field(self, owner: Declaration, name: str) -> str:
        """Return the full name of a field that a type has from a class of another repository; "" if none.

        The type of such a field is external as well, unless that class is generic: so a class whose head
        names further types on the line of its base counts for none.
        """
        for one in (owner, *iter_above(self, owner)):
            scope, bases = self.find_scope(one.path), self.list_external_bases(one)
            if scope is not None and bases:
                lines = {row.line for row in scope.list_bases(one.ordinal)}
                types = scope.record.list_own_role(one.ordinal, ReferenceRole.TYPE)
                if lines.isdisjoint(int(scope.record.ref_lines[row]) for row in types):
                    return f"{bases[0]}.{name}"
        return ""
