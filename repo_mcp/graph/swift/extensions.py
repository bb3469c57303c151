"""Members that extensions in a repository add to external types of Swift.

Of external types only those of the standard library are known to conform to what an extension extends.
"""

from __future__ import annotations

from collections.abc import Iterator

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.swift.conformances import list_conformances
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.guesses import MAX_DECLARING, MAX_POSSIBLE, is_common_member
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.symbols.symbol_record import Reference, SymbolKind

_OF_LISTS_TEXT = """
Array ArraySlice BidirectionalCollection Collection ContiguousArray Dictionary LazySequenceProtocol
MutableCollection RandomAccessCollection RangeReplaceableCollection Sequence Set
"""
_OF_LISTS = frozenset(_OF_LISTS_TEXT.split())
_PLAIN_TEXT = """
Bool CGFloat CGPoint CGRect CGSize Character Data Date Decimal Double Float Int Int8 Int16 Int32 Int64
String Substring UInt UInt8 UInt16 UInt32 UInt64 URL UUID
"""
_FINAL = _OF_LISTS | frozenset(_PLAIN_TEXT.split())  # no type derives from these, or conforms to them


def list_extension_members(
    lookup: NamedLookup, scope: FileScope, receiver: Receiver, reference: Reference
) -> tuple[Declaration, ...]:
    """Return the members that extensions in the repository give to a receiver of external type.

    If no extension names that type or a protocol that it is known to conform to, it may derive from a type
    that one extends, or conform to it. Then the result is empty if the name of the type is common, or if the
    member is so frequent that nothing says which one is meant.
    """
    own = receiver.external.rpartition(".")[2]
    known = _OF_LISTS if receiver.is_items else list_conformances(own)
    named: list[Declaration] = []
    others: list[tuple[FileScope, int, int]] = []  # file, symbol and its extension
    for other, one in _iter_members(lookup, reference.name):
        block = other.get_parent(one)
        if other.get_kind(block) is not SymbolKind.EXTENSION:
            continue
        extended = other.get_name(block).rpartition(".")[2]
        is_named = extended in known or (extended == own and not receiver.is_items)
        if not is_named and (receiver.is_items or extended in _FINAL):
            continue
        is_seen = other is scope or lookup.rules.is_reachable(scope, other, one)
        if not is_seen or not lookup.is_wanted(scope, other.get_kind(one), reference.role):
            continue
        if is_named:
            named.append(Declaration(other.path, one))
        elif len(others) <= MAX_POSSIBLE:
            others.append((other, one, block))
    if named or is_common_member(reference.name) or own in _FINAL or len(others) > MAX_POSSIBLE:
        return tuple(named)
    return tuple(
        Declaration(other.path, one) for other, one, block in others if _is_added(lookup, other, block)
    )


def _iter_members(lookup: NamedLookup, name: str) -> Iterator[tuple[FileScope, int]]:
    """Yield the symbols of a name, each with its file."""
    for path in lookup.program.list_declaring(name)[:MAX_DECLARING]:
        other = lookup.find_scope(path)
        if other is not None:
            for one in other.find_named(name):
                yield other, one


def _is_added(lookup: NamedLookup, scope: FileScope, extension: int) -> bool:
    """Return whether an extension is of an external type."""
    extended = lookup.find_extended(Declaration(scope.path, extension))
    return all(lookup.get_kind(one) is SymbolKind.EXTENSION for one in extended)
