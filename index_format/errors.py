"""The errors of an index. Whatever the bytes are, a reader raises no other error for them."""

from __future__ import annotations


class IndexFormatError(Exception):
    """Any failure of this package. The message names the file and what was found and wanted."""


class CorruptIndex(IndexFormatError):
    """The bytes are not what the format requires there: damaged, truncated, or not an index."""


class IndexTooOld(IndexFormatError):
    """The format version is too old for this reader: rebuild the index."""


class IndexTooNew(IndexFormatError):
    """The format version is too new for this reader: use a newer program."""


class IndexForeign(IndexFormatError):
    """The index may be intact, but its owner did not seal it: somebody else made or exchanged it."""


class IndexLocked(IndexFormatError):
    """Another process is writing this index. Reading is not affected."""
