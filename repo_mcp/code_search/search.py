"""Run a code search from request to answer: find, expand, find again, describe, summarise.

The words that expand a query are chosen in expansion.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from index_format import IndexFormatError
from repo_mcp.blocks.best_blocks import rate_blocks
from repo_mcp.blocks.layouts import LayoutReader, read_layout
from repo_mcp.blocks.source import IndexSource
from repo_mcp.blocks.weights import SEARCH_WEIGHTS
from repo_mcp.bodies.body import MAX_LINE_CHARS, Body, measure
from repo_mcp.bodies.chosen_lines import choose_lines
from repo_mcp.code_search.declarations import (
    DEPTH,
    MAX_RATED,
    FoundChunks,
    Meaning,
    OrderedHits,
    find_chunks,
    order_hits,
)
from repo_mcp.code_search.describe import Describer, FindRecord
from repo_mcp.code_search.expansion import Ask, add_plain_words, expand, widen
from repo_mcp.code_search.records import Author, CodeAnswer, CodeHit, CodeRequest, Summary
from repo_mcp.code_search.summary import MAX_SHOWN, MAX_SHOWN_CHARS, Excerpt, suggest_follow_ups, sum_up
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.look_ahead import Need
from repo_mcp.ranking.page.live_chunks import LiveChunks, ReadLive, decode_lines, read_chunks
from repo_mcp.ranking.page.rare_words import describe_words, lacks_most, look_up_words
from repo_mcp.ranking.query.query import Query, parse_query
from repo_mcp.ranking.ranked_answer import PHRASE_DEPTH
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.ranking.scoring.spell_suggest import suggest
from repo_mcp.ranking.word_search import NO_PHRASE
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbol_index.live_symbol_index import LiveSymbolIndex
from repo_mcp.text.idioms import find_idioms
from repo_mcp.text.product_name import leave_out_product
from repo_mcp.text.question_words import leave_out_form, list_base_forms, list_words, lower_plain_names

LEAST_CHARS = 200  # with less room, no further excerpt is added
NO_RECORDS = "There is no symbol index yet: declarations were found by line patterns."
NOTHING_HERE = "No indexed file in this path passes these filters."
WIDENED = {
    Author.CLIENT: "The query was widened with words from your model: see expansion.",
    Author.INDEX: "The query was widened without a model, with words found near its own in this index: see"
    " expansion.",
}
NOT_WIDENED = {
    Author.CLIENT: "The query was not widened: this index has none of the words that your model suggested.",
    Author.INDEX: "The query was not widened: no model was asked, and no word of this index occurs"
    " often enough near those of the query.",
}
SUMMED_UP = {
    Author.CLIENT: "The summary was written by your model from the hits.",
    Author.INDEX: "The summary was made without a model, from comments and signatures of the hits.",
}
DROPPED = "Left out of your model's summary: {count} sentence{plural} citing what the model was not shown."


@dataclass(frozen=True, slots=True)
class CodeSources:
    """Everything that a code search reads."""

    searcher: Searcher
    read_live: ReadLive
    find_record: FindRecord
    extensions: Mapping[str, str]  # file extensions -> languages other than the built-in ones
    max_words: int  # of a query; further ones do not count
    meaning: Meaning | None = None  # None without a model for vectors
    read_layout: LayoutReader = read_layout  # finds the declarations of a file


def search_code(
    request: CodeRequest,
    sources: CodeSources,
    ask: Ask | None = None,
    *,
    is_whole: bool = True,
    is_current: bool = True,
) -> CodeAnswer:
    """Answer a request. `ask` queries the client's model, if there is one; `is_whole` when all is indexed.

    It is not `is_current` when changes are known to be missing, of which only warnings tell.
    Raises IndexFormatError for a damaged index. Exceptions of `ask` pass through: they make the call repeat.
    """
    query = parse_query(request.query, sources.max_words)
    notes = list(query.warnings)
    wanted = Filter(request.matches_path, request.filter_key)
    expansion = None
    if request.expands and query.terms:
        expansion = expand(query, sources.searcher, wanted, sources.read_live, ask)
        query = widen(query, expansion)
        notes.append((WIDENED if expansion.terms else NOT_WIDENED)[expansion.author])
    query = add_plain_words(query, sources.searcher)
    found, ordered, live, more = _find(query, request, sources, wanted)
    own = {id(hit.chunk): hit for hit in ordered.hits}
    shown = [(one, own[id(one.ranked)]) for one in live.chunks]
    describer = Describer(sources.find_record, sources.extensions)
    hits = describer.describe_all((one, hit.share, hit.declared) for one, hit in shown)
    searcher = sources.searcher
    near = suggest(searcher.snapshot, found.unknown, thorough=not found.total)
    words = look_up_words(query.text, searcher.count_units)
    unmatched = describe_words(
        words, searcher, found.chunks[:1], near, sources.read_live, is_whole=is_current
    )
    notes = [*unmatched, *near, *notes, *more, *live.warnings]
    if not found.total and not searcher.has_files(wanted):
        notes.append(NOTHING_HERE)
    total = found.total + len(ordered.hits) - len(found.chunks)
    is_expanded = expansion is not None and bool(expansion.terms)
    by_words = is_whole and not is_expanded and not request.semantic_weight
    lacking = by_words and lacks_most(query.text, words)
    answer = CodeAnswer(hits, total, expansion, warnings=tuple(notes), lacks_most=lacking)
    if not request.sums_up or not hits:
        return answer
    excerpts = _build_excerpts(hits, live, ordered) if ask is not None else []
    return _add_summary(answer, request.query, sum_up(request.query, hits, ask, excerpts))


def _add_summary(answer: CodeAnswer, query: str, summary: Summary) -> CodeAnswer:
    """Return the answer with a summary of its hits, what to ask next, and notes on who wrote the summary."""
    notes = [*answer.warnings, SUMMED_UP[summary.author]]
    if summary.dropped:
        notes.append(DROPPED.format(count=summary.dropped, plural="s" if summary.dropped > 1 else ""))
    follow_ups = suggest_follow_ups(query, answer.hits)
    return replace(answer, summary=summary, follow_ups=follow_ups, warnings=tuple(notes))


def _find(
    query: Query, request: CodeRequest, sources: CodeSources, wanted: Filter
) -> tuple[FoundChunks, OrderedHits, LiveChunks, list[str]]:
    """Return the chunks found, the hits in order, those of them that can be shown, and warnings."""
    depth = max(request.limit, PHRASE_DEPTH if query.phrases else DEPTH)
    found = find_chunks(sources.searcher, query, wanted, depth, sources.meaning, request.semantic_weight)
    ordered = _order(found, request, sources, holds_phrase=bool(query.phrases))
    chunks = [hit.chunk for hit in ordered.hits]
    live = _show_found_lines(read_chunks(chunks, query.phrases, sources.read_live, request.limit), ordered)
    if live.chunks or not query.phrases or not query.has_other_words:
        return found, ordered, live, []
    shown = read_chunks(chunks[: request.limit], (), sources.read_live)
    return found, ordered, _show_found_lines(shown, ordered), [NO_PHRASE]


def _build_excerpts(hits: Sequence[CodeHit], live: LiveChunks, ordered: OrderedHits) -> list[Excerpt]:
    """Return excerpts of the first hits for a model, each declaration once.

    An excerpt is a whole declaration or its deciding lines; better hits get more room.
    """
    excerpts: list[Excerpt] = []
    left = MAX_SHOWN_CHARS
    for hit, one in zip(hits[:MAX_SHOWN], live.chunks, strict=False):
        first, last = hit.declared_lines or (hit.start_line, hit.end_line)
        if any(other.hit.path == hit.path and other.lines[0][0] == first for other in excerpts):
            continue  # another part of the same declaration
        lines = decode_lines(one.lines, 1, len(one.lines))
        body = Body(lines, first, min(last, len(lines)), first, ordered.terms.get(hit.path, {}), frozenset())
        room = left if hit is hits[-1] else left // 2
        shown = choose_lines(body, ordered.weights, room, keeps_comments=True)
        left -= measure(lines, shown)
        excerpts.append(Excerpt(hit, tuple((number, lines[number - 1][:MAX_LINE_CHARS]) for number in shown)))
        if left < LEAST_CHARS:
            break
    return excerpts


def _order(
    found: FoundChunks, request: CodeRequest, sources: CodeSources, *, holds_phrase: bool
) -> OrderedHits:
    """Return hits for the chunks, ordered by their words and by the declarations in them."""
    source = IndexSource(sources.searcher, sources.read_live)
    text = leave_out_product(leave_out_form(request.query), lambda path: source.read(path).lines)
    idioms = find_idioms(text).values()
    asked = list_words(text)
    plain = chain(chain.from_iterable(idioms), list_base_forms(asked))
    held = [word for word in plain if sources.searcher.count_units(word)]
    words = lower_plain_names(" ".join((*asked, *held)))
    rated, weights = rate_blocks(words, source, sources.read_layout, MAX_RATED, SEARCH_WEIGHTS)
    return order_hits(request.query, found, rated, weights, sources.find_record, holds_phrase=holds_phrase)


def _show_found_lines(live: LiveChunks, ordered: OrderedHits) -> LiveChunks:
    """Return the chunks, each set to show the lines of the declaration for which it was found."""
    spans = {id(hit.chunk): hit.span or (0, 0) for hit in ordered.hits}
    aimed = []
    for one in live.chunks:
        first, last = spans.get(id(one.ranked), (0, 0))
        is_there = first and last <= len(one.lines) and not one.is_changed
        aimed.append(replace(one, start_line=first, end_line=last) if is_there else one)
    return replace(live, chunks=tuple(aimed))


class LiveCodeSearch:
    """The engine of `search_code`. Safe for use from several threads."""

    def __init__(
        self,
        index: LiveIndex,
        symbol_index: LiveSymbolIndex,
        read_live: ReadLive,
        extensions: Mapping[str, str],
        max_words: int,
        meaning: Meaning | None,
        read_layout: LayoutReader,
    ) -> None:
        """Take `extensions`, which maps file extensions to languages; `max_words` limits a query's words."""
        self._read_layout = read_layout
        self._index = index
        self._symbol_index = symbol_index
        self._read_live = read_live
        self._extensions = extensions
        self._max_words = max_words
        self._meaning = meaning

    def search(self, request: CodeRequest, ask: Ask | None = None) -> CodeAnswer:
        """Return the hits; `ask` queries the client's model. Raises RepoError with INDEX_UNAVAILABLE."""
        searcher = self._index.get_searcher(fresh=True, need=Need(request.query, wanted=request.matches_path))
        find_record = self._symbol_index.open_finder()
        warnings = self._symbol_index.warn()  # before the search, in which the parsing of files may end
        meaning = self._meaning
        sources = CodeSources(
            searcher,
            self._read_live,
            find_record,
            self._extensions,
            self._max_words,
            meaning,
            self._read_layout,
        )
        try:
            progress = self._index.report.describe_progress(searcher.snapshot)
            is_whole = self._index.report.is_whole(searcher.snapshot)
            answer = search_code(request, sources, ask, is_whole=is_whole, is_current=not progress)
        except IndexFormatError as error:
            raise self._index.report_damage() from error
        warnings = warnings or self._symbol_index.warn()
        if not warnings and not self._symbol_index.exists:
            warnings = [NO_RECORDS]
        notes = [*answer.warnings, *dict.fromkeys([*progress, *warnings])]
        if meaning is not None and request.semantic_weight:
            notes += meaning.warn()
        return replace(answer, warnings=tuple(notes))
