"""Members that the extensions of a repository add to types of Swift's library and of other packages.

Left out on purpose: which types of other packages derive from, or conform to, the one that is extended.
"""

from __future__ import annotations

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.guesses import MAX_DECLARING, is_common
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
_FINAL = _OF_LISTS | frozenset(_PLAIN_TEXT.split())  # no other type is one of these


def list_added(
    lookup: NamedLookup, scope: FileScope, receiver: Receiver, reference: Reference
) -> tuple[Declaration, ...]:
    """Return what extensions in the repository give to a receiver whose type is declared elsewhere.

    A type that no extension names may derive from one that does, or conform to it; not if its name is common.
    """
    own = receiver.external.rpartition(".")[2]
    named: list[Declaration] = []
    others: list[Declaration] = []
    for path in lookup.program.list_declaring(reference.name)[:MAX_DECLARING]:
        other = lookup.find_scope(path)
        for one in other.find_named(reference.name) if other is not None else ():
            assert other is not None
            block = other.get_parent(one)
            if other.get_kind(block) is not SymbolKind.EXTENSION:
                continue
            is_seen = other is scope or lookup.rules.is_reachable(scope, other, one)
            if is_seen and lookup.is_wanted(scope, other.get_kind(one), reference.role):
                extended = other.get_name(block).rpartition(".")[2]
                if extended in _OF_LISTS if receiver.is_items else extended == own:
                    named.append(Declaration(path, one))
                elif extended not in _FINAL and not receiver.is_items and _is_outside(lookup, other, block):
                    others.append(Declaration(path, one))
    if named or is_common(reference.name) or own in _FINAL:
        return tuple(named)
    return tuple(others)


def _is_outside(lookup: NamedLookup, scope: FileScope, extension: int) -> bool:
    """Return whether an extension is of a type that is declared nowhere in the repository."""
    own = Declaration(scope.path, extension)
    return lookup.find_extended(own) == [own]
