"""Every kind of fault is listed, whole indexes have none, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from index_format import (
    DiskDirectory,
    IndexWriter,
    Manifest,
    MemoryDirectory,
    PostingList,
    SegmentEntry,
    pack,
    segment_writer,
    unpack,
    verify_index,
)
from index_format.columns import encode_table
from index_format.manifest import write_manifest
from tests.index_format.segment_bytes import open_bytes, put_together, verify_forged
from tests.index_format.small_index import BODY, FIELDS, PATH, SYMBOL, Model, write_model
from tests.index_format.test_columns import open_table

MODEL: Model = {
    "a": tuple({(BODY, b"often"): 3, (BODY, b"t%03d" % unit): 1} for unit in range(144)),
    "b": ({(BODY, b"often"): 1, (BODY, b"twice"): 2, (SYMBOL, b"twice"): 1, (PATH, b"b"): 1},),
    "é": (),
}
OTHER: Model = {"z": ({(BODY, b"other"): 1},)}


def build(*models: Model) -> tuple[MemoryDirectory, Manifest]:
    directory = MemoryDirectory()
    with IndexWriter(directory, "configuration", FIELDS) as writer:
        for model in models:
            writer.add(write_model(directory, model, writer.reserve_temporary()))
        return directory, writer.commit()


def forge(change: Callable[[dict[bytes, bytes]], object]) -> list[str]:
    """Return the faults of an index whose one segment is changed and has all its checksums right."""
    return verify_forged(*build(MODEL), change)


def test_a_whole_index_has_no_fault() -> None:
    assert verify_index(build(MODEL, OTHER)[0]) == []
    assert verify_index(build()[0]) == []
    assert forge(lambda sections: None) == []


def test_nothing_is_changed(tmp_path: Path) -> None:
    directory = DiskDirectory(str(tmp_path))
    with IndexWriter(directory, "configuration", FIELDS) as writer:
        writer.add(write_model(directory, MODEL, writer.reserve_temporary()))
        writer.commit()
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.iterdir()}
    assert verify_index(directory) == []
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.iterdir()} == before


def test_no_manifest_and_a_damaged_one() -> None:
    assert verify_index(MemoryDirectory()) == ["manifest: missing"]
    directory, _ = build(OTHER)
    directory.files["manifest"][20] ^= 1
    assert verify_index(directory) == ["manifest: has a wrong checksum"]
    directory.files["manifest"][8] = 9
    assert verify_index(directory) == ["manifest: format version 9, at most 4 is known"]


def test_missing_exchanged_and_cut_segments_are_all_listed() -> None:
    models: list[Model] = [{f"p{number}": ({(BODY, b"w%d" % number): 1},)} for number in range(4)]
    directory, manifest = build(*models)
    missing, one, two, cut = (entry.name for entry in manifest.segments)
    files = directory.files
    files[one], files[two] = files[two], files[one]
    del files[missing]
    del files[cut][-1:]
    faults = verify_index(directory)
    assert faults[:3] == [
        f"{missing}: the manifest names it, but it is missing",
        f"{one}: holds the content of {two[:32]}",
        f"{two}: holds the content of {one[:32]}",
    ]
    assert len(faults) == 4
    assert faults[3].startswith(f"{cut}: ")


def test_every_damaged_page_is_listed() -> None:
    model: Model = {"a": tuple({(BODY, b"word %05d" % unit * 9): 1} for unit in range(1500))}
    directory, manifest = build(model)
    name = manifest.segments[0].name
    for page in (1, 3):
        directory.files[name][page * 16384 + 77] ^= 0x40
    assert verify_index(directory) == [f"{name}: page {page} has a wrong checksum" for page in (1, 3)]


def change_entry(**changes: object) -> list[str]:
    directory, manifest = build(MODEL)
    entry: SegmentEntry = manifest.segments[0]._replace(**changes)  # type: ignore[arg-type]
    write_manifest(directory, manifest._replace(segments=(entry,)))
    return verify_index(directory)


@pytest.mark.parametrize("changes", [{"files": 4}, {"units": 5}, {"file_bytes": 7}])
def test_an_entry_that_says_otherwise(changes: dict[str, object]) -> None:
    (fault,) = change_entry(**changes)
    assert "the manifest says otherwise" in fault


def test_another_schema() -> None:
    directory, manifest = build(OTHER)
    write_manifest(directory, manifest._replace(fields=FIELDS[::-1]))
    (fault,) = verify_index(directory)
    assert fault.endswith("has another schema than the manifest")


def test_a_path_that_is_live_twice() -> None:
    changed: Model = {"b": ({(BODY, b"new"): 1},)}
    directory, manifest = build(MODEL, changed)
    one, two = manifest.segments
    assert verify_index(directory) == [f"{two.name}: 'b' is live in {one.name} too"]
    write_manifest(directory, manifest._replace(segments=(one._replace(dead_files=(1,)), two)))
    assert verify_index(directory) == []


def set_meta(sections: dict[bytes, bytes], key: str, value: object) -> None:
    sections[b"META"] = pack({**unpack(sections[b"META"], "META"), key: value})


def set_column(sections: dict[bytes, bytes], tag: bytes, columns: int, column: int, value: int) -> None:
    table = open_table(sections[tag], columns)
    values = [table.read_column(number) for number in range(columns)]
    values[column][0] = value
    sections[tag] = encode_table(values)


def test_sums_and_counts_of_meta() -> None:
    (fault,) = forge(lambda sections: set_meta(sections, "terms", 9))
    assert fault.startswith("SEGMENT: 147 terms and 292 postings, META says")
    (fault,) = forge(lambda sections: set_meta(sections, "postings", 9))
    assert fault.startswith("SEGMENT: 147 terms and 292 postings, META says")
    (fault,) = forge(lambda sections: set_meta(sections, "length_sums", [579, 1, 5]))
    assert fault == "SEGMENT: lengths of symbol sum to 1, META says 5"


def test_units_that_are_no_partition_of_the_lines() -> None:
    assert forge(lambda sections: set_column(sections, b"UNIT", 2, 0, 8)) == [
        "SEGMENT: UNIT: the units of 'a' do not add up to its lines"
    ]
    assert forge(lambda sections: set_column(sections, b"UNIT", 2, 0, 0)) == [
        "SEGMENT: UNIT: the units of 'a' do not add up to its lines",
        "SEGMENT: UNIT: a unit without lines",
    ]
    (fault,) = forge(lambda sections: set_column(sections, b"CHNK", 3, 1, 145))
    assert fault == "SEGMENT: CHNK: a chunk that ends after its file"


def test_paths_that_are_no_paths() -> None:
    def exchange(sections: dict[bytes, bytes]) -> None:
        sections[b"PATH"] = b"ba\xc3\xa9"

    faults = forge(exchange)
    assert set(faults) == {"SEGMENT: PATH: paths that do not ascend"}


def test_terms_that_do_not_ascend() -> None:
    def exchange(sections: dict[bytes, bytes]) -> None:
        sections[b"TERM"] = sections[b"TERM"].replace(b"t003", b"t001")

    assert forge(exchange) == ["SEGMENT: the terms of pages 0 to 2 do not ascend"]


def find_list(sections: dict[bytes, bytes], term: bytes) -> PostingList:
    """Return the first posting list of a term."""
    _, data = put_together(sections)
    return open_bytes(data).postings.find_lists(term)[0]


def forge_post(term: bytes, position: int, value: int) -> list[str]:
    """Return the faults where a byte of a term's first list has another value."""

    def change(sections: dict[bytes, bytes]) -> None:
        post = bytearray(sections[b"POST"])
        at = find_list(sections, term).offset + position
        assert post[at] != value
        post[at] = value
        sections[b"POST"] = bytes(post)

    return forge(change)


