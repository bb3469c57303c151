"""Reads and parses the files of a plan: several threads, each with a process that parses for it.

A thread takes the next files of the plan, a batch, reads each through the door, makes sure that it is still
the one that the lexical index holds, and has its child parse them. What comes back is checked before anything
believes it: the child may be in the hands of the text. A text that ended the child, or whose answer is
no record, has the record of a failure, and so is not tried again until it changes; one that ended a child is
on the poison list and not tried under another name either.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, Full, Queue

from index_format import compute_fingerprint
from repo_mcp.adapters.protocol import ParserFailed
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.index.structure_documents import ParsedFile, read_record
from repo_mcp.index.structure_plan import WantedFile
from repo_mcp.parse_worker import BatchParser
from repo_mcp.poison import PoisonList
from repo_mcp.sandbox import OpenedFile
from repo_mcp.structure import StructureError, encode_failure
from repo_mcp.textfile import decode_source

BATCH_BYTES = 192 * 1024  # of source files that a child is given at a time, and at most BATCH_FILES
BATCH_FILES = 48
WAITING_BATCHES = 2  # for each thread: done, and not yet taken
WAIT_SECONDS = 0.1  # between looks at `cancelled`
NICENESS = 10  # of a child: calls and the lexical index come first

ReadFile = Callable[[str], OpenedFile]
MakeParser = Callable[[], BatchParser]
Outcome = ParsedFile | WantedFile  # parsed; or left alone: not the file that was indexed


class ParseLanes:
    """Use as a context manager: when it ends its threads and processes are gone."""

    def __init__(
        self,
        files: Sequence[WantedFile],
        lanes: int,
        read: ReadFile,
        make_parser: MakeParser,
        poison: PoisonList | None = None,
    ) -> None:
        self._poison = poison if poison is not None else PoisonList()
        self._batches = _iter_batches(files)
        self._taking = threading.Lock()
        self._read = read
        self._stopped = threading.Event()
        self._parsers = [make_parser() for _ in range(lanes)]
        self._results: Queue[list[Outcome] | Exception | None] = Queue(WAITING_BATCHES * lanes)
        self._threads = [
            threading.Thread(target=self._work, args=(parser,), name="structure lane", daemon=True)
            for parser in self._parsers
        ]

    def __enter__(self) -> ParseLanes:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for parser in self._parsers:
            parser.stop()
        for thread in self._threads:
            thread.join()

    def iter_outcomes(self, check: Callable[[], None]) -> Iterator[list[Outcome]]:
        """What became of the files, batch by batch as they are done. `check` raises when that is not wanted.

        Raises INTERNAL when no process can be had, and what reading raises for a root that is gone.
        """
        running = len(self._threads)
        while running:
            check()
            try:
                found = self._results.get(timeout=WAIT_SECONDS)
            except Empty:
                continue
            if found is None:
                running -= 1
            elif isinstance(found, ParserFailed):
                raise RepoError(
                    ErrorCode.INTERNAL,
                    "No process could be had that parses files.",
                    "What was parsed so far is kept; the next refresh tries again.",
                ) from found
            elif isinstance(found, Exception):
                raise found
            else:
                yield found

    def _work(self, parser: BatchParser) -> None:
        try:
            while not self._stopped.is_set() and (batch := self._take_batch()):
                self._put(self._parse(parser, batch))
        except Exception as error:  # the round raises it
            self._put(error)
        finally:
            parser.close()
            self._put(None)

    def _take_batch(self) -> Sequence[WantedFile]:
        with self._taking:
            return next(self._batches, ())

    def _put(self, result: list[Outcome] | Exception | None) -> None:
        while not self._stopped.is_set():
            try:
                self._results.put(result, timeout=WAIT_SECONDS)
                return
            except Full:
                continue

    def _parse(self, parser: BatchParser, batch: Sequence[WantedFile]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        loaded: list[tuple[WantedFile, bytes]] = []
        for file in batch:
            text = self._load(file)
            if text is None:
                outcomes.append(file)
            elif text in self._poison:
                outcomes.append(_take_answer(file, text, None))
            else:
                loaded.append((file, text))
        requests = [(file.task, _name(file) + b"\n" + text) for file, text in loaded]
        for (file, text), answer in zip(loaded, parser.parse(requests), strict=True):
            if answer is None:
                self._poison.add(text)
            outcomes.append(_take_answer(file, text, answer))
        return outcomes

    def _load(self, file: WantedFile) -> bytes | None:
        """The normalised text; None for a file that is not, or is no longer, the one that was indexed."""
        try:
            data = self._read(file.path).data
            if compute_fingerprint(data) != file.fingerprint:
                return None
            return decode_source(data).data
        except RepoError:
            return None


def _iter_batches(files: Sequence[WantedFile]) -> Iterator[Sequence[WantedFile]]:
    batch: list[WantedFile] = []
    size = 0
    for file in files:
        if batch and (size + file.size > BATCH_BYTES or len(batch) == BATCH_FILES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield batch


def _name(file: WantedFile) -> bytes:
    """The file's name without folders, on one line."""
    return file.path.rpartition("/")[2].replace("\n", " ").encode()


def _take_answer(file: WantedFile, text: bytes, answer: bytes | None) -> ParsedFile:
    """The file with the record that its child gave, or with that of a failure."""
    if answer is not None:
        try:
            return read_record(file.path, file.fingerprint, file.size, file.language, answer)
        except StructureError:
            pass
    lines = text.count(b"\n") + (not text.endswith(b"\n"))
    failure = encode_failure(_name(file).decode(), lines)
    return read_record(file.path, file.fingerprint, file.size, file.language, failure)
