"""The frozen records of the format: what goes into a segment and what comes out of one.

Columns are numpy arrays, one row for each file, unit, chunk or list. A doc id is a dense number,
from 0 in each segment. It numbers units for a field of level UNIT and files for a field of level FILE.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from index_format.term_text import TermText

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]
Integers = npt.NDArray[np.integer]

FIELD_BITS = 3
MAX_FIELDS = 1 << FIELD_BITS  # a term's fields are the bits of one byte
MAX_TERM_FREQUENCY = (1 << 32) - 1
NO_SINGLE = -1
FINGERPRINT_BYTES = 16


class Level(IntEnum):
    """The kind of document that the doc ids of a field number."""

    UNIT = 0
    FILE = 1


class Field(NamedTuple):
    """One field of the schema. A field's number is its position in the schema."""

    name: str
    level: Level


class FileTable(NamedTuple):
    """The source files of a segment, sorted by the bytes of their paths, each path once."""

    paths: Sequence[bytes]  # UTF-8, POSIX, relative to the root
    fingerprints: bytes  # FINGERPRINT_BYTES for each file
    sizes: I64  # bytes of the source file
    languages: I64  # number in `language_names`
    flags: I64  # the owner's; this package only stores them
    lines: I64  # lines of each file, at least 0
    units: I64  # units of each file, at least 0
    chunks: I64  # chunks of each file, at least 0
    language_names: Sequence[str]  # sorted, each once


class UnitTable(NamedTuple):
    """The units of a segment in doc id order: a partition of each file's lines, in line order."""

    lines: Integers  # lines of the unit
    sizes: Integers  # bytes of the unit's normalised text


class ChunkTable(NamedTuple):
    """The chunks of a segment in file and line order; each is a run of units of its file."""

    first_units: Integers  # counted from the first unit of the file
    unit_counts: Integers  # units of each chunk, at least 1
    kinds: Integers  # the owner's; this package only stores them


class PostingRun(NamedTuple):
    """Posting lists in (term, field) order, for a run of terms in byte order, each term once."""

    terms: TermText
    list_terms: I64  # for each list: index of its term in `terms`
    list_fields: I64  # for each list: number of its field
    frequencies: I64  # for each list: document frequency, at least 1
    docs: I64  # doc ids of all lists, one list after the other, ascending within a list
    term_frequencies: I64  # term frequency for each entry of `docs`, at least 1


class EncodedRun(NamedTuple):
    """A PostingRun in the bytes that a segment stores."""

    terms: TermText
    masks: I64  # for each term: field bits of its lists
    frequencies: I64  # for each list: document frequency
    sizes: I64  # for each list: size in bytes
    singles: I64  # For each list: its only doc id, if the dictionary holds that, not bytes; else NO_SINGLE
    data: bytes  # the encoded lists, one after the other
    postings: int  # number of postings in all lists


class SegmentContent(NamedTuple):
    """Everything that one segment holds except its postings."""

    fields: Sequence[Field]
    files: FileTable
    units: UnitTable
    chunks: ChunkTable
    lengths: Sequence[Integers]  # for each field: field length of each doc id of its level
    records: Iterable[bytes] | None = None  # the owner's bytes for each file; iterated once


class SegmentEntry(NamedTuple):
    """The manifest's entry for one live segment."""

    name: str  # file name: the checksum of its tail, which in turn holds the checksums of all pages
    file_bytes: int  # size of the segment file
    files: int  # source files, dead ones included
    units: int  # units, those of dead files included
    dead_files: tuple[int, ...]  # ascending file numbers whose content is superseded or removed

    @property
    def live_files(self) -> int:
        """Return the number of files that are not dead."""
        return self.files - len(self.dead_files)


class Manifest(NamedTuple):
    """One generation: the commit point."""

    generation: int  # number of the commit
    configuration: str  # fingerprint of all settings that affect the content; compared by the owner
    fields: tuple[Field, ...]  # the schema
    segments: tuple[SegmentEntry, ...]  # the live segments, each once


class PostingList(NamedTuple):
    """The location of one posting list."""

    field: int  # number of the field
    frequency: int  # document frequency, dead documents included
    offset: int  # where the bytes begin in POST
    size: int  # bytes in POST
    first_field: int | None = None  # The field of the term's first list, if this list shares its bytes
    doc: int | None = None  # the only doc id, if the dictionary holds it and there are no bytes

    @property
    def repeats(self) -> bool:
        """Return True when the list has the doc ids of the term's first list, each once."""
        return self.first_field is not None
