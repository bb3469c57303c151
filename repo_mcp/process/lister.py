"""The parent's side of a listing ahead of the first walk: see `lister_process`.

The child is started for a root that is known to be large and has no index. It lists the root while donors and
Git's indexes are examined. Even if it fails, the walk lists whatever it has not reported. A change after its
report is found as a change after a walk is: by the watch, or by the walk that follows when the watch begins.
"""

from __future__ import annotations

import struct
import threading
from array import array
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from repo_mcp.config.environment import safe_child_environment
from repo_mcp.threads import start_daemon
from repo_mcp.workspace.listed_ahead import Listing

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from repo_mcp.storage.held_directory import HeldDirectory

SIZE = struct.Struct("<I")  # size of the text of a frame
COLUMNS = 4  # numbers for each file


class Lister:
    """A process that lists a root, and its listings so far. Safe for several threads."""

    def __init__(self, root: HeldDirectory) -> None:
        """Start it, in a thread."""
        self._root = root
        self._found: dict[str, Listing] = {}
        self._process: SpawnProcess | None = None
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lister")
        start_daemon(self._thread)  # without a thread, nothing is listed ahead

    def find(self, path: str) -> Listing | None:
        """Return the listing of a directory, once; None if the caller has to list it."""
        return self._found.pop(path, None)

    def close(self) -> None:
        """End the process and forget its listings."""
        self._closed.set()
        if self._process is not None:
            self._process.kill()
        self._found = {}

    def _run(self) -> None:
        with suppress(OSError, EOFError):
            frames = self._start()
            try:
                while not self._closed.is_set():
                    self._take(frames.recv_bytes())
            finally:
                frames.close()
                if self._process is not None:
                    self._process.kill()
                    self._process.join()

    def _start(self) -> Connection:
        import multiprocessing

        from repo_mcp.process.lister_process import serve

        context = multiprocessing.get_context("spawn")
        frames, theirs = context.Pipe(duplex=False)
        process = context.Process(target=serve, args=(theirs, self._root), daemon=True)
        try:
            with safe_child_environment():
                process.start()
        finally:
            theirs.close()
            if process.pid is None:
                frames.close()
        self._process = process
        return frames

    def _take(self, frame: bytes) -> None:
        for path, listing in iter_listings(frame):
            self._found[path] = listing


def iter_listings(frame: bytes) -> Iterator[tuple[str, Listing]]:
    """Yield the directories of a frame, by path."""
    end = SIZE.size + SIZE.unpack_from(frame)[0]
    parts = frame[SIZE.size : end].decode().split("\0")[:-1]
    numbers = array("q")
    numbers.frombytes(memoryview(frame)[end:])
    start = 0
    for path, files, directories in zip(*[iter(parts)] * 3, strict=True):
        stop = start + COLUMNS * files.count("/")
        yield path, Listing(files, directories, numbers[start:stop])
        start = stop
