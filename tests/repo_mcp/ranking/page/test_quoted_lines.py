"""Which lines of a report are quoted code, and where a file has one."""

from __future__ import annotations

import pytest

from repo_mcp.ranking.page.quoted_lines import find_quoted, list_quotable

CODE = b"def f():\n    ledger = open_ledger(path)\n    total = count(ledger)\n    total = count(ledger)\n"


@pytest.mark.parametrize(
    ("line", "quoted"),
    [
        ("    ledger = open_ledger(path)", "ledger = open_ledger(path)"),
        ("> ledger = open_ledger(path)", "ledger = open_ledger(path)"),
        ("+    ledger = open_ledger(path)", "ledger = open_ledger(path)"),
        ("E   ledger = open_ledger(path)", "ledger = open_ledger(path)"),
        ("The ledger is opened by its path", None),
        ("x = open(path)", None),
        ("a = b = c = d = 1 + 2 + 3", None),
    ],
)
def test_lines_that_look_like_code_may_be_quoted(line: str, quoted: str | None) -> None:
    assert list_quotable(f"It fails\n{line}\n{line}\n") == (() if quoted is None else (quoted,))


def test_the_first_line_that_a_file_has_once_is_found() -> None:
    assert find_quoted(CODE, ("total = count(ledger)", "ledger = open_ledger(path)")) == 2
    assert find_quoted(CODE, ("total = count(ledger)",)) == 0


def test_a_part_of_a_line_is_no_line() -> None:
    assert find_quoted(b"x = (ledger = open_ledger(path))\n", ("ledger = open_ledger(path)",)) == 0
