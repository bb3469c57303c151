"""The gain from an embedding model: the tasks ranked with several weights of meaning beside words.

    python -m bench.quality.meaning --tasks FILE --trees DIR --semantic-model DIR [--weights 0,0.5,1]
        [--repos FILE] [--only NAMES] [--data DIR]

Missing vectors are computed; with --data they are kept for the next run. No text is read.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from bench.quality.metrics import PLACES, Found, Score, mean, score_task
from bench.quality.run import build_config
from bench.quality.tasks import Task, Tree, find_tree, read_repos, read_tasks
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.repository import Repository

MAX_WORDS = 1_000
WEIGHTS = "0,0.1,0.3,0.5,0.7,0.9,1"
Rows = dict[float, list[tuple[Task, Score]]]


def measure(
    tree: Tree, model: Path, data_dir: Path, tasks: Sequence[Task], weights: Sequence[float]
) -> Iterator[tuple[float, Task, Score]]:
    """Yield weight, task and measures for each weight and task, after computing missing vectors."""
    config = replace(build_config(tree, data_dir), semantic_model=str(model))
    with closing(Repository(config)) as repository:
        repository.refresh()
        vectors, searcher = repository.vectors, repository._index.get_searcher()
        assert vectors is not None
        started = time.monotonic()
        made = vectors.build()
        seconds = time.monotonic() - started
        state = vectors.status()
        print(f"{tree.name}: {state.chunks} vectors, {made.embedded} files embedded in {seconds:.1f} s")
        for task in tasks:
            query = parse_query(task.query, MAX_WORDS)
            for weight in weights:
                chunks = vectors.rank(searcher, query, weight, 2 * PLACES).chunks
                yield weight, task, score_task(task, [Found(chunk.path, 0) for chunk in chunks])


def render(rows: Rows) -> Iterable[str]:
    """Render a table: a row for each weight, NDCG@10 of all and by category, then Acc@1, Acc@5 and Acc@10."""
    categories = sorted({task.category for own in rows.values() for task, _ in own})
    yield f"| weight | NDCG@10 | {' | '.join(categories)} | Acc@1 | Acc@5 | Acc@10 |"
    yield "|---" + "|--:" * (len(categories) + 4) + "|"
    for weight, own in rows.items():
        total = mean(score for _, score in own)
        means = [mean(score for task, score in own if task.category == one).ndcg for one in categories]
        values = [total.ndcg, *means, total.acc[0], total.acc[2], total.acc[3]]
        yield f"| {weight:g} | {' | '.join(f'{value:.3f}' for value in values)} |"


def main(arguments: list[str]) -> int:
    """Print the table. Return 1 when no task could be asked."""
    parser = argparse.ArgumentParser(prog="bench.quality.meaning", description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--semantic-model", type=Path, required=True)
    parser.add_argument("--weights", default=WEIGHTS)
    parser.add_argument("--repos", type=Path)
    parser.add_argument("--only", help="repositories to ask, with commas")
    parser.add_argument("--data", type=Path)
    given = parser.parse_args(arguments)
    repos, tasks = read_repos(given.repos), read_tasks(given.tasks)
    names = given.only.split(",") if given.only else dict.fromkeys(task.repo for task in tasks)
    weights = [float(one) for one in given.weights.split(",")]
    rows: Rows = {weight: [] for weight in weights}
    with tempfile.TemporaryDirectory() as scratch:
        for repo in names:
            tree = find_tree(given.trees, repo, repos)
            if tree is not None:
                own = [task for task in tasks if task.repo == repo]
                position = (given.data or Path(scratch)) / repo
                for weight, task, score in measure(tree, given.semantic_model, position, own, weights):
                    rows[weight].append((task, score))
    if not any(rows.values()):
        return 1
    print("", *render(rows), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
