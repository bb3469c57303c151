"""Snapshots: exact live statistics; a generation that stays; segments that are missing or exchanged."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import (
    VERSION,
    CorruptIndex,
    Directory,
    DiskDirectory,
    IndexTooNew,
    IndexTooOld,
    IndexWriter,
    Level,
    Manifest,
    MemoryDirectory,
    Merger,
    Snapshot,
    read_manifest,
)
from index_format.manifest import write_manifest
from index_format.memory_directory import MemoryFile
from tests.deep.sizes import examples
from tests.index_format.small_index import (
    BODY,
    FIELDS,
    PATH,
    SYMBOL,
    Model,
    build_content,
    expect_model,
    read_model,
    write_model,
)

UNITS = st.dictionaries(
    st.tuples(st.sampled_from([BODY, PATH, SYMBOL]), st.sampled_from([b"a", b"b", b"c"])),
    st.integers(1, 20),
    max_size=4,
)
MODELS = st.dictionaries(
    st.text("ab/", min_size=1, max_size=3), st.lists(UNITS, max_size=3).map(tuple), max_size=6
)
ONE: Model = {"a": ({(BODY, b"one"): 1},), "b": ({(BODY, b"two"): 2}, {(BODY, b"one"): 3})}
TWO: Model = {"c": ({(BODY, b"three"): 1, (PATH, b"c"): 1},)}


def open_snapshot(directory: Directory) -> Snapshot:
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    return snapshot


def commit(directory: Directory, *models: Model) -> Manifest:
    with IndexWriter(directory, "configuration", FIELDS) as writer:
        for model in models:
            writer.add(write_model(directory, model, writer.reserve_temporary()))
        return writer.commit()


def test_no_generation_is_none() -> None:
    assert Snapshot.open(MemoryDirectory()) is None


@settings(max_examples=examples(60))
@given(MODELS, MODELS, st.data())
def test_statistics_are_those_of_the_live(first: Model, second: Model, data: st.DataObject) -> None:
    second = {path: units for path, units in second.items() if path not in first}
    parts = [part for part in (first, second) if part]
    directory = MemoryDirectory()
    live: Model = {}
    with IndexWriter(directory, "configuration", FIELDS) as writer:
        for part in parts:
            entry = write_model(directory, part, writer.reserve_temporary())
            writer.add(entry)
            paths = sorted(part, key=str.encode)
            dead = data.draw(st.sets(st.sampled_from(range(len(paths)))))
            writer.mark_dead(entry.name, dead)
            live |= {path: part[path] for file, path in enumerate(paths) if file not in dead}
        writer.commit()
    snapshot = open_snapshot(directory)
    wanted = build_content(live)
    assert snapshot.file_count == len(live)
    assert snapshot.unit_count == sum(map(len, live.values()))
    sums = [snapshot.sum_lengths(number) for number in range(len(FIELDS))]
    assert sums == [int(column.sum()) for column in wanted.lengths]
    assert read_model(snapshot) == expect_model(live)
    listed = [segment.reader.files.read_path(file) for segment, file in snapshot.iter_live_files()]
    assert sorted(listed) == sorted(live)
    for segment in snapshot.segments:
        for level in Level:
            mask = segment.get_live_mask(level)
            assert (mask is None) == (not segment.entry.dead_files)
        assert segment.live_units == int(segment.live_unit_mask.sum())


@pytest.mark.parametrize("kind", ["disk", "memory"])
def test_a_snapshot_outlives_what_writers_do(kind: str, tmp_path: Path) -> None:
    directory = DiskDirectory(str(tmp_path)) if kind == "disk" else MemoryDirectory()
    commit(directory, ONE, TWO)
    old = open_snapshot(directory)
    names = [entry.name for entry in old.manifest.segments]
    with IndexWriter(directory, "configuration", FIELDS) as writer:
        writer.mark_dead(next(entry.name for entry in writer.segments if entry.files == 2), [0])
        writer.commit()
        assert Merger(writer).merge(full=True) == 1
        writer.commit()
        writer.delete_garbage()
    if os.name != "nt" or kind != "disk":  # there, an open file is deleted by a later writer
        assert not set(names) & set(directory.list_names())
    assert read_model(old) == expect_model(ONE | TWO)
    assert (old.generation, old.file_count, old.unit_count) == (1, 3, 4)
    assert [old.sum_lengths(field) for field in range(3)] == [7, 1, 0]
    new = open_snapshot(directory)
    assert read_model(new) == expect_model({"b": ONE["b"]} | TWO)
    assert new.generation == 3
    old.close()
    new.close()


def test_a_segment_that_is_missing_is_corrupt() -> None:
    directory = MemoryDirectory()
    manifest = commit(directory, ONE, TWO)
    directory.delete(manifest.segments[1].name)
    with pytest.raises(CorruptIndex, match="is missing"):
        Snapshot.open(directory)


def test_exchanged_segments_are_corrupt() -> None:
    directory = MemoryDirectory()
    one, two = (entry.name for entry in commit(directory, ONE, TWO).segments)
    files = directory.files
    files[one], files[two] = files[two], files[one]
    with pytest.raises(CorruptIndex, match=f"{one}: holds the content of {two[:32]}"):
        Snapshot.open(directory)
    with pytest.raises(CorruptIndex), IndexWriter(directory, "configuration", FIELDS) as writer:
        Merger(writer).merge(full=True)


@pytest.mark.parametrize("change", [{"files": 3}, {"units": 2}, {"file_bytes": 1}])
def test_a_segment_that_is_not_as_the_manifest_says_is_corrupt(change: dict[str, int]) -> None:
    directory = MemoryDirectory()
    manifest = commit(directory, ONE)
    write_manifest(directory, manifest._replace(segments=(manifest.segments[0]._replace(**change),)))
    with pytest.raises(CorruptIndex, match="the manifest says otherwise"):
        Snapshot.open(directory)


def test_another_schema_is_corrupt() -> None:
    directory = MemoryDirectory()
    write_manifest(directory, commit(directory, ONE)._replace(fields=FIELDS[:2]))
    with pytest.raises(CorruptIndex, match="another schema"):
        Snapshot.open(directory)


@pytest.mark.parametrize(("version", "error"), [(VERSION - 1, IndexTooOld), (VERSION + 1, IndexTooNew)])
def test_a_segment_of_another_version_is_refused_as_such(version: int, error: type[Exception]) -> None:
    directory = MemoryDirectory()
    directory.files[commit(directory, ONE).segments[0].name][8] = version
    with pytest.raises(error):
        Snapshot.open(directory)


class Racing(MemoryDirectory):
    """A writer commits and deletes between our reading the manifest and the segments."""

    def __init__(self) -> None:
        super().__init__()
        self.commits: list[Model] = []

    def open(self, name: str) -> MemoryFile:
        if name.endswith(".seg") and self.commits:
            model = self.commits.pop(0)
            with IndexWriter(self, "configuration", FIELDS) as writer:
                writer.discard_all()
                writer.add(write_model(self, model, writer.reserve_temporary()))
                writer.commit()
                writer.delete_garbage()
        return super().open(name)


def test_a_race_with_a_writer_is_tried_again() -> None:
    directory = Racing()
    commit(directory, ONE)
    directory.commits = [TWO, ONE, TWO]
    snapshot = open_snapshot(directory)
    assert read_model(snapshot) == expect_model(TWO)
    manifest = read_manifest(directory)
    assert manifest == snapshot.manifest


def test_nothing_stays_open_when_opening_fails(tmp_path: Path) -> None:
    directory = DiskDirectory(str(tmp_path))
    manifest = commit(directory, ONE, TWO)
    directory.delete(manifest.segments[1].name)
    opened = []

    class Counting(DiskDirectory):
        def open(self, name: str) -> object:  # type: ignore[override]
            opened.append(super().open(name))
            return opened[-1]

    with pytest.raises(CorruptIndex):
        Snapshot.open(Counting(str(tmp_path)))
    assert len(opened) >= 2
    for file in opened:
        with pytest.raises(OSError, match="descriptor"):
            file.read(0, 1)
