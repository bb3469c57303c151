"""Declarations found by their name alone, where nothing says which one is meant.

PROBABLE: the only declaration of that name. POSSIBLE: one of a few. More than MAX_POSSIBLE give none, and
neither do common member names on a receiver of unknown type.
"""

from __future__ import annotations

from repo_mcp.graph.program import NOTHING, Confidence, Declaration, Resolution, Target, is_wanted
from repo_mcp.graph.typed.cpp_overloads import accepts_by_default
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.rust_outer_types import find_promised, is_of_trait_outside
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
for_each reduce reserve resize at front back as_mut finish with MAX MIN
"""
_COMMON = frozenset(_COMMON_TEXT.split())


def guess(lookup: NamedLookup, scope: FileScope, reference: Reference, *, is_member: bool) -> Resolution:
    """Return the only declaration of a name in the repository, or a few."""
    name = reference.name
    if is_member and name in _COMMON:
        return NOTHING
    rules = lookup.get_rules(scope)
    if not is_member and not rules.guesses_bare:
        return NOTHING
    paths = lookup.program.list_declaring(name)
    if len(paths) > MAX_DECLARING:
        return NOTHING
    found = _gather(lookup, scope, reference, is_member=is_member)
    if reference.role is ReferenceRole.CALL:
        accepting = [one for one in found if accepts(lookup, one, reference)]
        found = accepting if rules.inherits_overloads else accepting or found
    if not found or len(found) > MAX_POSSIBLE:
        return NOTHING
    is_only = len(found) == 1 and lookup.get_kind(found[0]) not in rules.doubted_kinds
    is_only = is_only and not is_of_trait_outside(lookup, found[0])
    promised = find_promised(lookup, found) if scope.language == "rust" else None
    probable = found[:1] if is_only else [promised]
    return Resolution(
        tuple(
            Target(one, Confidence.PROBABLE if one in probable else Confidence.POSSIBLE)
            for one in sorted(found, key=lambda one: one not in probable)
        )
    )


def _gather(
    lookup: NamedLookup, scope: FileScope, reference: Reference, *, is_member: bool
) -> list[Declaration]:
    """Return what has the name of a reference and may be meant; definitions rather than prototypes."""
    role, name = reference.role, reference.name
    rules = lookup.get_rules(scope)
    found: list[tuple[FileScope, int]] = []
    for other in lookup.iter_declaring(scope, name):
        for ordinal in other.find_named(name):
            kind = other.get_kind(ordinal)
            if kind is SymbolKind.EXTENSION or other.is_member(ordinal) is not is_member:
                continue
            if (
                is_member
                and role is ReferenceRole.CALL
                and kind not in CALLABLE_KINDS
                and scope.language != "c"
            ):
                continue
            is_reached = other is scope or rules.is_reachable(scope, other, ordinal)
            if is_reached and is_wanted(kind, role, scope.language):
                found.append((other, ordinal))
    definitions = [one for one in found if not one[0].is_forward(one[1])]
    return [Declaration(other.path, ordinal) for other, ordinal in definitions or found]


def accepts(lookup: NamedLookup, declaration: Declaration, call: Reference) -> bool:
    """Return whether a declaration may be called with as many arguments; True if it has no overloads."""
    scope = lookup.find_scope(declaration.path)
    if scope is None:
        return True
    rules = lookup.get_rules(scope)
    if not rules.has_overloads or rules.accepts(scope.get_symbol(declaration.ordinal), call):
        return True
    return scope.language == "cpp" and accepts_by_default(lookup, declaration, call)
