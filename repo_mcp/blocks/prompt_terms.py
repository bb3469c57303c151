"""Weigh the terms of a prompt by what they are in it and how rare they are in the index. Pure.

Terms count less if the prompt has them in pasted code alone. A short prompt gets words of similar meaning.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Set

from repo_mcp.blocks.weights import Weights
from repo_mcp.ranking.query.clues import Clue, ClueKind, split_symbol
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.base_forms import list_other_forms
from repo_mcp.text.stop_words import QUESTION_WORDS
from repo_mcp.text.word_families import list_stand_ins, list_synonyms

UNKNOWN_SHARE = 10  # a term that is nowhere is taken to be in every tenth unit
MAX_WIDENED = 40  # to a prompt of at most so many terms synonyms are added; a longer one has words enough
WEIGHT_DECIMALS = 6  # so that weights are equal on every machine


def weigh_clues(
    clues: Iterable[Clue],
    count_units: Callable[[str], int],
    units: int,
    weights: Weights,
    pasted: Set[Clue] = frozenset(),
    plain: Iterable[str] = (),
) -> dict[str, float]:
    """Return the terms of all clues with their weights: rare terms weigh more.

    The terms of `pasted` clues weigh less. If there are few terms, as in a question, words of similar meaning
    are added if the index has them: synonyms of a term that it has, stand-ins for a term that it lacks, and
    `plain` terms, which programs use for idioms of the prompt.
    """
    factors: dict[str, float] = {}
    for clue in clues:
        share = weights.pasted if clue in pasted else 1.0
        for term, factor in _iter_factors(clue, weights):
            factors[term] = max(share * factor, factors.get(term, 0.0))
    if len(factors) <= MAX_WIDENED:
        synonyms = {term: weights.plain for term in plain if term not in factors and count_units(term)}
        for term in factors:
            held = count_units(term)
            factor = weights.synonym if held else weights.stand_in
            for other in list_synonyms(term) if held else list_stand_ins(term):
                if other not in factors and count_units(other):
                    synonyms[other] = max(factor, synonyms.get(other, 0.0))
        factors |= synonyms
    # The power is above 1, because a term of every tenth unit says next to nothing about where to look.
    return {
        term: round(factor * _compute_rarity(count_units(term), units) ** weights.rarity, WEIGHT_DECIMALS)
        for term, factor in factors.items()
    }


def _compute_rarity(count: int, units: int) -> float:
    """Return a rarity: about 1 for a term of one unit, 0 for a term of all, little for an unknown term."""
    count = count or units // UNKNOWN_SHARE
    return math.log((units + 1) / (min(count, units) + 0.5)) / math.log((units + 1) / 0.5) if units else 1.0


def _weigh_symbol(clue: Clue, weights: Weights) -> float:
    if clue.is_joined:
        return weights.joined_term
    return weights.symbol_term if clue.is_strong else 1.0


def _iter_factors(clue: Clue, weights: Weights) -> Iterable[tuple[str, float]]:
    """Yield the terms of one clue, each with its factor."""
    if clue.kind is ClueKind.SYMBOL:
        for name in split_symbol(clue.text):
            whole, *parts = analyse_text(name) or [name.lower()]
            yield whole, _weigh_symbol(clue, weights)
            yield from ((part, weights.part_term) for part in parts)
    elif clue.kind is ClueKind.WORD:
        whole, *parts = analyse_text(clue.text) or [clue.text.lower()]
        # The stem of a plain word stands for the word itself, which is rarer but says no more. The parts of a
        # compound word say less than the whole.
        share = weights.asking if clue.text.lower() in QUESTION_WORDS else 1.0
        yield whole, share * (weights.inflected if len(parts) == 1 else 1.0)
        yield from ((part, share * (1.0 if len(parts) == 1 else weights.part_term)) for part in parts)
        forms = list_other_forms(clue.text) if weights.form else ()
        yield from ((analyse_text(form)[-1], share * weights.form) for form in forms)
