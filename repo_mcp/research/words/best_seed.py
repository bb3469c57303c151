"""Judge the best declaration for a question: the words that it lacks, and what is rated nearly as high."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import is_test_node, may_answer
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.lacking_words import (
    list_lacking,
    list_said,
    list_telling,
    list_unsaid,
    list_words_lacked,
    name_phrases,
    names_word,
    says_otherwise,
    says_word,
    weigh_held,
)
from repo_mcp.research.words.rated_seeds import LONG_LINES, Seed
from repo_mcp.research.words.rivals import find_rivals
from repo_mcp.research.words.seed_order import put_quiet_last
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.question_words import list_words, shares_word

LEADING, NEAR_BEST = 6, 0.4  # declarations that may lead, and their least share of the worth of the best
# If the best lacks words: the share of their weight that one must have to lead instead, and how much it must
# be worth, times the worth of the best and the share that it has.
NEARLY_ALL, FULLER = 0.8, 1.2
# Of an open question with so many telling words, the best must have LEAST_HELD of their weight, or one of
# them and more than FEW of all words.
LEAST_TELLING, FEW, LEAST_HELD = 2, 1 / 3, 0.55
# A function with so many guessed names more than the best leads, and is worth so many times as much.
MORE_AGREED, AGREED_WORTH = 2, 2.0
_WORD = re.compile(r"\w+")


def judge_best(
    state: ResearchState,
    seeds: list[Seed],
    weighed: Mapping[str, float],
    idioms: Mapping[str, Sequence[str]],
    *,
    is_named: bool,
    is_open: bool = False,
    is_deed: bool = False,
    guessed: Sequence[str] = (),
) -> list[Seed]:
    """Set what the best lacks, or else what is rated as high, unless the question names it.

    If it has one of the `guessed` words, it lacks none: the others are words for the same or for something
    else. Then it is set whether it leads by that alone.

    Of an open question it is set whether the best has so few of its words that it may be about anything.

    Return the seeds, for a question about a deed those later that do nothing.
    """
    asked = list_words(state.request.query)
    if not (is_named or _has_any(seeds[0], guessed)):
        seeds = _put_telling_first(seeds, weighed)
        seeds = _put_fuller_first(seeds, weighed, asked)
        if is_open and is_thin(seeds[0], weighed, idioms, asked):
            seeds = _put_guessed_first(seeds, guessed)
    if is_open and not is_named:
        seeds = _put_agreed_first(seeds, state.request.guesses)
    seeds = put_quiet_last(seeds) if is_deed else seeds
    claimed = _list_claimed(state, seeds)
    if _has_any(claimed[0], guessed):
        state.is_guessed = not is_named and bool(state.absent or list_lacking(claimed[0], weighed))
        telling = list_telling(asked)
        state.says_half = 2 * len(list_words_lacked(claimed[0], telling)) <= len(telling) > 0
        state.absent, weighed = [], {}
        claimed = [seed for seed in claimed if not state.is_guessed or _has_any(seed, guessed)]
    _note_lacking(state, claimed[0], weighed, idioms, is_named=is_named)
    state.is_thin = is_open and not is_named and is_thin(claimed[0], weighed, idioms, asked)
    state.rivals = [] if is_named or state.lacking else find_rivals(claimed)
    return seeds


def is_thin(
    seed: Seed, weighed: Mapping[str, float], idioms: Mapping[str, Sequence[str]], asked: Sequence[str]
) -> bool:
    """Return True for a declaration that shares so little with a question that it may be about anything.

    A word that stands only in its path is none of its own, and one that an idiom says is. Of 63 open
    questions one best declaration was so thin, and of 15 that others asked, five; all six were wrong.
    """
    if len(weighed) < LEAST_TELLING:
        return False
    said = list_said(seed, idioms)
    lacked = list_words_lacked(seed, weighed)
    held = [word for word in weighed if word not in lacked]
    share = sum(weighed[word] for word in weighed if word in held or word in said) / sum(weighed.values())
    own = [word for word in asked if word in said or says_word(seed, word)]
    return share < LEAST_HELD and (not held or len(own) <= FEW * len(asked))


def _put_guessed_first(seeds: list[Seed], guessed: Sequence[str]) -> list[Seed]:
    """Return the seeds; the first of those that may lead with a guessed word leads, if there is one."""
    leading = next((seed for seed in seeds[:LEADING] if _has_any(seed, guessed)), seeds[0])
    return [leading, *(seed for seed in seeds if seed is not leading)]


def _put_agreed_first(seeds: list[Seed], guesses: Sequence[str]) -> list[Seed]:
    """Return the seeds; functions with more of the guessed names than the best, and half of them, lead.

    One name may mean something else here; several that stand together hardly do. Of 111 questions the one
    with most of the names was right for ten where the best was not, and wrong for one where that was right.
    """
    least = max(_count_held(seeds[0], guesses) + MORE_AGREED, len(guesses) / 2)
    held = [_count_held(seed, guesses) if _is_function(seed) else 0 for seed in seeds]
    order = sorted(range(len(seeds)), key=lambda at: -held[at] if held[at] >= least else 0)  # stable
    worth = AGREED_WORTH * seeds[0].worth
    return [replace(seeds[at], worth=worth) if held[at] >= least else seeds[at] for at in order]


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


def _has_any(seed: Seed, words: Sequence[str]) -> bool:
    return len(list_words_lacked(seed, words)) < len(words)


def _put_telling_first(seeds: list[Seed], weighed: Mapping[str, float]) -> list[Seed]:
    """Return the seeds; if the best lacks the most telling word, a good one whose type or file has it leads.

    Good is what is worth NEAR_BEST of the best.
    """
    most = max(weighed, key=lambda word: weighed[word], default="")
    if not most or most not in list_lacking(seeds[0], weighed):
        return seeds
    for position, seed in enumerate(seeds[:LEADING], 1):
        near = seed.worth >= NEAR_BEST * seeds[0].worth
        if near and shares_word(f"{seed.path} {seed.full_name}", (most,)):
            return [seed, *seeds[: position - 1], *seeds[position:]]
    return seeds


def _put_fuller_first(seeds: list[Seed], weighed: Mapping[str, float], asked: Sequence[str]) -> list[Seed]:
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
    for position, seed in enumerate(seeds[:LEADING]):
        if seed.worth < least or seed.body.line_count > LONG_LINES:
            continue
        if weigh_held(seed, weighed) >= NEARLY_ALL and not list_words_lacked(seed, named):
            return [seed, *seeds[:position], *seeds[position + 1 :]]
    return seeds


def _list_claimed(state: ResearchState, seeds: Sequence[Seed]) -> Sequence[Seed]:
    """Return the seeds of which a claim names the first as the best: symbols of the program, or tests.

    If the best is declared in a language that no parser reads, it is named all the same.
    """
    if not state.wants_tests and seeds[0].node is None and seeds[0].full_name and may_answer(seeds[0].path):
        return seeds
    claimed = [one for one in seeds if one.node and is_test_node(one.node) is state.wants_tests]
    return claimed or seeds


def _note_lacking(
    state: ResearchState,
    best: Seed,
    weighed: Mapping[str, float],
    idioms: Mapping[str, Sequence[str]],
    *,
    is_named: bool,
) -> None:
    """Set which words of the question, given with their weights, no file has, and which the best lacks.

    A best declaration without such a word in its name and path is only reached by its text: then each word
    that it lacks counts, however light.
    """
    said = list_said(best, idioms)
    state.absent = [word for word in state.absent if word not in said and not says_otherwise(best, word)]
    telling = {word: weight for word, weight in weighed.items() if word not in said}
    is_whole = not list_words_lacked(best, weighed)
    state.is_unnamed = not (is_named or is_whole or names_word(best, list_words(state.request.query), idioms))
    found = list_words_lacked(best, telling) if state.is_unnamed else list_lacking(best, telling)
    state.lacking = [*dict.fromkeys((*name_phrases(found, idioms), *list_unsaid(best, idioms)))]
