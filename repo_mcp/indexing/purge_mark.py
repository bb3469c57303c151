"""The mark that an index still holds text that may no longer be served, and must be purged.

It is written before the commit that makes such text dead, and removed after the commit that leaves nothing
of it. A process killed in between leaves the mark, and the next one that writes finishes the work. It holds
the last generation of the lexical index in which the text was alive. The symbol index has a mark of its
own, since it follows at its own pace. A mark without our seal is ignored.
"""

from __future__ import annotations

import hmac
from contextlib import suppress

from index_format import TAG_BYTES, Directory, IndexFormatError, MakeTag, new_file

MARK_FILE = "purge"
_TEMPORARY = "purge.tmp"
_MAX_DIGITS = 20


class PurgeMark:
    """The mark in the directory of one index; unsealed without `make_tag`."""

    def __init__(self, directory: Directory, make_tag: MakeTag | None) -> None:
        self._directory = directory
        self._make_tag = make_tag

    def set(self, generation: int) -> None:
        """Write the mark. An OSError is ignored: where this fails, the commit fails too."""
        data = str(generation).encode()
        with suppress(OSError), new_file(self._directory, MARK_FILE, _TEMPORARY) as file:
            file.write(self._tag(data) + data)

    def read(self) -> int | None:
        """Return the generation of a valid mark; None when there is none."""
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
        """Remove the mark."""
        with suppress(OSError, IndexFormatError):
            self._directory.delete(MARK_FILE)

    def _tag(self, data: bytes) -> bytes:
        return b"" if self._make_tag is None else self._make_tag(data)
