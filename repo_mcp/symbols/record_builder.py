"""The writing of symbol records, whose bytes `repo_mcp/symbols/symbol_record.py` defines.

The parser of a language fills a SymbolRecordBuilder, in a process that can be killed. What exceeds the limits
of a record is left out, and the record says so.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from repo_mcp.symbols.model import ACCESS_SHIFT, Access, ParseStatus, ReferenceRole, SymbolFlag, SymbolKind
from repo_mcp.symbols.symbol_record import HEADER, MAX_REFERENCES, MAX_SYMBOLS, REFERENCE_COLUMNS, VERSION

MAX_TEXT_CHARS = 300  # of one string; longer ones are cut and end in "…"
ReferenceRow = tuple[int, int, str, str, str, int, int]
ReferenceKey = tuple[int, int, str, str, str, int]  # a row without the arguments


class Head(NamedTuple):
    """The head of a declaration: what it says besides its name and kind."""

    flags: SymbolFlag | int = 0
    access: Access = Access.NONE
    parameters: str = ""  # as written, with their brackets
    parameter_count: int = 0
    return_type: str = ""  # of a variable, its type


BARE_HEAD = Head()


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
        head: Head = BARE_HEAD,
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
                int(head.flags) | int(head.access) << ACCESS_SHIFT,
                number[head.parameters],
                head.parameter_count,
                number[head.return_type],
            )
        )
        return ordinal

    def find_around(self, lines: Iterable[int]) -> dict[int, int]:
        """Return, for each of some lines, the ordinal of the innermost symbol around it."""
        coming = sorted(
            ((start, -span, ordinal) for ordinal, (_, _, _, start, span, *_) in enumerate(self._symbols)),
            reverse=True,
        )
        begun: list[tuple[int, int, int]] = []
        found: dict[int, int] = {}
        for line in sorted(set(lines)):
            while coming and coming[-1][0] <= line:
                begun.append(coming.pop())
            while begun and begun[-1][0] - begun[-1][1] < line:
                begun.pop()
            found[line] = begun[-1][2] if begun else 0
        return found

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

    def add_distinct(self, rows: Mapping[ReferenceKey, int], before: int) -> None:
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


def encode_failure(file_name: str, lines: int) -> bytes:
    """Return the bytes of a record for a text that could not be parsed."""
    builder = SymbolRecordBuilder(file_name, lines)
    builder.status = ParseStatus.FAILED
    return builder.encode()
