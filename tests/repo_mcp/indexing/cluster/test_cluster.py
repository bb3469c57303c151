"""The event loop that talks with a cluster, with a cluster that is made up.

Real clusters, and what they do to a build: `tests/deep/test_cluster.py`.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from repo_mcp.indexing.cluster.loop import DEFAULT_TIMEOUTS, ClusterLoop, GivenShard, Reply
from repo_mcp.indexing.shards.shards import ShardTask

ENOUGH_STEPS = 20  # of the event loop, for all that is ready to run


class Answer(asyncio.Future[object]):
    """A reply that a worker owes."""

    def release(self) -> None:
        """Let the cluster forget it."""


class OneWorker:
    """A client of a cluster with one worker."""

    def __init__(self) -> None:
        self.asked: list[Answer] = []

    def submit(self, *_task: object, **_options: object) -> Answer:
        self.asked.append(Answer())
        return self.asked[-1]


async def let_run() -> None:
    for _ in range(ENOUGH_STEPS):
        await asyncio.sleep(0)


async def stop_after(steps: int, delivered: list[Reply]) -> bool:
    """Stop asking a worker that many steps of the event loop after its reply; return whether that ended."""
    loop, client = ClusterLoop("", DEFAULT_TIMEOUTS, delivered.append), OneWorker()
    try:
        loop._waiting.put_nowait(GivenShard(ShardTask("new", (), 0), b""))
        serving = asyncio.create_task(loop._serve(cast(Any, client), "worker"))
        await let_run()
        client.asked[0].set_result([b""])
        for _ in range(steps):
            await asyncio.sleep(0)
        serving.cancel()
        await let_run()
        has_ended = serving.done()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        return has_ended and len(delivered) + loop._waiting.qsize() == 1
    finally:
        loop._loop.close()


def test_a_worker_is_left_also_while_its_reply_arrives() -> None:
    """Whoever cancels it waits for its end, and would wait for ever; and no shard is lost."""
    ended = [asyncio.run(stop_after(steps, [])) for steps in range(6)]
    assert ended == [True] * 6
