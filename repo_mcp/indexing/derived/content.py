"""The content of a segment of a derived index: its files, each with one record, and no units or chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from index_format import ChunkTable, Field, FileTable, SegmentContent, UnitTable, number_languages
from repo_mcp.arrays import I64


class RecordedFile(Protocol):
    """A source file as a derived index knows it."""

    @property
    def path(self) -> str:
        """Return the path as in the lexical index."""

    @property
    def fingerprint(self) -> bytes:
        """Return the fingerprint of the text from which the record was made."""

    @property
    def size(self) -> int:
        """Return the size of the source file, in bytes."""

    @property
    def language(self) -> str:
        """Return the name of the language."""


def build_content(
    fields: Sequence[Field],
    files: Sequence[RecordedFile],
    records: Sequence[bytes],
    lengths: Sequence[I64] = (),
    flags: Sequence[int] | None = None,
) -> SegmentContent:
    """Return the content of one or more files, ascending by path, with the record of each.

    `lengths` are those of the files in each field (int64); `flags` are the index's own, zeros for None.
    """
    names, languages = number_languages([file.language for file in files])
    zeros = np.zeros(len(files), dtype=np.int64)
    none = zeros[:0]
    table = FileTable(
        [file.path.encode() for file in files],
        b"".join(file.fingerprint for file in files),
        np.array([file.size for file in files], dtype=np.int64),
        languages,
        zeros if flags is None else np.array(flags, dtype=np.int64),
        *(zeros, zeros, zeros),
        names,
    )
    return SegmentContent(
        fields, table, UnitTable(none, none), ChunkTable(none, none, none), lengths, records
    )
