"""Field lengths: the exact number of terms, with repetition, that each document has in each field.

    NRMU  a table (columns.py), one row per unit, one column for each field of level UNIT
    NRMF  the same with one row per file, for the fields of level FILE

Columns stand in the order of the schema; a level without a field has one column without rows.
BM25F needs the lengths of a list's documents and the average over the live ones. The snapshot computes
the average from the sums in META.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from index_format.columns import Column, TableReader, encode_table
from index_format.errors import CorruptIndex
from index_format.frame import FrameReader
from index_format.records import I64, Field, Integers, Level

NRMU, NRMF = b"NRMU", b"NRMF"
SECTIONS = {Level.UNIT: NRMU, Level.FILE: NRMF}


def encode_norms(fields: Sequence[Field], lengths: Sequence[Integers]) -> dict[bytes, bytes]:
    """Return the NRMU and NRMF sections by tag."""
    sections = {}
    for level, tag in SECTIONS.items():
        columns = [column for field, column in zip(fields, lengths, strict=True) if field.level is level]
        sections[tag] = encode_table(columns or [np.zeros(0, dtype=np.int64)])
    return sections


class NormsReader:
    """Field lengths, cached once read: two bytes or so for each document."""

    def __init__(self, frame: FrameReader, fields: Sequence[Field], docs: Mapping[Level, int]) -> None:
        """Read the tables' heads; `docs` counts the documents of each level. Raises CorruptIndex."""
        self._columns: dict[int, Column] = {}
        for level, tag in SECTIONS.items():
            numbers = [number for number, field in enumerate(fields) if field.level is level]
            where = f"{frame.name}: {tag.decode()}"
            table = TableReader(
                partial(frame.view, tag),
                frame.get_size(tag),
                max(1, len(numbers)),
                where,
                frame.get_offset(tag),
            )
            if table.rows != (docs[level] if numbers else 0):
                raise CorruptIndex(f"{where}: {table.rows} rows for {docs[level]} documents")
            self._columns.update(
                {number: table.open_column(position) for position, number in enumerate(numbers)}
            )

    def read_lengths(self, field: int) -> Integers:
        """Return the field length of every document of the level, as on disk. Raises CorruptIndex."""
        return self._columns[field].read()

    def load_lengths(self, field: int) -> Integers:
        """Return the same lengths without caching them, for a single use. Raises CorruptIndex."""
        return self._columns[field].load()

    def take_lengths(self, field: int, docs: I64) -> Integers:
        """Return the field lengths of some documents, reading only what is near. Raises CorruptIndex."""
        return self._columns[field].take(docs)
