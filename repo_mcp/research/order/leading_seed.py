"""Choose which of the good declarations leads: one with words or guessed names that the best one lacks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from repo_mcp.record_classes import replace
from repo_mcp.research.order.lacking_words import (
    list_lacking,
    list_telling,
    list_words_lacked,
    weigh_held,
)
from repo_mcp.research.seeds.rated_seeds import LONG_LINES
from repo_mcp.research.seeds.seed import Seed, lead
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import shares_word
from repo_mcp.titled_names import split_qualified

LEADING, NEAR_BEST = 6, 0.4  # declarations that may lead, and their least share of the worth of the best
# If the best lacks words: the share of their weight that one must have to lead instead, and how much it must
# be worth, times the worth of the best and the share that it has.
NEARLY_ALL, FULLER = 0.8, 1.2
# A function with so many guessed names more than the best leads, and is worth so many times as much.
MORE_AGREED, AGREED_WORTH = 2, 2.0
_WORD = re.compile(r"\w+")


def put_guessed_first(seeds: list[Seed], guessed: Sequence[str]) -> list[Seed]:
    """Return the seeds; the first of those that may lead with a guessed word leads, if there is one."""
    return lead(seeds, next((seed for seed in seeds[:LEADING] if has_any(seed, guessed)), seeds[0]))


def put_agreed_first(seeds: list[Seed], guesses: Sequence[str]) -> list[Seed]:
    """Return the seeds; functions with more of the guessed names than the best, and half of them, lead.

    One name may mean something else here; several that stand together hardly do. Of 111 questions the one
    with most of the names was right for ten where the best was not, and wrong for one where that was right.
    A function that is guessed itself, or belongs to a guessed type, counts as if it had one more: a longer
    one that only uses these has as many.
    """
    least = max(_count_held(seeds[0], guesses) + MORE_AGREED, len(guesses) / 2)
    held = [_count_held(seed, guesses) if _is_function(seed) else 0 for seed in seeds]
    own = [count + _is_guessed(seed, guesses) for count, seed in zip(held, seeds, strict=True)]
    order = sorted(range(len(seeds)), key=lambda at: -own[at] if held[at] >= least else 0)  # stable
    worth = AGREED_WORTH * seeds[0].worth
    return [replace(seeds[at], worth=worth) if held[at] >= least else seeds[at] for at in order]


def put_doing_first(seeds: list[Seed], guesses: Sequence[str], words: Sequence[str]) -> list[Seed]:
    """Return the seeds; if a type leads, which does nothing, a function does instead.

    It belongs to a guessed type and has words of the question in its name.
    """
    if seeds[0].node is None or seeds[0].node.symbol.kind not in TYPE_KINDS:
        return seeds
    functions = (seed for seed in seeds if _is_function(seed) and _is_guessed(seed, guesses))
    leading = next((seed for seed in functions if shares_word(seed.name, words)), None)
    return seeds if leading is None else lead(seeds, leading, replace(leading, worth=seeds[0].worth))


def _is_guessed(seed: Seed, guesses: Sequence[str]) -> bool:
    """Return True for a function of a guessed name, or of a guessed type."""
    return not set(split_qualified(seed.full_name)[-2:]).isdisjoint(list_own_names(guesses))


def _is_function(seed: Seed) -> bool:
    """Return True for a function that is no constructor: that has every name, and does nothing with most."""
    kind = None if seed.node is None else seed.node.symbol.kind
    return kind in CALLABLE_KINDS and kind is not SymbolKind.CONSTRUCTOR


def _count_held(seed: Seed, guesses: Sequence[str]) -> int:
    """Return how many of the guessed names a declaration has in its path, its name or its lines.

    A longer name has those of which it has all words: `allows_empty_lists_for` has `allow_empty_lists`.
    """
    lines = seed.body.lines[seed.body.head_line - 1 : seed.body.end_line]
    words = {word for line in (seed.path, seed.full_name, *lines) for word in _WORD.findall(line)}
    names = [{*get_word_terms(word)} for word in words]
    parts = ([get_word_terms(one) for one in _WORD.findall(guess)] for guess in guesses)
    return sum(
        all(any(name.issuperset(own[1:] or own) for name in names) for own in guess) for guess in parts
    )


def has_any(seed: Seed, words: Sequence[str]) -> bool:
    return len(list_words_lacked(seed, words)) < len(words)


def put_telling_first(seeds: list[Seed], weighed: Mapping[str, float]) -> list[Seed]:
    """Return the seeds; if the best lacks the most telling word, a good one whose type or file has it leads.

    Good is what is worth NEAR_BEST of the best.
    """
    most = max(list_telling(weighed), key=lambda word: weighed[word], default="")
    if not most or most not in list_lacking(seeds[0], weighed):
        return seeds
    for seed in seeds[:LEADING]:
        near = seed.worth >= NEAR_BEST * seeds[0].worth
        if near and shares_word(f"{seed.path} {seed.full_name}", (most,)):
            return lead(seeds, seed)
    return seeds


def put_fuller_first(seeds: list[Seed], weighed: Mapping[str, float], asked: Sequence[str]) -> list[Seed]:
    """Return the seeds; if the best lacks words, a good one that has nearly all leads before it.

    A long one has every word somewhere. It must have all words asked that are in the best one's name or path,
    which say what that is about.
    """
    best = seeds[0]
    if not list_lacking(best, weighed):
        return seeds
    place = f"{best.path} {best.full_name}"
    named = [word for word in asked if shares_word(place, (word,))]
    least = max(NEAR_BEST, FULLER * weigh_held(best, weighed)) * best.worth
    for seed in seeds[:LEADING]:
        if seed.worth < least or seed.body.line_count > LONG_LINES:
            continue
        if weigh_held(seed, weighed) >= NEARLY_ALL and not list_words_lacked(seed, named):
            return lead(seeds, seed)
    return seeds
