"""Looks up names in Java, where an external base of a nearer class may hide a declaration that was found."""

from __future__ import annotations

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.typed.file_scope import FileScope, split_name
from repo_mcp.graph.typed.java_rules import JavaRules
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.member_lookup import iter_above
from repo_mcp.graph.typed.rules import FoundDeclarations
from repo_mcp.symbols.symbol_record import TYPE_KINDS, ReferenceRole


class JavaLookup(NamedLookup):
    """Looks up names in files of Java."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, JavaRules(program))
        self._with_external_base: dict[Declaration, bool] = {}

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

    def has_external_base(self, owner: Declaration) -> bool:
        """Return whether a base class of a type is declared in another repository."""
        if owner not in self._with_external_base:
            scope = self.find_scope(owner.path)
            rows = scope.list_bases(owner.ordinal) if scope is not None else []
            self._with_external_base[owner] = any(
                not self.find_type(scope, scope.get_parent(owner.ordinal), split_name(row)).declarations
                for row in rows
                if scope is not None and row.role is ReferenceRole.INHERIT
            )
        return self._with_external_base[owner]
