"""Turns a query into the answer of a search: ranked chunks with live text, and warnings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from index_format import Snapshot
from repo_mcp.indexing.reports import name_snapshot
from repo_mcp.model import SearchAnswer, SearchRequest
from repo_mcp.ranking.query import parse_query
from repo_mcp.ranking.ranking import choose_unknown, rank
from repo_mcp.ranking.searcher import Filter, Searcher
from repo_mcp.ranking.snippets import ReadLive, show_hits
from repo_mcp.ranking.spell_suggest import suggest
from repo_mcp.ranking.symbol_search import rank_symbols
from repo_mcp.workspace.ignore import GlobFilter

PHRASE_DEPTH = 100  # chunks examined for an exact phrase
NO_PHRASE = "No text found holds the quoted phrase; these hits match its words."


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
    near = suggest(searcher.snapshot, unknown, thorough=not ranking.total)
    return SearchAnswer(
        shown.hits,
        ranking.total,
        truncated=ranking.total > len(shown.hits),
        snapshot=name_snapshot(searcher.snapshot.generation),
        warnings=(*query.warnings, *near, *describe_progress(searcher.snapshot), *shown.warnings),
    )
