"""What is said of a seed: which of its words are those of the question."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from repo_mcp.bodies.body import Body
from repo_mcp.research.seeds.rated_seeds import _put_named_first, describe_words
from repo_mcp.research.seeds.seed import Seed
from tests.growth import assert_linear


def make_body(size: int) -> tuple[Body, dict[str, float]]:
    """Return a body of one line with that many words, each of them a term of its own."""
    words = [f"name{number}" for number in range(size)]
    body = Body([" ".join(words)], 1, 1, 1, {1: tuple(words)}, frozenset())
    return body, {"elsewhere": 1.0, words[0]: 1.0}


def test_a_long_line_full_of_words_is_described_in_linear_time() -> None:
    """A file of one line of 360 KB kept a question busy for minutes."""
    assert_linear(make_body, lambda made: describe_words(*made), 300)
    assert describe_words(*make_body(300)) == "has words like name0"


def test_each_namesake_in_a_type_that_is_named_gets_the_worth_of_the_one_that_it_passes() -> None:
    """The second of two got the worth of what had been in its new place, and was ordered behind again."""
    body: Any = SimpleNamespace(terms={})
    seeds = [
        Seed("a.rb", body, "prepare", f"{owner}.prepare", None, worth, "")
        for owner, worth in (("Curve", 0.9), ("HmacShort", 0.8), ("HmacLong", 0.7))
    ]
    found = _put_named_first(seeds, ["hmac"])
    assert [(one.full_name, one.worth) for one in found] == [
        ("HmacShort.prepare", 0.9),
        ("HmacLong.prepare", 0.9),
        ("Curve.prepare", 0.9),
    ]


def test_words_that_say_nothing_of_code_are_no_reason() -> None:
    body = Body(["to name0 of"], 1, 1, 1, {1: ("to", "name0", "of")}, frozenset())
    weights = {"to": 1.0, "name0": 1.0, "of": 1.0}
    assert describe_words(body, weights) == "has words like name0"
