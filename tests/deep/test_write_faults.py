"""Recipes R5 and R6 of the threat model: the power goes, or files may not grow.

What was committed before still answers, nothing temporary is left for ever, and one refresh without faults
makes all answers right. Faults of the medium, and kills at each operation: `tests/deep/test_fault_rounds.py`.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.deep.answers import open_repository, refresh_and_ask, renew
from tests.deep.fault_layer import Faults, Mode, Operation
from tests.deep.ledger import LEDGER, Row
from tests.deep.sizes import first, scale
from tests.deep.worlds import World, make_world

PROJECT = Path(__file__).resolve().parents[2]
POWER_CUTS = scale(500)
SEED = 11


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("world"))


def _check_healed(world: World, data: Path) -> None:
    assert refresh_and_ask(world.root, data) == world.expected
    left = [path for path in data.rglob("*") if "tmp" in path.name]
    assert left == []


def _replay(record: list[Operation], before: Path, image: Path, draw: random.Random) -> None:
    """Leave the directory as a power cut after these operations may leave it.

    What was not synced may be there, be cut, be zeroes or be missing; a name that was not synced with its
    directory may be the old one or the new.
    """
    shutil.rmtree(image, ignore_errors=True)
    shutil.copytree(before, image)
    contents: dict[str, bytearray] = {}
    synced: dict[str, int] = {}
    durable = draw.random() < 0.5  # every name reached the medium, or those that were synced
    last_sync = max((place for place, one in enumerate(record) if one.kind == "sync"), default=-1)
    for place, one in enumerate(record):
        reaches = durable or place <= last_sync or draw.random() < 0.5
        if one.kind == "mkdir":
            (image / one.path).mkdir(exist_ok=True, parents=True)
        elif one.kind == "create":
            contents.setdefault(one.path, bytearray())
        elif one.kind == "write":
            contents.setdefault(
                one.path, bytearray((image / one.path).read_bytes() if (image / one.path).exists() else b"")
            )
            contents[one.path] += one.data
        elif one.kind == "sync" and one.path in contents:
            synced[one.path] = len(contents[one.path])
        elif one.kind == "delete" and reaches:
            contents.pop(one.path, None)
            (image / one.path).unlink(missing_ok=True)
        elif one.kind == "rename" and one.path in contents:
            moved = contents.pop(one.path)
            synced[one.target] = synced.pop(one.path, 0)
            if reaches:
                contents[one.target] = moved
    for path, data in contents.items():
        kept = bytes(data)
        safe = synced.get(path, 0)
        if safe < len(kept):
            loss = draw.randrange(4)
            rest = len(kept) - safe
            kept = (kept, kept[:safe], kept[:safe] + bytes(rest), kept[: safe + rest // 2])[loss]
        (image / path).parent.mkdir(parents=True, exist_ok=True)
        (image / path).write_bytes(kept)


def _cut_power(world: World, data: Path, cuts: int, row: Row) -> None:
    world.copy_data(data)
    with Faults(data, Mode.RECORD) as faults, closing(open_repository(world.root, data)) as repository:
        renew(repository)
    draw = random.Random(SEED)
    for _ in range(cuts):
        length = draw.randrange(1, len(faults.record) + 1)
        _replay(faults.record[:length], world.before, data, draw)
        row.rounds += 1
        row.faults += 1
        _check_healed(world, data)


def test_some_power_cuts(world: World) -> None:
    with LEDGER.suite("R5 power cuts") as row:
        _cut_power(world, world.before.with_name("data"), 2, row)


@pytest.mark.deep
def test_many_power_cuts(world: World) -> None:
    with LEDGER.suite("R5 power cuts") as row:
        _cut_power(world, world.before.with_name("data"), POWER_CUTS, row)


LIMITED = """
import sys
from contextlib import closing
from pathlib import Path
from repo_mcp.errors import RepoError
from tests.deep.answers import open_repository, renew
with closing(open_repository(Path(sys.argv[1]), Path(sys.argv[2]))) as repository:
    try:
        renew(repository, force=True)
    except RepoError as error:
        print(error.code.name)
"""


@pytest.mark.recipe
@pytest.mark.skipif(sys.platform == "win32", reason="no resource limits")
@pytest.mark.parametrize("limit", first(1, [500, 4_000, 1_000_000]))
def test_a_limit_of_file_size(world: World, limit: int) -> None:
    data = world.before.with_name("data")
    world.copy_data(data)
    with LEDGER.suite("R6 limits of file size") as row:
        done = subprocess.run(
            [sys.executable, "-c", LIMITED, str(world.root), str(data)],
            cwd=PROJECT,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() in ("", "INDEX_UNAVAILABLE")
        assert "Traceback" not in done.stderr
        assert (done.stdout != "") is (limit < 1_000_000)
        row.rounds += 1
        row.faults += done.stdout != ""
        _check_healed(world, data)
