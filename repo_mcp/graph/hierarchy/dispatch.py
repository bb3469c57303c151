"""The members that a call may run when it names one that others override.

If `store` has an interface as its type, `store.save()` runs one of its implementations, and it is unknown
which: these edges are only possible. Calls through `super` or the name of a type run the member that they
name.
"""

from __future__ import annotations

import re

from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS, MAX_MEMBERS, Hierarchy
from repo_mcp.graph.program import Declaration, Program, Target
from repo_mcp.graph.prototypes import Prototypes
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolFlag, SymbolKind, SymbolRecord

_WITHOUT_BODIES = ABSTRACT_KINDS | {SymbolKind.TYPE}  # in TypeScript a name of an object type
# Receivers on which the named member itself runs.
_OF_BASES = frozenset({"super", "super()", "base", "parent", "__super"})
_BETWEEN_NAMES = re.compile(r"\.|::|->")  # between the names of a qualifier


class Dispatch:
    """The members that calls in one program may run. Used by one call at a time."""

    def __init__(self, program: Program, hierarchy: Hierarchy, prototypes: Prototypes) -> None:
        self._program = program
        self._prototypes = prototypes
        self.hierarchy = hierarchy

    def is_dispatched(self, record: SymbolRecord, row: int, member: Declaration) -> bool:
        """Return whether the reference in a row is a call that may run an override of the member."""
        if int(record.ref_roles[row]) != ReferenceRole.CALL:
            return False
        receiver = _BETWEEN_NAMES.split(record.strings[record.ref_qualifiers[row]])[-1]
        own = self._program.find_record(member.path)
        if own is None or receiver in _OF_BASES:
            return False
        owner = own.get_parent(member.ordinal)
        if (
            int(own.kinds[owner]) in _WITHOUT_BODIES
            and not int(own.flags[member.ordinal]) & SymbolFlag.STATIC
        ):
            return True  # the receiver is called like its type: the type itself has nothing to run
        type_name = own.get_name(owner)
        return receiver != type_name

    def is_abstract(self, member: Declaration) -> bool:
        """Return whether a member has no body: that of an interface, or one declared abstract."""
        record = self._program.find_record(member.path)
        if record is None or not member.ordinal:
            return False
        owner = record.get_parent(member.ordinal)
        if int(record.kinds[owner]) in _WITHOUT_BODIES:
            return True
        if int(record.flags[member.ordinal]) & SymbolFlag.ABSTRACT:
            return True
        is_abstract = bool(int(record.flags[owner]) & SymbolFlag.ABSTRACT)
        return is_abstract and self.hierarchy.is_interface(Declaration(member.path, owner))

    def list_above(self, member: Declaration) -> frozenset[Declaration]:
        """Return all members that a member overrides, directly or not, with their definitions elsewhere."""
        found: set[Declaration] = set()
        waiting = [member]
        while waiting and len(found) < MAX_MEMBERS:
            further = [one.declaration for one in self.hierarchy.find_overridden(waiting.pop())]
            waiting += [one for one in further if one not in found]
            found.update(further)
        defined = [other for one in found for other in self._prototypes.list_definitions(one)]
        return frozenset({*found, *defined} - {member})


class Overrides:
    """The overrides of the abstract members that one symbol calls, each looked up once."""

    def __init__(self, dispatch: Dispatch) -> None:
        self._dispatch = dispatch
        self._known: dict[Declaration, list[Target]] = {}
        self.is_cut = False  # there were more than MAX_MEMBERS

    def list_of(self, member: Declaration) -> list[Target]:
        """Return the overrides of a member; nothing for one that is not abstract."""
        if member not in self._known and self._dispatch.is_abstract(member):
            if len(self._known) == MAX_MEMBERS:
                self.is_cut = True
                return []
            self._known[member] = self._dispatch.hierarchy.find_overriding(member)
        return self._known.get(member, [])
