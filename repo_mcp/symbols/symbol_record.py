"""The symbols and references of one source file as one compact record.

`repo_mcp/symbols/record_builder.py` writes what a parser finds, and the bytes are stored in the index. Here
they are decoded for navigation. Nothing in a record is resolved: a reference holds names as they are written
in the text.

    u8 version | u8 parse status | u16 zero | u32 symbols | u32 references | u32 bytes of the text
    u8 width of each of the 16 columns | the columns, one after the other | the text

Integers are little-endian; a width is 1, 2 or 4 bytes, or 0 for a column of zeros, which takes no bytes. The
text is the record's strings, UTF-8, joined by "\\n"; a string column holds numbers of strings. String
0 is empty. Symbol 0 is the file itself. Symbols are in the order of their starts, a parent before its
children (in Rust those of one macro call in the order of the macro's definition), and references are in the
order of their lines.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from repo_mcp.arrays import Mask
from repo_mcp.symbols.model import (
    ACCESS_SHIFT,
    CALLABLE_KINDS,
    TYPE_KINDS,
    Access,
    Binding,
    DeclaredSymbol,
    ParseStatus,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
)
from repo_mcp.symbols.string_table import StringTable

__all__ = [
    "ACCESS_SHIFT",
    "CALLABLE_KINDS",
    "HEADER",
    "KIND_BY_VALUE",
    "MAX_REFERENCES",
    "MAX_SYMBOLS",
    "REFERENCE_COLUMNS",
    "SYMBOL_COLUMNS",
    "TYPE_KINDS",
    "VERSION",
    "Access",
    "Binding",
    "Column",
    "DeclaredSymbol",
    "ParseStatus",
    "Reference",
    "ReferenceRole",
    "SymbolFlag",
    "SymbolKind",
    "SymbolRecord",
    "SymbolRecordError",
    "decode_symbol_record",
    "find_inside",
    "get_role",
    "list_aliases",
]

VERSION = 1  # of the record's bytes and of their meaning
HEADER = struct.Struct("<BBHIII")
assert HEADER.size == 16
MAX_SYMBOLS = 50_000  # of one file
MAX_REFERENCES = 500_000

MAX_WIDTH = 4
# Column numbers: the columns of symbols, then those of references.
NAMES, KINDS, PARENTS, STARTS, SPANS, FLAGS, PARAMETERS, PARAMETER_COUNTS, TYPES = range(9)
REF_SYMBOLS, REF_ROLES, REF_NAMES, REF_QUALIFIERS, REF_ALIASES, REF_LINES, REF_ARGUMENTS = range(9, 16)
TEXT_COLUMNS = (NAMES, PARAMETERS, TYPES, REF_NAMES, REF_QUALIFIERS, REF_ALIASES)  # hold numbers of strings
SYMBOL_COLUMNS = 9
REFERENCE_COLUMNS = 7
COLUMN_TYPES: dict[int, np.dtype[Any]] = {1: np.dtype("<u1"), 2: np.dtype("<u2"), 4: np.dtype("<u4")}

_FILE_KIND, _LAST_KIND = int(SymbolKind.FILE), int(max(SymbolKind))
_FIRST_ROLE, _LAST_ROLE = int(min(ReferenceRole)), int(max(ReferenceRole))
# By value: looking members up takes a third of the time of calling their class, and queries read thousands.
KIND_BY_VALUE = {int(kind): kind for kind in SymbolKind}
_ROLES = {int(role): role for role in ReferenceRole}
_ACCESS = {int(access): access for access in Access}
_MOST_ACCESS = int(max(Access))
_ALL_FLAGS = (1 << ACCESS_SHIFT) - 1

_ZERO = np.int32(0)
_LARGEST = (1 << 31) - 1
Column = npt.NDArray[np.int32]
_Narrow = npt.NDArray[np.unsignedinteger[Any]]


class SymbolRecordError(ValueError):
    """Bytes that are not a symbol record."""


class _Wide:
    """A column as int32, widened on first use: most queries need few columns."""

    def __init__(self, number: int) -> None:
        """`number` is the position among the columns of a record, from 0."""
        self._number = number

    def __set_name__(self, owner: type[SymbolRecord], name: str) -> None:
        self._name = name

    def __get__(self, record: SymbolRecord, owner: type[SymbolRecord]) -> Column:
        wide = record.__dict__[self._name] = record._widen(self._number)
        return wide


class SymbolRecord:
    """One decoded record. Columns, symbols and references are decoded on first use."""

    names, kinds, parents, starts, spans = map(_Wide, (NAMES, KINDS, PARENTS, STARTS, SPANS))
    flags, parameters, parameter_counts = map(_Wide, (FLAGS, PARAMETERS, PARAMETER_COUNTS))
    types, ref_symbols, ref_roles, ref_names = map(_Wide, (TYPES, REF_SYMBOLS, REF_ROLES, REF_NAMES))
    ref_qualifiers, ref_aliases = map(_Wide, (REF_QUALIFIERS, REF_ALIASES))
    ref_lines, ref_arguments = map(_Wide, (REF_LINES, REF_ARGUMENTS))

    def __init__(self, data: bytes) -> None:
        """Raises SymbolRecordError for bytes that are not a record."""
        try:
            version, status, zero, symbols, references, text_bytes = HEADER.unpack_from(data)
            self.status = ParseStatus(status)
        except (struct.error, ValueError) as error:
            raise SymbolRecordError("no head of a symbol record") from error
        if version != VERSION or zero or not symbols or symbols > MAX_SYMBOLS or references > MAX_REFERENCES:
            raise SymbolRecordError("another version, or impossible counts")
        self._rows: list[int] = [symbols] * SYMBOL_COLUMNS + [references] * REFERENCE_COLUMNS
        self._columns, end = _decode_columns(data, self._rows)
        if end + text_bytes != len(data):
            raise SymbolRecordError("a length that differs from that in its head")
        self.string_table = StringTable(data[end:])
        self._check()

    def _check(self) -> None:
        texts = [column for number in TEXT_COLUMNS if (column := self._columns[number]) is not None]
        # A one-byte column cannot name a string above 255, so it needs no check if there are that many.
        count = self.string_table.count
        short = [column for column in texts if 1 << 8 * column.itemsize > count]
        if any(column.max() >= count for column in short) or not self.string_table.begins_empty:
            raise SymbolRecordError("the number of a string that does not exist")
        parents, kinds = self._columns[PARENTS], self._columns[KINDS]
        if parents is not None and (parents[0] or (parents[1:] >= np.arange(1, len(parents))).any()):
            raise SymbolRecordError("a symbol before its parent")
        if kinds is not None and (kinds.max() > _LAST_KIND or kinds[0] != _FILE_KIND):
            raise SymbolRecordError("a kind that is not known")
        if not self.reference_count:
            return
        symbols, roles = self._columns[REF_SYMBOLS], self._columns[REF_ROLES]
        if symbols is not None and symbols.max() >= self.symbol_count:
            raise SymbolRecordError("the number of a symbol that does not exist")
        if roles is None or roles.max() > _LAST_ROLE or roles.min() < _FIRST_ROLE:
            raise SymbolRecordError("a role that is not known")

    def _widen(self, number: int) -> Column:
        """Return a column by its number, int32."""
        narrow = self._columns[number]
        return np.broadcast_to(_ZERO, self._rows[number]) if narrow is None else narrow.astype(np.int32)

    @property
    def symbol_count(self) -> int:
        """Return the number of symbols, including the file itself."""
        return self._rows[0]

    @property
    def reference_count(self) -> int:
        """Return the number of references in all roles."""
        return self._rows[-1]

    @cached_property
    def strings(self) -> list[str]:
        """Return all strings of the record."""
        return self.string_table.strings

    def get_name(self, ordinal: int) -> str:
        """Return the name of a symbol."""
        return self.strings[int(self.names[ordinal])]

    def get_kind(self, ordinal: int) -> SymbolKind:
        """Return the kind of a symbol."""
        return KIND_BY_VALUE[int(self.kinds[ordinal])]

    def get_parent(self, ordinal: int) -> int:
        """Return the ordinal of the symbol around one; 0, the file, for an outermost one."""
        return int(self.parents[ordinal])

    def get_symbol(self, ordinal: int) -> DeclaredSymbol:
        """Return the symbol with an ordinal. Raises IndexError when there is none."""
        strings = self.strings
        flags = int(self.flags[ordinal])
        start = int(self.starts[ordinal])
        return DeclaredSymbol(
            ordinal,
            strings[self.names[ordinal]],
            KIND_BY_VALUE[int(self.kinds[ordinal])],
            int(self.parents[ordinal]),
            start,
            start + int(self.spans[ordinal]),
            SymbolFlag(flags & _ALL_FLAGS),
            _ACCESS[min(flags >> ACCESS_SHIFT, _MOST_ACCESS)],
            strings[self.parameters[ordinal]],
            int(self.parameter_counts[ordinal]),
            strings[self.types[ordinal]],
        )

    def get_reference(self, row: int) -> Reference:
        """Return the reference in a row, in order of line. Raises IndexError when there is none."""
        strings = self.strings
        return Reference(
            int(self.ref_symbols[row]),
            get_role(self, row),
            strings[self.ref_names[row]],
            strings[self.ref_qualifiers[row]],
            strings[self.ref_aliases[row]],
            int(self.ref_lines[row]),
            int(self.ref_arguments[row]),
        )

    def find_symbols(self, name: str) -> list[int]:
        """Return the ordinals of the symbols with exactly this name, ascending."""
        number = self.string_table.find(name)
        return [] if number is None else _where(self.names == number)

    def find_references(self, name: str) -> list[int]:
        """Return the rows of the references to exactly this name, ascending."""
        number = self.string_table.find(name)
        return [] if number is None else _where(self.ref_names == number)

    def list_role(self, *roles: ReferenceRole) -> list[int]:
        """Return the rows of the references in any of the roles, ascending."""
        return _where(_match_roles(self.ref_roles, roles))

    def list_own_role(self, ordinal: int, *roles: ReferenceRole) -> list[int]:
        """Return the rows of the references of one symbol in any of the roles, ascending."""
        return self._keep_roles(self.ref_symbols == ordinal, roles)

    def list_named_role(self, name: str, *roles: ReferenceRole) -> list[int]:
        """Return the rows of the references to exactly this name in any of the roles, ascending."""
        number = self.string_table.find(name)
        return [] if number is None else self._keep_roles(self.ref_names == number, roles)

    def _keep_roles(self, mask: Mask, roles: Sequence[ReferenceRole]) -> list[int]:
        """Return the rows of a mask (bool) with any of the roles, ascending."""
        rows = np.flatnonzero(mask)
        if not len(rows):
            return []
        found: list[int] = rows[_match_roles(self.ref_roles[rows], roles)].tolist()
        return found

    def find_children(self, ordinal: int, name: str) -> list[int]:
        """Return the ordinals of the symbols of a name directly inside one, ascending."""
        number = self.string_table.find(name)
        found = [] if number is None else _where((self.names == number) & (self.parents == ordinal))
        return [one for one in found if one]

    def list_children(self, ordinal: int) -> list[int]:
        """Return the ordinals of the symbols directly inside one, ascending; the file is nobody's child."""
        found = _where(self.parents == ordinal)
        return found[1:] if ordinal == 0 else found


