"""Builds shards on the workers of a Dask cluster: the only import of `distributed`.

An event loop in a thread of its own sends messages and fetches replies; the thread that refreshes checks them
and writes the segments, so nothing of a worker is in the directory of the index before it is checked. A
worker has one shard more than it has threads, so that it never waits for the next.

A failure costs no more than the time of its shard. A shard whose worker vanishes, raises, is late or sends an
incomplete reply goes to another worker. After MAX_FAILURES, or when no worker is left, processes of this
machine build it. Segments are named by their content, so it does not matter who built one.

Left out on purpose: starting workers; merging on them, since a merge reads all segments and they are here;
installed adapters, which need processes of their own and would have to be the same everywhere.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from index_format import DiskDirectory, IndexFormatError, new_file
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.cluster_messages import (
    Claims,
    OtherProgram,
    ReceivedShard,
    build_shard,
    encode_task,
    read_reply,
)
from repo_mcp.indexing.shards import (
    READ_FILES,
    BuildSettings,
    Cluster,
    ShardBuilder,
    ShardResult,
    ShardTask,
)
from repo_mcp.indexing.workers import SHARDS_AHEAD, Done, ProcessBuilders, start_builders
from repo_mcp.record_classes import dataclass

if TYPE_CHECKING:
    from distributed import Client

OPTION = "--scheduler"
CONNECT_SECONDS = 10.0
CLOSE_SECONDS = 5.0
LOOK_SECONDS = 0.5  # time between two questions to the scheduler about its workers
MAX_FAILURES = 2  # so many failures of a shard have it built here; of a worker, end its use
MAX_NAME_CHARS = 60  # most characters of an error's name in a warning
GONE, LATE, OTHER, DAMAGED = "gone", "late", "another version of the program", "an incomplete reply"


@dataclass(frozen=True, slots=True)
class ClusterTimeouts:
    """The seconds to wait for a cluster."""

    first_worker_seconds: float = 10.0  # without any worker for so long, shards are built here
    first_shard_seconds: float = 120.0  # Most time for a shard until one is done: a file system may be cold
    # Afterwards a shard may take `times_longest` times as long as the slowest so far, and always this long.
    least_shard_seconds: float = 10.0
    times_longest: float = 8.0


DEFAULT_TIMEOUTS = ClusterTimeouts()


@dataclass(slots=True)
class _Shard:
    """A shard that is being built somewhere."""

    task: ShardTask
    message: bytes
    failures: int = 0


@dataclass(frozen=True, slots=True)
class _Reply:
    """The result of giving a shard to the cluster.

    Without `worker`, the cluster did not take the shard, which must be built here. Without `shard` too, the
    connection to the cluster has ended, and all shards must be built here.
    """

    shard: _Shard | None = None
    worker: str = ""  # address
    data: object = None


@dataclass(frozen=True, slots=True)
class _Delivery:
    """A reply that the refreshing thread has to check. Implements `Outcome`."""

    reply: _Reply
    settle: Callable[[_Reply], ShardResult | None]

    def result(self) -> ShardResult | None:
        """Return the result; None when the shard is being built again."""
        return self.settle(self.reply)


def choose_cluster(scheduler: str | None, root: str | None) -> Cluster | None:
    """Return the cluster that the operator named, if any. Raises RepoError with CONFIG_INVALID."""
    if scheduler is None:
        if root is not None:
            raise _invalid("--scheduler-root needs --scheduler.", "Give the address of the scheduler, too.")
        return None
    if not scheduler.strip():
        raise _invalid(f"{OPTION} is empty.", "Give an address such as tcp://127.0.0.1:8786.")
    if importlib.util.find_spec("distributed") is None:
        raise _invalid(f"{OPTION} needs Dask.", "Install repo-mcp[distributed], here and for the workers.")
    return Cluster(scheduler, root)


@contextmanager
def open_cluster(
    settings: BuildSettings,
    cluster: Cluster,
    workers: int,
    done: Done,
    timeouts: ClusterTimeouts = DEFAULT_TIMEOUTS,
) -> Iterator[ClusterBuilders]:
    """Yield builders that use the workers of a cluster and put the outcomes of shards into `done`.

    At most `workers` processes build here what the cluster does not. Raises RepoError with CONFIG_INVALID
    when no scheduler answers, or installed adapters are in use; with INTERNAL when a process of ours died.
    """
    if settings.adapters:
        names = ", ".join(one.name for one in settings.adapters)
        raise _invalid(
            f"{OPTION} cannot be used with installed language adapters ({names}).",
            "Turn them off in repo_mcp.toml, or index without a cluster.",
        )
    with ExitStack() as opened:
        builders = ClusterBuilders(settings, workers, done, opened)
        loop = _ClusterLoop(cluster.scheduler, timeouts, builders.deliver)
        builders.loop = loop
        opened.callback(loop.close)
        loop.connect()
        yield builders


class ClusterBuilders:
    """Builds shards on the workers of a cluster, or here if they cannot. See `Builders`."""

    loop: _ClusterLoop

    def __init__(self, settings: BuildSettings, workers: int, done: Done, opened: ExitStack) -> None:
        self._settings = settings
        self._workers = workers
        self._done = done
        self._opened = opened
        self._directory = DiskDirectory(settings.index_path)
        self._reader: ShardBuilder | None = None  # Reads files whose status changed between walk and worker
        self._elsewhere: dict[str, ShardTask] = {}  # shards that workers are building, by temporary name
        self._here: ProcessBuilders | None = None
        self._built_here = 0

    @property
    def capacity(self) -> int:
        """Return the number of shards that can be given out before any is done."""
        return max(SHARDS_AHEAD * self._workers, self.loop.slots + 1)

    def add(self, task: ShardTask) -> None:
        """Give out a shard to be built. Raises RepoError with INTERNAL when a process of ours died."""
        self._elsewhere[task.temporary] = task
        if self.loop.are_running:
            self.loop.give(_Shard(task, encode_task(self._settings, task)))
        else:
            self._build_here(task)

    def deliver(self, reply: _Reply) -> None:
        """Pass on a reply, from any thread."""
        self._done.put(_Delivery(reply, self._settle))

    def _settle(self, reply: _Reply) -> ShardResult | None:
        """Check a reply and write the segments, or have the shard built again."""
        if reply.shard is None:
            for task in list(self._elsewhere.values()):
                self._build_here(task)
            return None
        task = reply.shard.task
        if not reply.worker:
            self._build_here(task)
            return None
        try:
            received = read_reply(self._settings, task, reply.data, self._are_true)
        except IndexFormatError as fault:
            self.loop.refuse(reply.shard, reply.worker, OTHER if isinstance(fault, OtherProgram) else DAMAGED)
            return None
        self._write(task, received)
        del self._elsewhere[task.temporary]
        return received.result

    def list_warnings(self) -> list[str]:
        """Return one sentence about failures that did no harm, if there were any."""
        faults = self.loop.faults
        if not faults and not self._built_here:
            return []
        causes = ", ".join(f"{count} x {what}" for what, count in sorted(faults.items())) or "no worker"
        instead = f"{self._built_here:,} shards were built here" if self._built_here else "others built them"
        return [f"Workers of the cluster did not build all shards ({causes}): {instead} instead."]

    def _build_here(self, task: ShardTask) -> None:
        if self._elsewhere.pop(task.temporary, None) is None:
            return  # already being built here
        if self._here is None:
            self._here = self._opened.enter_context(start_builders(self._settings, self._workers, self._done))
        self._built_here += 1
        self._here.add(task)

    def _write(self, task: ShardTask, received: ReceivedShard) -> None:
        for number, (entry, data) in enumerate(zip(received.result.entries, received.segments, strict=True)):
            with new_file(self._directory, entry.name, f"{task.temporary}-{number}.tmp") as file:
                file.write(data)

    def _are_true(self, claims: Claims) -> bool:
        """Compare a worker's claims about some files with the files here."""
        if claims and self._reader is None:
            self._reader = ShardBuilder(self._settings)
            self._opened.callback(self._reader.close)
        return all(
            self._reader is not None and self._reader.are_true(claims[start : start + READ_FILES])
            for start in range(0, len(claims), READ_FILES)
        )


