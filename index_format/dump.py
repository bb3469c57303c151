"""Renders an index as stable text, for people, golden files and `diff`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np

from index_format.checksum import compute_checksum
from index_format.chunks import compute_chunk_id
from index_format.directory import Directory
from index_format.errors import CorruptIndex
from index_format.records import FINGERPRINT_BYTES, Integers, PostingRun
from index_format.segment_reader import SegmentReader
from index_format.snapshot import LiveSegment, Snapshot

BATCH_BYTES = 1 << 20


def iter_dump(directory: Directory, *, postings: bool = True) -> Iterator[str]:
    """Yield the committed generation as text. Raises CorruptIndex or another IndexFormatError, OSError."""
    snapshot = Snapshot.open(directory)
    if snapshot is None:
        raise CorruptIndex("manifest: missing")
    manifest = snapshot.manifest
    with closing(snapshot):
        yield f"generation {manifest.generation} configuration {manifest.configuration}"
        for number, field in enumerate(manifest.fields):
            total = snapshot.sum_lengths(number)
            yield f"field {number} {field.name} {field.level.name.lower()} total {total}"
        for segment in snapshot.segments:
            yield from _iter_segment(segment, postings)


def iter_stats(directory: Directory) -> Iterator[str]:
    """Yield sizes by segment and section. Raises CorruptIndex or another IndexFormatError, OSError."""
    snapshot = Snapshot.open(directory)
    if snapshot is None:
        raise CorruptIndex("manifest: missing")
    with closing(snapshot):
        for segment in snapshot.segments:
            reader = segment.reader
            counts = " ".join(f"{key} {value}" for key, value in reader.counts.items())
            size, dead = segment.entry.file_bytes, len(segment.dead_files)
            yield f"segment {segment.name} bytes {size} dead {dead} {counts}"
            for tag, size in reader.frame.sections().items():
                yield f"  {tag.decode(errors='backslashreplace')} {size}"


def _iter_segment(segment: LiveSegment, postings: bool) -> Iterator[str]:
    reader = segment.reader
    yield f"segment {segment.name} files {reader.file_count} units {reader.unit_count}"
    yield from _iter_files(segment)
    for number, field in enumerate(reader.fields):
        yield _join(f"lengths {field.name}", reader.norms.read_lengths(number))
    if postings:
        for run in reader.postings.iter_runs(BATCH_BYTES):
            yield from _iter_terms(reader, run)


def _iter_files(segment: LiveSegment) -> Iterator[str]:
    reader = segment.reader
    table = reader.read_file_table()
    units = reader.chunks.read_units()
    for file, path in enumerate(table.paths):
        fingerprint = table.fingerprints[file * FINGERPRINT_BYTES : (file + 1) * FINGERPRINT_BYTES]
        dead = "" if segment.live_file_mask[file] else " dead"
        language = table.language_names[int(table.languages[file])]
        yield f"file {file} {path.decode()!r} {fingerprint.hex()} {language}{dead}"
        yield f"  bytes {table.sizes[file]} lines {table.lines[file]} flags {table.flags[file]}"
        first, last = reader.files.first_units[file], reader.files.first_units[file + 1]
        yield _join("  units of lines", units.lines[first:last])
        yield _join("  units of bytes", units.sizes[first:last])
        for chunk in reader.read_spans(file):
            chunk_id = compute_chunk_id(path.decode(), fingerprint, chunk)
            yield f"  chunk {chunk.start_line}-{chunk.end_line} kind {chunk.kind} id {chunk_id}"
        if reader.has_records:
            record = reader.records.read(file)
            yield f"  record bytes {len(record)} checksum {compute_checksum(record):016x}"


def _iter_terms(reader: SegmentReader, run: PostingRun) -> Iterator[str]:
    ends = np.cumsum(run.frequencies)
    terms = run.terms.split()
    for position, (term, field) in enumerate(
        zip(run.list_terms.tolist(), run.list_fields.tolist(), strict=True)
    ):
        first, last = int(ends[position] - run.frequencies[position]), int(ends[position])
        pairs = zip(run.docs[first:last].tolist(), run.term_frequencies[first:last].tolist(), strict=True)
        listed = " ".join(f"{doc}:{count}" for doc, count in pairs)
        text = terms[term].decode(errors="backslashreplace")
        yield f"term {text!r} {reader.fields[field].name} {listed}"


def _join(label: str, values: Integers) -> str:
    return " ".join([label, *map(str, values.tolist())])
