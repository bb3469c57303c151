"""The lines of an edge: of a long one the part that shows what the edge is about."""

from __future__ import annotations

import pytest

from repo_mcp.toolsets.graph.rows import MAX_LINE_CHARS, render_lines

LONG = "add_markup(start_position, end_position, begin + functions.escape(address) + behind, Kind.LINK)"
BEGINNING = "add_markup(start_position, end_position, begin + functions.…"


@pytest.mark.parametrize(
    ("line", "name", "shown"),
    [
        ("  save(item)", "save", "save(item)"),
        (LONG, "", BEGINNING),
        (LONG, "add_markup", BEGINNING),
        (LONG, "markup", BEGINNING),  # no word of it
        (LONG, "escape", "…ion, begin + functions.escape(address) + behind, Kind.LINK)"),
        (LONG, "LINK", "…ion, begin + functions.escape(address) + behind, Kind.LINK)"),
        (LONG * 2, "LINK", "…ess) + behind, Kind.LINK)add_markup(start_position, end_po…"),
        ("x" * 25 + " = operator+(" + "y" * 40, "operator+", "x" * 25 + " = operator+(" + "y" * 21 + "…"),
    ],
)
def test_a_long_line_is_shown_around_the_name(line: str, name: str, shown: str) -> None:
    assert len(shown) <= MAX_LINE_CHARS
    assert render_lines([1], [line], name) == {"lines": f"1\t{shown}"}


def test_without_text_the_numbers_alone_are_given() -> None:
    assert render_lines([1, 3], [], "save") == {"lines": "1\n3"}