def get_role(record: SymbolRecord, row: int) -> ReferenceRole:
    """Return the role of the reference in a row."""
    return _ROLES[int(record.ref_roles[row])]


def iter_around(record: SymbolRecord, ordinal: int) -> Iterator[int]:
    """Yield a symbol and those around it, innermost first; the file is the last."""
    while ordinal:
        yield ordinal
        ordinal = record.get_parent(ordinal)
    yield 0


def find_inside(record: SymbolRecord, outer: str, name: str) -> list[int]:
    """Return the ordinals of the symbols of a name directly inside any of another name, ascending."""
    number, outer_number = record.string_table.find(name), record.string_table.find(outer)
    if number is None or outer_number is None:
        return []
    found = np.flatnonzero(record.names == number)
    inside = found[record.names[record.parents[found]] == outer_number]
    return [one for one in inside.tolist() if one]


# Bindings of variables that are no other names for what their rows name.
_VALUES = frozenset(set(range(Binding.NARROWED)) - {Binding.SAME})
_CALL, _BIND = int(ReferenceRole.CALL), int(ReferenceRole.BIND)


def list_aliases(record: SymbolRecord, rows: Iterable[int]) -> set[str]:
    """Return the local names of what references mean.

    The alias column of a CALL row holds none. That of a BIND row names a variable, which mostly holds a value
    made by what the row names: only with Binding.SAME, or a number of one language, may it mean that itself.
    """
    found = {
        int(record.ref_aliases[row])
        for row in rows
        if (role := int(record.ref_roles[row])) != _CALL
        and not (role == _BIND and record.ref_arguments[row] in _VALUES)
    }
    return {*record.string_table.get(sorted(found - {0}))} - {""}


