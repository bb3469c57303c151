"""The points of a declaration that is looked up, and the score that is their sum.

a name           its spelling (as written 4, in another case 3, in another spelling 2, as a part 1),
                 and .1 for each qualifier that it has
several words    how many of them its qualified name has, and .2 times the best spelling
both             .1 times its place in the ranking of chunks, 1 for the first, falling
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.ranking.query.asked_name import SPELLING, Grade, grade_name, split_qualified
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.ranked_chunks import Points


def explain(points: Sequence[tuple[str, float]], place: int) -> tuple[float, Points]:
    """Return a score and the points that make it up, with those for the place of a chunk; 0 without any."""
    if not points:
        return 0.0, ()
    explained = (*points, ("place", round(0.1 / (place + 1), DECIMALS)))
    return round(sum(value for _, value in explained), DECIMALS), explained


def rate_name(grade: Grade) -> list[tuple[str, float]]:
    """Return the points of a declaration by its name and qualifiers; none for another name."""
    spelling, agreeing = grade
    return [one for one in (("name", float(spelling)), ("qualifiers", agreeing / 10)) if one[1]]


def rate_words(words: Sequence[str], span: SymbolSpan) -> list[tuple[str, float]]:
    """Return the points of a declaration for the words that it has; none if its own name has none."""
    *outer, name = split_qualified(span.qualified_name)
    spellings = [grade_name(word, name) for word in words]
    if not any(spellings):
        return []
    held = sum(
        bool(own) or any(grade_name(word, one) >= SPELLING for one in outer)
        for word, own in zip(words, spellings, strict=True)
    )
    return [("words", float(held)), ("name", round(0.2 * max(spellings), DECIMALS))]
