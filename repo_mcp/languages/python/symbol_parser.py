"""The symbol record of Python source, by `ast`. Runs in the parser process.

A text that does not parse is written in older syntax. If that does not parse either, it is cut at its
top-level statements. Blocks that do not parse alone are left out, except for lines that begin functions and
classes, and the record is PARTIAL. A text above MAX_AST_BYTES is read for those lines only, and its record is
PARTIAL too. Nothing is evaluated or imported.

A block begins at an unindented line that is not a comment, and ends before the next. A decorator belongs to
the decorated definition; `else`, `except` and the like, and closing brackets, belong to the block above. A
block that does not parse by itself is replaced by empty lines, so that all others keep their line numbers.

Any text is parsed and walked piece by piece. A tree takes 40 times the memory of its text: that of a large
file has left the processor's cache by the time it is walked and freed; that of a piece has not. This saves a
tenth of the time over all files.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Sequence

from repo_mcp.languages.python.newer_syntax import write_older
from repo_mcp.languages.python.statements import StatementWalk
from repo_mcp.languages.python.symbols import SymbolDraft, SymbolDrafts
from repo_mcp.symbols.record_builder import SymbolRecordBuilder, encode_failure
from repo_mcp.symbols.symbol_record import ParseStatus, SymbolKind

MAX_AST_BYTES = 1 << 20  # ast takes up to 1,000 bytes of memory per byte of source
PIECE_BYTES = 4 * 1024  # at least; neither 2 KB nor 8 KB is faster
_HEAD = re.compile(rb"\n\n(?=def |class |async |@)")
_ERRORS = (SyntaxError, ValueError, OverflowError, SystemError, MemoryError, RecursionError)
MAX_BLOCKS = 5_000
MAX_LINE_BYTES = 2_000  # longer lines are not read
_CONTINUES = re.compile(rb"(?:else|elif|except|finally)\b|[)\]}#\s]|\"\"\"|'''")
_DECLARES = re.compile(rb"([ \t]{0,200})(?:async[ \t]{1,9})?(def|class)[ \t]{1,9}([^\W\d]\w{0,200})")


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
    older = write_older(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    if older != text and (walk := _walk(file_name, older, line_count)) is not None:
        return _encode(walk)
    kept, lost = cut_out_faults(older, lambda block: _parse(block) is not None)
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
        del statements  # frees its memory for the next piece
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


def cut_out_faults(text: bytes, is_good: Callable[[bytes], bool]) -> tuple[bytes, frozenset[int]]:
    """Return the text in which the blocks that do not parse are emptied, and their line numbers, from 1."""
    lines = text.split(b"\n")
    starts = _list_starts(lines)
    if len(starts) > MAX_BLOCKS:
        return b"", frozenset()
    lost: set[int] = set()
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        if not is_good(b"\n".join(lines[start:end])):
            lost.update(range(start + 1, end + 1))
            lines[start:end] = [b""] * (end - start)
    return b"\n".join(lines), frozenset(lost)


def _list_starts(lines: list[bytes]) -> list[int]:
    starts = [0]
    decorated = False
    for number, line in enumerate(lines):
        if not line or _CONTINUES.match(line):
            continue
        if not decorated and number:
            starts.append(number)
        decorated = line.startswith(b"@")
    return starts


def draft_by_lines(drafts: SymbolDrafts, lines: list[bytes], among: frozenset[int] | None) -> None:
    """Add symbols for lines that begin a function or class, by indentation; `among` limits the lines."""
    found: list[tuple[int, SymbolDraft]] = []
    around: list[tuple[int, SymbolDraft]] = []  # the open declarations: indent, symbol
    parents: dict[int, SymbolDraft | None] = {}
    last = 0
    for number in range(1, len(lines) + 1) if among is None else sorted(among):
        line = lines[number - 1]
        if not line or line.isspace() if len(line) < MAX_LINE_BYTES else True:
            continue
        indent = len(line) - len(line.lstrip())
        while around and (indent <= around[-1][0] or number - last > MAX_LINE_BYTES):
            around.pop()
        last = number
        for _, open_one in around:
            open_one.end_line = number
        match = _DECLARES.match(line)
        if match is None or len(around) > 20:
            continue
        kind = SymbolKind.CLASS if match[2] == b"class" else SymbolKind.FUNCTION
        holder = around[-1][1] if around else None
        if kind is SymbolKind.FUNCTION and holder is not None and holder.kind is SymbolKind.CLASS:
            kind = SymbolKind.CONSTRUCTOR if match[3] == b"__init__" else SymbolKind.METHOD
        draft = SymbolDraft(match[3].decode("utf-8", "replace"), kind, 0, number, number)
        parents[len(found)] = holder
        found.append((indent, draft))
        around.append((indent, draft))
    ordinals: dict[int, int] = {}
    for order, (_, draft) in enumerate(found):
        holder = parents[order]
        draft.parent = 0 if holder is None else ordinals.get(id(holder), 0)
        ordinals[id(draft)] = drafts.add(draft)
