"""Words of a question that code writes as their initials."""

from __future__ import annotations

import pytest

from repo_mcp.text.acronyms import list_acronyms
from repo_mcp.text.idioms import find_idioms
from tests.growth import BOUND, measure_growth


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How is it protected against cross-site request forgery?", {"cross-site request forgery": "csrf"}),
        ("Where is role-based access control done?", {"role-based access control": "rbac"}),
        ("What happens when a worker stops sending?", {}),
        ("How does the parser assign graph edges?", {}),
        ("How are abstract syntax trees visited?", {"abstract syntax trees visited": "astv"}),
    ],
)
def test_four_adjacent_words_may_be_written_as_their_initials(question: str, found: dict[str, str]) -> None:
    assert list_acronyms(question) == found


def test_what_the_question_has_itself_is_no_acronym_of_it() -> None:
    assert not find_idioms("is cross-site request forgery (CSRF) possible")
    assert find_idioms("is cross-site request forgery stopped")["cross-site request forgery"] == ("csrf",)


def test_a_pasted_key_without_spaces_takes_linear_time() -> None:
    assert measure_growth(lambda size: "a" * size, list_acronyms, 2_000) < BOUND
