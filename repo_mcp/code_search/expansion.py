"""Expand the query of a code search: by words near its own, or from a model, and by what idioms mean.

Words come from the client's model or, without one, from the text near the query's words.

In the latter case the best units for the query are read. The words added are those that several of their
files share and that are rare elsewhere: the authors of this code use them next to the query's words. This is
relevance feedback from the first results (Rocchio 1971), on units of about 50 lines. Words of the query keep
their full weight; added words weigh less.

A model's answer is treated as a list of words only, and only words that the index holds are used.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from repo_mcp.code_search.declarations import find_chunks
from repo_mcp.code_search.records import AddedTerm, Author, Expansion
from repo_mcp.protocol.tool_model import Question
from repo_mcp.ranking.files.signals import weigh_inverse
from repo_mcp.ranking.page.live_chunks import LiveChunk, ReadLive, decode_lines, read_chunks
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.idioms import list_plain_terms
from repo_mcp.text.stop_words import STOP_WORDS

Ask = Callable[[Question], str | None]
PLAIN_WEIGHT = 0.3  # of a word that programs use for an idiom of the query
MAX_ADDED = 6  # words from the index
MAX_FROM_MODEL = 12  # words
MODEL_WEIGHT = 0.4  # of every word from a model
INDEX_WEIGHT = 0.3  # of the best word from the index; further ones weigh less
LEAST_WEIGHT = 0.1  # of a word from the index
FEEDBACK_CHUNKS = 16  # chunks whose best units are read
FEEDBACK_LINES = 80  # read of each of them
MIN_FILES = 2  # files that must share a word
MAX_SHARE = 0.05  # of all units; a more frequent word says nothing
FEW_UNITS = 4  # a word may be in so many units even if that is a larger share
MAX_WEIGHED = 64  # words whose rarity is looked up
MIN_CHARS, MAX_CHARS = 3, 64  # of a word that is added
MAX_ANSWER_CHARS = 2_000  # of a model's answer that are read
MAX_LINE_WORDS = 4  # a line with more is a sentence, not a name

_WORD = re.compile(r"[^\W\d]\w*")
_OF_LANGUAGES = """
any arg args assert async await bool boolean break case catch class const continue data def default define
dict elif else enum example except export extends false final finally for from func function implements
import include int interface kwargs let list name names new nil none note null number object override param
params private protected public raise return returns self static str string struct switch test tests this
throw todo true try type undefined value values var virtual void while
"""
_KEYWORDS = frozenset(_OF_LANGUAGES.split())  # too frequent everywhere to be worth adding
_SYSTEM = (
    "You widen searches in source code. For the search below, list words and identifiers that code or"
    " comments about the same thing are likely to contain and that the search does not. One per line, at most"
    f" {MAX_FROM_MODEL}, the most likely first, nothing else."
)


def expand(
    query: Query, searcher: Searcher, wanted: Filter, read_live: ReadLive, ask: Ask | None
) -> Expansion:
    """Return the words to add to a query. `ask` is tried first, and its exceptions are not caught."""
    said = ask(Question("expansion", _SYSTEM, query.text, 200)) if ask is not None else None
    if said is not None:
        return Expansion(Author.CLIENT, _take_from_model(said, query, searcher))
    feedback = find_chunks(searcher, query, wanted, FEEDBACK_CHUNKS)
    chunks = read_chunks(feedback.chunks, (), read_live).chunks
    return Expansion(Author.INDEX, _take_from_index(chunks, query, searcher))


def _take_from_model(said: str, query: Query, searcher: Searcher) -> tuple[AddedTerm, ...]:
    """Return the words of a model's answer that the index holds and the query lacks, in order."""
    added: dict[str, AddedTerm] = {}
    plain = said[:MAX_ANSWER_CHARS].encode("utf-8", "replace").decode()
    for line in re.split(r"[\n,;]", plain):
        words = _WORD.findall(line)
        if len(words) > MAX_LINE_WORDS:
            continue
        for word in words:
            term = _choose_term(word)
            if term and term not in added and term not in query.terms and searcher.count_units(term):
                added[term] = AddedTerm(word, term, MODEL_WEIGHT)
    return tuple(added.values())[:MAX_FROM_MODEL]


