"""A seeded selection of the fault rounds, and the proof that the layer finds a store that is not safe.

All rounds: `python -m tests.faults.fault_driver PLACE SCENARIO FAULT [--sticky]`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT

linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks, and reads /proc")
ROUNDS = [
    ("build", "KILL", 7),
    ("build", "ENOSPC", 9),
    ("update", "KILL", 7),
    ("update", "SHORT", 12),
    ("update", "EIO --sticky", 12),
    ("compact", "EMFILE", 12),
]
NAIVE = """
import os, sys
from tests.faults.fault_layer import Fault, FaultLayer
place, operation = sys.argv[1], int(sys.argv[2])
layer = FaultLayer(place, Fault.KILL, operation)
layer.install()
descriptor = os.open(os.path.join(place, "store"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
for part in (b"new ", b"content"):
    os.write(descriptor, part)
os.close(descriptor)
print(layer.count)
"""


@linux_only
@pytest.mark.parametrize(("scenario", "fault", "every"), ROUNDS)
def test_after_a_fault_the_next_start_heals_by_itself(
    tmp_path: Path, scenario: str, fault: str, every: int
) -> None:
    seed = os.environ.get("FAULT_SEED", "1")
    options = ["--every", str(every), "--seed", seed]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.faults.fault_driver",
            str(tmp_path),
            scenario,
            *fault.split(),
            *options,
        ],
        cwd=ROOT,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.stderr == b""
    report = json.loads(done.stdout)
    assert report["failures"] == {}
    assert report["operations"] > 40
    assert report["rounds"] > 1


@linux_only
def test_the_layer_finds_a_store_that_writes_in_place(tmp_path: Path) -> None:
    """Killed at its second or third operation, it is neither old nor new."""
    found = []
    for operation in range(5):
        (tmp_path / "store").write_bytes(b"old content")
        done = subprocess.run(
            [sys.executable, "-c", NAIVE, str(tmp_path), str(operation)],
            cwd=ROOT,
            capture_output=True,
            check=False,
        )
        found.append(((tmp_path / "store").read_bytes(), done.stdout.strip()))
    assert found == [
        (b"new content", b"3"),
        (b"old content", b""),  # before it was opened
        (b"ne", b""),
        (b"new con", b""),
        (b"new content", b"3"),
    ]
