"""Reads and parses the files of a plan: one thread reads, and each worker thread drives a parser process.

The reading thread takes files in the order of the plan, batch by batch, through the repository reader, and
checks that each is still the version in the lexical index. A worker has the next batch parsed as soon as its
process has finished the one before. Files that are put first, because a call waits for them, are taken before
the rest of the plan, also by a worker of their own, whose process has no low priority.

Results are validated before use, since a parsed text may have taken control of its process. A text that ended
a process, or whose answer is not a valid record, gets the record of a failure, and so is not tried again
until it changes. One that ended a process also goes on the poison list and is not tried under another name
either.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, Full, Queue
from typing import TypeVar

from index_format import compute_fingerprint
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exact.file_bitmaps import ReadMany
from repo_mcp.indexing.derived.plan import WantedFile
from repo_mcp.languages.adapter_tasks import MAX_ENDED, PREFIX, encode_request, identify
from repo_mcp.languages.outline.adapter import ParserFailed
from repo_mcp.process.parse_worker import BatchParser
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.poison import PoisonList
from repo_mcp.symbol_index.documents import ParsedFile
from repo_mcp.symbol_index.record_columns import find_faulty
from repo_mcp.symbols.record_builder import encode_failure
from repo_mcp.text.lines import decode_source
from repo_mcp.threads import REFUSED, start_daemon

BATCH_BYTES = 192 * 1024  # of source files per request to a process, at most BATCH_FILES files
BATCH_FILES = 48
FIRST_BATCH_BYTES = 48 * 1024  # of the first request: a call may wait for the first files alone
READ_BATCHES = 2  # per worker: read, and not yet taken
WAITING_BATCHES = 8  # per worker: parsed, and not yet taken; writing a segment takes as long as 4
WAIT_SECONDS = 0.1  # between checks of `cancelled`
FIRST_POLL_SECONDS = 0.01  # between looks at whether files were put first
NICENESS = 10  # of a parser process with much to do: calls and the lexical index come first
FEW_BYTES = 1024 * 1024  # parsed first, in half a second, at no lower priority: somebody may wait for them

KEPT = "What was parsed so far is kept; it is tried again in a while."

MakeParser = Callable[[], BatchParser]
Outcome = ParsedFile | WantedFile  # parsed; or left out, because it is not the version that was indexed
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class _Batch:
    """Files with their normalised texts, and files that differ from their indexed version."""

    files: list[tuple[WantedFile, bytes]]
    left: list[WantedFile]


class SpareParser:
    """A parser that is started before its first text arrives, since starting takes a third of a second."""

    def __init__(self, parser: BatchParser, tasks: Sequence[str]) -> None:
        """Start it, and load what these tasks need: 50 ms for a language."""
        self._parser = parser
        self._thread = threading.Thread(target=self._start, args=(tasks,), name="structure spare")
        start_daemon(self._thread)  # else it starts with its first text

    def _start(self, tasks: Sequence[str]) -> None:
        self._parser.start()
        with suppress(ParserFailed):  # whoever takes it will notice
            self._parser.parse([(task, encode_request("", b"\n")) for task in tasks])

    def take(self) -> BatchParser:
        """Return the parser, which is the caller's from now on."""
        if self._thread.is_alive():
            self._thread.join()
        return self._parser

    def close(self) -> None:
        """End the process."""
        self._parser.stop()
        self.take().close()


