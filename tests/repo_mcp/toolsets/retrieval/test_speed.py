"""SC-003 of specification 2: a million lines, and 95 % of the searches within 2 seconds.

The seconds are those of the processor: where nothing else runs a search takes no longer. A check searches
fewer lines, and does not look at the time.
"""

from __future__ import annotations

import random
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.deep.sizes import IS_DEEP, choose
from tests.repo_mcp.toolsets.retrieval.retrieval_roots import Served
from tests.repo_mcp.trees import SUFFIXES, WORDS, make_text

LINES = choose(4_000, 1_000_000)
WITHIN_SECONDS = 2.0


@pytest.mark.corpus
@pytest.mark.sized
def test_95_percent_of_the_searches_in_a_million_lines_take_2_seconds_at_most(tmp_path: Path) -> None:
    draw = random.Random(3)
    docs, code = tmp_path / "docs", tmp_path / "code"
    docs.mkdir()
    (docs / "index.md").write_text("kmalloc\n")
    lines = number = 0
    while lines < LINES:
        suffix = draw.choice(SUFFIXES)
        text = make_text(draw, suffix)
        lines += text.count("\n")
        path = code / f"d{number % 97}" / f"f{number}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        number += 1
    with closing(Served(docs, code, tmp_path / "data")) as served:
        seconds = []
        for turn in range(100):
            word, other = draw.choice(WORDS), draw.choice(WORDS)
            arguments: dict[str, object] = [
                {"query": word},
                {"query": f"{word} {other}", "case_sensitive": True},
                {"query": rf"\b{word}\w*\(", "regex": True, "repo": "code"},
                {"query": f"{word}_{other}_nowhere"},
            ][turn % 4]
            started = time.process_time()
            served.result("search", **arguments)
            seconds.append(time.process_time() - started)
        assert not IS_DEEP or sorted(seconds)[94] <= WITHIN_SECONDS
