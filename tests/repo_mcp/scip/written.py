"""Write SCIP indexes for tests: symbols at the names of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from repo_mcp.scip.messages import (
    DEFINITION,
    Document,
    Occurrence,
    PositionEncoding,
    encode_document,
    encode_metadata,
)

PACKAGE = "tool manager package 1 "
Mark = tuple[str, str, int]  # symbol without its package, name, and which occurrence of that name, from 0


def build_document(
    path: str,
    text: str,
    defined: Iterable[Mark] = (),
    used: Iterable[Mark] = (),
    encoding: PositionEncoding = PositionEncoding.UTF32,
) -> Document:
    """Return a document with these symbols at these names of the text."""
    found = [_place(text, mark, DEFINITION, encoding) for mark in defined]
    found += [_place(text, mark, 0, encoding) for mark in used]
    return Document(path, "", tuple(found), encoding=encoding)


def _place(text: str, mark: Mark, roles: int, encoding: PositionEncoding) -> Occurrence:
    symbol, name, which = mark
    offset = [one.start() for one in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)][which]
    line = text.count("\n", 0, offset)
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    start, size = (_measure(one, encoding) for one in (before, name))
    whole = symbol if symbol.startswith("local ") else PACKAGE + symbol
    return Occurrence(whole, line, start, start + size, roles)


def _measure(text: str, encoding: PositionEncoding) -> int:
    if encoding is PositionEncoding.UTF8:
        return len(text.encode())
    return len(text.encode("utf-16-le")) // 2 if encoding is PositionEncoding.UTF16 else len(text)


def encode_index(documents: Iterable[Document]) -> bytes:
    """Return the bytes of an index."""
    return encode_metadata("tool", "1") + b"".join(map(encode_document, documents))


def write_index(place: Path, documents: Iterable[Document]) -> Path:
    """Write an index and return its path."""
    place.write_bytes(encode_index(documents))
    return place
