"""A whole run on a tiny tree: printed, stored, compared, and failing for what became dearer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from bench.economy.__main__ import main
from bench.economy.client import Answer, Client
from bench.economy.evidence import Region, Spent
from bench.economy.pages import Page, measure_bundle, sum_up
from bench.economy.report import build_rows, find_dearer, find_share, render_tables
from bench.economy.run import BUDGET_BYTES, Result, Run
from bench.economy.tasks import Quest
from bench.quality.tasks import Task

QUERIES = ("where is a crate kept for an order", "Warehouse", "keep goods on shelves", "reserve_crate")


def build_result(name: str, ours: int | None, other: int | None) -> Result:
    quest = Quest(Task(name, "t", "any", "any", "q", ("a",), True), (Region("a", 1, 1),))
    return Result(quest, Spent(ours, 1), Spent(other, 2))


OPEN = build_result("t/2", 100, 400)
KEPT = build_result("t/0", None, 300)


def test_shares_of_tasks() -> None:
    spent = [Spent(size, 1) for size in (50, 10, 40, 20, 30)]
    assert (find_share(spent, 0.5), find_share(spent, 0.8), find_share(spent[:1], 0.5)) == (30, 40, 50)
    assert find_share([*spent, Spent(None, 9), Spent(None, 9)], 0.8) == BUDGET_BYTES


def test_costs_of_a_kind() -> None:
    first, second = sum_up([Page("a", 100, 50), Page("a", 50, 100, is_cut=True), Page("b", 7, None)])
    assert (first.times, first.median_times, first.bytes, first.cut) == (1.0, 1.25, 75, 1)
    assert (second.times, second.pages) == (None, 1)


def test_a_bundle_stands_beside_its_code_with_numbers() -> None:
    content = '7\tsay("é")\n8\tend()\n'
    record = {"result": {"selections": [{"path": "a", "content": content}, {"content": "9\t\n"}]}}

    class Server:
        def call(self, _name: str, **_arguments: object) -> Answer:
            return Answer("x" * 60, record, is_error=False)

    page = measure_bundle(cast(Client, Server()), "any")
    assert (page.bytes, page.beside) == (60, len(r"7\tsay(\"e\")\n8\tend()\n9\t\n") + 1)


def test_the_half_that_is_kept_back_stands_apart() -> None:
    table = render_tables(Run([OPEN, KEPT]))
    assert "| open, 1 | repo-mcp | 100 | 100 | 1 | 0 |" in table
    assert "| | ratio | 0.25 | 0.25 | | |" in table
    assert "| kept back, 1 | repo-mcp | over 1,000,000 | over 1,000,000 | 1 | 1 |" in table
    assert "| | ratio |  |  | | |" in table


def test_what_is_dearer_is_named() -> None:
    stored = build_rows(Run([OPEN, KEPT], [Page("outline", 100, 50)], {"repo": 6000}))
    assert find_dearer(stored, stored) == []
    dearer = build_rows(
        Run([build_result("t/2", 103, 900), KEPT], [Page("outline", 101, 50)], {"repo": 6_200})
    )
    assert [str(one) for one in find_dearer(dearer, stored)] == [
        "evidence, open half: four_fifths is 1.03 times what is stored",
        "evidence, open half: half is 1.03 times what is stored",
        "tool list: repo: bytes is 1.03 times what is stored",
    ]
    never = build_rows(Run([build_result("t/2", None, 400), KEPT]))
    assert any("never" in str(one) for one in find_dearer(never, stored))


@pytest.mark.corpus
def test_a_run_is_printed_stored_and_compared(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    relevant = [{"path": "warehouse.py", "symbol": "Warehouse.reserve_crate"}]
    rows = [{"id": f"t/{n}", "repo": "shop", "query": q, "relevant": relevant} for n, q in enumerate(QUERIES)]
    tasks, results = tmp_path / "tasks.jsonl", tmp_path / "results"
    tasks.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["--tasks", str(tasks), "--trees", str(tree.parent), "--library", str(tree)]
    arguments += ["--results", str(results), "--name", "made"]
    results.mkdir()
    file = results / "run-economy-made.json"
    file.write_text(json.dumps({"rows": {"tool list: graph": {"bytes": 100}}}))
    assert main(arguments) == 1
    said = capsys.readouterr().out
    assert "shop: 4 tasks" in said
    assert "| repo.search, literal | " in said
    assert "| repo.outline, standard library | 13 | " in said
    assert "| repo,graph,research,retrieval | " in said
    assert "tool list: graph: bytes is " in said
    rows_now = json.loads(file.read_text())["rows"]
    assert rows_now["tool list: graph"] == {"bytes": 100}  # what is stored stays, what is not is added
    assert rows_now["evidence, open half"]["never"] == 0
    assert {
        "repo.build_context_bundle",
        "get_file_outline",
        "search_code",
        "tool list: repo",
    } <= rows_now.keys()


def test_tuning_shows_the_open_half_alone(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    relevant = [{"path": "warehouse.py", "symbol": "Warehouse"}]
    rows = [{"id": f"t/{n}", "repo": "shop", "query": q, "relevant": relevant} for n, q in enumerate(QUERIES)]
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["--tasks", str(tmp_path / "tasks.jsonl"), "--trees", str(tree.parent), "--tuning"]
    assert main([*arguments, "--results", str(tmp_path / "results")]) == 0
    said = capsys.readouterr().out
    assert "ripgrep is not on PATH" in said
    assert "  t/2  keep goods on shelves" in said
    assert "  t/3  reserve_crate" in said
    assert "t/0" not in said
    assert "t/1" not in said
    assert "kept back" not in said
    assert not (tmp_path / "results").exists()


def test_tasks_without_a_tree_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--trees", str(tmp_path)]) == 1
    assert "No tasks" in capsys.readouterr().out
