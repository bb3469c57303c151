"""What can be wrong with an index. A reader raises nothing else, whatever the bytes are."""

from __future__ import annotations


class IndexFormatError(Exception):
    """Any failure of this package. The message names the file and what was found and wanted."""


class CorruptIndex(IndexFormatError):
    """Bytes do not say what the format wants there: damaged, truncated, or not an index."""


class IndexTooOld(IndexFormatError):
    """Written in a format version that this reader has left behind: build the index anew."""


class IndexTooNew(IndexFormatError):
    """Written in a format version that this reader does not know yet: use a newer program."""


class IndexForeign(IndexFormatError):
    """Whole, perhaps, but not sealed by the owner who opens it: another wrote it, or it was exchanged."""


class IndexLocked(IndexFormatError):
    """Another process is writing this index; reading is not affected."""
