"""Turns a query into the answer of a search: hits with live text, and warnings.

`run_search` is what `repo.search` and `repo-mcp search` run in the modes `bm25` and `symbol`. Other modes are
in repo_mcp/exact/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial

from repo_mcp.late_patterns import compile_late
from repo_mcp.lru_cache import LruCache
from repo_mcp.model import Hit, SearchAnswer, SearchRequest
from repo_mcp.ranking.direct_hits.message_origin import find_said
from repo_mcp.ranking.direct_hits.name_lookup import Found, count_close, look_up
from repo_mcp.ranking.direct_hits.names_in_question import find_mentioned
from repo_mcp.ranking.direct_hits.query_of_names import NamedHits, find_named
from repo_mcp.ranking.direct_hits.scope import SearchScope
from repo_mcp.ranking.files.ranked_file import add_up
from repo_mcp.ranking.files.ranking import choose_unknown
from repo_mcp.ranking.page.declaration_rating import weigh_query_terms
from repo_mcp.ranking.page.live_chunks import ReadLive
from repo_mcp.ranking.page.quoted_lines import read_quotable
from repo_mcp.ranking.page.rare_words import describe_words, lacks_most, look_up_words
from repo_mcp.ranking.page.snippets import (
    FEW_WHOLE_LINES,
    PASTED_LINES,
    RATED_HITS,
    TITLE_LINES,
    WHOLE_LINES,
    ShownHits,
    show_hits,
)
from repo_mcp.ranking.query.asked_name import (
    NO_MATCH,
    PARTS,
    SPELLING,
    AskedName,
    Grade,
    find_name,
    list_words,
)
from repo_mcp.ranking.query.clues import resolve_mentions
from repo_mcp.ranking.query.intent import NameKind, understand
from repo_mcp.ranking.query.query import Query, parse_query, widen
from repo_mcp.ranking.query.report_noise import read_template
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.live_terms import find_paths
from repo_mcp.ranking.scoring.searcher import Ranking, Searcher
from repo_mcp.record_classes import replace
from repo_mcp.text.analysis import PART, analyse_text, get_word_terms
from repo_mcp.text.schema import SYMBOL
from repo_mcp.text.stop_words import ASKING_WORDS, FUNCTION_WORDS
from repo_mcp.text.word_families import spell_stand_in
from repo_mcp.workspace.ignore import GlobFilter

LEAD = 0.1  # points of a declaration that was looked up before the best of the ranked hits
REMEMBERED_BYTES = 1 << 22  # of the files that one search reads
MOST_BEFORE_ASKING = 3  # the word that asks is among so many first words of a question
PHRASE_DEPTH = 100  # chunks examined for an exact phrase
_WORD = re.compile(r"\w+")
_PART = re.compile(PART)
_CAPITALS_INSIDE = compile_late(r"(?<![\w.:`>-])[A-Za-z][a-z0-9]*[A-Z][A-Za-z0-9]*(?![\w(`]|\.\w|::|->)")
NO_PHRASE = "No text contains the quoted phrase; these hits match its words."
NOTHING_QUOTED = "No file contains the quoted text."
NOT_ALL_READ = (
    f"None of the {PHRASE_DEPTH} best chunks has the quoted text; mode literal searches every file."
)
NAMED_COUNTED = 200  # places of names, where a number is asked for: each is read, 2 ms or so
MOST_TELLING = 32  # words by which declarations are rated: pasted text can have hundreds
TERMS_OF_REPORT = 6  # named of those that a hit matches
NEAR_SHARE = 0.55  # of the best score: the files of other hits are not looked through, and they are brief
BESIDE_LEADS = 3  # ranked hits of a page whose first hits have the query's message or name
FAR_SHARE = 0.2  # of the best score: by default a page ends before hits with less,
FAR_SHARE_OF_REPORT = 0.35  # and for long pasted text before these, since some of its words are everywhere
LONG_REPORT_WORDS = 60


def run_search(
    searcher: Searcher,
    request: SearchRequest,
    most_words: int,
    read_live: ReadLive,
    progress: Sequence[str] = (),
    *,
    is_whole: bool = True,
) -> SearchAnswer:
    """Return the answer to a request, in the first of these ways that applies.

    Mode `symbol` looks names up (name_lookup.py). A query of nothing but names shows their declarations and
    the lines that use them (query_of_names.py). Anything else is ranked.

    `progress` are warnings about the index at this moment: hits never depend on them, but may depend on
    whether it `is_whole`. Raises RepoError with INVALID_ARGUMENT, and IndexFormatError for a damaged index.
    """
    read_live = _remember(read_live)
    read_own = partial(
        read_template,
        partial(find_paths, searcher.snapshot),
        lambda path: read_live(path).decode("utf-8", "replace"),
    )
    query = parse_query(request.query, most_words, read_own)
    glob = request.file_glob
    wanted = Filter(
        GlobFilter(glob).matches if glob else None, glob or "", request.language, request.include_tests
    )
    snapshot = searcher.snapshot.name if request.names_snapshot else ""
    scope = SearchScope(searcher, wanted, read_live, is_current=not progress)
    if request.symbols_only:
        found = look_up(scope, query, request.top_k)
        return _answer_look_up(snapshot, find_name(query.text), found, (*query.warnings, *progress))
    if request.names_alone:
        most = max(request.top_k, NAMED_COUNTED) if request.counts else request.top_k
        named = find_named(scope, query, most, ends_early=request.ends_early, copies=request.copies)
        if named is not None:
            return _answer_named(query, snapshot, named, (*query.warnings, *progress))
    required = [*query.required]
    answer = _answer_ranked(scope, request, query, progress, is_whole=is_whole)
    if query.phrases and not answer.hits:
        apart = replace(query, phrases=[], required=required)
        by_words = _answer_ranked(scope, request, apart, progress, is_whole=is_whole)
        if query.has_other_words:  # quotes of a title are not always meant
            notes = (NO_PHRASE,) if by_words.hits else ()
            answer = replace(by_words, warnings=(*by_words.warnings, *notes))
        else:
            answer = replace(answer, warnings=(*answer.warnings, _explain_no_phrase(answer, by_words)))
    return replace(answer, snapshot=snapshot)


def _explain_no_phrase(quoted: SearchAnswer, by_words: SearchAnswer) -> str:
    """Return the warning of a query that is quoted as a whole and found nothing."""
    said = NOT_ALL_READ if quoted.total_is_lower_bound else NOTHING_QUOTED
    if not by_words.total:
        return said
    least = "at least " if by_words.total_is_lower_bound else ""
    hits = "is 1 hit" if by_words.total == 1 else f"are {least}{by_words.total:,} hits"
    return f"{said} Without the quotes there {hits}."


def _answer_ranked(
    scope: SearchScope, request: SearchRequest, query: Query, progress: Sequence[str], *, is_whole: bool
) -> SearchAnswer:
    """Return the best chunks for a query that names alone do not answer.

    `few` and `near` are numbers of hits: a page ends by default after `few`, and the whole files of the first
    `near` are searched for the declarations that the query is about.
    """
    searcher = scope.searcher
    asked = find_name(query.text)
    # Only its text shows whether a chunk holds a phrase, so more chunks are examined.
    depth = max(request.top_k, PHRASE_DEPTH) if query.phrases else request.top_k
    query.required += list_phrase_words(query.phrases, searcher.count_units)
    widened = widen(query, searcher.count_units, searcher.snapshot.unit_count)
    ranking = scope.rank(widened, depth + 1)  # one more, to know whether others follow
    telling, is_report = None, False
    if asked is None and not query.phrases and len(query.text.split()) > 1:  # a question, words, pasted text
        is_report = query.is_pasted or (not request.shows_whole and has_name(query, searcher))
        telling = _weigh_telling(searcher, widened, with_all=request.shows_whole and not is_report)
    leads = () if query.is_pasted else _find_leads(scope, request, query, is_name=telling is None)
    scores = [chunk.score for chunk in ranking.chunks]
    is_long = query.is_pasted and len(query.text.split()) >= LONG_REPORT_WORDS
    few = count_above(scores, FAR_SHARE_OF_REPORT if is_long else FAR_SHARE)
    near = min(RATED_HITS, count_above(scores, NEAR_SHARE))
    if leads:  # the rest is about the same words
        few, near = min(few, BESIDE_LEADS), BESIDE_LEADS * _asks_how(query.text)
    prose = query.text.removesuffix(query.code)  # names in pasted code are often those of its writer
    words = look_up_words(prose if prose.strip() else query.text, searcher.count_units)
    lacks = is_whole and lacks_most(query.text, words)
    ends_early = request.ends_early and telling and not lacks  # else a note is about the others
    most = min(few, request.top_k) if ends_early else request.top_k
    shown = _show_page(scope, request, query, ranking, asked, telling, most, near, is_report=is_report)
    if leads:
        shown = _put_leads(shown, leads, request.top_k)
        few, near = few + len(leads), len(leads)
    unknown = choose_unknown(query, ranking)
    alike = _suggest(searcher, unknown, thorough=not ranking.total) if unknown else []
    best = ranking.chunks[:1]
    unmatched = describe_words(words, searcher, best, alike, scope.read_live, is_whole=not progress)
    total, is_least = ranking.total, ranking.total_is_lower_bound
    if query.phrases:  # the index counts chunks with their words
        is_least = ranking.total > depth or len(shown.hits) >= request.top_k
        total = len(shown.hits)
    hits = _keep_telling(shown.hits, telling) if telling and is_report else shown.hits
    return SearchAnswer(
        _name_matched(widened, hits),
        total,
        truncated=is_least or total > len(shown.hits) or most < min(request.top_k, len(ranking.chunks)),
        snapshot="",
        warnings=(*unmatched, *alike, *query.warnings, *progress, *shown.warnings),
        total_is_lower_bound=is_least,
        is_last=len(ranking.chunks) <= min(depth, most),
        lacks_most=lacks,
        few=few if telling or leads else 0,
        near=near if telling or leads else 0,
        is_of_report=is_report,
    )


def _weigh_telling(searcher: Searcher, widened: Query, *, with_all: bool) -> dict[str, float]:
    """Return the weights of the words by which declarations are rated.

    These are the query's own words, or `with_all` those that it was widened by as well.
    """
    terms = widened.terms if with_all else widened.terms[: widened.own_count]
    return weigh_query_terms(
        terms, widened.synonyms, searcher.count_units, searcher.snapshot.unit_count, MOST_TELLING
    )


def _show_page(
    scope: SearchScope,
    request: SearchRequest,
    query: Query,
    ranking: Ranking,
    asked: AskedName | None,
    telling: Mapping[str, float] | None,
    most: int,
    near: int,
    *,
    is_report: bool,
) -> ShownHits:
    """Return at most `most` hits with their live text. A declaration of the name `asked` for comes first."""
    room = choose_room(query.text) if request.shows_whole and not is_report else 0
    cited = list_cited(query, scope.searcher) if is_report else None
    first_lines = PASTED_LINES if query.is_pasted else TITLE_LINES
    quotable = read_quotable(request.query) if is_report else None
    phrases, read_live = query.phrases, scope.read_live
    shown = show_hits(
        ranking.chunks, phrases, read_live, most, asked, telling, near, room, cited, quotable, first_lines
    )
    if asked is not None:
        shown = _put_first(shown, asked, request.top_k, partial(look_up, scope, query))
    return shown


def has_name(query: Query, searcher: Searcher) -> bool:
    """Return True for a line that asks nothing and has a name of code in it, as the title of a report.

    A word with capitals inside, such as MongoDB, may name a product: it counts only if the index declares it.
    """
    if asks(query.text):
        return False

    def fold_undeclared(word: re.Match[str]) -> str:
        (files,) = searcher.find_files([word[0].lower()], SYMBOL)
        return word[0] if len(files) else word[0].lower()

    text = _CAPITALS_INSIDE.sub(fold_undeclared, query.text)
    return NameKind.SHAPED in (kind for _, kind in understand(text).names)


def _suggest(searcher: Searcher, unknown: Sequence[str], *, thorough: bool) -> list[str]:
    from repo_mcp.ranking.scoring.spell_suggest import suggest  # here: most words of queries are known

    return suggest(searcher.snapshot, unknown, thorough=thorough)


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


def _remember(read_live: ReadLive) -> ReadLive:
    """Return a function that reads each file of one search once, as long as not many bytes are read."""
    known: LruCache[str, bytes] = LruCache(REMEMBERED_BYTES, len)
    return lambda path: known.get(path, lambda: read_live(path))


def count_above(scores: Sequence[float], share: float) -> int:
    """Return how many scores come before the first one below a share of the best, which is the first."""
    far = (at for at, score in enumerate(scores) if at and score < share * scores[0])
    return next(far, len(scores))


def _answer_look_up(
    snapshot: str, asked: AskedName | None, found: Found, warnings: tuple[str, ...]
) -> SearchAnswer:
    """Return the declarations as hits; their names say what matched."""
    return SearchAnswer(
        tuple(replace(hit, matched_terms=()) for hit in found.hits),
        found.total,
        truncated=found.total_is_lower_bound or found.total > len(found.hits),
        snapshot=snapshot,
        warnings=(*found.warnings, *warnings),
        total_is_lower_bound=found.total_is_lower_bound,
        few=count_close(found.hits, asked),
    )


def _answer_named(query: Query, snapshot: str, named: NamedHits, warnings: tuple[str, ...]) -> SearchAnswer:
    return SearchAnswer(
        _name_matched(query, named.hits),
        named.total,
        truncated=named.total_is_lower_bound or named.total > len(named.hits),
        snapshot=snapshot,
        warnings=(*warnings, *named.warnings),
        total_is_lower_bound=named.total_is_lower_bound,
        few=named.few,
    )


def _keep_telling(hits: Iterable[Hit], weights: Mapping[str, float]) -> Iterator[Hit]:
    """Yield the hits with the rarest of the terms that they match: a report has many, and most say little."""
    for hit in hits:
        known = [term for term in hit.matched_terms if term in weights]
        rarest = {*sorted(known, key=weights.__getitem__, reverse=True)[:TERMS_OF_REPORT]}
        yield replace(hit, matched_terms=tuple([one for one in known if one in rarest]))


def _name_matched(query: Query, hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return the hits with the words of the query that they match, as written, in place of their terms.

    If only parts of a word match, these are named. Words by which the query was widened follow. Names that
    the query's words make up are named only if there is nothing else, as they mostly hold these words.
    """
    words = _split_words(query.text)
    named = []
    for hit in hits:
        matched: dict[str, None] = {}
        for word, whole, parts in words:
            if whole in hit.matched_terms:
                matched[word] = None
                continue
            for stem, part in parts:
                if stem in hit.matched_terms:
                    matched[part] = None
        if query.synonyms:
            added = [term for term in hit.matched_terms if term in query.synonyms]
            matched |= {query.bases.get(term) or spell_stand_in(term): None for term in added}
        if not matched:
            matched |= {term: None for term in hit.matched_terms if term in query.names}
        named.append(replace(hit, matched_terms=tuple(matched)))
    return tuple(named)


