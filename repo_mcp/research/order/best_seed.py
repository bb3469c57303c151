"""Judge the best declaration for a question: the words that it lacks, and what is rated nearly as high."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_mcp.research.findings.locating import is_test_node, may_answer
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.order.lacking_words import (
    list_lacking,
    list_said,
    list_telling,
    list_unsaid,
    list_words_lacked,
    name_phrases,
    names_word,
    says_otherwise,
    says_word,
)
from repo_mcp.research.order.leading_seed import (
    has_any,
    put_agreed_first,
    put_doing_first,
    put_fuller_first,
    put_guessed_first,
    put_telling_first,
)
from repo_mcp.research.order.rivals import find_rivals
from repo_mcp.research.order.seed_order import put_quiet_last
from repo_mcp.research.question.asked_words import MAX_WORDS
from repo_mcp.research.seeds.seed import Seed
from repo_mcp.text.question_words import list_words

# Of an open question with so many telling words, the best must have LEAST_HELD of their weight, or one of
# them and more than FEW of all words.
LEAST_TELLING, FEW, LEAST_HELD = 2, 1 / 3, 0.55


def judge_best(
    state: ResearchState,
    seeds: list[Seed],
    weighed: Mapping[str, float],
    idioms: Mapping[str, Sequence[str]],
    *,
    is_named: bool,
    is_followed: bool = False,
    is_open: bool = False,
    is_deed: bool = False,
    guessed: Sequence[str] = (),
) -> list[Seed]:
    """Return the seeds in the order of an answer, and note in the state how well the first one fits.

    Noted are the words that it lacks, or else what is rated as high, unless the question names it; no words
    are noted of one that the question names and that `is_followed` to what it calls. If it has
    a `guessed` word, no missing words are noted, for guesses are alternatives: `is_guessed` then says whether
    it would lack words without them. Of an open question, `is_thin` says whether it has so few of the words
    that it may be about anything. For a question about a deed, those that do nothing come later.
    """
    asked = list_words(state.request.query)[:MAX_WORDS]
    makes_denied = is_open and seeds[0].reason.role is Role.MAKES_ERROR  # which its name tells already
    if not (is_named or makes_denied or has_any(seeds[0], guessed)):
        seeds = put_telling_first(seeds, weighed)
        seeds = put_fuller_first(seeds, weighed, asked)
        if is_open and is_thin(seeds[0], weighed, idioms, asked):
            seeds = put_guessed_first(seeds, guessed)
    if is_open and not is_named:
        seeds = put_agreed_first(seeds, state.request.guesses)
    if is_deed:
        seeds = put_quiet_last(state, seeds)
        seeds = seeds if is_named else put_doing_first(seeds, state.request.guesses, asked)
    claimed, match = _list_claimed(state, seeds), state.word_match
    if has_any(claimed[0], guessed):
        match.is_guessed = not is_named and bool(match.absent or list_lacking(claimed[0], weighed))
        telling = list_telling(asked)
        match.says_half = 2 * len(list_words_lacked(claimed[0], telling)) <= len(telling) > 0
        match.absent, weighed = [], {}
        claimed = [seed for seed in claimed if not match.is_guessed or has_any(seed, guessed)]
    if is_followed:  # what it does is asked, whatever words that takes
        match.absent = []
    else:
        _note_lacking(state, claimed[0], weighed, idioms, is_named=is_named)
    match.is_thin = is_open and not is_named and is_thin(claimed[0], weighed, idioms, asked)
    match.rivals = [] if is_named or match.lacking else find_rivals(claimed)
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
    said, match = list_said(best, idioms), state.word_match
    absent = list_telling(match.absent)
    match.absent = [word for word in absent if word not in said and not says_otherwise(best, word)]
    telling = {word: weight for word, weight in weighed.items() if word not in said}
    is_whole = not list_words_lacked(best, weighed)
    match.is_unnamed = not (is_named or is_whole or names_word(best, list_words(state.request.query), idioms))
    found = list_words_lacked(best, telling) if match.is_unnamed else list_lacking(best, telling)
    match.lacking = [*dict.fromkeys((*name_phrases(found, idioms), *list_unsaid(best, idioms)))]
