"""The writer: one at a time, all or nothing, and whole again after any failure."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from index_format import (
    CorruptIndex,
    Directory,
    Field,
    IndexLocked,
    IndexWriter,
    Level,
    MemoryDirectory,
    Merger,
    Snapshot,
    read_manifest,
    verify_index,
)
from tests.deep.sizes import IS_DEEP
from tests.index_format.failing_directory import FailingDirectory, Fault, Killed
from tests.index_format.small_index import BODY, FIELDS, PATH, Model, expect_model, read_model, write_model

FIRST: Model = {
    "a": ({(BODY, b"alpha"): 1, (PATH, b"a"): 1},),
    "b": ({(BODY, b"beta"): 2}, {(BODY, b"alpha"): 30}),
    "c": (),
}
CHANGED: Model = {"b": ({(BODY, b"gamma"): 1},), "d": ({(BODY, b"delta"): 4},)}
SECOND: Model = {"b": CHANGED["b"], "c": FIRST["c"], "d": CHANGED["d"]}


def open_writer(directory: Directory, configuration: str = "configuration") -> IndexWriter:
    return IndexWriter(directory, configuration, FIELDS)


def read_generation(directory: Directory) -> tuple[int, object]:
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    return snapshot.generation, read_model(snapshot)


def build_first() -> MemoryDirectory:
    directory = MemoryDirectory()
    with open_writer(directory) as writer:
        writer.add(write_model(directory, FIRST, writer.reserve_temporary()))
        writer.commit()
    return directory


def update(directory: Directory) -> Iterator[int]:
    """Bring an index from FIRST to SECOND; yields the number of each commit that returned."""
    with open_writer(directory) as writer:
        writer.mark_dead(writer.segments[0].name, [0, 1])
        writer.add(write_model(directory, CHANGED, writer.reserve_temporary()))
        yield writer.commit().generation
        Merger(writer).merge(full=True)
        yield writer.commit().generation
        writer.delete_garbage()


def test_one_writer_at_a_time() -> None:
    directory = build_first()
    with open_writer(directory):
        with pytest.raises(IndexLocked):
            open_writer(directory)
        assert read_generation(directory)[0] == 1  # readers are not kept out
    open_writer(directory).close()


def test_a_writer_that_cannot_start_gives_the_lock_back() -> None:
    class Unreadable(MemoryDirectory):
        def open(self, name: str) -> object:  # type: ignore[override]
            raise PermissionError(13, "not yours", name)

    directory = Unreadable()
    for _ in range(2):
        with pytest.raises(PermissionError):
            open_writer(directory)


def test_nothing_is_visible_before_a_commit() -> None:
    directory = build_first()
    before = read_generation(directory)
    with open_writer(directory) as writer:
        writer.add(write_model(directory, CHANGED, writer.reserve_temporary()))
        writer.mark_dead(writer.segments[0].name, [0])
        assert read_generation(directory) == before
    assert read_generation(directory) == before
    with open_writer(directory) as writer:
        assert len(writer.segments) == 1
        writer.delete_garbage()
    assert len([name for name in directory.list_names() if name.endswith(".seg")]) == 1


def test_a_commit_without_a_change_changes_nothing() -> None:
    directory = build_first()
    files = {name: bytes(data) for name, data in directory.files.items()}
    with open_writer(directory) as writer:
        assert writer.commit().generation == 1
        assert writer.commit() == read_manifest(directory)
        entry = writer.segments[0]
        writer.add(entry)
        assert writer.segments == (entry,)
        assert writer.commit().generation == 1
    assert {name: bytes(data) for name, data in directory.files.items()} == files


def test_between_merges_there_may_be_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index_format.writer._find_fan_in", lambda: 2)
    directory = MemoryDirectory()
    counts: list[int] = []
    with open_writer(directory) as writer:
        for path, units in FIRST.items():
            writer.add(write_model(directory, {path: units}, writer.reserve_temporary()))
        before = writer.commit()
        model = read_generation(directory)[1]

        def commit() -> None:
            counts.append(len(writer.commit().segments))
            writer.delete_garbage()
            assert read_generation(directory) == (before.generation + 1, model)

        assert Merger(writer).merge(full=True, between=commit) == 2
        assert writer.commit().generation == before.generation + 2
    assert counts == [2]
    assert read_generation(directory) == (before.generation + 2, model)


def test_segments_of_a_long_build_are_merged_while_others_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index_format.writer._find_fan_in", lambda: 2)
    directory = MemoryDirectory()
    with open_writer(directory) as writer:
        writer.add(write_model(directory, {"before": FIRST["a"]}, writer.reserve_temporary()))
        writer.commit()
    model = {"before": FIRST["a"], **{f"f{number}": FIRST["a"] for number in range(8)}}
    with open_writer(directory) as writer:
        (before,) = writer.segments
        for path in list(model)[1:]:
            writer.add(write_model(directory, {path: model[path]}, writer.reserve_temporary()))
            if Merger(writer).merge_early():
                assert writer.segments[0] == before  # its files may still be marked dead
                assert directory.list_names().count("manifest") == 1
                assert sum(name.endswith(".seg") for name in directory.list_names()) == len(writer.segments)
        assert len(writer.segments) <= 1 + 4
        writer.mark_dead(before.name, [0])
        Merger(writer).merge(full=True)
        writer.commit()
        writer.delete_garbage()
        early = writer.segments
    del model["before"]
    at_once = MemoryDirectory()
    with open_writer(at_once) as writer:
        writer.add(write_model(at_once, model, writer.reserve_temporary()))
        writer.commit()
        assert writer.segments == early
    assert read_generation(directory)[1] == read_generation(at_once)[1]


def test_what_is_made_of_older_segments_is_not_merged_again_while_others_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Files of it are marked dead by its name, which was read after it was made."""
    monkeypatch.setattr("index_format.writer._find_fan_in", lambda: 2)
    directory = MemoryDirectory()
    with open_writer(directory) as writer:
        for number in range(4):
            writer.add(write_model(directory, {f"f{number}": FIRST["a"]}, writer.reserve_temporary()))
        writer.commit()
    with open_writer(directory) as writer:
        assert Merger(writer).merge_early(added=False)
        assert (len(writer.segments), writer.added) == (3, ())
        writer.add(write_model(directory, CHANGED, writer.reserve_temporary()))
        assert [entry.files for entry in writer.added] == [2]


