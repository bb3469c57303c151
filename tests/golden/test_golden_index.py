"""Golden indexes: the bytes of each format version, committed with their dump, never rewritten.

A change of bytes without a change of version fails here. For a new version, write its files once:

    python -c "from tests.golden import test_golden_index as it; it.write_golden(); it.write_golden_records()"

and keep those of the versions before: they must still be read, or be refused as too old.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from index_format import (
    VERSION,
    Directory,
    DiskDirectory,
    IndexTooOld,
    IndexWriter,
    MemoryDirectory,
    Snapshot,
    iter_dump,
    read_manifest,
    verify_index,
)
from index_format.checksum import compute_name
from index_format.frame import FOOTER, OLDEST_VERSION, SUFFIX, FrameReader
from index_format.memory_directory import MemoryFile
from tests.index_format.segment_bytes import open_bytes
from tests.index_format.small_index import (
    BODY,
    FIELDS,
    PATH,
    SYMBOL,
    Model,
    expect_model,
    read_model,
    write_model,
)
from tests.index_format.test_file_records import FILE_FIELDS, FileOnly, write_files

GOLDEN = Path(__file__).parent
READABLE_VERSIONS = range(OLDEST_VERSION, VERSION + 1)
TOO_OLD_VERSIONS = range(1, OLDEST_VERSION)

# Of the first segment, which has two blocks of units: lists by block, one with a full block and one with
# escapes, lists by gap with integers of one to three bytes, single ones, repeated ones (of a first list with
# larger term frequencies, of a single one, of another level) and one that is nearly so, two pages of terms,
# a file without units, paths and terms that are not ASCII, a term of no bytes.
FIRST: Model = {
    "docs/Übersicht.md": (
        {
            (BODY, b"the"): 9,
            (BODY, "größe".encode()): 2,
            (SYMBOL, "größe".encode()): 1,
            (BODY, "übersicht".encode()): 1,
            (PATH, "übersicht".encode()): 1,
        },
    ),
    "empty": (),
    "src/long.c": tuple(
        {(BODY, b"the"): 1 + unit % 5}
        | ({(BODY, b"common"): 1 + unit % 3} if unit < 70 else {})
        | ({(BODY, b"common"): 300, (BODY, b"rare"): 70_000} if unit == 399 else {})
        | ({(BODY, b"rare"): 1, (BODY, b"nearly"): 3, (SYMBOL, b"nearly"): 2} if unit == 5 else {})
        | ({(BODY, b"word%03d" % unit): 1} if unit % 3 == 0 else {})
        | ({(SYMBOL, b"word%03d" % unit): 1} if unit % 30 == 0 else {})
        for unit in range(400)
    ),
    "src/old.py": (
        {
            (BODY, b"the"): 3,
            (BODY, b"common"): 15,
            (BODY, b""): 1,
            (PATH, b"old"): 1,
            (SYMBOL, b"superseded"): 1,
        },
    ),
}
SECOND: Model = {
    "src/new.py": ({(BODY, b"common"): 16, (BODY, b"self"): 300, (PATH, b"new"): 1, (SYMBOL, b"Added"): 2},),
    "src/old.py": ({(BODY, b"common"): 1, (BODY, b"\xff\x00"): 70_000, (PATH, b"old"): 1},),
}
LIVE: Model = {**FIRST, **SECOND}

# A record of no bytes, one over several pages, one that is not text; no unit and no chunk anywhere.
RECORDS_NAME = f"v{VERSION}-records"
WITH_RECORDS: FileOnly = {
    "docs/Übersicht.md": (b"", {}),
    "src/long.c": (b"a record over pages " * 2000, {(0, b"often"): 300, (1, b"often"): 1, (1, b"used"): 2}),
    "src/old.py": (bytes(range(256)), {(0, b"often"): 1, (0, b"Old"): 1}),
}
LATER_RECORDS: FileOnly = {"a.py": (b"the new one", {(0, b"New"): 1, (1, b"often"): 5})}


def build_golden(directory: Directory) -> None:
    """Write two generations: FIRST, then SECOND with the superseded file of FIRST dead."""
    with IndexWriter(directory, "golden", FIELDS) as writer:
        writer.add(write_model(directory, FIRST, writer.reserve_temporary()))
        writer.commit()
        writer.mark_dead(writer.segments[0].name, [sorted(FIRST, key=str.encode).index("src/old.py")])
        writer.add(write_model(directory, SECOND, writer.reserve_temporary()))
        writer.commit()


def build_golden_records() -> MemoryDirectory:
    """Build files alone, each with a record; the first is superseded in the second segment."""
    directory = MemoryDirectory()
    with IndexWriter(directory, "golden records", FILE_FIELDS) as writer:
        first = {"a.py": (b"superseded", {(0, b"gone"): 1}), **WITH_RECORDS}
        writer.add(write_files(directory, first, writer.reserve_temporary()))
        writer.mark_dead(writer.segments[0].name, [0])
        writer.add(write_files(directory, LATER_RECORDS, writer.reserve_temporary()))
        writer.commit()
    return directory


def write_golden_records() -> None:
    """Write the index with records, as `write_golden` does the other."""
    write_files_of(build_golden_records(), RECORDS_NAME)


def write_golden() -> None:
    """Write the files of this version. Raises FileExistsError when there are some: they stay."""
    memory = MemoryDirectory()
    build_golden(memory)
    write_files_of(memory, f"v{VERSION}")


def write_files_of(memory: MemoryDirectory, version: str) -> None:
    target = GOLDEN / f"index-{version}"
    target.mkdir()
    for name, data in memory.files.items():
        if name != "lock":
            (target / name).write_bytes(data)
    text = "".join(line + "\n" for line in iter_dump(memory))
    (GOLDEN / f"index-{version}.txt").write_text(text, encoding="utf-8", newline="\n")


def read_golden(version: int | str) -> MemoryDirectory:
    directory = MemoryDirectory()
    name = version if isinstance(version, str) else f"v{version}"
    for path in sorted((GOLDEN / f"index-{name}").iterdir()):
        directory.files[path.name] = bytearray(path.read_bytes())
    return directory


def test_every_version_has_its_golden_files() -> None:
    names = [*(f"v{version}" for version in range(1, VERSION + 1)), "v2-records", "v3-records", RECORDS_NAME]
    assert sorted(path.name for path in GOLDEN.glob("index-*")) == sorted(
        name for one in names for name in (f"index-{one}", f"index-{one}.txt")
    )


def test_the_golden_index_with_records_is_what_it_was() -> None:
    """Its dump, its records, no fault, and the same bytes when it is built today."""
    golden = read_golden(RECORDS_NAME)
    text = (GOLDEN / f"index-{RECORDS_NAME}.txt").read_text(encoding="utf-8")
    assert list(iter_dump(golden)) == text.splitlines()
    assert verify_index(golden) == []
    snapshot = Snapshot.open(golden)
    assert snapshot is not None
    found = {
        segment.reader.files.read_path(file): segment.reader.records.read(file)
        for segment, file in snapshot.iter_live_files()
    }
    assert found == {
        path: record for files in (WITH_RECORDS, LATER_RECORDS) for path, (record, _) in files.items()
    }
    built = build_golden_records()
    assert {name: bytes(data) for name, data in golden.files.items()} == {
        name: bytes(data) for name, data in built.files.items() if name != "lock"
    }


@pytest.mark.parametrize("version", READABLE_VERSIONS)
def test_committed_bytes_have_their_dump(version: int) -> None:
    text = (GOLDEN / f"index-v{version}.txt").read_text(encoding="utf-8")
    assert list(iter_dump(read_golden(version))) == text.splitlines()


@pytest.mark.parametrize("version", READABLE_VERSIONS)
def test_committed_bytes_hold_the_model(version: int) -> None:
    snapshot = Snapshot.open(read_golden(version))
    assert snapshot is not None
    assert read_model(snapshot) == expect_model(LIVE)


@pytest.mark.parametrize("version", READABLE_VERSIONS)
def test_committed_bytes_are_whole(version: int) -> None:
    assert verify_index(read_golden(version)) == []
    assert verify_index(DiskDirectory(str(GOLDEN / f"index-v{version}"))) == []


@pytest.mark.parametrize("version", TOO_OLD_VERSIONS)
def test_versions_before_are_refused_as_too_old(version: int) -> None:
    """And are what they were: each segment has the name of its content."""
    directory = read_golden(version)
    with pytest.raises(IndexTooOld, match=f"manifest: format version {version}"):
        Snapshot.open(directory)
    assert len(verify_index(directory)) == 1
    segments = {name: bytes(data) for name, data in directory.files.items() if name.endswith(SUFFIX)}
    assert len(segments) == 2
    for name, data in segments.items():
        with pytest.raises(IndexTooOld, match=f"{name}: format version {version}"):
            FrameReader(MemoryFile(name, bytearray(data)))
        tail_offset = FOOTER.unpack(data[-FOOTER.size :])[0]
        assert compute_name(data[tail_offset:]) + SUFFIX == name


@pytest.mark.parametrize("version", TOO_OLD_VERSIONS)
def test_a_writer_builds_an_index_of_a_version_before_anew(version: int) -> None:
    directory = read_golden(version)
    with IndexWriter(directory, "golden", FIELDS) as writer:
        assert writer.segments == ()
        writer.add(write_model(directory, SECOND, writer.reserve_temporary()))
        writer.commit()
        writer.delete_garbage()
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    assert read_model(snapshot) == expect_model(SECOND)
    assert verify_index(directory) == []
    assert len(directory.files) == 3  # manifest, lock and the one segment


def test_golden_files_show_what_they_should() -> None:
    golden = read_golden(VERSION)
    manifest = read_manifest(golden)
    assert manifest is not None
    assert [(entry.files, entry.dead_files) for entry in manifest.segments] == [(4, (3,)), (2, ())]
    assert sum(entry.file_bytes for entry in manifest.segments) < 16_000
    reader = open_bytes(bytes(golden.files[manifest.segments[0].name]))
    assert (reader.unit_count, reader.terms.pages) == (402, 2)
    forms = {}
    for term in ("the", "common", "rare", "nearly", "größe", "übersicht", "word030", "word033", ""):
        for one in reader.postings.find_lists(term.encode()):
            form = "by block" if not one.repeats and reader.postings.read_blocks(one) else "by gap"
            form = "repeated" if one.repeats else form if one.doc is None else "single"
            forms[term, one.field] = (form, one.frequency, one.size)
    assert forms == {
        ("the", BODY): ("by block", 402, 4 + 402 + 201),
        ("common", BODY): ("by block", 72, 4 + 72 + 36 + 2),
        ("rare", BODY): ("by gap", 2, 1 + 2 + 3),
        ("nearly", BODY): ("by gap", 1, 1),
        ("nearly", SYMBOL): ("by gap", 1, 1),
        ("größe", BODY): ("by gap", 1, 1),
        ("größe", SYMBOL): ("repeated", 1, 1),
        ("übersicht", BODY): ("single", 1, 0),
        ("übersicht", PATH): ("repeated", 1, 0),
        ("word030", BODY): ("single", 1, 0),
        ("word030", SYMBOL): ("repeated", 1, 0),
        ("word033", BODY): ("single", 1, 0),
        ("", BODY): ("single", 1, 0),
    }
    blocks = reader.postings.read_blocks(reader.postings.find_lists(b"the")[0])
    assert blocks is not None
    assert blocks.block_sizes.tolist() == [256, 146]


def test_the_same_model_gives_the_same_bytes() -> None:
    built = MemoryDirectory()
    build_golden(built)
    del built.files["lock"]
    golden = read_golden(VERSION).files
    assert sorted(built.files) == sorted(golden)
    for name, data in golden.items():
        assert built.files[name].hex(" ", 16) == data.hex(" ", 16), name


def test_golden_files_are_never_rewritten() -> None:
    before = {path: path.stat().st_mtime_ns for path in (GOLDEN / f"index-v{VERSION}").iterdir()}
    with pytest.raises(FileExistsError):
        write_golden()
    assert {path: path.stat().st_mtime_ns for path in (GOLDEN / f"index-v{VERSION}").iterdir()} == before
