"""What a run of the benchmarks is compared with, and when it fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.report import Row
from bench.stored_run import Regression, build_measures, find_regressions, find_run_file, read_run, write_run
from tests.deep.sizes import IS_DEEP, choose
from tests.forked import PATIENCE_SECONDS, popen

ROOT = Path(__file__).resolve().parents[2]
FILES = choose(6, 24)
# What a measurement waits for, a tree that is seconds old, changes nothing in what is compared.
HASTY = "import time; time.sleep = lambda _seconds: None\n"
RUN = f"{'' if IS_DEEP else HASTY}import pytest, sys; raise SystemExit(pytest.main(sys.argv[1:]))"
# What pytest says of a plugin that was imported in the process that is forked.
FORKED = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
ROW = Row("open index", [0.010, 0.012, 0.030], 0.020, {"index_mb": 5.25, "files": 3})


def test_a_row_is_stored_as_multiples_of_the_loop_beside_it(tmp_path: Path) -> None:
    file = find_run_file(tmp_path / "results", "linux")
    write_run(file, build_measures([ROW]))
    assert file.name == "run-linux.json"
    assert read_run(file) == {"open index": {"best": 0.5, "median": 0.6, "index_mb": 5.25}}


def test_other_programs_are_not_stored() -> None:
    names = ["calibration", "ripgrep: rare literal", "spawn of bare python", "spawn to initialize"]
    assert list(build_measures([Row(name, [1.0], 1.0, {}) for name in names])) == ["spawn to initialize"]


def test_the_same_machine_at_half_its_speed_is_no_regression() -> None:
    slow = Row(ROW.name, [2 * one for one in ROW.rounds], 2 * ROW.unit, ROW.facts)
    assert find_regressions(build_measures([slow]), build_measures([ROW])) == []


@pytest.mark.parametrize(
    ("rounds", "facts", "expected"),
    [
        ([0.015, 0.018, 0.020], {}, [Regression("open index", "time", 1.5)]),
        ([0.010, 0.024, 0.030], {}, []),  # disturbed: the best round is as good as it was
        ([0.0135, 0.014, 0.030], {}, []),  # the median is little worse
        ([0.005, 0.006, 0.007], {"index_mb": 10.5}, [Regression("open index", "index_mb", 2.0)]),
        ([0.010, 0.012, 0.013], {"index_mb": 5.5}, []),
        ([0.010, 0.012, 0.013], {"rss_mb": 900}, []),  # stored without it
    ],
)
def test_a_row_is_worse_when_both_rounds_are_or_a_size_is(
    rounds: list[float], facts: dict[str, float], expected: list[Regression]
) -> None:
    found = find_regressions(build_measures([Row(ROW.name, rounds, ROW.unit, facts)]), build_measures([ROW]))
    assert [(one.row, one.measure, round(one.times, 6)) for one in found] == [
        (one.row, one.measure, one.times) for one in expected
    ]


def test_a_row_that_was_never_stored_is_no_regression() -> None:
    assert find_regressions(build_measures([ROW]), {}) == []


def test_a_file_that_is_no_run_is_named(tmp_path: Path) -> None:
    file = tmp_path / "run-linux.json"
    file.write_text("[]")
    with pytest.raises(ValueError, match=r"run-linux\.json is no stored run: remove it"):
        read_run(file)
    assert read_run(tmp_path / "run-nothing.json") == {}


def run_bench(results: Path, scratch: Path, *options: str) -> tuple[int, str]:
    """Return the exit code and the output of one benchmark."""
    command = [sys.executable, "-c", RUN, "bench/test_search.py", "-k", "open_index and not first"]
    for plugin in ("randomly", "cacheprovider", "anyio"):
        command += ["-p", f"no:{plugin}"]
    command += ["--benchmark-only", "--files", str(FILES), "-W", FORKED]
    command += ["--basetemp", str(scratch), "--results", str(results), *options]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    pipe, start = subprocess.PIPE, subprocess.Popen if IS_DEEP else popen
    with start(command, cwd=ROOT, env=own, stdout=pipe, stderr=pipe, text=True) as run:
        said, _ = run.communicate(timeout=PATIENCE_SECONDS)
    return run.returncode, said


@pytest.mark.sized
def test_the_benchmarks_store_a_first_run_and_fail_by_a_regression(tmp_path: Path) -> None:
    results = tmp_path / "results"
    file = find_run_file(results, f"made-{FILES}")
    code, said = run_bench(results, tmp_path / "first")
    assert code == 0, said
    stored = json.loads(file.read_text())
    (row,) = stored["rows"].values()
    assert 0 < row["best"] <= row["median"]

    row["best"], row["median"] = row["best"] / 100, row["median"] / 100
    file.write_text(json.dumps(stored))
    code, said = run_bench(results, tmp_path / "slower")
    assert code == 1, said
    assert "open index: time is" in said
    assert json.loads(file.read_text()) == stored  # a failed run does not become what is right

    if not IS_DEEP:
        return  # each run takes seconds
    assert run_bench(results, tmp_path / "replaced", "--store")[0] == 0
    assert json.loads(file.read_text())["rows"]["open index"]["best"] > row["best"]
