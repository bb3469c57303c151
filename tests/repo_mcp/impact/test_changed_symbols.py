"""From lines to the innermost declarations that have them."""

from __future__ import annotations

from repo_mcp.impact.applied import TouchedLines
from repo_mcp.impact.changed_symbols import list_touched
from tests.repo_mcp.graph.memory_index import MemoryIndex

TEXT = """import os


class Shelf:
    size = 3

    def put(self):
        def inner():
            return 1

        return inner()

    def take(self):
        return os


LIMIT = 4
"""
LINES = TEXT.split("\n")


def _name(lines: tuple[int, ...], gaps: tuple[int, ...] = ()) -> list[str]:
    record = MemoryIndex({"shelf.py": TEXT}).find_record("shelf.py")
    assert record is not None
    found = list_touched(record, TouchedLines(lines, gaps), LINES)
    return [record.get_symbol(one).name for one in found]


def test_a_line_counts_for_the_innermost_symbol_around_it() -> None:
    assert _name((1,)) == ["shelf.py"]
    assert _name((5, 9, 11, 14)) == ["size", "put", "inner", "take"]
    assert _name((4,)) == ["Shelf"]
    assert _name((17,)) == ["LIMIT"]


def test_blank_lines_count_for_nothing() -> None:
    assert _name((2, 3, 6)) == []


def test_a_gap_counts_for_what_holds_both_lines_beside_it() -> None:
    assert _name((), (8,)) == ["inner"]
    assert _name((), (9,)) == ["put"]
    assert _name((), (11,)) == ["Shelf"]
    assert _name((), (0,)) == ["shelf.py"]
    assert _name((), (len(LINES),)) == ["shelf.py"]
