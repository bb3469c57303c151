"""The worth of each signal: the tasks ranked with one weight switched off at a time.

    python -m bench.quality.ablation --tasks FILE --trees DIR [--repos FILE] [--data DIR]

The best units of a task are found once; only the steps after that are repeated. No text is read.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path

from bench.quality.metrics import PLACES, Found, Score, mean, score_task
from bench.quality.run import open_repository
from bench.quality.tasks import Task, Tree, find_tree, read_repos, read_tasks
from repo_mcp.ranking.files.ranking import BEST_UNITS, rank_files
from repo_mcp.ranking.files.ranking_weights import WEIGHTS, RankingWeights
from repo_mcp.ranking.query.query import parse_query, widen
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.searcher import Searcher

MAX_WORDS = 1_000
# shares: all is left; others 0
ROLES = ("test", "document", "configuration", "foreign")
OFF = dict.fromkeys((*ROLES, "older_version", "variant"), 1.0) | {"small_tree": math.inf}
# of pages; of tracebacks; a limit of another one
LEFT_OUT = ("repeat", "next_frame", "most_held")


def list_variants() -> dict[str, RankingWeights]:
    """Return the weights by name: all, each one switched off, and text alone."""
    names = [one.name for one in fields(WEIGHTS) if one.name not in LEFT_OUT]
    off = {name: OFF.get(name, 0.0) for name in names}
    text_alone = {name: value for name, value in off.items() if name != "next_unit"}
    roles = dict.fromkeys(ROLES, 1.0)
    defined = dict.fromkeys(("shaped_name", "joined_name", "plain_name", "pasted_name"), 0.0)
    paths = dict.fromkeys(("file_name", "whole_name", "directory"), 0.0)
    groups: dict[str, Mapping[str, float]] = {
        "the best unit alone": off,
        "text alone": text_alone,
        "without all names of files": paths,
        "without all defined names": defined,
        "without all roles": roles,
    }
    variants = {"all": WEIGHTS}
    variants |= {name: replace(WEIGHTS, **values) for name, values in groups.items()}
    return variants | {f"without {name}": replace(WEIGHTS, **{name: value}) for name, value in off.items()}


def measure(searcher: Searcher, task: Task, variants: Mapping[str, RankingWeights]) -> dict[str, Score]:
    """Return the measures of one task with each variant."""
    query = widen(parse_query(task.query, MAX_WORDS), searcher.count_units, searcher.snapshot.unit_count)
    best = searcher.find_best_units(query, BEST_UNITS, Filter())
    return {
        name: score_task(
            task, [Found(file.path, 0) for file in rank_files(searcher, query, best, 2 * PLACES, weights)]
        )
        for name, weights in variants.items()
    }


def open_searcher(tree: Tree, data_dir: Path) -> Searcher:
    """Open the searcher of a tree whose index is up to date."""
    with closing(open_repository(tree, data_dir)) as repository:
        searcher = repository._index.find_searcher()
    assert searcher is not None
    return searcher


def render(found: Mapping[str, Sequence[tuple[Task, Score]]]) -> Iterable[str]:
    """Render a table: a row for each variant, NDCG@10 by category, then Acc@5 and Acc@10."""
    categories = sorted({task.category for task, _ in found["all"]})
    yield f"| | NDCG@10 | {' | '.join(categories)} | Acc@5 | Acc@10 |"
    yield "|---" + "|--:" * (len(categories) + 3) + "|"
    for name, rows in found.items():
        total = mean(score for _, score in rows)
        means = [mean(score for task, score in rows if task.category == one).ndcg for one in categories]
        values = [total.ndcg, *means, total.acc[2], total.acc[3]]
        yield f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} |"


def main(arguments: list[str]) -> int:
    """Print the table. Return 1 when no task could be asked."""
    parser = argparse.ArgumentParser(prog="bench.quality.ablation", description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--repos", type=Path)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args(arguments)
    repos, tasks, variants = read_repos(given.repos), read_tasks(given.tasks), list_variants()
    found: dict[str, list[tuple[Task, Score]]] = {name: [] for name in variants}
    with tempfile.TemporaryDirectory() as scratch:
        for repo in dict.fromkeys(task.repo for task in tasks):
            tree = find_tree(given.trees, repo, repos)
            if tree is None:
                continue
            searcher = open_searcher(tree, (given.data or Path(scratch)) / repo)
            for task in (task for task in tasks if task.repo == repo):
                for name, score in measure(searcher, task, variants).items():
                    found[name].append((task, score))
    if found["all"]:
        print("\n".join(render(found)))
    return 0 if found["all"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
