"""Words whose base forms the stemmer does not lead to."""

from __future__ import annotations

import pytest

from repo_mcp.text.base_forms import find_base_form, list_other_forms


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("Validated", "validate"),
        ("authorizing", "authorize"),
        ("referenced", "reference"),
        ("queued", "queue"),
        ("written", "write"),
        ("created", ""),  # has the stem of "create"
        ("heated", ""),
        ("syncing", ""),
        ("enforced", ""),
        ("validate", ""),
        ("", ""),
    ],
)
def test_a_word_leads_to_its_base_form(word: str, base: str) -> None:
    assert find_base_form(word) == base


def test_the_forms_of_a_word_are_all_but_itself() -> None:
    assert list_other_forms("Written") == ("write", "wrote")
    assert list_other_forms("calculated") == ("calculate",)
    assert list_other_forms("calculate") == ()
