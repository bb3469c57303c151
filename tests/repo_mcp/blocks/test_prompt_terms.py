"""What of a pasted report is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.blocks.prompt_terms import weigh_clues
from repo_mcp.blocks.weights import QUESTION_WEIGHTS, WEIGHTS
from repo_mcp.ranking.query.clues import Clue, ClueKind
from repo_mcp.ranking.query.report_noise import take_informative

REPORT = """Uploads over 2 GB are cut

<!-- Please search existing issues
before opening a new one. -->
- [x] I searched the existing issues
- [ ] I can send a pull request

Python 3.11.2 (main, Mar 13 2023) [GCC 12.2.0] on linux
Type "help", "copyright", "credits" or "license" for more information.
>>> send_file(path)
2024-01-02 10:00:00 WARNING chunk 17 dropped
2024-01-02 10:00:01 WARNING chunk 18 dropped
OS: Debian 12
Aiohttp version: 3.9.1

It stops in `write_chunk`.
"""


def test_what_every_report_has_is_left_out_and_the_rest_stays() -> None:
    assert [line for line in take_informative(REPORT).split("\n") if line] == [
        "Uploads over 2 GB are cut",
        ">>> send_file(path)",
        "2024-01-02 10:00:00 WARNING chunk 17 dropped",
        "It stops in `write_chunk`.",
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        "Python 3.11 (main) fails",
        "- [ ] a\n- [x] b\n",
        "how is the version: 3 read",
        "class A:\n    os = 1\n",
    ],
)
def test_a_question_and_what_would_leave_nothing_stay(prompt: str) -> None:
    assert take_informative(prompt) == prompt


@given(st.text(alphabet="ab-[x] :\n<!>0", max_size=200))
def test_lines_are_only_taken_away(prompt: str) -> None:
    left = take_informative(prompt)
    assert set(left.split()) <= set(prompt.split()) or "<!--" in prompt
    assert left.strip() or not prompt.strip()


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
