"""The messages of SCIP that we write and read, with the numbers of their fields.

    Index             1 metadata | 2 documents, repeated
    Metadata          2 tool info: 1 name, 2 version | 3 project root | 4 encoding of the texts
    Document          1 path | 2 occurrences, repeated | 3 symbols, repeated | 4 language | 5 text
                      6 encoding of positions
    Occurrence        1 range | 2 symbol | 3 roles | 7 enclosing range
    SymbolInformation 1 symbol | 4 relationships, repeated | 5 kind | 6 display name
    Relationship      1 symbol | 3 is an implementation

A range is `line, start, end` or `line, start, last line, end`: lines and characters count from 0, and the end
is not included. The schema is scip.proto of github.com/scip-code/scip, with which tests decode our bytes.

An index is read document by document, whatever its size: only one of them is in memory.

Left out on purpose: every other field, among them diagnostics, documentation and external symbols.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Protocol

from repo_mcp.record_classes import dataclass
from repo_mcp.scip.wire import (
    BYTES,
    VARINT,
    WireError,
    decode_numbers,
    decode_varint,
    encode_bytes,
    encode_message,
    encode_number,
    encode_packed,
    iter_fields,
)

MAX_DOCUMENT_BYTES = 64 * 1024 * 1024  # of one file: some 1,000,000 occurrences
MAX_OCCURRENCES = 1_000_000  # in one document
MAX_SYMBOL_CHARS = 8_192
_HEAD_BYTES = 20  # the longest tag and length of a field
_RANGE_NUMBERS = 4
_UTF8 = 1

DEFINITION = 1  # a role; others, among them import, write and read, are not looked at
FORWARD_DEFINITION = 64


class PositionEncoding(IntEnum):
    """The units in which the characters of a range are counted."""

    UNKNOWN = 0
    UTF8 = 1
    UTF16 = 2
    UTF32 = 3


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place of a symbol in a file, on one line."""

    symbol: str
    line: int  # from 0
    start: int  # characters, in the encoding of the document
    end: int
    roles: int = 0
    enclosing: tuple[int, ...] = ()  # the range of a definition with its body; empty for a reference


@dataclass(frozen=True, slots=True)
class SymbolInformation:
    """The facts about a symbol where it is defined."""

    symbol: str
    kind: int  # SymbolInformation.Kind
    display_name: str
    implements: tuple[str, ...] = ()  # symbols


@dataclass(frozen=True, slots=True)
class Document:
    """One file of an index."""

    path: str
    language: str
    occurrences: tuple[Occurrence, ...]
    symbols: tuple[SymbolInformation, ...] = ()
    text: bytes = b""  # UTF-8; empty if the index does not have it
    encoding: PositionEncoding = PositionEncoding.UTF32


class ReadableFile(Protocol):
    """A file that is read at positions."""

    @property
    def size(self) -> int:
        """Return the number of its bytes."""

    def read(self, offset: int, size: int) -> bytes:
        """Return exactly `size` bytes from `offset`."""


# Writing


def encode_metadata(tool: str, version: str) -> bytes:
    """Return the beginning of an index, which names its maker and no directory of the machine."""
    metadata = (
        encode_bytes(2, encode_bytes(1, tool) + encode_bytes(2, version))
        + encode_bytes(3, "file:///")
        + encode_number(4, _UTF8)
    )
    return encode_bytes(1, metadata)


def encode_document(document: Document) -> bytes:
    """Return a document as a field of an index, which is its metadata followed by such fields."""
    parts = [encode_bytes(1, document.path)]
    parts += [encode_bytes(2, _encode_occurrence(one)) for one in document.occurrences]
    parts += [encode_bytes(3, _encode_symbol(one)) for one in document.symbols]
    parts += [encode_bytes(4, document.language), encode_bytes(5, document.text)]
    parts.append(encode_number(6, document.encoding))
    return encode_message(2, b"".join(parts))


