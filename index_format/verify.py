"""Reads every byte of an index and lists every fault. Changes nothing.

At the end each segment is encoded again, and the bytes are discarded. The same content gives the same bytes,
so a segment whose name comes out different was not written as FORMAT.md says, whatever its checksums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from index_format.chunks import CHNK, UNIT
from index_format.directory import Directory
from index_format.errors import CorruptIndex, IndexFormatError
from index_format.file_records import RECE, RECS
from index_format.files import FILE, PATH, PRNT
from index_format.frame import SUFFIX
from index_format.manifest import decode_manifest, read_manifest_bytes
from index_format.memory_directory import MemoryDirectory, MemoryFile
from index_format.meta import META
from index_format.norms import NRMF, NRMU
from index_format.posting_runs import encode_run
from index_format.postings import POST, FieldLengths
from index_format.records import I64, Field, FileTable, SegmentContent, SegmentEntry
from index_format.seals import check_segment, read_seal
from index_format.segment_reader import SegmentReader
from index_format.segment_writer import TEMPORARY_SUFFIX, SegmentWriter
from index_format.signatures import SIGN
from index_format.snapshot import iter_entry_faults
from index_format.terms import LIST, PAGE, TERM, TOPS

BATCH_BYTES = 1 << 20
REWRITTEN = "verify"  # temporary name of a rewritten segment
SECTIONS = {POST, TERM, LIST, PAGE, TOPS, FILE, PATH, PRNT, UNIT, CHNK, NRMU, NRMF, META}
OPTIONAL_SECTIONS = {SIGN, RECS, RECE}


def verify_index(directory: Directory, *, reads_all: bool = True) -> list[str]:
    """Return the faults of the committed generation, in order; none for an intact index. Raises OSError.

    The seal is checked where the directory has a `make_tag`. Without `reads_all` only what opening an index
    reads is read.
    """
    try:
        data = read_manifest_bytes(directory)
        manifest = None if data is None else decode_manifest(data)
    except IndexFormatError as error:
        return [str(error)]
    if data is None or manifest is None:
        return ["manifest: missing"]
    faults = list_seal_faults(directory, data, [entry.name for entry in manifest.segments])
    live: dict[bytes, str] = {}
    for entry in manifest.segments:
        faults += _verify_segment(directory, entry, manifest.fields, live, reads_all)
    return faults or _list_mixed(directory, manifest.segments)


def read_foreign_segment(data: bytes, fields: Sequence[Field]) -> tuple[SegmentEntry, FileTable]:
    """Return the entry and the files of a segment that came from elsewhere, given as its bytes.

    The name is derived from the bytes. Every checksum is compared, and all tables are read: a hundredth of
    the time that building took. The posting lists are decoded by whoever merges them, for an eighth of it.
    Raises CorruptIndex or another IndexFormatError.
    """
    reader = SegmentReader(MemoryFile("a segment from elsewhere", bytearray(data)))
    damaged = reader.frame.find_damaged_pages()
    if damaged:
        raise CorruptIndex(f"{reader.name}: page {damaged[0]} has a wrong checksum")
    if set(reader.frame.sections()) - {SIGN} != SECTIONS:
        raise CorruptIndex(f"{reader.name}: has other sections than a segment of source files")
    if reader.fields != tuple(fields):
        raise CorruptIndex(f"{reader.name}: has another schema")
    name = reader.frame.content_name + SUFFIX
    entry = SegmentEntry(name, reader.frame.file_bytes, reader.file_count, reader.unit_count, ())
    return entry, reader.read_content().files


def list_seal_faults(directory: Directory, manifest: bytes, names: Sequence[str]) -> list[str]:
    """Return the differences between manifest and segments and what their owner sealed. Raises OSError."""
    try:
        sealed = read_seal(directory, manifest)
    except IndexFormatError as error:
        return [str(error)]
    faults = []
    for name in names if sealed is not None else ():
        with suppress(FileNotFoundError):  # reported elsewhere
            file = directory.open(name)
            try:
                check_segment(file, sealed or {})
            except IndexFormatError as error:
                faults.append(str(error))
            finally:
                file.close()
    return faults


def _list_mixed(directory: Directory, entries: Sequence[SegmentEntry]) -> list[str]:
    """Return a fault when some of the segments have records and others have none."""
    has: list[bool] = []
    for entry in entries:
        reader = SegmentReader(directory.open(entry.name))
        has.append(reader.has_records)
        reader.close()
    return ["manifest: some segments have records and some have none"] if len(set(has)) > 1 else []


def _verify_segment(
    directory: Directory,
    entry: SegmentEntry,
    fields: tuple[Field, ...],
    live: dict[bytes, str],
    reads_all: bool,
) -> Iterator[str]:
    """Yield the faults of a segment; add its live paths to `live`, with its name."""
    try:
        reader = SegmentReader(directory.open(entry.name))
    except FileNotFoundError:
        yield f"{entry.name}: the manifest names it, but it is missing"
        return
    except IndexFormatError as error:
        yield str(error)
        return
    try:
        yield from iter_entry_faults(reader, entry, fields)
        if not reads_all:
            return
        damaged = reader.frame.find_damaged_pages()
        yield from (f"{entry.name}: page {page} has a wrong checksum" for page in damaged)
        if not damaged:
            yield from _verify_paths(reader, entry, live)
            yield from _verify_structures(reader)
    finally:
        reader.close()


def _verify_paths(reader: SegmentReader, entry: SegmentEntry, live: dict[bytes, str]) -> Iterator[str]:
    try:
        paths = list(reader.files.iter_paths())
    except IndexFormatError as error:
        yield str(error)
        return
    dead = set(entry.dead_files)
    for path in (path for file, path in enumerate(paths) if file not in dead):
        if path in live:
            yield f"{entry.name}: {path.decode()!r} is live in {live[path]} too"
        live[path] = entry.name


def _verify_structures(reader: SegmentReader) -> Iterator[str]:
    """Yield faults of bytes that match their checksums, such as a defective writer would leave."""
    try:
        content = reader.read_content()
        faults = [*_list_span_faults(reader, content), *_list_sum_faults(reader, content)]
        yield from faults
        if not faults and set(reader.frame.sections()) - OPTIONAL_SECTIONS == SECTIONS:
            name = _rewrite(reader, content)
            if name != reader.frame.content_name + SUFFIX:
                yield f"{reader.name}: its content, written again, is {name}"
    except IndexFormatError as error:
        yield str(error)


def _list_span_faults(reader: SegmentReader, content: SegmentContent) -> list[str]:
    files = content.files
    ends: I64 = np.concatenate([[0], np.cumsum(content.units.lines)])
    lines = ends[np.cumsum(files.units)] - ends[np.cumsum(files.units) - files.units]
    faults = [
        f"{reader.name}: UNIT: the units of {files.paths[file].decode()!r} do not add up to its lines"
        for file in np.flatnonzero(lines != files.lines).tolist()
    ]
    if len(content.units.lines) and int(content.units.lines.min()) < 1:
        faults.append(f"{reader.name}: UNIT: a unit without lines")
    for file in range(reader.file_count):
        reader.read_spans(file)
    return faults


def _list_sum_faults(reader: SegmentReader, content: SegmentContent) -> list[str]:
    terms = postings = 0
    for run in reader.postings.iter_runs(BATCH_BYTES):
        terms += len(run.terms)
        postings += len(run.docs)
    faults = []
    if (terms, postings) != (reader.counts["terms"], reader.counts["postings"]):
        faults.append(f"{reader.name}: {terms} terms and {postings} postings, META says {reader.counts}")
    for field, column, total in zip(reader.fields, content.lengths, reader.length_sums, strict=True):
        if int(column.sum()) != total:
            faults.append(
                f"{reader.name}: lengths of {field.name} sum to {int(column.sum())}, META says {total}"
            )
    return faults


def _rewrite(reader: SegmentReader, content: SegmentContent) -> str:
    """Return the name of a segment written from this content again."""
    lengths = FieldLengths(content.lengths)
    with SegmentWriter(_NullDirectory(), REWRITTEN) as writer:
        for run in reader.postings.iter_runs(BATCH_BYTES):
            writer.add(encode_run(run, lengths))
        return writer.finish(content).name


class _NullDirectory(MemoryDirectory):
    """A directory whose rewritten segment discards all that is written to it."""

    def create(self, name: str) -> MemoryFile:
        """Create a file; that of the segment stays empty."""
        file = super().create(name)
        return _NullFile(name, bytearray()) if name == REWRITTEN + TEMPORARY_SUFFIX else file


class _NullFile(MemoryFile):
    def write(self, data: bytes | memoryview) -> None:
        """Discard the data."""
