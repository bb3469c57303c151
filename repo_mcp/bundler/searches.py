"""Plan the searches for a prompt, weigh its terms, and run the searches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from repo_mcp.bundler.records import SearchTried
from repo_mcp.bundler.source import BundleSource
from repo_mcp.bundler.weights import Weights
from repo_mcp.ranking.prompt import Clue, ClueKind, list_joined, split_symbol
from repo_mcp.ranking.query import MAX_TERMS, Query
from repo_mcp.ranking.searcher import RankedChunk
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.stop_words import STOP_WORDS

WIDE_TOP, NARROW_TOP = 50, 20  # chunks read from a ranking
KEYWORD_TERMS = 16
UNKNOWN_SHARE = 10  # a term that is nowhere is taken to be in every tenth unit
MAX_SYMBOL_SEARCHES = 8
MAX_NAME_CHARS = 40  # of the text of a phrase in its search's name
WEIGHT_DECIMALS = 6  # so that weights are equal on every machine


@dataclass(frozen=True, slots=True)
class PlannedSearch:
    """One search and the score of its best file."""

    name: str
    query: Query
    top_k: int
    weight: float


@dataclass(frozen=True, slots=True)
class SearchHits:
    """The hits of one search, best first."""

    planned: PlannedSearch
    chunks: tuple[RankedChunk, ...]
    total: int

    def describe(self) -> SearchTried:
        """Return the record of this search for the audit."""
        terms = " ".join(self.planned.query.terms)
        return SearchTried(self.planned.name, terms, self.total, len({chunk.path for chunk in self.chunks}))


def weigh_terms(
    clues: Iterable[Clue], count_units: Callable[[str], int], units: int, weights: Weights
) -> dict[str, float]:
    """Return the terms of all clues with their weights: rare terms and whole symbols weigh more."""
    factors: dict[str, float] = {}
    for clue in clues:
        for term, factor in _iter_factors(clue, weights):
            factors[term] = max(factor, factors.get(term, 0.0))
    # Squared, since a term of every tenth unit says next to nothing about where to look.
    return {
        term: round(factor * _compute_rarity(count_units(term), units) ** 2, WEIGHT_DECIMALS)
        for term, factor in factors.items()
    }


def find_joined(prompt: str, count_units: Callable[[str], int]) -> tuple[Clue, ...]:
    """Return clues for names of the index that consecutive words of the prompt form."""
    return tuple(
        Clue(ClueKind.SYMBOL, name, is_joined=True) for name in list_joined(prompt) if count_units(name) > 0
    )[:MAX_SYMBOL_SEARCHES]


def _compute_rarity(count: int, units: int) -> float:
    """Return a rarity: 1 for a term of one unit, 0 for a term of all, little for an unknown term."""
    count = count or units // UNKNOWN_SHARE
    return math.log((units + 1) / (min(count, units) + 0.5)) / math.log((units + 1) / 0.5) if units else 1.0


def _iter_factors(clue: Clue, weights: Weights) -> Iterable[tuple[str, float]]:
    """Yield the terms of one clue, each with its factor."""
    if clue.kind is ClueKind.SYMBOL:
        for name in split_symbol(clue.text):
            whole, *parts = analyse_text(name) or [name.lower()]
            yield whole, weights.symbol_term if clue.is_strong else 1.0
            yield from ((part, weights.part_term) for part in parts)
    elif clue.kind is ClueKind.WORD:
        whole, *parts = analyse_text(clue.text) or [clue.text.lower()]
        yield whole, 1.0
        # The stem of a plain word stands for the word; the parts of a longer one say less.
        yield from ((part, 1.0 if len(parts) == 1 else weights.part_term) for part in parts)
    elif clue.kind is ClueKind.PHRASE:
        terms = analyse_text(clue.text)
        yield from ((term, weights.phrase_term) for term in terms if term not in STOP_WORDS)


def plan_searches(
    prompt: str, clues: Sequence[Clue], term_weights: Mapping[str, float], weights: Weights
) -> tuple[PlannedSearch, ...]:
    """Plan searches for the whole prompt, its best keywords, each symbol's definition, and each phrase."""
    heaviest = sorted(term_weights, key=lambda term: -term_weights[term])  # stable: ties stay in order
    planned = [
        PlannedSearch("prompt", Query(_choose_terms(prompt, term_weights)), WIDE_TOP, weights.prompt_search),
        PlannedSearch("keywords", Query(heaviest[:KEYWORD_TERMS]), WIDE_TOP, weights.keyword_search),
    ]
    # A qualified name also brings its owner: `read` is everywhere, `Reader` is not.
    searched = [split_symbol(clue.text)[-2:] for clue in clues if _is_searched(clue)]
    names = dict.fromkeys(name for parts in searched for name in reversed(parts))
    by_weight = sorted(names, key=lambda name: -term_weights.get(name.lower(), 0.0))
    for name in by_weight[:MAX_SYMBOL_SEARCHES]:
        terms = analyse_text(name) or [name.lower()]
        rarity = term_weights.get(terms[0], 0.0) / weights.symbol_term
        query = Query(terms, symbols=[tuple(terms)])
        planned.append(
            PlannedSearch(f"symbol {name}", query, NARROW_TOP, weights.symbol_search * min(1.0, rarity))
        )
    for clue in clues:
        if clue.kind is ClueKind.PHRASE:
            terms = [term for term in dict.fromkeys(analyse_text(clue.text)) if term not in STOP_WORDS]
            name = clue.text if len(clue.text) <= MAX_NAME_CHARS else clue.text[:MAX_NAME_CHARS] + "…"
            query = Query(terms[:MAX_TERMS])
            planned.append(PlannedSearch(f'phrase "{name}"', query, NARROW_TOP, weights.phrase_search))
    return tuple(planned)


def _is_searched(clue: Clue) -> bool:
    return clue.kind is ClueKind.SYMBOL and clue.is_strong


def _choose_terms(prompt: str, term_weights: Mapping[str, float]) -> list[str]:
    """Return the prompt's terms in order, or the heaviest of them when there are too many."""
    terms = [term for term in dict.fromkeys(analyse_text(prompt)) if term in term_weights]
    if len(terms) <= MAX_TERMS:
        return terms
    kept = frozenset(sorted(terms, key=lambda term: -term_weights[term])[:MAX_TERMS])
    return [term for term in terms if term in kept]


def run_searches(
    planned: Iterable[PlannedSearch], source: BundleSource, include_tests: bool
) -> tuple[SearchHits, ...]:
    """Run the searches; one without terms finds nothing."""
    found = []
    for one in planned:
        if one.query.terms:
            ranking = source.search(one.query, one.top_k, include_tests)
            found.append(SearchHits(one, ranking.chunks, ranking.total))
        else:
            found.append(SearchHits(one, (), 0))
    return tuple(found)
