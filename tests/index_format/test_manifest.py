"""The manifest: a table of values and bytes read both ways, cuts, flips, and forged records."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import (
    CorruptIndex,
    DiskDirectory,
    Field,
    IndexFormatError,
    IndexTooNew,
    IndexTooOld,
    Level,
    Manifest,
    ManifestReader,
    MemoryDirectory,
    SegmentEntry,
    pack,
    read_manifest,
)
from index_format.checksum import compute_checksum
from index_format.disk_directory import SETTLED_NS, DiskFile
from index_format.manifest import MAX_MANIFEST_BYTES, decode_manifest, encode_manifest, write_manifest
from tests.deep.sizes import examples

FIELDS = (Field("body", Level.UNIT), Field("path", Level.FILE))
NAME, OTHER = "0123456789abcdef" * 2 + ".seg", "f" * 32 + ".seg"

TABLE = [
    (
        Manifest(0, "", (), ()),
        "524d4958894d414e 0400 0000 2e000000"
        "84 aa67656e65726174696f6e 00 ad636f6e66696775726174696f6e a0 a66669656c6473 90 a87365676d656e7473 90"
        "837861680e4f28a6",
    ),
    (
        Manifest(300, "c", FIELDS, (SegmentEntry(NAME, 70_000, 3, 0, (0, 2)),)),
        "524d4958894d414e 0400 0000 77000000"
        "84 aa67656e65726174696f6e cd012c ad636f6e66696775726174696f6e a163"
        "a66669656c6473 92 92a4626f647900 92a47061746801"
        "a87365676d656e7473 91 95"
        "d924 30313233343536373839616263646566303132333435363738396162636465662e736567"
        "ce00011170 03 00 c408 00000000 02000000"
        "41bfc1a03c174c35",
    ),
]
NAMES = st.integers(0, 2**128 - 1).map(lambda number: f"{number:032x}.seg")
ENTRIES = st.tuples(
    NAMES,
    st.integers(0, 2**63 - 1),
    st.sets(st.integers(0, 60)),
    st.integers(61, 2**32),
    st.integers(0, 2**40),
).map(lambda row: SegmentEntry(row[0], row[1], row[3], row[4], tuple(sorted(row[2]))))
MANIFESTS = st.builds(
    Manifest,
    st.integers(0, 2**63 - 1),
    st.text(max_size=5),
    st.lists(st.builds(Field, st.text(max_size=3), st.sampled_from(Level)), max_size=8).map(tuple),
    st.lists(ENTRIES, max_size=4, unique_by=lambda entry: entry.name).map(tuple),
)


@pytest.mark.parametrize(("manifest", "data"), TABLE)
def test_values_and_bytes(manifest: Manifest, data: str) -> None:
    laid = bytes.fromhex(data)
    assert encode_manifest(manifest).hex() == laid.hex()
    assert decode_manifest(laid) == manifest


@given(MANIFESTS)
def test_round_trip(manifest: Manifest) -> None:
    assert decode_manifest(encode_manifest(manifest)) == manifest


def test_cut_at_every_byte_or_longer_is_corrupt() -> None:
    data = encode_manifest(TABLE[1][0])
    for size in range(len(data)):
        with pytest.raises(CorruptIndex):
            decode_manifest(data[:size])
    with pytest.raises(CorruptIndex):
        decode_manifest(data + b"\x00")


def test_every_flipped_bit_is_found() -> None:
    data = encode_manifest(TABLE[1][0])
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(IndexFormatError):
            decode_manifest(bytes(damaged))


@pytest.mark.parametrize(
    ("version", "error"), [(0, IndexTooOld), (3, IndexTooOld), (5, IndexTooNew), (65535, IndexTooNew)]
)
def test_versions(version: int, error: type[Exception]) -> None:
    data = bytearray(encode_manifest(TABLE[0][0]))
    data[8:10] = struct.pack("<H", version)
    with pytest.raises(error, match=f"format version {version}"):
        decode_manifest(bytes(data))


def forge(record: bytes) -> bytes:
    """Return a manifest of any record, with a right checksum."""
    data = struct.pack("<8sHHI", b"RMIX\x89MAN", 4, 0, len(record)) + record
    return data + struct.pack("<Q", compute_checksum(data))


def forge_value(**changes: object) -> bytes:
    record = {
        "generation": 1,
        "configuration": "c",
        "fields": [["body", 0]],
        "segments": [[NAME, 10, 3, 4, b"\x01\x00\x00\x00"]],
    }
    return forge(pack({**record, **changes}))


def test_forged_like_written() -> None:
    entry = SegmentEntry(NAME, 10, 3, 4, (1,))
    assert decode_manifest(forge_value()) == Manifest(1, "c", FIELDS[:1], (entry,))


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/etc/passwd",
        NAME + "\0",
        NAME + "\n",
        NAME.upper(),
        NAME[1:],
        "manifest",
        "",
        "é" * 32 + ".seg",
        None,
        7,
        NAME.encode(),
        [NAME],
    ],
)
def test_a_segment_with_another_name_is_corrupt(name: object) -> None:
    with pytest.raises(CorruptIndex):
        decode_manifest(forge_value(segments=[[name, 10, 3, 4, b""]]))


@pytest.mark.parametrize(
    "changes",
    [
        {"generation": -1},
        {"generation": 2**63},
        {"generation": 1.0},
        {"generation": float("inf")},
        {"generation": None},
        {"generation": "1"},
        {"fields": 3},
        {"fields": [["body", 2]]},
        {"fields": [["body"]]},
        {"fields": [["body", []]]},
        {"fields": [["body", 0]] * 9},
        {"segments": None},
        {"segments": [[NAME, 10, 3, 4]]},
        {"segments": [NAME]},
        {"segments": [[NAME, 10, 3, 4, b"\x01"]]},
        {"segments": [[NAME, 10, 3, 4, "text"]]},
        {"segments": [[NAME, 10, 3, 4, None]]},
        {"segments": [[NAME, 10, 3, 4, struct.pack("<2I", 1, 1)]]},
        {"segments": [[NAME, 10, 3, 4, struct.pack("<2I", 2, 1)]]},
        {"segments": [[NAME, 10, 3, 4, struct.pack("<I", 3)]]},
        {"segments": [[NAME, -1, 3, 4, b""]]},
        {"segments": [[NAME, 10, float("inf"), 4, b""]]},
        {"segments": [[NAME, 10, 3, 2**64 - 1, b""]]},
        {"segments": [[NAME, 10, 3, 4, b""], [NAME, 10, 3, 4, b""]]},
    ],
)
def test_other_records_are_corrupt(changes: dict[str, object]) -> None:
    with pytest.raises(CorruptIndex):
        decode_manifest(forge_value(**changes))


@pytest.mark.parametrize("value", [None, 1, "text", [], {}, {"generation": 1}, [["generation", 1]]])
def test_records_of_another_kind_are_corrupt(value: object) -> None:
    with pytest.raises(CorruptIndex):
        decode_manifest(forge(pack(value)))


@settings(max_examples=examples(300))
@given(st.binary(max_size=60), st.data())
def test_any_record_is_a_manifest_or_corrupt(record: bytes, data: st.DataObject) -> None:
    whole = bytearray(forge_value()[16:-8])
    position = data.draw(st.integers(0, len(whole)))
    whole[position : position + data.draw(st.integers(0, 3))] = record[:3]
    for forged in (record, bytes(whole)):
        try:
            found = decode_manifest(forge(forged))
        except CorruptIndex:
            continue
        assert decode_manifest(encode_manifest(found)) == found


def test_no_manifest_is_none_and_a_huge_one_is_corrupt(tmp_path: object) -> None:
    directory = DiskDirectory(str(tmp_path))
    assert read_manifest(directory) is None
    with open(f"{tmp_path}/manifest", "wb") as file:
        file.truncate(MAX_MANIFEST_BYTES + 1)
    with pytest.raises(CorruptIndex, match="at most"):
        read_manifest(directory)


def test_writing_replaces_the_manifest() -> None:
    directory = MemoryDirectory()
    for generation in (1, 2):
        manifest = Manifest(generation, "c", FIELDS, (SegmentEntry(OTHER, 1, 1, 1, ()),))
        write_manifest(directory, manifest)
        assert read_manifest(directory) == manifest
        assert directory.list_names() == ["manifest"]


class CountingDirectory(DiskDirectory):
    """Counts how often its files are opened."""

    opened = 0

    def open(self, name: str) -> DiskFile:
        self.opened += 1
        return super().open(name)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all files have been written a while ago, by the clock."""
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + 2 * SETTLED_NS)


