"""The structure of one source file: what it declares and which names it uses, as one compact record.

A parser of a language fills a StructureBuilder, in a process that can be killed; its bytes are what the
index keeps of the file, and what navigation decodes again. Nothing in a record is resolved: a reference
holds the names as they stand in the text.

    u8 version | u8 parse status | u16 zero | u32 symbols | u32 references | u32 bytes of the text
    u8 width of each of the 16 columns | the columns, one after the other | the text

Integers are little-endian; a width is 1, 2 or 4 bytes, 0 for a column of zeros, which takes no bytes. The
text is the record's strings, UTF-8, joined by "\\n"; a column that means a string holds its number. String
0 is empty. Symbol 0 is the file itself; symbols stand in the order of their start, a parent before its
children, and so do references, by line.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from repo_mcp.structure_model import (
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
    "ReferenceRole",
    "ReferenceRow",
    "Structure",
    "StructureBuilder",
    "StructureError",
    "Symbol",
    "SymbolFlag",
    "SymbolKind",
    "decode_structure",
    "encode_failure",
]

VERSION = 1  # of the record's bytes and of what they mean
HEADER = struct.Struct("<BBHIII")
assert HEADER.size == 16
MAX_TEXT_CHARS = 300  # of one string; longer ones are cut and end in "…"
MAX_SYMBOLS = 50_000  # of one file
MAX_REFERENCES = 500_000

MAX_WIDTH = 4
SYMBOL_COLUMNS = 9
REFERENCE_COLUMNS = 7
_TYPES: dict[int, np.dtype[Any]] = {1: np.dtype("<u1"), 2: np.dtype("<u2"), 4: np.dtype("<u4")}

_FILE_KIND, _LAST_KIND = int(SymbolKind.FILE), int(max(SymbolKind))
_FIRST_ROLE, _LAST_ROLE = int(min(ReferenceRole)), int(max(ReferenceRole))

_LINE_FEED = 0x0A
FEW_STRINGS = 0.1  # of all: one by one they take ten times as long
_ZERO = np.int32(0)
Column = npt.NDArray[np.int32]
ReferenceRow = tuple[int, int, str, str, str, int, int]


class StructureError(ValueError):
    """Bytes that are no structure record."""


class StructureBuilder:
    """Gathers one record. Symbol 0, the file, is there from the start."""

    def __init__(self, file_name: str, lines: int) -> None:
        self._strings: dict[str, int] = {"": 0}
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
        """The place of one more symbol, whose parent is there already.

        Above MAX_SYMBOLS it is left out: its parent's place, and the record is PARTIAL.
        """
        place = len(self._symbols)
        if place >= MAX_SYMBOLS:
            self.status = ParseStatus.PARTIAL
            return parent
        number = self._number
        self._symbols.append(
            (
                number(name),
                int(kind),
                parent,
                start_line,
                end_line - start_line,
                int(flags) | int(access) << ACCESS_SHIFT,
                number(parameters),
                parameter_count,
                number(return_type),
            )
        )
        return place

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
        """One more reference. Above MAX_REFERENCES it is left out, and the record is PARTIAL."""
        if len(self._references) >= MAX_REFERENCES:
            self.status = ParseStatus.PARTIAL
            return
        number = self._number
        row = (symbol, int(role), number(name), number(qualifier), number(alias), line, arguments)
        self._references.append(row)

    def add_references(self, rows: Iterable[ReferenceRow]) -> None:
        """Many references: symbol, role, name, qualifier, alias, line, arguments. As `add_reference` else."""
        number = self._strings
        added = self._references
        for row in rows:
            if len(added) >= MAX_REFERENCES:
                self.status = ParseStatus.PARTIAL
                return
            symbol, role, name, qualifier, alias, line, arguments = row
            for text in (name, qualifier, alias):
                if text not in number:
                    number[text] = len(number)
            added.append((symbol, role, number[name], number[qualifier], number[alias], line, arguments))

    def _number(self, text: str) -> int:
        number = self._strings.get(text)
        if number is None:
            number = self._strings[text] = len(self._strings)
        return number

    def encode(self) -> bytes:
        """The record. References come in order of line; those of one line as they were added."""
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
    """Of one line, and not too long."""
    text = " ".join(text.split()) if "\n" in text or "\r" in text else text
    return text if len(text) <= MAX_TEXT_CHARS else text[: MAX_TEXT_CHARS - 1] + "…"


def _join(strings: list[str]) -> str:
    """All of them, each on a line of its own."""
    text = "\n".join(strings)
    is_clean = text.count("\n") == len(strings) - 1 and "\r" not in text
    if is_clean and len(max(strings, key=len)) <= MAX_TEXT_CHARS:
        return text
    return "\n".join(map(_clean, strings))


def _narrow(column: tuple[int, ...]) -> tuple[int, bytes]:
    """The width of a column and its bytes: the narrowest that holds all its numbers."""
    if not any(column):
        return 0, b""
    try:
        return 1, bytes(column)
    except ValueError:
        width = 2 if max(column) < 1 << 16 else 4
    return width, struct.pack(f"<{len(column)}{'H' if width == 2 else 'I'}", *column)


class Structure:
    """One decoded record. Symbols and references are made when asked for."""

    def __init__(self, data: bytes) -> None:
        """Raises StructureError for anything that is no record."""
        try:
            version, status, zero, symbols, references, text_bytes = HEADER.unpack_from(data)
            self.status = ParseStatus(status)
        except (struct.error, ValueError) as error:
            raise StructureError("no head of a structure record") from error
        if version != VERSION or zero or not symbols or symbols > MAX_SYMBOLS or references > MAX_REFERENCES:
            raise StructureError("another version, or counts that cannot be")
        rows = [symbols] * SYMBOL_COLUMNS + [references] * REFERENCE_COLUMNS
        columns, end = _decode_columns(data, rows)
        if end + text_bytes != len(data):
            raise StructureError("another length than its head says")
        self._text = data[end:]
        self.string_count = self._text.count(b"\n") + 1
        self.names, self.kinds, self.parents, self.starts, self.spans = columns[:5]
        self.flags, self.parameters, self.parameter_counts, self.types = columns[5:9]
        self.ref_symbols, self.ref_roles, self.ref_names, self.ref_qualifiers = columns[9:13]
        self.ref_aliases, self.ref_lines, self.ref_arguments = columns[13:]
        self._check()

    def _check(self) -> None:
        texts = (
            self.names,
            self.parameters,
            self.types,
            self.ref_names,
            self.ref_qualifiers,
            self.ref_aliases,
        )
        if np.concatenate(texts).max() >= self.string_count or self._text[:1] not in (b"", b"\n"):
            raise StructureError("names a string that is not there")
        places = np.arange(len(self.parents))
        if (self.parents[1:] >= places[1:]).any() or self.parents[0]:
            raise StructureError("a symbol before its parent")
        if self.kinds.max() > _LAST_KIND or self.kinds[0] != _FILE_KIND:
            raise StructureError("a kind that is not known")
        if not len(self.ref_roles):
            return
        if self.ref_symbols.max() >= len(places):
            raise StructureError("names a symbol that is not there")
        if self.ref_roles.max() > _LAST_ROLE or self.ref_roles.min() < _FIRST_ROLE:
            raise StructureError("a role that is not known")

    @property
    def symbol_count(self) -> int:
        """Symbols, the file itself among them."""
        return len(self.parents)

    @property
    def reference_count(self) -> int:
        """References in all roles."""
        return len(self.ref_roles)

    @cached_property
    def strings(self) -> list[str]:
        """All strings of the record."""
        return self._text.decode("utf-8", "replace").split("\n")

    @cached_property
    def _ends(self) -> npt.NDArray[np.int64]:
        """Where each string but the last ends in the text, in characters."""
        if self._text.isascii():
            return np.flatnonzero(np.frombuffer(self._text, dtype=np.uint8) == _LINE_FEED)
        text = self._text.decode("utf-8", "replace")
        return np.array([match.start() for match in re.finditer("\n", text)], dtype=np.int64)

    def mark_strings(self, needles: Sequence[str]) -> npt.NDArray[np.bool_]:
        """A row for each needle: True for each string that holds it, whatever its case.

        Needles are in lower case; one framed by line feeds is a whole string. Found in the whole text at
        once: most records hold few of them, and telling all their strings apart takes ten times as long.
        """
        text = self._text.decode("utf-8", "replace")
        folded = text.lower()
        if len(folded) != len(text):  # a letter whose lower case is two: places differ
            folded = "\n".join(line if len(line := one.lower()) == len(one) else one for one in self.strings)
        folded += "\n"  # one stands before each string but the first, which is empty
        marks = np.zeros((len(needles), self.string_count), dtype=np.bool_)
        for row, needle in zip(marks, needles, strict=True):
            places = np.array(_find_all(folded, needle), dtype=np.int64) + needle.startswith("\n")
            row[np.searchsorted(self._ends, places)] = True
        return marks

    def mark_matching(self, pattern: re.Pattern[str]) -> npt.NDArray[np.bool_]:
        """True for each string that a pattern finds, which matches no line feed."""
        text = self._text.decode("utf-8", "replace")
        marks = np.zeros(self.string_count, dtype=np.bool_)
        marks[np.searchsorted(self._ends, [match.start() for match in pattern.finditer(text)])] = True
        return marks

    def get_strings(self, numbers: Sequence[int]) -> list[str]:
        """Some of the strings; where they are few it takes less than to tell all apart."""
        is_known = "strings" in self.__dict__ or not self._text.isascii()
        if is_known or len(numbers) > self.string_count * FEW_STRINGS:
            return [self.strings[number] for number in numbers]
        starts = np.concatenate(([0], self._ends + 1))[list(numbers)].tolist()
        ends = np.append(self._ends, len(self._text))[list(numbers)].tolist()
        return [self._text[start:end].decode() for start, end in zip(starts, ends, strict=True)]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(self.strings)}

    def find_string(self, text: str) -> int | None:
        """The number of a string; None when the record does not have it."""
        return self._numbers.get(text)

    def get_symbol(self, place: int) -> Symbol:
        """The symbol at a place. IndexError when there is none."""
        strings = self.strings
        flags = int(self.flags[place])
        start = int(self.starts[place])
        return Symbol(
            place,
            strings[self.names[place]],
            SymbolKind(int(self.kinds[place])),
            int(self.parents[place]),
            start,
            start + int(self.spans[place]),
            SymbolFlag(flags & ((1 << ACCESS_SHIFT) - 1)),
            Access(min(flags >> ACCESS_SHIFT, max(Access))),
            strings[self.parameters[place]],
            int(self.parameter_counts[place]),
            strings[self.types[place]],
        )

    def get_reference(self, row: int) -> Reference:
        """The reference in a row, in order of line. IndexError when there is none."""
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
        """Places of the symbols of exactly this name, ascending."""
        number = self.find_string(name)
        return [] if number is None else _where(self.names == number)

    def find_references(self, name: str) -> list[int]:
        """Rows of the references to exactly this name, ascending."""
        number = self.find_string(name)
        return [] if number is None else _where(self.ref_names == number)

    def list_role(self, *roles: ReferenceRole) -> list[int]:
        """Rows of the references in one of the roles, ascending."""
        if len(roles) == 1:
            return _where(self.ref_roles == roles[0])
        return _where(np.isin(self.ref_roles, roles))

    def list_children(self, place: int) -> list[int]:
        """Places of the symbols that stand right inside one, ascending; the file is nobody's child."""
        found = _where(self.parents == place)
        return found[1:] if place == 0 else found

    def list_references(self, place: int) -> list[int]:
        """Rows of the references right inside a symbol, not those inside its children."""
        return _where(self.ref_symbols == place)


