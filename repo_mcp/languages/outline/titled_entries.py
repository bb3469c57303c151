"""The entries of an outline for functions with titles, such as tests and handlers of routes.

A signature has what the call gets before the function if that is on one line, otherwise the name alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from repo_mcp.languages.outline.adapter import MAX_NAME_CHARS, MAX_PARENT_CHARS, MAX_SIGNATURE_CHARS, cut
from repo_mcp.languages.outline.declaration_heads import DeclarationHeads, join_words
from repo_mcp.languages.outline.symbol_lookup import qualify
from repo_mcp.languages.patterns.titled_lines import TitledCall
from repo_mcp.model import Symbol
from repo_mcp.record_classes import replace
from repo_mcp.titled_names import TITLE, find_test_kind, is_titled, read_title

_HANDLER = "function"
_GIVEN = re.compile(r"\s*,\s*(?:async\b\s*)?(?:function\b|\(|[\w$]+\s*=>|$)")


def add_titled(
    symbols: Sequence[Symbol], calls: Iterable[TitledCall], heads: DeclarationHeads
) -> list[Symbol]:
    """Return the symbols of an outline with functions that have titles, named after what is around them."""
    titled = [build_titled(one.name, one.line + 1, one.end + 1, "", heads) for one in calls]
    if not titled:
        return list(symbols)
    opened: list[Symbol] = []
    placed: list[Symbol] = []
    for one in sorted([*titled, *symbols], key=lambda one: one.start_line):  # stable
        while opened and opened[-1].end_line < one.start_line:
            opened.pop()
        opened.append(_place(one, opened))
        placed.append(opened[-1])
    return sorted(placed, key=lambda one: (one.start_line, one.end_line))


def _place(one: Symbol, opened: Sequence[Symbol]) -> Symbol:
    """Return a symbol with the names of those around it, the outermost first, of which some have titles."""
    around = opened[-1] if opened and opened[-1].end_line >= one.end_line else None
    titled = next((other for other in reversed(opened) if is_titled(other.name)), None)
    if is_titled(one.name) and around is not None:
        return replace(one, parent_symbol=cut(qualify(around), MAX_PARENT_CHARS), scope_kind=_HANDLER)
    if titled is None:
        return one
    inner = "" if one.parent_symbol is None else f".{one.parent_symbol}"
    parent = cut(f"{qualify(titled)}{inner}", MAX_PARENT_CHARS)
    return replace(one, parent_symbol=parent, scope_kind=one.scope_kind if inner else _HANDLER)


def build_titled(name: str, start_line: int, end_line: int, around: str, heads: DeclarationHeads) -> Symbol:
    """Return the entry of a function with a title in `around`."""
    first = start_line - 1
    line = join_words(heads.lines[first][: 4 * MAX_SIGNATURE_CHARS])
    return Symbol(
        find_test_kind(name) or _HANDLER,
        cut(name, MAX_NAME_CHARS),
        cut(_sign(name, line), MAX_SIGNATURE_CHARS),
        start_line,
        end_line,
        heads.find_doc(first, first),
        around or None,
        _HANDLER if around else "module",
    )


def _sign(name: str, line: str) -> str:
    """Return the signature of a function with a title, given the first line of its call."""
    title = read_title(name)
    at = line.find(title)
    given = _GIVEN.search(line, at + len(title)) if at >= 0 else None
    return (
        name
        if given is None or name.partition(TITLE)[0] not in line[:at]
        else f"{line[: given.start()].removeprefix('await ')})"
    )
