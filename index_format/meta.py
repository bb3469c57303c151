"""META: what a segment holds, as a packed record: the schema, counts of rows, languages, sums of lengths.

FORMAT.md lists its keys. A reader checks the types here; whether the counts are those of the other sections
is for who has read them.
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
    length_sums: tuple[int, ...]  # for each field, the terms of all documents, dead ones included
    counts: Mapping[str, int]  # "files", "units", "chunks", "terms" and "postings"


def encode_meta(content: SegmentContent, terms: int, postings: int) -> bytes:
    """Return the section of a segment with so many terms and postings."""
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
    """Return the section of a segment. Raises CorruptIndex."""
    where = f"{frame.name}: META"
    try:
        return _build_meta(unpack(frame.read(META), where))
    except (TypeError, ValueError, KeyError) as error:
        raise CorruptIndex(f"{where}: {type(error).__name__}") from error


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