def _find_all(text: str, needle: str) -> list[int]:
    """Where a text holds another, ascending."""
    places = []
    place = text.find(needle)
    while place >= 0:
        places.append(place)
        place = text.find(needle, place + 1)
    return places


def _where(mask: npt.NDArray[np.bool_]) -> list[int]:
    return np.flatnonzero(mask).tolist()


def _decode_columns(data: bytes, rows: list[int]) -> tuple[list[Column], int]:
    """The columns and where they end."""
    widths = data[HEADER.size : HEADER.size + len(rows)]
    end = HEADER.size + len(rows)
    columns: list[Column] = []
    for width, count in zip(widths, rows, strict=False):
        if width == 0:
            columns.append(np.broadcast_to(_ZERO, count))
            continue
        if width not in _TYPES or end + width * count > len(data):
            raise StructureError("columns that do not fit")
        column = np.frombuffer(data, _TYPES[width], count, end).astype(np.int32)
        if width == MAX_WIDTH and count and column.min() < 0:
            raise StructureError("a number that is too large")
        columns.append(column)
        end += width * count
    if len(columns) != len(rows):
        raise StructureError("columns that do not fit")
    return columns, end


def decode_structure(data: bytes) -> Structure:
    """The record that some bytes are. Raises StructureError for all others."""
    return Structure(data)


def encode_failure(file_name: str, lines: int) -> bytes:
    """The record of a text that could not be parsed."""
    builder = StructureBuilder(file_name, lines)
    builder.status = ParseStatus.FAILED
    return builder.encode()
