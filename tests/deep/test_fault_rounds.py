"""Recipes R2 to R4 of the threat model: the process or the medium fails at any change of the data directory.

What one round checks stands in `tests/deep/fault_rounds.py`, which also runs one scenario alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deep.answers import open_repository, renew
from tests.deep.fault_layer import KILLED, Faults, Mode
from tests.deep.ledger import LEDGER, Row
from tests.deep.sizes import IS_DEEP, SHARE
from tests.deep.worlds import FILES, make_linked_tree
from tests.forked import popen

PROJECT = Path(__file__).resolve().parents[2]
SEED = os.environ.get("FAULT_SEED", "1")
PATIENCE_SECONDS = 3_600
SHORT = [("update", "KILL EIO+", 120)]  # of a check: every so many positions of a scenario that has both
NUMBERS = ("EIO", "ENOSPC", "EDQUOT", "EROFS", "EMFILE")
DEEP = [
    *((scenario, "KILL") for scenario in ("build", "adopt", "update", "compact", "purge")),
    *(("update", f"{number}{mode}") for number in NUMBERS for mode in ("", "+")),
    *((scenario, "EIO") for scenario in ("build", "adopt", "compact", "purge")),
    *((scenario, "ENOSPC+") for scenario in ("build", "adopt", "compact", "purge")),
    ("update", "SHORT"),
]
RECIPES = {"KILL": "R2 kill points", "SHORT": "R4 short writes"}
RUN = "import sys; from tests.deep.fault_rounds import main; raise SystemExit(main(sys.argv[1:]))"
NAIVE = """
import os, sys
from pathlib import Path
from tests.deep.fault_layer import Faults, Mode
place, operation = Path(sys.argv[1]), int(sys.argv[2])
with Faults(place, Mode.KILL, operation) as faults:
    descriptor = os.open(place / "store", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for part in (b"new ", b"content"):
        os.write(descriptor, part)
    os.close(descriptor)
print(faults.count)
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and reads /proc")


def _run_rounds(place: Path, scenario: str, faults: list[str], every: int) -> None:
    """Run the rounds of one scenario in a process of their own, counted in the rows of their recipes."""
    words = [str(place), scenario, *faults, "--every", str(every), "--seed", SEED]
    suites = [RECIPES.get(fault, "R3 failing medium") for fault in faults]
    start = subprocess.Popen if IS_DEEP else popen  # a check spares what imports cost
    with LEDGER.suite(suites[0]):
        with start(
            [sys.executable, "-c", RUN, *words],
            cwd=PROJECT,
            env=os.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            said, complained = process.communicate(timeout=PATIENCE_SECONDS)
        assert complained == b""
    for suite, line in zip(suites, said.splitlines(), strict=True):
        with LEDGER.suite(suite) as row:
            _count(json.loads(line), row)


def _count(report: dict[str, object], row: Row) -> None:
    rounds, faults, operations = report["rounds"], report["faults"], report["operations"]
    assert isinstance(rounds, int)
    assert isinstance(faults, int)
    assert isinstance(operations, int)
    row.rounds += rounds
    row.faults += faults
    assert report["failures"] == {}
    assert operations > 60
    assert rounds
    assert faults == rounds


@pytest.mark.parametrize(("scenario", "faults", "every"), SHORT)
def test_some_positions(tmp_path: Path, scenario: str, faults: str, every: int) -> None:
    _run_rounds(tmp_path, scenario, faults.split(), every)


@pytest.mark.deep
@pytest.mark.parametrize(("scenario", "fault"), DEEP)
def test_every_position(tmp_path: Path, scenario: str, fault: str) -> None:
    _run_rounds(tmp_path, scenario, [fault], 100 // SHARE)


def _list_segments(data: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(data.rglob("*.seg"))}


@pytest.mark.recipe
def test_short_writes_change_nothing(tmp_path: Path) -> None:
    """Every write takes half: the same segments are there in the end."""
    root, data = make_linked_tree(tmp_path / "root", 5, FILES), tmp_path / "data"
    found = []
    with LEDGER.suite("R4 short writes") as row:
        for mode in (Mode.RECORD, Mode.SHORT):
            with Faults(data, mode, 1, sticky=True) as faults:
                repository = open_repository(root, data)
                renew(repository)
                repository.close()
            found.append(_list_segments(data))
            data.rename(tmp_path / mode.name)
        row.rounds += 1
        row.faults += faults.count
        assert found[0]
        assert found[0] == found[1]


@pytest.mark.recipe
def test_the_layer_finds_a_store_that_writes_in_place(tmp_path: Path) -> None:
    """Killed at its second or third operation, it is neither old nor new."""
    found = []
    for operation in range(5):
        (tmp_path / "store").write_bytes(b"old content")
        with popen(
            [sys.executable, "-c", NAIVE, str(tmp_path), str(operation)],
            cwd=PROJECT,
            env=os.environ,
            stdout=subprocess.PIPE,
        ) as process:
            said, _ = process.communicate()
        assert process.returncode == (KILLED if 0 < operation < 4 else 0)
        found.append(((tmp_path / "store").read_bytes(), said.strip()))
    assert found == [
        (b"new content", b"3"),
        (b"old content", b""),  # before it was opened
        (b"ne", b""),
        (b"new con", b""),
        (b"new content", b"3"),
    ]