def list_references(record: SymbolRecord, *roles: ReferenceRole) -> list[Reference]:
    """Return the references in any of the roles, in order of line."""
    return list(map(record.get_reference, record.list_role(*roles)))


def map_binds(record: SymbolRecord) -> dict[tuple[int, str], list[Reference]]:
    """Return for each (symbol, variable) the references that show its type, in order of line."""
    found: dict[tuple[int, str], list[Reference]] = {}
    for reference in list_references(record, ReferenceRole.BIND):
        found.setdefault((reference.symbol, reference.alias), []).append(reference)
    return found


def _match_roles(column: Column, roles: Sequence[ReferenceRole]) -> Mask:
    """Return a mask of the rows with any of the roles.

    Of few rows, `isin` takes ten times as long. Comparing an array with an enum takes five times as long as
    with an integer.
    """
    first, *others = map(int, roles)
    wanted: Mask = column == first
    for role in others:
        wanted |= column == role
    return wanted


def _where(mask: Mask) -> list[int]:
    return np.flatnonzero(mask).tolist()


def _decode_columns(data: bytes, rows: list[int]) -> tuple[list[_Narrow | None], int]:
    """Return the columns, as narrow as stored (None for a column of zeros), and the offset of their end."""
    offset = HEADER.size + len(rows)
    widths = data[HEADER.size : offset]
    end = offset + sum(width * count for width, count in zip(widths, rows, strict=False))
    if len(widths) != len(rows) or end > len(data):
        raise SymbolRecordError("columns that do not fit")
    data = data[:end]  # so that they do not keep the text behind them in memory
    columns: list[_Narrow | None] = []
    for width, count in zip(widths, rows, strict=True):
        if width and width not in COLUMN_TYPES:
            raise SymbolRecordError("columns that do not fit")
        column = np.frombuffer(data, COLUMN_TYPES[width], count, offset) if width and count else None
        if width == MAX_WIDTH and column is not None and column.max() > _LARGEST:
            raise SymbolRecordError("a number that is too large")
        columns.append(column)
        offset += width * count
    return columns, end


def decode_symbol_record(data: bytes) -> SymbolRecord:
    """Return the record that the bytes encode. Raises SymbolRecordError for anything else."""
    return SymbolRecord(data)
