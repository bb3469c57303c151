"""Answer a documentation query with sections of documents and comments of declarations, best first.

    query -> words and their worth -> best files and units (the index) -> sections and comments (the files)
          -> score of each -> order -> the lines shown, and the media that they refer to

Nothing is cached between calls and nothing is indexed here. The index shared by all searches says where to
look, and the live files give the text. A short section is shown whole; of a long one, the best lines are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from index_format import IndexFormatError
from repo_mcp.documentation.candidates import (
    SECTION,
    Candidate,
    CandidateFinder,
    build_rate,
    find_live_units,
    order_candidates,
)
from repo_mcp.documentation.doc_comments import LiveDocument, LiveDocuments, ReadLive, describe_reading
from repo_mcp.documentation.documents import CODE_LANGUAGES, DOCUMENT_LANGUAGES, ScoreShares, match_documents
from repo_mcp.documentation.media import MediaFinder, MediaReader
from repo_mcp.documentation.query_words import (
    WEIGHTS,
    DocsWeights,
    QueryTermFinder,
    QueryWords,
    list_terms,
    weigh_words,
)
from repo_mcp.documentation.records import DocsAnswer, DocsHit, DocsRequest, Media
from repo_mcp.documentation.references import find_definitions, find_references
from repo_mcp.documentation.sections import join_breadcrumb
from repo_mcp.documentation.shown_lines import choose_lines, render_lines
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.look_ahead import Need
from repo_mcp.ranking.files.ranking import BEST_UNITS
from repo_mcp.ranking.page.rare_words import describe_absent, lacks_most, look_up_words
from repo_mcp.ranking.query.query import Query, parse_query
from repo_mcp.ranking.relevance import rate_percent
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.searcher import BestUnits, Searcher
from repo_mcp.ranking.scoring.spell_suggest import suggest
from repo_mcp.record_classes import dataclass, replace

SECTION_LINES = 300  # a section of at least so many is searched for references only in its best part
NOTHING_HERE = "No indexed document in this path passes these filters."
NO_PHRASE = "No documentation contains the quoted phrase; these hits match its words."
UNFIT = "Nothing here fits the query well: even the best hit has a relevance of only {:.0f} %."
LEAST_FITTING = 0.15  # of 30 questions to FastAPI and Zod, the best hit of none scores less than 0.21
NEAR_SHARE = 0.5  # a page ends before the first hit with less than this share of the best score


@dataclass(frozen=True, slots=True)
class DocsSource:
    """Everything that a documentation search reads."""

    searcher: Searcher
    read_live: ReadLive
    reader: MediaReader
    extensions: Mapping[str, str]  # file extensions -> languages other than the built-in ones
    max_words: int  # most words of a query; further ones do not count


def search_docs(
    request: DocsRequest,
    source: DocsSource,
    cancelled: Callable[[], bool],
    weights: DocsWeights = WEIGHTS,
    *,
    is_whole: bool = True,
    is_current: bool = True,
) -> DocsAnswer:
    """Return the best sections and comments; `is_whole` when every file is indexed.

    It is not `is_current` when changes are known to be missing, of which only warnings tell.
    Raises RepoError with CANCELLED, IndexFormatError, OSError.
    """
    query = parse_query(request.query, source.max_words)
    searcher = source.searcher
    wanted = Filter(
        match_documents(source.extensions, request.matches_path),
        f"documents\0{request.key}",
        languages=DOCUMENT_LANGUAGES,
    )
    best = searcher.find_best_units(query, BEST_UNITS, wanted)
    words = weigh_words(query, build_rate(searcher, query, best), weights)
    finder = CandidateFinder(searcher, query, words, ScoreShares(_fold_words(query), weights))
    documents, code = (LiveDocuments(searcher, source.read_live, cancelled) for _ in range(2))
    found = [*finder.find_sections(best, documents)] if words.words else []
    if words.words and request.has_comments:
        of_code = Filter(request.matches_path, request.key, languages=CODE_LANGUAGES)
        found += finder.find_comments(of_code, code, source.extensions)
    kept, warnings = _keep_phrases(_keep_required(found, query), query)
    ordered = order_candidates(kept, weights.repeat)
    hits = _HitRenderer(source, words).show(ordered[: request.limit])
    looked_up = look_up_words(query.text, searcher.count_units)
    absent = describe_absent(looked_up, is_whole=is_current)
    notes = [*absent, *query.warnings, *warnings, *describe_reading((documents, code))]
    if hits and hits[0].score < LEAST_FITTING:
        notes.append(UNFIT.format(rate_percent(hits[0].score)))
    if not hits:
        notes += _explain_none(searcher, query, best, has_found=bool(found))
    lacking = is_whole and lacks_most(query.text, looked_up)
    usual = sum(hit.score >= NEAR_SHARE * hits[0].score for hit in hits)
    return DocsAnswer(tuple(hits), len(ordered), len(ordered) > len(hits), tuple(notes), lacking, usual)


def _explain_none(searcher: Searcher, query: Query, best: BestUnits, *, has_found: bool) -> list[str]:
    """Return notes on why there is no hit: words that look like others, or filters that nothing passes."""
    unknown = [term for term, one in zip(query.terms, best.terms, strict=True) if not one.frequency]
    notes = suggest(searcher.snapshot, unknown, thorough=True)
    return [*notes, *(() if _has_units(searcher, best) or has_found else (NOTHING_HERE,))]


def _has_units(searcher: Searcher, best: BestUnits) -> bool:
    """Return True when some document passes the filters."""
    parts = zip(searcher.segments, best.masks, strict=True)
    return any(bool(find_live_units(part, mask).any()) for part, mask in parts)


def _fold_words(query: Query) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", query.text.lower()))


def _keep_required(found: list[Candidate], query: Query) -> list[Candidate]:
    """Return the candidates that have every required word and no excluded one in their lines or breadcrumb.

    The index has checked this only for whole units.
    """
    wanted = [*query.required, *query.symbols]
    if not wanted and not query.excluded:
        return found
    terms = tuple(dict.fromkeys(term for word in (*wanted, *query.excluded) for term in word))
    finder = QueryTermFinder(terms)

    def keeps(one: Candidate) -> bool:
        lines = one.document.lines[one.start_line - 1 : one.end_line]
        held = {term for bits in finder.find((*lines, *one.names)) for term in list_terms(bits, terms)}
        return all(held.issuperset(word) for word in wanted) and not any(
            held.issuperset(word) for word in query.excluded
        )

    return [one for one in found if keeps(one)]


def _keep_phrases(found: list[Candidate], query: Query) -> tuple[list[Candidate], tuple[str, ...]]:
    """Return the candidates with all quoted phrases, ignoring case and white space; all if none has them."""
    if not query.phrases:
        return found, ()
    phrases = [phrase.lower() for phrase in query.phrases]
    holding = [one for one in found if _holds(one, phrases)]
    return (holding, ()) if holding or not found else (found, (NO_PHRASE,))


def _holds(candidate: Candidate, phrases: Iterable[str]) -> bool:
    lines = candidate.document.lines[candidate.start_line - 1 : candidate.end_line]
    folded = " ".join(" ".join(lines).lower().split())
    return all(phrase in folded for phrase in phrases)


class _HitRenderer:
    """Renders the candidates of one answer as hits."""

    def __init__(self, source: DocsSource, words: QueryWords) -> None:
        self._words = words
        self._media = MediaFinder(source.reader, words)
        self._definitions: dict[str, dict[str, str]] = {}

    def show(self, candidates: Iterable[Candidate]) -> list[DocsHit]:
        """Return the hits, in the order of the candidates."""
        return [self._show(one) for one in candidates]

    def _show(self, one: Candidate) -> DocsHit:
        document = one.document
        heading_line = max(one.section_start if one.kind == SECTION else one.start_line, one.shown_from)
        start = min(max(one.start_line, one.shown_from), one.end_line)
        first, last = choose_lines(document.lines, start, one.end_line, self._words, heading_line)
        breadcrumb = join_breadcrumb(one.names)
        return DocsHit(
            document.path,
            first,
            last,
            one.kind,
            breadcrumb,
            render_lines(document.lines[first - 1 : last], self._words),
            one.score,
            one.section_start,
            one.section_end,
            document.language,
            one.matched,
            self._find_media(one, breadcrumb) if one.kind == SECTION else (),
        )

    def _find_media(self, one: Candidate, breadcrumb: str) -> tuple[Media, ...]:
        """Return the media that a section refers to, or only those of the best part of a very long one."""
        start, end = one.section_start, one.section_end
        if end - start >= SECTION_LINES:
            start, end = one.start_line, one.end_line
        document = one.document
        lines = document.lines[start - 1 : end]
        references = find_references(lines, self._define(document), is_rst=document.language == "rst")
        return self._media.find(document.path, references, breadcrumb, one.score)

    def _define(self, document: LiveDocument) -> Mapping[str, str]:
        """Return the targets of a Markdown file's link definitions by name; none for reStructuredText."""
        if document.language == "rst":
            return {}
        if document.path not in self._definitions:
            self._definitions[document.path] = find_definitions(document.lines)
        return self._definitions[document.path]


