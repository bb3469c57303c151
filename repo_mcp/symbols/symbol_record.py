"""The symbols and references of one source file as one compact record.

The parser of a language fills a SymbolRecordBuilder, in a process that can be killed; the resulting bytes are
stored in the index and decoded again for navigation. Nothing in a record is resolved: a reference
holds names as they are written in the text.

    u8 version | u8 parse status | u16 zero | u32 symbols | u32 references | u32 bytes of the text
    u8 width of each of the 16 columns | the columns, one after the other | the text

Integers are little-endian; a width is 1, 2 or 4 bytes, or 0 for a column of zeros, which takes no bytes. The
text is the record's strings, UTF-8, joined by "\\n"; a string column holds numbers of strings. String
0 is empty. Symbol 0 is the file itself. Symbols are in the order of their starts, a parent before its
children (in Rust those of one macro call in the order of the macro's definition), and references are in the
order of their lines.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from repo_mcp.symbols.model import (
    ACCESS_SHIFT,
    CALLABLE_KINDS,
    TYPE_KINDS,
    Access,
    Binding,
    ParseStatus,
    Reference,
    ReferenceRole,
    Symbol,
    SymbolFlag,
    SymbolKind,
)

__all__ = [
    "ACCESS_SHIFT",
    "CALLABLE_KINDS",
    "HEADER",
    "MAX_REFERENCES",
    "MAX_SYMBOLS",
    "MAX_TEXT_CHARS",
    "REFERENCE_COLUMNS",
    "SYMBOL_COLUMNS",
    "TYPE_KINDS",
    "VERSION",
    "Access",
    "Binding",
    "Column",
    "ParseStatus",
    "Reference",
    "ReferenceKey",
    "ReferenceRole",
    "ReferenceRow",
    "Symbol",
    "SymbolFlag",
    "SymbolKind",
    "SymbolRecord",
    "SymbolRecordBuilder",
    "SymbolRecordError",
    "decode_symbol_record",
    "encode_failure",
    "list_aliases",
]

VERSION = 1  # of the record's bytes and of their meaning
HEADER = struct.Struct("<BBHIII")
assert HEADER.size == 16
MAX_TEXT_CHARS = 300  # of one string; longer ones are cut and end in "…"
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

_LINE_FEED = 0x0A
# Share of all strings up to which they are decoded one by one, which takes ten times as long for each.
FEW_STRINGS = 0.1
MIN_FEW = 8  # strings that are looked up one by one, however few the record has
_ZERO = np.int32(0)
_NOWHERE = np.zeros(0, dtype=np.int64)
_LARGEST = (1 << 31) - 1
Column = npt.NDArray[np.int32]
_Narrow = npt.NDArray[np.unsignedinteger[Any]]
ReferenceRow = tuple[int, int, str, str, str, int, int]
ReferenceKey = tuple[int, int, str, str, str, int]  # a row without the arguments


class SymbolRecordError(ValueError):
    """Bytes that are not a symbol record."""


class _Numbers(dict[str, int]):
    """Strings -> their numbers, in the order of first use."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


