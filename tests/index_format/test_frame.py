"""The frame: round trip, every cut, every flipped bit, three kinds of refusal."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import CorruptIndex, IndexFormatError, IndexTooNew, IndexTooOld
from index_format.checksum import compute_checksum, compute_name
from index_format.frame import FOOTER, HEADER, MAX_FILE_BYTES, PAGE_BYTES, SECTION, FrameReader, FrameWriter
from index_format.memory_directory import MemoryFile
from tests.index_format.segment_bytes import open_bytes, put_together, read_everything

TAGS = [b"AAAA", b"BBBB", b"\xff\x00CC", b"LAST"]
SIZES = st.one_of(st.integers(0, 40), st.sampled_from([PAGE_BYTES - 16, PAGE_BYTES, 2 * PAGE_BYTES + 3]))


def open_frame(data: bytes, name: str = "x.seg") -> FrameReader:
    return FrameReader(MemoryFile(name, bytearray(data)))


@given(st.lists(SIZES, max_size=4), st.integers(1, 9000))
def test_round_trip_however_it_was_written(sizes: list[int], step: int) -> None:
    sections = {
        tag: bytes([number + 1]) * size for number, (tag, size) in enumerate(zip(TAGS, sizes, strict=False))
    }
    name, data = put_together(sections)
    file = MemoryFile("", bytearray())
    writer = FrameWriter(file)
    for tag, content in sections.items():
        writer.begin_section(tag)
        for start in range(0, len(content), step):
            writer.write(content[start : start + step])
    assert (writer.finish()[0] + ".seg", file.read(0, len(data))) == (name, data)
    frame = open_frame(data)
    assert frame.sections() == {tag: len(content) for tag, content in sections.items()}
    assert {tag: frame.read(tag) for tag in sections} == sections
    assert frame.content_name + ".seg" == name
    assert frame.file_bytes == len(data)
    assert frame.page_count == -(-(len(data) - len(frame.tail)) // PAGE_BYTES)
    assert frame.find_damaged_pages() == []


def test_parts_of_a_section() -> None:
    content = bytes(range(256)) * 200
    frame = open_frame(put_together({b"AAAA": b"x", b"BBBB": content})[1])
    for start, size in (
        (0, 0),
        (0, 1),
        (PAGE_BYTES - 30, 60),
        (16_350, PAGE_BYTES),
        (51_199, 1),
        (51_200, 0),
    ):
        assert frame.read(b"BBBB", start, size) == content[start : start + size]
    assert frame.read(b"BBBB", 51_000) == content[51_000:]
    for start, size in ((-1, 1), (0, -1), (0, 51_201), (51_200, 1), (51_201, 0), (2**70, 1)):
        with pytest.raises(CorruptIndex):
            frame.read(b"BBBB", start, size)
    with pytest.raises(CorruptIndex, match="no section"):
        frame.read(b"CCCC")


def test_several_spans_of_a_section(monkeypatch: pytest.MonkeyPatch) -> None:
    content = bytes(range(256)) * 800  # of 13 pages
    frame = open_frame(put_together({b"AAAA": b"x", b"BBBB": content})[1])
    reads: list[int] = []
    read = FrameReader._read_verified
    monkeypatch.setattr(
        FrameReader, "_read_verified", lambda *given: (reads.append(given[2]), read(*given))[1]
    )
    for spans, count in (
        ([], 0),
        ([(5, 5)], 0),
        ([(0, 1), (1, 30), (40, 70), (70, 70)], 1),
        ([(0, 1), (PAGE_BYTES, PAGE_BYTES + 1), (100_000, 100_010), (100_020, 204_800)], 2),
        ([(20, 90), (30, 40), (95, 99)], 1),  # one lies in another
        ([(90, 99), (0, 9)], 2),  # not ascending
    ):
        reads.clear()
        starts, ends = [start for start, _ in spans], [end for _, end in spans]
        assert frame.read_spans(b"BBBB", starts, ends) == [content[start:end] for start, end in spans]
        assert len(reads) == count
    for starts, ends in (([3], [2]), ([0, 9], [4, 8]), ([0, 204_800], [1, 204_801]), ([2**62], [2**62 + 1])):
        with pytest.raises(CorruptIndex):
            frame.read_spans(b"BBBB", starts, ends)


def test_sections_begin_at_multiples_of_8() -> None:
    _, data = put_together({b"AAAA": b"1", b"BBBB": b"", b"CCCC": b"123456789"})
    rows = [SECTION.unpack_from(open_frame(data).tail, 24 * row) for row in range(3)]
    assert rows == [(b"AAAA", 0, 16, 1), (b"BBBB", 0, 24, 0), (b"CCCC", 0, 24, 9)]


def test_a_segment_cut_at_every_byte_is_corrupt(small: bytes) -> None:
    for size in range(len(small)):
        with pytest.raises(CorruptIndex):
            open_bytes(small[:size])
    for more in (b"\x00", small[-40:], small):
        with pytest.raises(CorruptIndex):
            open_bytes(small + more)


def test_every_flipped_bit_is_found(small: bytes) -> None:
    wanted = read_everything(open_bytes(small))
    answered = []
    for bit in range(8 * len(small)):
        damaged = bytearray(small)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            found = read_everything(open_bytes(bytes(damaged)))
        except IndexFormatError:
            continue
        answered.append((bit, found == wanted))
    assert answered == []


def test_only_the_damaged_page_is_refused() -> None:
    content = bytes(5 * PAGE_BYTES)
    data = bytearray(put_together({b"AAAA": content})[1])
    data[2 * PAGE_BYTES + 5] ^= 1
    frame = open_frame(bytes(data))
    assert frame.read(b"AAAA", 0, 100) == bytes(100)
    assert frame.read(b"AAAA", 3 * PAGE_BYTES, 100) == bytes(100)
    with pytest.raises(CorruptIndex, match="page 2 has a wrong checksum"):
        frame.read(b"AAAA", 2 * PAGE_BYTES - 16, 1)
    assert frame.find_damaged_pages() == [2]


@pytest.mark.parametrize(
    ("version", "error"), [(0, IndexTooOld), (3, IndexTooOld), (5, IndexTooNew), (65535, IndexTooNew)]
)
def test_versions(small: bytes, version: int, error: type[Exception]) -> None:
    data = bytearray(small)
    data[8:10] = struct.pack("<H", version)
    with pytest.raises(error, match=f"x.seg: format version {version}"):
        open_frame(bytes(data))
    with pytest.raises(error):  # the version is looked at before what lies behind it
        open_frame(bytes(data[:16]) + bytes(40))


@pytest.mark.parametrize("magic", [b"\x7fELF\x89SEG", b"RMIX\x89MAN", b"SQLite f"])
def test_another_magic_is_corrupt(small: bytes, magic: bytes) -> None:
    with pytest.raises(CorruptIndex, match="starts with"):
        open_frame(magic + small[8:])


def forge_tail(
    data: bytes, rows: list[tuple[bytes, int, int, int]], counts: tuple[int, ...], more_pages: int = 0
) -> bytes:
    """Return a frame with another section table, page table and footer, and right checksums."""
    tail_offset = FOOTER.unpack(data[-40:])[0]
    pages = -(-tail_offset // PAGE_BYTES) + more_pages
    tail = b"".join(SECTION.pack(*row) for row in rows)
    tail += b"".join(
        struct.pack("<Q", compute_checksum(data[:tail_offset][page * PAGE_BYTES : (page + 1) * PAGE_BYTES]))
        for page in range(pages)
    )
    size = tail_offset + len(tail) + FOOTER.size
    wanted = counts or (tail_offset, size, len(rows), pages)
    tail += struct.pack("<QQII", *wanted)
    return data[:tail_offset] + tail + struct.pack("<Q", compute_checksum(tail)) + b"RMIXSEG\n"


DATA = put_together({b"AAAA": b"12345678", b"BBBB": b"1234"})[1]  # the tail begins at 28
ROWS = [(b"AAAA", 0, 16, 8), (b"BBBB", 0, 24, 4)]


def test_forged_like_written() -> None:
    assert forge_tail(DATA, ROWS, ()) == DATA
    assert compute_name(open_frame(DATA).tail) == open_frame(DATA).content_name


@pytest.mark.parametrize(
    "rows",
    [
        [(b"AAAA", 1, 16, 8), ROWS[1]],
        [(b"AAAA", 0, 8, 8), ROWS[1]],  # in the header
        [(b"AAAA", 0, 16, 9), ROWS[1]],  # into the next
        [ROWS[0], (b"AAAA", 0, 24, 4)],  # twice
        [ROWS[0], (b"BBBB", 0, 24, 5)],  # into the tail
        [ROWS[0], (b"BBBB", 0, 2**64 - 8, 8)],
        [ROWS[0], (b"BBBB", 0, 24, 2**64 - 1)],
        [ROWS[0], (b"BBBB", 0, 25, 3)],  # not at a multiple of 8
        [ROWS[1], ROWS[0]],
    ],
)
def test_sections_out_of_place_are_corrupt(rows: list[tuple[bytes, int, int, int]]) -> None:
    with pytest.raises(CorruptIndex, match="section b"):
        open_frame(forge_tail(DATA, rows, ()))


@pytest.mark.parametrize(
    "counts",
    [
        (28, 125, 2, 1),
        (28, 124, 3, 1),
        (28, 124, 2, 2),
        (28, 124, 2, 2**32 - 1),
        (28, 124, 2**32 - 1, 1),
        (0, 124, 2, 0),
        (124, 124, 2, 1),
        (2**64 - 1, 124, 2, 1),
        (28, 2**64 - 1, 2, 1),
    ],
)
def test_a_footer_that_does_not_fit_is_corrupt(counts: tuple[int, ...]) -> None:
    assert len(DATA) == 28 + 2 * 24 + 8 + 40
    with pytest.raises(CorruptIndex):
        open_frame(forge_tail(DATA, ROWS, counts))


def test_a_huge_file_is_refused_before_it_is_read() -> None:
    file = MemoryFile("x.seg", bytearray(DATA))
    file.size = MAX_FILE_BYTES + 1
    with pytest.raises(CorruptIndex, match="at most"):
        FrameReader(file)


@pytest.mark.parametrize("more_pages", [-1, 1])
def test_a_page_table_of_another_length_is_corrupt(more_pages: int) -> None:
    with pytest.raises(CorruptIndex, match="a tail of"):
        open_frame(forge_tail(DATA, ROWS, (), more_pages))


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    for start in (b"", DATA[: HEADER.size]):
        for end in (b"", DATA[-8:]):
            with pytest.raises(IndexFormatError):
                open_frame(start + data + end)


def test_a_profiler_that_holds_a_frame_does_not_stop_a_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Dask's does, in a thread of its own: a view of the page that was summed lives on with it."""
    held: list[memoryview] = []

    def sum_and_hold(data: memoryview) -> int:
        held.append(data[:])
        return compute_checksum(data)

    monkeypatch.setattr("index_format.frame.compute_checksum", sum_and_hold)
    file = MemoryFile("x", bytearray())
    writer = FrameWriter(file)
    writer.begin_section(b"DATA")
    for _ in range(3):
        writer.write(bytes(PAGE_BYTES))
    writer.finish()
    assert held
    assert FrameReader(MemoryFile("x", file._data)).find_damaged_pages() == []
