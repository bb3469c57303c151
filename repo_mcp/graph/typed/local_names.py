"""Chooses the declarations of one name inside a function that a line of that function may mean.

In some languages (`Rules.declares_before_use`) a function sees a name from its declaration on, and no longer
after the block of the declaration. Records have the lines of a block only if its head is a macro.
"""

from __future__ import annotations

from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.rules import Rules
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind


def keep_declared(rules: Rules, scope: FileScope, around: int, found: list[int], line: int) -> list[int]:
    """Return those declarations of a name directly in a symbol that a line of it may mean (0: any line).

    If several blocks of a function declare the name, only the last declaration counts, unless the language
    allows to declare a name again.
    """
    if scope.blocks and line:
        spans = ((one, scope.blocks.get(one, (0, line))) for one in found)
        found = [one for one, (first, last) in spans if first <= line <= last]
        found = [one for one in found if one in scope.blocks] or found
    if not line or not is_ordered_function(rules, scope, around):
        return found
    before = [one for one in found if int(scope.record.starts[one]) <= line]
    return before if rules.allows_redeclaration else before[-1:]


def is_ordered_function(rules: Rules, scope: FileScope, ordinal: int) -> bool:
    """Return whether a symbol is a function that sees a name only after its declaration."""
    return rules.declares_before_use and scope.get_kind(ordinal) in CALLABLE_KINDS


def is_in_macro_body(scope: FileScope, ordinal: int) -> bool:
    """Return whether a symbol is in a body whose head is a macro; False for values of enums."""
    if not scope.blocks or scope.get_kind(ordinal) is SymbolKind.ENUM_MEMBER:
        return False
    return any(one in scope.blocks for one in scope.iter_around(ordinal))


def is_declared_twice(rules: Rules, scope: FileScope, ordinal: int) -> bool:
    """Return whether a function declares a name in several blocks, of which only one may be meant."""
    twins = scope.find_children(scope.get_parent(ordinal), scope.get_name(ordinal))
    kinds = [kind for kind in map(scope.get_kind, twins) if kind is not SymbolKind.PROPERTY]
    return len(kinds) > (len(set(kinds)) if rules.allows_redeclaration else 1)
