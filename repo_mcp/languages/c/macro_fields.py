"""Fields that a macro declares, `#define NODE_FIELDS int id; struct node *next;`, and structs that have them.

A parser that does not run the preprocessor cannot understand such a macro in a struct, so
`repo_mcp/languages/c/macros.py` turns it into a declaration without a name. The fields belong to the
macro, and the struct refers to the macro. A macro declares fields only if its whole text is declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.blanking import join_blanked
from repo_mcp.languages.treesitter.capture_scopes import Extent
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.languages.treesitter.type_names import read_type
from repo_mcp.symbols.model import AS_FIELDS
from repo_mcp.symbols.record_builder import Head
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_MACRO_BYTES = 20_000

_MACRO = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]++(?:[ \t]*+\([^()\n]*\))?"
_NO_TEXT = re.compile(rb"/\*.*?(?:\*/|\Z)|//[^\n]*|\\\n", re.S)

_MARK = re.compile(rb"[{};]")
_GROUP = re.compile(rb"\s*(?:struct|union)(?:\s+\w+)?\s*")
_WORDS = rb"(?:const|volatile|unsigned|signed|struct|union|enum|long|short)"
_FIELD = re.compile(
    rb"\s*+((?:"
    + _WORDS
    + rb"\s++)*\w++(?:\s++(?:int|char|long|short|double)\b)*)(\s++\*{0,3}+\s*+|\*{1,3}+\s*+)"
    rb"([A-Za-z_]\w*+\s*+(?:\[[^\[\]]*\]\s*+)*(?::\s*+\d++\s*+)?(?:,[\s*\w\[\],]*+)?)"
)
_CALLED = re.compile(rb"\s*+([\w\s*]+?)\(\s*\*\s*([A-Za-z_]\w*)\s*\)\s*\([^;{}]*\)\s*")
_NAME = re.compile(rb"([A-Za-z_]\w*)\s*((?:\[[^\[\]]*\]\s*)*)")
_FIRST_MACROS = re.compile(rb"\s*+(?:" + _MACRO + rb"\s++)+(?=\w+[\s*]+\w)")
_LAST_MACROS = re.compile(rb"(?:\s*+" + _MACRO + rb")*\s*+")
_MACRO_NAME = re.compile(rb"[A-Z][A-Z0-9]*_[A-Z0-9_]+")
_NO_DECLARATION = frozenset(
    b"return goto typedef extern static case else break continue do if while for switch".split()
)

Field = tuple[int, str, str]  # offset, name, type; an embedded macro has the type AS_MACRO
AS_MACRO = "#"


def refer_macro_fields(walk: CaptureWalk, node: Node, type_node: Node | None) -> bool:
    """Add the use of a macro that `macros.py` turned into a declaration; return False for any other."""
    if type_node is None or walk.text[node.end_byte - 1 : node.end_byte] == b";":
        return False
    walk.taken.add(type_node.start_byte)
    found = _MACRO_NAME.match(walk.text, node.start_byte)
    if found is not None:
        name = found.group().decode("ascii")
        walk.refer(ReferenceRole.USE, name, node, "", "", AS_FIELDS)
    return found is not None


def declare_macro_fields(walk: CaptureWalk, node: Node, value: Node) -> bool:
    """Declare the fields in the body of a macro, inside it; return False if it holds anything else."""
    start, end = value.start_byte, min(value.end_byte, value.start_byte + MAX_MACRO_BYTES)
    fields = read_fields(walk.text[start:end])
    for offset, name, type_text in fields:
        if type_text == AS_MACRO:
            walk.refer_at(ReferenceRole.USE, name, start + offset, "", AS_FIELDS)
            continue
        found = read_type(type_text)
        if found.name:
            walk.refer_at(ReferenceRole.TYPE, found.name, start + offset)
        row = walk.find_line(start + offset) - 1
        flags, kind = SymbolFlag.PUBLIC_API, SymbolKind.PROPERTY
        walk.declare(
            node, name, kind, Head(flags=flags, return_type=type_text), extent=Extent(row, row), opens=False
        )
    return bool(fields)


def read_fields(body: bytes) -> list[Field]:
    """Return the fields that the body of a macro declares; empty if it holds anything else."""
    if b";" not in body:
        return []  # most macros declare no fields
    text = _NO_TEXT.sub(join_blanked, body)
    fields: list[Field] = []
    at, depth, is_closed = 0, 0, False
    for found in _MARK.finditer(text):
        piece, mark = text[at : found.start()], found.group()
        if mark == b"{":
            is_fit, depth = _GROUP.fullmatch(piece) is not None, depth + 1
        elif mark == b"}":
            is_fit, depth = not piece.strip(), depth - 1
        elif is_closed:
            more = [*_read_names(piece, at, "struct")]
            is_fit = bool(more) or not piece.strip()
            fields += more
        else:
            more = [*_read_field(piece, at)]
            is_fit = bool(more)
            fields += more
        if not is_fit or depth < 0:
            return []
        at, is_closed = found.end(), mark == b"}"
    if depth or not fields or _LAST_MACROS.fullmatch(text, at) is None:
        return []
    return [*fields, *_read_macros(text, at, len(text))]


def _read_macros(text: bytes, start: int, end: int) -> Iterator[Field]:
    for found in _MACRO_NAME.finditer(text, start, end):
        yield found.start(), found.group().decode("ascii"), AS_MACRO


def _read_field(piece: bytes, offset: int) -> Iterator[Field]:
    """Yield the names of one declaration, and the macros before it."""
    macros = _FIRST_MACROS.match(piece)
    start = macros.end() if macros is not None else 0
    called = _CALLED.fullmatch(piece, start)
    found = _FIELD.fullmatch(piece, start)
    first = piece[start:].split(None, 1)[:1]
    if (called is None and found is None) or first[0] in _NO_DECLARATION:
        return
    if macros is not None:
        for at, name, kind in _read_macros(piece, 0, start):
            yield offset + at, name, kind
    if called is not None:
        yield offset + called.start(2), called.group(2).decode(), " ".join(called.group(1).decode().split())
    elif found is not None:
        stars = "*" * found.group(2).count(b"*")
        type_text = " ".join(found.group(1).decode("utf-8", "replace").split())
        names = piece[found.start(3) :]
        yield from _read_names(names, offset + found.start(3), f"{type_text} {stars}".strip())


def _read_names(text: bytes, offset: int, type_text: str) -> Iterator[Field]:
    """Yield the names of declarators: "a, *b[3]"."""
    at = 0
    for part in text.split(b","):
        found = _NAME.search(part)
        if found is not None:
            levels = "[]" * found.group(2).count(b"[")
            yield offset + at + found.start(), found.group(1).decode(), type_text + levels
        at += len(part) + 1
