"""The bytes of a precise record: both ways, and any other bytes are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.symbol_index.precise_record import HEADER, PreciseRecord, encode_precise_record
from repo_mcp.symbols.record_builder import SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind, SymbolRecordError

ONE, OTHER = b"1" * 16, b"2" * 16


def build() -> bytes:
    builder = SymbolRecordBuilder("a.py", 9)
    builder.add_symbol("run", SymbolKind.FUNCTION, 0, 1, 5)
    builder.add_reference(1, ReferenceRole.CALL, "save", 2)
    builder.add_reference(1, ReferenceRole.CALL, "load", 3)
    return builder.encode()


def test_meanings_come_back() -> None:
    data = encode_precise_record(build(), {1: OTHER}, [None, ONE], [1])
    assert HEADER.unpack_from(data) == (1, 2, 1, 2)
    assert data[16:48] == ONE + OTHER
    found = PreciseRecord(data)
    assert [found.find_meaning(row) for row in (0, 1)] == [None, ONE]
    assert [found.is_added(row) for row in (0, 1)] == [False, True]
    assert [found.find_declared(ordinal) for ordinal in (0, 1)] == [None, OTHER]
    assert (found.list_ordinals(OTHER), found.list_ordinals(ONE)) == ([1], [])
    assert found.record.get_symbol(1).name == "run"
    assert PreciseRecord(encode_precise_record(build(), {}, [None, None])).list_ordinals(ONE) == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        encode_precise_record(build(), {2: ONE}, [None, None]),  # no such symbol
        encode_precise_record(build(), {}, [None]),  # a reference too few
        HEADER.pack(2, 0, 0, 0) + build(),
        HEADER.pack(1, 1 << 31, 0, 0) + build(),
        HEADER.pack(1, 0, 0, 2) + b"\1\0\0\0" * 2 + build(),  # no such meaning
        encode_precise_record(b"", {}, []),
    ],
)
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(SymbolRecordError):
        PreciseRecord(data)


@given(st.data())
def test_changed_bytes_are_a_record_or_refused(data: st.DataObject) -> None:
    whole = encode_precise_record(build(), {1: OTHER}, [None, ONE])
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:place] + bytes([data.draw(st.integers(0, 255))]) + whole[place + 1 :]
    for one in (changed, whole[:place]):
        try:
            found = PreciseRecord(one)
        except SymbolRecordError:
            continue
        for row in range(found.record.reference_count):
            found.find_meaning(row)
        found.list_ordinals(ONE)
