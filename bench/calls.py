"""The cost of one search in Python: the modules it enters and the functions it calls, frame to frame.

    make calls [TREE=DIR]                       # a line for each module, the busiest first, and the sum
    python -m bench.calls TREE QUERY --times    # where the time goes, by function

Counts depend on the tree and the query, not on the machine: tests/bench/test_calls.py holds them, so a
layer that is put between the frame and the engine is seen there. The server runs in this process, over
pipes; every thread is watched from the moment the request is written until all threads are idle again.
Functions, generators and (before Python 3.12) comprehensions of repo_mcp and index_format count. Calls into C
and into other packages do not, and neither do the methods that record classes share, as with `dataclasses`.

Times are shares: another thread looks at the searching thread every millisecond. Processor time spent in C
counts for the function that called it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

from index_format.disk_directory import SETTLED_NS
from repo_mcp.config.server_config import load_config
from repo_mcp.protocol.messages import Answers
from repo_mcp.protocol.wire import Streams, Wire
from repo_mcp.serving.stdio_server import Server
from repo_mcp.serving.toolset_loader import load_toolsets

ROOT = f"{Path(__file__).resolve().parent.parent}{os.sep}"
PACKAGES = tuple(f"{ROOT}{name}{os.sep}" for name in ("repo_mcp", "index_format"))
UNCOUNTED = f"{ROOT}{os.path.join('repo_mcp', 'record_classes')}{os.sep}"
WARM_ROUNDS = 100  # enough to fill the caches of a server with a small index
SETTLING_SECONDS = 0.1
SAMPLE_SECONDS = 0.001  # between two looks at the thread that searches
SEARCH = (os.path.join("repo_mcp", "toolsets", "repo", "search_calls.py"), "search")
SAMPLED_ROUNDS = 300
SHOWN_FUNCTIONS = 40
DEFAULT_QUERY = "insufficient funds error"  # three hits in tests/corpus/tiny_repo
INITIALIZE = {
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "0"},
    },
}


class CallCounter:
    """Counts the calls of our functions in all threads while it is on."""

    def __init__(self) -> None:
        self.is_on = False
        self.hits = 0  # of the search that was counted
        self.calls: Counter[tuple[str, str]] = Counter()  # by file, relative to the project, and function

    def see(self, frame: FrameType, event: str, _argument: object) -> None:
        """Count one event of a profiler."""
        file = frame.f_code.co_filename
        if self.is_on and event == "call" and file.startswith(PACKAGES) and not file.startswith(UNCOUNTED):
            self.calls[file.removeprefix(ROOT), frame.f_code.co_qualname] += 1

    @contextmanager
    def watch_threads(self) -> Iterator[None]:
        """Watch all threads that are started within the block."""
        threading.setprofile(self.see)
        try:
            yield
        finally:
            threading.setprofile(None)

    def count_modules(self) -> Counter[str]:
        """Return the number of calls in each module."""
        modules: Counter[str] = Counter()
        for (file, _), calls in self.calls.items():
            modules[file] += calls
        return modules


class CallSampler:
    """Samples the searching thread and counts its functions.

    Reading the frames of a running thread crashed an interpreter once (3.11.7): then run it again.
    """

    def __init__(self) -> None:
        self.samples = 0
        self.inside: Counter[tuple[str, str]] = Counter()  # by file and function: itself and what it calls
        self.alone: Counter[tuple[str, str]] = Counter()  # itself, and what it calls of other packages

    def look(self) -> None:
        """Take one sample of each thread that is in a search."""
        for frame in sys._current_frames().values():
            stack = [_name_frame(one) for one in _iter_frames(frame)]
            own = [name for name in stack if name is not None]
            if SEARCH in own:
                self.samples += 1
                self.alone[own[0]] += 1
                self.inside.update(set(own))

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Take samples in a thread of its own within the block."""
        ended = threading.Event()

        def run() -> None:
            while not ended.wait(SAMPLE_SECONDS):
                self.look()

        thread = threading.Thread(target=run, name="sampler", daemon=True)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(SAMPLE_SECONDS / 10)  # else samples are only taken where the thread waits in C
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            sys.setswitchinterval(interval)


def _iter_frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _name_frame(frame: FrameType) -> tuple[str, str] | None:
    file = frame.f_code.co_filename
    return (file.removeprefix(ROOT), frame.f_code.co_qualname) if file.startswith(PACKAGES) else None


