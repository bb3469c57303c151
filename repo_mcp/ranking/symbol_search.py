"""Ranked search among the names that code declares: exact names first, then names that hold all the parts.

It asks the ranked search several questions, each for units that declare something, and concatenates the
answers. Within one answer the order is by relevance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from repo_mcp.ranking.query import Query
from repo_mcp.ranking.searcher import Filter, RankedChunk, Ranking, Searcher
from repo_mcp.text.analysis import get_word_terms

_WORD = re.compile(r"\w+")
MAX_NAMES = 16  # of a query; each costs a search of its own


def rank_symbols(
    searcher: Searcher,
    query: Query,
    top_k: int,
    wanted: Filter | None = None,
) -> Ranking:
    """Return the best `top_k` chunks that declare a name of the query, or a name with all its parts."""
    chunks: dict[tuple[str, int], RankedChunk] = {}
    total = 0
    for asked in _iter_questions(query):
        ranking = searcher.rank(asked, top_k, wanted)
        total = max(total, ranking.total)
        for chunk in ranking.chunks:
            explained = replace(chunk, explanation=(("text", chunk.score),))
            chunks.setdefault((chunk.path, chunk.chunk.start_line), explained)
    best = tuple(chunks.values())
    return Ranking(best[:top_k], max(total, len(best)))


def _iter_questions(query: Query) -> Iterator[Query]:
    """Yield queries for all names in one unit, then each name alone, then the same for their parts."""
    words = dict.fromkeys(word for word in _WORD.findall(query.text))
    names = [get_word_terms(word) for word in words][:MAX_NAMES]
    wholes: list[tuple[str, ...]] = [(name[0],) for name in names]
    parts = [name[1:] or name for name in names]
    together: list[list[tuple[str, ...]]] = [wholes, *([one] for one in wholes)]
    together += [parts, *([one] for one in parts)]
    for position, needed in enumerate(together):
        if needed and needed not in together[:position]:
            terms = list(dict.fromkeys(term for one in needed for term in one))
            yield Query(terms=terms, symbols=needed, path_parts=query.path_parts, languages=query.languages)
