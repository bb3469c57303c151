"""Recipes R9 to R12 of the threat model: an index that was damaged while nobody looked, or under a server.

Damage is found or does not matter: after a refresh all answers are those of a server with an empty data
directory, and before it they are those of one committed state, or an error that says what is wrong.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from index_format import DiskDirectory, IndexFormatError, Snapshot
from repo_mcp.indexing.scan_state import read_seen
from repo_mcp.indexing.walk_record import recall_walk
from repo_mcp.workspace.walk_memory import WalkMemory
from tests.deep.answers import is_honest, open_repository, refresh_and_ask, renew
from tests.deep.ledger import LEDGER, Row
from tests.deep.served import Served, ask_server
from tests.deep.sizes import IS_DEEP, SHARE, scale
from tests.deep.worlds import World, make_world

SEED = 23
SHORT_FLIPS, DEEP_FLIPS, SERVED_FLIPS = 2, scale(2_000), scale(50)
INDEXES = ("index", "structure")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("damaged"))


@pytest.fixture(scope="module")
def renewed(world: World) -> World:
    """Return the same, with indexes of the tree as it is now: of two segments."""
    data = world.copy_data(world.before.with_name("data"))
    with closing(open_repository(world.root, data)) as repository:
        renew(repository)
    data.rename(data.with_name("renewed"))
    return replace(world, before=data.with_name("renewed"))


@pytest.fixture
def data(world: World) -> Path:
    place = world.before.with_name("data")
    if place.is_symlink():
        place.unlink()
    return world.copy_data(place)


def _list_files(data: Path) -> list[Path]:
    """Return every file of a data directory that holds something."""
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
        texts = [*(whole[:length] for length in _iter_lengths(len(whole))), *longer]
        for text in texts[:: 1 if IS_DEEP and SHARE > 25 else 9]:
            world.copy_data(data)
            (data / name).write_bytes(text)
            _check(world, data, row)
        world.copy_data(data)


def test_some_cut_files(world: World, data: Path) -> None:
    names = [path.relative_to(data).as_posix() for path in _list_files(data)]
    with LEDGER.suite("R9 cut files") as row:
        _truncate_all(world, data, [name for name in names if name.endswith("manifest")], row)


@pytest.mark.deep
def test_every_cut_file(world: World, data: Path) -> None:
    names = [path.relative_to(data).as_posix() for path in _list_files(data)]
    with LEDGER.suite("R9 cut files") as row:
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
    with LEDGER.suite("R10 flipped bits") as row:
        _flip(world, data, SHORT_FLIPS, row)


@pytest.mark.deep
def test_many_flipped_bits(world: World, data: Path) -> None:
    with LEDGER.suite("R10 flipped bits") as row:
        _flip(world, data, DEEP_FLIPS, row)


@pytest.mark.deep
def test_flipped_bits_before_a_real_server(world: World, data: Path) -> None:
    """The same, found by servers: their first answers are honest, and right after a refresh."""
    draw = random.Random(SEED + 1)
    right = ask_server(world.root, data)
    with LEDGER.suite("R10 flipped bits, real servers") as row:
        for _ in range(SERVED_FLIPS):
            world.copy_data(data)
            path = draw.choice(_list_files(data))
            text = bytearray(path.read_bytes())
            text[draw.randrange(len(text))] ^= 1 << draw.randrange(8)
            path.write_bytes(text)
            row.rounds += 1
            row.faults += 1
            assert ask_server(world.root, data) == right


@pytest.mark.parametrize("kind", INDEXES)
@pytest.mark.parametrize("step", [pytest.param(100 // SHARE, marks=pytest.mark.deep), 211])
def test_every_byte_of_the_index_is_guarded(world: World, data: Path, step: int, kind: str) -> None:
    """One bit of every byte of what is committed: the index does not open as if nothing had happened."""
    directory = _open_directory(world, data, kind)
    names = sorted(name for name in directory.list_names() if name.endswith((".seg", ".seal")))
    with LEDGER.suite("R10 every byte") as row:
        for path in [*(next(data.glob(f"{kind}-*")) / name for name in [*names, "manifest"])]:
            for _ in _iter_flips(path, step, row):
                with pytest.raises((IndexFormatError, OSError)):
                    _open_whole(directory)
        _open_whole(directory)


@pytest.mark.parametrize("step", [pytest.param(100 // SHARE, marks=pytest.mark.deep), 211])
def test_every_byte_of_what_was_seen_is_guarded(world: World, data: Path, step: int) -> None:
    """One bit of every byte of the record of what a refresh saw: it counts for nothing."""
    directory = _open_directory(world, data, "index")
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    entries, generation = snapshot.manifest.segments, snapshot.generation
    assert read_seen(directory, generation, entries) is not None
    with LEDGER.suite("R10 every byte") as row:
        for name in ("seen", "seen.changes"):
            for path in data.glob(f"index-*/{name}"):
                for _ in _iter_flips(path, step, row):
                    assert read_seen(directory, generation, entries) is None
        for path in data.glob("index-*/judged"):
            for _ in _iter_flips(path, step, row):
                memory = WalkMemory()
                recall_walk(directory, memory)
                assert not memory.judged
    assert read_seen(directory, generation, entries) is not None
    snapshot.close()


def _open_directory(world: World, data: Path, kind: str) -> DiskDirectory:
    """Return the directory of an index with the tags of its owner."""
    with closing(open_repository(world.root, data)) as repository:
        ((name, make_tag),) = [one for one in repository.namespaces.tags.items() if one[0].startswith(kind)]
    return DiskDirectory(str(data / name), make_tag=make_tag)


def _iter_flips(path: Path, step: int, row: Row) -> Iterator[None]:
    """Flip a bit of every byte of a file in turn, or of every so many; in the end it is as it was."""
    whole = path.read_bytes()
    for place in range(SEED % step, len(whole), step):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << (place + SEED) % 8
        path.write_bytes(flipped)
        row.rounds += 1
        row.faults += 1
        yield
    path.write_bytes(whole)


def _open_whole(directory: DiskDirectory) -> None:
    snapshot = Snapshot.open(directory)
    if snapshot is None:
        raise OSError("nothing is committed")
    snapshot.close()


def _swap_segments(data: Path) -> None:
    for kind in INDEXES if IS_DEEP else INDEXES[:1]:  # of the small tree of a check, symbols are one segment
        one, other = sorted(data.glob(f"{kind}-*/*.seg"))[:2]
        first = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(first)


def _swap_manifests(data: Path) -> None:
    one, other = (next(data.glob(f"{kind}-*/manifest")) for kind in INDEXES)
    first = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(first)


def _copy_segment(data: Path) -> None:
    for path in sorted(data.glob("*-*/*.seg")):
        shutil.copy(path, path.with_name("0" * 32 + ".seg"))


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
    "the manifests of both indexes exchanged": _swap_manifests,
    "a segment there twice": _copy_segment,
    "a segment deleted": _each(Path.unlink, "*-*/*.seg"),
    "a segment under another name": _each(lambda path: path.rename(f"{path}.old"), "*-*/*.seg"),
    "an empty manifest": _each(lambda path: path.write_bytes(b""), "*-*/manifest"),
    "no manifest": _each(Path.unlink, "*-*/manifest"),
    "no seal": _each(Path.unlink, "*-*/*.seal"),
    "no record of what was seen": _each(Path.unlink, "index-*/seen"),
    "a directory in place of the manifest": _each(_become_directory, "*-*/manifest"),
    "a directory in place of the lock": _each(_become_directory, "*-*/lock"),
    "a pipe in place of the record": _each(lambda path: (path.unlink(), os.mkfifo(path)), "index-*/seen"),
}  # fmt: skip


ALIKE = ("an empty manifest", "a directory in place of the manifest", "a segment under another name")


@pytest.mark.recipe
@pytest.mark.parametrize(
    "what",
    [pytest.param(what, marks=pytest.mark.deep if what in ALIKE else ()) for what in sorted(STOPPED)],
)
def test_an_index_that_was_tampered_with(renewed: World, world: World, data: Path, what: str) -> None:
    renewed.copy_data(data)
    with LEDGER.suite("R11 swaps and rollbacks") as row:
        STOPPED[what](data)
        _check(world, data, row)


@pytest.mark.recipe
@pytest.mark.parametrize("kinds", [("index",), ("structure",), INDEXES])
def test_an_older_manifest_with_newer_segments(world: World, data: Path, kinds: tuple[str, ...]) -> None:
    files = [path for kind in kinds for path in data.glob(f"{kind}-*/*") if path.suffix != ".seg"]
    old = {path: path.read_bytes() for path in files}
    with closing(open_repository(world.root, data)) as repository:
        renew(repository, force=True)
    with LEDGER.suite("R11 swaps and rollbacks") as row:
        for path, text in old.items():
            path.write_bytes(text)
        _check(world, data, row)


@pytest.mark.recipe
@pytest.mark.parametrize("kind", INDEXES)
def test_one_index_of_an_older_state(renewed: World, world: World, data: Path, kind: str) -> None:
    """One is rolled back whole, seals and segments, and the other stays as it is."""
    old = next(world.before.glob(f"{kind}-*"))
    renewed.copy_data(data)
    with LEDGER.suite("R11 swaps and rollbacks") as row:
        shutil.rmtree(data / old.name)
        shutil.copytree(old, data / old.name)
        _check(world, data, row)


@pytest.mark.recipe
def test_the_index_of_another_root(world: World, data: Path, tmp_path: Path) -> None:
    other = make_world(tmp_path, seed=77)
    with LEDGER.suite("R11 swaps and rollbacks") as row:
        for kind in INDEXES:
            mine, foreign = next(data.glob(f"{kind}-*")), next(other.before.glob(f"{kind}-*"))
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


def _forget_lost_lines(answers: list[str]) -> list[str]:
    """Return answers without the warning of calls that could not be logged, which a status keeps for good."""
    return [re.sub(r'"audit_unavailable: [^"]*"', "", answer) for answer in answers]


LIVE = {
    "cut to nothing": _each(lambda path: os.truncate(path, 0), "*-*/*.seg"),
    "cut in half": _each(lambda path: os.truncate(path, path.stat().st_size // 2), "*-*/*.seg"),
    "overwritten": _each(_overwrite, "*-*/*.seg"),
    "manifest overwritten": _each(_overwrite, "*-*/manifest"),
    "nobody may read it": _each(lambda path: path.chmod(0), "*-*/*"),
    "directory removed": _remove_all,
    "directory replaced by a link": _link_elsewhere,
}  # fmt: skip
LIVE_OF_A_CHECK = "cut in half"  # links: tests/repo_mcp/storage/test_replaced_data_dir.py


@pytest.mark.recipe
@pytest.mark.skipif(sys.platform != "linux", reason="files in use cannot be changed everywhere")
@pytest.mark.parametrize(
    "what",
    [pytest.param(what, marks=() if what == LIVE_OF_A_CHECK else pytest.mark.deep) for what in sorted(LIVE)],
)
def test_damage_under_a_running_server(world: World, data: Path, what: str) -> None:
    with LEDGER.suite("R12 live damage") as row, Served(world.root, data) as server:
        server.settle()
        right = server.ask_all(world.root)
        LIVE[what](data)
        row.rounds += 1
        row.faults += 1
        found = server.ask_all(world.root)
        assert [one for one, other in zip(found, right, strict=False) if not is_honest(one, other)] == []
        if data.is_symlink():
            _assert_nothing_is_written(server, data.with_name("elsewhere"))
            data.unlink()
        server.settle()
        assert _forget_lost_lines(server.ask_all(world.root)) == right
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert refresh_and_ask(world.root, data) == world.expected


def _assert_nothing_is_written(server: Served, elsewhere: Path) -> None:
    """Assert that no refresh of both indexes, bundle or log of calls writes; and the refresh says why."""
    for force in (False, True):
        done = server.call("repo.refresh_index", force=force)
        assert "a symbolic link is where the data directory was" in json.dumps(done)
        assert "error" in server.call("index_codebase", path=".", force=force)
    server.call("repo.build_context_bundle", prompt="how is the work queue scheduled")
    assert [path.name for path in elsewhere.rglob("*")] == ["precious"]
