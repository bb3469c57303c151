"""The quality of a server's first answers, as a client meets them: asked while the server builds its index.

    python -m bench.quality.live_answers TREE [--tasks FILE [--repo NAME]] [--first N] [--out FILE]

A server is started over stdio on a tree without an index. As soon as `repo.status` says that 10, 25 and 50 %
of the files are done, it is asked tasks until it is nearer to the next share. Then it is ended and another
one begins from nothing, until each task was asked once at each share, and never twice of one server. Finally
one server builds its whole index and is asked all tasks. The table shows the NDCG@10 of each share beside
that of the whole, how far the build was after each answer, how many answers failed or were empty, and how
long they took.

Tasks are those of `--repo` in a file for `bench/quality/tasks.py`. Without a file they are made from the
tree: the first words of comments, to be answered by the file that has them. If a tree is built in a few
seconds, there is time for one or two tasks in each start, so `--first` bounds the run.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from bench.processes import Peer, spawn_server
from bench.quality.metrics import Found, score_task
from bench.quality.tasks import Task, read_tasks

SHARES = (0.1, 0.25, 0.5)
UNTIL = (0.175, 0.375, 0.75)  # shares of a build beyond which no more tasks are asked
MERGING = 0.999  # all are searchable, and the build goes on
FIRST = 40  # tasks
TOP_K = 10
POLL_SECONDS = 0.02
BUILD_SECONDS = 7_200.0  # a server that lives longer is killed
MOST_MISSED = 5  # servers that passed a share unseen, before the share is given up: a tree of few shards
SAMPLED_FILES = 4_000
MIN_WORDS, MAX_WORDS = 4, 8  # of a made task
SEED = 3
_COMMENT = re.compile(r"^[ \t]*(?:#|///?|/?\*+|;+|--)[ \t]+([A-Z][A-Za-z ,'-]{24,})", re.MULTILINE)
_CODE = re.compile(r"\.(?:py|c|h|cc|cpp|go|rs|js|ts|java|rb|cs|swift|php)")


@dataclass(slots=True)
class Asked:
    """The answers at one share."""

    ndcg: dict[str, float] = field(default_factory=dict)  # task id -> NDCG@10
    shares: list[float] = field(default_factory=list)  # of the files that were done when the answer came
    seconds: list[float] = field(default_factory=list)
    faults: int = 0  # answers that were errors
    empty: int = 0
    missed: int = 0  # servers that had passed the share when they were first asked

    def ask(self, server: Peer, task: Task) -> None:
        """Ask a task, and record the answer."""
        started = time.monotonic()
        params = {"name": "repo.search", "arguments": {"query": task.query, "top_k": TOP_K}}
        answer = server.ask("tools/call", params)["result"]
        self.seconds.append(time.monotonic() - started)
        hits = [] if answer.get("isError") else read_result(answer).get("hits", [])
        self.faults += bool(answer.get("isError"))
        self.empty += not hits
        found = [Found(hit["path"], len(json.dumps(hit))) for hit in hits]
        self.ndcg[task.id] = score_task(task, found).ndcg


def read_result(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the result of an answer; missing fields have the default of their schema."""
    result: dict[str, Any] = answer["structuredContent"]["result"]
    return result


def find_share(server: Peer) -> float:
    """Return the share of the files that a server says are done; 1.0 when all are, and merged."""
    status = read_result(server.call_anything("repo.status"))
    progress = status.get("progress")
    if progress is None:
        return 1.0 if status.get("indexed_files") and status["state"] == "ready" else 0.0
    total = progress.get("files_total", 0)
    if progress["phase"] in ("walk", "index"):
        return float(progress.get("files_done", 0) / total) if total else 0.0
    return MERGING


def wait_for_share(server: Peer, share: float) -> float:
    """Wait until so much is done, and return how much is. Raises AssertionError if the server ends first."""
    while (now := find_share(server)) < share:
        time.sleep(POLL_SECONDS)
    return now


