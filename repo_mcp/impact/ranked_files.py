"""The files whose text ranks best for the words of a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from index_format import IndexFormatError
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.look_ahead import Need
from repo_mcp.ranking.query import MAX_TERMS, Query
from repo_mcp.text.analysis import analyse_text

RANKED_CHUNKS = 60  # of which the files are told that have the words of a change
RANKED_WORDS = 500  # different ones that are analysed: a word takes some 10 us


def rank_files(index: LiveIndex, words: Sequence[str]) -> Mapping[str, float]:
    """Return the files that rank best for some words, the commonest of them, with scores from 0 to 1.

    Raises INDEX_UNAVAILABLE.
    """
    counts: Counter[str] = Counter()
    for word, times in Counter(words).most_common(RANKED_WORDS):
        counts.update(dict.fromkeys(analyse_text(word), times))
    query = Query(terms=[term for term, _ in counts.most_common(MAX_TERMS)])
    try:
        chunks = index.get_searcher(fresh=True, need=Need(" ".join(words))).rank(query, RANKED_CHUNKS).chunks
    except IndexFormatError as error:
        raise index.report_damage() from error
    best: dict[str, float] = {}
    for chunk in chunks:
        best.setdefault(chunk.path, chunk.score / chunks[0].score)
    return best
