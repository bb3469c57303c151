"""Segments that are taken over: known by a seal, or compared beside other work, and never believed before."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from index_format import CorruptIndex, DiskDirectory, IndexWriter, MakeTag, Snapshot
from index_format.adopted_segments import SegmentAdoption
from index_format.directory import TransferMethod
from index_format.disk_directory import DiskFile
from index_format.seals import SegmentDigest
from tests.index_format.small_index import FIELDS, expect_model
from tests.index_format.test_seals import FIRST, OURS, THEIRS, build, look, make_owner

SECOND, THIRD = make_owner(b"second"), make_owner(b"third")


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the sizes of the blocks that are compared with a seal, as they come."""
    sizes: list[int] = []
    init = SegmentDigest.__init__

    def note(self: SegmentDigest) -> None:
        init(self)
        add = self.add
        self.add = lambda block: (sizes.append(len(block)), add(block))[1]

    monkeypatch.setattr(SegmentDigest, "__init__", note)
    monkeypatch.setattr(DiskFile, "clone_to", lambda _self, target: target.close())  # only links
    return sizes


def adopt(path: Path, tag: MakeTag, donor: DiskDirectory, *witnesses: DiskDirectory) -> DiskDirectory:
    """Make an index of all that a donor has."""
    directory = DiskDirectory(str(path), create=True, make_tag=tag)
    with IndexWriter(directory, "c", FIELDS) as writer:
        adopted = writer.adopt(donor, witnesses).open()
        for entry in adopted.manifest.segments:
            writer.put(entry)
        writer.commit()
        adopted.close()
    return directory


@pytest.fixture
def donor(tmp_path: Path, compared: list[int]) -> DiskDirectory:
    directory = DiskDirectory(str(tmp_path / "donor"), create=True, make_tag=OURS)
    build(directory)
    compared.clear()  # of what was sealed
    return directory


