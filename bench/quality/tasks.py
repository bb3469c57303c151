"""Questions and the files that answer them, in the formats of the task files; and the trees they are about.

One JSON object for each line. `query` and `repo` are required. The answers are `relevant` and `secondary`,
objects with a `path` that matches if it ends with the found one or the other way round, or `gold`, whole
paths. `category`, `language` and `id` are optional. A target's `symbol`, the declaration that answers the
question, is read by `bench/economy/tasks.py` alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Task:
    """One question."""

    id: str
    repo: str
    language: str
    category: str
    query: str
    targets: tuple[str, ...]  # paths
    whole_paths: bool  # False: paths match if one ends with the other

    def matches(self, path: str, target: str) -> bool:
        """Return whether a found path is the target."""
        if path == target:
            return True
        return not self.whole_paths and (path.endswith("/" + target) or target.endswith("/" + path))


def read_tasks(path: Path) -> list[Task]:
    """Return the tasks of a file in its order."""
    with path.open(encoding="utf-8") as lines:
        return [parse_task(json.loads(line), number) for number, line in enumerate(lines, 1)]


def parse_task(row: Mapping[str, object], number: int) -> Task:
    """Return one task of either format. Raises ValueError for one without a query or an answer."""
    targets = _list_targets(row)
    query = row.get("query")
    if not isinstance(query, str) or not targets:
        raise ValueError(f"task {number}: a query and at least one answer are needed")
    return Task(
        str(row.get("id", number)),
        str(row.get("repo", "")),
        str(row.get("language", "any")),
        str(row.get("category", "commit" if "gold" in row else "any")),
        query,
        tuple(dict.fromkeys(targets)),
        "gold" in row,
    )


def _list_targets(row: Mapping[str, object]) -> list[str]:
    gold = row.get("gold")
    if isinstance(gold, list):
        return [str(path) for path in gold]
    both = (row.get("relevant") or (), row.get("secondary") or ())
    return [
        str(one["path"]) if isinstance(one, Mapping) else str(one)
        for targets in both
        if isinstance(targets, Iterable)
        for one in targets
    ]


@dataclass(frozen=True, slots=True)
class Tree:
    """A source tree that tasks are about."""

    name: str
    root: Path


def find_tree(trees: Path, repo: str, repos: Mapping[str, Mapping[str, object]]) -> Tree | None:
    """Return the tree of a repository: `trees/repo`, or its `benchmark_root` in there. None without one."""
    given = repos.get(repo, {}).get("benchmark_root")
    root = (trees / repo / str(given) if given else trees / repo).absolute()
    return Tree(repo, root) if root.is_dir() else None


def read_repos(path: Path | None) -> dict[str, Mapping[str, object]]:
    """Read a file of repositories as rows by name; without a file there are none."""
    if path is None:
        return {}
    return {str(row["name"]): row for row in json.loads(path.read_text(encoding="utf-8"))}
