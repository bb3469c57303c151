"""Old namespaces go, and nothing else does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from index_format import DiskDirectory
from repo_mcp.storage.namespaces import UNUSED_SECONDS, mark_used, remove, remove_unused
from tests.posix import posix
from tests.repo_mcp.own_directories import own

NOW = 2_000_000_000.0
OURS = "index-v2-00112233445566aa"
OWN = (
    "manifest",
    "lock",
    "seen",
    "seen.changes",
    "judged",
    "purge",
    "a.seg",
    "b.seal",
    "a.pairs.side",
    "new-1.tmp",
)
OLD, FRESH = NOW - UNUSED_SECONDS - 10, NOW - UNUSED_SECONDS + 10


def make(data_dir: Path, name: str, touched: float = OLD, more: str = "") -> Path:
    place = data_dir / name
    place.mkdir(mode=0o700)
    for file in (
        "manifest",
        "lock",
        "seen",
        "seen.changes",
        "judged",
        "purge",
        "a.seg",
        "b.seal",
        "a.pairs.side",
        "1.tmp",
        more,
    ):
        if file:
            (place / file).write_bytes(b"x")
            os.utime(place / file, (touched, touched))
    os.utime(place, (touched, touched))
    return place


def test_what_nobody_used_for_long_goes_and_the_rest_stays(tmp_path: Path) -> None:
    gone = [make(tmp_path, OURS), make(tmp_path, "structure-v2-00112233445566ab")]
    kept = [
        make(tmp_path, "index-v2-00112233445566ac", FRESH),
        make(tmp_path, "index-v2-00112233445566ad"),
        make(tmp_path, "index-v2-future0000000000"),
        make(tmp_path, "index-v2-00112233445566ae", NOW + 10**8),
        make(tmp_path, "notes"),
    ]
    (tmp_path / "index-v2-00112233445566af").write_text("a file")
    removed = remove_unused(own(tmp_path), [kept[1].name], lambda: NOW)
    assert removed == tuple(sorted(place.name for place in gone))
    assert sorted(os.listdir(tmp_path)) == sorted([*(one.name for one in kept), "index-v2-00112233445566af"])


def test_one_that_was_opened_lately_stays(tmp_path: Path) -> None:
    place = make(tmp_path, OURS)
    mark_used(own(place))
    assert remove_unused(own(tmp_path), [], lambda: os.stat(place).st_mtime + 60) == ()
    mark_used(own(tmp_path / "nothing"))


def test_one_that_is_being_written_stays(tmp_path: Path) -> None:
    place = make(tmp_path, OURS)
    lock = DiskDirectory(str(place)).lock("lock")
    assert remove_unused(own(tmp_path), [], lambda: NOW) == ()
    lock.release()
    assert len(os.listdir(place)) == len(OWN)
    os.utime(place, (OLD, OLD))
    assert remove_unused(own(tmp_path), [], lambda: NOW) == (OURS,)


@posix
def test_what_is_not_ours_in_it_stays_and_nothing_is_reached_through_links(tmp_path: Path) -> None:
    data_dir, victim = tmp_path / "d", tmp_path / "victim"
    data_dir.mkdir()
    make(tmp_path, "victim")
    (data_dir / OURS).symlink_to(victim)
    place = make(data_dir, "index-v2-00112233445566ab", more="a letter.txt")
    (place / "linked.seg").symlink_to(victim / "manifest")
    (place / "inner").mkdir()
    os.utime(place, (OLD, OLD))
    assert remove_unused(own(data_dir), [], lambda: NOW) == ()
    assert len(os.listdir(victim)) == len(OWN)
    (left,) = (one for one in data_dir.iterdir() if one.name != OURS)
    assert sorted(os.listdir(left)) == ["a letter.txt", "inner", "linked.seg"]


def test_a_removal_that_was_interrupted_is_ended_the_next_time(tmp_path: Path) -> None:
    make(tmp_path, f".removed-{OURS}", FRESH)
    assert remove_unused(own(tmp_path), [], lambda: NOW) == (f".removed-{OURS}",)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", [OURS, "missing"])
def test_failures_are_no_errors(tmp_path: Path, name: str) -> None:
    (tmp_path / OURS).write_text("x")
    assert not remove(own(tmp_path), name)
    assert remove_unused(own(tmp_path / "missing"), []) == ()
