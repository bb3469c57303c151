"""Find the lines that a clue points at: those of a frame, or of its function where that has moved. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.languages.patterns.declared_spans import SymbolSpan, has_name
from repo_mcp.ranking.query.clues import Clue, ClueKind
from repo_mcp.ranking.query.mentions import Mention

MAX_HEAD_LINES = 12  # of a function, in which it names what it takes
_WORD = re.compile(r"\w+")


def is_frame(mention: Mention) -> bool:
    """Return True if a frame of a stack trace names the file."""
    return mention.clue.kind is ClueKind.FRAME


def locate(clue: Clue, spans: Sequence[SymbolSpan], lines: Sequence[str] = ()) -> list[int]:
    """Return the line that a clue names, or that of its function's name if the function has moved.

    Return none for a clue without a line, unless one declaration has its name. Of several overloads, a frame
    that says what its function takes means the one whose head in `lines` is most like that.
    """
    line = clue.line
    named = [span for span in spans if span.name == clue.name]
    arguments = clue.arguments
    if arguments is not None:
        around = clue.text.rpartition(".")[2]  # a type; or a namespace, which may end with its head
        free = [span for span in named if span.qualified_name == span.name]
        holds = any(span.name == around for span in spans)
        named = [span for span in named if has_name(span, f"{around}.{clue.name}")] or free * holds
        named = [max(named, key=lambda span: _rate_head(span, lines, arguments))] if named else []
    elif clue.owner:
        owner = clue.owner.rpartition(".")[2]
        named = [span for span in named if has_name(span, f"{owner}.{clue.name}")] or named
    if line is None:
        return [named[0].name_line] if len(named) == 1 else []
    if not named or any(span.start_line <= line <= span.end_line for span in named):
        return [line]
    return [min((span.name_line for span in named), key=lambda position: (abs(position - line), position))]


def _rate_head(span: SymbolSpan, lines: Sequence[str], arguments: str) -> tuple[int, int]:
    """Return how like the head of a function is to what a frame says that it takes: more is more like."""
    head = " ".join(lines[span.name_line - 1 : min(span.end_line, span.name_line - 1 + MAX_HEAD_LINES)])
    taken = head.partition("(")[2].partition(")")[0]
    own, wanted = set(_WORD.findall(taken)), set(_WORD.findall(arguments))
    return len(own & wanted), -len(own)
