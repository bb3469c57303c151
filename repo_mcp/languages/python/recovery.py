"""Recovery from a Python text that does not parse: good blocks, and lines that begin declarations.

A block begins at an unindented line that is not a comment, and ends before the next. A decorator belongs to
what it decorates; `else`, `except` and the like, and closing brackets, belong to what is above. A block that
does not parse by itself is replaced by empty lines, so that all others keep their line numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from repo_mcp.languages.python.symbols import SymbolDraft, SymbolDrafts
from repo_mcp.symbols.symbol_record import SymbolKind

MAX_BLOCKS = 5_000
MAX_LINE_BYTES = 2_000  # longer lines are not looked at
_CONTINUES = re.compile(rb"(?:else|elif|except|finally)\b|[)\]}#\s]|\"\"\"|'''")
_DECLARES = re.compile(rb"([ \t]{0,200})(?:async[ \t]{1,9})?(def|class)[ \t]{1,9}([^\W\d]\w{0,200})")


def cut_out_faults(text: bytes, is_good: Callable[[bytes], bool]) -> tuple[bytes, frozenset[int]]:
    """Return the text with the blocks that do not parse emptied, and their line numbers, from 1."""
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