class SymbolRecordBuilder:
    """Collects the contents of one record. Symbol 0, the file, is there from the start."""

    def __init__(self, file_name: str, lines: int) -> None:
        self._strings = _Numbers({"": 0})
        self._symbols: list[tuple[int, ...]] = []
        self._references: list[tuple[int, ...]] = []
        self.status = ParseStatus.FULL
        self.add_symbol(file_name, SymbolKind.FILE, 0, 1, max(1, lines))

    def add_symbol(
        self,
        name: str,
        kind: SymbolKind,
        parent: int,
        start_line: int,
        end_line: int,
        *,
        flags: SymbolFlag | int = 0,
        access: Access = Access.NONE,
        parameters: str = "",
        parameter_count: int = 0,
        return_type: str = "",
    ) -> int:
        """Add a symbol and return its ordinal. Its parent must have been added before.

        Beyond MAX_SYMBOLS the symbol is left out: returns `parent`, and the record becomes PARTIAL.
        """
        ordinal = len(self._symbols)
        if ordinal >= MAX_SYMBOLS:
            self.status = ParseStatus.PARTIAL
            return parent
        number = self._strings
        self._symbols.append(
            (
                number[name],
                int(kind),
                parent,
                start_line,
                end_line - start_line,
                int(flags) | int(access) << ACCESS_SHIFT,
                number[parameters],
                parameter_count,
                number[return_type],
            )
        )
        return ordinal

    def find_around(self, line: int) -> int:
        """Return the ordinal of the innermost symbol on a line."""
        around = [
            (start, -span, ordinal)
            for ordinal, (_, _, _, start, span, *_) in enumerate(self._symbols)
            if start <= line <= start + span
        ]
        return max(around, default=(0, 0, 0))[2]

    def add_reference(
        self,
        symbol: int,
        role: ReferenceRole,
        name: str,
        line: int,
        *,
        qualifier: str = "",
        alias: str = "",
        arguments: int = 0,
    ) -> None:
        """Add a reference. Beyond MAX_REFERENCES it is left out, and the record becomes PARTIAL."""
        if len(self._references) >= MAX_REFERENCES:
            self.status = ParseStatus.PARTIAL
            return
        number = self._strings
        row = (symbol, int(role), number[name], number[qualifier], number[alias], line, arguments)
        self._references.append(row)

    def add_references(self, rows: Iterable[ReferenceRow]) -> None:
        """Add many references: symbol, role, name, qualifier, alias, line, arguments. See `add_reference`."""
        number, coming = self._strings, iter(rows)
        self._references += [
            (symbol, role, number[name], number[qualifier], number[alias], line, arguments)
            for symbol, role, name, qualifier, alias, line, arguments in islice(coming, self._room)
        ]
        if next(coming, None) is not None:
            self.status = ParseStatus.PARTIAL

    def add_distinct(self, rows: Mapping[ReferenceKey, int], before: int = 0) -> None:
        """Add distinct rows, mapped to their arguments; lines count from the one after `before`.

        Otherwise like `add_references`; the mapping lets a parser collect rows without duplicates.
        """
        number, coming = self._strings, iter(rows.items())
        self._references += [
            (symbol, role, number[name], number[qualifier], number[alias], before + line, arguments)
            for (symbol, role, name, qualifier, alias, line), arguments in islice(coming, self._room)
        ]
        if next(coming, None) is not None:
            self.status = ParseStatus.PARTIAL

    @property
    def is_empty(self) -> bool:
        """Return True while the record holds only the file symbol."""
        return len(self._symbols) == 1 and not self._references

    @property
    def _room(self) -> int:
        return MAX_REFERENCES - len(self._references)

    def encode(self) -> bytes:
        """Return the bytes of the record. References are sorted by line, otherwise in the order added."""
        self._references.sort(key=_get_line)
        text = _join(list(self._strings)).encode("utf-8", "replace")
        columns = [*zip(*self._symbols, strict=True)]
        columns += [*zip(*self._references, strict=True)] or [()] * REFERENCE_COLUMNS
        packed = [_narrow(column) for column in columns]
        counts = (len(self._symbols), len(self._references), len(text))
        widths = bytes(width for width, _ in packed)
        head = HEADER.pack(VERSION, int(self.status), 0, *counts)
        return b"".join([head, widths, *(column for _, column in packed), text])


_get_line = itemgetter(5)


def _clean(text: str) -> str:
    """Return the text on one line, cut to MAX_TEXT_CHARS."""
    text = " ".join(text.split()) if "\n" in text or "\r" in text else text
    return text if len(text) <= MAX_TEXT_CHARS else text[: MAX_TEXT_CHARS - 1] + "…"


