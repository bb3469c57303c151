"""The seal: an owner takes for his own what he wrote, after any crash, and nothing else."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from index_format import (
    CorruptIndex,
    Directory,
    DiskDirectory,
    IndexForeign,
    IndexWriter,
    MakeTag,
    MemoryDirectory,
    Merger,
    Snapshot,
    verify_index,
)
from index_format.disk_directory import DiskFile
from index_format.seals import HEADER, MAX_SEAL_BYTES, name_seal
from tests.deep.sizes import IS_DEEP
from tests.index_format.failing_directory import FailingDirectory, Fault, Killed
from tests.index_format.small_index import BODY, FIELDS, Model, expect_model, read_model, write_model

FIRST: Model = {"a": ({(BODY, b"alpha"): 1},), "b": ({(BODY, b"beta"): 2},), "c": ()}
CHANGED: Model = {"b": ({(BODY, b"gamma"): 1},)}
SECOND: Model = {**FIRST, **CHANGED}


def make_owner(key: bytes) -> MakeTag:
    return lambda data: hashlib.blake2b(data, key=key, digest_size=32).digest()


OURS, THEIRS = make_owner(b"ours"), make_owner(b"theirs")


def build(directory: Directory, model: Model = FIRST) -> None:
    with IndexWriter(directory, "c", FIELDS) as writer:
        writer.discard_all()
        writer.add(write_model(directory, model, writer.reserve_temporary()))
        writer.commit()
        writer.delete_garbage()


def update(directory: Directory) -> None:
    """Bring an index from FIRST to SECOND in two generations."""
    with IndexWriter(directory, "c", FIELDS) as writer:
        if not writer.segments:
            writer.add(write_model(directory, FIRST, writer.reserve_temporary()))
        writer.mark_dead(writer.segments[0].name, [1])
        writer.add(write_model(directory, CHANGED, writer.reserve_temporary()))
        writer.commit()
        Merger(writer).merge(full=True)
        writer.commit()
        writer.delete_garbage()


def build_ours() -> MemoryDirectory:
    directory = MemoryDirectory(make_tag=OURS)
    build(directory)
    return directory


def look(directory: Directory) -> object:
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    return read_model(snapshot)


def as_seen_by(directory: MemoryDirectory, owner: MakeTag | None) -> MemoryDirectory:
    other = MemoryDirectory(make_tag=owner)
    other.files = {name: bytearray(data) for name, data in directory.files.items()}
    return other


def find(directory: MemoryDirectory, suffix: str) -> str:
    (name,) = (name for name in directory.files if name.endswith(suffix))
    return name


def test_an_owner_reads_what_he_wrote_and_it_has_one_seal() -> None:
    directory = build_ours()
    assert look(directory) == expect_model(FIRST)
    assert find(directory, ".seal") == name_seal(bytes(directory.files["manifest"]))
    update(directory)
    assert look(directory) == expect_model(SECOND)
    assert find(directory, ".seal") == name_seal(bytes(directory.files["manifest"]))
    assert verify_index(directory) == []


def test_another_owner_does_not_read_it_and_starts_from_nothing() -> None:
    theirs = as_seen_by(build_ours(), THEIRS)
    with pytest.raises(IndexForeign):
        Snapshot.open(theirs)
    assert len(verify_index(theirs)) == 1
    with IndexWriter(theirs, "c", FIELDS) as writer:
        assert isinstance(writer.start_fault, IndexForeign)
        assert (writer.segments, writer.commit().generation) == ((), 1)
    assert look(theirs) == {}


def test_who_has_no_key_reads_and_verifies_it_as_before() -> None:
    plain = as_seen_by(build_ours(), None)
    assert look(plain) == expect_model(FIRST)
    assert verify_index(plain) == []


def test_an_index_without_a_seal_is_nobodys() -> None:
    ours, plain = build_ours(), MemoryDirectory()
    build(plain)
    assert not [name for name in plain.files if name.endswith(".seal")]
    for directory in (as_seen_by(plain, OURS), ours):
        for name in [name for name in directory.files if name.endswith(".seal")]:
            del directory.files[name]
        with pytest.raises(IndexForeign):
            Snapshot.open(directory)
    assert {name: data for name, data in ours.files.items() if name != "lock"}.items() <= plain.files.items()


def test_a_manifest_that_was_exchanged_is_foreign() -> None:
    ours, other = build_ours(), MemoryDirectory()
    build(other, SECOND)
    ours.files.update(other.files)  # whole, by its checksums
    with pytest.raises(IndexForeign):
        Snapshot.open(ours)
    ours.files[name_seal(bytes(ours.files["manifest"]))] = ours.files.pop(find(build_ours(), ".seal"))
    with pytest.raises(IndexForeign, match="belongs to another manifest"):
        Snapshot.open(ours)


def test_an_earlier_generation_without_its_files_is_foreign() -> None:
    ours = build_ours()
    before = bytes(ours.files["manifest"])
    update(ours)
    ours.files["manifest"] = bytearray(before)
    with pytest.raises(IndexForeign):
        Snapshot.open(ours)


def test_a_segment_that_was_written_to_is_corrupt_where_it_is_opened() -> None:
    """Also where no checksum is looked at in opening, and were they all made to agree."""
    ours = build_ours()
    name = find(ours, ".seg")
    whole = bytes(ours.files[name])
    for position in range(0, len(whole), 7):
        ours.files[name] = bytearray(whole)
        ours.files[name][position] ^= 1
        with pytest.raises(CorruptIndex):
            Snapshot.open(ours)
        with IndexWriter(ours, "c", FIELDS) as writer:
            assert isinstance(writer.start_fault, CorruptIndex)


def change_bytes(data: bytes) -> list[bytes]:
    flipped = [
        data[:position] + bytes([data[position] ^ 4]) + data[position + 1 :] for position in range(len(data))
    ]
    return [*flipped, *(data[:size] for size in range(len(data))), data + b"\0", bytes(MAX_SEAL_BYTES + 1)]


def test_any_other_bytes_of_a_seal_are_foreign() -> None:
    ours = build_ours()
    name = find(ours, ".seal")
    for data in change_bytes(bytes(ours.files[name])):
        ours.files[name] = bytearray(data)
        with pytest.raises(IndexForeign):
            Snapshot.open(ours)


def test_a_seal_of_ours_with_another_record_is_foreign() -> None:
    """What a later version may write, or a defect."""
    ours = build_ours()
    name = find(ours, ".seal")
    body = bytes(ours.files[name])[:-32]
    cut = body[: HEADER.size]
    for other in (b"", cut, cut + b"\xc0", cut + b"\x80", cut + b"\xff", body[:8] + b"\x02" + body[9:]):
        ours.files[name] = bytearray(other + OURS(other))
        with pytest.raises(IndexForeign):
            Snapshot.open(ours)


@pytest.mark.sized
@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.parametrize("start", [MemoryDirectory, build_ours])
def test_a_crash_leaves_a_generation_that_its_owner_can_read(
    fault: Fault, start: Callable[[], MemoryDirectory]
) -> None:
    """At every operation (every twentieth in a check), and for whatever the medium kept of it."""
    files = start().files
    allowed = [expect_model({}), expect_model(FIRST), expect_model(SECOND)]
    step = 1 if IS_DEEP else 20
    operation = 1 + random.randrange(step) - step
    while True:
        operation += step
        directory = FailingDirectory(files, fault, operation)
        directory.make_tag = OURS
        try:
            update(directory)
        except (OSError, Killed):
            pass
        if directory.steps < operation:
            break
        for image in directory.list_images():
            if "manifest" in image.files:
                image.make_tag = OURS
                assert look(image) in allowed
                assert verify_index(image) == []
    assert operation > 30


@pytest.fixture
def disk(tmp_path: Path) -> DiskDirectory:
    directory = DiskDirectory(str(tmp_path / "index"), create=True, make_tag=OURS)
    build(directory, {f"f{number}": ({(BODY, b"t%d" % number): 1},) for number in range(3_000)})
    return directory


def count_bytes_read(directory: DiskDirectory, monkeypatch: pytest.MonkeyPatch) -> int:
    sizes: list[int] = []
    read = DiskFile.read

    def count(self: DiskFile, offset: int, size: int) -> bytes:
        sizes.append(size)
        return read(self, offset, size)

    with monkeypatch.context() as patch:
        patch.setattr(DiskFile, "read", count)
        snapshot = Snapshot.open(directory)
    assert snapshot is not None
    snapshot.close()
    return sum(sizes)


def test_opening_compares_no_bytes_until_the_files_are_others(
    disk: DiskDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (segment,) = (tmp_path / "index").glob("*.seg")
    size = segment.stat().st_size
    ordinary = count_bytes_read(disk, monkeypatch)
    shutil.copytree(tmp_path / "index", tmp_path / "copy")
    copy = DiskDirectory(str(tmp_path / "copy"), make_tag=OURS)
    assert count_bytes_read(copy, monkeypatch) > ordinary + size - 100
    with IndexWriter(copy, "c", FIELDS) as writer:
        writer.commit()  # nothing changed, but the files are others
    assert count_bytes_read(copy, monkeypatch) < ordinary + 100  # other numbers may take a byte more


@pytest.mark.parametrize(
    "keeps_times",
    [
        False,
        pytest.param(True, marks=pytest.mark.skipif(os.name == "nt", reason="nothing tells of it there")),
    ],
)
def test_a_segment_changed_in_place_is_noticed(
    disk: DiskDirectory, tmp_path: Path, keeps_times: bool
) -> None:
    (segment,) = (tmp_path / "index").glob("*.seg")
    before = segment.stat()
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    with segment.open("r+b") as file:
        file.write(data)
    if keeps_times:
        os.utime(segment, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(CorruptIndex):
        Snapshot.open(disk)


def test_a_purged_segment_leaves_no_byte_of_what_is_dead(tmp_path: Path) -> None:
    directory = DiskDirectory(str(tmp_path), make_tag=OURS)
    secret = {"b": ({(BODY, b"canarytoken"): 1},), **{f"f{n}": ({(BODY, b"x"): 1},) for n in range(40)}}
    build(directory, secret)
    with IndexWriter(directory, "c", FIELDS) as writer:
        name = writer.segments[0].name
        writer.mark_dead(name, [0])
        assert Merger(writer).merge() == 0  # too few are dead for the policy
        assert (Merger(writer).purge(["another"]), Merger(writer).purge([name])) == (0, 1)
        writer.commit()
        writer.delete_garbage()
    assert not [file.name for file in tmp_path.iterdir() if b"canarytoken" in file.read_bytes()]
    assert look(directory) == expect_model({path: units for path, units in secret.items() if path != "b"})


@pytest.mark.parametrize("has_links", [True, False])
def test_segments_of_an_owner_are_adopted(
    has_links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "another file system")

    if not has_links:
        monkeypatch.setattr("os.link", refuse)
    donor = DiskDirectory(str(tmp_path / "donor"), create=True, make_tag=OURS)
    mine = DiskDirectory(str(tmp_path / "mine"), create=True, make_tag=THEIRS)
    build(donor)
    before = (tmp_path / "donor" / "manifest").read_bytes()
    with IndexWriter(mine, "other", FIELDS) as writer:
        adopted = writer.adopt(donor).open()
        assert writer.segments == ()
        (entry,) = adopted.manifest.segments
        writer.put(entry._replace(dead_files=(0, 1, 2)))
        assert writer.segments == ()
        writer.put(entry._replace(dead_files=(2,)))
        writer.commit()
        adopted.close()
        writer.put(entry._replace(dead_files=(0,)))
        writer.commit()
        writer.delete_garbage()
    assert look(mine) == expect_model({name: FIRST[name] for name in "bc"})
    assert look(donor) == expect_model(FIRST)  # whose file has another ctime now
    assert (tmp_path / "donor" / "manifest").read_bytes() == before
    assert verify_index(mine) == []


def test_nothing_is_adopted_without_the_right_seal(tmp_path: Path) -> None:
    donor = DiskDirectory(str(tmp_path / "donor"), create=True, make_tag=OURS)
    build(donor)
    copy = shutil.copytree(tmp_path / "donor", tmp_path / "forged")
    (segment,) = copy.glob("*.seg")
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    segment.write_bytes(data)
    (tmp_path / "empty").mkdir()
    cut = shutil.copytree(tmp_path / "donor", tmp_path / "cut")
    next(cut.glob("*.seg")).unlink()
    mine = DiskDirectory(str(tmp_path / "mine"), create=True, make_tag=OURS)
    for place, tag in (("donor", THEIRS), ("donor", None), ("forged", OURS), ("empty", OURS), ("cut", OURS)):
        with IndexWriter(mine, "c", FIELDS) as writer:
            with pytest.raises((IndexForeign, CorruptIndex)):
                writer.adopt(DiskDirectory(str(tmp_path / place), make_tag=tag)).open()
            with pytest.raises(IndexForeign):
                IndexWriter(MemoryDirectory(), "c", FIELDS[:1]).adopt(donor)
            assert writer.segments == ()


@pytest.mark.parametrize("fault", [Fault.KILL, Fault.STICKY])
def test_an_adoption_that_stops_anywhere_leaves_the_index_before_or_after(fault: Fault) -> None:
    donor = MemoryDirectory(make_tag=THEIRS)
    build(donor)
    before = {name: bytes(data) for name, data in donor.files.items()}
    allowed = [expect_model({}), expect_model({name: FIRST[name] for name in "ab"})]
    seen = []
    for operation in range(1, 100):
        directory = FailingDirectory({}, fault, operation)
        directory.make_tag = OURS
        with suppress(OSError, Killed, IndexForeign), IndexWriter(directory, "c", FIELDS) as writer:
            adopted = writer.adopt(donor).open()
            writer.put(adopted.manifest.segments[0]._replace(dead_files=(2,)))
            writer.commit()
            writer.delete_garbage()
        left = MemoryDirectory(make_tag=OURS)
        left.files = {name: bytearray(data) for name, data in directory.files.items()}
        found = look(left) if "manifest" in left.files else expect_model({})
        assert found in allowed
        seen.append(allowed.index(found))
        if directory.steps < operation:
            break
    assert sorted(set(seen)) == [0, 1]
    assert seen == sorted(seen)
    assert {name: bytes(data) for name, data in donor.files.items()} == before
