"""What a question reads of an index: lines as they are cut everywhere, and nothing twice."""

from __future__ import annotations

from collections import Counter

import pytest

from repo_mcp.blocks import source
from repo_mcp.blocks.source import IndexSource
from repo_mcp.ranking.scoring import live_terms
from repo_mcp.text.lines import split_lines
from tests.repo_mcp.research.asking import open_index

SHOP = "def weigh_load(load):\n    return measure_it(load) + 1\n"
SHIP = "def ship_load(load):\n    return measure_it(load) + weigh_load(load)\n"


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\n\n", "\n", "é\u2028b\n🙂\n", "a\n\x0cb"])
def test_lines_are_those_of_the_bytes(text: str) -> None:
    live = IndexSource(open_index({"a.py": SHOP}), lambda _path: text.encode()).read("a.py")
    assert [line.encode() for line in live.lines] == split_lines(text.encode())


def test_a_term_is_counted_once_for_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counter[str]()

    def count(_snapshot: object, term: str) -> int:
        counted[term] += 1
        return 3

    monkeypatch.setattr(source, "count_units", count)
    one = IndexSource(open_index({"a.py": SHOP}), lambda _path: b"")
    assert [one.count_units(term) for term in ("load", "ship", "load")] == [3, 3, 3]
    assert counted == {"load": 1, "ship": 1}


def test_units_are_counted_without_reading_where_none_is_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    searcher = open_index({"a.py": SHOP, "b.py": SHIP, "c.py": "x = 1\n"})
    one = IndexSource(searcher, lambda _path: b"")
    monkeypatch.setattr(live_terms, "_read_live", None)
    assert [one.count_units(term) for term in ("load", "weigh_load", "ship_load", "none")] == [2, 2, 1, 0]
