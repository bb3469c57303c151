"""Asks the tasks of each tree through `Repository.search`, as a client's call does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.quality.metrics import Found, Score, score_task
from bench.quality.tasks import Task, Tree
from repo_mcp.config.server_config import Config, Limits
from repo_mcp.model import Hit, SearchRequest
from repo_mcp.repository import Repository

MAX_HITS = 1_000
FRAME_CHARS = 60  # of a hit in an answer, besides its path and text


@dataclass(frozen=True, slots=True)
class Outcome:
    """One task, what it got and how long that took."""

    task: Task
    files: tuple[str, ...]  # the first ten
    score: Score
    seconds: float


def open_repository(tree: Tree, data_dir: Path) -> Repository:
    """Open a tree with an index that is up to date. Close it afterwards."""
    repository = Repository(build_config(tree, data_dir))
    repository.refresh()
    return repository


def build_config(tree: Tree, data_dir: Path) -> Config:
    """Return the configuration with which a tree is opened."""
    return Config(
        str(tree.root), data_dir=str(data_dir), watch=False, limits=Limits(max_search_hits=MAX_HITS)
    )


def run_tasks(
    tasks: Iterable[Task],
    find: Callable[[str], Tree | None],
    data_dirs: Path,
    top_k: int,
    report: Callable[[str], None],
) -> Iterator[Outcome]:
    """Yield the outcome of each task, tree by tree. Tasks without a tree are left out and reported."""
    for repo, own in _group(tasks).items():
        tree = find(repo)
        if tree is None:
            report(f"{repo}: no tree, {len(own)} tasks left out")
            continue
        with closing(open_repository(tree, data_dirs / repo)) as repository:
            for task in own:
                yield ask(repository, task, top_k)


def ask(repository: Repository, task: Task, top_k: int) -> Outcome:
    """Return one task's outcome."""
    started = time.perf_counter()
    hits = repository.search(SearchRequest(task.query, top_k)).hits
    seconds = time.perf_counter() - started
    found = [Found(hit.path, count_chars(hit)) for hit in hits]
    files = tuple(dict.fromkeys(hit.path for hit in hits))[:10]
    return Outcome(task, files, score_task(task, found), seconds)


def count_chars(hit: Hit) -> int:
    """Return about how many characters a hit takes in an answer."""
    return len(hit.path) + len(hit.snippet) + sum(map(len, hit.matched_terms)) + FRAME_CHARS


def _group(tasks: Iterable[Task]) -> Mapping[str, Sequence[Task]]:
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.repo, []).append(task)
    return groups
