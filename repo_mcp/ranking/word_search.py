"""Turns a query into the answer of a search: ranked chunks with live text, and warnings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from index_format import Snapshot
from repo_mcp.errors import RepoError
from repo_mcp.model import SearchAnswer, SearchRequest
from repo_mcp.ranking.query import Query, parse_query
from repo_mcp.ranking.ranking import choose_unknown, rank
from repo_mcp.ranking.rare_words import look_up_words, tell_of_absent, tell_of_best
from repo_mcp.ranking.searcher import Filter, RankedChunk, Ranking, Searcher
from repo_mcp.ranking.snippets import ReadLive, show_hits
from repo_mcp.ranking.spell_suggest import suggest
from repo_mcp.text.analysis import analyse_text
from repo_mcp.workspace.ignore import GlobFilter

PHRASE_DEPTH = 100  # chunks examined for an exact phrase
NO_PHRASE = "No text contains the quoted phrase; these hits match its words."


# It asks the ranked search several questions, each for units that declare something, and concatenates the
# answers. Within one answer the order is by relevance.
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
    names = [tuple(analyse_text(word)) for word in list(words)[:MAX_NAMES]]
    wholes: list[tuple[str, ...]] = [(name[0],) for name in names]
    parts = [name[1:] or name for name in names]
    together: list[list[tuple[str, ...]]] = [wholes, *([one] for one in wholes)]
    together += [parts, *([one] for one in parts)]
    for position, needed in enumerate(together):
        if needed and needed not in together[:position]:
            terms = list(dict.fromkeys(term for one in needed for term in one))
            yield Query(terms=terms, symbols=needed, path_parts=query.path_parts, languages=query.languages)


def run_search(
    searcher: Searcher,
    request: SearchRequest,
    most_words: int,
    extensions: Mapping[str, str],
    read_live: ReadLive,
    describe_progress: Callable[[Snapshot], Sequence[str]],
) -> SearchAnswer:
    """Return the best chunks for a query. `describe_progress` gives warnings about an unfinished index.

    Raises RepoError with INVALID_ARGUMENT, and IndexFormatError for a damaged index.
    """
    query = parse_query(request.query, most_words)
    glob = request.file_glob
    wanted = Filter(
        GlobFilter(glob).matches if glob else None, glob or "", request.language, request.include_tests
    )
    # Only its text shows whether a chunk holds a phrase, so more chunks are examined.
    depth = max(request.top_k, PHRASE_DEPTH) if query.phrases else request.top_k
    find = rank_symbols if request.symbols_only else rank
    ranking = find(searcher, query, depth, wanted)
    shown = show_hits(ranking.chunks, query.phrases, read_live, extensions, request.top_k)
    if query.phrases and not shown.hits and query.has_other_words:
        shown = show_hits(ranking.chunks[: request.top_k], (), read_live, extensions)
        shown = replace(shown, warnings=(*shown.warnings, NO_PHRASE))
    unknown = choose_unknown(query, ranking)
    near = suggest(searcher.snapshot, unknown, thorough=not ranking.total) if unknown else []
    progress = describe_progress(searcher.snapshot)
    told = tell_of_words(query.text, searcher, ranking.chunks[:1], near, read_live, is_whole=not progress)
    return SearchAnswer(
        shown.hits,
        ranking.total,
        truncated=ranking.total > len(shown.hits),
        snapshot=searcher.snapshot.name,
        warnings=(*told, *near, *query.warnings, *progress, *shown.warnings),
    )


def tell_of_words(
    text: str,
    searcher: Searcher,
    best: Sequence[RankedChunk],
    near: Sequence[str],
    read_live: ReadLive,
    *,
    is_whole: bool,
) -> list[str]:
    """Return sentences on words that no file has, and on a best hit that has no word that tells anything.

    `best` is the best chunk, if there is one; what the sentences `near` name is not named again.
    """
    words = look_up_words(text, searcher.count_units)
    named = [word for word in words if not any(f"`{word.text.lower()}`" in one for one in near)]
    told = tell_of_absent(named, is_whole=is_whole)
    for chunk in best:
        read = partial(_read_text, read_live, chunk.path)
        told += tell_of_best(words, searcher.snapshot.unit_count, chunk.matched_terms, read)
    return told


def _read_text(read_live: ReadLive, path: str) -> str:
    try:
        return read_live(path).decode("utf-8", "replace")
    except RepoError:  # the page says that it is gone
        return ""
