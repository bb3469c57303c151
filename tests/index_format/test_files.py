"""The file table: rows as written, and every damaged row refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import CorruptIndex
from index_format.columns import encode_table
from index_format.files import (
    FILE,
    FLAGS,
    LANGUAGE,
    LINES,
    PATH,
    PRNT,
    SIZE,
    SPARSE_PATHS,
    FilesReader,
    encode_files,
)
from index_format.frame import FrameReader
from index_format.memory_directory import MemoryFile
from index_format.records import FileTable
from tests.index_format.segment_bytes import open_bytes, put_together, take_apart
from tests.index_format.test_columns import open_table

COUNTS = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2**40), st.integers(0, 9))
FILES = st.dictionaries(st.text("a/é.😀", min_size=1, max_size=5), COUNTS, max_size=8)


def build_table(files: dict[str, tuple[int, int, int, int]]) -> FileTable:
    paths = sorted(path.encode() for path in files)
    rows = np.array([files[path.decode()] for path in paths], dtype=np.int64).reshape(-1, 4)
    prints = b"".join(number.to_bytes(16, "big") for number in range(len(paths)))
    languages = np.arange(len(paths)) % 2
    return FileTable(
        paths, prints, rows[:, 2], languages, rows[:, 3], rows[:, 3], rows[:, 0], rows[:, 1], ["c", "d"]
    )


def open_files(sections: dict[bytes, bytes], units: int, chunks: int) -> FilesReader:
    _, data = put_together(sections)
    return FilesReader(FrameReader(MemoryFile("x.seg", bytearray(data))), units, chunks)


def read_all(reader: FilesReader) -> None:
    list(reader.iter_paths())
    _ = reader.first_units, reader.first_chunks
    for file in range(reader.count):
        reader.read_path(file)


@given(FILES)
def test_round_trip(files: dict[str, tuple[int, int, int, int]]) -> None:
    table = build_table(files)
    reader = open_files(encode_files(table), int(table.units.sum()), int(table.chunks.sum()))
    assert reader.count == len(files)
    assert list(reader.iter_paths()) == list(table.paths)
    assert [reader.read_path(file).encode() for file in range(reader.count)] == list(table.paths)
    others = np.arange(reader.count)[::-2]
    assert [path.encode() for path in reader.read_paths_of(others)] == list(table.paths[::-2])
    for _ in range(SPARSE_PATHS if files else 0):
        reader.read_path(0)
    assert [reader.read_path(file).encode() for file in range(reader.count)] == list(table.paths)
    some = np.arange(reader.count)[::2]
    assert [path.encode() for path in reader.read_paths_of(some)] == list(table.paths[::2])
    assert reader.read_fingerprints() == table.fingerprints
    for file in range(reader.count):
        assert reader.take_fingerprints(np.array([file])) == [file.to_bytes(16, "big")]
    for column, values in (
        (SIZE, table.sizes),
        (LANGUAGE, table.languages),
        (FLAGS, table.flags),
        (LINES, table.lines),
    ):
        assert reader.read_column(column).tolist() == values.tolist()
    assert np.diff(reader.first_units).tolist() == table.units.tolist()
    assert np.diff(reader.first_chunks).tolist() == table.chunks.tolist()
    owners = np.repeat(np.arange(reader.count), table.units)
    assert reader.find_files_of(np.arange(len(owners))).tolist() == owners.tolist()


@pytest.mark.parametrize("at_once", [1, 2, 3, 7])
def test_paths_are_checked_across_the_runs_they_are_read_in(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("index_format.files.PATHS_AT_ONCE", at_once)
    names = dict.fromkeys("abcdef", (0, 0, 0, 0))
    sections = encode_files(build_table(names))
    assert list(open_files(sections, 0, 0).iter_paths()) == [name.encode() for name in names]
    for other in ("abdcef", "abccef", "bacdef", "abcdfe"):
        with pytest.raises(CorruptIndex, match="do not ascend"):
            list(open_files({**sections, PATH: other.encode()}, 0, 0).iter_paths())


TABLE = build_table({"a": (1, 1, 5, 1), "b": (2, 1, 6, 2), "é": (0, 0, 0, 0)})


def test_rows_by_hand() -> None:
    sections = encode_files(TABLE)
    assert sections[PATH] == b"ab\xc3\xa9"
    table = open_table(sections[FILE], 7)
    columns = [table.read_column(column).tolist() for column in range(7)]
    assert columns == [[1, 2, 4], [5, 6, 0], [0, 1, 0], [1, 2, 0], [1, 2, 0], [0, 1, 3], [0, 1, 2]]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (0, [1, 0, 4]),  # ends that do not ascend
        (0, [1, 2, 5]),  # behind the last path
        (0, [1, 2, 3]),  # in front of the end
        (0, [2, 2, 4]),  # a path that is empty and out of order
        (5, [1, 2, 3]),  # units before the first file
        (5, [0, 4, 4]),  # more units than there are
        (5, [0, 2, 1]),
        (6, [1, 1, 2]),
        (6, [0, 1, 9]),
    ],
)
def test_damaged_columns(column: int, values: list[int]) -> None:
    sections = encode_files(TABLE)
    table = open_table(sections[FILE], 7)
    columns = [table.read_column(number) for number in range(7)]
    columns[column] = np.array(values)
    sections[FILE] = encode_table(columns)
    with pytest.raises(CorruptIndex):
        read_all(open_files(sections, 3, 2))


@pytest.mark.parametrize(
    ("tag", "data"),
    [
        (PATH, b"ba\xc3\xa9"),
        (PATH, b"aa\xc3\xa9"),
        (PATH, b"ab\xa9\xc3"),
        (PATH, b"a\xc3\xa9b"),  # a letter cut in two
        (PATH, b"ab\xc3"),
        (PATH, b"ab\xc3\xa9c"),
        (PRNT, bytes(47)),
        (PRNT, bytes(64)),
        (FILE, b""),
    ],
)
def test_damaged_sections(tag: bytes, data: bytes) -> None:
    with pytest.raises(CorruptIndex):
        read_all(open_files({**encode_files(TABLE), tag: data}, 3, 2))


@pytest.mark.parametrize("paths", [b"ab\xa9\xc3", b"a\xc3\xa9b", b"ab\xc3\xc3"])
@pytest.mark.parametrize("sparse", [SPARSE_PATHS, 0])
def test_no_reading_gives_a_path_that_is_not_utf_8(
    paths: bytes, sparse: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("index_format.files.SPARSE_PATHS", sparse)
    reader = open_files({**encode_files(TABLE), PATH: paths}, 3, 2)
    with pytest.raises(CorruptIndex, match=r"not UTF-8|do not ascend"):
        list(reader.iter_paths())
    with pytest.raises(CorruptIndex, match="not UTF-8"):
        [reader.read_path(file) for file in range(3)]


def test_units_without_a_file_are_corrupt() -> None:
    reader = open_files(encode_files(build_table({})), 3, 0)
    with pytest.raises(CorruptIndex, match="before the first file"):
        _ = reader.first_units


@pytest.mark.parametrize("beyond", [0, 5])
def test_a_language_that_has_no_name_is_corrupt(small: bytes, beyond: int) -> None:
    number = len(open_bytes(small).language_names) + beyond
    sections = take_apart(small)
    table = open_table(sections[FILE], 7)
    columns = [table.read_column(number) for number in range(7)]
    columns[LANGUAGE] = np.array([0, number, 1])
    sections[FILE] = encode_table(columns)
    reader = open_bytes(put_together(sections)[1])
    for read in (reader.read_file_table, reader.read_languages, lambda: reader.take_languages(np.array([1]))):
        with pytest.raises(CorruptIndex, match=f"language {number}"):
            read()