def test_a_bound_that_is_not_that_of_its_block() -> None:
    for bound in (1, 255):
        (fault,) = forge_post(b"often", 0, bound)
        assert fault.startswith("SEGMENT: its content, written again, is ")


def test_a_list_whose_unused_half_is_not_zero() -> None:
    """145 postings of `often`: behind one bound, one size and as many doc ids 73 bytes of halves."""
    (fault,) = forge_post(b"often", 1 + 1 + 145 + 72, 0x10)
    assert fault.startswith("SEGMENT: its content, written again, is ")


def change_twice(sections: dict[bytes, bytes], old: str, new: str, sizes: tuple[str, str]) -> None:
    """Give `twice`, the last term, another list, and its two lists, the last of LIST, other sizes."""
    laid, lists = bytes.fromhex(old), bytes.fromhex(sizes[0])
    at = find_list(sections, b"twice")
    assert sections[b"POST"].endswith(laid)
    assert at.offset + at.size == len(sections[b"POST"])
    assert sections[b"LIST"].endswith(lists)
    sections[b"POST"] = sections[b"POST"].removesuffix(laid) + bytes.fromhex(new)
    sections[b"LIST"] = sections[b"LIST"].removesuffix(lists) + bytes.fromhex(sizes[1])


@pytest.mark.parametrize(
    ("new", "sizes"),
    [
        ("c104", "020002"),  # as it is: nothing to say
        ("c18400", "020003"),  # an integer that is longer than it needs to be
        ("c104", "82000002"),
        ("c104", "02800002"),
        ("c104", "02008200"),
        ("c104c004", "02020202"),  # the second list laid out, not repeated
        ("c104", "02a10202"),  # or in the dictionary
    ],
)
def test_one_content_has_one_encoding(new: str, sizes: str) -> None:
    """Whoever reads them finds the same: that they are not what a writer makes is seen by writing anew."""
    faults = forge(lambda sections: change_twice(sections, "c104", new, ("020002", sizes)))
    if (new, sizes) == ("c104", "020002"):
        assert faults == []
    else:
        (fault,) = faults
        assert fault.startswith("SEGMENT: its content, written again, is ")


def test_bytes_in_another_form_than_the_one() -> None:
    def widen(sections: dict[bytes, bytes]) -> None:
        table = open_table(sections[b"UNIT"], 2)
        lines, sizes = (table.read_column(column).astype(np.uint16).tobytes() for column in range(2))
        pad = bytes(-len(lines) % 8)
        sections[b"UNIT"] = sections[b"UNIT"][:8] + b"\x02\x02" + bytes(6) + lines + pad + sizes + pad

    (fault,) = forge(widen)
    assert fault.startswith("SEGMENT: its content, written again, is ")


def test_sections_of_a_later_time_are_no_fault() -> None:
    assert forge(lambda sections: sections.update({b"SYMB": b"symbols"})) == []


def test_a_segment_whose_terms_wait_in_a_file_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_writer, "SPOOL_BYTES", 0)
    assert verify_index(build(MODEL, OTHER)[0]) == []
