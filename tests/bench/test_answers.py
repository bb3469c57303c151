"""Questions with the functions that answer them: the data, the rule of 70 %, a whole run on a tiny tree."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from bench.quality.__main__ import FUNCTIONS, main
from bench.quality.answers import Outcome, render
from bench.quality.control import split_words
from bench.quality.questions import HALVES, Function, Question, check_tree, read_questions
from bench.quality.tasks import read_repos

REPOS = FUNCTIONS.parent / "function_repos.json"
OWN = FUNCTIONS.parent / "packages.jsonl"
SHELF = "def reserve_crate(label: str) -> bool:\n    crates.append(label)\n    return True\n"
FAR = "def weigh(load: int) -> int:\n    return load * 9\n"


def build_question(*functions: Function, half: str = "tune") -> Question:
    return Question("t/1", "shop", "python", half, "behaviour", "q", functions)


def test_the_data_is_as_promised() -> None:
    questions = read_questions(FUNCTIONS)
    repos = read_repos(REPOS)
    assert len({one.id for one in questions}) == len({one.query for one in questions}) == len(questions)
    assert {one.repo for one in questions} == set(repos)
    for one in questions:
        row = repos[one.repo]
        assert (one.language, one.half) == (row["language"], row["half"]), one.id
        assert 1 <= len(one.functions) <= 4, one.id
        assert all(0 < function.start_line <= function.end_line for function in one.functions), one.id
    assert len(repos) >= 10
    assert len({row["language"] for row in repos.values()}) >= 6
    halves = Counter(one.half for one in questions)
    assert set(halves) == set(HALVES)
    assert min(halves.values()) >= 36
    assert 3 * sum(one.category == "paraphrase" for one in questions) >= len(questions)
    own = {json.loads(line)["repo"] for line in OWN.read_text(encoding="utf-8").splitlines()}
    assert not own & set(repos)
    for line in FUNCTIONS.read_text(encoding="utf-8").splitlines():
        assert json.dumps(json.loads(line), ensure_ascii=False) == line


def test_a_function_is_shown_from_seven_tenths_on() -> None:
    ten, one = Function("a", "f", 11, 20), Function("b", "g", 1, 1)
    seven = {("a", number) for number in range(14, 30)}
    assert ten.count_shown(seven) == 7
    assert ten.is_shown(seven)
    assert not ten.is_shown(seven - {("a", 14)})
    question = build_question(ten, one)
    assert not question.is_answered(seven)
    assert question.is_answered(seven | {("b", 1)})


def test_another_tree_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.rb").write_text("x\ndef keep\nend\n")
    check_tree(tmp_path, build_question(Function("a.rb", "Shelf#keep", 2, 3)))
    for wrong in (Function("a.rb", "Shelf#keep", 1, 2), Function("b.rb", "keep", 2, 3)):
        with pytest.raises(ValueError, match=r"keep is not at .\.rb:[12]; the tree must be"):
            check_tree(tmp_path, build_question(wrong))


def test_words_of_the_control() -> None:
    assert split_words("How does readHTTPHeader_x use utf8 in a the_body?") == {
        *("http", "header", "read", "body", "use", "utf")
    }


def test_what_is_missing_is_listed_of_the_open_half_alone() -> None:
    function = Function("a", "f", 1, 1)
    empty = {"bundle 400": set[tuple[str, int]](), "bundle": {("a", 1), ("a", 2)}}
    outcomes = [
        Outcome(build_question(function, half=half), {("a", 1)}, {("a", 2)}, empty) for half in HALVES
    ]
    table = render(outcomes)
    assert table[2] == "| all | 2 | 2 | 2 | 2 | 0 | 0 | 2 |"
    assert table[7:10] == ["|---|--:|--:|--:|", "| functions | 2 | 0 | 2 |", "| lines, the mean | | 0 | 2 |"]
    assert table[-3:] == ["", "Not in bundle 400:", "- t/1 q: a:f"]
    assert render(outcomes[1:])[-1] == "| lines, the mean | | 0 | 2 |"


def test_a_run_over_stdio(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "trees" / "shop"
    tree.mkdir(parents=True)
    (tree / "shelf.py").write_text(SHELF)
    (tree / "scale.py").write_text("'''Nothing of interest.'''\n" + "\n" * 900 + FAR)
    rows = [
        ("t/1", "behaviour", "where is a crate reserved", ["shelf.py", "reserve_crate", 1, 3]),
        ("t/2", "paraphrase", "where are crates kept", ["scale.py", "weigh", 902, 903]),
    ]
    keys = ("path", "name", "start_line", "end_line")
    questions = [
        {"id": name, "repo": "shop", "language": "python", "half": "tune", "category": category}
        | {"query": query, "functions": [dict(zip(keys, function, strict=True))]}
        for name, category, query, function in rows
    ]
    file = tmp_path / "functions.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in questions))
    monkeypatch.chdir(tmp_path)
    given = ["--functions", str(file), "--trees", "trees"]  # as the README has it
    assert main([*given, "--out", str(tmp_path / "run.json")]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[2] == "| all | 2 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 |"
    assert out[3] == "| behaviour | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 |"
    assert out[4] == "| paraphrase | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |"
    assert out[-1] == "- t/2 where are crates kept: scale.py:weigh"
    stored = json.loads((tmp_path / "run.json").read_text())
    assert all(stored["t/1"].values())
    assert list(stored["t/1"])[-2:] == ["bundle", "snippets"]
    assert main([*given, "--half", "kept"]) == 1
    assert main([*given, "--only", "other"]) == 1


def test_tasks_or_functions_must_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--trees", "anywhere"])
    assert "give --tasks, or --functions with --trees" in capsys.readouterr().err
