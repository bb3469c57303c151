"""Many records at once against the decoder of one: the same columns, the same refused."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.symbol_index.record_columns import RecordColumns, find_faulty
from repo_mcp.symbols.record_builder import Head, SymbolRecordBuilder, encode_failure
from repo_mcp.symbols.symbol_record import (
    HEADER,
    MAX_SYMBOLS,
    REF_ARGUMENTS,
    Access,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    SymbolRecordError,
    decode_symbol_record,
)
from tests.deep.sizes import examples

COLUMNS = (
    *("names", "kinds", "parents", "starts", "spans", "flags", "parameters", "parameter_counts", "types"),
    *("ref_symbols", "ref_roles", "ref_names", "ref_qualifiers", "ref_aliases", "ref_lines"),
    "ref_arguments",
)
NUMBERS = st.sampled_from([0, 1, 7, 255, 256, 65_535, 65_536, (1 << 31) - 1])
WORDS = st.sampled_from(["", "a", "b", "größe", "a.b()", "x" * 20])


@st.composite
def records(draw: st.DrawFn) -> bytes:
    builder = SymbolRecordBuilder(draw(WORDS), draw(NUMBERS))
    for number in range(draw(st.integers(0, 4))):
        builder.add_symbol(
            draw(WORDS),
            draw(st.sampled_from(SymbolKind)),
            draw(st.integers(0, number)),
            draw(NUMBERS) or 1,
            (1 << 31) - 1,
            Head(
                flags=draw(st.sampled_from(SymbolFlag)),
                access=draw(st.sampled_from(Access)),
                parameters=draw(WORDS),
                parameter_count=draw(NUMBERS),
                return_type=draw(WORDS),
            ),
        )
    for _ in range(draw(st.integers(0, 5))):
        builder.add_reference(
            0,
            draw(st.sampled_from(ReferenceRole)),
            draw(WORDS),
            draw(NUMBERS),
            qualifier=draw(WORDS),
            alias=draw(WORDS),
            arguments=draw(NUMBERS),
        )
    return builder.encode()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Return a record of which bytes were changed, cut off or added: some are records still."""
    data = bytearray(draw(records()))
    for _ in range(draw(st.integers(1, 2))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.sampled_from([0, 1, 2, 4, 10, 31, 65, 128, 255]))
    if draw(st.booleans()):
        return bytes(data[: draw(st.integers(0, len(data)))])
    return bytes(data) + draw(st.sampled_from([b"", b"x", b"\n"]))


def decode(data: bytes) -> SymbolRecord | None:
    try:
        return decode_symbol_record(data)
    except SymbolRecordError:
        return None


@settings(max_examples=examples(200))
@given(st.lists(records(), min_size=1, max_size=4))
def test_columns_are_those_of_the_records_one_after_the_other(batch: list[bytes]) -> None:
    many, each = RecordColumns(batch), [decode_symbol_record(one) for one in batch]
    many.check()
    for ordinal, name in enumerate(COLUMNS):
        assert many.get(ordinal).tolist() == np.concatenate([getattr(one, name) for one in each]).tolist()
    assert many.symbol_counts.tolist() == [one.symbol_count for one in each]
    assert many.reference_counts.tolist() == [one.reference_count for one in each]
    texts = [one[start:].decode() for one, start in zip(batch, many.text_starts, strict=True)]
    assert texts == ["\n".join(one.strings) for one in each]


@settings(max_examples=examples(600))
@given(st.lists(st.one_of(records(), damaged(), damaged()), min_size=1, max_size=3))
def test_what_is_no_record_is_found(batch: list[bytes]) -> None:
    faulty = frozenset(ordinal for ordinal, one in enumerate(batch) if decode(one) is None)
    assert find_faulty(batch) == faulty
    for ordinal, one in enumerate(batch):
        if ordinal in faulty:
            with pytest.raises(SymbolRecordError):
                RecordColumns([one]).check()
        else:
            RecordColumns([one]).check()


def test_counts_of_gigabytes_are_refused_before_anything_is_made_of_them() -> None:
    failure = encode_failure("a", 1)
    for symbols, references in ((MAX_SYMBOLS + 1, 0), ((1 << 32) - 1, (1 << 32) - 1), (0, 0)):
        version, status, zero, _, _, size = HEADER.unpack_from(failure)
        head = HEADER.pack(version, status, zero, symbols, references, size)
        without_columns = head + bytes(16) + failure[-size:]
        assert find_faulty([failure, without_columns]) == {1}


def test_a_number_that_is_too_large_is_refused_in_any_column() -> None:
    builder = SymbolRecordBuilder("a", 1)
    builder.add_reference(0, ReferenceRole.USE, "b", 1, arguments=(1 << 31) - 1)
    record = builder.encode()
    assert find_faulty([record]) == frozenset()
    larger = record.replace(struct.pack("<I", (1 << 31) - 1), struct.pack("<I", 1 << 31))
    assert RecordColumns([larger]).get(REF_ARGUMENTS).tolist() == [-(1 << 31)]
    assert find_faulty([larger, record]) == {0}
