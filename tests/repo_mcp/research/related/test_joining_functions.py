"""A function that one of the best declarations calls, and that calls another one, is shown beside these."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import ResearchRequest, RunControl
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.related.joining_functions import put_joining
from repo_mcp.research.seeds.seed import Seed, build_seed
from tests.repo_mcp.research.asking import Asked

SHELF = """class Shelf:
    def give_back(self, book):
        self.lent.remove(book)
        self.plan_sorting(book)

    def plan_sorting(self, book):
        if book.is_torn:
            self.torn.append(book)
        self.waiting.append(book)
        self.since = book.day
        self.sort()

    def sort(self):
        for book in self.waiting:
            self.put(book)
"""


def join(text: str, *leading: str, words: str = "sorting books", shown: int = 2) -> list[Seed]:
    """Return leading methods of the shelf with what joins them, for words that weigh the same."""
    control = RunControl(lambda: False)
    state = ResearchState(
        Asked({"shelf.py": text}).open_source(), ResearchRequest(words), control, wants_tests=False
    )
    nodes = {node.symbol.name: node for node in state.graph.outline("shelf.py")}
    seeds = [build_seed(state, nodes[name], 1.0) for name in leading]
    return put_joining(state, seeds, dict.fromkeys(words.split(), 1.0), shown)


def list_names(seeds: list[Seed]) -> list[str]:
    return [seed.name for seed in seeds]


@pytest.mark.parametrize("leading", [("give_back", "sort"), ("sort", "give_back")])
def test_what_joins_two_of_the_best_follows_both_and_takes_nobodys_room(leading: tuple[str, str]) -> None:
    seeds = join(SHELF, *leading)
    assert list_names(seeds) == [*leading, "plan_sorting"]
    assert seeds[2].reason.role is Role.BESIDE
    assert seeds[2].reason.text == "called by Shelf.give_back, and calls Shelf.sort"


def test_what_joins_them_but_is_not_shown_moves_up() -> None:
    leading = ("give_back", "sort", "put", "plan_sorting")
    text = f"{SHELF}\n    def put(self, book):\n        self.books.append(book)\n"
    assert list_names(join(text, *leading)) == ["give_back", "sort", "plan_sorting", "put"]
    assert list_names(join(text, *leading, shown=4)) == [*leading]


@pytest.mark.parametrize(
    "text",
    [
        SHELF.replace("plan_sorting", "plan_it"),
        SHELF.replace("        self.since = book.day\n        self.sort()", "        self.sort()"),
        SHELF.replace("        self.sort()\n", "        self.order()\n"),
        SHELF.replace("        self.plan_sorting(book)\n", ""),
    ],
    ids=["no word in the name", "short", "calls none", "called by none"],
)
def test_others_are_not_added(text: str) -> None:
    assert list_names(join(text, "give_back", "sort")) == ["give_back", "sort"]


def test_what_calls_a_function_that_one_of_the_best_overrides_joins_it() -> None:
    below = "\n\nclass Rack(Shelf):\n    def sort(self):\n        self.hang(self.waiting)\n"
    assert list_names(join(SHELF + below, "give_back", "sort")) == ["give_back", "sort", "plan_sorting"]
