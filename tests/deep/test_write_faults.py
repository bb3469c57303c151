"""Recipes R2 to R6 of the threat model: process or medium fail at every change of the data directory.

In each case: what was committed before still answers, the program says what went wrong or goes on, nothing
temporary is left for ever, and one refresh without faults makes all answers right.
"""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from repo_mcp.errors import RepoError
from repo_mcp.repository import Repository
from tests.deep.answers import ask, configure, refresh_and_ask
from tests.deep.fault_layer import KILLED, Faults, Mode, Operation
from tests.deep.ledger import LEDGER, Row
from tests.deep.worlds import World, make_world

PROJECT = Path(__file__).resolve().parents[2]
NUMBERS = {
    "enospc": errno.ENOSPC,
    "eio": errno.EIO,
    "edquot": errno.EDQUOT,
    "erofs": errno.EROFS,
    "emfile": errno.EMFILE,
}
SHORT_EVERY = 7  # positions of a short run: every seventh
POWER_CUTS = 500
SEED = 11


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("world"))


def _count_operations(world: World, data: Path) -> int:
    world.copy_data(data)
    with Faults(data) as faults, closing(Repository(configure(world.root, data))) as repository:
        repository.refresh()
    return faults.count


def _check_healed(world: World, data: Path) -> None:
    assert refresh_and_ask(world.root, data) == world.expected
    left = [path for path in data.rglob("*") if "tmp" in path.name]
    assert left == []


def _kill_at(world: World, data: Path, operation: int, row: Row) -> None:
    world.copy_data(data)
    words = [sys.executable, "-m", "tests.deep.refresh_child", str(world.root), str(data), str(operation)]
    done = subprocess.run(words, cwd=PROJECT, env={**os.environ, "PYTHONPATH": str(PROJECT)}, check=False)
    assert done.returncode in (0, KILLED)
    row.rounds += 1
    row.faults += done.returncode == KILLED
    _check_healed(world, data)


def _refresh_and_ask(world: World, data: Path) -> tuple[list[str], list[str]]:
    """What is said of the faults, and what is answered while they are there."""
    complaints: list[str] = []
    try:
        with closing(Repository(configure(world.root, data))) as repository:
            try:
                repository.refresh()
            except RepoError as error:
                complaints.append(error.message)
            return complaints, ask(repository, world.root)
    except RepoError as error:  # there is no place to keep an index in
        return [*complaints, error.message], []


def _fail_at(world: World, data: Path, mode: Mode, number: int, operation: int, row: Row) -> None:
    world.copy_data(data)
    with Faults(data, mode, operation, number) as faults:
        complaints, answers = _refresh_and_ask(world, data)
    assert not any(str(world.root) in one or str(data) in one for one in complaints)
    assert not any('"code": "internal"' in one for one in answers)
    row.rounds += 1
    row.faults += faults.count >= operation
    _check_healed(world, data)


@pytest.mark.parametrize("fault", sorted(NUMBERS))
@pytest.mark.parametrize("mode", [Mode.FAIL, Mode.STICKY])
def test_some_failing_operations(world: World, tmp_path: Path, mode: Mode, fault: str) -> None:
    data = world.before.with_name("data")
    count = _count_operations(world, data)
    start = random.Random(f"{SEED}{fault}{mode}").randrange(1, SHORT_EVERY)
    with LEDGER.suite(f"R3 {mode.name.lower()} errors") as row:
        for operation in range(start, count + 1, SHORT_EVERY):
            _fail_at(world, data, mode, NUMBERS[fault], operation, row)


@pytest.mark.deep
@pytest.mark.parametrize("fault", sorted(NUMBERS))
@pytest.mark.parametrize("mode", [Mode.FAIL, Mode.STICKY])
def test_every_failing_operation(world: World, mode: Mode, fault: str) -> None:
    data = world.before.with_name("data")
    count = _count_operations(world, data)
    assert count > 15
    with LEDGER.suite(f"R3 {mode.name.lower()} errors") as row:
        for operation in range(1, count + 1):
            _fail_at(world, data, mode, NUMBERS[fault], operation, row)


def test_some_kill_points(world: World) -> None:
    data = world.before.with_name("data")
    count = _count_operations(world, data)
    with LEDGER.suite("R2 kill points") as row:
        for operation in random.Random(SEED).sample(range(1, count + 1), 4):
            _kill_at(world, data, operation, row)
        assert row.faults


@pytest.mark.deep
def test_every_kill_point(world: World) -> None:
    data = world.before.with_name("data")
    count = _count_operations(world, data)
    with LEDGER.suite("R2 kill points") as row:
        for operation in range(1, count + 1):
            _kill_at(world, data, operation, row)


def _list_segments(data: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(data.rglob("*.seg"))}


def test_short_writes_change_nothing(world: World) -> None:
    data = world.before.with_name("data")
    with LEDGER.suite("R4 short writes") as row:
        refresh_and_ask(world.root, world.copy_data(data))
        whole = _list_segments(data)
        world.copy_data(data)
        with (
            Faults(data, Mode.SHORT) as faults,
            closing(Repository(configure(world.root, data))) as repository,
        ):
            repository.refresh()
        row.rounds += 1
        row.faults += faults.count
        assert _list_segments(data) == whole
        _check_healed(world, data)


def _replay(record: list[Operation], before: Path, image: Path, draw: random.Random) -> None:
    """The directory as a power cut after these operations may leave it.

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
    with Faults(data, Mode.RECORD) as faults, closing(Repository(configure(world.root, data))) as repository:
        repository.refresh()
    draw = random.Random(SEED)
    for _ in range(cuts):
        length = draw.randrange(1, len(faults.record) + 1)
        _replay(faults.record[:length], world.before, data, draw)
        row.rounds += 1
        row.faults += 1
        assert refresh_and_ask(world.root, data) == world.expected


def test_some_power_cuts(world: World) -> None:
    with LEDGER.suite("R5 power cuts") as row:
        _cut_power(world, world.before.with_name("data"), 12, row)


@pytest.mark.deep
def test_many_power_cuts(world: World) -> None:
    with LEDGER.suite("R5 power cuts") as row:
        _cut_power(world, world.before.with_name("data"), POWER_CUTS, row)


LIMITED = """
import sys
from contextlib import closing
from pathlib import Path
from repo_mcp.errors import RepoError
from repo_mcp.repository import Repository
from tests.deep.answers import configure
with closing(Repository(configure(Path(sys.argv[1]), Path(sys.argv[2])))) as repository:
    try:
        repository.refresh(force=True)
    except RepoError as error:
        print(error.code.name)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no resource limits")
@pytest.mark.parametrize("limit", [500, 4_000, 1_000_000])
def test_a_limit_of_file_size(world: World, limit: int) -> None:
    data = world.before.with_name("data")
    world.copy_data(data)
    with LEDGER.suite("R6 file size limits") as row:
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
