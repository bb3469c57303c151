"""The `impl` blocks of an outline of Rust, and the conditions under which its items are compiled.

    #[cfg(test)]
    impl Draw for Arc<Circle> {        an `impl` named "impl Draw for Arc<Circle>", under "cfg(test)"
    cfg_net! { ... }                   what is in it is under "cfg_net!"

Read by lines, as owners are. Left out: conditions in `cfg_attr`, and those of a file's modules.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.languages.outline.adapter import MAX_NAME_CHARS, MAX_SIGNATURE_CHARS, cut
from repo_mcp.languages.outline.declaration_heads import join_words
from repo_mcp.languages.outline.symbol_lookup import qualify
from repo_mcp.languages.patterns.declaration_kinds import IMPL
from repo_mcp.languages.patterns.owners import cut_parameters, read_head
from repo_mcp.late_patterns import compile_late
from repo_mcp.model import Symbol
from repo_mcp.record_classes import dataclass, replace

MAX_ATTRIBUTES = 20  # lines above an item
MAX_CONDITION_CHARS = 80
_ATTRIBUTE = compile_late(rb"[ \t]*#\[")
_CONDITION = compile_late(rb"#\[(cfg\([^\n]{1,400}\))\]")
_CONDITIONAL_BLOCK = compile_late(rb"[ \t]*(\w*cfg\w*!)[ \t]*[{(][ \t]*$")  # by custom, macros are named so


@dataclass(frozen=True, slots=True)
class _Block:
    """A block in braces; lines are counted from 0."""

    first: int
    last: int
    head: bytes  # of an `impl`; empty for the call of a macro
    text: str  # the macro that is called, or the qualified name of a module


class _Around:
    """The blocks around lines that are asked for in ascending order."""

    def __init__(self, blocks: Sequence[_Block]) -> None:
        self._left = list(reversed(blocks))
        self._opened: list[_Block] = []

    def list_texts(self, line: int) -> list[str]:
        """Return the texts of the blocks around a line, counted from 0, the outermost first."""
        while self._left and self._left[-1].first <= line:
            self._opened.append(self._left.pop())
            while len(self._opened) > 1 and self._opened[-2].last < self._opened[-1].first:
                del self._opened[-2]
        while self._opened and self._opened[-1].last < line:
            self._opened.pop()
        return [one.text for one in self._opened]


def add_blocks(lines: Sequence[bytes], comments: set[int], symbols: Sequence[Symbol]) -> list[Symbol]:
    """Return the symbols of a text, and one for each `impl`, with the conditions above and around them.

    `comments` are the numbers of its lines of comments, from 0.
    """
    blocks = _list_blocks(lines, comments)
    modules = _Around([_read_module(one) for one in symbols if one.kind == "module"])
    implemented = [_declare(one, lines, modules.list_texts(one.first)) for one in blocks if one.head]
    found = sorted([*symbols, *implemented], key=lambda one: (one.start_line, one.kind != IMPL, one.end_line))
    conditions = _Around([one for one in blocks if not one.head])
    return [_add_conditions(one, lines, conditions.list_texts(one.start_line - 1)) for one in found]


def _read_module(symbol: Symbol) -> _Block:
    return _Block(symbol.start_line - 1, symbol.end_line - 1, b"", qualify(symbol))


def _list_blocks(lines: Sequence[bytes], comments: set[int]) -> list[_Block]:
    """Return the blocks of a text by their first lines; a brace below the head ends one."""
    found: list[_Block] = []
    opened: list[tuple[bytes, int]] = []  # the last line that each waits for, and its position in `found`
    for number, line in enumerate(lines):
        while opened and line.startswith(opened[-1][0]):
            at = opened.pop()[1]
            found[at] = replace(found[at], last=number)
        head, is_open = (b"", False) if number in comments else read_head(lines, number)
        called = None if head or number in comments else _CONDITIONAL_BLOCK.match(line)
        if head or called is not None:
            found.append(_Block(number, number, head, "" if called is None else called[1].decode()))
        if is_open or called is not None:
            opened.append((line[: len(line) - len(line.lstrip())] + b"}", len(found) - 1))
    return found


def _declare(block: _Block, lines: Sequence[bytes], modules: Sequence[str]) -> Symbol:
    """Return the symbol of an `impl`, which is a member of the innermost module around it."""
    first = block.first
    while first and block.first - first < MAX_ATTRIBUTES and _ATTRIBUTE.match(lines[first - 1]):
        first -= 1
    return Symbol(
        IMPL,
        cut(f"impl {join_words(cut_parameters(block.head))}", MAX_NAME_CHARS),
        cut(join_words(block.head), MAX_SIGNATURE_CHARS),
        first + 1,
        block.last + 1,
        None,
        modules[-1] if modules else None,
        "module",
    )


def _add_conditions(symbol: Symbol, lines: Sequence[bytes], around: Sequence[str]) -> Symbol:
    """Return a symbol with the conditions around it and those of its attributes."""
    said = list(around)
    for line in lines[symbol.start_line - 1 : min(symbol.end_line, symbol.start_line + MAX_ATTRIBUTES)]:
        if not _ATTRIBUTE.match(line):
            break
        said += [found[1].decode("utf-8", "replace") for found in _CONDITION.finditer(line)]
    if not said:
        return symbol
    return replace(symbol, is_conditional=True, decl_context=cut(", ".join(said), MAX_CONDITION_CHARS))