class _ClusterLoop:
    """The event loop that talks with a cluster, in a thread of its own."""

    def __init__(self, address: str, timeouts: ClusterTimeouts, deliver: Callable[[_Reply], None]) -> None:
        """`deliver` is called with each reply, in the thread of the event loop."""
        self.faults: Counter[str] = Counter()  # number of failures for each reason
        self.slots = 0  # number of shards that the present workers can be given
        self._deliver = deliver
        self._has_ended = False
        self._address = address
        self._timeouts = timeouts
        self._connected: Future[None] = Future()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        self._waiting: asyncio.Queue[_Shard] = asyncio.Queue()
        self._closing = asyncio.Event()
        self._failures: Counter[str] = Counter()  # failures of each worker, by address
        self._longest = 0.0  # seconds that the slowest finished shard took

    # Called from the thread that refreshes

    def connect(self) -> None:
        """Connect to the scheduler. Raises RepoError with CONFIG_INVALID when none answers."""
        self._thread.start()
        try:
            self._connected.result(2 * CONNECT_SECONDS)
        except Exception as error:  # Dask raises errors of many classes
            raise _invalid(
                f"No Dask scheduler answers at {self._address!a} ({_name(error)}).",
                f"Give {OPTION} an address such as tcp://127.0.0.1:8786, and check that it can be reached.",
            ) from None

    @property
    def are_running(self) -> bool:
        """Return False when no more replies will come."""
        return not self._has_ended

    def give(self, shard: _Shard) -> None:
        """Give a shard to a worker."""
        self._call(self._waiting.put_nowait, shard)

    def refuse(self, shard: _Shard, worker: str, why: str) -> None:
        """Have a shard built again, because its reply was incomplete."""
        self._call(self._note_failure, shard, worker, why)

    def close(self) -> None:
        """Stop waiting for workers. What they still build is forgotten."""
        self._call(self._closing.set)
        self._thread.join(CLOSE_SECONDS)

    def _call(self, call: Any, *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(call, *arguments)

    # Called in the event loop

    def _run(self) -> None:
        logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)  # we report failures ourselves
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._talk())
        except Exception as error:  # Dask raises errors of many classes
            if not self._connected.done():
                self._connected.set_exception(error)
        finally:
            self._has_ended = True
            if not self._closing.is_set():
                self._deliver(_Reply())

    async def _talk(self) -> None:
        from distributed import Client

        client = Client(
            self._address,
            asynchronous=True,
            set_as_default=False,
            direct_to_workers=True,
            timeout=CONNECT_SECONDS,
            name="repo-mcp",
        )
        slots: dict[str, list[asyncio.Task[None]]] = {}
        try:
            await client
            self._connected.set_result(None)
            await self._follow(client, slots)
        finally:
            await _cancel([one for tasks in slots.values() for one in tasks])
            with suppress(Exception):
                await asyncio.wait_for(client.close(), CLOSE_SECONDS)

    async def _follow(self, client: Client, slots: dict[str, list[asyncio.Task[None]]]) -> None:
        """Track the slots of the current workers until `close`."""
        alone_since = time.monotonic()
        while not self._closing.is_set():
            found = await self._look(client)
            for address in slots.keys() - found.keys():
                await _cancel(slots.pop(address))
            for address in sorted(found.keys() - slots.keys()):
                if self._failures[address] < MAX_FAILURES:
                    count = max(1, found[address]) + 1
                    slots[address] = [asyncio.create_task(self._serve(client, address)) for _ in range(count)]
            usable = [one for one in slots if self._failures[one] < MAX_FAILURES]
            self.slots = sum(len(slots[one]) for one in usable)
            if usable:
                alone_since = time.monotonic()
            elif slots or time.monotonic() - alone_since >= self._timeouts.first_worker_seconds:
                self._hand_back()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), LOOK_SECONDS)

    async def _look(self, client: Client) -> dict[str, int]:
        """Return the workers by address, each with its threads; none if the scheduler does not answer."""
        try:
            return dict(await asyncio.wait_for(client.ncores(), CONNECT_SECONDS))
        except Exception:  # Dask raises errors of many classes
            return {}

    def _hand_back(self) -> None:
        """Hand every shard that waits for a worker back, to be built here."""
        with suppress(asyncio.QueueEmpty):
            while True:
                self._deliver(_Reply(self._waiting.get_nowait()))

    async def _serve(self, client: Client, worker: str) -> None:
        """Give a worker one shard after another."""
        while self._failures[worker] < MAX_FAILURES:
            shard = await self._waiting.get()
            started = time.monotonic()
            try:
                # Not wait_for: before Python 3.12 it hides a cancellation that comes with the reply.
                async with asyncio.timeout(self._get_limit()):
                    data = await _ask(client, worker, shard.message)
            except asyncio.CancelledError:
                self._note_failure(shard, worker, GONE)
                if (task := asyncio.current_task()) is not None and task.cancelling():
                    raise
            except TimeoutError:
                self._note_failure(shard, worker, LATE)
            except Exception as error:  # whatever the worker raised
                self._note_failure(shard, worker, _name(error))
            else:
                self._longest = max(self._longest, time.monotonic() - started)
                self._deliver(_Reply(shard, worker, data))

    def _get_limit(self) -> float:
        """Return the seconds that a shard may take."""
        timeouts = self._timeouts
        if not self._longest:
            return timeouts.first_shard_seconds
        return max(timeouts.least_shard_seconds, timeouts.times_longest * self._longest)

    def _note_failure(self, shard: _Shard, worker: str, why: str) -> None:
        """Have a shard built by another worker, or here if it failed too often."""
        if self._closing.is_set():
            return
        self.faults[why] += 1
        self._failures[worker] += 1
        shard.failures += 1
        if shard.failures >= MAX_FAILURES:
            self._deliver(_Reply(shard))
        else:
            self._waiting.put_nowait(shard)


async def _ask(client: Client, worker: str, message: bytes) -> object:
    """Return the reply of a worker. Raises whatever it raised."""
    future = client.submit(build_shard, message, workers=[worker], pure=False, retries=0)
    try:
        return await future
    finally:
        future.release()


async def _cancel(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _name(error: BaseException) -> str:
    """Return the name of an error's class, which may be a worker's own."""
    return ascii(type(error).__name__)[1:-1][:MAX_NAME_CHARS]


def _invalid(message: str, hint: str) -> RepoError:
    return RepoError(ErrorCode.CONFIG_INVALID, message, hint)
