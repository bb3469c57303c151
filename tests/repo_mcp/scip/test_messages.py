"""Documents of SCIP both ways, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.scip import messages
from repo_mcp.scip.messages import (
    Document,
    Occurrence,
    PositionEncoding,
    SymbolInformation,
    decode_document,
    decode_path,
    encode_document,
    encode_metadata,
    iter_documents,
)
from repo_mcp.scip.wire import WireError, encode_bytes, encode_number, encode_packed, encode_varint
from tests.repo_mcp.scip.memory_file import MemoryFile

PLACES = st.integers(0, (1 << 31) - 1)
OCCURRENCES = st.builds(Occurrence, st.text(min_size=1, max_size=20), PLACES, PLACES, PLACES, PLACES)
DOCUMENTS = st.builds(
    Document,
    st.text(max_size=20),
    st.text(max_size=10),
    st.lists(OCCURRENCES, max_size=5).map(tuple),
    text=st.text(max_size=20).map(str.encode),
    encoding=st.sampled_from(PositionEncoding),
)
METADATA = encode_metadata("tool", "1")


@given(st.lists(DOCUMENTS, max_size=4))
def test_documents_come_back(documents: list[Document]) -> None:
    file = MemoryFile(METADATA + b"".join(map(encode_document, documents)))
    found = list(iter_documents(file))
    assert [decode_document(one) for one in found] == documents
    assert [decode_path(one) for one in found] == [one.path for one in documents]


@given(st.binary(max_size=80))
def test_any_bytes_are_a_document_or_refused(data: bytes) -> None:
    for read in (decode_document, decode_path, lambda one: list(iter_documents(MemoryFile(one)))):
        try:
            read(data)
        except WireError:
            pass


@given(st.lists(DOCUMENTS, min_size=1, max_size=3), st.data())
def test_an_index_that_is_cut_has_fewer_documents_or_is_refused(
    documents: list[Document], data: st.DataObject
) -> None:
    whole = METADATA + b"".join(map(encode_document, documents))
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    try:
        assert len(list(iter_documents(MemoryFile(cut)))) < len(documents)
    except WireError:
        pass


def test_a_range_may_be_given_with_both_of_its_lines() -> None:
    def encode(*numbers: int) -> bytes:
        return encode_bytes(2, encode_packed(1, numbers) + encode_bytes(2, "x"))

    same, over_lines, short = encode(3, 1, 3, 5), encode(3, 1, 4, 5), encode(3, 1)
    unpacked = encode_bytes(2, b"\x08\x03\x08\x01\x08\x05" + encode_bytes(2, "y"))
    found = decode_document(same + over_lines + short + unpacked).occurrences
    assert found == (Occurrence("x", 3, 1, 5), Occurrence("y", 3, 1, 5))


def test_one_document_is_read_at_a_time() -> None:
    documents = [Document(f"{number}.py", "", (), text=b"x" * 1_000) for number in range(50)]
    file = MemoryFile(METADATA + b"".join(map(encode_document, documents)))
    assert len(list(iter_documents(file))) == 50
    assert file.largest < 1_100


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\x12" + encode_varint(messages.MAX_DOCUMENT_BYTES + 1), "it is cut short"),
        (b"\x12\x05ab", "it is cut short"),
        (b"PK\x03\x04" + bytes(40), "a field that no SCIP index has"),
        (b"\x1f\x8b\x08\x00" + bytes(40), "a field that no SCIP index has"),
        (b"\x12", "does not end"),
    ],
)
def test_what_is_no_index_is_refused(data: bytes, expected: str) -> None:
    with pytest.raises(WireError, match=expected):
        list(iter_documents(MemoryFile(data)))


def test_a_document_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "MAX_DOCUMENT_BYTES", 30)
    monkeypatch.setattr(messages, "MAX_OCCURRENCES", 2)
    small, large = Document("a", "", ()), Document("a", "", (), text=b"x" * 30)
    assert len(list(iter_documents(MemoryFile(encode_document(small))))) == 1
    with pytest.raises(WireError, match="30 are the most"):
        list(iter_documents(MemoryFile(encode_document(large))))
    with pytest.raises(WireError, match="more than 2 occurrences"):
        decode_document(encode_bytes(2, encode_packed(1, (1, 2, 3)) + encode_bytes(2, "x")) * 3)


def test_symbols_and_numbers_that_nobody_reads_are_skipped() -> None:
    symbol = SymbolInformation("s", 7, "s", ("t",))
    data = encode_document(Document("a.py", "Python", (), (symbol,))) + encode_number(99, 5)
    (found,) = iter_documents(MemoryFile(data))
    assert decode_document(found) == Document("a.py", "Python", ())
    assert decode_document(encode_number(6, 77)).encoding is PositionEncoding.UNKNOWN
