"""Resolves names in C and C++: macros that rename, conditions of the preprocessor, overloads."""

from __future__ import annotations

import re

from repo_mcp.graph.c.cpp_overloads import (
    accepts_by_default,
    choose_by_literals,
    has_argument_dependent_candidates,
    is_pasted,
)
from repo_mcp.graph.c.lookup import CLookup
from repo_mcp.graph.c.receivers import CReceivers, list_c_members
from repo_mcp.graph.c.renaming import Renaming
from repo_mcp.graph.program import Confidence, Declaration, Program, Resolution, Target, is_type_role
from repo_mcp.graph.typed.file_scope import FileScope, find_lookup_ordinal, split_marks
from repo_mcp.graph.typed.language_resolver import Identity, LanguageResolver
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.graph.typed.rules import FoundDeclarations
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import PATH
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, Reference, ReferenceRole, SymbolKind

_ALIAS, _STRUCT = "alias", "struct"  # in C, a `typedef` and a struct of the same name are one type
# If C declares a name of these kinds several times, `#if` chooses one of them.
_ONE_EACH = TYPE_KINDS | {SymbolKind.PROPERTY, SymbolKind.MACRO, SymbolKind.ENUM_MEMBER}
_PATH_WORD = re.compile(r"[^\W_]+")


class CResolver(LanguageResolver):
    """Resolves references in files of C and C++."""

    _lookup: CLookup
    make_lookup = CLookup
    make_receivers = CReceivers

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._renaming = Renaming(self._lookup)

    def _resolve(self, scope: FileScope, reference: Reference) -> Resolution:
        reference, marks = split_marks(reference)
        found = choose_by_literals(self._lookup, super()._resolve(scope, reference), marks)
        return self._renaming.weaken(scope, reference, found)

    def _apply_conditions(
        self, scope: FileScope, reference: Reference, found: FoundDeclarations
    ) -> FoundDeclarations:
        return self._lookup.apply_conditions(scope, reference.line, found)

    def _list_unsure_imports(self, scope: FileScope, found: FoundDeclarations) -> list[Declaration]:
        return self._lookup.list_not_included(scope, found.declarations)

    # Bare names

    def _resolve_bare(self, scope: FileScope, reference: Reference) -> Resolution:
        if reference.alias != PATH:
            return super()._resolve_bare(scope, reference)
        found = self._lookup.find_path(scope, (reference.name,), reference.role)
        outer = self._apply_conditions(scope, reference, found)
        return self._conclude(outer, reference) if outer.declarations else Resolution((), reference.name)

    def _conclude_bare(self, scope: FileScope, reference: Reference, found: FoundDeclarations) -> Resolution:
        if has_argument_dependent_candidates(self._lookup, scope, reference, found.declarations):
            found = replace(found, is_certain=False)
        concluded = self._conclude(found, reference)
        if not concluded.targets:
            return super()._conclude_bare(scope, reference, found)
        if is_type_role(reference.role):
            return self._weaken_renamed(scope, reference, concluded)
        if reference.alias and is_pasted(self._lookup, scope, reference):
            return Resolution(_make_possible(concluded.targets))
        return concluded

    def _weaken_renamed(self, scope: FileScope, reference: Reference, found: Resolution) -> Resolution:
        """Return the meaning of a type of which a macro has the name, too: `#define text other_text`.

        The macro is meant, and possibly the type.
        """
        use = replace(reference, role=ReferenceRole.USE)
        ordinal = find_lookup_ordinal(scope, reference)
        macros = self._conclude(self._lookup.find_bare(scope, ordinal, use.name, use.role, use), use).targets
        seen = [one for one in macros if one.confidence is not Confidence.POSSIBLE]
        seen = [one for one in seen if self._renames(one.declaration)]
        macro_alone = {one.declaration for one in found.targets} <= {one.declaration for one in seen}
        if not seen or macro_alone:
            return found
        meant = [one for one in seen if one.confidence is Confidence.EXACT]
        others = (*(one for one in seen if one not in meant), *found.targets)
        return Resolution((*meant, *_make_possible(others)))

    def _renames(self, declaration: Declaration) -> bool:
        """Return whether a declaration is a macro without parameters."""
        scope = self._lookup.find_scope(declaration.path)
        symbol = scope.get_symbol(declaration.ordinal) if scope is not None else None
        return symbol is not None and symbol.kind is SymbolKind.MACRO and not symbol.parameters

    # Members

    def _find_static(
        self, scope: FileScope, reference: Reference, names: tuple[str, ...]
    ) -> FoundDeclarations:
        return self._apply_conditions(scope, reference, super()._find_static(scope, reference, names))

    def _resolve_in_types(self, scope: FileScope, reference: Reference, receiver: Receiver) -> Resolution:
        if scope.language != "c":
            return super()._resolve_in_types(scope, reference, receiver)
        members = list_c_members(self._lookup, receiver, reference.name, reference.role)
        is_certain = receiver.is_certain and len(members) >= len(receiver.types)
        found = self._apply_conditions(scope, reference, FoundDeclarations(tuple(members), is_certain))
        return self._conclude(found if found.alternatives else _choose_twin(scope, found), reference)

    def _is_callable_kind(self, scope: FileScope, kind: SymbolKind) -> bool:
        """Return whether a member may be called; in C any, because a field may be a function pointer."""
        return scope.language == "c" or super()._is_callable_kind(scope, kind)

    def _accepts(self, declaration: Declaration, call: Reference) -> bool:
        return super()._accepts(declaration, call) or accepts_by_default(self._lookup, declaration, call)

    # Conclusions

    def _count_meanings(self, declarations: list[Declaration]) -> int:
        found = set(map(self._identify, declarations))
        if any(one[0] == _STRUCT for one in found):
            found = {one for one in found if one[0] != _ALIAS}
        return len(found)

    def _identify(self, declaration: Declaration) -> Identity:
        path, ordinal = declaration.path, declaration.ordinal
        scope = self._lookup.find_scope(path)
        symbol = scope.get_symbol(ordinal) if scope is not None else None
        if scope is None or symbol is None:
            return super()._identify(declaration)
        if scope.language != "c":
            if symbol.kind is SymbolKind.TYPE and scope.is_member(ordinal):
                return _ALIAS, path, str(symbol.parent)  # each specialisation of a template has its own
            return super()._identify(declaration)
        if symbol.kind is SymbolKind.TYPE:
            return _ALIAS, path, ""
        if symbol.kind in _ONE_EACH:
            return _STRUCT if symbol.kind in TYPE_KINDS else symbol.kind.name, path, str(ordinal)
        return path, symbol.name, symbol.parameters if symbol.kind in CALLABLE_KINDS else ""


def _make_possible(targets: tuple[Target, ...]) -> tuple[Target, ...]:
    return tuple(Target(one.declaration, Confidence.POSSIBLE) for one in targets)


def _choose_twin(scope: FileScope, found: FoundDeclarations) -> FoundDeclarations:
    """Return the declaration whose path shares a word with that of the use: `uv/win.h` for `src/win/fs.c`.

    Returns all of them if no path or several paths do.
    """
    if len(found.declarations) < 2:
        return found
    words = {one: set(_PATH_WORD.findall(one.path)) for one in found.declarations}
    shared = set.intersection(*words.values())
    own = set(_PATH_WORD.findall(scope.path)) - shared
    near = tuple(one for one in found.declarations if words[one] & own)
    return FoundDeclarations(near, is_certain=False) if len(near) == 1 else found
