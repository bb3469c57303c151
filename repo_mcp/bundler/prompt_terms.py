"""Take out of a prompt what says nothing, and weigh its terms by what they are and how rare they are. Pure.

Templates, check-lists, banners of interpreters and tables of versions are in every report of a project, and
their words are found everywhere. Code, sessions, tracebacks and logs stay; of lines that a log repeats, the
first does. A prompt of one line is a question, and stays as it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable

from repo_mcp.bundler.weights import Weights
from repo_mcp.ranking.prompt import Clue, ClueKind, list_joined, split_symbol
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.stop_words import STOP_WORDS
from repo_mcp.text.word_families import list_kin

UNKNOWN_SHARE = 10  # a term that is nowhere is taken to be in every tenth unit
MAX_JOINED_NAMES = 8
MAX_WIDENED = 40  # terms of a prompt to which others are added; a longer one has words enough
WEIGHT_DECIMALS = 6  # so that weights are equal on every machine
_COMMENT = re.compile(r"<!--.{0,20000}?-->", re.DOTALL)  # of a template: what to fill in
_NOISE = re.compile(
    r"""
    [ \t]*[-*+][ ]\[[ xX]\][ ]  # a check-list
    | (?:Python|IPython|PyPy|Node|Welcome[ ]to|Type)\b.{0,20}(?:\d+\.\d+|"help"|[ ]Node\.js).*  # a banner
    | [ \t]*(?:[-*+][ ])?(?:os|platform|operating[ ]system|browser|\w+[ ]version|version)s?[ ]*:.{0,80}$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LOGGED = re.compile(r"\W{0,4}(?:\d{2,4}[-/:]\d\d\b|(?:TRACE|DEBUG|INFO|WARN|ERROR)\w{0,5}\b)")
_CHANGING = re.compile(r"0x[0-9a-fA-F]+|\d+")  # in lines of a log that are otherwise the same


def take_telling(prompt: str) -> str:
    """Return the lines of a prompt that tell of its matter; all of them when nothing would be left."""
    if "\n" not in prompt.strip():
        return prompt
    seen: set[str] = set()
    kept = []
    for line in _COMMENT.sub("", prompt).split("\n"):
        logged = _CHANGING.sub("0", line.strip()) if _LOGGED.match(line) else ""
        if not _NOISE.match(line) and logged not in seen:
            kept.append(line)
        if logged:
            seen.add(logged)
    telling = "\n".join(kept)
    return telling if telling.strip() else prompt


def weigh_terms(
    clues: Iterable[Clue], count_units: Callable[[str], int], units: int, weights: Weights
) -> dict[str, float]:
    """Return the terms of all clues with their weights: rare terms and whole symbols weigh more.

    Few terms, as a question has, are followed by the words that mean much the same and are in the index.
    """
    factors: dict[str, float] = {}
    for clue in clues:
        for term, factor in _iter_factors(clue, weights):
            factors[term] = max(factor, factors.get(term, 0.0))
    if len(factors) <= MAX_WIDENED:
        kin = [other for term in factors for other in list_kin(term) if count_units(other)]
        factors |= dict.fromkeys((one for one in kin if one not in factors), weights.kin)
    # Of a power above 1, since a term of every tenth unit says next to nothing about where to look.
    return {
        term: round(factor * _compute_rarity(count_units(term), units) ** weights.rarity, WEIGHT_DECIMALS)
        for term, factor in factors.items()
    }


def find_joined(prompt: str, count_units: Callable[[str], int]) -> tuple[Clue, ...]:
    """Return clues for names of the index that consecutive words of the prompt form."""
    return tuple(
        Clue(ClueKind.SYMBOL, name, is_joined=True) for name in list_joined(prompt) if count_units(name) > 0
    )[:MAX_JOINED_NAMES]


def _compute_rarity(count: int, units: int) -> float:
    """Return a rarity: 1 for a term of one unit, 0 for a term of all, little for an unknown term."""
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
        # The stem of a plain word stands for the word, which is rarer but says no more; the parts of a longer
        # one say less.
        yield whole, weights.inflected if len(parts) == 1 else 1.0
        yield from ((part, 1.0 if len(parts) == 1 else weights.part_term) for part in parts)
    elif clue.kind is ClueKind.PHRASE:
        terms = analyse_text(clue.text)
        yield from ((term, weights.phrase_term) for term in terms if term not in STOP_WORDS)
