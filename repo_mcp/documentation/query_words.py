"""The words of a query, what each is worth, and how well a text answers them.

A word is worth what its rarity says, among the documents and in the whole index: `installation` is rare in
code and common in guides. Of a plain word another form counts nearly as much; of a name with parts the
whole name counts, its parts together half. A word that nothing holds keeps its worth, so that an answer
that lacks it is no good answer.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from repo_mcp.documentation.line_terms import get_terms, list_terms
from repo_mcp.documentation.weights import DocsWeights
from repo_mcp.ranking.query import Query
from repo_mcp.text.stop_words import FUNCTION_WORDS

MAX_WORDS = 32
MIN_PREFIX_CHARS = 4
LEAST_WORTH = 0.02  # of a word that stands nearly everywhere
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word of a query."""

    text: str  # as it is written
    whole: str  # its first term
    parts: tuple[str, ...]  # the stems of its parts; of a plain word one
    worth: float  # share of all words' worth
    joined: tuple[str, ...] = ()  # names that it makes with a word beside it: `workqueue`, `work_queue`

    @property
    def is_name(self) -> bool:
        """True for a name of several parts."""
        return len(self.parts) > 1


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The words that a ranking of sections goes by."""

    words: tuple[QueryWord, ...]
    terms: tuple[str, ...]  # all terms of the words, each once
    weights: DocsWeights
    _known: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def match_terms(self, present: Iterable[str]) -> tuple[float, ...]:
        """For each word how well it is among some terms: 0 to 1."""
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
        """For each word how well it stands in a short text; beginnings count as well."""
        known = self._known.get(text)
        if known is None:
            terms = frozenset(term for word in _WORD.findall(text) for term in get_terms(word))
            known = self._known[text] = tuple(
                self._match(word, terms) or self._match_prefix(word, terms) for word in self.words
            )
        return known

    def _match_prefix(self, word: QueryWord, found: frozenset[str]) -> float:
        """A plain word that begins as a word of the title does, or the other way round."""
        if word.is_name or len(word.whole) < MIN_PREFIX_CHARS:
            return 0.0
        stem = word.parts[0] if word.parts else word.whole
        near = any(
            len(term) >= MIN_PREFIX_CHARS and (term.startswith(stem) or stem.startswith(term))
            for term in found
        )
        return self.weights.prefix if near and len(stem) >= MIN_PREFIX_CHARS else 0.0

    def add_up(self, matches: Sequence[float]) -> float:
        """What the matches of all words are worth together: 0 to 1."""
        return sum(word.worth * match for word, match in zip(self.words, matches, strict=True))

    def count_title_words(self, text: str) -> int:
        """How many words of a title say something, the parts of names each for itself."""
        words = _WORD.findall(text)
        telling = [word for word in words if word.lower() not in FUNCTION_WORDS] or words
        return sum(max(1, len(get_terms(word)) - 1) for word in telling)


def weigh_words(query: Query, rate: Callable[[str], float], weights: DocsWeights) -> QueryWords:
    """The words of a query; `rate` says what a term is worth by its rarity."""
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
    """For each word the names that it makes with the one before and the one behind."""
    folded = [word.lower() for word in words[:MAX_WORDS]]
    found: dict[str, list[str]] = {}
    for pair in pairwise(folded):
        for word in pair:
            found.setdefault(word, []).extend(("".join(pair), "_".join(pair)))
    return {word: tuple(dict.fromkeys(names)) for word, names in found.items()}


def _rate_word(text: str, rate: Callable[[str], float]) -> float:
    """Of a plain word its stem's rarity, of a name the whole name's."""
    whole, *parts = get_terms(text)
    return max(LEAST_WORTH, rate(parts[0] if len(parts) == 1 else whole))


def rate_rarity(frequency: int, total: int) -> float:
    """1 for a term that is nowhere, near 0 for one that is everywhere."""
    if total <= 0:
        return 1.0
    most = math.log(1.0 + (total + 0.5) / 0.5)
    return math.log(1.0 + (total - min(frequency, total) + 0.5) / (frequency + 0.5)) / most


def count_terms(lines: Iterable[int], terms: Sequence[str]) -> Mapping[str, int]:
    """In how many of the lines each term stands; a line is given by its bits."""
    counts = dict.fromkeys(terms, 0)
    for bits, count in Counter(lines).items():
        for term in list_terms(bits, terms):
            counts[term] += count
    return counts
