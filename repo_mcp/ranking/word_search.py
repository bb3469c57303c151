"""Turns a query into the answer of a search: ranked chunks with live text, and warnings.

An answer says what the index lacks: words of the query that no file has, and a best hit without any telling
word. A ranked search always finds something. If a repository does not have what is asked for, the hits share
only common words with the question, and nothing in them shows that. So the words are looked up one by one.

A word is absent if no unit and no path has it, its stem or its base form (`grow` for "grown"). A name of
several parts is absent if the whole of it is nowhere, in any usual spelling. A word is telling if it is rare:
absent, or in no more units than the square root of all. Of pasted text, which has many meaningless words,
only names count. Words with which anything is asked (`which`, `tell`, `among`) never count.

A query most of whose words are absent asks for what the repository does not have. A page of what matches the
rest would be noise: answers show little of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain

from repo_mcp.errors import RepoError
from repo_mcp.lru_cache import LruCache
from repo_mcp.model import Hit, SearchAnswer, SearchRequest
from repo_mcp.ranking.bm25f import DECIMALS
from repo_mcp.ranking.declaration_rating import weigh_terms
from repo_mcp.ranking.intent import NO_MATCH, PARTS, SPELLING, AskedName, Grade, find_name, list_words, spell
from repo_mcp.ranking.live_chunks import ReadLive
from repo_mcp.ranking.look_up import Found, LookedUp, count_close, look_up
from repo_mcp.ranking.named_hits import NamedHits, find_named
from repo_mcp.ranking.query import STORY_WORDS, Query, parse_query, widen
from repo_mcp.ranking.ranking import add_up, choose_unknown, rank
from repo_mcp.ranking.reports import read_template
from repo_mcp.ranking.searcher import Filter, RankedChunk, Searcher
from repo_mcp.ranking.snippets import FEW_WHOLE_LINES, RATED_HITS, WHOLE_LINES, ShownHits, show_hits
from repo_mcp.ranking.spell_suggest import find_paths, suggest
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.analysis import PART, get_word_terms
from repo_mcp.text.base_forms import find_base_form
from repo_mcp.text.stop_words import ASKING_WORDS, QUESTION_WORDS
from repo_mcp.text.word_families import list_stand_ins, spell_stand_in
from repo_mcp.workspace.ignore import GlobFilter

LEAD = 0.1  # points of a declaration that was looked up before the best of the ranked hits
REMEMBERED_BYTES = 1 << 22  # of the files that one search reads
MOST_BEFORE_ASKING = 3  # the word that asks is among so many first words of a question
PHRASE_DEPTH = 100  # chunks examined for an exact phrase
_WORD = re.compile(r"\w+")
_PART = re.compile(PART)
NO_PHRASE = "No text contains the quoted phrase; these hits match its words."
NAMED_COUNTED = 200  # places of names, where a number is asked for: each is read, 2 ms or so
MAX_WORDS = 32  # of a query, looked up one by one
MAX_NAMED = 5  # in one sentence
MIN_CHARS = 3  # of a word
MIN_RARITY = 0.5  # from 0, in every unit, to 1, in one
MOST_TELLING = 32  # words by which declarations are rated: pasted text can have hundreds
NEAR_SHARE = 0.55  # of the best score: the files of other hits are not looked through, and they are brief
FAR_SHARE = 0.2  # of the best score: by default a page ends before hits with less
LEAST_ABSENT = 3  # absent words; no question of 228 that files answer had so many, and over half of its own
_SHAPED = re.compile(r"[a-z0-9][A-Z]|\w_\w")  # camelCase, snake_case


def run_search(
    searcher: Searcher,
    request: SearchRequest,
    most_words: int,
    read_live: ReadLive,
    progress: Sequence[str] = (),
    *,
    is_whole: bool = True,
) -> SearchAnswer:
    """Return the best chunks for a query; `progress` are warnings about the index at this moment.

    Hits depend on whether it `is_whole`, never on them. Raises RepoError with INVALID_ARGUMENT, and
    IndexFormatError for a damaged index.
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
    asked = find_name(query.text)
    known = LookedUp()
    look = partial(look_up, searcher, query, wanted, read_live, is_whole=not progress, known=known)
    if request.symbols_only:
        return _answer_look_up(snapshot, asked, look(request.top_k), (*query.warnings, *progress))
    if request.names_alone:
        named = find_named(
            searcher,
            query,
            wanted,
            read_live,
            max(request.top_k, NAMED_COUNTED) if request.counts else request.top_k,
            known,
            ends_early=request.ends_early,
            copies=request.copies,
            is_whole=not progress,
        )
        if named is not None:
            return _answer_named(query, snapshot, named, (*query.warnings, *progress))
    answer = _answer_ranked(searcher, request, query, wanted, read_live, look, progress, is_whole=is_whole)
    return replace(answer, snapshot=snapshot)


