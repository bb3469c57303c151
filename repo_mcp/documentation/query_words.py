"""Weigh the words of a query, and find them in texts.

The worth of a word follows from its rarity, both among the documents and in the whole index: `installation`
is rare in code and common in guides. For a plain word, another form counts nearly as much. For a name with
parts, the whole name counts fully and its parts together count half. A word that occurs nowhere keeps its
worth, so that an answer without it gets a low score.

DocsWeights has every number that decides the order of sections. Shares and scores are from 0 to 1.

Terms are found in many short texts at once, with the results of `repo_mcp/ranking/page/line_terms.py`. A line
is split into words only when it holds the prefix of a term, which is the term without its last letter. Every
word with the term has that prefix, because stemming changes only endings. A word is analysed once per query.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import pairwise

from repo_mcp.ranking.query.query import Query
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import LONG_WORD, get_word_terms
from repo_mcp.text.stop_words import FUNCTION_WORDS

MAX_WORDS = 32  # most words of a query
MIN_PREFIX_CHARS = 4  # shortest word that counts as the beginning of another
LEAST_WORTH = 0.02  # worth of a word that is nearly everywhere
_WORD = re.compile(r"\w+")
get_terms = lru_cache(maxsize=16_384)(get_word_terms)


@dataclass(frozen=True, slots=True)
class DocsWeights:
    """The weights of the parts of a section's score, and the shares that lower it."""

    # Parts of the score, which add up to 1.
    text: float = 0.45  # the words of the query in its lines
    heading: float = 0.30  # the words of the query in its heading, if that has few others
    above: float = 0.10  # the words in the headings above it and in the path
    file: float = 0.15  # the rank of the file
    # Matches.
    stem: float = 0.9  # another form of the word: "installing" for "installation"
    parts: float = 0.5  # the parts of a name, but not the name
    joined: float = 0.8  # two words in a row as one name: `workqueue` for "work queue"
    prefix: float = 0.7  # in headings: one word begins with the other
    half_tf: float = 1.0  # lines with a word at which it reaches half its worth, in a part of usual length
    usual_chars: float = 1_200.0  # characters of a part
    heading_share: float = 0.4  # part of a heading's worth that is kept however many other words it has
    given_tf: float = 0.4  # term frequency of a word that only the headings above a text have
    given_heading: float = 0.5  # factor of a word that a heading leaves to those above it
    coverage: float = 0.4  # part of the score that does not depend on how many of the words were found
    # Shares that are kept, unless the query asks for such files.
    test: float = 0.4
    foreign: float = 0.4
    translation: float = 0.35
    older: float = 0.5  # a copy of what an older version had
    changelog: float = 0.55
    licence: float = 0.4
    example: float = 0.85
    comment: float = 0.75  # the comment of a declaration, relative to a section
    inner_comment: float = 0.6
    repeat: float = 0.85  # each further section of a file, once more


WEIGHTS = DocsWeights()


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word of a query."""

    text: str  # as the query spells it
    whole: str  # the first term of the word
    parts: tuple[str, ...]  # the stems of its parts; one stem for a plain word
    worth: float  # share of the total worth of all words
    joined: tuple[str, ...] = ()  # names formed with an adjacent word: `workqueue`, `work_queue`

    @property
    def is_name(self) -> bool:
        """Return True for a name of several parts."""
        return len(self.parts) > 1


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The words by which sections are ranked."""

    words: tuple[QueryWord, ...]
    terms: tuple[str, ...]  # all terms of the words, each once
    weights: DocsWeights
    _known: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def match_terms(self, present: Iterable[str]) -> tuple[float, ...]:
        """Return how well some terms match each word, 0 to 1."""
        found = frozenset(present)
        return tuple(self._match(word, found) for word in self.words)

    def _match(self, word: QueryWord, found: frozenset[str]) -> float:
        if word.whole in found:
            return 1.0
        if word.joined and not found.isdisjoint(word.joined):
            return self.weights.joined
        if not word.parts or not found.issuperset(word.parts):
            return 0.0
        return self.weights.parts if word.is_name else self.weights.stem

    def match_title(self, text: str) -> tuple[float, ...]:
        """Return how well a short text matches each word, 0 to 1; common prefixes count as well."""
        known = self._known.get(text)
        if known is None:
            terms = frozenset(term for word in _WORD.findall(text) for term in get_terms(word))
            known = self._known[text] = tuple(
                self._match(word, terms) or self._match_prefix(word, terms) for word in self.words
            )
        return known

    def _match_prefix(self, word: QueryWord, found: frozenset[str]) -> float:
        """Return the weight of a plain word that shares its beginning with a word of the title, else 0."""
        if word.is_name or len(word.whole) < MIN_PREFIX_CHARS:
            return 0.0
        stem = word.parts[0] if word.parts else word.whole
        near = any(
            len(term) >= MIN_PREFIX_CHARS and (term.startswith(stem) or stem.startswith(term))
            for term in found
        )
        return self.weights.prefix if near and len(stem) >= MIN_PREFIX_CHARS else 0.0

    def add_up(self, matches: Sequence[float]) -> float:
        """Return the total worth of the matches of all words, 0 to 1."""
        return sum(word.worth * match for word, match in zip(self.words, matches, strict=True))

    def count_title_words(self, text: str) -> int:
        """Return the number of content words in a title, with each part of a name counted."""
        words = _WORD.findall(text)
        telling = [word for word in words if word.lower() not in FUNCTION_WORDS] or words
        return sum(max(1, len(get_terms(word)) - 1) for word in telling)


