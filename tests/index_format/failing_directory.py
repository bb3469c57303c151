"""A directory whose medium fails, process is killed, or power is cut at the N-th operation."""

from __future__ import annotations

from enum import Enum

from index_format import MemoryDirectory
from index_format.memory_directory import MemoryFile


class Fault(Enum):
    """The event at the N-th operation."""

    ONCE = "it alone fails"
    STICKY = "it and all that follow fail"
    KILL = "the process is gone"


class Killed(BaseException):
    """Raised when the process is killed; every later operation raises it again."""


class FailingFile(MemoryFile):
    """Counts writes and syncs; a failing write has written half."""

    def __init__(self, name: str, data: bytearray, directory: FailingDirectory) -> None:
        super().__init__(name, data)
        self.directory = directory
        self.bytearray = data

    def write(self, data: bytes | memoryview) -> None:
        try:
            self.directory.step()
        except OSError:
            super().write(data[: len(data) // 2])
            raise
        super().write(data)

    def sync(self) -> None:
        self.directory.step()
        self.directory.synced[id(self.bytearray)] = bytes(self.bytearray)


class FailingDirectory(MemoryDirectory):
    """Counts what changes the medium: create, write, sync, rename, delete."""

    def __init__(self, files: dict[str, bytearray], fault: Fault, operation: int) -> None:
        super().__init__()
        self.files = {name: bytearray(data) for name, data in files.items()}
        self.synced = {id(data): bytes(data) for data in self.files.values()}
        self.durable_names = dict(self.files)
        self.kept_alive = list(self.files.values())  # so that no id is used twice
        self.fault = fault
        self.operation = operation
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        if self.steps == self.operation or (self.steps > self.operation and self.fault is not Fault.ONCE):
            if self.fault is Fault.KILL:
                raise Killed
            raise OSError(5, f"operation {self.steps} fails")

    def create(self, name: str) -> MemoryFile:
        self.step()
        file = super().create(name)
        self.kept_alive.append(self.files[name])
        return FailingFile(file.name, self.files[name], self)

    def rename(self, source: str, target: str) -> None:
        self.step()
        super().rename(source, target)

    def delete(self, name: str) -> None:
        self.step()
        super().delete(name)

    def sync(self) -> None:
        self.step()
        self.durable_names = dict(self.files)

    def list_images(self) -> list[MemoryDirectory]:
        """Return what may be found after a restart.

        All; what was synced under the present names; under the names of the last sync; and under
        these with the renamed manifest alone, since a medium may keep names in any order.
        """
        whole = {name: bytearray(data) for name, data in self.files.items()}
        forgotten = {name: self.get_synced(data) for name, data in self.files.items()}
        old_names = {name: self.get_synced(data) for name, data in self.durable_names.items()}
        images = []
        new_manifest = old_names | {name: forgotten[name] for name in forgotten if name == "manifest"}
        for files in (whole, forgotten, old_names, new_manifest):
            directory = MemoryDirectory()
            directory.files = files
            images.append(directory)
        return images

    def get_synced(self, data: bytearray) -> bytearray:
        return bytearray(self.synced.get(id(data), b""))
