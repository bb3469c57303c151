"""What is said of a seed: which of its words are those of the question."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from repo_mcp.bundler.best_blocks import RatedBlock
from repo_mcp.research.words.rated_seeds import Seed, _describe_words, _put_named_first
from tests.growth import assert_linear


def make_block(size: int) -> tuple[RatedBlock, dict[str, float]]:
    """Return a block of one line with that many words, each of them a term of its own."""
    words = [f"name{number}" for number in range(size)]
    view = SimpleNamespace(live=SimpleNamespace(lines=[" ".join(words)]))
    block = SimpleNamespace(term_lines={1: tuple(words)}, view=view)
    return cast(RatedBlock, block), {"elsewhere": 1.0, words[0]: 1.0}


def test_a_long_line_full_of_words_is_described_in_linear_time() -> None:
    """A file of one line of 360 KB kept a question busy for minutes."""
    assert_linear(make_block, lambda made: _describe_words(*made), 300)
    assert _describe_words(*make_block(300)) == "has words like name0"


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
