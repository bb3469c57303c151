"""The frame of every segment file: header, sections, tail. Every byte is verified before it is returned.

    header   8s magic | u16 version | u16 zero | u32 page bytes                        16 bytes
    sections each from a multiple of 8, zero bytes between
    tail     section table: one row for each section, in file order
                 4s tag | u32 zero | u64 offset | u64 bytes                             24 bytes
             page table: u64 xxh3_64 of each PAGE_BYTES of [0, offset of the tail)
             footer: u64 offset of the tail | u64 bytes of the file | u32 sections |
                 u32 pages | u64 xxh3_64 of the tail up to here | 8s end magic          40 bytes

Integers are little-endian. The last page may be short. Opening a frame reads only the header and the
tail. Every later read fetches whole pages and compares each with its checksum. So a damaged byte is an
error where it is used and costs nothing elsewhere; with 16 KiB pages this takes 1 microsecond a read.
The file is named after its tail's xxh3_128, which covers every byte through the page checksums. This
module does not know what the sections mean; a reader ignores tags it does not know.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from index_format.checksum import CHECKSUM_BYTES, compute_checksum, compute_name
from index_format.directory import ReadableFile, WritableFile
from index_format.errors import CorruptIndex, IndexTooNew, IndexTooOld

SUFFIX = ".seg"  # ending of a finished file's name, which is derived from its content
MAGIC = b"RMIX\x89SEG"
END_MAGIC = b"RMIXSEG\n"
VERSION = 4
OLDEST_VERSION = 4
PAGE_BYTES = 16 * 1024
# Largest gap between two spans that are read at once: checking a page is cheaper than another read.
NEAR_BYTES = PAGE_BYTES
ALIGNMENT = 8
HEADER = struct.Struct("<8sHHI")
SECTION = struct.Struct("<4sIQQ")
FOOTER = struct.Struct("<QQIIQ8s")
assert (HEADER.size, SECTION.size, FOOTER.size) == (16, 24, 40)
MAX_SECTIONS = 256
MAX_FILE_BYTES = 1 << 38  # its page table has 128 MB, the most that opening a segment reads


class FrameWriter:
    """Writes one frame, section after section, to a file that the caller syncs and closes."""

    def __init__(self, file: WritableFile) -> None:
        self._file = file
        self._offset = 0
        self._page = bytearray()
        self._checksums: list[int] = []
        self._sections: list[tuple[bytes, int, int]] = []
        self._append(HEADER.pack(MAGIC, VERSION, 0, PAGE_BYTES))

    def begin_section(self, tag: bytes) -> None:
        """Begin the section `tag`, to which all further bytes belong."""
        self._close_section()
        self._append(bytes(-self._offset % ALIGNMENT))
        self._sections.append((tag, self._offset, -1))

    def write(self, data: bytes) -> None:
        """Append to the section that was begun last."""
        self._append(data)

    def add_section(self, tag: bytes, data: bytes) -> None:
        """Write a whole section whose bytes are all known."""
        self.begin_section(tag)
        self.write(data)

    def finish(self) -> tuple[str, int]:
        """Write the tail. Returns the file name derived from the content, and the bytes written."""
        self._close_section()
        if self._page:
            self._checksums.append(compute_checksum(self._page))
        tail_offset = self._offset
        tail = b"".join(SECTION.pack(tag, 0, offset, size) for tag, offset, size in self._sections)
        tail += np.array(self._checksums, dtype="<u8").tobytes()
        size = tail_offset + len(tail) + FOOTER.size
        counts = struct.pack("<QQII", tail_offset, size, len(self._sections), len(self._checksums))
        tail += counts
        tail += struct.pack("<Q", compute_checksum(tail)) + END_MAGIC
        self._file.write(tail)
        return compute_name(tail), size

    def _close_section(self) -> None:
        if self._sections and self._sections[-1][2] < 0:
            tag, offset, _ = self._sections[-1]
            self._sections[-1] = (tag, offset, self._offset - offset)

    def _append(self, data: bytes) -> None:
        self._file.write(data)
        self._offset += len(data)
        self._page += data
        whole = len(self._page) - len(self._page) % PAGE_BYTES
        view = memoryview(self._page)
        self._checksums += [
            compute_checksum(view[start : start + PAGE_BYTES]) for start in range(0, whole, PAGE_BYTES)
        ]
        view.release()
        self._page = self._page[whole:]  # A new object: a profiler's frame may hold a view of the old one


class FrameReader:
    """One opened frame."""

    def __init__(self, file: ReadableFile) -> None:
        """Read header and tail. Raises CorruptIndex, IndexTooOld, IndexTooNew, OSError."""
        self._file = file
        self.name = file.name
        if file.size < HEADER.size + FOOTER.size:
            raise self._corrupt(f"{file.size} bytes, at least {HEADER.size + FOOTER.size} expected")
        if file.size > MAX_FILE_BYTES:
            raise self._corrupt(f"{file.size} bytes, at most {MAX_FILE_BYTES} expected")
        self._check_header(file.read(0, HEADER.size))
        self.tail = self._read_tail()
        self._sections = self._parse_sections()

    def _corrupt(self, what: str) -> CorruptIndex:
        return CorruptIndex(f"{self.name}: {what}")

    def _check_header(self, data: bytes) -> None:
        magic, version, zero, page_bytes = HEADER.unpack(data)
        if magic != MAGIC:
            raise self._corrupt(f"starts with {magic!r}, {MAGIC!r} expected")
        if version > VERSION:
            raise IndexTooNew(f"{self.name}: format version {version}, at most {VERSION} is known")
        if version < OLDEST_VERSION:
            raise IndexTooOld(f"{self.name}: format version {version}, at least {OLDEST_VERSION} is read")
        if (zero, page_bytes) != (0, PAGE_BYTES):
            raise self._corrupt(f"zero bytes {zero} and pages of {page_bytes}, 0 and {PAGE_BYTES} expected")

    def _read_tail(self) -> bytes:
        footer = self._file.read(self._file.size - FOOTER.size, FOOTER.size)
        self._tail_offset, size, self._section_count, pages, checksum, magic = FOOTER.unpack(footer)
        if magic != END_MAGIC or size != self._file.size:
            raise self._corrupt(
                f"{self._file.size} bytes, but its end is not that of a segment of {size} bytes"
            )
        if not HEADER.size <= self._tail_offset < size:
            raise self._corrupt(
                f"the tail begins at {self._tail_offset}, which is not inside its {size} bytes"
            )
        wanted = self._section_count * SECTION.size + pages * CHECKSUM_BYTES + FOOTER.size
        whole_pages = -(-self._tail_offset // PAGE_BYTES)
        if self._section_count > MAX_SECTIONS or pages != whole_pages or size - self._tail_offset != wanted:
            raise self._corrupt(f"a tail of {size - self._tail_offset} bytes, {wanted} expected")
        tail = self._file.read(self._tail_offset, wanted)
        if compute_checksum(tail[: -len(END_MAGIC) - CHECKSUM_BYTES]) != checksum:
            raise self._corrupt("the tail has a wrong checksum")
        first = self._section_count * SECTION.size
        self._checksums = np.frombuffer(tail, dtype="<u8", count=pages, offset=first)
        return tail

    def _parse_sections(self) -> dict[bytes, tuple[int, int]]:
        sections: dict[bytes, tuple[int, int]] = {}
        end = HEADER.size
        for row in range(self._section_count):
            tag, zero, offset, size = SECTION.unpack_from(self.tail, row * SECTION.size)
            misplaced = offset < end or offset % ALIGNMENT or offset + size > self._tail_offset
            if zero or misplaced or tag in sections:
                raise self._corrupt(f"section {tag!r} cannot have {size} bytes at {offset}")
            sections[tag] = (offset, size)
            end = offset + size
        return sections

    @property
    def content_name(self) -> str:
        """Return the name derived from the content: it differs from `name` when the file was exchanged."""
        return compute_name(self.tail)

    @property
    def file_bytes(self) -> int:
        """Return the size of the file in bytes."""
        return self._file.size

    @property
    def page_count(self) -> int:
        """Return the number of pages in front of the tail."""
        return len(self._checksums)

    def sections(self) -> dict[bytes, int]:
        """Return the size in bytes of each section by tag, in file order."""
        return {tag: size for tag, (_, size) in self._sections.items()}

    def get_size(self, tag: bytes) -> int:
        """Return the size of a section in bytes. Raises CorruptIndex when there is none."""
        if tag not in self._sections:
            raise self._corrupt(f"no section {tag!r}")
        return self._sections[tag][1]

    def get_offset(self, tag: bytes) -> int:
        """Return where a section begins in the file. Raises CorruptIndex when there is none."""
        self.get_size(tag)
        return self._sections[tag][0]

    def read(self, tag: bytes, offset: int = 0, size: int | None = None) -> bytes:
        """Return verified bytes of a section. Raises CorruptIndex for damaged and for absent bytes."""
        return self.view(tag, offset, size).tobytes()

    def view(self, tag: bytes, offset: int = 0, size: int | None = None) -> memoryview:
        """Return verified bytes of a section, uncopied: whole pages stay in memory. Raises CorruptIndex."""
        length = self.get_size(tag)
        size = length - offset if size is None else size
        if not (offset >= 0 and size >= 0 and offset + size <= length):
            raise self._corrupt(
                f"section {tag!r}: {size} bytes at {offset} were asked for, but it has {length}"
            )
        if size == 0:
            return memoryview(b"")
        return self._read_verified(self._sections[tag][0] + offset, size)

    def read_spans(self, tag: bytes, starts: Sequence[int], ends: Sequence[int]) -> list[bytes]:
        """Return verified bytes of several spans of a section; those near each other are read at once.

        Ascending spans take the fewest reads. Raises CorruptIndex.
        """
        found: list[bytes] = []
        while len(found) < len(starts):
            first = stop = len(found)
            low = high = starts[first]
            while stop < len(starts) and low <= starts[stop] <= high + NEAR_BYTES:
                if ends[stop] < starts[stop]:
                    raise self._corrupt(
                        f"section {tag!r} does not have the bytes from {starts[stop]} to {ends[stop]}"
                    )
                high = max(high, ends[stop])
                stop += 1
            data = self.view(tag, low, high - low)
            spans = zip(starts[first:stop], ends[first:stop], strict=True)
            found += [bytes(data[start - low : end - low]) for start, end in spans]
        return found

    def _read_verified(self, start: int, size: int) -> memoryview:
        first, last = start // PAGE_BYTES, (start + size - 1) // PAGE_BYTES
        base = first * PAGE_BYTES
        data = self._file.read(base, min((last + 1) * PAGE_BYTES, self._tail_offset) - base)
        view = memoryview(data)
        position = 0
        for page, checksum in enumerate(self._checksums[first : last + 1].tolist(), first):
            if compute_checksum(view[position : position + PAGE_BYTES]) != checksum:
                raise self._corrupt(f"page {page} has a wrong checksum")
            position += PAGE_BYTES
        return view[start - base : start - base + size]

    def find_damaged_pages(self) -> list[int]:
        """Return the numbers of all pages that do not match their checksums, after reading them all."""
        damaged = []
        for page in range(self.page_count):
            try:
                start = page * PAGE_BYTES
                self._read_verified(start, min(PAGE_BYTES, self._tail_offset - start))
            except CorruptIndex:
                damaged.append(page)
        return damaged

    def close(self) -> None:
        """Close the file."""
        self._file.close()
