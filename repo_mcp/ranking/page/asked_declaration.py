"""Finds the declaration that a name asks for among those of a hit's file, and says how well it fits."""

from __future__ import annotations

from operator import itemgetter

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.enclosing import Declarations
from repo_mcp.ranking.page.live_chunks import LiveChunk, decode_lines
from repo_mcp.ranking.query.asked_name import NO_MATCH, SPELLING, AskedName, Grade, list_words


def choose_declaration(declarations: Declarations, asked: AskedName, live: LiveChunk) -> SymbolSpan | None:
    """Return the declaration in a chunk's best unit that is named most alike; None without any like it."""
    near = [
        (grade_span(asked, span, live), -span.name_line, span)
        for span in declarations.find_between(live.start_line, live.end_line, asked.root)
    ]
    best = max(near, default=None, key=itemgetter(0, 1))
    return best[2] if best is not None and best[0] >= (SPELLING, 0) else None


def grade_span(asked: AskedName, span: SymbolSpan, live: LiveChunk) -> Grade:
    """Return how well the name of a declaration in a chunk's file fits the one that is asked for."""
    grade = asked.grade(span.qualified_name)
    if grade == NO_MATCH or not asked.qualifiers:
        return grade
    (head,) = decode_lines(live.lines, span.name_line, span.name_line)
    return asked.grade(span.qualified_name, list_words(live.ranked.path, head))
