"""A bundle for a change has a test of what is to change, and the lines that use it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest

from repo_mcp.blocks.layouts import read_layout
from repo_mcp.blocks.prompt import find_no_hints
from repo_mcp.blocks.source import IndexSource
from repo_mcp.bundler.build import Choice
from repo_mcp.bundler.hybrid import HybridStrategy
from repo_mcp.bundler.records import Budget, BundleRequest
from repo_mcp.ranking.query.requests import asks_for_change
from tests.repo_mcp.blocks.small_source import read_given
from tests.repo_mcp.research.asking import open_index

FILLED = "".join(f"def other{at}(row):\n    if row:\n        return row[{at}]\n\n\n" for at in range(30))
TEXTS = {
    "ledger/balance.py": "def close_balance(rows):\n    if not rows:\n        raise BalanceError\n"
    "    return sum(rows)\n\n\n" + FILLED,
    "ledger/report.py": "from ledger.balance import (\n    close_balance,\n    open_balance,\n)\n\n\n"
    + FILLED
    + "def print_year(year):\n    show(year)\n    # close_balance\n    return close_balance(year.rows)\n",
    "tests/test_balance.py": "from ledger.balance import close_balance\n\n\n"
    + FILLED
    + "def test_an_empty_balance_is_refused():\n    with raises(BalanceError):\n        close_balance([])\n",
    "tests/test_year.py": FILLED + "def test_year():\n    assert close_balance([2]) == 2\n",
    "docs/balance.md": "# Balance\n\nCall close_balance at the end of a year.\n",
}
CHANGE = "close_balance raises BalanceError for an empty year. Let it return None instead, and add a test."


def choose(prompt: str, *, lines: int = 200, include_tests: bool = True) -> Choice:
    source = IndexSource(open_index(TEXTS), partial(read_given, TEXTS))
    request = BundleRequest(prompt, include_tests=include_tests)
    return HybridStrategy(read_layout, find_no_hints).choose(request, Budget(6, lines, None), source)


def list_reasons(choice: Choice, path: str) -> Sequence[str]:
    return [one.evidence[0] for one in choice.selections if one.path == path]


def test_a_change_comes_with_the_best_test_and_a_line_of_each_caller() -> None:
    choice = choose(CHANGE)
    assert choice.selections[0].path == "ledger/balance.py"
    (test,) = [one for one in choice.selections if one.path == "tests/test_balance.py"]
    assert test.evidence[0] == "a test of close_balance"
    assert test.symbol == "test_an_empty_balance_is_refused"
    (caller,) = [one for one in choice.selections if one.path == "ledger/report.py"]
    assert caller.lines == ("    return close_balance(year.rows)",)
    assert (caller.symbol, caller.evidence[0]) == ("print_year", "uses close_balance")
    assert not list_reasons(choice, "docs/balance.md")


def test_lines_and_files_are_kept_for_them_within_the_budget() -> None:
    for lines in (80, 100, 200):
        choice = choose(CHANGE, lines=lines)
        assert choice.totals.lines <= lines
        assert list_reasons(choice, "tests/test_balance.py") == ["a test of close_balance"]


def test_without_tests_only_callers_are_shown() -> None:
    paths = {one.path for one in choose(CHANGE, include_tests=False).selections}
    assert "ledger/report.py" in paths
    assert not any(path.startswith("tests/") for path in paths)


def test_a_question_does_not_ask_for_tests_and_callers() -> None:
    choice = choose("what does close_balance raise for an empty year?")
    assert "a test of close_balance" not in list_reasons(choice, "tests/test_balance.py")


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Fix the crash", True),
        ("It crashes. Fix it and add a test.", True),
        ("What has to change for that?", True),
        ("we should rename it", True),
        ("please add a flag", True),
        ("where is a change noticed?", False),
        ("how is the fix applied when a row is added", False),
        ("The last change broke it", False),
    ],
)
def test_a_change_is_asked_for_by_a_command_or_an_infinitive(text: str, asks: bool) -> None:
    assert asks_for_change(text) is asks
