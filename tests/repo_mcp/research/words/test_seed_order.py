"""Where names are guessed, what only has words comes behind what calls the best or is called by it."""

from __future__ import annotations

from typing import Any

from repo_mcp.research.findings.reasons import NAMED_SO, Reason, Role
from repo_mcp.research.words.rated_seeds import Seed
from repo_mcp.research.words.seed_order import put_weak_last

WORDS = Reason("has words like size", Role.HAS_WORDS)
CALLS = Reason("calls check_size")


def make_seed(name: str, worth: float, reason: Reason) -> Seed:
    body: Any = None
    return Seed("a.py", body, name, name, None, worth, reason)


def test_a_weak_one_that_only_has_words_comes_behind_a_caller() -> None:
    seeds = [
        make_seed("check_size", 9.0, WORDS),
        make_seed("weak", 2.0, WORDS),
        make_seed("strong", 3.0, WORDS),
        make_seed("consume", 0.5, CALLS),
    ]
    names = [seed.name for seed in put_weak_last(seeds)]
    assert names == ["check_size", "strong", "consume", "weak"]


def test_the_worth_of_what_a_name_leads_to_is_no_measure() -> None:
    seeds = [
        make_seed("check_size", 9.0, NAMED_SO),
        make_seed("second", 0.2, WORDS),
        make_seed("third", 0.1, WORDS),
        make_seed("consume", 0.01, CALLS),
    ]
    assert [seed.name for seed in put_weak_last(seeds)] == ["check_size", "second", "third", "consume"]
