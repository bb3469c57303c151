"""Declarations that are found by their name alone, where no scope, import or type leads to one.

PROBABLE: the only declaration of that name. POSSIBLE: one of a few. More than MAX_POSSIBLE give none, and
neither do common member names on a receiver of unknown type.
"""

from __future__ import annotations

from repo_mcp.graph.program import NOTHING, Confidence, Declaration, Resolution, Target
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.rules import Candidate
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, Reference, ReferenceRole, SymbolKind

MAX_POSSIBLE = 8
MAX_DECLARING = 40  # files that declare a name; with more, nothing is guessed

# Member names that so many types have that the name alone does not identify one.
_COMMON_TEXT = """
get set add put remove size length len isEmpty is_empty contains close open read write next toString
to_string equals hashCode clone copy new init default from into iter map filter begin end push pop
push_back insert find count first last append join start stop run call apply accept test value name
key String Error Len Less Swap fmt eq hash cmp drop index as_ref as_str unwrap expect data empty
clear str c_str print println format write_str lock unlock send recv done update delete create free
release reset of is_some is_none is_ok is_err try_from and_then map_err ok_or unwrap_or take replace
unwrap_or_else parse trim split to_vec as_bytes as_slice chars bytes lines collect extend keys values
contains_key containsKey entry sort sort_by any all rev zip enumerate skip peek fold sum min max abs
as_ptr getClass getName getType hasNext entrySet keySet putAll addAll toArray compactMap forEach
for_each reduce reserve resize at front back as_mut finish with MAX MIN subscript
"""
_COMMON = frozenset(_COMMON_TEXT.split())


def is_common_member(name: str) -> bool:
    """Return whether so many types have a member of a name that the name alone does not identify one."""
    return name in _COMMON


class Guesses:
    """Finds declarations by name alone, in one language; a language overrides what differs in it."""

    _lookup: NamedLookup

    def _guess(self, scope: FileScope, reference: Reference, *, is_member: bool) -> Resolution:
        """Return the only declaration of a name in the repository, or a few."""
        name, rules = reference.name, self._lookup.rules
        if is_member and name in _COMMON:
            return NOTHING
        if not is_member and not rules.guesses_bare:
            return NOTHING
        paths = self._lookup.program.list_declaring(name)
        if len(paths) > MAX_DECLARING:
            return NOTHING
        found = self._list_candidates(scope, reference, is_member=is_member)
        if reference.role is ReferenceRole.CALL:
            accepting = [one for one in found if self._accepts(one, reference)]
            found = accepting if rules.inherits_overloads else accepting or found
        if not found or len(found) > MAX_POSSIBLE:
            return NOTHING
        probable = None if is_member and self._may_mean_library(reference) else self._find_probable(found)
        return Resolution(
            tuple(
                Target(one, Confidence.PROBABLE if one == probable else Confidence.POSSIBLE)
                for one in sorted(found, key=lambda one: one != probable)
            )
        )

    def _list_candidates(
        self, scope: FileScope, reference: Reference, *, is_member: bool
    ) -> list[Declaration]:
        """Return the declarations that have the name of a reference; definitions before prototypes."""
        role, name, rules = reference.role, reference.name, self._lookup.rules
        is_called = is_member and role is ReferenceRole.CALL
        found: list[Candidate] = []
        for other, ordinal in self._lookup.iter_named(scope, name):
            kind = other.get_kind(ordinal)
            if kind is SymbolKind.EXTENSION or other.is_member(ordinal) is not is_member:
                continue
            if is_called and not self._is_callable_kind(scope, kind):
                continue
            is_reached = other is scope or rules.is_reachable(scope, other, ordinal)
            if is_reached and self._lookup.is_wanted(scope, kind, role):
                found.append((other, ordinal))
        definitions = [one for one in found if not one[0].is_forward(one[1])]
        return [Declaration(other.path, ordinal) for other, ordinal in definitions or found]

    def _is_callable_kind(self, scope: FileScope, kind: SymbolKind) -> bool:
        """Return whether members of a kind can be called in a file."""
        return kind in CALLABLE_KINDS

    def _may_mean_library(self, reference: Reference) -> bool:
        """Return whether the use of a member may as well mean one of the standard library."""
        return reference.name in self._lookup.rules.library_members

    def _find_probable(self, found: list[Declaration]) -> Declaration | None:
        """Return the declaration of a name that is probably meant: the only one, or None."""
        is_only = len(found) == 1 and self._lookup.get_kind(found[0]) not in self._lookup.rules.unsure_kinds
        return found[0] if is_only else None

    def _accepts(self, declaration: Declaration, call: Reference) -> bool:
        """Return whether a declaration accepts the number of arguments; True without overloads."""
        scope, rules = self._lookup.find_scope(declaration.path), self._lookup.rules
        if scope is None or not rules.has_overloads:
            return True
        return rules.accepts(scope.get_symbol(declaration.ordinal), call)
