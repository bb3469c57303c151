"""The record of seen files: written in two files, read back as it was, whatever changed in between."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import DiskDirectory
from repo_mcp.file_stat import FileStat
from repo_mcp.index import freshness
from repo_mcp.index.freshness import (
    CHANGES_FILE,
    SIDE_FILE,
    SeenFiles,
    build_seen,
    build_stats,
    count_changed,
    find_changed,
    find_touched,
    read_seen,
    write_seen,
)
from repo_mcp.model import SkipReason, WalkedFile, WalkReport

HOUR_NS = 3_600_000_000_000
Tree = dict[str, int]  # path -> what its numbers are made of


def walk(tree: Tree) -> WalkReport:
    files = [WalkedFile(path, FileStat(size, HOUR_NS, HOUR_NS, 7)) for path, size in sorted(tree.items())]
    return WalkReport(tuple(files), {"ignored": len(tree)}, (), ())


def see(tree: Tree, generation: int, skipped: Sequence[str] = (), unsettled: Sequence[str] = ()) -> SeenFiles:
    report = walk(tree)
    reasons = dict.fromkeys(skipped, SkipReason.BINARY)
    stats = build_stats(report.files)
    return build_seen(generation, 1.5, 10 * HOUR_NS, report, stats, reasons, frozenset(unsettled))


def assert_same(one: SeenFiles | None, other: SeenFiles) -> None:
    assert one is not None
    assert (one.generation, one.taken_at, one.complete) == (other.generation, other.taken_at, other.complete)
    assert list(one.paths) == list(other.paths)
    assert one.left_out == other.left_out
    for name in ("stats", "racy", "reasons"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.get_skipped() == other.get_skipped()


PATHS = [
    f"{directory}{name}"
    for directory in ("", "a/", "b/c/")
    for name in ("x", "y-", "ä", "z/q", "\ufffd", "𝕏")
]
TREES = st.dictionaries(st.sampled_from(PATHS), st.integers(0, 2), max_size=len(PATHS))


SETS = st.sets(st.sampled_from(PATHS))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(TREES, SETS, SETS), min_size=1))
def test_a_history_of_records_is_read_back(history: list[tuple[Tree, set[str], set[str]]]) -> None:
    with TemporaryDirectory() as place:
        directory = DiskDirectory(place)
        before: SeenFiles | None = None
        for generation, (tree, skipped, unsettled) in enumerate(history):
            seen = see(tree, generation, sorted(skipped), sorted(unsettled))
            write_seen(directory, seen, before)
            before = read_seen(directory, generation)
            assert_same(before, seen)
            assert set(seen.get_skipped()) == skipped & set(tree)
            assert read_seen(directory, generation + 1) is None


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(TREES, SETS, SETS), min_size=1))
def test_what_refreshes_touch_is_all_that_is_written(history: list[tuple[Tree, set[str], set[str]]]) -> None:
    with TemporaryDirectory() as place:
        directory = DiskDirectory(place)
        before: SeenFiles | None = None
        skipped: dict[str, SkipReason] = {}
        for generation, (tree, refused, unsettled) in enumerate(history):
            report = walk(tree)
            stats = build_stats(report.files)
            changed, missing = find_changed(before, report.files, stats)
            read = {report.files[row].path for row in changed}
            skipped = {path: reason for path, reason in skipped.items() if path in set(tree) - read}
            skipped |= dict.fromkeys(refused & read, SkipReason.BINARY)
            touched = find_touched(before, read, missing)
            racy = frozenset(unsettled & read)
            seen = build_seen(generation, 1.5, 10 * HOUR_NS, report, stats, skipped, racy, touched)
            write_seen(directory, seen, before)
            before = read_seen(directory, generation)
            assert_same(before, seen)


@settings(max_examples=200, deadline=None)
@given(TREES, TREES, st.sets(st.sampled_from(PATHS)))
def test_changed_files_are_found(before: Tree, after: Tree, unsettled: set[str]) -> None:
    report = walk(after)
    seen = see(before, 1, (), sorted(unsettled))
    changed, missing = find_changed(seen, report.files, build_stats(report.files))
    expected = [path for path in sorted(after) if after[path] != before.get(path) or path in unsettled]
    assert [report.files[place].path for place in changed] == expected
    assert missing == sorted(set(before) - set(after))
    otherwise = [path for path in {**before, **after} if before.get(path) != after.get(path)]
    assert count_changed(seen, report.files) == len(otherwise)


def test_a_few_changes_leave_the_whole_record_alone(tmp_path: Path) -> None:
    directory = DiskDirectory(str(tmp_path), create=True)
    tree = {f"f{number:04}": 1 for number in range(1_000)}
    write_seen(directory, see(tree, 1))
    written = (tmp_path / SIDE_FILE).stat().st_ino
    write_seen(directory, see(tree | {"f0500": 2}, 2), read_seen(directory, 1))
    assert (tmp_path / SIDE_FILE).stat().st_ino == written
    assert (tmp_path / CHANGES_FILE).stat().st_size < 1_000
    assert_same(read_seen(directory, 2), see(tree | {"f0500": 2}, 2))


def test_many_changes_are_a_new_whole_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "MAX_CHANGES", 3)
    directory = DiskDirectory(str(tmp_path), create=True)
    write_seen(directory, see({"a": 1, "b": 1}, 1))
    written = (tmp_path / SIDE_FILE).stat().st_ino
    more = {"a": 2, "c": 1, "d": 1, "e": 1}
    write_seen(directory, see(more, 2), read_seen(directory, 1))
    assert (tmp_path / SIDE_FILE).stat().st_ino != written
    assert_same(read_seen(directory, 2), see(more, 2))


@pytest.mark.parametrize("name", [SIDE_FILE, CHANGES_FILE])
@pytest.mark.parametrize("damage", ["cut", "flipped", "gone", "other"])
def test_a_damaged_record_counts_for_nothing(tmp_path: Path, name: str, damage: str) -> None:
    directory = DiskDirectory(str(tmp_path), create=True)
    write_seen(directory, see({"a": 1, "b": 1}, 1))
    write_seen(directory, see({"a": 2, "b": 1}, 2), read_seen(directory, 1))
    file = tmp_path / name
    data = file.read_bytes()
    if damage == "cut":
        file.write_bytes(data[:-1])
    elif damage == "flipped":
        file.write_bytes(data[:40] + bytes([data[40] ^ 1]) + data[41:])
    elif damage == "gone":
        os.unlink(file)
    else:
        write_seen(directory, see({"c": 1}, 5))
    assert read_seen(directory, 2) is None
