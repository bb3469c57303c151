"""Read a SCIP index: which symbol each name of each file is, and where symbols are defined.

SCIP is the format in which scip-python, scip-typescript and others write what a type checker knows. It is
protobuf, of which only the few fields below are read.

    Index       2 documents
    Document    1 relative path, 2 occurrences
    Occurrence  1 range (packed: line, start, end; or line, start, line, end), 2 symbol, 3 roles
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

DEFINITION = 1  # a bit of the roles
LOCAL = "local "  # begins the symbols that only their own file has


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One name of a file."""

    line: int  # from 1
    start: int  # character of the line, from 0
    end: int
    symbol: str
    is_definition: bool


@dataclass(slots=True)
class ScipIndex:
    """All documents of an index."""

    occurrences: dict[str, list[Occurrence]] = field(default_factory=dict)  # by path
    definitions: dict[str, list[tuple[str, int]]] = field(default_factory=dict)  # symbol -> path, line


def read_scip(path: Path) -> ScipIndex:
    """Return the index in a file."""
    index = ScipIndex()
    for number, document in _iter_fields(path.read_bytes()):
        if number == 2 and isinstance(document, bytes):
            _read_document(document, index)
    return index


def _read_document(data: bytes, index: ScipIndex) -> None:
    name = ""
    found: list[Occurrence] = []
    for number, value in _iter_fields(data):
        if number == 1 and isinstance(value, bytes):
            name = value.decode()
        elif number == 2 and isinstance(value, bytes):
            found.append(_read_occurrence(value))
    index.occurrences[name] = found
    for one in found:
        if one.is_definition:
            symbol = f"{name} {one.symbol}" if one.symbol.startswith(LOCAL) else one.symbol
            index.definitions.setdefault(symbol, []).append((name, one.line))


def _read_occurrence(data: bytes) -> Occurrence:
    span: list[int] = []
    symbol, roles = "", 0
    for number, value in _iter_fields(data):
        if number == 1:
            span += _iter_varints(value) if isinstance(value, bytes) else [value]
        elif number == 2 and isinstance(value, bytes):
            symbol = value.decode()
        elif number == 3 and isinstance(value, int):
            roles = value
    start = span[1] if len(span) > 1 else 0
    end = span[-1] if len(span) == 3 or (len(span) == 4 and span[0] == span[2]) else start
    return Occurrence((span[0] if span else 0) + 1, start, end, symbol, bool(roles & DEFINITION))


def _iter_fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    ordinal = 0
    while ordinal < len(data):
        key, ordinal = _read_varint(data, ordinal)
        kind = key & 7
        if kind == 0:
            number, ordinal = _read_varint(data, ordinal)
            yield key >> 3, number
        elif kind == 2:
            length, ordinal = _read_varint(data, ordinal)
            yield key >> 3, data[ordinal : ordinal + length]
            ordinal += length
        elif kind in (1, 5):
            ordinal += 8 if kind == 1 else 4
        else:
            raise ValueError(f"no SCIP index: wire type {kind}")


def _iter_varints(data: bytes) -> Iterator[int]:
    ordinal = 0
    while ordinal < len(data):
        number, ordinal = _read_varint(data, ordinal)
        yield number


def _read_varint(data: bytes, ordinal: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[ordinal]
        ordinal += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, ordinal
        shift += 7