@dataclass(slots=True)
class _FeedbackTerm:
    """A term of the feedback units."""

    weight: float  # sum over its chunks of the squared share of the query that each holds
    files: set[str]  # paths
    words: Counter[str]  # the spellings of the term


def _take_from_index(chunks: Sequence[LiveChunk], query: Query, searcher: Searcher) -> tuple[AddedTerm, ...]:
    """Return the terms near the query's rare ones, ordered by nearness times their own rarity."""
    near = _gather(chunks, query, searcher)
    shared = [(term, one) for term, one in near.items() if len(one.files) >= MIN_FILES]
    shared.sort(key=lambda row: (-row[1].weight, row[0]))
    units = searcher.snapshot.unit_count
    most = max(FEW_UNITS, int(MAX_SHARE * units))
    rated = []
    for term, one in shared[:MAX_WEIGHED]:
        count = searcher.count_units(term)
        if 0 < count <= most:
            rated.append((round(one.weight * weigh_inverse(count, units), 6), term, one.words))
    rated.sort(key=lambda row: (-row[0], row[1]))
    return tuple(
        AddedTerm(_name(words), term, _weigh(points / rated[0][0]))
        for points, term, words in rated[:MAX_ADDED]
    )


def _gather(chunks: Iterable[LiveChunk], query: Query, searcher: Searcher) -> dict[str, _FeedbackTerm]:
    """Return the terms in the best units of the chunks that the query lacks."""
    units = searcher.snapshot.unit_count
    rarity = {term: weigh_inverse(searcher.count_units(term), units) for term in query.terms}
    whole = sum(rarity.values()) or 1.0
    known = set(query.terms)
    near: dict[str, _FeedbackTerm] = defaultdict(lambda: _FeedbackTerm(0.0, set(), Counter()))
    for live in chunks:
        share = sum(rarity[term] for term in live.ranked.matched_terms) / whole
        last = min(live.end_line, live.start_line + FEEDBACK_LINES)
        written: dict[str, Counter[str]] = defaultdict(Counter)  # term -> its spellings in this chunk
        words = Counter(_WORD.findall("\n".join(decode_lines(live.lines, live.start_line, last))))
        for word in sorted(words):
            written[_choose_term(word)][word] = words[word]
        for term, own in written.items():
            if not term or term in known:
                continue
            one = near[term]
            one.weight += share**2  # a chunk with few of the query's words says little about their neighbours
            one.files.add(live.ranked.path)
            one.words.update(own)
    return near


def _choose_term(word: str) -> str:
    """Return the indexed term of a word: an identifier of several parts whole, any other word as its stem.

    Return "" for a word that is too frequent, too short or too long.
    """
    if not MIN_CHARS <= len(word) <= MAX_CHARS or word.lower() in _KEYWORDS or word.lower() in STOP_WORDS:
        return ""
    whole, *stems = get_word_terms(word)
    return stems[0] if len(stems) == 1 else whole


def _name(words: Counter[str]) -> str:
    """Return the most frequent spelling of a term; of equal ones the first in alphabetical order."""
    return min(words, key=lambda word: (-words[word], word))


def _weigh(share: float) -> float:
    return max(LEAST_WEIGHT, round(INDEX_WEIGHT * share, 2))


def widen(query: Query, expansion: Expansion) -> Query:
    """Return a query with the words of an expansion behind its own."""
    added = {one.term: one.weight for one in expansion.terms}
    return replace(query, terms=[*query.terms, *added], weights=added, synonyms=tuple(added))


def add_plain_words(query: Query, searcher: Searcher) -> Query:
    """Return a query with the words that programs use for its idioms behind its own, as far as they occur."""
    terms = (term for term in list_plain_terms(query.text) if term not in query.terms)
    added = {term: PLAIN_WEIGHT for term in terms if searcher.count_units(term)}
    return replace(
        query,
        terms=[*query.terms, *added],
        weights={**query.weights, **added},
        synonyms=(*query.synonyms, *added),
    )
