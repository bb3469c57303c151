"""Questions about files that are gone, or have become shorter, since they were parsed."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

BROWSER = """def find_folder(folder):
    if not is_inside(folder):
        raise LookupError(folder)
    return folder


# Tells what is inside.
def is_inside(place):
    root = place.root
    return root == "/depot"
"""


@pytest.mark.parametrize("now", [{}, {"browser.py": ""}, {"browser.py": "x = 1\n"}])
@pytest.mark.parametrize(
    "question",
    [
        "How do find_folder and is_inside work?",
        "What is the difference between find_folder and is_inside?",
        "Who calls is_inside, and what does it do with the root?",
        "How is the folder found?",
        "Where would I add a new folder?",
        "What breaks if I change is_inside?",
        "Which errors can find_folder raise?",
    ],
)
def test_what_can_no_longer_be_read_fails_no_answer(question: str, now: dict[str, str]) -> None:
    asked = Asked({"browser.py": BROWSER})
    asked.texts = now
    report = asked.ask(question)
    assert report.request.query == question
    assert not any("LookupError" in one.excerpt for one in report.findings)
