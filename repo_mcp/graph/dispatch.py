"""Dispatch: the members that a call may run when it names one that others override.

A call of `store.save()` where `store` is of an interface runs one of its implementations, and nobody knows
which: what is told here is possible, no more. Calls by `super` or by the name of a type run what they name.
"""

from __future__ import annotations

import re

from repo_mcp.graph.hierarchy import Hierarchy
from repo_mcp.graph.program import Declaration, Program, Target
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolFlag, SymbolKind, SymbolRecord

MAX_MEMBERS = 40  # above one member; abstract ones called inside one symbol, whose overrides are looked up
ABSTRACT_KINDS = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})
_OF_BASES = frozenset(
    {"super", "super()", "base", "parent", "__super"}
)  # receivers that run the base's member
_LAST_NAME = re.compile(r"\.|::|->")  # between the names of a qualifier


class Dispatch:
    """The dispatch of one program's calls. Used by one call at a time."""

    def __init__(self, program: Program, hierarchy: Hierarchy) -> None:
        self._program = program
        self.hierarchy = hierarchy

    def is_dispatched(self, record: SymbolRecord, row: int, member: Declaration) -> bool:
        """Return True where the reference in a row is a call that may run an override of the member."""
        if int(record.ref_roles[row]) != ReferenceRole.CALL:
            return False
        receiver = _LAST_NAME.split(record.strings[record.ref_qualifiers[row]])[-1]
        own = self._program.find_record(member.path)
        if own is None or receiver in _OF_BASES:
            return False
        type_name: str = own.strings[own.names[int(own.parents[member.ordinal])]]
        return receiver != type_name

    def is_abstract(self, member: Declaration) -> bool:
        """Return True for a member without a body of its own: an interface's, or one that says so."""
        record = self._program.find_record(member.path)
        if record is None or not member.ordinal:
            return False
        owner = SymbolKind(int(record.kinds[int(record.parents[member.ordinal])]))
        return owner in ABSTRACT_KINDS or bool(int(record.flags[member.ordinal]) & SymbolFlag.ABSTRACT)

    def list_above(self, member: Declaration) -> frozenset[Declaration]:
        """Return all members that one overrides, over any number of types."""
        found: set[Declaration] = set()
        waiting = [member]
        while waiting and len(found) < MAX_MEMBERS:
            further = [one.declaration for one in self.hierarchy.find_overridden(waiting.pop())]
            waiting += [one for one in further if one not in found]
            found.update(further)
        return frozenset(found - {member})


class Overrides:
    """The overrides of the abstract members that one symbol calls, looked up once each."""

    def __init__(self, dispatch: Dispatch) -> None:
        self._dispatch = dispatch
        self._known: dict[Declaration, list[Target]] = {}
        self.is_cut = False  # there were more members than are looked up

    def list_of(self, member: Declaration) -> list[Target]:
        """Return what overrides a member; nothing for one that is not abstract."""
        if member not in self._known and self._dispatch.is_abstract(member):
            if len(self._known) == MAX_MEMBERS:
                self.is_cut = True
                return []
            self._known[member] = self._dispatch.hierarchy.find_overriding(member)
        return self._known.get(member, [])
