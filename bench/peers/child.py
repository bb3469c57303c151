"""One engine at work in a process of its own: `python -m bench.peers.child ACTION ENGINE ROOT SCRATCH`.

Prints one line of JSON. Times are in seconds.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from bench.edits import Edits, choose_edited
from bench.peers.engine_model import Engine
from bench.peers.engines import ENGINES
from bench.peers.job import Job
from bench.peers.units import iter_cut_files, read_cut_files

FIRST_QUERIES = 24  # each asked of an index that was just opened
UNTIMED_FIRST_QUERIES = 2
UPDATE_ROUNDS = 8
UNTIMED_UPDATES = 1
WIRE_QUERIES = 100


def build(engine: Engine, job: Job, position: Path) -> object:
    """Build the index, and return the moment of each mark by the clock that all processes share."""
    position.mkdir(parents=True)
    marks: dict[str, float] = {}

    def mark(name: str) -> None:
        marks[name] = time.monotonic()

    engine.build(job, position, mark)
    return marks


def ask(engine: Engine, job: Job, position: Path) -> object:
    """Time each query asked for the first time and again, and queries that open the index."""
    queries = job.read_queries()
    with closing(engine.open(job, position)) as answerer:
        new = {kind: [time_call(answerer.ask, text) for text in texts] for kind, texts in queries.items()}
        warm = {kind: [time_call(answerer.ask, text) for text in texts] for kind, texts in queries.items()}
    first = [ask_first(engine, job, position, text) for text in choose_first(queries)]
    return {"warm": warm, "new": new, "first": first[UNTIMED_FIRST_QUERIES:]}


def choose_first(queries: dict[str, list[str]]) -> list[str]:
    """Return queries of all classes, evenly spaced."""
    mixed = [text for texts in queries.values() for text in texts]
    return mixed[:: max(1, len(mixed) // (FIRST_QUERIES + UNTIMED_FIRST_QUERIES))]


def ask_first(engine: Engine, job: Job, position: Path, text: str) -> float:
    """Return the seconds of opening an index and giving one answer."""
    started = time.perf_counter()
    answerer = engine.open(job, position)
    answerer.ask(text)
    seconds = time.perf_counter() - started
    answerer.close()
    return seconds


def time_call(call: Callable[[str], object], text: str) -> float:
    """Return the seconds that a call takes."""
    started = time.perf_counter()
    call(text)
    return time.perf_counter() - started


def update(engine: Engine, job: Job, position: Path) -> object:
    """Time updates after changes of the same files. The tree is restored at the end, the index is not."""
    paths = choose_edited([file.path for file in iter_cut_files(job.units)])
    edits = Edits(job.root, paths)
    seconds = []
    try:
        with closing(engine.open_updater(job, position, read_cut_files(job.units, paths))) as updater:
            for _ in range(UNTIMED_UPDATES + UPDATE_ROUNDS):
                edits.edit()
                seconds.append(updater.update())
    finally:
        edits.undo()
    return {"update": seconds[UNTIMED_UPDATES:]}


def refresh(_engine: Engine, job: Job, position: Path) -> object:
    """Time a refresh with nothing changed, beside a plain walk. Only for ours."""
    from bench.peers.ours import measure_refresh

    return measure_refresh(job, position)


def wire(engine: Engine, job: Job, position: Path) -> object:
    """Time each query in this process and over stdio, which shows what stdio adds. Only for ours."""
    from bench.processes import spawn_server

    mixed = [text for texts in job.read_queries().values() for text in texts]
    texts = mixed[:: max(1, len(mixed) // WIRE_QUERIES)]
    server = spawn_server(job.root, position)
    server.handshake()
    with closing(server), closing(engine.open(job, position)) as answerer:
        for text in texts:
            answerer.ask(text)
            server.search(text)
        pairs = [(time_call(answerer.ask, text), time_call(server.search, text)) for text in texts]
    return {"in_process": [one for one, _ in pairs], "stdio": [other for _, other in pairs]}


def others(_engine: Engine, job: Job, position: Path) -> object:
    """Time what no other engine does. Only for ours."""
    from bench.peers.other_searches import measure_others

    return measure_others(job, position)


ACTIONS: dict[str, Callable[[Engine, Job, Path], object]] = {
    "build": build,
    "ask": ask,
    "update": update,
    "refresh": refresh,
    "wire": wire,
    "others": others,
}


def main(arguments: Sequence[str]) -> None:
    """Do one action."""
    action, name, root, scratch = arguments
    entry = ENGINES[name]
    job = Job(Path(root), Path(scratch))
    print(json.dumps(ACTIONS[action](entry.load(), job, job.find_place(entry.index_of or name))))


if __name__ == "__main__":
    main(sys.argv[1:])
