"""Field lengths: exact, one column a field, tables of the right height."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import CorruptIndex, Field, Level
from index_format.frame import FrameReader
from index_format.memory_directory import MemoryFile
from index_format.norms import NRMF, NRMU, NormsReader, encode_norms
from tests.index_format.segment_bytes import put_together

LENGTH = st.one_of(st.integers(0, 3), st.integers(250, 70_000), st.just(2**32 - 1))


def open_norms(sections: dict[bytes, bytes], fields: list[Field], units: int, files: int) -> NormsReader:
    _, data = put_together(sections)
    frame = FrameReader(MemoryFile("x.seg", bytearray(data)))
    return NormsReader(frame, fields, {Level.UNIT: units, Level.FILE: files})


@given(st.lists(st.sampled_from(Level), max_size=5), st.integers(0, 4), st.integers(0, 4), st.data())
def test_round_trip(levels: list[Level], units: int, files: int, data: st.DataObject) -> None:
    fields = [Field(f"field {number}", level) for number, level in enumerate(levels)]
    lengths = []
    for level in levels:
        rows = units if level is Level.UNIT else files
        lengths.append(np.array(data.draw(st.lists(LENGTH, min_size=rows, max_size=rows)), dtype=np.int64))
    reader = open_norms(encode_norms(fields, lengths), fields, units, files)
    for number, column in enumerate(lengths):
        assert reader.read_lengths(number).tolist() == column.tolist()
        assert reader.read_lengths(number) is reader.read_lengths(number)


FIELDS = [Field("body", Level.UNIT), Field("path", Level.FILE), Field("doc", Level.UNIT)]
LENGTHS = [np.array([1, 2]), np.array([3]), np.array([4, 5])]


def test_columns_stand_in_the_order_of_the_schema() -> None:
    sections = encode_norms(FIELDS, LENGTHS)
    assert sections[NRMU].hex(" ", 8) == "0200000002000000 0101000000000000 0102000000000000 0405000000000000"
    assert sections[NRMF].hex(" ", 8) == "0100000001000000 0100000000000000 0300000000000000"


@pytest.mark.parametrize(("units", "files"), [(1, 1), (3, 1), (2, 0), (2, 2), (2**32 - 1, 1)])
def test_tables_of_another_height_are_corrupt(units: int, files: int) -> None:
    with pytest.raises(CorruptIndex, match="rows for"):
        open_norms(encode_norms(FIELDS, LENGTHS), FIELDS, units, files)


def test_a_level_without_a_field_has_no_rows() -> None:
    fields, lengths = FIELDS[:1], LENGTHS[:1]
    sections = encode_norms(fields, lengths)
    assert sections[NRMF].hex(" ", 8) == "0000000001000000 0000000000000000"
    assert open_norms(sections, fields, 2, 9).read_lengths(0).tolist() == [1, 2]
    sections[NRMF] = encode_norms(FIELDS, LENGTHS)[NRMF]
    with pytest.raises(CorruptIndex, match="rows for"):
        open_norms(sections, fields, 2, 9)
