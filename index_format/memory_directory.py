"""A directory of files in memory, with the guarantees of one on disk. Nothing in it outlives the process."""

from __future__ import annotations

import errno

from index_format.directory import Copied, Directory, MakeTag, TransferMethod, copy_file
from index_format.disk_directory import check_name
from index_format.errors import CorruptIndex, IndexLocked


class MemoryFile:
    """A file in memory, both readable and appendable."""

    def __init__(self, name: str, data: bytearray) -> None:
        self.name = name
        self._data = data
        self.size = len(data)
        self.identity: tuple[int, ...] = ()

    def read(self, offset: int, size: int) -> bytes:
        """Return exactly `size` bytes from `offset`. Raises CorruptIndex when the file has fewer."""
        data = bytes(self._data[offset : offset + size])
        if len(data) != size:
            raise CorruptIndex(f"{self.name}: {len(data)} bytes at {offset}, {size} expected")
        return data

    def write(self, data: bytes | memoryview) -> None:
        """Append all of `data`."""
        self._data += data

    def sync(self) -> None:
        """Do nothing: memory needs no sync."""

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class MemoryLock:
    """A lock among the users of one MemoryDirectory. Creating one raises IndexLocked when it is held."""

    def __init__(self, held: set[str], name: str) -> None:
        if name in held:
            raise IndexLocked(f"{name}: another writer holds this index")
        held.add(name)
        self._held = held
        self._name = name

    def release(self) -> None:
        """Release the lock. Calling it again does nothing."""
        self._held.discard(self._name)


class MemoryDirectory:
    """A directory in memory with the guarantees of one on disk."""

    def __init__(self, *, make_tag: MakeTag | None = None) -> None:
        self.make_tag = make_tag
        self.files: dict[str, bytearray] = {}
        self._locks: set[str] = set()

    def list_names(self) -> list[str]:
        """Return the names of the files, sorted."""
        return sorted(self.files)

    def open(self, name: str) -> MemoryFile:
        """Open a file to read. Raises FileNotFoundError, CorruptIndex for a bad name."""
        return MemoryFile(name, self._get(name))

    def identify(self, name: str) -> tuple[int, ...]:
        """Return nothing: files in memory have no identity."""
        return ()

    def _get(self, name: str) -> bytearray:
        check_name(name)
        if name not in self.files:
            raise FileNotFoundError(errno.ENOENT, "no such file", name)
        return self.files[name]

    def create(self, name: str) -> MemoryFile:
        """Create an empty file, replacing any file of that name. Raises CorruptIndex for a bad name."""
        check_name(name)
        self.files[name] = bytearray()
        return MemoryFile(name, self.files[name])

    def rename(self, source: str, target: str) -> None:
        """Rename a file, replacing any named `target`. Raises FileNotFoundError, CorruptIndex."""
        check_name(target)
        data = self._get(source)
        del self.files[source]
        self.files[target] = data

    def take(self, name: str, source: Directory, copied: Copied = lambda _block: None) -> TransferMethod:
        """Copy a file of another directory. See `Directory`."""
        file = source.open(name)
        try:
            copy_file(file, self.create(name), copied)
        finally:
            file.close()
        return TransferMethod.COPIED

    def delete(self, name: str) -> None:
        """Delete a file if it exists. Raises CorruptIndex for a bad name."""
        check_name(name)
        self.files.pop(name, None)

    def sync(self) -> None:
        """Do nothing: memory needs no sync."""

    def lock(self, name: str) -> MemoryLock:
        """Take the writer's lock without waiting. Raises IndexLocked, CorruptIndex for a bad name."""
        check_name(name)
        lock = MemoryLock(self._locks, name)
        self.files.setdefault(name, bytearray())
        return lock
