"""The poison list: shared, kept, bounded, and believed only when we wrote it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from index_format import MakeTag
from repo_mcp.storage.poison import MAX_TEXTS, POISON_FILE, PoisonList
from tests.posix import posix
from tests.repo_mcp.own_directories import own


def make_owner(key: bytes) -> MakeTag:
    return lambda data: hashlib.blake2b(data, key=key, digest_size=32).digest()


OURS = make_owner(b"ours")


def open_list(place: Path, owner: MakeTag = OURS) -> PoisonList:
    return PoisonList(own(place), owner)


def test_what_one_list_has_the_next_process_knows(tmp_path: Path) -> None:
    first, second = open_list(tmp_path), open_list(tmp_path)
    assert b"bad" not in second
    first.add(b"bad")
    assert (b"bad" in first, b"good" in first) == (True, False)
    assert b"bad" in open_list(tmp_path)
    second.add(b"worse")  # it had been read before
    assert (b"bad" in second, b"bad" in open_list(tmp_path), len(open_list(tmp_path))) == (True, True, 2)
    if os.name != "nt":
        assert stat.S_IMODE((tmp_path / POISON_FILE).stat().st_mode) == 0o600
    assert b"bad" not in (tmp_path / POISON_FILE).read_bytes()


def test_clearing_leaves_nothing_of_a_process_that_was_killed(tmp_path: Path) -> None:
    """Every forced refresh clears the list: three hundred kills left what one of them had begun to write."""
    (tmp_path / "poison.tmp").write_bytes(b"x")
    poison = open_list(tmp_path)
    poison.clear()
    assert list(tmp_path.iterdir()) == []
    poison.add(b"text")
    poison.clear()
    assert list(tmp_path.iterdir()) == []


def test_cleared_it_is_empty(tmp_path: Path) -> None:
    poison = open_list(tmp_path)
    poison.add(b"bad")
    poison.clear()
    assert (b"bad" in poison, len(open_list(tmp_path))) == (False, 0)


def test_it_is_bounded(tmp_path: Path) -> None:
    poison = open_list(tmp_path)
    poison._write = lambda prints: None  # type: ignore[method-assign,assignment]  # 4,000 files
    for number in range(MAX_TEXTS + 5):
        poison.add(b"%d" % number)
    assert len(poison) == MAX_TEXTS
    assert (b"4" in poison, b"5" in poison) == (False, True)


def test_a_list_without_a_place_holds_in_the_process() -> None:
    poison = PoisonList()
    poison.add(b"bad")
    assert b"bad" in poison


def put_link(file: Path) -> None:
    file.rename(file.with_name("victim"))
    file.symlink_to("victim")


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(file.read_bytes()[:-1]),
        lambda file: file.write_bytes(file.read_bytes() + b"x" * 16),
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(bytes(10**6)),
        lambda file: (file.unlink(), file.mkdir()),
        pytest.param(lambda file: (file.unlink(), os.mkfifo(file)), marks=posix),
        pytest.param(put_link, marks=posix),
    ],
)
def test_a_list_that_is_not_ours_is_not_believed(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    open_list(tmp_path).add(b"bad")
    damage(tmp_path / POISON_FILE)
    assert len(open_list(tmp_path)) == 0
    assert len(open_list(tmp_path, make_owner(b"theirs"))) == 0
    poison = open_list(tmp_path)
    poison.add(b"worse")
    assert b"worse" in poison
