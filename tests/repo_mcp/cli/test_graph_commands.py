"""`definition`, `references`, `callers`, `callees`, `implementations`, `research`: as lines, and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repo_mcp.cli.program import make_tree, run

CALLERS = """\
tests/test_accounts.py:9  test_accounts.test_transfer_keeps_the_sum  function
         9:    transfer_funds(cash, food, Decimal("12.50"), "lunch")
tests/test_accounts.py:15  test_accounts.test_a_transfer_of_nothing_is_refused  function
        15:        transfer_funds(Account("a"), Account("b"), Decimal(0), "nothing")
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_tree(tmp_path_factory.mktemp("graph"))
    (root / "shapes.py").write_text(
        "class Shape:\n    def draw(self): ...\n\n\nclass Round(Shape):\n    def draw(self): ...\n"
    )
    return root


NAMES = ("transfer_funds", "ledger.accounts.transfer_funds", "src/ledger/accounts.py:28")


@pytest.mark.parametrize("name", NAMES)
def test_callers_are_named_with_the_lines_that_call(tree: Path, name: str) -> None:
    done = run(tree, "callers", name)
    assert (done.returncode, done.stdout, done.stderr) == (0, CALLERS, "")


@pytest.mark.parametrize(
    ("arguments", "rows"),
    [
        (["callees", "transfer_funds"], ["src/ledger/accounts.py:9  ", "src/ledger/accounts.py:21  "]),
        (["implementations", "Shape"], ["shapes.py:5  shapes.Round  class"]),
        (["definition", "Account.post"], ["src/ledger/accounts.py:21  ledger.accounts.Account.post  method"]),
        (
            ["definition", "Account.post"],
            ["        21:    def post(self, amount: Decimal, memo: str) -> None:"],
        ),
        (["references", "UnbalancedEntry"], ["        30:        raise UnbalancedEntry("]),
        (["research", "what calls transfer_funds"], ["test_accounts.test_transfer_keeps_the_sum**"]),
    ],
    ids=str,
)
def test_a_name_leads_on(tree: Path, arguments: list[str], rows: list[str]) -> None:
    done = run(tree, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(row in done.stdout for row in rows), done.stdout


def test_a_definition_in_two_files_is_shown_from_both(tree: Path) -> None:
    (tree / "twice.h").write_text("/* Doubles. */\nint twice(int n);\n")
    (tree / "twice.c").write_text('#include "twice.h"\nint twice(int n)\n{\n  return n + n;\n}\n')
    done = run(tree, "definition", "twice")
    (tree / "twice.h").unlink()
    (tree / "twice.c").unlink()
    assert done.stdout == (
        "twice.c:2  twice  function\n"
        "         2:int twice(int n)\n         3:{\n         4:  return n + n;\n         5:}\n"
        "twice.h:2  twice  function\n         2:int twice(int n);\n"
    )


def test_calls_through_a_base_say_so(tree: Path) -> None:
    (tree / "paint.py").write_text(
        "from shapes import Shape\n\n\ndef paint(shape: Shape) -> None:\n    shape.draw()\n"
    )
    done = run(tree, "callers", "Round.draw")
    expected = (
        "paint.py:5  paint.paint  function  possible via shapes.Shape.draw\n         5:    shape.draw()\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")
    (row,) = json.loads(run(tree, "callers", "Round.draw", "--json").stdout)["callers"]
    (tree / "paint.py").unlink()
    assert (row["via"], row["confidence"], row["lines"]) == ("shapes.Shape.draw", "possible", [5])


def test_json_has_places_relative_to_the_root(tree: Path) -> None:
    (tree / "below").mkdir(exist_ok=True)
    done = run(tree, "callers", "transfer_funds", "--json")
    found = json.loads(done.stdout)
    assert (found["symbol"]["path"], found["symbol"]["start_line"]) == ("src/ledger/accounts.py", 27)
    assert [(row["path"], row["lines"]) for row in found["callers"]] == [
        ("tests/test_accounts.py", [9]),
        ("tests/test_accounts.py", [15]),
    ]
    assert (found["total"], found["cut"]) == (2, False)


def test_a_name_of_several_symbols(tree: Path) -> None:
    listed = run(tree, "definition", "draw")
    assert listed.returncode == 0
    assert "shapes.py:2  shapes.Shape.draw  method\n" in listed.stdout
    assert "shapes.py:6  shapes.Round.draw  method\n" in listed.stdout
    assert listed.stderr == "2 symbols have this name. Choose one with PATH:LINE or a longer name.\n"
    asked = run(tree, "callers", "draw")
    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr == (
        "repo-mcp: 2 symbols are named draw. Give one of these places, or a longer name:\n"
        "shapes.py:2  shapes.Shape.draw\nshapes.py:6  shapes.Round.draw\n"
    )


def test_nothing_found_and_no_such_name(tree: Path) -> None:
    done = run(tree, "callers", "Round.draw")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "Nothing found.\n")
    missing = run(tree, "callers", "transfer_fund")
    assert (missing.returncode, missing.stdout) == (3, "")
    assert "No symbol is named" in missing.stderr
    assert "transfer_funds." in missing.stderr  # the nearest, without the id that models take


@pytest.mark.parametrize("command", ["callers", "callees", "references", "implementations", "definition"])
def test_a_name_that_is_not_unicode_is_refused(tree: Path, command: str) -> None:
    asked = run(tree, command, "Round.dr\udcffaw")
    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr == "repo-mcp: NAME is not valid Unicode.\n"


@pytest.mark.parametrize(
    ("name", "nearest"), [("what_nobody_ever_refused", ""), ("transfer_founds", "transfer_funds")]
)
def test_only_a_similar_name_is_suggested(tree: Path, name: str, nearest: str) -> None:
    reported = run(tree, "callers", name).stderr
    assert reported.endswith(f"{nearest}.\n") if nearest else "Nearest" not in reported


def test_a_cut_is_said(tree: Path) -> None:
    done = run(tree, "callers", "transfer_funds", "--top-k", "1")
    assert done.stdout == "".join(CALLERS.splitlines(keepends=True)[:2])
    assert done.stderr == "1 of 2 symbols; more with --top-k.\n"


def test_a_question_may_come_from_standard_input(tree: Path) -> None:
    asked = run(tree, "research", "what calls transfer_funds")
    piped = run(tree, "research", "-", given="what calls\ntransfer_funds\n")
    assert (piped.returncode, piped.stdout) == (0, asked.stdout)
    assert run(tree, "research", "-", given="\n").returncode == 2
