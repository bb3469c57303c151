"""The table at the end of a run: every suite is in it, failed ones too, and a failure fails the run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.deep.ledger import Ledger

PROJECT = Path(__file__).resolve().parents[2]
SUITES = """
from tests.deep.ledger import LEDGER

def test_one_that_holds():
    with LEDGER.suite("R2 holds") as row:
        row.rounds += 3
        row.faults += 2

def test_one_that_fails_after_its_rounds():
    assert not LEDGER.rows

def test_one_that_fails():
    with LEDGER.suite("R10 fails") as row:
        row.rounds += 1
        assert row.rounds == 2
"""


def test_rows_in_order_with_their_sum() -> None:
    ledger = Ledger()
    for name, rounds in (("R10 late", 1), ("R9 early", 2), ("R10 late", 4)):
        with ledger.suite(name) as row:
            row.rounds += rounds
    lines = [line.split() for line in ledger.render()]
    assert [line[:3] for line in lines[1:3]] == [["R9", "early", "2"], ["R10", "late", "5"]]
    assert lines[3] == ["in", "all", "7", "0", "0"]


@pytest.mark.parametrize(
    "processes",
    [pytest.param([], marks=pytest.mark.deep), ["-n", "1", "--dist", "loadfile", "--benchmark-disable"]],
)
def test_a_suite_that_fails_is_in_the_table_and_fails_the_run(tmp_path: Path, processes: list[str]) -> None:
    (tmp_path / "test_suites.py").write_text(SUITES)
    words = ["-m", "pytest", *processes]
    for plugin in ("tests.conftest", "no:randomly", "no:cacheprovider"):
        words += ["-p", plugin]
    done = subprocess.run(
        [
            sys.executable,
            *words,
            "-c",
            str(PROJECT / "pyproject.toml"),
            "--rootdir",
            str(tmp_path),
            str(tmp_path),
        ],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert any(line[:5] == ["R2", "holds", "3", "2", "0"] for line in lines)
    assert any(line[:5] == ["R10", "fails", "1", "0", "1"] for line in lines)
    assert ["tests", "that", "failed,", "also", "after", "their", "rounds:", "2"] in lines
