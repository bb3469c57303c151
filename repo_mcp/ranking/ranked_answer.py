"""Answer a query that is no name alone by ranking: the page of the best hits, and notes on its words.

query -> widened -> ranked chunks -> hits with live text, first those that were looked up -> notes
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from repo_mcp.late_patterns import compile_late
from repo_mcp.model import SearchAnswer, SearchRequest
from repo_mcp.ranking.direct_hits.name_lookup import look_up
from repo_mcp.ranking.direct_hits.scope import SearchScope
from repo_mcp.ranking.files.ranking import choose_unknown
from repo_mcp.ranking.leading_hits import find_leads, put_first, put_leads
from repo_mcp.ranking.page.declaration_rating import Named, weigh_query_terms
from repo_mcp.ranking.page.matched_words import keep_telling, name_matched
from repo_mcp.ranking.page.quoted_lines import read_quotable
from repo_mcp.ranking.page.rare_words import QueryWord, describe_words, drop_shown, lacks_most, look_up_words
from repo_mcp.ranking.page.report_lines import PASTED_LINES, TITLE_LINES, ReportClues
from repo_mcp.ranking.page.snippets import (
    FEW_WHOLE_LINES,
    RATED_HITS,
    WHOLE_HITS,
    WHOLE_LINES,
    PageForm,
    ShownHits,
    show_hits,
)
from repo_mcp.ranking.query.asked_name import AskedName, find_name
from repo_mcp.ranking.query.clues import split_symbol
from repo_mcp.ranking.query.intent import MIN_NAME_CHARS, NameKind, asks, understand
from repo_mcp.ranking.query.mentions import resolve_mentions
from repo_mcp.ranking.query.query import Query, widen
from repo_mcp.ranking.scoring.live_terms import find_paths, list_holding
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.ranking.scoring.searcher import Ranking, Searcher
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.schema import SYMBOL
from repo_mcp.text.stop_words import FUNCTION_WORDS

PHRASE_DEPTH = 100  # chunks examined for an exact phrase
MOST_HOLDING = 8  # names that have a run of the query's words in them
MOST_TELLING = 32  # words by which declarations are rated: pasted text can have hundreds
NEAR_SHARE = 0.55  # of the best score: the files of other hits are not looked through, and they are brief
BESIDE_LEADS = 3  # ranked hits of a page whose first hits have the query's message or name
FAR_SHARE = 0.2  # of the best score: by default a page ends before hits with less,
NEAR_SHARE_OF_REPORT = 0.7  # both for pasted text, since some of its words are everywhere
FAR_SHARE_OF_REPORT = 0.4
_WORD = re.compile(r"\w+")
_CAPITALS_INSIDE = compile_late(r"(?<![\w.:`>-])[A-Za-z][a-z0-9]*[A-Z][A-Za-z0-9]*(?![\w(`]|\.\w|::|->)")


@dataclass(frozen=True, slots=True)
class _Reading:
    """A query as it was read: a name, words or a report."""

    asked: AskedName | None  # the name that it consists of
    telling: Mapping[str, float] | None  # weights of the words that tell something; None for a name
    is_report: bool  # pasted text, or the title of such
    room: int = 0  # lines of declarations that its page shows whole


def answer_ranked(
    scope: SearchScope, request: SearchRequest, query: Query, progress: Sequence[str], *, is_whole: bool
) -> SearchAnswer:
    """Return the best chunks for a query that names alone do not answer."""
    searcher, depth = scope.searcher, request.top_k
    if query.phrases:
        depth = max(depth, PHRASE_DEPTH)  # only its text shows whether a chunk holds a phrase
        of_phrases = list_phrase_words(query.phrases, searcher.count_units)
        query = replace(query, required=[*query.required, *of_phrases])
    holding = partial(list_holding, searcher.snapshot, most=MOST_HOLDING)
    widened = widen(query, searcher.count_units, searcher.snapshot.unit_count, holding)
    ranking = scope.rank(widened, depth + 1)  # one more, to know whether others follow
    reading = _read(searcher, request, query, widened)
    telling = reading.telling
    leads = () if query.is_pasted else find_leads(scope, request, query, is_name=telling is None)
    usual, near = _count_usual(query, ranking, reading.room, has_leads=bool(leads))
    prose = query.text.removesuffix(query.code)  # names in pasted code are often those of its writer
    words = look_up_words(prose if prose.strip() else query.text, searcher.count_units)
    lacks = is_whole and lacks_most(query.text, words)
    ends_early = request.ends_early and telling and not lacks  # else a note is about the others
    most = min(usual, request.top_k) if ends_early else request.top_k
    are_brief = bool(leads) and not telling
    report = _read_clues(scope, request, query) if reading.is_report else None
    form = PageForm(most, reading.asked, telling, near, reading.room, report, are_brief)
    shown = _show_page(scope, request, query, ranking, form)
    if leads:
        shown = put_leads(shown, leads, request.top_k)
        usual, near = usual + len(leads), len(leads)
    total, is_least = ranking.total, ranking.total_is_lower_bound
    if query.phrases:  # the index counts chunks with their words
        is_least = ranking.total > depth or len(shown.hits) >= request.top_k
        total = len(shown.hits)
    total = max(total, len(shown.hits))  # a place that was looked up may be in a chunk that is a hit, too
    hits = keep_telling(shown.hits, telling) if telling and reading.is_report else shown.hits
    best = () if leads else ranking.chunks[:1]
    notes = _note_words(scope, query, ranking, drop_shown(words, shown.hits), best, is_whole=not progress)
    return SearchAnswer(
        name_matched(widened, hits),
        total,
        truncated=is_least or total > len(shown.hits) or most < min(request.top_k, len(ranking.chunks)),
        snapshot="",
        warnings=(*notes, *query.warnings, *progress, *shown.warnings),
        total_is_lower_bound=is_least,
        is_last=len(ranking.chunks) <= min(depth, most),
        lacks_most=lacks,
        usual_hits=usual if telling or leads else 0,
        near_hits=near if telling or leads else 0,
        is_of_report=reading.is_report,
    )


def _read(searcher: Searcher, request: SearchRequest, query: Query, widened: Query) -> _Reading:
    """Return what a query is taken for, with the weights of the words by which declarations are rated.

    These are the query's own words, or, if declarations are shown whole, also those that it was widened by.
    """
    asked = find_name(query.text)
    if asked is not None or query.phrases or len(query.text.split()) <= 1:
        return _Reading(asked, None, is_report=False)
    is_report = query.is_pasted or (not request.shows_whole and has_name(query, searcher))
    with_all = request.shows_whole and not is_report
    terms = widened.terms if with_all else widened.terms[: widened.own_count]
    count = searcher.snapshot.unit_count
    telling = weigh_query_terms(terms, widened.synonyms, searcher.count_units, count, MOST_TELLING)
    return _Reading(asked, telling, is_report, choose_room(query.text) if with_all else 0)


def _count_usual(query: Query, ranking: Ranking, room: int, *, has_leads: bool) -> tuple[int, int]:
    """Return after how many ranked hits a page ends by default, and in how many files it looks closer.

    The whole files of these are searched for the declarations that the query is about. A page with `room` for
    whole declarations looks into more. Beside hits that were looked up, the ranked ones are about the same
    words, so fewer are shown.
    """
    scores = [chunk.score for chunk in ranking.chunks]
    far, near = FAR_SHARE, NEAR_SHARE
    if query.is_pasted:
        far, near = FAR_SHARE_OF_REPORT, NEAR_SHARE_OF_REPORT
    usual = count_above(scores, far)
    if has_leads:
        return min(usual, BESIDE_LEADS), BESIDE_LEADS * _asks_how(query.text)
    return usual, min(WHOLE_HITS if room >= WHOLE_LINES else RATED_HITS, count_above(scores, near))


def _note_words(
    scope: SearchScope,
    query: Query,
    ranking: Ranking,
    words: Sequence[QueryWord],
    best: Sequence[RankedChunk],
    *,
    is_whole: bool,
) -> list[str]:
    """Return notes on words of a query that few files or none have, and on what else may be meant.

    `best` is the best hit, unless a place that was looked up comes before it.
    """
    searcher = scope.searcher
    unknown = choose_unknown(query, ranking)
    alike = _suggest(searcher, unknown, thorough=not ranking.total) if unknown else []
    unmatched = describe_words(words, searcher, best, alike, scope.read_live, is_whole=is_whole)
    return [*unmatched, *alike]


def _show_page(
    scope: SearchScope, request: SearchRequest, query: Query, ranking: Ranking, form: PageForm
) -> ShownHits:
    """Return the hits of a page with their live text. A declaration of the name asked for comes first."""
    shown = show_hits(ranking.chunks, query.phrases, scope.read_live, form, scope.known.rated)
    if form.asked is not None:
        shown = put_first(shown, form.asked, request.top_k, partial(look_up, scope, query))
    return shown


def _read_clues(scope: SearchScope, request: SearchRequest, query: Query) -> ReportClues:
    return ReportClues(
        list_cited(query, scope.searcher),
        read_quotable(request.query),
        list_named(query),
        PASTED_LINES if query.is_pasted else TITLE_LINES,
    )


def has_name(query: Query, searcher: Searcher) -> bool:
    """Return True for a line that asks nothing and has a name of code in it, as the title of a report.

    A word with capitals inside, such as MongoDB, may name a product: it counts only if the index declares it.
    """
    if asks(query.text):
        return False

    def fold_undeclared(word: re.Match[str]) -> str:
        (files,) = searcher.documents.find_files([word[0].lower()], SYMBOL)
        return word[0] if len(files) else word[0].lower()

    text = _CAPITALS_INSIDE.sub(fold_undeclared, query.text)
    return NameKind.SHAPED in (kind for _, kind in understand(text).names)


def list_phrase_words(phrases: Iterable[str], count_units: Callable[[str], int]) -> Iterator[tuple[str, ...]]:
    """Yield the terms of the words that a unit with some phrases has. The first and the last may be parts."""
    for phrase in phrases:
        words = [word for word in _WORD.findall(phrase) if word.lower() not in FUNCTION_WORDS]
        for place, word in enumerate(words):
            terms = tuple(analyse_text(word))
            if 0 < place < len(words) - 1 or all(map(count_units, terms)):
                yield terms


def list_cited(query: Query, searcher: Searcher) -> dict[str, int]:
    """Return the first line that a query cites of each file: in a frame, a link or behind a path."""
    paths = [clue for clue in understand(query.text, query.code).paths if clue.line]
    mentions = resolve_mentions(paths, partial(find_paths, searcher.snapshot))
    return {one.path: one.clue.line for one in reversed(mentions) if one.share == 1 and one.clue.line}


def list_named(query: Query) -> frozenset[Named]:
    """Return what the prose of a report names as code, each name with the one before it: `Router::merge`."""
    names = (("", *split_symbol(symbol)) for symbol in understand(query.text, query.code).symbols)
    return frozenset((owner, name) for *_, owner, name in names if len(name) >= MIN_NAME_CHARS)


def _suggest(searcher: Searcher, unknown: Sequence[str], *, thorough: bool) -> list[str]:
    from repo_mcp.ranking.scoring.spell_suggest import suggest  # here: most words of queries are known

    return suggest(searcher.snapshot, unknown, thorough=thorough)


def count_above(scores: Sequence[float], share: float) -> int:
    """Return how many scores come before the first one below a share of the best, which is the first."""
    far = (at for at, score in enumerate(scores) if at and score < share * scores[0])
    return next(far, len(scores))


def _asks_how(text: str) -> bool:
    """Return True for a question that asks for more than places."""
    return asks(text) and "where" not in _WORD.findall(text.lower())


def choose_room(text: str) -> int:
    """Return how many lines of whole declarations a page shows: fewer for a query that asks nothing.

    A function answers a question. For words it must be found first, and is seldom shown.
    """
    return WHOLE_LINES if asks(text) else FEW_WHOLE_LINES
