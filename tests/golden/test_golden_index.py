"""Golden indexes: the bytes of each format version, committed with their dump, never rewritten.

A change of bytes without a change of version fails here. For a new version, write its files once:

    python -c "from tests.golden.test_golden_index import write_golden; write_golden()"

and keep those of the versions before: they must still be read, or be refused as too old.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from index_format import (
    VERSION,
    Directory,
    DiskDirectory,
    IndexWriter,
    MemoryDirectory,
    Snapshot,
    iter_dump,
    read_manifest,
    verify_index,
)
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

GOLDEN = Path(__file__).parent
READABLE_VERSIONS = range(1, VERSION + 1)

# A long list with bounds and a gap escape, term frequencies that escape, two pages of terms, a file
# without units, paths and terms that are not ASCII, a term of no bytes.
FIRST: Model = {
    "docs/Übersicht.md": ({(BODY, "größe".encode()): 2, (PATH, "übersicht".encode()): 1},),
    "empty": (),
    "src/long.c": tuple(
        ({(BODY, b"common"): 1 + unit % 3} if unit < 70 or unit == 399 else {})
        | ({(BODY, b"word%03d" % unit): 1} if unit % 3 == 0 else {})
        for unit in range(400)
    ),
    "src/old.py": ({(BODY, b"common"): 15, (BODY, b""): 1, (PATH, b"old"): 1, (SYMBOL, b"superseded"): 1},),
}
SECOND: Model = {
    "src/new.py": ({(BODY, b"common"): 16, (BODY, b"self"): 300, (PATH, b"new"): 1, (SYMBOL, b"Added"): 2},),
    "src/old.py": ({(BODY, b"common"): 1, (BODY, b"\xff\x00"): 70_000, (PATH, b"old"): 1},),
}
LIVE: Model = {**FIRST, **SECOND}


def build_golden(directory: Directory) -> None:
    """Two generations: FIRST, then SECOND with the superseded file of FIRST dead."""
    with IndexWriter(directory, "golden", FIELDS) as writer:
        writer.add(write_model(directory, FIRST, writer.reserve_temporary()))
        writer.commit()
        writer.mark_dead(writer.segments[0].name, [sorted(FIRST, key=str.encode).index("src/old.py")])
        writer.add(write_model(directory, SECOND, writer.reserve_temporary()))
        writer.commit()


def write_golden() -> None:
    """Write the files of this version. Raises FileExistsError when there are some: they stay."""
    memory = MemoryDirectory()
    build_golden(memory)
    target = GOLDEN / f"index-v{VERSION}"
    target.mkdir()
    for name, data in memory.files.items():
        if name != "lock":
            (target / name).write_bytes(data)
    text = "".join(line + "\n" for line in iter_dump(memory))
    (GOLDEN / f"index-v{VERSION}.txt").write_text(text, encoding="utf-8", newline="\n")


def read_golden(version: int) -> MemoryDirectory:
    directory = MemoryDirectory()
    for path in sorted((GOLDEN / f"index-v{version}").iterdir()):
        directory.files[path.name] = bytearray(path.read_bytes())
    return directory


def test_every_version_has_its_golden_files() -> None:
    assert sorted(path.name for path in GOLDEN.glob("index-*")) == sorted(
        name for version in range(1, VERSION + 1) for name in (f"index-v{version}", f"index-v{version}.txt")
    )


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


def test_golden_files_show_what_they_should() -> None:
    manifest = read_manifest(read_golden(VERSION))
    assert manifest is not None
    assert [(entry.files, entry.dead_files) for entry in manifest.segments] == [(4, (3,)), (2, ())]
    assert sum(entry.file_bytes for entry in manifest.segments) < 16_000


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
