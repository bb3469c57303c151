"""Python source to its structure record, by `ast`. Runs in the parse process.

A text that does not parse is cut at its top-level statements; the blocks that do not parse alone are left
out, but for the lines that begin functions and classes, and the record is PARTIAL. So is that of a
text above MAX_AST_BYTES, of which the record has those lines only. Nothing is evaluated or imported.
"""

from __future__ import annotations

import ast
import warnings

from repo_mcp.adapters.python_recovery import cut_out_faults, draft_by_lines
from repo_mcp.adapters.python_statements import StatementWalk
from repo_mcp.adapters.python_symbols import Drafts
from repo_mcp.structure import ParseStatus, StructureBuilder, encode_failure

MAX_AST_BYTES = 1 << 20  # ast takes up to 1,000 bytes of memory for each of source
_ERRORS = (SyntaxError, ValueError, OverflowError, SystemError, MemoryError, RecursionError)


def parse(file_name: str, text: bytes) -> bytes:
    """The structure record of a text. Raises nothing but what ends the process."""
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = text.removeprefix(b"\xef\xbb\xbf")
    line_count = text.count(b"\n") + (not text.endswith(b"\n"))
    try:
        if len(text) > MAX_AST_BYTES:
            return _encode_lines(file_name, text, line_count)
        tree = _parse(text)
        if tree is not None:
            return _walk(file_name, text, line_count, tree)
        kept, lost = cut_out_faults(text, lambda block: _parse(block) is not None)
        tree = _parse(kept)
        if tree is None or not lost:
            return _encode_lines(file_name, text, line_count)
        return _walk(file_name, text, line_count, tree, lost)
    except _ERRORS:
        return encode_failure(file_name, line_count)


def _parse(text: bytes) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is the repository's affair
            return ast.parse(text.decode("utf-8"))
    except _ERRORS:
        return None


def _walk(
    file_name: str,
    text: bytes,
    line_count: int,
    tree: ast.Module,
    lost: frozenset[int] = frozenset(),
) -> bytes:
    """The record of a tree. `lost`: lines that it does not have."""
    drafts = Drafts(file_name, line_count)
    lines = text.split(b"\n")
    walk = StatementWalk(drafts, lines, file_name.endswith(".pyi"))
    walk.stack += reversed(tree.body)
    walk.run()
    rows = walk.rows
    for scope in walk.scopes:
        scope.settle()
        rows |= scope.find_references()
    builder = StructureBuilder(file_name, line_count)
    if lost:
        draft_by_lines(drafts, lines, lost)
    drafts.give(builder, walk.exported)
    builder.add_distinct(rows)
    if lost and not rows and len(drafts.rows) == 1:
        builder.status = ParseStatus.FAILED
    elif lost or drafts.is_full:
        builder.status = ParseStatus.PARTIAL
    return builder.encode()


def _encode_lines(file_name: str, text: bytes, line_count: int) -> bytes:
    """The record of the lines that begin functions and classes; a failure when there are none."""
    drafts = Drafts(file_name, line_count)
    draft_by_lines(drafts, text.split(b"\n"), None)
    builder = StructureBuilder(file_name, line_count)
    drafts.give(builder, None)
    builder.status = ParseStatus.PARTIAL if len(drafts.rows) > 1 else ParseStatus.FAILED
    return builder.encode()
