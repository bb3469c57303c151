"""The quality of answers while an index is built: a build is halted at some shares of its bytes, and asked.

    python -m bench.quality.first_answers --tasks FILE --trees DIR [--only NAME,NAME] [--first N] [--by-path]

The first files of each tree, up to a share of its bytes, are indexed. Each task is then asked without and
with a search through the rest (`repo_mcp/live/look_ahead.py`). It prints NDCG@10 in a line for each tree,
their mean, the mean as a share of the whole index's, and the seconds that such a search takes, indexing
included.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from bench.engine import build_settings, open_searcher
from bench.quality.metrics import Found, score_task
from bench.quality.run import count_chars, open_repository
from bench.quality.tasks import Task, Tree, find_tree, read_tasks
from index_format import MANIFEST, DiskDirectory, IndexWriter
from repo_mcp.indexing.indexer import Indexer
from repo_mcp.indexing.likely_order import order_likely
from repo_mcp.indexing.refresh_inputs import RefreshResources
from repo_mcp.indexing.remaining_files import RemainingFiles
from repo_mcp.indexing.shards.shards import BuildSettings, ShardBuilder, ShardTask
from repo_mcp.live.look_ahead import LookAhead, Need
from repo_mcp.model import SearchRequest, WalkReport
from repo_mcp.ranking.word_search import run_search
from repo_mcp.repository import Repository
from repo_mcp.text.schema import FIELDS
from repo_mcp.workspace.walked_files import SIZE_COLUMN, FileColumns, WalkedFiles, build_walked_files

SHARES = (0.1, 0.25, 0.5)
CONFIGURATION = "bench"
TOP_K = 10


class HeldBuild(RemainingFiles):
    """A halted build: files that a call needs are indexed, and taken out again afterwards."""

    def __init__(self, settings: BuildSettings, index_path: Path, paths: Sequence[str]) -> None:
        super().__init__()
        self._settings = settings
        self._index_path = index_path
        self._paths = list(paths)
        self._committed = (index_path / MANIFEST).read_bytes()

    def list_paths(self) -> list[str]:
        """Return the files that are not indexed yet, in the order in which they would be."""
        return self._paths

    def index_first(self, paths: Sequence[str], seconds: float) -> bool:
        """Index some files here and now."""
        with closing(ShardBuilder(self._settings)) as builder:
            result = builder.build(ShardTask("wanted", tuple((path, None) for path in sorted(paths)), 0))
        with IndexWriter(DiskDirectory(str(self._index_path)), CONFIGURATION, FIELDS) as writer:
            for entry in result.entries:
                writer.add(entry)
            writer.commit()
        return True

    def take_out(self) -> None:
        """Restore the index as the halted build left it."""
        (self._index_path / MANIFEST).write_bytes(self._committed)


def cut_first(files: WalkedFiles, share: float, *, by_path: bool) -> tuple[WalkedFiles, list[str]]:
    """Return the files that come first, up to a share of the bytes, and the paths of the rest."""
    order = list(range(len(files))) if by_path else order_likely(files)
    sizes = np.cumsum(files.stats[order, SIZE_COLUMN])
    count = int(np.searchsorted(sizes, share * int(sizes[-1]))) + 1
    return files.arrange(sorted(order[:count])), [files.paths[one] for one in order[count:]]


@contextmanager
def hold(
    repository: Repository, place: Path, share: float, *, by_path: bool
) -> Iterator[tuple[HeldBuild, Path]]:
    """Yield a build of a root that is halted at a share of its bytes, and the directory of its index."""
    first, rest = cut_first(
        build_walked_files(repository.tree.walk(lambda: False).files), share, by_path=by_path
    )
    settings = build_settings(Path(repository.config.root), place)

    def walk(
        _cancelled: Callable[[], bool], _met: Callable[[FileColumns], None] | None = None, /
    ) -> WalkReport:
        return WalkReport(first, {}, (), ())

    resources = RefreshResources(DiskDirectory(str(place), create=True), settings, workers=0)
    Indexer(resources, CONFIGURATION, walk).refresh()
    yield HeldBuild(settings, place, rest), place


def ask(repository: Repository, place: Path, task: Task) -> float:
    """Return the NDCG@10 of one task, asked of an index."""
    searcher = open_searcher(place)
    answer = run_search(searcher, SearchRequest(task.query, TOP_K), 1_000, repository.tree.read_bytes)
    return score_task(task, [Found(hit.path, count_chars(hit)) for hit in answer.hits]).ndcg


def measure(tree: Tree, tasks: Sequence[Task], scratch: Path, *, by_path: bool) -> list[float]:
    """Return the NDCG@10 of a tree's tasks: of the whole index, then at each share without and with a look
    ahead; then the mean and the longest seconds of such a look.
    """
    took: list[float] = []
    with closing(open_repository(tree, scratch / "data")) as repository:
        hits = (repository.search(SearchRequest(task.query, TOP_K)).hits for task in tasks)
        whole = [
            score_task(task, [Found(one.path, count_chars(one)) for one in found]).ndcg
            for task, found in zip(tasks, hits, strict=True)
        ]
        row = [_mean(whole)]
        for share in SHARES:
            with hold(repository, scratch / str(share), share, by_path=by_path) as (held, place):
                plain = [ask(repository, place, task) for task in tasks]
                looked = []
                for task in tasks:
                    ahead = LookAhead(held, repository.tree.read_many, threading.Event())
                    started = time.perf_counter()
                    ahead.look(Need(task.query), open_searcher(place).count_units)
                    took.append(time.perf_counter() - started)
                    looked.append(ask(repository, place, task))
                    held.take_out()
                row += [_mean(plain), _mean(looked)]
    return [*row, _mean(took), max(took)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def main(arguments: Sequence[str]) -> int:
    """Measure and print. Returns 1 without a tree."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality.first_answers", description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--only", default="", help="names of repositories, with commas")
    parser.add_argument("--first", type=int, default=1_000, help="tasks of each tree")
    parser.add_argument("--by-path", action="store_true", help="index in the order of paths")
    given = parser.parse_args(arguments)
    only = [name for name in given.only.split(",") if name]
    rows: list[tuple[int, list[float]]] = []
    tasks = [task for task in read_tasks(given.tasks) if not only or task.repo in only]
    heads = [f"{share:.0%}{more}" for share in SHARES for more in ("", " looked")]
    print("", "tasks", "whole", *heads, "look s", "at most", sep="\t")
    for repo in dict.fromkeys(task.repo for task in tasks):
        tree = find_tree(given.trees, repo, {})
        own = [task for task in tasks if task.repo == repo][: given.first]
        if tree is None:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            rows.append((len(own), measure(tree, own, Path(scratch), by_path=given.by_path)))
        print(repo, len(own), *(f"{value:.3f}" for value in rows[-1][1]), sep="\t", flush=True)
    if not rows:
        return 1
    total = sum(count for count, _ in rows)
    means = [sum(count * row[one] for count, row in rows) / total for one in range(len(rows[0][1]))]
    print("mean", total, *(f"{value:.3f}" for value in means), sep="\t")
    print("of whole", "", *(f"{value / means[0]:.3f}" for value in means[:-2]), sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
