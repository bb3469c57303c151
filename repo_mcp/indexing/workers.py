"""Worker processes that build shards and encode merges.

They are spawned, never forked, because the server has threads. The interpreter is told not
to look for modules in the current directory, which may be the repository. A worker that dies ends
the refresh with an error; what was committed before stays. Workers read nothing from each other and
write nothing but new segment files, so any of them may be killed at any time.
"""

from __future__ import annotations

import gc
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from index_format import DirectoryHolder, DiskDirectory, EncodedRun, Merge, SegmentEntry, open_segments
from repo_mcp.config.server_config import safe_child_environment
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.remaining_files import RemainingFiles
from repo_mcp.indexing.shards import BuildSettings, ShardBuilder, ShardResult, ShardTask
from repo_mcp.process.allocator import keep_blocks
from repo_mcp.text.schema import FIELDS

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.process import BaseProcess

WAIT_SECONDS = 0.2  # between checks of `cancelled`
WINDOWS_AHEAD = 2  # per worker: each encoded window that waits to be written takes 6 MB
SHARDS_AHEAD = 2  # per worker: one that is built, and one so that nobody waits for a commit
FEWEST = 2  # shards for which processes are started
MIN_WINDOWS = 4  # of a merge for which processes are started, which takes a quarter of a second

T = TypeVar("T")
Cancelled = Callable[[], bool]
_builder: ShardBuilder | None = None  # of this worker process
_merge: Merge | None = None  # of this worker process


class ShardPool:
    """The processes that build shards. Use as a context manager."""

    def __init__(
        self,
        settings: BuildSettings,
        workers: int,
        remaining: RemainingFiles,
        reserve_temporary: Callable[[], str],
    ) -> None:
        """Use at most `workers` processes, fewer if memory requires it; 0: everything runs in this one.

        Shards wait among the `remaining` files, where some files may be wanted first: these are built here.
        """
        self._settings = settings
        self._workers = settings.memory.count_builders(workers)
        self._remaining = remaining
        self._reserve_temporary = reserve_temporary
        self._processes = ExitStack()
        self._pool: ProcessPoolExecutor | None = None
        self._given = 0  # tasks whose results have not been taken yet
        self._done: SimpleQueue[Future[ShardResult] | None] = SimpleQueue()  # None: files are wanted
        self._builder: ShardBuilder | None = None  # of this process

    def __enter__(self) -> ShardPool:
        self._remaining.begin(self._reserve_temporary, partial(self._done.put, None))
        return self

    def __exit__(self, *exception: Any) -> None:
        self._remaining.end()
        if self._builder is not None:
            self._builder.close()
        self._processes.__exit__(*exception)

    def stay_here(self) -> None:
        """Start no processes: there is less to do than starting them costs."""
        self._workers = 0

    @property
    def fewest_shards(self) -> int:
        """Return the number of shards for which processes are started; 0: none are.

        Starting one takes a quarter of a second, and a single shard is built sooner without.
        """
        return max(self._workers, FEWEST) if self._workers else 0

    @property
    def is_idle(self) -> bool:
        """Return True when no shard is being built or waits."""
        return not self._given and not self._remaining.count_waiting

    def start(self) -> None:
        """Start the processes, if there are to be any: enough shards will come."""
        if self._pool is None and self._workers:
            pool = _start_pool(self._workers, _start_builder, self._settings)
            self._pool = self._processes.enter_context(pool)

    def add(self, task: ShardTask) -> None:
        """Queue a shard for building. Raises RepoError with INTERNAL when a worker died."""
        self._remaining.add(task)
        if self._pool is not None or 0 < self.fewest_shards <= self._remaining.count_waiting:
            self._give_out()

    def iter_done(self) -> Iterator[ShardResult]:
        """Yield what was finished since the last call, without waiting. Raises as `finish` does."""
        while not self._done.empty():
            yield from self._take(self._done.get())

    def finish(self, cancelled: Cancelled) -> Iterator[ShardResult]:
        """Yield the remaining results: in order without processes, else as they are finished.

        At the end the processes are gone, and the memory they took. Raises RepoError with CANCELLED, or with
        INTERNAL when a worker died; OSError when a segment could not be written.
        """
        if self._pool is not None or (self._workers and self._remaining.count_waiting >= FEWEST):
            self._give_out()
        if self._pool is None:
            yield from self._build_all_here(cancelled)
            return
        while self._given:
            _check(cancelled)
            with suppress(Empty):
                yield from self._take(self._done.get(timeout=WAIT_SECONDS))
        self._pool = None
        self._processes.close()

    def _give_out(self) -> None:
        """Submit the next tasks to the processes, starting these first. The rest can still be reordered."""
        if self._pool is None:
            self._workers = min(self._workers, self._remaining.count_waiting)
            self.start()
        assert self._pool is not None
        while self._given < SHARDS_AHEAD * self._workers:
            task = self._remaining.take()
            if task is None:
                break
            self._pool.submit(_build, task).add_done_callback(self._done.put)
            self._given += 1

    def _take(self, future: Future[ShardResult] | None) -> Iterator[ShardResult]:
        if future is None:
            yield from self._build_wanted()
        else:
            self._given -= 1
            self._give_out()
            yield future.result()

    def _build_wanted(self) -> Iterator[ShardResult]:
        """Build the files that somebody waits for."""
        task = self._remaining.take_wanted()
        if task is not None:
            yield self._build_here(task)

    def _build_here(self, task: ShardTask) -> ShardResult:
        self._builder = self._builder or ShardBuilder(self._settings)
        return self._builder.build(task)

    def _build_all_here(self, cancelled: Cancelled) -> Iterator[ShardResult]:
        while (task := self._remaining.take()) is not None:
            _check(cancelled)
            yield self._build_here(task)
            yield from self.iter_done()


