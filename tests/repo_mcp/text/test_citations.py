"""Places of lines are written as people read them."""

from __future__ import annotations

from repo_mcp.text.citations import write_citation, write_span


def test_one_line_has_one_number() -> None:
    assert (write_span(165, 165), write_span(165, 166)) == ("165", "165-166")
    assert write_citation("a.py", 165, 165) == "a.py:165"
    assert write_citation("a.py", 1, 12) == "a.py:1-12"