@lru_cache(maxsize=4)
def _split_words(text: str) -> tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]:
    """Return the words of a query, each with its whole term, and its parts' stems and texts."""
    words = dict.fromkeys(_WORD.findall(text))
    return tuple((word, get_word_terms(word)[0], tuple(_iter_parts(word))) for word in words)


def _iter_parts(word: str) -> Iterator[tuple[str, str]]:
    for part in _PART.findall(word):
        yield get_word_terms(part)[-1], part


def _put_first(shown: ShownHits, asked: AskedName, top_k: int, look: Callable[..., Found]) -> ShownHits:
    """Return the hits with the declaration of the requested name before all others.

    Units do not distinguish names that differ only in case, nor say in which type or module a name is
    declared. So if the first hit does not show what was asked for, it is looked up. A name that only has the
    words of the requested one among others (`createApplication` for `application`) does not come before what
    ranks better.
    """
    first = shown.hits[0] if shown.hits else None
    if first is not None and _grade(first, asked) == asked.best_grade:
        return shown
    found = look(1, least=PARTS if first is None else SPELLING).hits
    if not found or not (NO_MATCH if first is None else _grade(first, asked)) < _grade(found[0], asked):
        return shown
    if first is not None and _grade(found[0], asked)[0] == PARTS:
        return shown
    lead = found[0]
    rest = [hit for hit in shown.hits if hit.path != lead.path or not _shows(hit, lead)]
    if first is not None and lead.score <= first.score:
        more = round(first.score - lead.score + LEAD, DECIMALS)
        explained = (*lead.explanation, ("lead", more))
        lead = replace(lead, score=add_up(explained), explanation=explained)
    return replace(shown, hits=(lead, *rest)[:top_k])


