"""Take segments apart into sections, put them together again with right checksums, and read every value."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from index_format import Manifest, MemoryDirectory, find_containing, verify_index
from index_format.frame import FrameReader, FrameWriter
from index_format.manifest import write_manifest
from index_format.memory_directory import MemoryFile
from index_format.segment_reader import SegmentReader
from tests.index_format.small_index import Model, write_model

# alpha and beta are by block, beta with an escape; gamma and py repeat a list, py that of another level.
SMALL: Model = {
    "a.py": (
        {(0, b"alpha"): 2, (0, b"beta"): 17, (0, b"py"): 1, (1, b"py"): 1},
        {(0, b"alpha"): 1, (0, b"gamma"): 3, (2, b"gamma"): 1},
        *({(0, b"alpha"): 1, (0, b"beta"): 1},) * 4,
    ),
    "b/é.md": ({(0, b"beta"): 1, (1, b"md"): 1},),
    "empty": (),
}
SMALL_TERMS = [b"alpha", b"beta", b"gamma", b"md", b"py"]


def open_bytes(data: bytes, name: str = "x.seg") -> SegmentReader:
    return SegmentReader(MemoryFile(name, bytearray(data)))


RECORDS = {"a.py": b"first record", "b/é.md": b"", "empty": bytes(range(256)) * 80}


def build_small(*, records: bool = False) -> bytes:
    """Return the bytes of a segment that holds SMALL, with RECORDS where wanted."""
    directory = MemoryDirectory()
    entry = write_model(directory, SMALL, records=RECORDS if records else None)
    return bytes(directory.files[entry.name])


def take_apart(data: bytes) -> dict[bytes, bytes]:
    """Return each section's bytes by tag."""
    frame = FrameReader(MemoryFile("x.seg", bytearray(data)))
    return {tag: frame.read(tag) for tag in frame.sections()}


def put_together(sections: Mapping[bytes, bytes]) -> tuple[str, bytes]:
    """Return the name and the bytes of a frame of sections, every checksum right."""
    file = MemoryFile("", bytearray())
    writer = FrameWriter(file)
    for tag, data in sections.items():
        writer.add_section(tag, data)
    name, size = writer.finish()
    return name + ".seg", file.read(0, size)


def read_everything(reader: SegmentReader) -> list[object]:
    """Return everything that a segment reader returns, as plain values."""
    content = reader.read_content()
    files = content.files
    records = [] if content.records is None else list(content.records)
    found: list[object] = [reader.frame.find_damaged_pages(), reader.fields, reader.language_names]
    found.append(records)
    found += [list(files.paths), files.fingerprints]
    for table in (files.sizes, files.languages, files.flags, files.lines, files.units, files.chunks):
        found.append(table.tolist())
    for table in (content.units.lines, content.units.sizes, content.chunks.kinds, *content.lengths):
        found.append(table.tolist())
    for file in range(reader.file_count):
        found += [reader.files.read_path(file), reader.read_spans(file)]
        found += [reader.take_languages(np.array([file])), reader.files.take_fingerprints(np.array([file]))]
        if reader.has_records:
            found.append(reader.records.read(file))
    if reader.unit_count:
        found.append(reader.files.find_files_of(np.arange(reader.unit_count)).tolist())
    found.append(reader.files.read_paths_of(np.arange(reader.file_count)))
    found.append(reader.terms.read_texts(0, reader.terms.pages)[0])
    for field in range(len(reader.fields)):
        found.append(reader.postings.read_docs(sorted([*SMALL_TERMS, b"", b"zzz"]), (field,)).tolist())
    terms = []
    for run in reader.postings.iter_runs(3):
        terms += run.terms.split()
        found += [run.list_terms.tolist(), run.list_fields.tolist(), run.docs.tolist()]
        found.append(run.term_frequencies.tolist())
    found += [terms, reader.counts, reader.length_sums]
    for term in [*terms, *SMALL_TERMS, b"", b"zzz"]:
        for posting_list in reader.postings.find_lists(term):
            docs, counts = reader.postings.read(posting_list)
            found.append((term, posting_list, docs.tolist(), counts.tolist()))
            if blocks := reader.postings.read_blocks(posting_list):
                found += [blocks.bounds.tolist(), blocks.block_sizes.tolist()]
                found += [column.tolist() for column in blocks.take(np.arange(len(blocks.bounds))[::2])]
    if run := reader.postings.read_run(b"b", b"m"):
        found += [run.terms.split(), run.docs.tolist()]
    found.append(find_containing(reader.terms, b"a", 10))
    return found


def verify_forged(
    directory: MemoryDirectory, manifest: Manifest, change: Callable[[dict[bytes, bytes]], object]
) -> list[str]:
    """Return the faults of an index whose one segment is changed and has all its checksums right."""
    (entry,) = manifest.segments
    sections = take_apart(bytes(directory.files[entry.name]))
    change(sections)
    name, data = put_together(sections)
    directory.files[name] = bytearray(data)
    forged = entry._replace(name=name, file_bytes=len(data))
    write_manifest(directory, manifest._replace(segments=(forged,)))
    return [fault.replace(name, "SEGMENT") for fault in verify_index(directory)]
