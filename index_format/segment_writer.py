"""Writes one segment file: the posting lists as they come, in term order, then everything else.

Sections in file order: POST (postings.py), TERM LIST PAGE TOPS (terms.py), FILE PATH PRNT
(files.py), UNIT CHNK (chunks.py), NRMU NRMF (norms.py), RECS RECE where there are records
(file_records.py), META (meta.py). The bytes depend only on the content, however the lists were
grouped into runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import pairwise

from index_format.chunks import encode_chunks
from index_format.directory import Directory, WritableFile
from index_format.file_records import write_records
from index_format.files import encode_files
from index_format.frame import SUFFIX, FrameWriter
from index_format.meta import META, encode_meta
from index_format.norms import encode_norms
from index_format.posting_runs import encode_run, iter_parts
from index_format.postings import POST, FieldLengths
from index_format.records import EncodedRun, Level, PostingRun, SegmentContent, SegmentEntry
from index_format.terms import LARGE_SECTIONS, TermsWriter

TEMPORARY_SUFFIX = ".tmp"
SPOOL_BYTES = 16 * 1024 * 1024  # held in memory
READ_BYTES = 1024 * 1024


class Spool:
    """Pieces added one by one and read back once, in order. Always close it: that deletes the file.

    A segment's dictionary follows its posting lists but is produced along with them. For a large tree it
    takes hundreds of megabytes.
    """

    def __init__(self, directory: Directory, name: str) -> None:
        """Name the file that is created if the pieces outgrow memory."""
        self._directory = directory
        self._name = name
        self._pieces: list[bytes] = []
        self._size = 0
        self._file: WritableFile | None = None

    def add(self, pieces: Iterable[bytes]) -> None:
        """Append the next pieces. Raises OSError."""
        for piece in pieces:
            self._pieces.append(piece)
            self._size += len(piece)
        if self._size > SPOOL_BYTES:
            if self._file is None:
                self._file = self._directory.create(self._name)
            for piece in self._pieces:
                self._file.write(piece)
            self._pieces, self._size = [], 0

    def iter_pieces(self) -> Iterator[bytes]:
        """Yield all that was added. Raises OSError, and CorruptIndex when the file was truncated."""
        if self._file is not None:
            self._file.close()
            file = self._directory.open(self._name)
            try:
                for start in range(0, file.size, READ_BYTES):
                    yield file.read(start, min(READ_BYTES, file.size - start))
            finally:
                file.close()
        yield from self._pieces

    def close(self) -> None:
        """Drop the pieces and delete the file."""
        self._pieces = []
        if self._file is not None:
            file, self._file = self._file, None
            with suppress(OSError):
                file.close()
            with suppress(OSError):
                self._directory.delete(self._name)


class SegmentWriter:
    """One segment being written. Use as a context manager: an unfinished segment is deleted."""

    def __init__(self, directory: Directory, temporary: str) -> None:
        """Create the file; `temporary` is a name, without suffix, used by no other writer. Raises OSError."""
        self._directory = directory
        self._temporary = temporary + TEMPORARY_SUFFIX
        self._terms = TermsWriter()
        self._spools = {
            tag: Spool(directory, f"{temporary}-{tag.decode().lower()}{TEMPORARY_SUFFIX}")
            for tag in LARGE_SECTIONS
        }
        self._postings = 0
        self._file = directory.create(self._temporary)
        self._open = True
        self._frame = FrameWriter(self._file)
        self._frame.begin_section(POST)

    def __enter__(self) -> SegmentWriter:
        return self

    def __exit__(self, *_: object) -> None:
        for spool in self._spools.values():
            spool.close()
        if self._open:
            self._open = False
            self._file.close()
            with suppress(OSError):
                self._directory.delete(self._temporary)

    def add(self, run: EncodedRun) -> None:
        """Write the next posting lists. Their terms must come after those of earlier runs. Raises OSError."""
        self._frame.write(run.data)
        self._terms.add(run.terms, run.masks, run.frequencies, run.sizes, run.singles)
        self._spool_terms()
        self._postings += run.postings

    def _spool_terms(self) -> None:
        for tag, spool in self._spools.items():
            spool.add(self._terms.take(tag))

    def finish(self, content: SegmentContent) -> SegmentEntry:
        """Write everything but the posting lists, sync, and name the file after its content.

        Raises OSError, and ValueError when there are records but not one for each file.
        """
        sections = self._terms.finish()
        self._spool_terms()
        for tag, spool in self._spools.items():
            self._frame.begin_section(tag)
            for piece in spool.iter_pieces():
                self._frame.write(piece)
            spool.close()
        sections |= encode_files(content.files)
        sections |= encode_chunks(content.units, content.chunks)
        sections |= encode_norms(content.fields, content.lengths)
        for tag, data in sections.items():
            self._frame.add_section(tag, data)
        if content.records is not None:
            write_records(self._frame, content.records, len(content.files.paths))
        self._frame.add_section(META, encode_meta(content, self._terms.count, self._postings))
        name, size = self._frame.finish()
        self._file.sync()
        self._file.close()
        self._open = False
        self._directory.rename(self._temporary, name + SUFFIX)
        return SegmentEntry(name + SUFFIX, size, len(content.files.paths), len(content.units.lines), ())


def check_content(content: SegmentContent) -> None:
    """Raise ValueError when the tables do not fit each other, which is a defect of the caller."""
    files = len(content.files.paths)
    levels = {Level.FILE: files, Level.UNIT: len(content.units.lines)}
    if int(content.files.units.sum()) != levels[Level.UNIT]:
        raise ValueError(f"{levels[Level.UNIT]} units, the files have {int(content.files.units.sum())}")
    if int(content.files.chunks.sum()) != len(content.chunks.kinds):
        raise ValueError(
            f"{len(content.chunks.kinds)} chunks, the files have {int(content.files.chunks.sum())}"
        )
    for field, column in zip(content.fields, content.lengths, strict=True):
        if len(column) != levels[field.level]:
            raise ValueError(f"{len(column)} lengths of field {field.name}, {levels[field.level]} expected")
    paths = content.files.paths
    if any(one >= other for one, other in pairwise(paths)):
        raise ValueError("paths that do not ascend")


def write_segment(
    directory: Directory, temporary: str, content: SegmentContent, run: PostingRun
) -> SegmentEntry:
    """Write a segment from complete content. Raises ValueError for tables that do not fit, OSError."""
    check_content(content)
    lengths = FieldLengths(content.lengths)
    with SegmentWriter(directory, temporary) as writer:
        for part in iter_parts(run):
            writer.add(encode_run(part, lengths))
        return writer.finish(content)
