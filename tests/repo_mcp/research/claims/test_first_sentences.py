"""What the first sentence of a comment is, whatever its lines hold."""

from __future__ import annotations

from repo_mcp.research.claims.first_sentences import read_first_sentence
from tests.growth import BOUND, measure_growth


def test_a_tag_that_is_never_closed_is_read_once() -> None:
    growth = measure_growth(
        lambda size: [f"# {{@{'a' * size}{{", "depot = 1"],
        lambda lines: read_first_sentence(lines, {1}, 2),
        2_000,
    )
    assert growth < BOUND
