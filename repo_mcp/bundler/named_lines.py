"""Which lines of a file a prompt names: of frames and paths, and where qualified names are declared. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from repo_mcp.bundler.spans import SymbolSpan
from repo_mcp.ranking.prompt import Clue, ClueKind, split_symbol

SELF_NAMES = frozenset(("self", "this", "cls", "super"))


def locate(clue: Clue, spans: Sequence[SymbolSpan]) -> list[int]:
    """The line that a clue names; for a frame whose function stands elsewhere by now, its first line."""
    line = clue.line
    if line is None:
        return []
    named = [span for span in spans if span.name == clue.name]
    if not named or any(span.start_line <= line <= span.end_line for span in named):
        return [line]
    return [min((span.name_line for span in named), key=lambda position: (abs(position - line), position))]


def locate_symbols(clues: Iterable[Clue], spans: Sequence[SymbolSpan]) -> list[int]:
    """Where the qualified names of the prompt are declared: `Reader.read`, not every `read`."""
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