def _commit(directory: DiskDirectory, generation: int) -> Manifest:
    manifest = Manifest(generation, "c", FIELDS, ())
    write_manifest(directory, manifest)
    return manifest


@pytest.mark.skipif(os.name == "nt", reason="inodes of POSIX")
@pytest.mark.usefixtures("later")
def test_a_manifest_that_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    directory, reader = CountingDirectory(str(tmp_path)), ManifestReader()
    assert reader.read(directory) is None
    first = _commit(directory, 1)
    assert [reader.read(directory) for _ in range(5)] == [first] * 5
    assert directory.opened == 2  # once for nothing
    second = _commit(DiskDirectory(str(tmp_path)), 2)  # as another process would
    assert [reader.read(directory) for _ in range(5)] == [second] * 5
    assert directory.opened == 3
    directory.delete("manifest")
    assert reader.read(directory) is None


@pytest.mark.usefixtures("later")
def test_a_manifest_that_is_damaged_or_touched_is_read_again(tmp_path: Path) -> None:
    directory, reader = CountingDirectory(str(tmp_path)), ManifestReader()
    manifest = _commit(directory, 1)
    assert reader.read(directory) == manifest
    os.utime(tmp_path / "manifest", (1, 1))
    assert reader.read(directory) == manifest
    (tmp_path / "manifest").write_bytes(encode_manifest(manifest)[:-1] + b"x")
    for _ in range(2):
        with pytest.raises(CorruptIndex):
            reader.read(directory)


def test_a_manifest_that_was_written_a_moment_ago_is_read_each_time(tmp_path: Path) -> None:
    """Another one may stand there within the same tick of the clock, with the same inode."""
    directory, reader = CountingDirectory(str(tmp_path)), ManifestReader()
    manifest = _commit(directory, 1)
    assert [reader.read(directory) for _ in range(3)] == [manifest] * 3
    assert directory.opened == 3


def test_every_change_of_a_manifest_is_seen_at_once(tmp_path: Path) -> None:
    directory, reader = DiskDirectory(str(tmp_path)), ManifestReader()
    for generation in range(200):
        manifest = _commit(directory, generation)
        assert reader.read(directory) == manifest


def test_in_memory_it_is_read_each_time() -> None:
    directory, reader = MemoryDirectory(), ManifestReader()
    assert reader.read(directory) is None
    manifest = Manifest(3, "c", FIELDS, ())
    write_manifest(directory, manifest)
    assert reader.read(directory) == manifest