def test_an_empty_index_can_be_committed() -> None:
    directory = MemoryDirectory()
    with open_writer(directory) as writer:
        assert Merger(writer).merge() == Merger(writer).merge(full=True) == 0
        assert writer.commit().generation == 1
    assert read_generation(directory) == (1, {})
    assert verify_index(directory) == []


def test_dead_files() -> None:
    directory = build_first()
    with open_writer(directory) as writer:
        name = writer.segments[0].name
        writer.mark_dead(name, [2])
        writer.mark_dead(name, iter([0, 2]))
        assert writer.segments[0].dead_files == (0, 2)
        for file in (-1, 3):
            with pytest.raises(IndexError):
                writer.mark_dead(name, [file])
        with pytest.raises(KeyError):
            writer.mark_dead("0" * 32 + ".seg", [0])
        assert writer.segments[0].dead_files == (0, 2)
        writer.mark_dead(name, [1])
        assert writer.segments == ()
        writer.commit()
        writer.delete_garbage()
    assert directory.list_names() == ["lock", "manifest"]
    assert read_generation(directory) == (2, {})


def test_discard_all() -> None:
    directory = build_first()
    with open_writer(directory) as writer:
        writer.discard_all()
        writer.add(write_model(directory, CHANGED, writer.reserve_temporary()))
        writer.commit()
        writer.delete_garbage()
    assert read_generation(directory) == (2, expect_model(CHANGED))
    assert verify_index(directory) == []


@pytest.mark.parametrize("other", [("another", FIELDS), ("configuration", (Field("body", Level.UNIT),))])
def test_another_configuration_or_schema_starts_from_nothing(other: tuple[str, tuple[Field, ...]]) -> None:
    directory = build_first()
    with IndexWriter(directory, *other) as writer:
        assert writer.segments == ()
        assert read_generation(directory)[0] == 1
        assert writer.commit().generation == 2
    assert read_generation(directory) == (2, {})


