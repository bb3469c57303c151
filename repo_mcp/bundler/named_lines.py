"""Find the lines of a file that a prompt names: by frames, paths and qualified names. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from repo_mcp.bundler.spans import SymbolSpan
from repo_mcp.ranking.prompt import Clue, ClueKind, split_symbol

SELF_NAMES = frozenset(("self", "this", "cls", "super"))


def locate(clue: Clue, spans: Sequence[SymbolSpan]) -> list[int]:
    """Return the line that a clue names, or the line of its function's name if the function has moved."""
    line = clue.line
    if line is None:
        return []
    named = [span for span in spans if span.name == clue.name]
    if not named or any(span.start_line <= line <= span.end_line for span in named):
        return [line]
    return [min((span.name_line for span in named), key=lambda position: (abs(position - line), position))]


def locate_symbols(clues: Iterable[Clue], spans: Sequence[SymbolSpan]) -> list[int]:
    """Return the lines that declare the qualified names of the prompt: `Reader.read`, not every `read`."""
    wanted = [
        ".".join(parts) for clue in clues for parts in [split_symbol(clue.text)] if _is_qualified(clue, parts)
    ]
    return [
        span.name_line
        for span in spans
        if any(f".{span.qualified_name}".endswith(f".{name}") for name in wanted)
    ]


def _is_qualified(clue: Clue, parts: Sequence[str]) -> bool:
    return clue.kind is ClueKind.SYMBOL and len(parts) > 1 and parts[0] not in SELF_NAMES
