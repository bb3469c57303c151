"""Which names a prompt asks for."""

from __future__ import annotations

from repo_mcp.blocks.prompt_names import find_joined, list_names
from repo_mcp.blocks.weights import WEIGHTS
from repo_mcp.ranking.query.clues import parse_prompt


def test_names_that_a_prompt_asks_for() -> None:
    prompt = "self.read fails, see `Wall.read` and Door"
    names = list_names(prompt, parse_prompt(prompt), WEIGHTS)
    assert names == {"Wall.read": 1.0, "read": 1.0, "Door": 1.0}
    assert list_names("QuerySet", parse_prompt("QuerySet"), WEIGHTS) == {"QuerySet": 1.0}
    assert list_names("read wall", parse_prompt("read wall"), WEIGHTS) == {"read": 1.0, "wall": 1.0}
    assert (
        list_names("read wall again", parse_prompt("read wall again"), WEIGHTS) == {}
    )  # words of a sentence


def test_words_in_a_row_that_are_a_name_of_the_index() -> None:
    assert [
        clue.text for clue in find_joined("how does slow start end", lambda term: int(term == "slow_start"))
    ] == ["slow_start"]