@pytest.mark.parametrize("damage", [b"", b"RMIX\x89MAN", b"x" * 200])
def test_a_manifest_that_cannot_be_read_is_replaced(damage: bytes) -> None:
    directory = build_first()
    directory.files["manifest"] = bytearray(damage)
    with pytest.raises(CorruptIndex):
        Snapshot.open(directory)
    with open_writer(directory) as writer:
        assert writer.segments == ()
        writer.add(write_model(directory, SECOND, writer.reserve_temporary()))
        writer.commit()
        writer.delete_garbage()
    assert read_generation(directory)[1] == expect_model(SECOND)
    assert len(directory.list_names()) == 3


def test_garbage_never_holds_what_is_committed() -> None:
    directory = build_first()
    with open_writer(directory) as writer:
        writer.add(write_model(directory, CHANGED, writer.reserve_temporary()))
        first = writer.segments[0].name
        writer.mark_dead(first, range(3))
        directory.create("new-7.tmp")
        directory.create("manifest.tmp")
        directory.create("owner's own")
        for segment in (first, "0" * 32):
            directory.create(f"{segment.removesuffix('.seg')}.word.side")
        writer.delete_garbage()
        assert len(directory.list_names()) == 6  # lock, manifest, two segments, a side file, what is not ours
        assert read_generation(directory) == (1, expect_model(FIRST))
        writer.commit()
        writer.delete_garbage()
        assert len(directory.list_names()) == 4


def test_a_segment_that_is_gone_is_corrupt_when_it_is_merged() -> None:
    directory = build_first()
    with open_writer(directory) as writer:
        writer.add(write_model(directory, CHANGED, writer.reserve_temporary()))
        directory.delete(writer.segments[0].name)
        with pytest.raises(CorruptIndex, match="is missing"):
            Merger(writer).merge(full=True)


def test_names_of_unfinished_segments_differ() -> None:
    with open_writer(MemoryDirectory()) as writer:
        assert len({writer.reserve_temporary() for _ in range(9)}) == 9


EXPECTED = {1: expect_model(FIRST), 2: expect_model(FIRST | CHANGED), 3: expect_model(SECOND)}
EXPECTED[2] = expect_model({"c": FIRST["c"], **CHANGED})


def count_operations() -> int:
    directory = FailingDirectory(build_first().files, Fault.ONCE, -1)
    assert list(update(directory)) == [2, 3]
    return directory.steps


def heal(directory: MemoryDirectory) -> None:
    """Do what the next process does; then the index must be as if nothing had ever happened."""
    with open_writer(directory) as writer:
        writer.delete_garbage()
        names = {entry.name for entry in writer.segments}
        assert set(directory.list_names()) - {"lock"} == names | {"manifest"}
        assert verify_index(directory) == []
        writer.discard_all()
        writer.add(write_model(directory, SECOND, writer.reserve_temporary()))
        writer.commit()
        writer.delete_garbage()
    assert read_generation(directory)[1] == expect_model(SECOND)
    fresh = MemoryDirectory()
    name = write_model(fresh, SECOND).name
    assert directory.list_names() == sorted(["lock", "manifest", name])
    assert directory.files[name] == fresh.files[name]


@pytest.mark.sized
@pytest.mark.parametrize("fault", Fault)
def test_stopping_after_any_operation_leaves_a_whole_generation(fault: Fault) -> None:
    total = count_operations()
    assert total > 30
    failed = 0
    step = 1 if IS_DEEP else 12
    for operation in range(1 + random.randrange(step), total + 1, step):
        directory = FailingDirectory(build_first().files, fault, operation)
        committed = 1
        try:
            for generation in update(directory):
                committed = generation
        except (OSError, Killed):
            failed += 1
        for image in directory.list_images():
            generation, model = read_generation(image)
            assert model == EXPECTED[generation]
            assert committed <= generation <= committed + 1
            heal(image)
    assert failed > total // (2 * step)  # deletions that fail are no failure


def test_a_writer_goes_on_after_an_error_that_passed() -> None:
    """A commit that failed before its rename can be repeated by the same writer."""
    directory = FailingDirectory(build_first().files, Fault.ONCE, 10**9)
    with open_writer(directory) as writer:
        writer.mark_dead(writer.segments[0].name, [0])
        directory.operation = directory.steps + 1
        with pytest.raises(OSError, match="fails"):
            writer.commit()
        assert read_generation(directory)[0] == 1
        assert writer.commit().generation == 2
    assert read_generation(directory)[0] == 2