class LiveDocumentation:
    """Answers documentation queries. Safe for use from several threads."""

    def __init__(
        self,
        index: LiveIndex,
        read_live: ReadLive,
        reader: MediaReader,
        extensions: Mapping[str, str],
        max_words: int,
    ) -> None:
        """Take `extensions`, which maps file extensions to languages; `max_words` limits a query's words."""
        self._index = index
        self._read_live = read_live
        self._reader = reader
        self._extensions = extensions
        self._max_words = max_words

    def search(self, request: DocsRequest, cancelled: Callable[[], bool] = lambda: False) -> DocsAnswer:
        """Return the best sections and comments. Raises RepoError with INDEX_UNAVAILABLE or CANCELLED."""
        documents = match_documents(self._extensions, request.matches_path)
        searcher = self._index.get_searcher(fresh=True, need=Need(request.query, wanted=documents))
        source = DocsSource(searcher, self._read_live, self._reader, self._extensions, self._max_words)
        try:
            progress = self._index.report.describe_progress(searcher.snapshot)
            is_whole = self._index.report.is_whole(searcher.snapshot)
            answer = search_docs(request, source, cancelled, is_whole=is_whole, is_current=not progress)
        except IndexFormatError as error:
            raise self._index.report_damage() from error
        return replace(answer, warnings=(*answer.warnings, *progress))
