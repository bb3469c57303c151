"""Measure the ranking on tasks: `python -m bench.quality --tasks FILE --trees DIR`.

`--tree DIR` is one tree that all tasks are about; `--trees DIR` holds a tree for each repository by name.
`--functions` measures bundles and snippets instead, by questions with the functions that answer them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.processes import PROJECT
from bench.quality import answers
from bench.quality.questions import HALVES, Question, choose_questions, read_questions, run_questions
from bench.quality.report import read_run, render_comparison, render_tables, write_run
from bench.quality.run import run_tasks
from bench.quality.tasks import Tree, find_tree, read_repos, read_tasks

DEFAULT_TOP_K = 50
FUNCTIONS = Path(__file__).parent / "functions.jsonl"


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="bench.quality", description=__doc__)
    parser.add_argument("--tasks", type=Path, help="tasks, one JSON object a line")
    parser.add_argument(
        "--functions", type=Path, nargs="?", const=FUNCTIONS, help="instead: questions with their functions"
    )
    parser.add_argument(
        "--half", choices=(*HALVES, "both"), default="tune", help="of the functions; kept: only at the end"
    )
    parser.add_argument("--code", type=Path, default=PROJECT, help="the checkout whose server is asked")
    position = parser.add_mutually_exclusive_group(required=True)
    position.add_argument("--tree", type=Path, help="the one tree of all tasks")
    position.add_argument("--trees", type=Path, help="a directory with a tree for each repository")
    parser.add_argument("--repos", type=Path, help="JSON list of repositories, for their benchmark_root")
    parser.add_argument("--data", type=Path, help="where indexes are kept (default: made anew, then removed)")
    parser.add_argument("--top-k", type=int, default=DEFAULT_TOP_K, help="hits asked for")
    parser.add_argument("--out", type=Path, help="write the run here")
    parser.add_argument("--compare", type=Path, help="a stored run to compare with")
    parser.add_argument("--most", type=int, default=10, help="moves shown at each end")
    parser.add_argument("--only", help="repositories to ask, with commas")
    given = parser.parse_args(arguments)
    if not (given.tasks or (given.functions and given.trees)):
        parser.error("give --tasks, or --functions with --trees")
    return given


def main(arguments: list[str]) -> int:
    """Run and print. Return 1 when no task could be asked."""
    given = parse_arguments(arguments)
    if given.functions:
        return answer_questions(given)
    repos = read_repos(given.repos)
    tasks = read_tasks(given.tasks)
    if given.only:
        tasks = [task for task in tasks if task.repo in given.only.split(",")]

    def find(repo: str) -> Tree | None:
        return Tree(repo, given.tree) if given.tree else find_tree(given.trees, repo, repos)

    with tempfile.TemporaryDirectory() as scratch:
        outcomes = list(run_tasks(tasks, find, given.data or Path(scratch), given.top_k, print))
    if not outcomes:
        return 1
    print("\n".join(render_tables(outcomes)))
    if given.compare:
        print("", *render_comparison(outcomes, read_run(given.compare), given.most), sep="\n")
    if given.out:
        write_run(given.out, outcomes)
    return 0


def answer_questions(given: argparse.Namespace) -> int:
    """Measure bundles and snippets, and print. Return 1 when no question could be asked."""
    questions = choose_questions(read_questions(given.functions), given.half, given.only)
    with tempfile.TemporaryDirectory() as scratch:
        data_dirs = given.data or Path(scratch)
        code = given.code.resolve()

        def ask_tree(repo: str, root: Path, own: Sequence[Question]) -> Iterator[answers.Outcome]:
            return answers.ask_tree(root, own, data_dirs / repo, code)

        outcomes = list(run_questions(questions, given.trees, ask_tree, print))
    if not outcomes:
        return 1
    print("\n".join(answers.render(outcomes)))
    if given.out:
        answers.write_run(given.out, outcomes)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