def encode_windows(
    settings: BuildSettings,
    workers: int,
    files: int,
    cancelled: Cancelled,
    entries: Sequence[SegmentEntry],
    merge: Merge,
) -> Iterator[EncodedRun]:
    """Yield the encoded windows of a merge of `entries`, in order, sized as the memory budget allows.

    `files` counts the files of all segments, since this process holds data on each of them.
    Raises as `ShardPool.finish` does, and IndexFormatError.
    """
    windows = range(len(merge.windows))
    workers = settings.memory.count_mergers(workers, files, sum(entry.files for entry in entries))
    if workers == 0 or len(windows) < MIN_WINDOWS:
        for window in windows:
            _check(cancelled)
            yield merge.encode_window(window)
        return
    window_bytes = settings.memory.window_bytes
    with _start_pool(workers, _start_merger, settings.index_path, tuple(entries), window_bytes) as pool:
        coming: deque[Future[EncodedRun]] = deque()
        for window in windows:
            coming.append(pool.submit(_encode, window))
            if len(coming) > WINDOWS_AHEAD * workers:
                yield _get_result(coming.popleft(), cancelled)
        while coming:
            yield _get_result(coming.popleft(), cancelled)


@contextmanager
def _start_pool(workers: int, start: Callable[..., None], *arguments: Any) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool whose processes are gone when the block ends, killed if it ends early.

    Raises RepoError with INTERNAL when one of them died.
    """
    import multiprocessing  # here: a refresh that finds nothing new starts no process
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    children: set[BaseProcess] = set()
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), start, arguments)
    try:
        with safe_child_environment():  # nothing else in this process starts children meanwhile
            before = set(multiprocessing.active_children())
            for future in [pool.submit(_do_nothing) for _ in range(workers)]:
                future.cancel()  # each submission has already started a process
            children = set(multiprocessing.active_children()) - before
        yield pool
    except BaseException as error:
        for child in children:
            child.kill()
        if isinstance(error, BrokenProcessPool):  # raised by a submission or by a result
            raise RepoError(
                ErrorCode.INTERNAL,
                "A worker process ended before its work was done.",
                "Refresh again; what was indexed so far is kept.",
            ) from error
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _get_result(future: Future[T], cancelled: Cancelled) -> T:
    from concurrent.futures import wait

    while True:
        _check(cancelled)
        done, _ = wait([future], WAIT_SECONDS)
        if done:
            return future.result()


def _check(cancelled: Cancelled) -> None:
    if cancelled():
        raise RepoError(ErrorCode.CANCELLED, "The refresh was cancelled.", "What was indexed so far is kept.")


def _do_nothing() -> None:
    return None


def _start_builder(settings: BuildSettings) -> None:
    global _builder  # noqa: PLW0603  (a process has one)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    keep_blocks()
    gc.freeze()
    gc.disable()  # a shard has a quarter million spans and no cycles: searching for some took 3 % of the time
    _builder = ShardBuilder(settings)


def _build(task: ShardTask) -> ShardResult:
    assert _builder is not None
    result = _builder.build(task)
    gc.collect()
    return result


def _start_merger(
    index_path: str | DirectoryHolder, entries: tuple[SegmentEntry, ...], window_bytes: int
) -> None:
    global _merge  # noqa: PLW0603  (a process has one)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _merge = Merge(open_segments(DiskDirectory(index_path), entries, FIELDS), window_bytes)


def _encode(window: int) -> EncodedRun:
    assert _merge is not None
    return _merge.encode_window(window)
