"""What is left open at the end of a text that is cut."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.open_brackets import close_open, find_closing


@pytest.mark.parametrize(
    ("text", "closing"),
    [
        ('raise Late("the parcel is ', '")'),
        ("keep({ lot: [1, ", "]})"),
        ("if (parcel.late) ", ""),
        ('say("(") + tell(', ")"),
        (r'say("\"(") + tell(', ")"),
        ("fn find(name: &'a str, ", ")"),
    ],
)
def test_what_a_cut_leaves_open_is_closed(text: str, closing: str) -> None:
    assert close_open(text) == closing


@pytest.mark.parametrize(
    ("text", "closed"), [("(lot)", 4), ("({lot: [1]}) + tell()", 11), ("(lot) or (late)", 4), ("(lot", None)]
)
def test_the_bracket_that_closes_the_first_one(text: str, closed: int | None) -> None:
    assert find_closing(text, 0) == closed