class _Pipes:
    """A client at the other end of a server's pipes."""

    def __init__(self) -> None:
        wire_in, self._to_wire = os.pipe()
        from_wire, wire_out = os.pipe()
        self._answers = os.fdopen(from_wire, "rb")
        self.wire = Wire(Streams(wire_in, wire_out), leave=lambda _code: None)

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request."""
        os.write(self._to_wire, json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n")
        answer: dict[str, Any] = json.loads(self._answers.readline())
        return answer

    def close(self) -> None:
        """End the conversation."""
        os.close(self._to_wire)
        self.wire.wait()
        self.wire.finish()
        self._answers.close()


@contextmanager
def serve_search(
    root: Path, data_dir: Path, query: str, watching: AbstractContextManager[None]
) -> Iterator[Callable[[], dict[str, Any]]]:
    """Index and serve a tree, and yield a function that asks a warm repo.search.

    The server's threads are started inside `watching`.
    """
    search = {"method": "tools/call", "params": {"name": "repo.search", "arguments": {"query": query}}}
    config = load_config(str(root), data_dir=str(data_dir), watch=True)
    loaded = load_toolsets(config, lambda _warning: None)
    (repository,) = [repository for one in loaded for repository in one.open()]
    repository.refresh()
    repository.start_background_refresh()  # from now on the tree is watched, as it is for a client
    time.sleep(SETTLED_NS / 1e9)  # files that changed a moment ago are read with more care
    with watching:
        client = _Pipes()
        server = Server(client.wire, Answers("0", ""))
        server.start()
        server.offer([one.toolset for one in loaded])
        client.ask(INITIALIZE)
        for number in range(1, WARM_ROUNDS + 1):
            client.ask({"id": number, **search})
        time.sleep(SETTLING_SECONDS)  # the threads of the last call come to rest
        yield lambda: client.ask({"id": "asked", **search})
        client.close()
    repository.close()
    server.close()


def count_search(root: Path, data_dir: Path, query: str = DEFAULT_QUERY) -> CallCounter:
    """Index a tree and return what one warm repo.search of it calls."""
    counter = CallCounter()
    with serve_search(root, data_dir, query, counter.watch_threads()) as ask:
        counter.is_on = True
        answer = ask()
        time.sleep(SETTLING_SECONDS)
        counter.is_on = False
    counter.hits = len(answer["result"]["structuredContent"]["result"]["hits"])
    return counter


def sample_search(root: Path, data_dir: Path, query: str, rounds: int = SAMPLED_ROUNDS) -> CallSampler:
    """Return samples of where a warm repo.search spends its time, over so many rounds."""
    sampler = CallSampler()
    with serve_search(root, data_dir, query, nullcontext()) as ask, sampler.watch():
        for _ in range(rounds):
            ask()
    return sampler


def print_counts(counter: CallCounter, *, with_functions: bool) -> None:
    """Print a line for each module, the busiest first, and the sum."""
    modules = counter.count_modules()
    for file, calls in modules.most_common():
        print(f"{calls:6,}  {file}")
        own = [(count, name) for (one, name), count in counter.calls.items() if one == file]
        for count, name in sorted(own, reverse=True) if with_functions else ():
            print(f"{count:14,}  {name}")
    print(f"{modules.total():6,} calls in {len(modules)} modules, {counter.hits} hits")


def print_times(sampler: CallSampler) -> None:
    """Print the functions in which most of the time is spent, and the share of each by itself."""
    print("  all  alone  of the time of a search, in percent")
    for (file, name), count in sampler.inside.most_common(SHOWN_FUNCTIONS):
        alone = sampler.alone[file, name]
        print(f"{count / sampler.samples:5.0%}  {alone / sampler.samples:5.0%}  {file} {name}")
    print(f"{sampler.samples:,} samples")


def main() -> None:
    """Print the counts for a tree, or the times."""
    parser = argparse.ArgumentParser(prog="python -m bench.calls", description="What one search calls.")
    parser.add_argument("tree", type=Path)
    parser.add_argument("query", nargs="?", default=DEFAULT_QUERY)
    parser.add_argument("--functions", action="store_true", help="the functions of each module too")
    parser.add_argument("--times", action="store_true", help="not what is called, but where the time goes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data_dir:
        if options.times:
            print_times(sample_search(options.tree, Path(data_dir), options.query))
        else:
            counter = count_search(options.tree, Path(data_dir), options.query)
            print_counts(counter, with_functions=options.functions)


if __name__ == "__main__":
    main()