def _answer_ranked(
    searcher: Searcher,
    request: SearchRequest,
    query: Query,
    wanted: Filter,
    read_live: ReadLive,
    look: Callable[..., Found],
    progress: Sequence[str],
    *,
    is_whole: bool,
) -> SearchAnswer:
    """Return the best chunks for a query that names alone do not answer. `look` looks up the name in it."""
    asked = find_name(query.text)
    # Only its text shows whether a chunk holds a phrase, so more chunks are examined.
    depth = max(request.top_k, PHRASE_DEPTH) if query.phrases else request.top_k
    widened = widen(query, searcher.count_units, searcher.snapshot.unit_count)
    ranking = rank(searcher, widened, depth + 1, wanted)  # one more tells whether others follow
    telling = None
    if asked is None and not query.phrases and len(query.text.split()) > 1:  # a question, words, pasted text
        telling = weigh_terms(
            widened.terms if request.shows_whole else query.terms,
            widened.synonyms,
            searcher.count_units,
            searcher.snapshot.unit_count,
            MOST_TELLING,
        )
    room = choose_room(query.text) if request.shows_whole else 0
    scores = [chunk.score for chunk in ranking.chunks]
    few, near = count_above(scores, FAR_SHARE), min(RATED_HITS, count_above(scores, NEAR_SHARE))
    words = look_up_words(query.text, searcher.count_units)
    lacks = is_whole and lacks_most(query.text, words)
    ends_early = request.ends_early and telling and not lacks  # else a note tells of the others
    most = min(few, request.top_k) if ends_early else request.top_k
    shown = show_hits(ranking.chunks, query.phrases, read_live, most, asked, telling, near, room)
    if query.phrases and not shown.hits and query.has_other_words:
        shown = show_hits(ranking.chunks[: request.top_k], (), read_live)
        shown = replace(shown, warnings=(*shown.warnings, NO_PHRASE))
    if asked is not None:
        shown = _put_first(shown, asked, request.top_k, look)
    unknown = choose_unknown(query, ranking)
    alike = suggest(searcher.snapshot, unknown, thorough=not ranking.total) if unknown else []
    told = describe_words(words, searcher, ranking.chunks[:1], alike, read_live, is_whole=not progress)
    total, is_least = ranking.total, ranking.total_is_lower_bound
    if query.phrases and NO_PHRASE not in shown.warnings:  # the index counts chunks with their words
        is_least = ranking.total > depth or len(shown.hits) >= request.top_k
        total = len(shown.hits)
    return SearchAnswer(
        _name_matched(widened, shown.hits),
        total,
        truncated=is_least or total > len(shown.hits) or most < min(request.top_k, len(ranking.chunks)),
        snapshot="",
        warnings=(*told, *alike, *query.warnings, *progress, *shown.warnings),
        total_is_lower_bound=is_least,
        is_last=len(ranking.chunks) <= min(depth, most),
        lacks_most=lacks,
        few=few if telling else 0,
        near=near if telling else 0,
    )


def _remember(read_live: ReadLive) -> ReadLive:
    """Return a function that reads each file of one search once, as long as not many bytes are read."""
    known: LruCache[str, bytes] = LruCache(REMEMBERED_BYTES, len)
    return lambda path: known.get(path, lambda: read_live(path))


def count_above(scores: Sequence[float], share: float) -> int:
    """Return how many scores precede the first one with less than a share of the best, which comes first."""
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


