"""The record of seen files: written in two files, read back as it was, whatever changed in between."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import CorruptIndex, DiskDirectory
from repo_mcp.file_stat import FileStat
from repo_mcp.indexing import scan_state, scan_state_pages
from repo_mcp.indexing.scan_state import (
    CHANGES_FILE,
    SIDE_FILE,
    RefreshEnd,
    SeenFiles,
    build_seen,
    read_seen,
    renew_seen,
    write_seen,
)
from repo_mcp.indexing.tree_changes import count_changed, drop_unchanged, find_changed
from repo_mcp.model import SkipReason, WalkedFile, WalkReport
from repo_mcp.workspace.walked_files import build_walked_files
from tests.deep.sizes import examples

HOUR_NS = 3_600_000_000_000
Tree = dict[str, int]  # path -> what its numbers are made of


def walk(tree: Tree) -> WalkReport:
    files = [WalkedFile(path, FileStat(size, HOUR_NS, HOUR_NS, 7)) for path, size in sorted(tree.items())]
    return WalkReport(tuple(files), {"ignored": len(tree)}, (), ())


def end_of(generation: int) -> RefreshEnd:
    return RefreshEnd(generation, 10 * HOUR_NS, 1.5)


def see(tree: Tree, generation: int, skipped: Sequence[str] = (), unsettled: Sequence[str] = ()) -> SeenFiles:
    reasons = dict.fromkeys(skipped, SkipReason.BINARY)
    return build_seen(end_of(generation), walk(tree), reasons, frozenset(unsettled))


def assert_same(one: SeenFiles | None, other: SeenFiles) -> None:
    assert one is not None
    assert (one.generation, one.taken_at, one.complete) == (other.generation, other.taken_at, other.complete)
    assert one.read_files() == other.read_files()
    assert (one.left_out, one.find_racy()) == (other.left_out, other.find_racy())
    assert one.get_skipped() == other.get_skipped()
    assert one.count_reasons() == other.count_reasons()
    for path in PATHS:
        assert one.find(path) == other.find(path)


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_state_pages, "PAGE_FILES", 3)


PATHS = [
    f"{directory}{name}"
    for directory in ("", "a/", "b/c/")
    for name in ("x", "y-", "ä", "z/q", "\ufffd", "𝕏")
]
TREES = st.dictionaries(st.sampled_from(PATHS), st.integers(0, 2), max_size=len(PATHS))


SETS = st.sets(st.sampled_from(PATHS))


@settings(max_examples=examples(100))
@given(st.lists(st.tuples(TREES, SETS, SETS), min_size=1))
def test_a_history_of_whole_records_is_read_back(history: list[tuple[Tree, set[str], set[str]]]) -> None:
    with TemporaryDirectory() as place:
        directory = DiskDirectory(place)
        for generation, (tree, skipped, unsettled) in enumerate(history):
            seen = see(tree, generation, sorted(skipped), sorted(unsettled))
            write_seen(directory, seen)
            assert_same(read_seen(directory, generation), seen)
            assert set(seen.get_skipped()) == skipped & set(tree)
            assert seen.find_racy() == unsettled & set(tree)
            assert list(seen.read_files()) == list(walk(tree).files)
            assert read_seen(directory, generation + 1) is None


@settings(max_examples=examples(100))
@given(st.lists(st.tuples(TREES, SETS, SETS), min_size=1), st.sampled_from([2, 5, 2_000]), st.data())
def test_what_refreshes_touch_is_all_that_is_written(
    history: list[tuple[Tree, set[str], set[str]]], most: int, data: st.DataObject
) -> None:
    """A record that refreshes carry on is the one that is made of the whole tree at once."""
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patched:
        patched.setattr(scan_state, "MAX_CHANGES", most)
        directory = DiskDirectory(place)
        before: SeenFiles | None = None
        skipped: dict[str, SkipReason] = {}
        racy: set[str] = set()
        for generation, (tree, refused, unsettled) in enumerate(history):
            report = walk(tree)
            changed, missing = find_changed(before, report.files)
            read = [report.files[row] for row in changed]
            names = {file.path for file in read}
            skipped = {path: reason for path, reason in skipped.items() if path in set(tree) - names}
            skipped |= dict.fromkeys(refused & names, SkipReason.BINARY)
            racy = (racy & set(tree) - names) | (unsettled & names)
            if before is None:
                seen = build_seen(end_of(generation), report, skipped, frozenset(racy))
            else:
                seen = renew_seen(before, end_of(generation), read, missing, skipped, frozenset(racy))
                seen = replace(seen, left_out=report.skipped)
            written = write_seen(directory, seen)
            assert_same(seen, see_with(tree, generation, skipped, racy))
            assert_same(written, seen)
            assert_same(read_seen(directory, generation), seen)
            before = written if data.draw(st.booleans()) else read_seen(directory, generation)


def see_with(tree: Tree, generation: int, skipped: dict[str, SkipReason], racy: set[str]) -> SeenFiles:
    return build_seen(end_of(generation), walk(tree), skipped, frozenset(racy))


@settings(max_examples=examples(200))
@given(TREES, TREES, TREES, SETS)
def test_changed_files_are_found(first: Tree, before: Tree, after: Tree, unsettled: set[str]) -> None:
    report = walk(after)
    for seen in (see(before, 1, (), sorted(unsettled)), carry_on(first, before, unsettled)):
        changed, missing = find_changed(seen, report.files)
        expected = [path for path in sorted(after) if after[path] != before.get(path) or path in unsettled]
        assert [report.files[place].path for place in changed] == expected
        assert missing == sorted(set(before) - set(after))
        assert [file.path for file in drop_unchanged(seen, report.files)] == expected
        otherwise = [path for path in {**before, **after} if before.get(path) != after.get(path)]
        assert count_changed(seen, report.files) == len(otherwise)


@settings(max_examples=examples(200))
@given(TREES, TREES, TREES)
def test_what_was_noted_elsewhere_is_found_in_a_record(first: Tree, before: Tree, noted: Tree) -> None:
    files = build_walked_files(walk(noted).files)
    for seen in (see(before, 1), carry_on(first, before, set())):
        is_same, sizes = seen.find_noted(files)
        assert is_same.tolist() == [before.get(path) == noted[path] for path in files.paths]
        assert [sizes[row] for row in np.flatnonzero(is_same)] == [
            noted[path] for path, same in zip(files.paths, is_same.tolist(), strict=True) if same
        ]


def test_a_size_beyond_what_git_notes_is_reported() -> None:
    seen = see({"a": 5 + (1 << 32), "b": 5}, 1)
    is_same, sizes = seen.find_noted(build_walked_files(walk({"a": 5, "b": 5}).files))
    assert (is_same.tolist(), sizes.tolist()) == ([True, True], [5 + (1 << 32), 5])


def carry_on(first: Tree, before: Tree, unsettled: set[str]) -> SeenFiles:
    """Return the record of a tree as a refresh makes it of that of another one."""
    seen, report = see(first, 1), walk(before)
    changed, missing = find_changed(seen, report.files)
    racy = {report.files[place].path for place in changed} | set(unsettled)
    read = [file for file in report.files if file.path in racy]
    return renew_seen(seen, end_of(2), read, missing, {}, frozenset(unsettled))


def change(seen: SeenFiles | None, tree: Tree, generation: int, gone: Sequence[str] = ()) -> SeenFiles:
    """Return the record after some files are as in the tree, and others gone."""
    assert seen is not None
    return renew_seen(seen, end_of(generation), walk(tree).files, gone, {}, frozenset())


def test_a_few_changes_leave_the_whole_record_alone(tmp_path: Path) -> None:
    directory = DiskDirectory(str(tmp_path), create=True)
    tree = {f"f{number:04}": 1 for number in range(1_000)}
    write_seen(directory, see(tree, 1))
    written = (tmp_path / SIDE_FILE).stat().st_ino
    write_seen(directory, change(read_seen(directory, 1), {"f0500": 2}, 2))
    assert (tmp_path / SIDE_FILE).stat().st_ino == written
    assert (tmp_path / CHANGES_FILE).stat().st_size < 1_000
    seen = read_seen(directory, 2)
    assert seen is not None
    assert seen.read_files() == walk(tree | {"f0500": 2}).files


def test_many_changes_are_a_new_whole_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_state, "MAX_CHANGES", 3)
    directory = DiskDirectory(str(tmp_path), create=True)
    write_seen(directory, see({"a": 1, "b": 1}, 1))
    written = (tmp_path / SIDE_FILE).stat().st_ino
    more = {"a": 2, "c": 1, "d": 1, "e": 1}
    write_seen(directory, change(read_seen(directory, 1), more, 2, ["b"]))
    assert (tmp_path / SIDE_FILE).stat().st_ino != written
    seen = read_seen(directory, 2)
    assert seen is not None
    assert seen.read_files() == walk(more).files


@pytest.mark.parametrize("name", [SIDE_FILE, CHANGES_FILE])
@pytest.mark.parametrize("damage", ["cut", "flipped", "gone", "other"])
def test_a_damaged_record_counts_for_nothing(tmp_path: Path, name: str, damage: str) -> None:
    directory = DiskDirectory(str(tmp_path), create=True)
    write_seen(directory, see({"a": 1, "b": 1}, 1))
    write_seen(directory, change(read_seen(directory, 1), {"a": 2}, 2))
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


def test_a_record_that_somebody_deleted_is_written_whole(tmp_path: Path) -> None:
    directory = DiskDirectory(str(tmp_path), create=True)
    seen = write_seen(directory, see({"a": 1, "b": 1}, 1))
    os.unlink(tmp_path / SIDE_FILE)
    write_seen(directory, change(seen, {"a": 2}, 2))
    found = read_seen(directory, 2)
    assert found is not None
    assert found.read_files() == walk({"a": 2, "b": 1}).files


def test_a_page_that_cannot_be_unpacked_is_an_error_of_ours() -> None:
    pages = scan_state_pages.build_pages(build_walked_files(walk({"a": 1, "b": 1}).files))
    for packed in (
        b"",
        pages.packed[0][:-1],
        scan_state_pages.pack_text(b"x"),
        scan_state_pages.pack_text(b"x" * 200),
    ):
        with pytest.raises(CorruptIndex):
            scan_state_pages.SeenPages(pages.count, pages.firsts, pages.prints, [packed]).find("a")
    with pytest.raises(ValueError, match="number of pages"):
        scan_state_pages.SeenPages(4, pages.firsts, pages.prints, pages.packed)


def test_pages_made_ahead_are_the_same() -> None:
    report = walk({f"{number:04}.c": number for number in range(700)})
    background = scan_state_pages.BackgroundPages(build_walked_files(report.files))
    made = build_seen(end_of(1), report, {}, frozenset(), "", background)
    assert_same(made, build_seen(end_of(1), report, {}, frozenset()))
    assert background.get() is background.get()


def test_a_failure_ahead_is_met_by_who_asks() -> None:
    report = walk({"\udcff.c": 1})
    background = scan_state_pages.BackgroundPages(build_walked_files(report.files))
    with pytest.raises(UnicodeEncodeError):
        background.get()


def test_pages_that_are_as_before_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = {f"f{number:04}": 1 for number in range(30)}
    seen = see(tree, 1)
    read: list[int] = []
    unpack = scan_state_pages.SeenPages._unpack
    monkeypatch.setattr(
        scan_state_pages.SeenPages, "_unpack", lambda self, page: read.append(page) or unpack(self, page)
    )
    assert find_changed(seen, walk(tree).files) == ([], [])
    assert not read
    assert find_changed(seen, walk(tree | {"f0004": 2, "f0004a": 1}).files) == ([4, 5], [])
    assert read == [1]
