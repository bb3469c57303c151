"""The freshness of answers: a file is written and asked for at once, over stdio, many times.

    python -m bench.freshness [--files N]

Each try writes a new name into a file and asks for it by ranked search, by symbol search and by the graph's
search_symbols. Found: the answer has the name. Warned: it does not, but says that something may be missing.
Silent: neither. The table also says what a call costs when nothing has changed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.processes import Peer, spawn_server

TRIES = 60
IDLE_CALLS = 200
SETTLE_SECONDS = 0.5  # between tries, so that the work of one has ended before the next
READY_SECONDS = 30.0
STALE = ("may be missing", "out of date", "is missing here", "not indexed yet")  # not: near spellings
CALLS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "ranked": ("repo.search", {"top_k": 10}),
    "symbol": ("repo.search", {"mode": "symbol", "top_k": 10}),
    "graph": ("search_symbols", {"limit": 10}),
}


def make_tree(root: Path, files: int) -> None:
    """Write a package of `files` modules of about 40 lines."""
    for number in range(files):
        folder = root / f"part{number % 20:02}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [f"def alpha_{number}_{line}(value):\n    return value + {line}\n" for line in range(20)]
        (folder / f"module{number}.py").write_text("".join(lines))


def ask(peer: Peer, kind: str, word: str) -> dict[str, Any]:
    """Return the structured answer of one call."""
    tool, more = CALLS[kind]
    answer = peer.ask("tools/call", {"name": tool, "arguments": {"query": word, **more}})
    found = json.loads(answer["result"]["content"][0]["text"])
    assert isinstance(found, dict)
    return found


def judge(answer: Mapping[str, Any], word: str) -> str:
    """Return `found`, `warned` or `silent`."""
    rows = answer.get("result")
    hits = rows.get("hits", []) if isinstance(rows, dict) else rows
    if hits and word in json.dumps(hits):
        return "found"
    said = " ".join([*answer.get("warnings", []), str(answer.get("error", ""))])
    return "warned" if any(words in said for words in STALE) else "silent"


def wait_until_ready(peer: Peer) -> None:
    """Wait until all symbols are indexed and no answer warns of missing files."""
    deadline = time.monotonic() + READY_SECONDS
    while (answer := ask(peer, "graph", "alpha_3_3")).get("warnings") or not answer.get("result"):
        assert time.monotonic() < deadline, "the server does not get ready"
        time.sleep(0.2)
    time.sleep(SETTLE_SECONDS)


def measure(root: Path, kind: str, *, watch: bool) -> str:
    """Return one row of the table."""
    with tempfile.TemporaryDirectory() as data:
        follow = "--watch" if watch else "--no-watch"
        peer = spawn_server(root, Path(data), "--toolsets", "repo,graph", follow, patience_seconds=600.0)
        try:
            peer.handshake()
            wait_until_ready(peer)
            idle = sorted(_time(peer, kind, f"alpha_{n % 50}_{n % 20}") for n in range(IDLE_CALLS))
            counts: Counter[str] = Counter()
            waits = []
            for number in range(TRIES):
                word = f"fresh{number}{kind}{int(watch)}"
                path = root / f"part{number % 20:02}" / f"module{number % 60}.py"
                path.write_text(path.read_text() + f"def {word}():\n    return {number}\n")
                started = time.perf_counter()
                answer = ask(peer, kind, word)
                waits.append(time.perf_counter() - started)
                counts[judge(answer, word)] += 1
                if not watch:
                    peer.call_anything("repo.refresh_index")
                time.sleep(SETTLE_SECONDS)
        finally:
            peer.close()
    shown = " | ".join(str(counts[name]) for name in ("found", "warned", "silent"))
    p50, p95 = statistics.median(idle), idle[int(len(idle) * 0.95)]
    name = "watcher" if watch else "--no-watch"
    return f"| {kind} | {name} | {shown} | {max(waits) * 1e3:.0f} | {p50 * 1e3:.1f} | {p95 * 1e3:.1f} |"


def _time(peer: Peer, kind: str, word: str) -> float:
    started = time.perf_counter()
    ask(peer, kind, word)
    return time.perf_counter() - started


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=300)
    files = parser.parse_args().files
    print("| asked | | found | warned | silent | longest, ms | idle p50, ms | idle p95, ms |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        make_tree(root, files)
        for watch in (True, False):
            for kind in CALLS:
                print(measure(root, kind, watch=watch), flush=True)


if __name__ == "__main__":
    main()
