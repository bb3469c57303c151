"""The columns of many symbol records at once, for checking batches of records and building segments.

`repo_mcp.symbols.symbol_record` defines the bytes of a record and decodes single ones. Decoding one of usual
size takes 70 us, mostly in calls of numpy, which this module makes once per column of a whole batch. It
refuses exactly the same records.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from repo_mcp.arrays import I64
from repo_mcp.symbols.symbol_record import (
    COLUMN_TYPES,
    HEADER,
    KINDS,
    MAX_REFERENCES,
    MAX_SYMBOLS,
    MAX_WIDTH,
    PARENTS,
    REF_ROLES,
    REF_SYMBOLS,
    REFERENCE_COLUMNS,
    SYMBOL_COLUMNS,
    TEXT_COLUMNS,
    VERSION,
    Column,
    ParseStatus,
    ReferenceRole,
    SymbolKind,
    SymbolRecordError,
    decode_symbol_record,
)

_COLUMNS = SYMBOL_COLUMNS + REFERENCE_COLUMNS
_HEAD_BYTES = HEADER.size + _COLUMNS
_IS_WIDTH = np.isin(np.arange(256), (0, *COLUMN_TYPES))
_ZEROS = np.zeros(max(MAX_SYMBOLS, MAX_REFERENCES), dtype=np.uint8)
_LAST_STATUS, _LAST_KIND = int(max(ParseStatus)), int(max(SymbolKind))
_FIRST_ROLE, _LAST_ROLE = int(min(ReferenceRole)), int(max(ReferenceRole))


def find_faulty(records: Sequence[bytes]) -> frozenset[int]:
    """Return the positions of the records that are not valid."""
    try:
        RecordColumns(records).check()
    except SymbolRecordError:
        return frozenset(position for position, record in enumerate(records) if not _is_record(record))
    return frozenset()


def _is_record(data: bytes) -> bool:
    try:
        decode_symbol_record(data)
    except SymbolRecordError:
        return False
    return True


class RecordColumns:
    """One or more records as columns: each concatenates that column of all records, in order."""

    def __init__(self, records: Sequence[bytes]) -> None:
        """Raises SymbolRecordError for invalid headers."""
        heads = np.frombuffer(b"".join([record[:_HEAD_BYTES] for record in records]), dtype=np.uint8)
        if len(heads) != len(records) * _HEAD_BYTES:
            raise SymbolRecordError("no head of a symbol record")
        heads = heads.reshape(len(records), _HEAD_BYTES)
        counts = np.ascontiguousarray(heads[:, HEADER.size - 12 : HEADER.size]).view("<u4").astype(np.int64)
        self._records = records
        self._widths = heads[:, HEADER.size :]
        self.symbol_counts: I64 = counts[:, 0]  # including the files themselves
        self.reference_counts: I64 = counts[:, 1]
        sizes = self._widths * np.repeat(counts[:, :2], (SYMBOL_COLUMNS, REFERENCE_COLUMNS), axis=1)
        ends = _HEAD_BYTES + np.cumsum(sizes, axis=1)
        self._starts = ends - sizes
        lengths = np.array([len(record) for record in records])
        if not _IS_WIDTH[self._widths].all() or (ends[:, -1] + counts[:, 2] != lengths).any():
            raise SymbolRecordError("columns that do not fit")
        self.text_starts: list[int] = ends[:, -1].tolist()
        versions, statuses, zeros = heads[:, 0], heads[:, 1], heads[:, 2:4]
        if (versions != VERSION).any() or (statuses > _LAST_STATUS).any() or zeros.any():
            raise SymbolRecordError("another version, or a status that is not known")
        few = (self.symbol_counts <= MAX_SYMBOLS) & (self.reference_counts <= MAX_REFERENCES)
        if not (few & (self.symbol_counts > 0)).all():
            raise SymbolRecordError("counts that cannot be")

    def get(self, ordinal: int) -> Column:
        """Return a column by its position, int32; a number that is too large comes out negative."""
        counts = self.symbol_counts if ordinal < SYMBOL_COLUMNS else self.reference_counts
        parts = zip(
            self._records,
            self._widths[:, ordinal].tolist(),
            counts.tolist(),
            self._starts[:, ordinal].tolist(),
            strict=True,
        )
        pieces = [
            np.frombuffer(record, COLUMN_TYPES[width], count, start) if width and count else _ZEROS[:count]
            for record, width, count, start in parts
        ]
        return np.concatenate(pieces, dtype=np.int32, casting="unsafe")

    def check(self) -> None:
        """Raise SymbolRecordError when any of the records is invalid."""
        for ordinal in np.flatnonzero((self._widths == MAX_WIDTH).any(axis=0)).tolist():
            if (self.get(ordinal) < 0).any():
                raise SymbolRecordError("a number that is too large")
        self._check_texts()
        ordinals = np.arange(self.symbol_counts.sum()) - self._spread(self._find_firsts(), KINDS)
        parents, kinds = self.get(PARENTS), self.get(KINDS)
        if (parents > np.maximum(ordinals - 1, 0)).any():
            raise SymbolRecordError("a symbol before its parent")
        if (kinds > _LAST_KIND).any() or (kinds[ordinals == 0] != SymbolKind.FILE).any():
            raise SymbolRecordError("a kind that is not known")
        if (self.get(REF_SYMBOLS) >= self._spread(self.symbol_counts, REF_SYMBOLS)).any():
            raise SymbolRecordError("names a symbol that is not there")
        roles = self.get(REF_ROLES)
        if (roles < _FIRST_ROLE).any() or (roles > _LAST_ROLE).any():
            raise SymbolRecordError("a role that is not known")

    def _check_texts(self) -> None:
        texts = list(zip(self._records, self.text_starts, strict=True))
        if any(record[start : start + 1] not in (b"", b"\n") for record, start in texts):
            raise SymbolRecordError("a first string that is not empty")
        strings = np.array([record.count(b"\n", start) + 1 for record, start in texts])
        for ordinal in TEXT_COLUMNS:
            if (self.get(ordinal) >= self._spread(strings, ordinal)).any():
                raise SymbolRecordError("names a string that is not there")

    def _find_firsts(self) -> I64:
        return np.cumsum(self.symbol_counts) - self.symbol_counts

    def _spread(self, values: I64, ordinal: int) -> I64:
        """Repeat a value of each record for every row of the column."""
        return np.repeat(values, self.symbol_counts if ordinal < SYMBOL_COLUMNS else self.reference_counts)
