"""Run a code search from request to answer: find, expand, find again, describe, summarise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from index_format import IndexFormatError
from repo_mcp.code_search.describe import Describer, FindRecord
from repo_mcp.code_search.expansion import expand
from repo_mcp.code_search.find import FoundChunks, Meaning, find_chunks
from repo_mcp.code_search.records import Author, CodeAnswer, CodeRequest, Expansion
from repo_mcp.code_search.summary import suggest_follow_ups, sum_up
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.protocol.tool_model import Question
from repo_mcp.ranking.query import Query, parse_query
from repo_mcp.ranking.searcher import Filter, Searcher
from repo_mcp.ranking.snippets import LiveChunks, ReadLive, read_chunks
from repo_mcp.ranking.spell_suggest import suggest
from repo_mcp.ranking.word_search import NO_PHRASE, PHRASE_DEPTH, tell_of_words
from repo_mcp.symbol_index.live_symbol_index import LiveSymbolIndex

NOTHING_HERE = "No indexed file in this path passes these filters."
WIDENED = {
    Author.CLIENT: "The query was widened with words from your model: see expansion.",
    Author.INDEX: "The query was widened without a model, with words found near its own in this index: see"
    " expansion.",
}
NOT_WIDENED = {
    Author.CLIENT: "The query was not widened: this index has none of the words that your model suggested.",
    Author.INDEX: "The query was not widened: no model was asked, and no word of this index is near"
    " those of the query often enough.",
}
SUMMED_UP = {
    Author.CLIENT: "The summary was written by your model from the hits.",
    Author.INDEX: "The summary was made without a model, from comments and signatures of the hits.",
}

Ask = Callable[[Question], str | None]


@dataclass(frozen=True, slots=True)
class CodeSources:
    """Everything that a code search reads."""

    searcher: Searcher
    read_live: ReadLive
    find_record: FindRecord
    extensions: Mapping[str, str]  # file extensions -> languages other than the built-in ones
    max_words: int  # of a query that count
    meaning: Meaning | None = None  # where there is a model


def search_code(
    request: CodeRequest, sources: CodeSources, ask: Ask | None = None, *, is_whole: bool = True
) -> CodeAnswer:
    """Answer a request. `ask` queries the client's model, where there is one; `is_whole` when all is indexed.

    Raises IndexFormatError for a damaged index. Exceptions of `ask` pass through, to have the call repeated.
    """
    query = parse_query(request.query, sources.max_words)
    notes = list(query.warnings)
    wanted = Filter(request.matches_path, request.filter_key)
    expansion = None
    if request.expands and query.terms:
        expansion = expand(query, sources.searcher, wanted, sources.read_live, ask)
        query = _widen(query, expansion)
        notes.append((WIDENED if expansion.terms else NOT_WIDENED)[expansion.author])
    found, live, more = _find(query, request, sources, wanted)
    describer = Describer(sources.find_record, sources.extensions)
    shares = {id(chunk): share for chunk, share in zip(found.chunks, found.shares, strict=True)}
    hits = tuple(describer.describe(one, shares[id(one.ranked)]) for one in live.chunks)
    searcher = sources.searcher
    near = suggest(searcher.snapshot, found.unknown, thorough=not found.total)
    told = tell_of_words(query.text, searcher, found.chunks[:1], near, sources.read_live, is_whole=is_whole)
    notes = [*told, *near, *notes, *more, *live.warnings]
    if not found.total and not searcher.has_files(wanted):
        notes.append(NOTHING_HERE)
    answer = CodeAnswer(hits, found.total, expansion, warnings=tuple(notes))
    if not request.sums_up or not hits:
        return answer
    summary = sum_up(request.query, hits, ask)
    notes.append(SUMMED_UP[summary.author])
    follow_ups = suggest_follow_ups(request.query, hits)
    return replace(answer, summary=summary, follow_ups=follow_ups, warnings=tuple(notes))


def _widen(query: Query, expansion: Expansion) -> Query:
    added = {one.term: one.weight for one in expansion.terms}
    return replace(query, terms=[*query.terms, *added], weights=added)


def _find(
    query: Query, request: CodeRequest, sources: CodeSources, wanted: Filter
) -> tuple[FoundChunks, LiveChunks, list[str]]:
    """Return the chunks found, those of them that can be shown, and notes about a quoted phrase."""
    depth = max(request.limit, PHRASE_DEPTH) if query.phrases else request.limit
    found = find_chunks(sources.searcher, query, wanted, depth, sources.meaning, request.semantic_weight)
    live = read_chunks(found.chunks, query.phrases, sources.read_live, request.limit)
    if live.chunks or not query.phrases or not query.has_other_words:
        return found, live, []
    return found, read_chunks(found.chunks[: request.limit], (), sources.read_live), [NO_PHRASE]


class LiveCodeSearch:
    """The engine of `search_code`. Safe for use from several threads."""

    def __init__(
        self,
        index: LiveIndex,
        symbol_index: LiveSymbolIndex,
        read_live: ReadLive,
        extensions: Mapping[str, str],
        max_words: int,
        meaning: Meaning | None = None,
    ) -> None:
        """`extensions` maps file extensions to languages; `max_words` limits the words of a query."""
        self._index = index
        self._symbol_index = symbol_index
        self._read_live = read_live
        self._extensions = extensions
        self._max_words = max_words
        self._meaning = meaning

    def search(self, request: CodeRequest, ask: Ask | None = None) -> CodeAnswer:
        """Return the hits; `ask` queries the client's model. Raises RepoError with INDEX_UNAVAILABLE."""
        searcher = self._index.get_searcher(fresh=True)
        find_record = self._symbol_index.open_finder()
        meaning = self._meaning
        sources = CodeSources(
            searcher, self._read_live, find_record, self._extensions, self._max_words, meaning
        )
        try:
            progress = self._index.describe_progress(searcher.snapshot)
            answer = search_code(request, sources, ask, is_whole=not progress)
        except IndexFormatError as error:
            raise self._index.report_damage() from error
        notes = [*answer.warnings, *dict.fromkeys([*progress, *self._symbol_index.warn()])]
        if meaning is not None and request.semantic_weight:
            notes += meaning.warn()
        return replace(answer, warnings=tuple(notes))
