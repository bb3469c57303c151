"""How much the terms of a prompt weigh."""

from __future__ import annotations

import pytest

from repo_mcp.blocks.prompt_terms import weigh_clues
from repo_mcp.blocks.weights import QUESTION_WEIGHTS, WEIGHTS
from repo_mcp.ranking.query.clues import Clue, ClueKind, parse_prompt


def test_words_with_which_anything_is_asked_weigh_less_in_a_question() -> None:
    clues = (Clue(ClueKind.WORD, "another"), Clue(ClueKind.WORD, "reader"))
    weights = weigh_clues(clues, lambda _term: 2, 100, QUESTION_WEIGHTS)
    assert weights["another"] < weights["reader"]
    plain = weigh_clues(clues, lambda _term: 2, 100, WEIGHTS)
    assert plain["anoth"] == plain["reader"]


def test_an_irregular_word_stands_for_its_other_forms_too() -> None:
    asked = weigh_clues([Clue(ClueKind.WORD, "choose")], lambda _: 5, 100, WEIGHTS)
    assert asked["chosen"] == asked["choos"] > asked["pick"] > 0
    weighed = weigh_clues([Clue(ClueKind.WORD, "Chosen")], lambda _: 5, 100, WEIGHTS)
    assert weighed["choos"] == weighed["chosen"] > weighed["pick"] > 0  # a synonym of the base form
    assert "chosen" not in weigh_clues([Clue(ClueKind.WORD, "choose")], lambda _: 5, 100, QUESTION_WEIGHTS)


def test_a_synonym_stands_in_for_a_word_that_the_index_lacks() -> None:
    counts = {"exit": 3, "buffer": 5, "queue": 7}
    clues = (Clue(ClueKind.WORD, "quit"), Clue(ClueKind.WORD, "buffer"))
    weights = weigh_clues(clues, lambda term: counts.get(term, 0), 100, QUESTION_WEIGHTS)
    assert weights["exit"] > 0.0
    assert weights["queue"] == 0.0  # the index has `buffer` itself


def test_words_of_programs_stand_in_for_an_everyday_word_that_the_index_lacks() -> None:
    clues = (Clue(ClueKind.WORD, "passport"),)
    lacking = weigh_clues(clues, lambda term: 3 * (term == "token"), 100, QUESTION_WEIGHTS)
    assert lacking["token"] > 0.0
    assert "token" not in weigh_clues(clues, lambda _term: 3, 100, QUESTION_WEIGHTS)


def test_what_programs_say_for_an_idiom_weighs_as_a_synonym_if_the_index_has_it() -> None:
    clues = (Clue(ClueKind.WORD, "shelf"),)
    held = {"shelf": 9, "stale": 3}
    weighed = weigh_clues(
        clues, lambda term: held.get(term, 0), 100, WEIGHTS, plain=("stale", "evict", "shelf")
    )
    assert weighed["stale"] == pytest.approx(
        WEIGHTS.plain * weigh_clues((Clue(ClueKind.WORD, "stale"),), lambda _: 3, 100, WEIGHTS)["stale"],
        abs=1e-6,
    )
    assert "evict" not in weighed
    assert weighed["shelf"] == weigh_clues(clues, lambda _: 9, 100, WEIGHTS)["shelf"]


COUNTS = {"common": 90, "rare": 1, "transfer_funds": 2, "slow_start": 3}


def count_units(term: str) -> int:
    return COUNTS.get(term, 0)


def weigh(prompt: str) -> dict[str, float]:
    return weigh_clues(parse_prompt(prompt), count_units, 100, WEIGHTS)


def test_rare_terms_weigh_more_and_parts_of_symbols_less() -> None:
    weights = weigh("common rare transfer_funds")
    assert weights["rare"] > 4 * weights["common"] > 0
    assert weights["transfer"] < weights["transfer_funds"]


def test_a_question_has_what_means_the_same_for_less_and_an_inflected_word_for_less_than_its_stem() -> None:
    known = {"invers": 5, "undo": 5, "names": 5, "name": 5}
    weights = weigh_clues(
        parse_prompt("how are names undone, undo"), lambda one: known.get(one, 0), 100, WEIGHTS
    )
    assert weights["undo"] > weights["invers"] > 0
    assert weights["name"] > weights["names"] > 0
    assert "rollback" not in weights  # the index has none
    long = " ".join(f"w{number}x" for number in range(60)) + " undo"
    assert "invers" not in weigh_clues(parse_prompt(long), lambda one: known.get(one, 0), 100, WEIGHTS)


def test_a_term_of_all_units_and_an_index_of_none_divide_nothing_by_zero() -> None:
    assert weigh_clues(parse_prompt("common"), lambda _: 100, 100, WEIGHTS)["common"] < 0.01
    assert weigh_clues(parse_prompt("common"), lambda _: 0, 0, WEIGHTS)["common"] == 1.0
    unknown = weigh("common zebra rare")
    assert unknown["common"] < unknown["zebra"] < unknown["rare"] / 2
