"""Imports: the files and declarations that they lead to, or something outside the repository.

Left out: what an imported name is used for. A row of Java that imports a method means all its overloads.
"""

from __future__ import annotations

from collections import Counter

from repo_mcp.graph.program import NOTHING, Confidence, Declaration, Resolution, Target
from repo_mcp.graph.typed.c_rules import list_unseen
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.rust_macro_calls import MacroCalls
from repo_mcp.symbols.symbol_record import TYPE_KINDS, Reference, ReferenceRole, SymbolKind

MAX_IMPORTED_FILES = 40
_OF_TYPES = TYPE_KINDS | {SymbolKind.MODULE}


def resolve_import(
    lookup: NamedLookup, macros: MacroCalls, scope: FileScope, reference: Reference
) -> Resolution:
    """Return the meaning of an import: exact, or probable where a build chooses among declarations."""
    rules = lookup.get_rules(scope)
    files, paths, external = rules.list_imported(scope, reference.qualifier, reference.name)
    found: dict[Declaration, Confidence] = {}
    for path in paths:
        for role in (ReferenceRole.USE, ReferenceRole.TYPE):
            one = lookup.find_path(scope, path, role)
            unseen = list_unseen(rules, scope, one.declarations)
            for declaration in one.declarations:
                is_sure = one.is_certain and declaration not in unseen
                found.setdefault(declaration, Confidence.EXACT if is_sure else Confidence.PROBABLE)
    if scope.language == "rust":
        found = _doubt_twins(lookup, found)
        found |= dict.fromkeys(macros.find_imported(scope, reference), Confidence.EXACT)
    found |= dict.fromkeys((Declaration(file, 0) for file in files[:MAX_IMPORTED_FILES]), Confidence.EXACT)
    if found:
        return Resolution(tuple(Target(one, confidence) for one, confidence in found.items()))
    return Resolution((), external) if external else NOTHING


def _doubt_twins(lookup: NamedLookup, found: dict[Declaration, Confidence]) -> dict[Declaration, Confidence]:
    """Return the targets of a Rust import; of two types, or two values, a `cfg` chooses one."""
    sorts = {one: _find_sort(lookup, one) for one in found}
    counts = Counter(sorts.values())
    return {one: Confidence.PROBABLE if counts[sorts[one]] > 1 else found[one] for one in found}


def _find_sort(lookup: NamedLookup, declaration: Declaration) -> str:
    scope = lookup.find_scope(declaration.path)
    kind = scope.get_kind(declaration.ordinal) if scope is not None else SymbolKind.FILE
    return "type" if kind in _OF_TYPES else "macro" if kind is SymbolKind.MACRO else "value"
