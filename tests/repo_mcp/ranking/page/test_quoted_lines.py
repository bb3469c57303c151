"""The line of a file that a report quotes: of code, or with a message."""

from __future__ import annotations

import pytest

from repo_mcp.ranking.page.quoted_lines import Quotable, find_quoted, read_quotable
from tests.growth import assert_linear

CODE = b"def f():\n    ledger = open_ledger(path)\n    total = count(ledger)\n    total = count(ledger)\n"


@pytest.mark.parametrize(
    ("line", "quoted"),
    [
        ("    ledger = open_ledger(path)", "ledger = open_ledger(path)"),
        ("> ledger = open_ledger(path)", "ledger = open_ledger(path)"),
        ("+    ledger = open_ledger(path)", "ledger = open_ledger(path)"),
        ("E   ledger = open_ledger(path)", "ledger = open_ledger(path)"),
        (">>> ledger = open_ledger(path)", "ledger = open_ledger(path)"),
        ("$ ledger = open_ledger(path)", "ledger = open_ledger(path)"),
        ("$ledger = open_ledger($path);", "$ledger = open_ledger($path);"),
        ("--ledgers_of[open_ledger(path)];", "--ledgers_of[open_ledger(path)];"),
        ("-> Result<OpenLedger, Error> {", "-> Result<OpenLedger, Error> {"),
        ("The ledger is opened by its path", None),
        ("x = open(path)", None),
        ("a = b = c = d = 1 + 2 + 3", None),
        ("import java.io.IOException;", None),
        ("use ledger::{open, close};", None),
    ],
)
def test_lines_that_look_like_code_may_be_quoted(line: str, quoted: str | None) -> None:
    assert read_quotable(f"It fails\n{line}\n{line}\n").lines == (() if quoted is None else (quoted,))


def test_the_first_line_that_a_file_has_once_is_found() -> None:
    assert find_quoted(CODE, Quotable(("total = count(ledger)", "ledger = open_ledger(path)"), "")) == 2
    assert find_quoted(CODE, Quotable(("total = count(ledger)",), "")) == 0


def test_a_part_of_a_line_is_no_line() -> None:
    quotable = Quotable(("ledger = open_ledger(path)",), "")
    assert find_quoted(b"x = (ledger = open_ledger(path))\n", quotable) == 0


MESSAGES = """Opening fails

```
2026-01-02 10:11:12 Cannot open the vault of Smith: no such file
```
> Using `skip` outside of a test is "not allowed".
The interest rate is 4.
"""


def find_message(text: str) -> int:
    return find_quoted(text.encode(), read_quotable(MESSAGES))


@pytest.mark.parametrize(
    "line",
    [
        'log.Fatalf("cannot open the vault of %s: %v", name, err)',
        "raise OSError(f'Cannot open the vault of {name}: {cause}')",
        "throw new Error(`Cannot open the vault of ${name}!`)",
        "    \"Using 'skip' outside of a test is not allowed. \"",
        "fn open<'a>(x: &'a str) { fail(\"Cannot open the vault of {}\") }",
        'say("x", "y", "Cannot open the\\tvault", "cannot open the vault of")',
    ],
)
def test_a_message_is_found_between_its_values(line: str) -> None:
    text = f"first\nopen the vault of Smith\n{line}\nlast\n"
    assert find_message(text) == 3


@pytest.mark.parametrize(
    "literal",
    [
        'fail("cannot open \\\n      the vault \\\n      of {}", name)',
        'fail("cannot open " +\n  "the vault "\n  + f"of {name}")',
        "fail 'cannot open ' \\\n  'the vault of'",
        'fail("cannot open "\n  "the vault of %s", name)',
        "raise 'cannot open the vault of #{name}'",
        'fail("cannot open the vault of \\(name)")',
        'fail("cannot open the vault of %(name)s")',
    ],
)
def test_a_literal_of_several_lines_is_found_where_it_begins(literal: str) -> None:
    assert find_message(f"first\n# 'the vault'\n{literal}\nlast\n") == 3


def test_literals_in_a_list_are_not_one() -> None:
    assert find_message('["cannot open ",\n "the vault of"]\n') == 0


def find_filled(text: str) -> int:
    report = "It fails\nError: cannot turn key 12 in lock a, and so on\n"
    return find_quoted(text.encode(), read_quotable(report))


def test_a_message_whose_parts_are_short_is_found_if_they_follow_each_other() -> None:
    assert find_filled("x\nfail(\"cannot turn key {0} in lock '{1}'\")\n") == 2
    assert find_filled('x\nfail("cannot turn key {0} on lock {1}")\n') == 0
    assert find_filled('x\nfail("in lock {0} cannot turn key {1}")\n') == 0
    assert find_filled('x\nfail("turn key {0} in lock {1}")\n') == 0  # two words together are chance


@pytest.mark.parametrize(
    "line",
    [
        'fail("no such file")',  # three words
        'fail("of a test is not")',  # only one is no function word
        'fail("cannot open the vaults of Smith")',
        "cannot open the vault of Smith",
        'fail("is 4. ")',
        '"',
        "'",
        "",
    ],
)
def test_what_is_short_or_not_quoted_is_no_message(line: str) -> None:
    assert find_message(f"{line}\n") == 0


def test_the_longest_message_counts_and_of_equals_the_first() -> None:
    text = (
        'fail("cannot open the vault")\nfail("cannot open the vault of")\nfail("cannot open the vault of")\n'
    )
    assert find_message(text) == 2


def test_a_part_of_a_word_is_no_message() -> None:
    assert find_message('say("annot open the vault of S")\n') == 0


def test_a_report_of_100_000_characters_takes_linear_time() -> None:
    """Each literal was looked for in the whole report."""

    def prepare(size: int) -> tuple[bytes, Quotable]:
        rows = ["rate of the bank", *["vault vault vault vault"] * size]
        literals = [f'fail("vault vaults vault vault {at} vault vault")' for at in range(size)]
        return "\n".join(literals).encode(), read_quotable("\n".join(rows))

    assert_linear(prepare, lambda made: find_quoted(*made), 1_000)


def test_lines_that_a_file_has_twice_take_linear_time() -> None:
    """Each was counted in the whole file."""

    def prepare(size: int) -> tuple[bytes, Quotable]:
        lines = [f"ledger_{at} = open_ledger(path)" for at in range(size)]
        return "\n".join(lines * 2).encode(), Quotable(tuple(lines), "")

    assert_linear(prepare, lambda made: find_quoted(*made), 250)
