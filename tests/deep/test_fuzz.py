"""Bytes of strangers, mutated, made by hypothesis or found by atheris, never raise but our own errors.

FUZZ_SECONDS is how long atheris looks at each family of targets; 600 when it is not said.
"""

from __future__ import annotations

import importlib.util
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.deep.fuzz_targets import FAMILIES, TARGETS, run_target
from tests.deep.ledger import LEDGER
from tests.deep.sizes import scale

PROJECT = Path(__file__).resolve().parents[2]
SEED = 61
SHORT_RUNS, DEEP_RUNS = 100, scale(20_000)
DEEP_EXAMPLES = scale(2_000)  # of hypothesis, for each target
FUZZ_SECONDS = scale(int(os.environ.get("FUZZ_SECONDS", "600")))
MAX_BYTES = 6_000
ODD = (
    b"\x00",
    b"\xff",
    b"\xff" * 8,
    b"\x80",
    b"\n",
    b"\r\n",
    b"\\",
    b"(",
    b"[",
    b"{",
    b"*",
    b"\xc3",
    b"\xe2\x80\xae",  # turns the direction of writing
    b"9" * 30,
)


def mutate(seed: bytes, draw: random.Random) -> bytes:
    """Return the bytes with a few pieces changed, moved, doubled or left out."""
    data = bytearray(seed[:MAX_BYTES])
    for _ in range(draw.choice([1, 1, 2, 4, 16])):
        place = draw.randrange(len(data) + 1)
        end = min(len(data), place + draw.choice([1, 2, 4, 30]))
        change = draw.randrange(6)
        if change == 0 and place < len(data):
            data[place] ^= 1 << draw.randrange(8)
        elif change == 1:
            data[place:end] = b""
        elif change == 2:
            data[place:place] = draw.choice(ODD)
        elif change == 3:
            data[place:place] = data[place:end] * draw.choice([1, 3, 50])
        elif change == 4:
            data[place:end] = draw.randbytes(end - place)
        else:
            del data[place:]
    return bytes(data[: 2 * MAX_BYTES])


@pytest.mark.parametrize("name", sorted(TARGETS))
@pytest.mark.parametrize("runs", [SHORT_RUNS, pytest.param(DEEP_RUNS, marks=pytest.mark.deep)])
def test_mutations(name: str, runs: int) -> None:
    draw = random.Random(f"{SEED}{name}")
    with LEDGER.suite(f"fuzz {name}") as row:
        for seed in TARGETS[name].seeds:
            run_target(name, seed)
        for _ in range(runs):
            run_target(name, mutate(draw.choice(TARGETS[name].seeds), draw))
            row.rounds += 1
            row.faults += 1


@st.composite
def near(draw: st.DrawFn, seeds: tuple[bytes, ...]) -> bytes:
    """Draw any bytes, or those of a seed with some of them replaced."""
    if draw(st.booleans()):
        return draw(st.binary(max_size=300))
    data = bytearray(draw(st.sampled_from(seeds))[:MAX_BYTES])
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(data)))
        data[place : place + draw(st.integers(0, 8))] = draw(st.binary(max_size=8))
    return bytes(data)


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_under_hypothesis(name: str) -> None:
    @settings(max_examples=DEEP_EXAMPLES, database=None, suppress_health_check=list(HealthCheck))
    @given(near(TARGETS[name].seeds))
    def run(data: bytes) -> None:
        run_target(name, data)
        row.rounds += 1
        row.faults += 1

    with LEDGER.suite(f"fuzz {name}, hypothesis") as row:
        run()


def test_every_target_belongs_to_one_family() -> None:
    assert sorted(name for family in FAMILIES.values() for name in family) == sorted(TARGETS)


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_under_atheris(name: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("atheris is not installed")
    for place, seed in enumerate(TARGETS[name].seeds):
        (tmp_path / f"seed{place}").write_bytes(seed)
    (family,) = (one for one in FAMILIES.values() if name in one)
    seconds = max(1, FUZZ_SECONDS // len(family))
    words = ["-m", "tests.deep.fuzz_child", name, f"-max_total_time={seconds}"]
    words += [f"-max_len={MAX_BYTES}", f"-seed={SEED}"]
    with LEDGER.suite(f"fuzz {name}, atheris") as row:
        done = subprocess.run(
            [sys.executable, *words, "-rss_limit_mb=2000", "-timeout=60", str(tmp_path)],
            cwd=PROJECT,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            capture_output=True,
            text=True,
            check=False,
            timeout=20 * seconds + 600,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        found = re.search(r"Done (\d+) runs", done.stderr)
        assert found is not None, done.stderr[-1000:]
        row.rounds += int(found[1])
        row.faults += int(found[1])
        row.note = f"{len(list(tmp_path.iterdir()))} texts that took new branches"
