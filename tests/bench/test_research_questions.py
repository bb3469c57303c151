"""Questions of research with the symbols and lines of their answers: the data, what counts, a whole run."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bench.economy.client import Answer
from bench.quality.questions import HALVES
from bench.quality.tasks import read_repos
from bench.research.recall import (
    MOST_UNDECLARED_BYTES,
    QUESTIONS,
    Question,
    Wanted,
    check_tree,
    find_rank,
    judge,
    main,
    read_questions,
)

SYMBOL = Wanted("a.py", 10, name="weigh")
LINE = Wanted("a.py", 12, text="return load * 9")
QUESTION = Question("t/1", "shop", "python", "tune", "how", "q", (SYMBOL,), (LINE,))


def build_answer(record: object, text: str = "") -> Answer:
    return Answer(text or json.dumps(record), {"result": record}, False)


def test_the_data_is_as_promised() -> None:
    questions = read_questions()
    repos = read_repos(QUESTIONS.parent / "repos.json")
    assert len({one.id for one in questions}) == len({one.query for one in questions}) == len(questions) >= 60
    assert {one.repo for one in questions} == set(repos)
    assert len(repos) >= 10
    assert len({row["language"] for row in repos.values()}) >= 6
    assert all(one.language == repos[one.repo]["language"] for one in questions)
    assert all(one.symbols or one.lines or one.undeclared for one in questions)
    halves = Counter(one.half for one in questions)
    assert set(halves) == set(HALVES)
    assert abs(halves["tune"] - halves["kept"]) <= 1
    for one in questions:
        assert all(wanted.name for wanted in one.symbols), one.id
        assert all(wanted.text for wanted in one.lines), one.id
        assert all(wanted.name for wanted in one.also_right), one.id
        assert one.half == "tune" or not one.also_right, one.id
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        assert json.dumps(json.loads(line), ensure_ascii=False) == line


@pytest.mark.parametrize(
    ("record", "symbols", "lines"),
    [
        ({"path": "a.py", "excerpt": "10\tdef weigh(load):\n…\n12\t    return load * 9\n"}, 0, 0),
        ({"path": "a.py", "start_line": 10, "end_line": 12, "symbol": "Shop.weigh"}, 0, 1),
        ({"path": "a.py", "start_line": 10, "end_line": 12, "symbol": "Shop.weighed"}, 1, 1),
        ({"path": "b.py", "start_line": 10, "end_line": 12, "symbol": "weigh"}, 1, 1),
        ({"places": ["a.py:9-12 Shop.weigh, a method"]}, 0, 1),
        ({"places": ["a.py:11-12 Shop.weigh, a method"]}, 1, 1),
        ({"label": "weigh", "path": "a.py"}, 1, 1),
    ],
)
def test_what_an_answer_shows(record: object, symbols: int, lines: int) -> None:
    outcome = judge(QUESTION, build_answer(record), None)
    assert (len(outcome.symbols), len(outcome.lines)) == (symbols, lines)


def test_an_undeclared_name_is_said_first_and_briefly() -> None:
    question = Question("t/2", "shop", "python", "tune", "unknown", "who calls weight", (), (), "weight")
    said = '{"claim":"weight is not declared here; near: weigh"}'
    assert judge(question, build_answer({}, said), None).says_undeclared
    assert not judge(question, build_answer({}, said + " " * MOST_UNDECLARED_BYTES), None).says_undeclared
    assert not judge(question, build_answer({}, '{"findings":["weight"]}'), None).says_undeclared


def test_the_rank_is_that_of_the_first_hit_with_a_wanted_line() -> None:
    far = {"path": "a.py", "start_line": 1, "end_line": 5}
    assert find_rank(QUESTION, [far, {"path": "a.py", "start_line": 11, "end_line": 30}]) == 2
    assert find_rank(QUESTION, [far | {"declared_lines": [1, 40]}]) == 1
    assert find_rank(QUESTION, [far, {"path": "b.py", "start_line": 11, "end_line": 30}]) is None


def test_a_type_is_right_by_its_name_and_an_overload_by_its_twin() -> None:
    holder = {"path": "a.py", "kind": "class", "start_line": 2, "end_line": 9, "declared_lines": [2, 90]}
    method = {"path": "a.py", "kind": "method", "breadcrumb": "Shop > weigh", "symbols": ["weigh"]}
    right = method | {"start_line": 10, "end_line": 12}
    twin = method | {"start_line": 30, "end_line": 31}
    assert find_rank(QUESTION, [holder | {"symbols": ["Shop"]}, right]) == 2
    assert find_rank(QUESTION, [holder | {"symbols": ["weigh"]}, right]) == 1
    assert find_rank(QUESTION, [twin, right]) == 1
    assert find_rank(QUESTION, [twin]) is None
    assert find_rank(QUESTION, [twin | {"breadcrumb": "Scale > weigh"}, right]) == 2


def test_what_answers_as_well_is_right_for_a_search_and_not_wanted_of_research() -> None:
    twin = {"path": "b.py", "start_line": 3, "end_line": 9, "kind": "method"}
    also = replace(QUESTION, also_right=(Wanted("b.py", 4, name="weigh"),))
    assert (find_rank(QUESTION, [twin]), find_rank(also, [twin])) == (None, 1)
    assert len(judge(also, build_answer({}), None).symbols) == 1


def test_another_tree_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("\n" * 9 + "def weigh(load):\n    # ninefold\n    return load * 9\n")
    check_tree(tmp_path, QUESTION)
    (tmp_path / "a.py").write_text("def weigh(load):\n    return load * 9\n")
    with pytest.raises(ValueError, match=r"t/1: no a.py:10 weigh"):
        check_tree(tmp_path, QUESTION)


def test_a_run_over_a_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = tmp_path / "trees" / "shop"
    tree.mkdir(parents=True)
    (tree / "a.py").write_text(
        "def weigh(load):\n    return load * 9\n\n\ndef ship(load):\n    weigh(load)\n"
    )
    row = {"id": "t/1", "repo": "shop", "language": "python", "half": "tune", "form": "callers"}
    row |= {"query": "what calls weigh", "symbols": [{"path": "a.py", "name": "ship", "line": 5}]}
    row |= {"lines": [{"path": "a.py", "line": 6, "text": "weigh(load)"}]}
    asked = tmp_path / "questions.jsonl"
    asked.write_text(json.dumps(row) + "\n" + json.dumps(row | {"id": "t/2", "repo": "far"}) + "\n")
    assert main(["--trees", str(tree.parent), "--questions", str(asked)]) == 0
    printed = capsys.readouterr().out
    assert "far: no tree, 1 questions left out" in printed
    assert "| all | 1 | 1.00 of 1 | 1.00 of 1 |" in printed
