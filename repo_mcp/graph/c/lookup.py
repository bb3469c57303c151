"""Looks up names in C and C++: preprocessor conditions, macros that declare fields, enumerators, `using`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from repo_mcp.graph.c.rules import ELSEWHERE, CRules
from repo_mcp.graph.program import Declaration, Program, is_type_role
from repo_mcp.graph.typed.file_scope import FileScope, is_fixture_test
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.graph.typed.rules import Candidate, FoundDeclarations
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Reference,
    ReferenceRole,
    SymbolKind,
    SymbolRecord,
)

_CPP_KINDS = frozenset({SymbolKind.CLASS, SymbolKind.CONSTRUCTOR, SymbolKind.MODULE})
_NAMED_LIKE_TYPES = TYPE_KINDS | {SymbolKind.MACRO}
_USED = CALLABLE_KINDS | (VALUE_KINDS - {SymbolKind.EVENT})  # code has no name for an event
_CALLED = _USED - {SymbolKind.ENUM_MEMBER}


class CLookup(NamedLookup):
    """Looks up names in files of C and C++."""

    rules: CRules

    def __init__(self, program: Program) -> None:
        super().__init__(program, CRules(program))

    def _read_language(self, language: str, record: SymbolRecord) -> str:
        """Return C++ for a header with declarations that C does not have: `.h` may be either."""
        return language if _CPP_KINDS.isdisjoint(map(int, record.kinds)) else "cpp"

    def is_wanted(self, scope: FileScope, kind: SymbolKind, role: ReferenceRole) -> bool:
        """Return whether a name can mean a symbol: a macro may be a type, and in C no type is a value."""
        if is_type_role(role):
            return kind in _NAMED_LIKE_TYPES
        if scope.language != "c":
            return super().is_wanted(scope, kind, role)
        return kind in (_CALLED if role is ReferenceRole.CALL else _USED)

    def find_bare(
        self, scope: FileScope, ordinal: int, name: str, role: ReferenceRole, call: Reference | None = None
    ) -> FoundDeclarations:
        """Return the meaning of an unqualified name under the conditions around it."""
        line = call.line if call is not None else int(scope.record.starts[ordinal])
        return self.apply_conditions(scope, line, super().find_bare(scope, ordinal, name, role, call))

    def _find_own_members(self, owner: Declaration, name: str, role: ReferenceRole) -> list[Declaration]:
        """Return the members of a name that a type declares; as a value, no types that another one hides."""
        found = super()._find_own_members(owner, name, role)
        if is_type_role(role):
            return found
        return [one for one in found if self.get_kind(one) not in TYPE_KINDS] or found

    def apply_conditions(self, scope: FileScope, line: int, found: FoundDeclarations) -> FoundDeclarations:
        """Return those declarations that may be compiled together with a line."""
        scopes = [(self.find_scope(one.path), one.ordinal) for one in found.declarations]
        candidates = [(other, ordinal) for other, ordinal in scopes if other is not None]
        if not candidates:
            return found
        kept, alternatives = self.rules.apply_conditions(scope, line, candidates)
        declarations = tuple(Declaration(other.path, ordinal) for other, ordinal in kept)
        if alternatives != ELSEWHERE:
            return replace(found, declarations=declarations, alternatives=alternatives)
        return replace(found, declarations=declarations, is_certain=False, alternatives=0, is_elsewhere=True)

    def list_not_included(self, scope: FileScope, found: Sequence[Declaration]) -> list[Declaration]:
        """Return the declarations of a `using` that a file does not include, if it includes others.

        They may be those of another program.
        """
        included = self.rules.includes.is_included
        seen = {one.path for one in found if included(scope.path, one.path)} | {scope.path}
        unseen = [one for one in found if one.path not in seen]
        return unseen if len(unseen) < len(found) else []

    def _is_meant(self, inner: list[Candidate], call: Reference | None) -> bool:
        """Return whether one of the declarations is a definition and, in C++, accepts the call."""
        if not super()._is_meant(inner, call):
            return False
        if call is None or not call.arguments or inner[0][0].language != "cpp":
            return True
        return any(self.rules.accepts(scope.get_symbol(one), call) for scope, one in inner)

    def _list_merged_types(
        self, owner: Declaration, name: str, waiting: list[Declaration]
    ) -> Sequence[Declaration]:
        """Return the bases of a C++ class whose members a `using Base::add;` adds to its own.

        In C, macros that declare fields are bases, and may have a definition for each platform: all in
        `waiting` count.
        """
        scope = self.find_scope(owner.path)
        if scope is None:
            return ()
        if scope.language == "c":
            return waiting
        takes_in = any(row.symbol == owner.ordinal for row in scope.find_imports(name))
        return self.list_bases(owner) if takes_in else ()

    def _is_member(self, scope: FileScope, ordinal: int, role: ReferenceRole) -> bool:
        if scope.language != "c":
            return super()._is_member(scope, ordinal, role) and not is_fixture_test(scope.record, ordinal)
        return scope.get_kind(ordinal) is SymbolKind.PROPERTY and not is_type_role(role)

    def _list_inside(self, scope: FileScope, owner: int, name: str, role: ReferenceRole) -> list[int]:
        """Return the members with a name; in C++ a class also has the values of its plain enums."""
        own = super()._list_inside(scope, owner, name, role)
        if own or scope.language != "cpp" or is_type_role(role):
            return own
        values = [one for one in scope.find_named(name) if scope.get_kind(one) is SymbolKind.ENUM_MEMBER]
        enums = {one: scope.get_parent(one) for one in values if not scope.has_type(one)}
        return [one for one, enum in enums.items() if scope.get_parent(enum) == owner]

    def _iter_other_bases(self, scope: FileScope, ordinal: int) -> Iterable[Declaration]:
        """Yield the macros that declare fields of a type."""
        for name in scope.list_macro_fields(ordinal):
            macros = self.find_bare(scope, 0, name, ReferenceRole.USE).declarations
            yield from (one for one in macros if self.get_kind(one) is SymbolKind.MACRO)
