"""Writes one segment file: the posting lists as they come, in term order, then everything else.

Sections in file order: POST (postings.py), TERM LIST PAGE TOPS (terms.py), FILE PATH PRNT
(files.py), UNIT CHNK (chunks.py), NRMU NRMF (norms.py), META (a packed record). The bytes depend
on the content alone, however the lists were grouped into runs.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

import numpy as np

from index_format.chunks import encode_chunks
from index_format.directory import Directory
from index_format.files import encode_files
from index_format.frame import FrameWriter
from index_format.norms import encode_norms
from index_format.packing import pack
from index_format.postings import encode_lists
from index_format.records import I64, Level, PostingRun, SegmentContent, SegmentEntry
from index_format.terms import TermsWriter

POST, META = b"POST", b"META"
SUFFIX = ".seg"
TEMPORARY_SUFFIX = ".tmp"


class SegmentWriter:
    """One segment being written. Use as a context manager: a segment that is not finished disappears."""

    def __init__(self, directory: Directory, temporary: str, content: SegmentContent) -> None:
        """`temporary` is a name, without suffix, that no other writer uses. Raises OSError."""
        self._directory = directory
        self._temporary = temporary + TEMPORARY_SUFFIX
        self._content = content
        self._terms = TermsWriter()
        self._postings = 0
        self._file = directory.create(self._temporary)
        self._open = True
        self._frame = FrameWriter(self._file)
        self._frame.begin_section(POST)

    def __enter__(self) -> SegmentWriter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open:
            self._open = False
            self._file.close()
            with suppress(OSError):
                self._directory.delete(self._temporary)

    def add(self, run: PostingRun) -> None:
        """The next posting lists; the terms come after those of the runs before."""
        if not run.terms:
            return
        encoded = encode_lists(run.frequencies, run.docs, run.term_frequencies, self._get_lengths(run))
        self._frame.write(encoded.data)
        first_lists = np.searchsorted(run.list_terms, np.arange(len(run.terms)))
        masks = np.bitwise_or.reduceat(np.left_shift(1, run.list_fields), first_lists)
        self._terms.add(run.terms, masks, run.frequencies, encoded.sizes)
        self._postings += len(run.docs)

    def _get_lengths(self, run: PostingRun) -> I64:
        """The field length of each posting's document."""
        fields = np.repeat(run.list_fields, run.frequencies)
        lengths = np.zeros(len(fields), dtype=np.int64)
        for number, column in enumerate(self._content.lengths):
            own = fields == number
            lengths[own] = column[run.docs[own]]
        return lengths

    def finish(self) -> SegmentEntry:
        """Write the rest, sync, and give the file the name of its content. Raises OSError."""
        content = self._content
        sections = {
            **self._terms.finish(),
            **encode_files(content.files),
            **encode_chunks(content.units, content.chunks),
            **encode_norms(content.fields, content.lengths),
            META: pack(self._describe()),
        }
        for tag, data in sections.items():
            self._frame.add_section(tag, data)
        name, size = self._frame.finish()
        self._file.sync()
        self._file.close()
        self._open = False
        self._directory.rename(self._temporary, name + SUFFIX)
        return SegmentEntry(name + SUFFIX, size, len(content.files.paths), len(content.units.lines), ())

    def _describe(self) -> dict[str, object]:
        content = self._content
        return {
            "fields": [[field.name, int(field.level)] for field in content.fields],
            "files": len(content.files.paths),
            "units": len(content.units.lines),
            "chunks": len(content.chunks.kinds),
            "terms": self._terms.count,
            "postings": self._postings,
            "length_sums": [int(column.sum()) for column in content.lengths],
            "languages": list(content.files.language_names),
        }


def check_content(content: SegmentContent) -> None:
    """Raises ValueError when the tables do not fit each other: a defect of the caller."""
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
    """A segment from content that is all there. Raises ValueError for tables that do not fit, OSError."""
    check_content(content)
    with SegmentWriter(directory, temporary, content) as writer:
        writer.add(run)
        return writer.finish()