def _name_matched(query: Query, hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return the hits with the words of the query that they match, as written, in place of their terms.

    Of a word of which only parts match, the parts. Then the words of the terms that the query was widened by,
    and names that its words make up only if there is nothing else: they mostly hold these words.
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
            matched |= {spell_stand_in(term): None for term in hit.matched_terms if term in query.synonyms}
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


def _shows(hit: Hit, lead: Hit) -> bool:
    """Return whether a hit of the same file shows the declaration that another one consists of."""
    if hit.symbol is None:  # lines outside all declarations that the index knows
        return hit.start_line <= lead.start_line <= hit.end_line
    return hit.symbol_lines == lead.symbol_lines


def _grade(hit: Hit, asked: AskedName) -> Grade:
    return asked.grade(hit.symbol, list_words(hit.path, hit.snippet)) if hit.symbol else NO_MATCH


def describe_words(
    words: Sequence[QueryWord],
    searcher: Searcher,
    best: Sequence[RankedChunk],
    near: Sequence[str],
    read_live: ReadLive,
    *,
    is_whole: bool,
) -> list[str]:
    """Return sentences about words that no file has, and about a best hit without any telling word.

    `best` is the best chunk, if there is one. Words that the sentences `near` name are not named again.
    """
    said = " ".join(near)
    named = [word for word in words if f"`{word.text.lower()}`" not in said]
    told = describe_absent(named, is_whole=is_whole)
    for chunk in best:
        read = partial(_read_text, read_live, chunk.path)
        told += describe_best(words, searcher.snapshot.unit_count, chunk.matched_terms, read)
    return told


def _read_text(read_live: ReadLive, path: str) -> str:
    try:
        return read_live(path).decode("utf-8", "replace")
    except RepoError:  # the page says that it is gone
        return ""


def choose_room(text: str) -> int:
    """Return how many lines of whole declarations a page shows: fewer for what asks nothing.

    A function answers a question. For words or a report it must be found first, and is seldom shown.
    """
    words = _WORD.findall(text.lower())
    asks = text.rstrip().endswith("?") or not ASKING_WORDS.isdisjoint(words[:MOST_BEFORE_ASKING])
    return WHOLE_LINES if asks else FEW_WHOLE_LINES


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A word of a query, as it was written."""

    text: str
    terms: tuple[str, ...]  # by which a hit has it
    units: int  # that have it; 0: no file does
    has_stand_in: bool = False  # a file has what programs call it, though no file has the word


def look_up_words(text: str, count_units: Callable[[str], int]) -> list[QueryWord]:
    """Return the words of a query that may be telling, in order, with the units that have them."""
    words = []
    for word, terms, counted in _list_informative(text):
        units = max(map(count_units, counted))
        others = () if units else chain.from_iterable(map(list_stand_ins, counted))
        words.append(QueryWord(word, (*terms, *counted), units, any(map(count_units, others))))
    return words


@lru_cache(maxsize=4)
def _list_informative(text: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Return the words that may tell something, with the terms of each and those that are counted."""
    words, is_story = _WORD.findall(text), _is_story(text)
    found: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {}
    for word in words:
        folded = word.lower()
        if len(word) < MIN_CHARS or word[0].isdigit() or folded in QUESTION_WORDS or folded in found:
            continue
        if is_story and not _SHAPED.search(word):
            continue
        if len(found) == MAX_WORDS:
            break
        terms = get_word_terms(word)
        counted = spell(word) if len(terms) > 2 else (*terms, *_list_base_terms(word))
        found[folded] = (word, terms, counted)
    return list(found.values())


def _list_base_terms(word: str) -> tuple[str, ...]:
    base = find_base_form(word)
    return tuple(get_word_terms(base)) if base else ()


def _is_story(text: str) -> bool:
    """Return whether a text is of several lines or many words, and so was pasted."""
    return "\n" in text.strip() or len(_WORD.findall(text)) > STORY_WORDS


def lacks_most(text: str, words: Collection[QueryWord]) -> bool:
    """Return whether no file has most of the words of a query, so that what matches the rest is noise.

    Never for pasted text: most of its words are not looked up. A word in whose place others are searched for
    is not lacking.
    """
    absent = len([word for word in words if not word.units and not word.has_stand_in])
    return absent >= LEAST_ABSENT and 2 * absent > len(words) and not _is_story(text)


def describe_absent(words: Collection[QueryWord], *, is_whole: bool = True) -> list[str]:
    """Return a sentence that names the absent words, if any. `is_whole`: every file is indexed."""
    absent = [word.text for word in words if not word.units]
    if not absent:
        return []
    return [f"No {'' if is_whole else 'indexed '}file has: {_list(absent)}."]


def describe_best(
    words: Collection[QueryWord], unit_count: int, best: Collection[str], read_text: Callable[[], str]
) -> list[str]:
    """Return a sentence if the best hit, which matches the terms `best`, has no rare word of the query.

    There is none if the hit has over a third of the words, since in a small tree any word is rare, or if its
    file, whose text `read_text` returns, has a rare word elsewhere.
    """
    rare = [word for word in words if compute_rarity(word.units, unit_count) >= MIN_RARITY]
    had = [word for word in words if not set(word.terms).isdisjoint(best)]
    if not rare or not set(rare).isdisjoint(had) or 3 * len(had) > len(words):
        return []
    text = read_text().lower()
    if any(term in text for word in rare for term in word.terms):
        return []
    if not had:
        return ["The best hit has none of the rare words of the query."]
    return [f"The best hit has only common words of the query: {_list([word.text for word in had])}."]


def compute_rarity(units: int, unit_count: int) -> float:
    """Return the rarity of a word in that many of all units: 0 in every one, 1 in one, above 1 in none."""
    if unit_count < 2:
        return 1.0 if not units else 0.0
    return math.log(unit_count / max(units, 0.5)) / math.log(unit_count)


def _list(words: list[str]) -> str:
    more = len(words) - MAX_NAMED
    return ", ".join(words[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
