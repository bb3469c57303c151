"""File records: written, read one at a time, merged, verified; damage is CorruptIndex and nothing else.

Also the index that has nothing but files: no unit, no chunk, fields of level file alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import (
    ChunkTable,
    CorruptIndex,
    Field,
    FileTable,
    IndexFormatError,
    IndexWriter,
    Level,
    MemoryDirectory,
    Merger,
    PostingRun,
    SegmentContent,
    SegmentEntry,
    Snapshot,
    UnitTable,
    build_term_text,
    file_records,
    iter_dump,
    iter_stats,
    merge_segments,
    verify_index,
    write_segment,
)
from index_format.checksum import compute_checksum
from index_format.columns import encode_table
from index_format.manifest import write_manifest
from index_format.memory_directory import MemoryFile
from index_format.segment_reader import SegmentReader
from index_format.snapshot import open_segments
from tests.deep.sizes import examples
from tests.index_format.segment_bytes import (
    RECORDS,
    SMALL,
    build_small,
    open_bytes,
    put_together,
    read_everything,
    take_apart,
)
from tests.index_format.small_index import FIELDS, build_content, build_run, write_model

FILE_FIELDS = (Field("declares", Level.FILE), Field("uses", Level.FILE))
FileOnly = Mapping[str, tuple[bytes, Mapping[tuple[int, bytes], int]]]  # path -> record, counts
PATHS = st.text("ab/é", min_size=1, max_size=4)
COUNTS = st.dictionaries(
    st.tuples(st.integers(0, 1), st.sampled_from([b"", b"a", b"ab", b"b\xff", b"m" * 70])),
    st.integers(1, 40),
    max_size=5,
)
FILES = st.dictionaries(PATHS, st.tuples(st.binary(max_size=40), COUNTS), min_size=1, max_size=8)


def write_files(directory: MemoryDirectory, files: FileOnly, temporary: str = "files") -> SegmentEntry:
    """Write a segment of files without units."""
    paths = sorted(files, key=str.encode)
    zeros = np.zeros(len(paths), dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    postings: dict[tuple[bytes, int], dict[int, int]] = {}
    for number, path in enumerate(paths):
        for (field, term), count in files[path][1].items():
            postings.setdefault((term, field), {})[number] = count
    keys = sorted(postings)
    terms = sorted({term for term, _ in keys})
    run = PostingRun(
        build_term_text(terms),
        np.array([terms.index(term) for term, _ in keys], dtype=np.int64),
        np.array([field for _, field in keys], dtype=np.int64),
        np.array([len(postings[key]) for key in keys], dtype=np.int64),
        np.array([doc for key in keys for doc in postings[key]], dtype=np.int64),
        np.array([count for key in keys for count in postings[key].values()], dtype=np.int64),
    )
    content = SegmentContent(
        FILE_FIELDS,
        FileTable(
            [path.encode() for path in paths],
            b"".join(b"%016d" % len(files[path][0]) for path in paths),
            np.array([len(files[path][0]) for path in paths], dtype=np.int64),
            zeros,
            zeros,
            zeros,
            zeros,
            zeros,
            ["x"],
        ),
        UnitTable(none, none),
        ChunkTable(none, none, none),
        [
            np.array([_sum(files[path][1], field) for path in paths], dtype=np.int64)
            for field in range(len(FILE_FIELDS))
        ],
        [files[path][0] for path in paths],
    )
    return write_segment(directory, temporary, content, run)


def _sum(counts: Mapping[tuple[int, bytes], int], wanted: int) -> int:
    return sum(count for (field, _), count in counts.items() if field == wanted)


def read_records(reader: SegmentReader) -> dict[str, bytes]:
    return {reader.files.read_path(file): reader.records.read(file) for file in range(reader.file_count)}


def test_records_are_read_one_at_a_time_and_all_together() -> None:
    reader = open_bytes(build_small(records=True))
    assert read_records(reader) == RECORDS
    assert list(reader.read_content().records or ()) == [RECORDS[path] for path in sorted(RECORDS)]
    with pytest.raises(IndexError):
        reader.records.read(3)


def test_one_record_costs_one_read(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = open_bytes(build_small(records=True))
    reader.records.read(0)  # reads the ends
    reads: list[int] = []
    read = MemoryFile.read

    def count(self: MemoryFile, offset: int, size: int) -> bytes:
        reads.append(size)
        return read(self, offset, size)

    monkeypatch.setattr(MemoryFile, "read", count)
    assert reader.records.read(2) == RECORDS["empty"]
    assert len(reads) == 1


def test_records_are_gone_through_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = open_bytes(build_small(records=True))
    wanted = [RECORDS[path] for path in sorted(RECORDS)]
    for size in (1, 11, 12, 13, 20_000, 1 << 20):
        monkeypatch.setattr(file_records, "BATCH_BYTES", size)
        assert list(reader.records) == wanted


@pytest.mark.parametrize("block_bytes", [1, 4, 9, 1_000])
def test_records_of_whole_units_are_read_in_blocks_of_them(block_bytes: int) -> None:
    directory = MemoryDirectory()
    files: FileOnly = {"a": (b"abcdef", {}), "b": (b"", {}), "c": (b"ghi" * 4, {})}
    reader = SegmentReader(directory.open(write_files(directory, files).name))
    blocks = list(reader.records.iter_blocks(3, block_bytes))
    assert b"".join(data for _, data in blocks) == b"abcdef" + b"ghi" * 4
    assert all(len(data) % 3 == 0 and len(data) <= max(3, block_bytes) for _, data in blocks)
    positions = [0]
    for _, data in blocks:
        positions.append(positions[-1] + len(data) // 3)
    assert [position for position, _ in blocks] == positions[:-1]
    with pytest.raises(CorruptIndex, match="not runs of 4"):
        list(reader.records.iter_blocks(4, block_bytes))


def test_a_segment_without_records_has_the_bytes_that_it_had() -> None:
    plain, with_records = take_apart(build_small()), take_apart(build_small(records=True))
    assert {tag: data for tag, data in with_records.items() if tag not in (b"RECS", b"RECE")} == plain
    with pytest.raises(CorruptIndex, match="has no records"):
        open_bytes(build_small()).records.read(0)


def test_there_is_a_record_for_each_file() -> None:
    directory = MemoryDirectory()
    content = build_content(SMALL)
    for count in (0, 2, 4):
        wrong = content._replace(records=[b"x"] * count)
        with pytest.raises(ValueError, match=f"{count} records for 3 files"):
            write_segment(directory, "wrong", wrong, build_run(SMALL))
    assert directory.files == {}


def merge(directory: MemoryDirectory, entries: list[SegmentEntry], fields: tuple[Field, ...]) -> SegmentEntry:
    segments = open_segments(directory, entries, fields)
    merged = merge_segments(directory, "merged", segments)
    assert merged is not None
    return merged


@settings(max_examples=examples(80))
@given(FILES, st.data(), st.sampled_from([1, 30, 1 << 20]))
def test_any_grouping_of_merges_gives_the_bytes_of_one_build(
    files: FileOnly, data: st.DataObject, batch: int
) -> None:
    """Files alone, without a unit; some were indexed before with another record and are dead there."""
    whole, parts = MemoryDirectory(), MemoryDirectory()
    wanted = bytes(whole.files[write_files(whole, files).name])
    groups: dict[int, dict[str, tuple[bytes, Mapping[tuple[int, bytes], int]]]] = {}
    for path, one in files.items():
        groups.setdefault(data.draw(st.integers(0, 3)), {})[path] = one
    old = {path: (one[0] + b"old", one[1]) for path, one in files.items() if data.draw(st.booleans())}
    entries = [write_files(parts, group, f"g{number}") for number, group in groups.items()]
    if old and len(old) < len(files):
        kept = next(path for path in sorted(files, key=str.encode) if path not in old)
        stale = write_files(parts, {**old, kept: files[kept]}, "old")
        positions = sorted([*old, kept], key=str.encode)
        dead = tuple(number for number, path in enumerate(positions) if path != kept)
        entries = [stale._replace(dead_files=dead)]
        rest = {path: one for path, one in files.items() if path != kept}
        entries += [
            write_files(parts, {path: one}, f"r{number}") for number, (path, one) in enumerate(rest.items())
        ]
    entries = data.draw(st.permutations(entries))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_records, "BATCH_BYTES", batch)
        if len(entries) > 2 and data.draw(st.booleans()):
            entries = [merge(parts, entries[:2], FILE_FIELDS), *entries[2:]]
        merged = merge(parts, entries, FILE_FIELDS)
    assert bytes(parts.files[merged.name]) == wanted


def test_segments_with_and_without_records_do_not_merge() -> None:
    directory = MemoryDirectory()
    one = write_model(directory, SMALL, records=RECORDS)
    other = write_model(directory, {"z": ({(0, b"other"): 1},)})
    with pytest.raises(CorruptIndex, match="with records and segments without"):
        merge(directory, [one, other], FIELDS)
    with IndexWriter(directory, "mixed", FIELDS) as writer:
        writer.add(one)
        writer.add(other)
        writer.commit()
    assert verify_index(directory) == ["manifest: some segments have records and some have none"]


def commit_files(*parts: FileOnly) -> MemoryDirectory:
    directory = MemoryDirectory()
    with IndexWriter(directory, "files", FILE_FIELDS) as writer:
        for part in parts:
            writer.add(write_files(directory, part, writer.reserve_temporary()))
        writer.commit()
    return directory


ONE: FileOnly = {
    "a.py": (b"record of a", {(0, b"Foo"): 2, (1, b"bar"): 1}),
    "b.py": (b"", {}),
    "c.py": (b"c" * 40_000, {(0, b"Foo"): 1, (1, b"Foo"): 1}),
}
TWO: FileOnly = {"d.py": (b"d", {(1, b"bar"): 16})}


def test_an_index_of_files_alone_works_everywhere() -> None:
    directory = commit_files(ONE, TWO)
    assert verify_index(directory) == []
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    assert (snapshot.file_count, snapshot.unit_count) == (4, 0)
    assert [snapshot.sum_lengths(field) for field in (0, 1)] == [3, 18]
    dumped = list(iter_dump(directory))
    assert f"  record bytes 11 checksum {compute_checksum(b'record of a'):016x}" in dumped
    assert sum(line.startswith("  record bytes ") for line in dumped) == 4
    assert "  RECS 40011" in list(iter_stats(directory))
    with IndexWriter(directory, "files", FILE_FIELDS) as writer:
        first = next(entry for entry in writer.segments if entry.files == 3)
        writer.mark_dead(first.name, [2])
        assert Merger(writer).merge(full=True) == 1
        writer.commit()
        writer.delete_garbage()
    assert verify_index(directory) == []
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    (segment,) = snapshot.segments
    wanted = {path: one[0] for path, one in {**ONE, **TWO}.items() if path != "c.py"}
    assert read_records(segment.reader) == wanted
    assert [snapshot.sum_lengths(field) for field in (0, 1)] == [2, 17]


def forge(sections: dict[bytes, bytes]) -> SegmentReader:
    return open_bytes(put_together(sections)[1])


@pytest.mark.parametrize("missing", [b"RECS", b"RECE"])
def test_half_of_the_sections_is_corrupt(missing: bytes) -> None:
    sections = take_apart(build_small(records=True))
    del sections[missing]
    with pytest.raises(CorruptIndex, match="it has only one"):
        forge(sections)


@pytest.mark.parametrize(
    ("ends", "what"),
    [
        ([12, 12], "2 rows for 3 files"),
        ([12, 12, 12, 20492], "4 rows for 3 files"),
        ([12, 11, 20492], "does not ascend"),
        ([12, 12, 20491], "does not ascend"),
        ([12, 12, 20493], "does not ascend"),
    ],
)
def test_ends_that_cannot_be_are_corrupt(ends: list[int], what: str) -> None:
    sections = take_apart(build_small(records=True))
    sections[b"RECE"] = encode_table([np.array(ends, dtype=np.int64)])
    with pytest.raises(CorruptIndex, match=what):
        forge(sections).records.read(2)


@settings(max_examples=examples(150))
@given(st.data())
def test_damaged_bytes_are_corrupt_or_change_nothing(data: st.DataObject) -> None:
    whole = build_small(records=True)
    wanted = read_everything(open_bytes(whole))
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
    if data.draw(st.booleans()):
        del damaged[data.draw(st.integers(0, len(damaged) - 1)) :]
    with suppress(IndexFormatError):
        reader = open_bytes(bytes(damaged))
        found = read_everything(reader)
        if not reader.frame.find_damaged_pages():
            assert found == wanted


@settings(max_examples=examples(100))
@given(st.binary(max_size=80), st.binary(max_size=80))
def test_any_bytes_in_the_sections_are_read_or_corrupt(records: bytes, ends: bytes) -> None:
    """As a hostile writer would forge them: every checksum is right."""
    sections = take_apart(build_small(records=True))
    sections |= {b"RECS": records, b"RECE": ends}
    with suppress(CorruptIndex):
        reader = forge(sections)
        assert b"".join(reader.records.read(file) for file in range(3)) == records


def test_verify_finds_a_damaged_record() -> None:
    directory = commit_files(ONE)
    name = next(name for name in directory.files if name.endswith(".seg"))
    position = directory.files[name].index(b"c" * 100) + 20_000
    directory.files[name][position] ^= 1
    (fault,) = verify_index(directory)
    assert "has a wrong checksum" in fault


def test_verify_finds_ends_laid_out_otherwise() -> None:
    """A table with wider columns than it needs is read, and is not what a writer makes."""
    directory = commit_files(TWO)
    manifest = Snapshot.open(directory)
    assert manifest is not None
    entry = manifest.manifest.segments[0]
    sections = take_apart(bytes(directory.files[entry.name]))
    sections[b"RECE"] = bytes.fromhex("0100000001000000 0200000000000000 0100000000000000")
    name, data = put_together(sections)
    directory.files[name] = bytearray(data)
    forged = entry._replace(name=name, file_bytes=len(data))
    write_manifest(directory, manifest.manifest._replace(segments=(forged,)))
    (fault,) = verify_index(directory)
    assert "its content, written again, is " in fault
