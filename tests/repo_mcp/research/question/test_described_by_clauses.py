"""A subject that a clause describes is what a declared guess names, and not a word of the clause."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

FILES = {
    "src/links.py": 'SHELF_PREFIX = "/@shelf/"\n\n\ndef join(path):\n    return SHELF_PREFIX + path\n',
    "src/page.py": "class Page:\n    url = ''\n\n    def show(self):\n        return self.url\n",
}
QUESTION = (
    "What would break if I changed the special url prefix that the depot uses for files that live elsewhere?"
)


def test_a_declared_guess_stands_for_what_a_clause_describes() -> None:
    claim = Asked(FILES).ask(f"{QUESTION} (SHELF_PREFIX, toShelf)").claim
    assert "SHELF_PREFIX" in claim
    assert "join" in claim
    assert "Page" not in claim


def test_a_name_of_code_in_it_is_meant_itself() -> None:
    question = "What would break if I changed `Page.url` that the depot uses for files that live elsewhere?"
    assert "Page" in Asked(FILES).ask(f"{question} (SHELF_PREFIX)").claim
