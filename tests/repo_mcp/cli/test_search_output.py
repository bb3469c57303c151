"""What a search prints for people: ranks and places that editors open, context, colours where they belong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from repo_mcp.cli.console.text import Colour, Text, open_console
from repo_mcp.cli.hits_page import HitsPage
from repo_mcp.model import ExactAnswer, ExactMatch, Hit
from tests.repo_mcp.cli.program import make_tree, run

SOURCE = "import os\n\n\ndef moor_zeppelin(mast):\n    rope = 1\n    return rope\n\n\nEND = 0\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = make_tree(tmp_path)
    (root / "airship.py").write_text(SOURCE)
    return root


def test_the_place_of_a_hit_is_its_best_line(tree: Path) -> None:
    first, *rest = run(tree, "search", "moor zeppelin mast", "--glob", "*.py").stdout.splitlines()
    assert re.fullmatch(r" 1\. airship\.py:4  moor_zeppelin  \d\.\d{3}", first)
    assert "    4:def moor_zeppelin(mast):" in rest
    assert "    5-    rope = 1" in rest


def test_context_widens_a_hit(tree: Path) -> None:
    (tree / "long.py").write_text("\n" * 40 + "balloon_ascent = 1\n" + "\n" * 40)
    rows = run(tree, "search", "balloon_ascent", "--context", "3", "--json").stdout
    (hit,) = json.loads(rows)["hits"]
    narrow = json.loads(run(tree, "search", "balloon_ascent", "--json").stdout)["hits"][0]["snippet"]
    numbers = [int(row.partition("\t")[0]) for row in narrow.splitlines()]
    wide = [int(row.partition("\t")[0]) for row in hit["snippet"].splitlines()]
    assert wide == list(range(max(1, numbers[0] - 3), min(81, numbers[-1] + 3) + 1))
    assert len(wide) > len(numbers)


def test_context_widens_a_hit_whose_lines_hold_form_feeds(tree: Path) -> None:
    (tree / "odd.py").write_text("\n" * 10 + "balloon_ascent = '\x0c9a\u20287\tb'\n" + "\n" * 10)
    (hit,) = json.loads(run(tree, "search", "balloon_ascent", "--context", "1", "--json").stdout)["hits"]
    numbers = [int(row.partition("\t")[0]) for row in hit["snippet"].removesuffix("\n").split("\n")]
    assert 11 in numbers


def test_a_snippet_neither_begins_nor_ends_with_empty_lines(capsys: pytest.CaptureFixture[str]) -> None:
    snippet = "7\t\n8\t  \n9\tmoor()\n10\t\n11\trope\n12\t\n"
    for expected in (snippet, "7\t\n", ""):
        hit = Hit("a.py", 1, 20, expected, 1.0, ("moor",), None, ())
        HitsPage(open_console(Colour.NEVER)).show([hit])
    assert capsys.readouterr().out == (
        " 1. a.py:9  1.000\n     9:moor()\n    10-\n    11-rope\n\n" + " 1. a.py:1  1.000\n\n" * 2
    )


def test_context_of_exact_matches_as_ripgrep_has_it(tree: Path) -> None:
    done = run(tree, "search", "-E", "zeppelin|END", "--glob", "airship.py", "--context", "1")
    assert done.stdout == (
        "airship.py-3-\n"
        "airship.py:4:def moor_zeppelin(mast):\n"
        "airship.py-5-    rope = 1\n"
        "--\n"
        "airship.py-8-\n"
        "airship.py:9:END = 0\n"
    )


def test_lines_between_near_matches_are_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    matches = (
        ExactMatch("a.py", 2, 2, 1, "two", ("one",), ("three", "four")),
        ExactMatch("a.py", 4, 4, 1, "four", ("two", "three"), ("five",)),
        ExactMatch("b.py", 5, 5, 1, "five"),
    )
    answer = ExactAnswer(matches, (), 3, False, False, False, "g1")
    HitsPage(open_console()).list_matches(answer.matches)
    assert capsys.readouterr().out.split("\n") == [
        *("a.py-1-one", "a.py:2:two", "a.py-3-three", "a.py:4:four", "a.py-5-five", "--", "b.py:5:five", ""),
    ]


@pytest.mark.parametrize("context", ["-1", "51"])
def test_context_has_limits(tree: Path, context: str) -> None:
    done = run(tree, "search", "x", f"--context={context}")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--context" in done.stderr


def test_colours_are_for_terminals_and_for_who_asks(tree: Path) -> None:
    plain = run(tree, "search", "zeppelin").stdout
    assert "\x1b" not in plain
    assert "\x1b" not in run(tree, "search", "zeppelin", "--color", "never", FORCE_COLOR="1").stdout
    coloured = run(tree, "search", "zeppelin", "--color", "always", NO_COLOR="1").stdout
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_a_terminal_may_refuse_colours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FORCE_COLOR", "1")
    console = open_console(Colour.AUTO)
    console.print(Text("text", "bold red"))
    assert capsys.readouterr().out == "text\n"


def test_filters_are_taken_as_people_mean_them(tree: Path) -> None:
    everything = run(tree, "search", "-F", "zeppelin", "--language", "python").stdout
    assert everything
    assert run(tree, "search", "-F", "zeppelin", "--language", "Python").stdout == everything
    wrong = run(tree, "search", "-F", "zeppelin", "--language", "pyhton")
    assert (wrong.returncode, "similar: python" in wrong.stderr) == (2, True)
    none = run(tree, "search", "zeppelin", "--glob", "nowhere")
    assert "This filter matches no file: `nowhere`." in none.stderr


def test_words_without_quotes_are_said_to_be_paths(tree: Path) -> None:
    said = "What follows QUERY are paths: put quotes around several words."
    missing = "There is no file or directory voyage to search."
    for mode in ("--mode=bm25", "-F"):
        nowhere = run(tree, "search", mode, "zeppelin", "voyage")
        assert (nowhere.returncode, nowhere.stdout) == (1, "")
        assert nowhere.stderr == f"Nothing found. {said}\nrepo-mcp: warning: {missing}\n"
        nothing = run(tree, "search", mode, "qqzzqq", ".").stderr
        assert ("Nothing found." in nothing, said in nothing) == (True, False)
        some = run(tree, "search", mode, "zeppelin", "voyage", ".")
        assert (some.returncode, missing in some.stderr, said in some.stderr) == (0, True, False)


def test_a_filter_of_paths_is_named_as_written(tree: Path) -> None:
    (tree / "empty").mkdir()
    stderr = run(tree, "search", "zeppelin", "empty", "-g", "*.py").stderr
    assert "This filter matches no file: `*.py empty`." in stderr


def test_the_line_of_a_hit_is_one_of_its_symbol(tree: Path) -> None:
    (tree / "journal.py").write_text(
        '"""Zanzibar voyages, and how a voyage to Zanzibar is told."""\n\n\ndef unrelated():\n    pass\n\n\n'
        "def record_voyage(ship):\n    return ship.zanzibar\n"
    )
    printed = run(tree, "search", "record zanzibar voyage", "--top-k", "1").stdout
    assert printed.startswith(" 1. journal.py:8  record_voyage"), printed