def ask_one_server(server: Peer, tasks: Sequence[Task], asked: Sequence[Asked], number: int) -> None:
    """Start a server, and at each share ask it what was not asked yet; the order of shares rotates."""
    here: set[str] = set()
    for place, (share, until) in enumerate(zip(SHARES, UNTIL, strict=True)):
        turn = (number + place * len(tasks) // len(SHARES)) % len(tasks)
        left = [task for task in (*tasks[turn:], *tasks[:turn]) if task.id not in asked[place].ndcg]
        if not left or asked[place].missed >= MOST_MISSED:
            continue
        now = wait_for_share(server, share)
        asked[place].missed += now >= until
        for task in left:
            if now >= until:
                break
            if task.id not in here:
                here.add(task.id)
                asked[place].ask(server, task)
                now = find_share(server)
                asked[place].shares.append(min(now, 1.0))


def measure(tree: Path, tasks: Sequence[Task], *options: str) -> Iterator[tuple[str, Asked]]:
    """Yield the answers at each share, then those of the whole index. Each start is reported."""
    asked = [Asked() for _ in SHARES]
    for number in count():
        if all(len(one.ndcg) == len(tasks) or one.missed >= MOST_MISSED for one in asked):
            break
        with started(tree, *options) as server:
            ask_one_server(server, tasks, asked, number)
        print(f"start {number + 1}: asked {[len(one.ndcg) for one in asked]}", file=sys.stderr, flush=True)
    yield from zip((f"{share:.0%}" for share in SHARES), asked, strict=True)
    whole = Asked()
    with started(tree, *options) as server:
        wait_for_share(server, 1.0)
        for task in tasks:
            whole.ask(server, task)
            whole.shares.append(1.0)
    yield "whole", whole


@contextmanager
def started(tree: Path, *options: str) -> Iterator[Peer]:
    """Yield a server that begins without an index; it is ended, and its index removed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as data:
        given = ("--toolsets", "repo", "--no-siblings", *options)
        with closing(spawn_server(tree, Path(data), *given, patience_seconds=BUILD_SECONDS)) as server:
            server.handshake()
            yield server


def make_tasks(tree: Path, most: int) -> list[Task]:
    """Make tasks of a tree: words of a comment, and the file that has it. Equal trees give equal ones."""
    paths = sorted(path for path in tree.rglob("*") if _CODE.fullmatch(path.suffix) and path.is_file())
    draw = random.Random(SEED)
    tasks: list[Task] = []
    for path in draw.sample(paths, min(SAMPLED_FILES, len(paths))):
        with suppress(OSError):
            lines = [
                re.findall(r"[A-Za-z]{2,}", one)
                for one in _COMMENT.findall(path.read_text("utf-8", "replace"))
            ]
            words = next((one for one in lines if len(one) >= MIN_WORDS), None)
            if words is not None:
                name = path.relative_to(tree).as_posix()
                query = " ".join(words[:MAX_WORDS])
                tasks.append(Task(str(len(tasks)), tree.name, "any", "made", query, (name,), True))
        if len(tasks) == most:
            break
    return tasks


def render(rows: Sequence[tuple[str, Asked]]) -> list[str]:
    """Return the table in Markdown. The last row is of the whole index; the others are compared with it."""
    whole = rows[-1][1].ndcg
    lines = [
        "| share | tasks | build was at | NDCG@10 | of the whole | s, mean | s, most | errors | empty |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, one in rows:
        asked = len(one.ndcg)
        if not asked:
            lines.append(f"| {name} | 0 | the build was never seen there | | | | | | |")
            continue
        mean, same = sum(one.ndcg.values()) / asked, sum(whole[task] for task in one.ndcg) / asked
        ratio = f"{mean / same:.3f}" if same else ""
        at = f"{sum(one.shares) / asked:.0%}"
        seconds = f"{sum(one.seconds) / asked:.2f} | {max(one.seconds):.2f}"
        lines.append(
            f"| {name} | {asked} | {at} | {mean:.3f} | {ratio} | {seconds} | {one.faults} | {one.empty} |"
        )
    return lines


def main(arguments: Sequence[str]) -> int:
    """Measure and print. Returns 1 without tasks."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality.live_answers", description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--tasks", type=Path)
    parser.add_argument("--repo", default="", help="of the tasks; the directory's name")
    parser.add_argument("--first", type=int, default=FIRST, help="tasks")
    parser.add_argument("--workers", default="2")
    parser.add_argument("--out", type=Path, help="a JSON file for each task's figures")
    given = parser.parse_args(arguments)
    tree = given.tree.resolve()
    if given.tasks is None:
        tasks = make_tasks(tree, given.first)
    else:
        repo = given.repo or tree.name
        tasks = [task for task in read_tasks(given.tasks) if task.repo == repo][: given.first]
    if not tasks:
        print("There are no tasks about this tree.", file=sys.stderr)
        return 1
    rows = list(measure(tree, tasks, "--workers", given.workers))
    print("\n".join(render(rows)))
    if given.out is not None:
        given.out.write_text(json.dumps({name: asdict(one) for name, one in rows}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