def _encode_occurrence(one: Occurrence) -> bytes:
    return (
        encode_packed(1, (one.line, one.start, one.end))
        + encode_bytes(2, one.symbol)
        + encode_number(3, one.roles)
        + encode_packed(7, one.enclosing)
    )


def _encode_symbol(one: SymbolInformation) -> bytes:
    related = [encode_bytes(4, encode_bytes(1, other) + encode_number(3, 1)) for other in one.implements]
    return (
        encode_bytes(1, one.symbol)
        + b"".join(related)
        + encode_number(5, one.kind)
        + encode_bytes(6, one.display_name)
    )


# Reading


def iter_documents(file: ReadableFile, *, reads: bool = True) -> Iterator[bytes]:
    """Yield the bytes of each document of an index, in the order of the file; unless it `reads`, empty bytes.

    Raises WireError if the file is no index, is cut short, or has a document of more than MAX_DOCUMENT_BYTES;
    and what reading raises.
    """
    position = 0
    while position < file.size:
        head = file.read(position, min(_HEAD_BYTES, file.size - position))
        tag, used = decode_varint(head, 0)
        size, used = decode_varint(head, used)
        if tag & 7 == VARINT:
            position += used
            continue
        if tag & 7 != BYTES or not tag >> 3:
            raise WireError("a field that no SCIP index has")
        position += used
        if size > file.size - position:
            raise WireError("it is cut short")
        if tag >> 3 == 2:
            if size > MAX_DOCUMENT_BYTES:
                raise WireError(f"a document of {size:,} bytes; {MAX_DOCUMENT_BYTES:,} are the most")
            yield file.read(position, size) if reads else b""
        position += size


def decode_path(data: bytes) -> str:
    """Return the path of a document without reading the rest of it; "" if it has none. Raises WireError."""
    for number, value in iter_fields(data):
        if number == 1:
            return _decode_text(value)
    return ""


def decode_document(data: bytes) -> Document:
    """Return a document with the occurrences that lie on one line and have a symbol.

    The field `symbols` is not read. Raises WireError.
    """
    path = language = ""
    text, encoding = b"", 0
    occurrences: list[Occurrence] = []
    symbols: dict[bytes, str] = {}  # each is named many times
    for number, value in iter_fields(data):
        if number == 1:
            path = _decode_text(value)
        elif number == 2 and isinstance(value, bytes):
            if len(occurrences) == MAX_OCCURRENCES:
                raise WireError(f"more than {MAX_OCCURRENCES:,} occurrences in one document")
            found = _decode_occurrence(value, symbols)
            occurrences += () if found is None else (found,)
        elif number == 4:
            language = _decode_text(value)
        elif number == 5 and isinstance(value, bytes):
            text = value
        elif number == 6 and isinstance(value, int):
            encoding = value
    if encoding > max(PositionEncoding):
        encoding = PositionEncoding.UNKNOWN
    return Document(path, language, tuple(occurrences), (), text, PositionEncoding(encoding))


def _decode_occurrence(data: bytes, symbols: dict[bytes, str]) -> Occurrence | None:
    places: list[int] = []
    symbol, roles = b"", 0
    for number, value in iter_fields(data):
        if number == 1:
            places += decode_numbers(value, _RANGE_NUMBERS)
        elif number == 2 and isinstance(value, bytes):
            symbol = value
        elif number == 3 and isinstance(value, int):
            roles = value
    if len(places) == _RANGE_NUMBERS and places[0] == places[2]:
        del places[2]
    if len(places) != _RANGE_NUMBERS - 1 or not symbol or len(symbol) > MAX_SYMBOL_CHARS:
        return None
    if symbol not in symbols:
        symbols[symbol] = _decode_text(symbol)
    line, start, end = places
    return Occurrence(symbols[symbol], line, start, end, roles)


def _decode_text(value: int | bytes) -> str:
    if isinstance(value, int):
        raise WireError("a number instead of text")
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise WireError("text that is not UTF-8") from error