def overwrite(place: Path) -> None:
    """Change a byte of the only segment in place, and give the file its time of before."""
    (segment,) = place.glob("*.seg")
    before = segment.stat()
    with segment.open("r+b") as file:
        file.seek(before.st_size // 2)
        byte = file.read(1)
        file.seek(before.st_size // 2)
        file.write(bytes([byte[0] ^ 1]))
    os.utime(segment, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_who_has_linked_a_segment_last_is_a_witness_for_the_next(
    tmp_path: Path, donor: DiskDirectory, compared: list[int]
) -> None:
    second = adopt(tmp_path / "second", SECOND, donor)
    third = adopt(tmp_path / "third", THIRD, donor, second)
    assert compared == []  # by the donor's seal, then by the second's
    adopt(tmp_path / "fourth", make_owner(b"fourth"), donor, second, third)
    assert compared == []
    assert look(third) == expect_model(FIRST)
    compared.clear()
    adopt(tmp_path / "fifth", make_owner(b"fifth"), donor, second, third)  # whose seals are all old now
    assert len(compared) == 1


def test_a_segment_that_no_seal_knows_any_more_is_compared(
    tmp_path: Path, donor: DiskDirectory, compared: list[int]
) -> None:
    second = adopt(tmp_path / "second", SECOND, donor)
    next((tmp_path / "second").glob("*.seg")).unlink()  # as when a work tree is removed
    assert compared == []
    third = adopt(tmp_path / "third", THIRD, donor, second)
    assert len(compared) == 1
    assert look(third) == expect_model(FIRST)
    assert len(compared) == 1  # what was compared was sealed as it is


def forge_tag(place: Path) -> DiskDirectory:
    return DiskDirectory(str(place), make_tag=THEIRS)


def have_no_tag(place: Path) -> DiskDirectory:
    return DiskDirectory(str(place))


def have_a_copy(place: Path) -> DiskDirectory:
    """Have other bytes under the name, which the right seal says are linked."""
    (segment,) = place.glob("*.seg")
    shutil.copy2(segment, place / "copy")
    (place / "copy").replace(segment)
    return DiskDirectory(str(place), make_tag=SECOND)


def have_nothing(place: Path) -> DiskDirectory:
    shutil.rmtree(place)
    place.mkdir()
    return DiskDirectory(str(place), make_tag=SECOND)


@pytest.mark.parametrize("spoil", [forge_tag, have_no_tag, have_a_copy, have_nothing])
def test_a_witness_is_believed_only_with_the_right_seal_and_the_very_file(
    spoil: Callable[[Path], DiskDirectory], tmp_path: Path, donor: DiskDirectory, compared: list[int]
) -> None:
    adopt(tmp_path / "second", SECOND, donor)
    witness = spoil(tmp_path / "second")
    adopt(tmp_path / "third", THIRD, donor, witness)
    assert len(compared) == 1


def test_a_file_of_another_device_is_another_file(
    tmp_path: Path, donor: DiskDirectory, compared: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    second = adopt(tmp_path / "second", SECOND, donor)
    opened = DiskDirectory.open

    def move(self: DiskDirectory, name: str) -> DiskFile:
        file = opened(self, name)
        file.device += self is second
        return file

    monkeypatch.setattr(DiskDirectory, "open", move)
    adopt(tmp_path / "third", THIRD, donor, second)
    assert len(compared) == 1


@pytest.mark.parametrize("has_witness", [False, True])
def test_a_segment_that_was_changed_in_place_is_not_adopted(
    has_witness: bool, tmp_path: Path, donor: DiskDirectory
) -> None:
    second = adopt(tmp_path / "second", SECOND, donor)
    overwrite(tmp_path / "donor")
    mine = DiskDirectory(str(tmp_path / "mine"), create=True, make_tag=THIRD)
    with IndexWriter(mine, "c", FIELDS) as writer:
        adopted = writer.adopt(donor, [second] if has_witness else [])
        with pytest.raises(CorruptIndex):
            adopted.open()
        assert writer.segments == ()


def test_a_segment_that_is_changed_after_it_was_compared_is_noticed(
    tmp_path: Path, donor: DiskDirectory, compared: list[int]
) -> None:
    adopt(tmp_path / "second", SECOND, donor)
    mine = DiskDirectory(str(tmp_path / "mine"), create=True, make_tag=THIRD)
    with IndexWriter(mine, "c", FIELDS) as writer:
        adopted = writer.adopt(donor).open()
        assert len(compared) == 1
        overwrite(tmp_path / "donor")
        writer.put(adopted.manifest.segments[0])
        writer.commit()
        adopted.close()
    with pytest.raises(CorruptIndex):
        Snapshot.open(mine)


def test_an_adoption_that_is_given_up_proves_nothing(tmp_path: Path, donor: DiskDirectory) -> None:
    adopt(tmp_path / "second", SECOND, donor)
    mine = DiskDirectory(str(tmp_path / "mine"), create=True, make_tag=THIRD)
    with IndexWriter(mine, "c", FIELDS) as writer:
        adopted = writer.adopt(donor)
        adopted.close()  # at any point of comparing, or after it
        with suppress(CorruptIndex):
            adopted.open().close()
        assert writer.segments == ()


def test_what_cannot_be_taken_leaves_no_file_open(
    tmp_path: Path, donor: DiskDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    adopt(tmp_path / "second", SECOND, donor)
    closed: list[bool] = []
    close = SegmentAdoption.close
    monkeypatch.setattr(SegmentAdoption, "close", lambda self: (closed.append(True), close(self))[1])

    def fail(*_: object) -> TransferMethod:
        raise OSError("no room")

    monkeypatch.setattr(DiskDirectory, "take", fail)
    mine = DiskDirectory(str(tmp_path / "mine"), create=True, make_tag=THIRD)
    with IndexWriter(mine, "c", FIELDS) as writer, pytest.raises(OSError, match="no room"):
        writer.adopt(donor)
    assert closed == [True]
