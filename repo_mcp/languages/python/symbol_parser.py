"""The symbol record of Python source, by `ast`. Runs in the parser process.

A text that does not parse is cut at its top-level statements. Blocks that do not parse alone are left out,
except for lines that begin functions and classes, and the record is PARTIAL. A text above MAX_AST_BYTES is
read for those lines only, and its record is PARTIAL too. Nothing is evaluated or imported.

Any text is parsed and walked piece by piece. A tree takes 40 times the memory of its text: that of a large
file has left the processor's cache by the time it is walked and freed; that of a piece has not. This saves a
tenth of the time over all files.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence

from repo_mcp.languages.python.recovery import cut_out_faults, draft_by_lines
from repo_mcp.languages.python.statements import StatementWalk
from repo_mcp.languages.python.symbols import SymbolDrafts
from repo_mcp.symbols.symbol_record import ParseStatus, SymbolRecordBuilder, encode_failure

MAX_AST_BYTES = 1 << 20  # ast takes up to 1,000 bytes of memory per byte of source
PIECE_BYTES = 4 * 1024  # at least; neither 2 KB nor 8 KB is faster
_HEAD = re.compile(rb"\n\n(?=def |class |async |@)")
_ERRORS = (SyntaxError, ValueError, OverflowError, SystemError, MemoryError, RecursionError)


def parse(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a text, or a failed one if it cannot be parsed. Never raises."""
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = text.removeprefix(b"\xef\xbb\xbf")
    line_count = text.count(b"\n") + (not text.endswith(b"\n"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is the repository's concern
            return _parse_text(file_name, text, line_count)
    except _ERRORS:
        return encode_failure(file_name, line_count)


def _parse_text(file_name: str, text: bytes, line_count: int) -> bytes:
    if len(text) > MAX_AST_BYTES:
        return _encode_lines(file_name, text, line_count)
    walk = _walk(file_name, text, line_count)
    if walk is not None:
        return _encode(walk)
    kept, lost = cut_out_faults(text, lambda block: _parse(block) is not None)
    walk = _walk(file_name, kept, line_count) if lost else None
    if walk is None:
        return _encode_lines(file_name, text, line_count)
    draft_by_lines(walk.drafts, text.split(b"\n"), lost)
    return _encode(walk, is_whole=False)


def _parse(text: bytes) -> list[ast.stmt] | None:
    try:
        return ast.parse(text.decode("utf-8")).body
    except _ERRORS:
        return None


def _walk(file_name: str, text: bytes, line_count: int) -> StatementWalk | None:
    """Return the walk over a whole text; None when it does not parse."""
    pieces = cut_between_statements(text)
    walk = _walk_pieces(file_name, pieces, line_count)
    if walk is None and len(pieces) > 1:
        walk = _walk_pieces(file_name, [text], line_count)
    return walk


def _walk_pieces(file_name: str, pieces: Sequence[bytes], line_count: int) -> StatementWalk | None:
    walk = StatementWalk(SymbolDrafts(file_name, line_count), file_name.endswith(".pyi"))
    before = 0
    for piece in pieces:
        statements = _parse(piece)
        if statements is None:
            return None
        lines = piece.split(b"\n")
        walk.walk(statements, lines, before)
        before += len(lines) - 1
        del statements  # so that the next piece can use its memory
    return walk


def _encode(walk: StatementWalk, *, is_whole: bool = True) -> bytes:
    drafts = walk.drafts
    builder = SymbolRecordBuilder(drafts.rows[0].name, drafts.rows[0].end_line)
    drafts.give(builder, walk.exported)
    walk.give(builder)
    if not is_whole or drafts.is_full:
        builder.status = ParseStatus.PARTIAL
    if not is_whole and builder.is_empty:
        builder.status = ParseStatus.FAILED
    return builder.encode()


def _encode_lines(file_name: str, text: bytes, line_count: int) -> bytes:
    """Return the record of lines that begin functions and classes; a failed one if there are none."""
    walk = StatementWalk(SymbolDrafts(file_name, line_count), is_stub=False)
    draft_by_lines(walk.drafts, text.split(b"\n"), None)
    return _encode(walk, is_whole=False)


def cut_between_statements(text: bytes) -> list[bytes]:
    """Return the pieces of a text with "\\n" line ends, at least one; joined they are the text.

    A cut comes after an empty line, before an unindented `def`, `class`, `async` or decorator. Such lines
    also occur in strings and brackets, or after another decorator: then the piece that ends there does not
    parse, and the text has to be parsed whole. Where every piece parses, together they have its statements.
    """
    pieces: list[bytes] = []
    start = 0
    while len(text) - start > PIECE_BYTES and (head := _HEAD.search(text, start + PIECE_BYTES)):
        pieces.append(text[start : head.end()])
        start = head.end()
    return [*pieces, text[start:]]
