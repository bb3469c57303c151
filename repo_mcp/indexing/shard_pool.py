"""Gives out the shards of one refresh to their builders: this process, worker processes, or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from repo_mcp.indexing.remaining_files import RemainingFiles
from repo_mcp.indexing.shards.shards import BuildSettings, ShardBuilder, ShardResult, ShardTask
from repo_mcp.indexing.shards.workers import (
    WAIT_SECONDS,
    Builders,
    Cancelled,
    Done,
    NoProcesses,
    Outcome,
    ProcessBuilders,
    check_cancelled,
    start_builders,
)

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

NO_PROCESSES = "The system would not start more processes, so one indexed all files."
FEWEST = 2  # number of shards from which processes are started


class ShardPool:
    """The shards of one refresh that are being built. Use as a context manager."""

    def __init__(
        self,
        settings: BuildSettings,
        workers: int,
        remaining: RemainingFiles,
        reserve_temporary: Callable[[], str],
    ) -> None:
        """Use the cluster of the settings, or else at most `workers` processes, fewer if memory requires it.

        With 0 workers everything runs in this process. Shards wait among the `remaining` files; files that
        somebody wants first are taken from there and built in this process.
        """
        self._settings = settings
        self._workers = settings.memory.count_builders(workers)
        self._remaining = remaining
        self._reserve_temporary = reserve_temporary
        self._cluster = settings.cluster
        self._opened = ExitStack()
        self._builders: Builders | None = None
        self._idle: Builders | None = None  # builders without shards left, for `hand_over`
        self._given = 0  # tasks whose results have not been taken yet
        self._done: Done = SimpleQueue()
        self._builder: ShardBuilder | None = None  # the builder of this process
        self.warnings: list[str] = []

    def __enter__(self) -> ShardPool:
        self._remaining.begin(self._reserve_temporary, partial(self._done.put, None))
        return self

    def __exit__(self, *exception: Any) -> None:
        self._remaining.end()
        if self._builder is not None:
            self._builder.close()
        self._opened.__exit__(*exception)

    def stay_here(self) -> None:
        """Start no processes: starting them would cost more than the work that is left."""
        self._workers, self._cluster = 0, None

    @property
    def fewest_shards(self) -> int:
        """Return the number of shards from which processes are started, or a cluster is used; 0: never.

        Starting one takes a quarter of a second, and a single shard is built sooner without.
        """
        if self._cluster is not None:
            return FEWEST
        return max(self._workers, FEWEST) if self._workers else 0

    @property
    def is_idle(self) -> bool:
        """Return True when no shard is being built or waits."""
        return not self._given and not self._remaining.count_waiting

    def start(self) -> None:
        """Start the processes, if any are to be used, because enough shards are expected.

        If the system refuses them, this process builds all shards.
        """
        if self._builders is None and self.fewest_shards:
            try:
                self._builders = self._opened.enter_context(self._open_builders())
            except NoProcesses:
                self.stay_here()
                self.warnings.append(NO_PROCESSES)

    def _open_builders(self) -> AbstractContextManager[Builders]:
        if self._cluster is None:
            return start_builders(self._settings, self._workers, self._done)
        from repo_mcp.indexing.cluster.cluster import (
            open_cluster,  # imported here, as most builds use no cluster
        )

        return open_cluster(self._settings, self._cluster, max(1, self._workers), self._done)

    def add(self, task: ShardTask) -> None:
        """Queue a shard for building. Raises RepoError with INTERNAL when a worker died."""
        self._remaining.add(task)
        if self._builders is not None or 0 < self.fewest_shards <= self._remaining.count_waiting:
            self._give_out()

    def iter_done(self) -> Iterator[ShardResult]:
        """Yield what was finished since the last call, without waiting. Raises as `finish` does."""
        while not self._done.empty():
            yield from self._take(self._done.get())

    def finish(self, cancelled: Cancelled) -> Iterator[ShardResult]:
        """Yield the remaining results: in order without processes, else as they are finished.

        Processes of this machine then wait for `hand_over`, or for the end of the block. Raises RepoError
        with CANCELLED, or with INTERNAL when a worker died; OSError when a segment could not be written.
        """
        if self._builders is not None or (self.fewest_shards and self._remaining.count_waiting >= FEWEST):
            self._give_out()
        if self._builders is None:
            yield from self._build_all_here(cancelled)
            return
        while self._given:
            check_cancelled(cancelled)
            with suppress(Empty):
                yield from self._take(self._done.get(timeout=WAIT_SECONDS))
            self._give_out()  # a cluster may have more workers by now
        self.warnings += self._builders.list_warnings()
        self._idle, self._builders = self._builders, None
        if not isinstance(self._idle, ProcessBuilders):
            self._opened.close()

    def hand_over(self, workers: int) -> AbstractContextManager[ProcessPoolExecutor] | None:
        """Return the processes that have built the shards, to be used in one block, with which they end.

        If there are more or fewer of them than `workers`, or one has died, they end now.
        """
        idle, self._idle = self._idle, None
        opened = self._opened.pop_all()
        if isinstance(idle, ProcessBuilders) and idle.workers == workers and idle.can_go_on():
            return _hold(opened, idle.pool)
        opened.close()
        return None

    def _give_out(self) -> None:
        """Hand over the next tasks, starting the builders first. The rest can still be reordered."""
        if self._builders is None:
            self._workers = min(self._workers, self._remaining.count_waiting)
            self.start()
        while self._builders is not None and self._given < self._builders.capacity:
            task = self._remaining.take()
            if task is None:
                break
            self._builders.add(task)
            self._given += 1

    def _take(self, outcome: Outcome | None) -> Iterator[ShardResult]:
        if outcome is None:
            yield from self._build_awaited()
        elif (result := outcome.result()) is not None:
            self._given -= 1
            self._give_out()
            yield result

    def _build_awaited(self) -> Iterator[ShardResult]:
        """Build the files that somebody waits for."""
        task = self._remaining.take_awaited()
        if task is not None:
            yield self._build_here(task)

    def _build_here(self, task: ShardTask) -> ShardResult:
        self._builder = self._builder or ShardBuilder(self._settings)
        return self._builder.build(task)

    def _build_all_here(self, cancelled: Cancelled) -> Iterator[ShardResult]:
        while (task := self._remaining.take()) is not None:
            check_cancelled(cancelled)
            yield self._build_here(task)
            yield from self.iter_done()


@contextmanager
def _hold(opened: ExitStack, pool: ProcessPoolExecutor) -> Iterator[ProcessPoolExecutor]:
    with opened:
        yield pool
