"""The poison list: fingerprints of texts that ended the process which parsed them.

There is one list for everything that parses text of the repository, whatever the purpose or the path. Such
a text is not parsed again, by this process or a later one. Lexical search still finds it, as that needs no
parser. The list is a sealed side file in the data directory, which may be deleted at any time: then each text
is tried once more. The oldest entries make room for new ones.

Left out on purpose: why a process ended. A text that one machine could not parse in time may be harmless on
a faster one; `repo-mcp index --force` tries all texts anew.
"""

from __future__ import annotations

import hmac
import threading
from collections import OrderedDict
from contextlib import suppress
from hashlib import blake2b

from index_format import TAG_BYTES, DirectoryHolder, DiskDirectory, IndexFormatError, MakeTag, new_file

POISON_FILE = "poison"
MAX_TEXTS = 4_096
_TEMPORARY = "poison.tmp"
_PRINT_BYTES = 16


class PoisonList:
    """The list of one root. Safe in several threads. Without a file it lasts as long as the process."""

    def __init__(self, directory: DirectoryHolder | None = None, make_tag: MakeTag | None = None) -> None:
        """Take the data `directory`, and `make_tag` for the seal. Reads nothing yet."""
        self._place = (directory, make_tag) if directory is not None and make_tag is not None else None
        self._lock = threading.Lock()
        self._prints: OrderedDict[bytes, None] | None = None

    def __contains__(self, text: bytes) -> bool:
        """Return True for a text that ended a parser."""
        with self._lock:
            prints = self._load()
            return bool(prints) and _print(text) in prints

    def __len__(self) -> int:
        with self._lock:
            return len(self._load())

    def add(self, text: bytes) -> None:
        """Remember a text. If the file cannot be written, only this process knows."""
        with self._lock:
            prints = self._load()
            for other in self._read():  # added by other processes meanwhile
                prints.setdefault(other)
            prints[_print(text)] = None
            while len(prints) > MAX_TEXTS:
                prints.popitem(last=False)
            self._write(prints)

    def clear(self) -> None:
        """Forget all texts. Deletes the file, and any temporary file left by a killed process."""
        with self._lock:
            self._prints = OrderedDict()
            if self._place is not None:
                for name in (POISON_FILE, _TEMPORARY):
                    with suppress(OSError, IndexFormatError):
                        DiskDirectory(self._place[0]).delete(name)

    def _load(self) -> OrderedDict[bytes, None]:
        if self._prints is None:
            self._prints = OrderedDict.fromkeys(self._read())
        return self._prints

    def _read(self) -> list[bytes]:
        """Return the fingerprints in the file; none when this user did not write it."""
        if self._place is None:
            return []
        directory, make_tag = self._place
        try:
            file = DiskDirectory(directory).open(POISON_FILE)
        except (OSError, IndexFormatError):
            return []
        try:
            if file.size > TAG_BYTES + MAX_TEXTS * _PRINT_BYTES:
                return []
            data = file.read(0, file.size)
        except (OSError, IndexFormatError):
            return []
        finally:
            file.close()
        tag, prints = data[:TAG_BYTES], data[TAG_BYTES:]
        if not hmac.compare_digest(make_tag(prints), tag):
            return []
        return [prints[start : start + _PRINT_BYTES] for start in range(0, len(prints), _PRINT_BYTES)]

    def _write(self, prints: OrderedDict[bytes, None]) -> None:
        if self._place is None:
            return
        directory, make_tag = self._place
        data = b"".join(prints)
        with (
            suppress(OSError, IndexFormatError),
            new_file(DiskDirectory(directory), POISON_FILE, _TEMPORARY) as file,
        ):
            file.write(make_tag(data) + data)


def _print(text: bytes) -> bytes:
    return blake2b(text, digest_size=_PRINT_BYTES, person=b"poison").digest()