def weigh_words(query: Query, rate: Callable[[str], float], weights: DocsWeights) -> QueryWords:
    """Return the words of a query with their worth; `rate` gives the rarity of a term, 0 to 1."""
    texts: list[str] = _WORD.findall(query.text)
    telling = [text for text in texts if text.lower() not in FUNCTION_WORDS] or texts
    by_whole: dict[str, str] = {}
    for text in telling:
        by_whole.setdefault(get_terms(text)[0], text)
    chosen = list(by_whole.items())[:MAX_WORDS]
    rates = {whole: _rate_word(text, rate) for whole, text in chosen}
    total = sum(rates.values())
    joined = _join_words(telling)
    words = tuple(
        QueryWord(text, whole, get_terms(text)[1:], rates[whole] / total, joined.get(whole, ()))
        for whole, text in chosen
    )
    terms = dict.fromkeys(term for word in words for term in (word.whole, *word.parts, *word.joined))
    return QueryWords(words, tuple(terms), weights)


def _join_words(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the names that each word forms with the word before it and the word after it, in lower case."""
    folded = [word.lower() for word in words[:MAX_WORDS]]
    found: dict[str, list[str]] = {}
    for pair in pairwise(folded):
        for word in pair:
            found.setdefault(word, []).extend(("".join(pair), "_".join(pair)))
    return {word: tuple(dict.fromkeys(names)) for word, names in found.items()}


def _rate_word(text: str, rate: Callable[[str], float]) -> float:
    """Return the rarity of a plain word's stem, or of a whole name."""
    whole, *parts = get_terms(text)
    return max(LEAST_WORTH, rate(parts[0] if len(parts) == 1 else whole))


def rate_rarity(frequency: int, total: int) -> float:
    """Return a rarity: 1 for a term that occurs nowhere, near 0 for one that is everywhere."""
    if total <= 0:
        return 1.0
    most = math.log(1.0 + (total + 0.5) / 0.5)
    return math.log(1.0 + (total - min(frequency, total) + 0.5) / (frequency + 0.5)) / most


def count_terms(lines: Iterable[int], terms: Sequence[str]) -> Mapping[str, int]:
    """Return the number of lines that hold each term; `lines` has the bit set of each line."""
    counts = dict.fromkeys(terms, 0)
    for bits, count in Counter(lines).items():
        for term in list_terms(bits, terms):
            counts[term] += count
    return counts


class QueryTermFinder:
    """Finds the terms of one query. Not safe for use from several threads."""

    def __init__(self, terms: Sequence[str]) -> None:
        self.terms = tuple(terms)
        starts = {_find_start(term) for term in self.terms}
        # Of two prefixes where one begins with the other, the shorter is enough.
        self._starts = tuple(sorted(one for one in starts if not _has_prefix(one, starts)))
        self._known = _WordBits({term: 1 << position for position, term in enumerate(self.terms)})

    def find(self, lines: Iterable[str]) -> list[int]:
        """Return the bit set of the terms that each line holds; the lowest bit is the first term."""
        starts = self._starts
        found = []
        for line in lines:
            folded = line.lower()
            for start in starts:
                if start in folded:
                    found.append(self._read(line))
                    break
            else:
                found.append(0)
        return found

    def _read(self, line: str) -> int:
        held = 0
        known = self._known
        for word in _WORD.findall(line):
            held |= known[word]
        return held


class _WordBits(dict[str, int]):
    """A cache from each word to the bit set of its terms."""

    def __init__(self, bits: Mapping[str, int]) -> None:
        super().__init__()
        self._bits = bits

    def __missing__(self, word: str) -> int:
        held = self[word] = sum(self._bits.get(term, 0) for term in get_terms(word))
        return held


def _find_start(term: str) -> str:
    """Return a prefix, in lower case, that every word with a term shares."""
    if term == LONG_WORD:
        return ""  # stands for any long word
    return term[:-1] if len(term) > 2 else term[:1]


def _has_prefix(text: str, others: Iterable[str]) -> bool:
    return any(text != one and text.startswith(one) for one in others)


def list_terms(bits: int, terms: Sequence[str]) -> list[str]:
    """Return the terms whose bits are set."""
    return [term for position, term in enumerate(terms) if bits >> position & 1]
