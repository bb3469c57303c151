"""The statements of a precise indexer on one file, in the terms of its symbol record.

    u8 version | 3 x u8 zero | u32 meanings | u32 declared | u32 references
    16 bytes a meaning | u32 ordinal and u32 meaning a declared symbol | u32 a reference | a symbol record

A meaning is the symbol of the whole repository that a name stands for: the fingerprint of the indexer's
symbol. Each declaration that the indexer knows has one, and each reference that it resolved. A reference has
the number of its meaning plus 1, with the highest bit set if our parser did not find it; 0 means that our own
resolver decides. Integers are little-endian. Meanings and the ordinals of declared symbols ascend.

The symbol record is the file's, plus the references that only the indexer found.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from index_format import FINGERPRINT_BYTES, Field, Level
from repo_mcp.arrays import U32
from repo_mcp.symbols.symbol_record import SymbolRecord, SymbolRecordError

VERSION = 1
HEADER = struct.Struct("<B3xIII")
assert HEADER.size == 16
DEFINES, NAMES = range(2)
PRECISE_FIELDS = (Field("defines", Level.FILE), Field("names", Level.FILE))  # by which a record is found
_ROW = np.dtype("<u4")
_ADDED = 1 << 31


class PreciseRecord:
    """One decoded record."""

    def __init__(self, data: bytes) -> None:
        """Raises SymbolRecordError for bytes that are not such a record."""
        try:
            version, meanings, declared, references = HEADER.unpack_from(data)
        except struct.error as error:
            raise SymbolRecordError("no head of a precise record") from error
        pairs_start = HEADER.size + meanings * FINGERPRINT_BYTES
        rows_start = pairs_start + 2 * declared * _ROW.itemsize
        end = rows_start + references * _ROW.itemsize
        if version != VERSION or end > len(data):
            raise SymbolRecordError("another version, or counts that do not fit")
        self.record = SymbolRecord(data[end:])
        self._meanings = data[HEADER.size : pairs_start]
        pairs = np.frombuffer(data, _ROW, 2 * declared, pairs_start).reshape(-1, 2)
        rows = np.frombuffer(data, _ROW, references, rows_start)
        self._rows, self._is_added = rows & (_ADDED - 1), rows >= _ADDED
        is_wrong = references != self.record.reference_count or (self._rows > meanings).any()
        if is_wrong or (pairs >= (self.record.symbol_count, meanings)).any():
            raise SymbolRecordError("names a symbol, a meaning or a reference that is not there")
        self._pairs: U32 = pairs

    def find_meaning(self, row: int) -> bytes | None:
        """Return the meaning of a reference; None if the record says nothing about it."""
        number = int(self._rows[row])
        return self._get_meaning(number - 1) if number else None

    def is_added(self, row: int) -> bool:
        """Return True for a reference that our parser did not find."""
        return bool(self._is_added[row])

    def find_declared(self, ordinal: int) -> bytes | None:
        """Return the meaning of a declaration, or None if the indexer does not know it."""
        return self._declared.get(ordinal)

    def list_ordinals(self, meaning: bytes) -> list[int]:
        """Return the ordinals of the declarations with a meaning, ascending."""
        return [ordinal for ordinal, one in self._declared.items() if one == meaning]

    @cached_property
    def _declared(self) -> dict[int, bytes]:
        return {ordinal: self._get_meaning(number) for ordinal, number in self._pairs.tolist()}

    def _get_meaning(self, number: int) -> bytes:
        return self._meanings[number * FINGERPRINT_BYTES : (number + 1) * FINGERPRINT_BYTES]


def encode_precise_record(
    record: bytes,
    declared: Mapping[int, bytes],
    references: Sequence[bytes | None],
    added: Collection[int] = (),
) -> bytes:
    """Return the bytes of a record.

    `declared` has meanings by ordinal, `references` one per reference or None.

    `added` are the rows of the references that our parser did not find.
    """
    meanings = sorted({*declared.values(), *filter(None, references)})
    numbers = {meaning: number for number, meaning in enumerate(meanings)}
    pairs = [(ordinal, numbers[meaning]) for ordinal, meaning in sorted(declared.items())]
    rows = np.array([0 if one is None else numbers[one] + 1 for one in references], dtype=_ROW)
    rows[list(added)] |= _ADDED
    return b"".join(
        (
            HEADER.pack(VERSION, len(meanings), len(pairs), len(rows)),
            *meanings,
            np.array(pairs, dtype=_ROW).tobytes(),
            rows.tobytes(),
            record,
        )
    )