def _join(strings: list[str]) -> str:
    """Return the strings, one per line."""
    text = "\n".join(strings)
    is_clean = text.count("\n") == len(strings) - 1 and "\r" not in text
    if is_clean and len(max(strings, key=len)) <= MAX_TEXT_CHARS:
        return text
    return "\n".join(map(_clean, strings))


def _narrow(column: tuple[int, ...]) -> tuple[int, bytes]:
    """Return the narrowest width that holds all numbers of a column, and the column's bytes."""
    if not any(column):
        return 0, b""
    try:
        return 1, bytes(column)
    except ValueError:
        width = 2 if max(column) < 1 << 16 else 4
    return width, struct.pack(f"<{len(column)}{'H' if width == 2 else 'I'}", *column)


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


class StringTable:
    """The strings of one record, numbered from 0. They are split and decoded only as far as needed."""

    def __init__(self, text: bytes) -> None:
        """`text` is the strings as UTF-8, joined by line feeds."""
        self._text = text
        self._searches = 0  # for single strings, before all were split
        self.count = text.count(b"\n") + 1

    @property
    def begins_empty(self) -> bool:
        """Return True when string 0 is empty, as it must be."""
        return self._text[:1] in (b"", b"\n")

    @cached_property
    def strings(self) -> list[str]:
        """Return all strings."""
        return self._text.decode("utf-8", "replace").split("\n")

    @cached_property
    def _is_ascii(self) -> bool:
        return self._text.isascii()

    @cached_property
    def _ends(self) -> npt.NDArray[np.int64]:
        """Return the offset, in characters, of the end of each string but the last."""
        if self._is_ascii:
            return np.flatnonzero(np.frombuffer(self._text, dtype=np.uint8) == _LINE_FEED)
        text = self._text.decode("utf-8", "replace")
        return np.array([match.start() for match in re.finditer("\n", text)], dtype=np.int64)

    def find_holding(self, needles: Sequence[str | tuple[str, ...]]) -> list[npt.NDArray[np.int64]]:
        """Return, for each needle, the numbers of the strings that contain it, ignoring case.

        A number may be repeated. From a tuple of needles, only the one that occurs least is searched for.
        Needles must be lower case; one enclosed in line feeds matches whole strings. The whole text is
        searched at once: most tables contain few of the needles, and splitting the text into its strings
        takes ten times as long.
        """
        text = self._text.decode("utf-8", "replace")
        folded = text.lower()
        if len(folded) != len(text):  # some letter's lower case has two characters: offsets would differ
            folded = "\n".join(line if len(line := one.lower()) == len(one) else one for one in self.strings)
        folded += "\n"  # each string but the first, which is empty, follows a line feed
        found = []
        for given in needles:
            needle = given if isinstance(given, str) else min(given, key=folded.count)
            offsets = _find_all(folded, needle)
            found.append(
                self._ends.searchsorted(offsets + needle.startswith("\n")) if len(offsets) else offsets
            )
        return found

    def mark_matching(self, pattern: re.Pattern[str]) -> npt.NDArray[np.bool_]:
        """Return a mask of the strings in which a pattern is found; it must not match a line feed."""
        text = self._text.decode("utf-8", "replace")
        marks = np.zeros(self.count, dtype=np.bool_)
        marks[np.searchsorted(self._ends, [match.start() for match in pattern.finditer(text)])] = True
        return marks

    def get(self, numbers: Sequence[int]) -> list[str]:
        """Return some of the strings; if there are few, without splitting all of them."""
        is_known = "strings" in self.__dict__ or not self._is_ascii
        if is_known or len(numbers) > self.count * FEW_STRINGS:
            strings = self.strings
            return [strings[number] for number in numbers]
        bounds = self._bounds
        return [self._text[bounds[number] + 1 : bounds[number + 1]].decode() for number in numbers]

    @cached_property
    def _bounds(self) -> npt.NDArray[np.int64]:
        """Return the offsets of the line feeds around the strings; one precedes the text, one follows it."""
        return np.concatenate(([-1], self._ends, [len(self._text)]))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(zip(self.strings, range(self.count), strict=True))

    def find(self, text: str) -> int | None:
        """Return the number of a string, or None when the table does not have it."""
        if "_numbers" not in self.__dict__ and self._searches < MIN_FEW:
            self._searches += 1
            return self.find_all([text])[0]
        return self._numbers.get(text)

    def find_all(self, texts: Sequence[str]) -> list[int | None]:
        """Return the number of each string, or None; a few are found without splitting all strings."""
        if "_numbers" in self.__dict__ or len(texts) > self.count * FEW_STRINGS + MIN_FEW:
            return [self._numbers.get(text) for text in texts]
        framed = b"\n" + self._text + b"\n"
        found: list[int | None] = []
        for text in texts:
            line = b"\n" + text.encode("utf-8", "surrogatepass") + b"\n"
            if framed.find(line) < 0 or "\n" in text:
                found.append(None)
            else:  # strings may become equal by being cut: the last one counts
                found.append(framed.count(b"\n", 0, framed.rfind(line)))
        return found


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

    def get_symbol(self, ordinal: int) -> Symbol:
        """Return the symbol with an ordinal. Raises IndexError when there is none."""
        strings = self.strings
        flags = int(self.flags[ordinal])
        start = int(self.starts[ordinal])
        return Symbol(
            ordinal,
            strings[self.names[ordinal]],
            SymbolKind(int(self.kinds[ordinal])),
            int(self.parents[ordinal]),
            start,
            start + int(self.spans[ordinal]),
            SymbolFlag(flags & ((1 << ACCESS_SHIFT) - 1)),
            Access(min(flags >> ACCESS_SHIFT, max(Access))),
            strings[self.parameters[ordinal]],
            int(self.parameter_counts[ordinal]),
            strings[self.types[ordinal]],
        )

    def get_reference(self, row: int) -> Reference:
        """Return the reference in a row, in order of line. Raises IndexError when there is none."""
        strings = self.strings
        return Reference(
            int(self.ref_symbols[row]),
            ReferenceRole(int(self.ref_roles[row])),
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
        wanted = self.ref_roles == roles[0]
        for role in roles[1:]:  # of few rows `isin` takes ten times as long
            wanted |= self.ref_roles == role
        return _where(wanted)

    def list_children(self, ordinal: int) -> list[int]:
        """Return the ordinals of the symbols directly inside one, ascending; the file is nobody's child."""
        found = _where(self.parents == ordinal)
        return found[1:] if ordinal == 0 else found


def list_aliases(record: SymbolRecord, rows: Iterable[int]) -> set[str]:
    """Return the local names that references bind; the alias column of a CALL row holds none."""
    call = int(ReferenceRole.CALL)
    found = {int(record.ref_aliases[row]) for row in rows if record.ref_roles[row] != call}
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


def _find_all(text: str, needle: str) -> npt.NDArray[np.int64]:
    """Return the offsets of a needle, ascending; of overlapping matches perhaps only the first."""
    if needle and "\n" not in needle:
        pieces = text.split(needle)
        if len(pieces) == 1:
            return _NOWHERE
        lengths = np.fromiter(map(len, pieces), np.int64, len(pieces) - 1)
        lengths[1:] += len(needle)
        return np.cumsum(lengths)
    offsets = []
    offset = text.find(needle)
    while offset >= 0:
        offsets.append(offset)
        offset = text.find(needle, offset + 1)
    return np.array(offsets, dtype=np.int64)


def _where(mask: npt.NDArray[np.bool_]) -> list[int]:
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


def encode_failure(file_name: str, lines: int) -> bytes:
    """Return the bytes of a record for a text that could not be parsed."""
    builder = SymbolRecordBuilder(file_name, lines)
    builder.status = ParseStatus.FAILED
    return builder.encode()
