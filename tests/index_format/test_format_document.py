"""FORMAT.md says what the code does: its struct tables, its sections and its example."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from struct import Struct
from unittest.mock import patch

import numpy as np
import pytest

from index_format import (
    VERSION,
    ChunkTable,
    Field,
    FileTable,
    IndexWriter,
    Level,
    MemoryDirectory,
    PostingRun,
    SegmentContent,
    UnitTable,
    block_lists,
    build_term_text,
    columns,
    folded_pages,
    frame,
    manifest,
    packing,
    postings,
    records,
    seals,
    signatures,
    terms,
    varints,
    verify,
    write_segment,
)
from tests.index_format.plain_lists import compute_bound, compute_tf_norm
from tests.index_format.segment_bytes import build_small, take_apart

DOCUMENT = Path(frame.__file__).with_name("FORMAT.md").read_text(encoding="utf-8")
STRUCTS = {
    "frame.HEADER": frame.HEADER,
    "frame.SECTION": frame.SECTION,
    "frame.FOOTER": frame.FOOTER,
    "columns.HEADER": columns.HEADER,
    "manifest.HEADER": manifest.HEADER,
    "seals.HEADER": seals.HEADER,
}
TYPES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "4s": "4s", "8s": "8s"}
EXAMPLE_FIELDS = (Field("body", Level.UNIT), Field("path", Level.FILE))


def build_example() -> tuple[str, dict[str, bytes]]:
    """Return the index of the document's example: the name of its segment, and its files."""

    def column(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array(values, dtype=np.int64)

    one, six, none = column(1), column(6), column(0)
    files = FileTable([b"a/a.py"], b"0123456789abcdef", column(25), none, none, six, six, one, ["python"])
    content = SegmentContent(
        EXAMPLE_FIELDS,
        files,
        UnitTable(column(1, 1, 1, 1, 1, 1), column(10, 3, 3, 3, 3, 3)),
        ChunkTable(none, six, none),
        [column(3, 1, 1, 1, 1, 1), column(3)],
    )
    run = PostingRun(
        build_term_text([b"a", b"py"]),
        column(0, 0, 1, 1),
        column(0, 1, 0, 1),
        column(6, 1, 1, 1),
        column(0, 1, 2, 3, 4, 5, 0, 0, 0),
        column(2, 1, 1, 1, 1, 1, 2, 1, 1),
    )
    directory = MemoryDirectory()
    with IndexWriter(directory, "example", EXAMPLE_FIELDS) as writer:
        entry = write_segment(directory, writer.reserve_temporary(), content, run)
        writer.add(entry)
        writer.commit()
    return entry.name, {name: bytes(data) for name, data in directory.files.items()}


def find_table(name: str) -> list[list[str]]:
    """Return the rows of the table that the document gives for a struct."""
    after = DOCUMENT.split(f"<!-- struct: {name} -->\n")[1]
    rows = after.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def parse_hex(block: str) -> bytes:
    """Return the bytes of an annotated dump, whose offsets must follow each other."""
    data = b""
    for line in block.splitlines():
        match = re.fullmatch(r"([0-9a-f]{4})  ((?:[0-9a-f]{2}(?: |$))+)(?: +\S.*)?", line)
        assert match, line
        assert int(match[1], 16) == len(data), line
        data += bytes.fromhex(match[2])
    return data


@pytest.mark.parametrize("name", STRUCTS)
def test_struct_tables_are_those_of_the_code(name: str) -> None:
    rows = find_table(name)
    stated = Struct("<" + "".join(TYPES[kind] for _, kind, _ in rows))
    assert stated.format == STRUCTS[name].format
    offset = 0
    for position, kind, _ in rows:
        assert int(position) == offset
        offset += Struct("<" + TYPES[kind]).size


def test_every_struct_table_is_compared() -> None:
    assert re.findall(r"<!-- struct: (\S+) -->", DOCUMENT) == list(STRUCTS)


def test_magics_are_those_of_the_code() -> None:
    stated = [bytes.fromhex(digits) for digits in re.findall(r"magic: `([0-9a-f ]+)`", DOCUMENT)]
    assert stated == [frame.MAGIC, frame.END_MAGIC, manifest.MAGIC, seals.MAGIC]


def test_numbers_are_those_of_the_code() -> None:
    for text in (
        f"# The index format, version {VERSION}\n",
        f"| 12 | u32 | bytes of a page: {frame.PAGE_BYTES} |",
        f"each {frame.PAGE_BYTES} bytes",
        f"| fields | {records.MAX_FIELDS} |",
        f"| sections | {frame.MAX_SECTIONS} |",
        f"| columns of a table | {columns.MAX_COLUMNS} |",
        f"| bytes of a packed record | {packing.MAX_PACKED_BYTES >> 20} MiB |",
        f"| bytes of the manifest | {manifest.MAX_MANIFEST_BYTES >> 20} MiB |",
        f"| bytes of a segment | 2^{frame.MAX_FILE_BYTES.bit_length() - 1} |",
        f"cut into pages of {terms.PAGE_TERMS}",
        f"has at least {terms.LARGE_PAGES} pages.",
        f"\n    {folded_pages.DISTANCE_LENGTHS}\n",
        f"shares s = {folded_pages.MIN_SHARED} or more first bytes",
        f"have d = {folded_pages.MAX_DISTANCE} bytes\n",
        f"length min(s, {folded_pages.MAX_SHARED}) and",
        f"{signatures.CLASSES + 1} rows of a bit",
        f"highest {signatures.CLASS_BITS} bits of the 32-bit",
        "x * {:08x} + y * {:08x} + z * {:08x} ".format(*signatures.FACTORS),
        f"| df >= {postings.BLOCK_SHARE} * blocks, where",
        f"blocks is N / {block_lists.BLOCK_DOCS}, rounded up |",
        f"from {block_lists.BLOCK_DOCS} * b to {block_lists.BLOCK_DOCS} * b + {block_lists.BLOCK_DOCS - 1}:",
        f"`floor({block_lists.BOUND_SCALE} * s) + 1`",
        f"k1 = {block_lists.SATURATION_K1:g} and b = {block_lists.SATURATION_B:g}.",
        f"integer below 2^{varints.BITS * varints.MAX_BYTES} in as few bytes",
        f"needs, at most {varints.MAX_BYTES}: seven bits a byte",
        f"| bytes of a posting list | 2^{varints.BITS * varints.MAX_BYTES} - 1 |",
        f"| term frequency, field length | 2^{records.MAX_TERM_FREQUENCY.bit_length()} - 1 |",
        f"version {frame.VERSION - 1} is IndexTooOld",
        f"the fingerprints, {records.FINGERPRINT_BYTES} bytes each",
    ):
        assert text in DOCUMENT, text


def test_code_lengths_are_those_of_the_code() -> None:
    stated = DOCUMENT.split("a hexadecimal digit each:\n\n")[1].split("\n\n")[0]
    assert "".join(stated.split()) == folded_pages.CODE_LENGTHS


def test_sections_stand_in_the_order_of_the_document() -> None:
    table = DOCUMENT.split("## Sections of a segment")[1].split("\n\n")[1]
    stated = re.findall(r"\b[A-Z]{4}\b", table)
    with patch.object(terms, "LARGE_PAGES", 1):
        assert [tag.encode() for tag in stated] == list(take_apart(build_small(records=True)))
    required = [tag for tag in stated if tag not in ("SIGN", "RECS", "RECE")]
    assert [tag.encode() for tag in required] == list(take_apart(build_small()))
    headings = re.findall(r"^### (.*)$", DOCUMENT, re.MULTILINE)
    assert ", ".join(headings).split(", ") == stated
    # A segment with a section that it does not know is not written again by `verify`.
    assert {tag.encode() for tag in stated} == verify.SECTIONS | verify.OPTIONAL_SECTIONS


def test_the_example_has_the_bytes_that_the_writer_makes() -> None:
    name, files = build_example()
    segment, committed = re.findall(r"```hex\n(.*?)\n```", DOCUMENT, re.DOTALL)
    assert parse_hex(segment) == files[name]
    assert parse_hex(committed) == files["manifest"]
    assert f"The segment's name is\n`{name}`." in DOCUMENT


def test_the_history_ends_with_this_version() -> None:
    rows = re.findall(r"^\| (\d+) \|", DOCUMENT.split("## Versions")[1], re.MULTILINE)
    assert [int(row) for row in rows] == list(range(1, VERSION + 1))


def test_the_formula_of_the_example_is_that_of_the_code() -> None:
    lengths = [3, 1, 1, 1, 1, 1]
    assert "2 / (2 + 1 + 2.25)" in DOCUMENT
    assert 2 / (2 + 1 + 2.25) == float(compute_tf_norm(2, 3, lengths)) > float(compute_tf_norm(1, 1, lengths))
    assert (compute_bound(2, 3, lengths), 255 * compute_tf_norm(2, 3, lengths)) == (0x62, Fraction(680, 7))


def test_one_reads_the_version_that_one_writes() -> None:
    assert frame.OLDEST_VERSION == VERSION == 4
    assert re.findall(r"format version: (\d+)", DOCUMENT) == [str(VERSION)] * 2
