"""The call of `repo.outline`: the symbols to show, and the order in which too many are left out.

An answer that grows too long loses its most nested symbols before others, and of those the last. So it
always reaches from the top of the file to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.protocol.tool_model import CallContext, escape_text
from repo_mcp.toolsets.answers import Draft, Part, Result
from repo_mcp.toolsets.arguments import Arguments, find_integer, find_text

if TYPE_CHECKING:
    from repo_mcp.model import Outline, Symbol
    from repo_mcp.repository import Repository


def outline(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `repo.outline`."""
    most, kinds = find_integer(arguments, "max_depth"), arguments.get("kinds")
    found = repository.outline(find_text(arguments, "path") or "")
    depths = measure_depths(found.symbols)
    wanted = frozenset(kinds) if isinstance(kinds, list) else None
    chosen = [
        number
        for number, symbol in enumerate(found.symbols)
        if (most is None or depths[number] <= most) and (wanted is None or symbol.kind in wanted)
    ]
    by_weight = sorted(chosen, key=lambda number: (depths[number], number))
    notes: tuple[str, ...] = ()
    if found.symbols and not chosen:
        there = ", ".join(sorted({symbol.kind for symbol in found.symbols}))
        notes = (f"nothing in this file is of these kinds and depths; its kinds are: {there}",)
    return Draft(lambda rows: _render(found, by_weight, rows, notes), len(chosen), most is None)


def measure_depths(symbols: Sequence[Symbol]) -> list[int]:
    """Return how many declarations deep each symbol stands, from 1. Parents must precede their members."""
    depths: list[int] = []
    known: dict[str, int] = {}
    for symbol in symbols:
        parent = symbol.parent_symbol
        depth = 1 if parent is None else known.get(parent, 1) + 1
        depths.append(depth)
        known[symbol.name if parent is None else f"{parent}.{symbol.name}"] = depth
    return depths


def _render(found: Outline, by_weight: list[int], rows: int, notes: tuple[str, ...]) -> Part:
    warnings = [*found.warnings, *notes]
    if rows < len(by_weight):
        warnings.append(
            f"cut to {rows} of {len(by_weight)} symbols, the most nested left out first; choose kinds or"
            " max_depth, or open the lines you need"
        )
    result = {
        "path": escape_text(found.path),
        "language": found.language,
        "symbols": [_render_symbol(found.symbols[number]) for number in sorted(by_weight[:rows])],
        "truncated": found.truncated or rows < len(by_weight),
        "parser": escape_text(found.parser),
    }
    return Part(result, warnings)


def _render_symbol(symbol: Symbol) -> Result:
    return {
        "kind": escape_text(symbol.kind),
        "name": escape_text(symbol.name),
        "signature": escape_text(symbol.signature),
        "start_line": symbol.start_line,
        "end_line": symbol.end_line,
        "doc": _escape(symbol.doc),
        "parent_symbol": _escape(symbol.parent_symbol),
        "scope_kind": symbol.scope_kind,
        "is_conditional": symbol.is_conditional,
        "decl_context": _escape(symbol.decl_context),
    }


def _escape(text: str | None) -> str | None:
    return None if text is None else escape_text(text)
