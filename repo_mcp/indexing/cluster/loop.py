"""Talks with the workers of a Dask cluster: the only import of `distributed`.

An event loop in a thread of its own sends messages and fetches replies, which another thread checks. A worker
has one shard more than it has threads, so that it never waits for the next.

A failure costs no more than the time of its shard. A shard whose worker vanishes, raises, is late or sends an
incomplete reply goes to another worker. After MAX_FAILURES, or when no worker is left, it is handed back.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.cluster.messages import build_shard
from repo_mcp.indexing.shards.shards import ShardTask
from repo_mcp.record_classes import dataclass

if TYPE_CHECKING:
    from distributed import Client

OPTION = "--scheduler"
GONE, LATE = "gone", "late"
CONNECT_SECONDS = 10.0
CLOSE_SECONDS = 5.0
LOOK_SECONDS = 0.5  # time between two questions to the scheduler about its workers
MAX_FAILURES = 2  # so many failures of a shard have it built here; of a worker, end its use
MAX_NAME_CHARS = 60  # most characters of an error's name in a warning


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
class GivenShard:
    """A shard that is being built somewhere."""

    task: ShardTask
    message: bytes
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of giving a shard to the cluster.

    Without `worker`, the cluster did not take the shard, which must be built here. Without `shard` too, the
    connection to the cluster has ended, and all shards must be built here.
    """

    shard: GivenShard | None = None
    worker: str = ""  # address
    data: object = None


class ClusterLoop:
    """The event loop that talks with a cluster, in a thread of its own."""

    def __init__(self, address: str, timeouts: ClusterTimeouts, deliver: Callable[[Reply], None]) -> None:
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
        self._waiting: asyncio.Queue[GivenShard] = asyncio.Queue()
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
            raise RepoError(
                ErrorCode.CONFIG_INVALID,
                f"No Dask scheduler answers at {self._address!a} ({_name(error)}).",
                f"Give {OPTION} an address such as tcp://127.0.0.1:8786, and check that it can be reached.",
            ) from None

    @property
    def are_running(self) -> bool:
        """Return False when no more replies will come."""
        return not self._has_ended

    def give(self, shard: GivenShard) -> None:
        """Give a shard to a worker."""
        self._call(self._waiting.put_nowait, shard)

    def refuse(self, shard: GivenShard, worker: str, why: str) -> None:
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
                self._deliver(Reply())

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
                self._deliver(Reply(self._waiting.get_nowait()))

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
                self._deliver(Reply(shard, worker, data))

    def _get_limit(self) -> float:
        """Return the seconds that a shard may take."""
        timeouts = self._timeouts
        if not self._longest:
            return timeouts.first_shard_seconds
        return max(timeouts.least_shard_seconds, timeouts.times_longest * self._longest)

    def _note_failure(self, shard: GivenShard, worker: str, why: str) -> None:
        """Have a shard built by another worker, or here if it failed too often."""
        if self._closing.is_set():
            return
        self.faults[why] += 1
        self._failures[worker] += 1
        shard.failures += 1
        if shard.failures >= MAX_FAILURES:
            self._deliver(Reply(shard))
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
