"""Reads every byte of an index and lists every fault. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from index_format.directory import Directory
from index_format.errors import IndexFormatError
from index_format.manifest import read_manifest
from index_format.records import SegmentEntry
from index_format.segment_reader import SegmentReader

BATCH_POSTINGS = 500_000


def verify_index(directory: Directory) -> list[str]:
    """The faults of the committed generation, in order; none for a whole index. Raises OSError."""
    try:
        manifest = read_manifest(directory)
    except IndexFormatError as error:
        return [str(error)]
    if manifest is None:
        return ["manifest: there is none"]
    faults: list[str] = []
    for entry in manifest.segments:
        faults += _verify_segment(directory, entry)
    return faults


def _verify_segment(directory: Directory, entry: SegmentEntry) -> Iterator[str]:
    try:
        reader = SegmentReader(directory.open(entry.name))
    except FileNotFoundError:
        yield f"{entry.name}: the manifest names it and it is not there"
        return
    except IndexFormatError as error:
        yield str(error)
        return
    try:
        if not entry.name.startswith(reader.frame.content_name):
            yield f"{entry.name}: holds the content of {reader.frame.content_name}"
        damaged = reader.frame.find_damaged_pages()
        yield from (f"{entry.name}: page {page} does not have its checksum" for page in damaged)
        if not damaged:
            yield from _verify_structures(reader)
    finally:
        reader.close()


def _verify_structures(reader: SegmentReader) -> Iterator[str]:
    """Faults of bytes that have their checksums: what a defective writer would leave."""
    try:
        content = reader.read_content()
        for file in range(reader.file_count):
            reader.read_spans(file)
        terms = postings = 0
        last = b""
        for run in reader.iter_runs(BATCH_POSTINGS):
            if run.terms[0] < last or any(a >= b for a, b in zip(run.terms, run.terms[1:], strict=False)):
                yield f"{reader.name}: TERM: terms that do not ascend at {run.terms[0]!r}"
            last = run.terms[-1]
            terms += len(run.terms)
            postings += len(run.docs)
        if (terms, postings) != (reader.counts["terms"], reader.counts["postings"]):
            yield f"{reader.name}: {terms} terms and {postings} postings, META says {reader.counts}"
        for field, column, total in zip(reader.fields, content.lengths, reader.length_sums, strict=True):
            if int(column.sum()) != total:
                yield f"{reader.name}: lengths of {field.name} sum to {int(column.sum())}, META says {total}"
    except IndexFormatError as error:
        yield str(error)
