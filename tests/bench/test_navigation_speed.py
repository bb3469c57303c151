"""The measurement of navigation over stdio asks what it says, and the same in each run."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import pytest

from bench.graph.speed import KINDS, TOOLS, Stopwatch, ask_all, draw_subjects, print_table
from bench.processes import PROJECT
from repo_mcp.config.server_config import Config
from repo_mcp.repository import Repository

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="clocks of other processes are Linux's")


def test_each_question_is_asked_about_each_symbol(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, data = tmp_path / "root", tmp_path / "data"
    root.mkdir()
    for name in "abcdef":
        (root / f"{name}.py").write_text(f"def run(): ...\n\n\ndef {name}_own():\n    run()\n")
    with closing(Repository(Config(str(root), data_dir=str(data), watch=False))) as repository:
        repository.refresh()
        repository.symbol_index.build()
    subjects = draw_subjects(root, data, 6, 7)
    assert subjects == draw_subjects(root, data, 6, 7)
    assert [one.kind for one in subjects] == ["any", "any", "ambiguous", "ambiguous", "hot"]
    assert {one.name for one in subjects[2:]} == {"run"}
    with closing(Stopwatch(root, data, PROJECT, "--no-watch")) as watch:
        calls = list(ask_all(watch, subjects))
    assert {call.tool for call in calls} == set(TOOLS)
    assert {call.kind for call in calls} == set(KINDS)
    assert all(call.wall_ms > 0 and call.cpu_ms > 0 for call in calls)
    callers = [call for call in calls if call.tool == "get_callers" and call.kind == "hot"]
    assert "6 symbols match" in callers[0].text
    assert '"a_own"' in callers[1].text  # the first candidate is asked about next
    print_table(calls, slowest=1)
    assert len(capsys.readouterr().out.splitlines()) == 1 + 2 * len(TOOLS)
