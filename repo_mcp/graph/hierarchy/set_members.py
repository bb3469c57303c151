"""The functions to which tables of C set a member: `.read = disk_read` in `struct operations disk = {`.

In C, these are what implements a member. Left out on purpose: assignments, values that span lines, and tables
inside functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from repo_mcp.graph.program import SURENESS, Confidence, Declaration, Program, Resolution
from repo_mcp.graph.prototypes import Prototypes
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import OF_TYPE
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, ReferenceRole, SymbolKind, SymbolRecord

_TABLES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT})
_FUNCTIONS = CALLABLE_KINDS - {SymbolKind.MACRO}


@dataclass(frozen=True, slots=True)
class SetMember:
    """One function to which a table sets the member."""

    function: Declaration
    table: Declaration
    confidence: Confidence
    line: int  # of the function


class SetMembers:
    """The functions in the tables of one program."""

    def __init__(
        self,
        program: Program,
        resolve: Callable[[str, SymbolRecord, int], Resolution],
        prototypes: Prototypes,
    ) -> None:
        self._program = program
        self._resolve = resolve
        self._prototypes = prototypes

    def iter_set(self, member: Declaration, paths: Iterable[str]) -> Iterator[SetMember]:
        """Yield the functions to which tables in some files set a member."""
        own = self._program.find_record(member.path)
        name = own.get_name(member.ordinal) if own is not None else ""
        for path in paths:
            record = self._program.find_record(path)
            if record is None:
                continue
            for row in record.list_named_role(name, ReferenceRole.USE):
                table = int(record.ref_symbols[row])
                if int(record.ref_arguments[row]) != OF_TYPE or record.get_kind(table) not in _TABLES:
                    continue
                meant = {one.declaration: one.confidence for one in self._resolve(path, record, row).targets}
                value = _find_value(record, row) if member in meant else None
                if value is not None:
                    yield from self._iter_functions(path, record, value, meant[member])

    def _iter_functions(
        self, path: str, record: SymbolRecord, row: int, confidence: Confidence
    ) -> Iterator[SetMember]:
        """Yield what the value in a row means; a prototype stands for its definition."""
        table = Declaration(path, int(record.ref_symbols[row]))
        for one in self._resolve(path, record, row).targets:
            defined = [*self._prototypes.list_definitions(one.declaration), one.declaration][0]
            other = self._program.find_record(defined.path)
            if other is not None and other.get_kind(defined.ordinal) in _FUNCTIONS:
                least = max(confidence, one.confidence, key=SURENESS.__getitem__)
                yield SetMember(defined, table, least, int(other.starts[defined.ordinal]))


def _find_value(record: SymbolRecord, row: int) -> int | None:
    """Return the row of the name to which a designator sets its member on the same line; None for no name."""
    beside = np.flatnonzero(
        (record.ref_lines == record.ref_lines[row])
        & (record.ref_symbols == record.ref_symbols[row])
        & (record.ref_roles == ReferenceRole.USE)
    )
    members = [one for one in beside.tolist() if int(record.ref_arguments[one]) == OF_TYPE]
    plain = [one for one in beside.tolist() if not record.strings[record.ref_qualifiers[one]]]
    values = [one for one in plain if one not in members]
    return values[members.index(row)] if len(values) == len(members) else None