def _find_leads(scope: SearchScope, request: SearchRequest, query: Query, *, is_name: bool) -> Sequence[Hit]:
    """Return the hits that come first: the origin of a copied message, or the places of names in a question.

    Names in a question lead only on a page that says where to look. Any other page shows whole declarations.
    """
    is_question = asks(query.text)
    if not (is_name or is_question):
        return _explain(find_said(scope, query), "said word for word")
    is_about_names = request.names_alone and not (query.symbols or query.phrases)
    if is_about_names and (is_name or not request.shows_whole):
        return _explain(find_mentioned(scope, query, request.top_k), "place of a name")
    return ()


def _explain(leads: Sequence[Hit], signal: str) -> Sequence[Hit]:
    """Return hits that come before all others, with the signal that put them there."""
    return [replace(hit, explanation=((signal, LEAD),)) for hit in leads]


def _put_leads(shown: ShownHits, leads: Sequence[Hit], top_k: int) -> ShownHits:
    """Return the hits with the leads before all others."""
    best = shown.hits[0].score if shown.hits else 0.0
    score = round(best + LEAD, DECIMALS)
    leads = [replace(hit, score=score, explanation=((hit.explanation[0][0], score),)) for hit in leads]
    rest = [hit for hit in shown.hits if not any(hit.path == one.path and _shows(hit, one) for one in leads)]
    beside = [replace(hit, also=()) for hit in rest]
    return replace(shown, hits=(*_name_around(leads, shown.hits), *beside)[:top_k])


