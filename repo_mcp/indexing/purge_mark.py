"""The mark that text which may not be served any more is still to be taken out of an index.

It is written before the commit from which on such text is dead, and goes after the one that leaves nothing
of it: who is killed in between leaves the mark, and the next process that writes finishes the work, whichever
it is. It holds the generation of the lexical index that was the last one with the text alive. The structure
index has a mark of its own, since it follows in its own time. One without our seal counts for nothing.
"""

from __future__ import annotations

import hmac
from contextlib import suppress

from index_format import TAG_BYTES, Directory, IndexFormatError, MakeTag, new_file

MARK_FILE = "purge"
_TEMPORARY = "purge.tmp"
_MAX_DIGITS = 20


class PurgeMark:
    """The mark in the directory of one index. Without `make_tag` it is not sealed."""

    def __init__(self, directory: Directory, make_tag: MakeTag | None) -> None:
        self._directory = directory
        self._make_tag = make_tag

    def set(self, generation: int) -> None:
        """Mark the index. One that cannot be written to can be committed to no more than that."""
        data = str(generation).encode()
        with suppress(OSError), new_file(self._directory, MARK_FILE, _TEMPORARY) as file:
            file.write(self._tag(data) + data)

    def read(self) -> int | None:
        """The generation of a mark of ours; None when there is none."""
        try:
            file = self._directory.open(MARK_FILE)
        except (OSError, IndexFormatError):
            return None
        try:
            tag_bytes = TAG_BYTES if self._make_tag is not None else 0
            if file.size > tag_bytes + _MAX_DIGITS:
                return None
            data = file.read(0, file.size)
        except (OSError, IndexFormatError):
            return None
        finally:
            file.close()
        tag, digits = data[:tag_bytes], data[tag_bytes:]
        if not hmac.compare_digest(self._tag(digits), tag) or not digits.isdigit():
            return None
        return int(digits)

    def clear(self) -> None:
        """Nothing is left to purge."""
        with suppress(OSError, IndexFormatError):
            self._directory.delete(MARK_FILE)

    def _tag(self, data: bytes) -> bytes:
        return b"" if self._make_tag is None else self._make_tag(data)
