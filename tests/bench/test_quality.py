"""The quality harness: measures by their definitions, both formats of tasks, our own data set."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path

import pytest

from bench.quality import bundles, meaning, tasks
from bench.quality.metrics import TOKENS, Found, find_places, score_task
from bench.quality.report import read_run, render_comparison, render_tables, write_run
from bench.quality.run import run_tasks
from bench.quality.tasks import Task, Tree, find_tree, parse_task, read_tasks
from tests.repo_mcp.semantic.tiny_model import write_model

PACKAGES = Path(tasks.__file__).parent / "packages.jsonl"
LEAST_TASKS = 150


def build_task(*targets: str, whole_paths: bool = False) -> Task:
    return Task("t/1", "t", "any", "any", "q", targets, whole_paths)


def find(*paths: str) -> list[Found]:
    return [Found(path, 100) for path in paths]


def test_a_file_counts_at_its_first_hit() -> None:
    score = score_task(build_task("b.py"), find("a.py", "a.py", "b.py", "b.py"))
    assert score.ndcg == pytest.approx(1 / math.log2(3))
    assert score.first == 0.5
    assert score.acc == (0.0, 1.0, 1.0, 1.0)


def test_several_answers_are_all_wanted() -> None:
    score = score_task(build_task("a", "b"), find("a", "x", "y", "b"))
    assert score.ndcg == pytest.approx((1 + 1 / math.log2(5)) / (1 + 1 / math.log2(3)))
    assert score.acc == (0.0, 0.0, 1.0, 1.0)
    assert score_task(build_task("a", "b"), find("a", "b")).ndcg == 1.0


def test_recall_ends_with_the_tokens() -> None:
    long = Found("a", 4 * TOKENS)
    assert score_task(build_task("a", "b"), [long, Found("b", 1)]).recall == 0.5


def test_tests_are_left_out_of_the_second_list() -> None:
    score = score_task(build_task("a.py"), find("tests/test_a.py", "a.py"))
    assert (score.acc[0], score.plain_acc[0]) == (0.0, 1.0)


def test_paths_match_from_the_end_or_as_wholes() -> None:
    assert find_places(build_task("src/a.py"), ["a.py"]) == [1]
    assert find_places(build_task("src/a.py"), ["ba.py"]) == [None]
    assert find_places(build_task("src/a.py", whole_paths=True), ["a.py"]) == [None]
    assert find_places(build_task("x/a.py", "a.py"), ["a.py"]) == [1, None]


def test_both_formats() -> None:
    asked = parse_task({"query": "q", "relevant": [{"path": "a"}], "secondary": [{"path": "b"}]}, 7)
    assert (asked.targets, asked.whole_paths, asked.id, asked.category) == (("a", "b"), False, "7", "any")
    commit = parse_task({"query": "q", "gold": ["a"], "repo": "r"}, 1)
    assert (commit.targets, commit.whole_paths, commit.category) == (("a",), True, "commit")
    with pytest.raises(ValueError, match="task 3"):
        parse_task({"query": "q"}, 3)


def test_a_run_is_measured_stored_and_compared(tmp_path: Path) -> None:
    (tmp_path / "trees" / "one").mkdir(parents=True)
    (tmp_path / "trees" / "one" / "pool.py").write_text("def acquire():\n    pass\n")
    own = [Task(f"one/{at}", "one", "python", "any", "acquire", ("pool.py",), False) for at in (1, 2)]
    said: list[str] = []
    asked = [*own, Task("gone/1", "gone", "python", "any", "x", ("x",), False)]

    def find_there(repo: str) -> Tree | None:
        return find_tree(tmp_path / "trees", repo, {})

    outcomes = list(run_tasks(asked, find_there, tmp_path / "data", 5, said.append))
    assert said == ["gone: no tree, 1 tasks left out"]
    assert [one.score.ndcg for one in outcomes] == [1.0, 1.0]
    assert "| all | 2 | 1.000 |" in "\n".join(render_tables(outcomes))
    write_run(tmp_path / "run.json", outcomes)
    stored = dict(read_run(tmp_path / "run.json"))
    assert render_comparison(outcomes, stored, 3) == [
        "Of 2 tasks 0 got worse, 0 better; the mean of NDCG@10 moved by +0.0000."
    ]
    stored["one/2"] = {**stored["one/2"], "ndcg": 0.5}
    assert "0 got worse, 1 better" in render_comparison(outcomes, stored, 3)[0]


def test_a_root_inside_a_tree(tmp_path: Path) -> None:
    (tmp_path / "r" / "src").mkdir(parents=True)
    assert find_tree(tmp_path, "r", {"r": {"benchmark_root": "src"}}) == Tree("r", tmp_path / "r" / "src")
    assert find_tree(tmp_path, "r", {"r": {"benchmark_root": "lib"}}) is None


def test_our_own_answers_are_there() -> None:
    """Each answer is a file of the pinned package that the question is about."""
    own = read_tasks(PACKAGES)
    assert len(own) >= LEAST_TASKS
    assert len({task.id for task in own}) == len(own)
    assert len({task.query for task in own}) == len(own)
    missing = []
    for task in own:
        spec = importlib.util.find_spec(task.repo)
        assert spec is not None
        assert spec.submodule_search_locations is not None
        (place,) = spec.submodule_search_locations
        missing += [(task.id, target) for target in task.targets if not (Path(place) / target).is_file()]
    assert missing == []


def test_our_own_answers_are_written_one_way() -> None:
    for line in PACKAGES.read_text(encoding="utf-8").splitlines():
        assert json.dumps(json.loads(line)) == line


def test_changed_lines_are_found_by_their_text() -> None:
    lines = ["a", "b", "c", "a", "b"]
    assert bundles._find_once(lines, ["a", "b"], 4) == 3
    assert bundles._find_once(lines, ["a", "b"], 1) == 0
    assert bundles._find_once(lines, ["x"], 1) is None
    diff = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    assert list(bundles._iter_hunks(diff)) == [("f", [(False, "a"), (True, "b")], 1)]


def test_meaning_is_measured_with_each_weight(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = tmp_path / "trees" / "one"
    tree.mkdir(parents=True)
    (tree / "a.py").write_text("def read_token():\n    pass\n")
    (tree / "b.py").write_text("def write():\n    pass\n")
    row = {"query": "token", "repo": "one", "gold": ["a.py"], "category": "symbol"}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(row) + "\n")
    arguments = ["--tasks", tmp_path / "tasks.jsonl", "--trees", tmp_path / "trees", "--weights", "0,1"]
    model = write_model(tmp_path / "model")
    assert meaning.main([*map(str, arguments), "--semantic-model", str(model)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("one: 2 vectors, 2 files embedded in ")
    assert out[2] == "| weight | NDCG@10 | symbol | Acc@1 | Acc@5 | Acc@10 |"
    assert out[4] == "| 0 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 |"
    assert out[5].startswith("| 1 | ")
    assert meaning.main([*map(str, arguments), "--semantic-model", str(model), "--only", "two"]) == 1