def _asks_how(text: str) -> bool:
    """Return True for a question that asks for more than places."""
    return asks(text) and "where" not in _WORD.findall(text.lower())


def _name_around(leads: Sequence[Hit], ranked: Sequence[Hit]) -> Iterator[Hit]:
    """Yield the leads. The first of each file also names what the ranked hit of that file names."""
    also = {hit.path: hit.also for hit in reversed(ranked)}
    shown = {(hit.path, hit.symbol_lines) for hit in leads}
    for lead in leads:
        others = also.pop(lead.path, ())
        yield replace(lead, also=tuple(one for one in others if (lead.path, one[1]) not in shown))


def _shows(hit: Hit, lead: Hit) -> bool:
    """Return whether a hit of the same file shows the declaration that another one consists of."""
    if hit.symbol is None:  # lines outside all declarations that the index knows
        return hit.start_line <= lead.start_line <= hit.end_line
    return hit.symbol_lines == lead.symbol_lines


def _grade(hit: Hit, asked: AskedName) -> Grade:
    return asked.grade(hit.symbol, list_words(hit.path, hit.snippet)) if hit.symbol else NO_MATCH


def choose_room(text: str) -> int:
    """Return how many lines of whole declarations a page shows: fewer for a query that asks nothing.

    A function answers a question. For words it must be found first, and is seldom shown.
    """
    return WHOLE_LINES if asks(text) else FEW_WHOLE_LINES


def asks(text: str) -> bool:
    """Return True for a question: it ends with `?`, or has `how` or the like among its first words."""
    words = _WORD.findall(text.lower())
    return text.rstrip().endswith("?") or not ASKING_WORDS.isdisjoint(words[:MOST_BEFORE_ASKING])
