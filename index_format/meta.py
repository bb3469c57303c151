"""META: what a segment holds, as a packed record: the schema, counts of rows, languages, sums of lengths.

FORMAT.md lists the keys. This module checks the types of the values; SegmentReader compares the counts with
the other sections.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, NamedTuple

from index_format.errors import CorruptIndex
from index_format.frame import FrameReader
from index_format.packing import pack, unpack
from index_format.records import MAX_FIELDS, Field, Level, SegmentContent

META = b"META"
_COUNTS = ("files", "units", "chunks", "terms", "postings")


class Meta(NamedTuple):
    """The content of META."""

    fields: tuple[Field, ...]  # the schema
    language_names: tuple[str, ...]  # sorted, each once
    length_sums: tuple[int, ...]  # For each field, the sum of all documents' lengths, dead ones included
    counts: Mapping[str, int]  # "files", "units", "chunks", "terms" and "postings"


def encode_meta(content: SegmentContent, terms: int, postings: int) -> bytes:
    """Return the META section of a segment with this content and these numbers of terms and postings."""
    return pack(
        {
            "fields": [[field.name, int(field.level)] for field in content.fields],
            "files": len(content.files.paths),
            "units": len(content.units.lines),
            "chunks": len(content.chunks.kinds),
            "terms": terms,
            "postings": postings,
            "length_sums": [int(column.sum()) for column in content.lengths],
            "languages": list(content.files.language_names),
        }
    )


def read_meta(frame: FrameReader) -> Meta:
    """Return the content of a segment's META section. Raises CorruptIndex."""
    where = f"{frame.name}: META"
    try:
        return _build_meta(unpack(frame.read(META), where))
    except (TypeError, ValueError, KeyError) as error:
        raise CorruptIndex(f"{where}: the record is malformed ({type(error).__name__})") from error


def _build_meta(record: dict[str, Any]) -> Meta:
    meta = Meta(
        tuple(Field(str(name), Level(level)) for name, level in record["fields"]),
        tuple(str(name) for name in record["languages"]),
        tuple(index(total) for total in record["length_sums"]),
        {key: index(record[key]) for key in _COUNTS},
    )
    if not len(meta.fields) == len(meta.length_sums) <= MAX_FIELDS:
        raise ValueError
    return meta
