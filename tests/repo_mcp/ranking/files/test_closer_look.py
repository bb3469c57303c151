"""What a closer look at the best files gives: points for held words, and for neighbours."""

from __future__ import annotations

import pytest

from repo_mcp.ranking.files.closer_look import NEIGHBOURS, rate_held, rate_neighbours, weigh_held
from repo_mcp.ranking.files.ranking_weights import WEIGHTS


@pytest.mark.parametrize(
    ("words", "most"), [(4, 4 * WEIGHTS.held_word), (200, WEIGHTS.most_held)], ids=["short", "long"]
)
def test_the_words_of_a_long_query_are_worth_more_up_to_a_limit(words: int, most: float) -> None:
    assert weigh_held(words, WEIGHTS) == most


def test_a_unit_gets_its_share_of_what_the_query_is_worth() -> None:
    worth = {"parcel": 3.0, "crate": 1.0}
    assert rate_held([["parcel", "crate"], ["parcel"], []], worth, 0.4) == pytest.approx([0.4, 0.3, 0.0])
    assert rate_held([[]], {}, 0.4) == [0.0]


def test_a_file_gets_the_share_of_the_others_in_its_directory() -> None:
    paths = ("a/one.py", "a/two.py", "a/deep/three.py", "b.py")
    given = rate_neighbours(paths, (4.0, 3.0, 2.0, 1.0), WEIGHTS)
    assert given == pytest.approx([0.3 * WEIGHTS.neighbour, 0.4 * WEIGHTS.neighbour, 0.0, 0.0])
    assert rate_neighbours(paths, (0.0,) * 4, WEIGHTS) == [0.0] * 4


def test_only_the_best_files_count_for_others_and_paths_decide_among_equals() -> None:
    paths = [f"a/{number:02}.py" for number in reversed(range(NEIGHBOURS + 1))]
    given = rate_neighbours(paths, [1.0] * len(paths), WEIGHTS)
    assert given[0] == pytest.approx(WEIGHTS.neighbour)  # the last path: all the best count for it
    assert given[1:] == pytest.approx([(1 - 1 / NEIGHBOURS) * WEIGHTS.neighbour] * NEIGHBOURS)