class ParseWorkers:
    """The reading thread and the workers of one round. A context manager: at its end they are gone."""

    def __init__(
        self,
        files: Sequence[WantedFile],
        workers: int,
        read_many: ReadMany,
        make_parser: MakeParser,
        poison: PoisonList | None = None,
        *,
        make_first: MakeParser | None = None,
    ) -> None:
        """`make_first` makes the parser for files that are put first, if it is not made as the others are."""
        self._poison = poison if poison is not None else PoisonList()
        self._files = files
        self._putting = threading.Lock()  # guards the next three
        self._first: deque[Sequence[WantedFile]] = deque()
        self._moved: set[str] = set()  # files that were put first, which the plan's batches leave out
        self._is_all_read = False
        self._ended: Counter[str] = Counter()  # texts that ended a process, by their adapter's task
        self._read_many = read_many
        self._stopped = threading.Event()
        self._make_first = make_first or make_parser
        self._parsers = [make_parser() for _ in range(workers)]
        self._lanes = workers
        self._running = 0  # workers of which an end is to come
        self._has_first_worker = False  # one more, for what is put first
        self._read: Queue[_Batch | None] = Queue(READ_BATCHES * workers)
        self._results: Queue[list[Outcome] | Exception | None] = Queue(WAITING_BATCHES * workers)
        self._threads: list[threading.Thread] = []
        self._is_started = False
        self._given = 0  # source bytes given to the parsers so far

    def start(self) -> None:
        """Start reading and parsing, unless that was done before.

        If the system refuses some threads, fewer workers parse. Raises RepoError with INTERNAL if it refuses
        all of them; then these workers are closed.
        """
        if self._is_started:
            return
        self._is_started = True
        started = [one for one in self._parsers if self._begin(partial(self._work, one), "structure lane")]
        for parser in set(self._parsers).difference(started):
            parser.close()
        self._parsers = started
        self._lanes = len(started)
        if not started or not self._begin(self._load_all, "structure reader"):
            self.close()
            raise RepoError(ErrorCode.INTERNAL, f"{REFUSED.capitalize()}.", KEPT)

    def _begin(self, run: Callable[[], None], name: str) -> bool:
        thread = threading.Thread(target=run, name=name)
        is_begun = start_daemon(thread)
        if is_begun:
            self._threads.append(thread)
        return is_begun

    def __enter__(self) -> ParseWorkers:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the threads and their processes, whatever is still to parse."""
        self._stopped.set()
        for parser in self._parsers:
            parser.stop()
        for thread in self._threads:
            thread.join()

    def put_first(self, files: Sequence[WantedFile]) -> None:
        """Have these files of the plan parsed next. For the thread that iterates the outcomes.

        They may be parsed already, or twice.
        """
        if not files:
            return
        with self._putting:
            self._moved.update(file.path for file in files)
            self._first.extendleft(reversed([*_iter_batches(files, FIRST_BATCH_BYTES)]))
            has_worker = self._has_first_worker
            self._has_first_worker = True
        if not has_worker:
            parser = self._make_first()
            if self._begin(partial(self._work, parser, is_first=True), "structure first"):
                self._parsers.append(parser)
                self._running += 1
            else:
                self._has_first_worker = False  # then the others take them
                parser.close()

    def iter_outcomes(self, check: Callable[[], None]) -> Iterator[list[Outcome]]:
        """Yield the outcomes, batch by batch as they are finished. `check` may raise to cancel.

        Raises RepoError with INTERNAL when no process starts, and what reading raises for a lost root.
        """
        self._running = len(self._parsers)
        while self._running:
            check()
            try:
                found = self._results.get(timeout=WAIT_SECONDS)
            except Empty:
                continue
            if found is None:
                self._running -= 1
            elif isinstance(found, ParserFailed):
                raise RepoError(
                    ErrorCode.INTERNAL, found.why or "No process could be started to parse files.", KEPT
                ) from found
            elif isinstance(found, Exception):
                raise found
            else:
                yield found

    def _load_all(self) -> None:
        try:
            for files in _iter_batches(self._iter_unmoved(), BATCH_BYTES):
                if not self._put(self._read, self._load(files)):
                    return
        except Exception as error:  # the round raises it
            self._put(self._results, error)
        finally:
            for _ in range(self._lanes):
                self._put(self._read, None)

    def _iter_unmoved(self) -> Iterator[WantedFile]:
        """Yield the files of the plan that were not put first."""
        for file in self._files:
            with self._putting:
                is_moved = file.path in self._moved
            if not is_moved:
                yield file
        with self._putting:
            self._is_all_read = True

    def _load(self, files: Sequence[WantedFile]) -> _Batch:
        batch = _Batch([], [])
        for file, data in zip(files, self._read_many([file.path for file in files]), strict=True):
            text = None
            if data is not None and compute_fingerprint(data) == file.fingerprint:
                with suppress(RepoError):  # not text after all, whatever the lexical index says
                    text = decode_source(data).data
            if text is None:
                batch.left.append(file)
            else:
                batch.files.append((file, text))
        return batch

    def _work(self, parser: BatchParser, *, is_first: bool = False) -> None:
        """Parse batches of the plan, or if `is_first` those that were put first, until there are no more."""
        try:
            is_low = False
            while (batch := self._take_first() if is_first else self._take_batch(is_low)) is not None:
                self._given += sum(len(text) for _, text in batch.files)
                if self._given > FEW_BYTES and not (is_low or is_first):
                    parser.lower(NICENESS)
                    is_low = True
                self._put(self._results, self._parse(parser, batch))
        except Exception as error:  # the round raises it
            self._put(self._results, error)
        finally:
            parser.close()
            self._put(self._results, None)

    def _take_batch(self, is_low: bool) -> _Batch | None:
        """Return the next batch; None at the end.

        One that was put first comes first, unless this process has a low priority: then whoever waits for it
        would wait longer.
        """
        while not self._stopped.is_set():
            if not (is_low and self._has_first_worker) and (first := self._pop_first()) is not None:
                return self._load(first)
            with suppress(Empty):
                return self._read.get(timeout=WAIT_SECONDS)
        return None

    def _take_first(self) -> _Batch | None:
        """Return the next batch of files that were put first; None when no more can come."""
        while not self._stopped.is_set():
            if (first := self._pop_first()) is not None:
                return self._load(first)
            with self._putting:
                if self._is_all_read and not self._first:
                    self._has_first_worker = False
                    return None
            self._stopped.wait(FIRST_POLL_SECONDS)
        return None

    def _pop_first(self) -> Sequence[WantedFile] | None:
        with self._putting:
            return self._first.popleft() if self._first else None

    def _put(self, queue: Queue[Item], item: Item) -> bool:
        """Put an item into a queue; return False when stopped before there was room."""
        while not self._stopped.is_set():
            with suppress(Full):
                queue.put(item, timeout=WAIT_SECONDS)
                return True
        return False

    def _parse(self, parser: BatchParser, batch: _Batch) -> list[Outcome]:
        poisoned = [one for one in batch.files if identify(one[0].task, one[1]) in self._poison]
        asked = [one for one in batch.files if one not in poisoned] if poisoned else batch.files
        ours = [one for one in asked if not one[0].task.startswith(PREFIX)]
        foreign = [one for one in asked if one[0].task.startswith(PREFIX)]
        answers = parser.parse([(file.task, encode_request(_name(file), text)) for file, text in ours])
        for (file, text), answer in zip(ours, answers, strict=True):
            if answer is None:
                self._poison.add(identify(file.task, text))
        files = [*ours, *foreign, *poisoned]
        records = [answer or b"" for answer in answers]
        records += [self._parse_foreign(parser, file, text) for file, text in foreign]
        records += [b""] * len(poisoned)
        for ordinal in find_faulty(records) if records else ():
            records[ordinal] = _encode_failure(*files[ordinal])
        parsed = [
            ParsedFile(file.path, file.fingerprint, file.size, file.language, record)
            for (file, _), record in zip(files, records, strict=True)
        ]
        return [*parsed, *batch.left]

    def _parse_foreign(self, parser: BatchParser, file: WantedFile, text: bytes) -> bytes:
        """Return the answer of an installed adapter; empty when it ends its process, or has done so often."""
        if self._ended[file.task] >= MAX_ENDED:
            return b""
        answer = parser.parse_foreign(file.task, encode_request(file.path, text))
        if answer is None:
            self._ended[file.task] += 1
            self._poison.add(identify(file.task, text))
        return answer or b""


def _iter_batches(files: Iterable[WantedFile], most_bytes: int) -> Iterator[Sequence[WantedFile]]:
    """Yield the files in batches, the first of which is small."""
    batch: list[WantedFile] = []
    size, most = 0, FIRST_BATCH_BYTES
    for file in files:
        if batch and (size + file.size > most or len(batch) == BATCH_FILES):
            yield batch
            batch, size, most = [], 0, most_bytes
        batch.append(file)
        size += file.size
    if batch:
        yield batch


def _name(file: WantedFile) -> str:
    """Return the file's name without folders, on one line."""
    return file.path.rpartition("/")[2].replace("\n", " ")


def _encode_failure(file: WantedFile, text: bytes) -> bytes:
    return encode_failure(_name(file), text.count(b"\n") + (not text.endswith(b"\n")))
