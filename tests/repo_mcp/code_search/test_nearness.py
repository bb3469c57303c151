"""How near to each other the words of a question are in a declaration."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from repo_mcp.blocks.best_blocks import RatedBlock
from repo_mcp.code_search.declarations import NEAR_LINES, rate_nearness

WEIGHTS = {"stock": 2.0, "friend": 1.0, "order": 1.0}


@pytest.mark.parametrize(
    ("lines", "share"),
    [
        ({1: ("stock",), 2: ("friend", "order")}, 1.0),
        ({1: ("stock",), NEAR_LINES + 1: ("friend", "order")}, 0.5),
        ({1: ("order",), NEAR_LINES + 1: ("friend",), NEAR_LINES + 2: ("stock",)}, 0.75),
        ({}, 1.0),
        ({4: ("akin",)}, 1.0),
    ],
)
def test_nearness_is_the_share_of_the_words_in_the_best_successive_lines(
    lines: dict[int, tuple[str, ...]], share: float
) -> None:
    block = cast(RatedBlock, SimpleNamespace(term_lines=lines))
    assert rate_nearness(block, WEIGHTS) == pytest.approx(share)
