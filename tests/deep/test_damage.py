"""Recipes R9 to R12 of the threat model: an index that was damaged while nobody looked, or under a server.

Damage is found or does not matter: after a refresh all answers are those of a server with an empty data
directory, and before it they are those of one committed state, or an error that says what is wrong.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from index_format import DiskDirectory, IndexFormatError, Snapshot
from repo_mcp.repository import Repository
from tests.deep.answers import ask, configure, refresh_and_ask
from tests.deep.ledger import LEDGER, Row
from tests.deep.worlds import World, make_world

SEED = 23
SHORT_FLIPS, DEEP_FLIPS = 24, 2_000


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("damaged"))


@pytest.fixture
def data(world: World) -> Path:
    place = world.before.with_name("data")
    if place.is_symlink():
        place.unlink()
    return world.copy_data(place)


def _list_files(data: Path) -> list[Path]:
    """Every file of a data directory that holds something."""
    return sorted(path for path in data.rglob("*") if path.is_file() and path.stat().st_size)


def _check(world: World, data: Path, row: Row) -> None:
    row.rounds += 1
    row.faults += 1
    assert refresh_and_ask(world.root, data) == world.expected


def _iter_lengths(size: int) -> Iterator[int]:
    yield from sorted({0, 1, 15, 16, 31, 32, 33, size // 4, size // 2, size - 1} & set(range(size)))


def _truncate_all(world: World, data: Path, names: list[str], row: Row) -> None:
    for name in names:
        whole = (data / name).read_bytes()
        longer = [whole + b"x", whole + bytes(4096)]
        for text in [*(whole[:length] for length in _iter_lengths(len(whole))), *longer]:
            world.copy_data(data)
            (data / name).write_bytes(text)
            _check(world, data, row)
        world.copy_data(data)


def test_some_cut_files(world: World, data: Path) -> None:
    names = [path.relative_to(data).as_posix() for path in _list_files(data)]
    with LEDGER.suite("R9 truncation") as row:
        _truncate_all(world, data, [name for name in names if name.endswith("manifest")], row)


@pytest.mark.deep
def test_every_cut_file(world: World, data: Path) -> None:
    names = [path.relative_to(data).as_posix() for path in _list_files(data)]
    with LEDGER.suite("R9 truncation") as row:
        _truncate_all(world, data, names, row)


def _flip(world: World, data: Path, flips: int, row: Row) -> None:
    draw = random.Random(SEED)
    names = [path.relative_to(data).as_posix() for path in _list_files(data)]
    sizes = [(data / name).stat().st_size for name in names]
    for name in draw.choices(names, weights=[min(size, 4_096) for size in sizes], k=flips):
        world.copy_data(data)
        text = bytearray((data / name).read_bytes())
        text[draw.randrange(len(text))] ^= 1 << draw.randrange(8)
        (data / name).write_bytes(text)
        _check(world, data, row)


def test_some_flipped_bits(world: World, data: Path) -> None:
    with LEDGER.suite("R10 bit flips, by a server") as row:
        _flip(world, data, SHORT_FLIPS, row)


@pytest.mark.deep
def test_many_flipped_bits(world: World, data: Path) -> None:
    with LEDGER.suite("R10 bit flips, by a server") as row:
        _flip(world, data, DEEP_FLIPS, row)


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.deep), 61])
def test_every_byte_of_the_index_is_guarded(world: World, data: Path, step: int) -> None:
    """One bit of every byte of what is committed: the index does not open as if nothing had happened."""
    with closing(Repository(configure(world.root, data))) as repository:
        directory = repository._index._directory  # sealed with this root's tags
    namespace = next(data.glob("index-*"))
    with LEDGER.suite("R10 bit flips, every byte") as row:
        for path in sorted([*namespace.glob("*.seg"), *namespace.glob("*.seal"), namespace / "manifest"]):
            whole = path.read_bytes()
            for place in range(SEED % step if step > 1 else 0, len(whole), step):
                flipped = bytearray(whole)
                flipped[place] ^= 1 << place % 8
                path.write_bytes(flipped)
                row.rounds += 1
                row.faults += 1
                with pytest.raises((IndexFormatError, OSError)):
                    _open_whole(directory)
            path.write_bytes(whole)
        _open_whole(directory)


def _open_whole(directory: DiskDirectory) -> None:
    snapshot = Snapshot.open(directory)
    if snapshot is None:
        raise OSError("nothing is committed")
    snapshot.close()


def _swap_segments(data: Path) -> None:
    namespace = next(data.glob("index-*"))
    one, other = sorted(namespace.glob("*.seg"))[:2]
    first = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(first)


def _each(change: Callable[[Path], object], *patterns: str) -> Callable[[Path], None]:
    def damage(data: Path) -> None:
        found = [path for pattern in patterns for path in data.glob(pattern)]
        assert found
        for path in found:
            change(path)

    return damage


def _become_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


STOPPED = {
    "two segments exchanged": _swap_segments,
    "a segment deleted": _each(Path.unlink, "index-*/*.seg"),
    "a segment under another name": _each(lambda path: path.rename(f"{path}.old"), "index-*/*.seg"),
    "an empty manifest": _each(lambda path: path.write_bytes(b""), "index-*/manifest"),
    "no manifest": _each(Path.unlink, "index-*/manifest"),
    "no seal": _each(Path.unlink, "index-*/*.seal"),
    "no record of what was seen": _each(Path.unlink, "index-*/seen"),
    "a directory in place of the manifest": _each(_become_directory, "index-*/manifest"),
    "a directory in place of the lock": _each(_become_directory, "index-*/lock"),
    "a pipe in place of the record": _each(lambda path: (path.unlink(), os.mkfifo(path)), "index-*/seen"),
}  # fmt: skip


@pytest.mark.parametrize("what", sorted(STOPPED))
def test_an_index_that_was_tampered_with(world: World, data: Path, what: str) -> None:
    with closing(Repository(configure(world.root, data))) as repository:
        repository.refresh()  # a second segment
    with LEDGER.suite("R11 swaps and rollbacks") as row:
        STOPPED[what](data)
        _check(world, data, row)


def test_an_older_manifest_with_newer_segments(world: World, data: Path) -> None:
    namespace = next(data.glob("index-*"))
    old = {path.name: path.read_bytes() for path in namespace.iterdir() if path.suffix != ".seg"}
    with closing(Repository(configure(world.root, data))) as repository:
        repository.refresh(force=True)
    with LEDGER.suite("R11 swaps and rollbacks") as row:
        for name, text in old.items():
            (namespace / name).write_bytes(text)
        _check(world, data, row)


def test_the_index_of_another_root(world: World, data: Path, tmp_path: Path) -> None:
    other = make_world(tmp_path, seed=77)
    with LEDGER.suite("R11 swaps and rollbacks") as row:
        mine, foreign = next(data.glob("index-*")), next(other.before.glob("index-*"))
        shutil.rmtree(mine)
        shutil.copytree(foreign, mine)
        _check(world, data, row)


def _overwrite(path: Path) -> None:
    path.write_bytes(random.Random(SEED).randbytes(path.stat().st_size))


def _remove_all(data: Path) -> None:
    shutil.rmtree(data)


def _link_elsewhere(data: Path) -> None:
    elsewhere = data.with_name("elsewhere")
    shutil.rmtree(elsewhere, ignore_errors=True)
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("mine")
    shutil.rmtree(data)
    data.symlink_to(elsewhere)


LIVE = {
    "cut to nothing": _each(lambda path: os.truncate(path, 0), "index-*/*.seg"),
    "cut in half": _each(lambda path: os.truncate(path, path.stat().st_size // 2), "index-*/*.seg"),
    "overwritten": _each(_overwrite, "index-*/*.seg"),
    "manifest overwritten": _each(_overwrite, "index-*/manifest"),
    "directory removed": _remove_all,
    "directory replaced by a link": _link_elsewhere,
}


def _is_honest(answer: dict[str, Any], right: dict[str, Any]) -> bool:
    """The right result, with or without a warning; or one that says what is wrong; or an error in words."""
    if not answer["ok"]:
        return bool(answer["error"]["code"] == "index_unavailable")
    return answer["result"] == right["result"] or answer["warnings"] != [] or "state" in answer["result"]


@pytest.mark.skipif(sys.platform == "win32", reason="files in use cannot be changed there")
@pytest.mark.parametrize("what", sorted(LIVE))
def test_damage_under_a_running_server(world: World, data: Path, what: str) -> None:
    with (
        LEDGER.suite("R12 live damage") as row,
        closing(Repository(configure(world.root, data))) as repository,
    ):
        repository.refresh()
        assert ask(repository, world.root) == world.expected
        LIVE[what](data)
        row.rounds += 1
        row.faults += 1
        for answer, right in zip(ask(repository, world.root), world.expected, strict=True):
            assert _is_honest(json.loads(answer), json.loads(right))
        elsewhere = data.with_name("elsewhere")
        if elsewhere.exists():
            assert [path.name for path in elsewhere.iterdir()] == ["precious"]
    if data.is_symlink():
        data.unlink()
    assert refresh_and_ask(world.root, data) == world.expected
