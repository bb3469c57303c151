"""Measure what answers cost a model, beside ripgrep: `python -m bench.economy`.

Without arguments: our own questions, about the packages that are installed here. Other tasks need `--tasks`
and `--trees`; commits also `--repos` and `--mirror`.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.economy.report import build_rows, find_dearer, render_tables
from bench.economy.ripgrep import find_program
from bench.economy.run import Result, Run, group_by_tree, run_all
from bench.economy.tasks import Quest, build_quest, read_rows
from bench.processes import PROJECT
from bench.quality.tasks import Tree, find_tree, read_repos
from bench.stored_run import find_run_file, read_run, write_run

OWN_QUESTIONS = PROJECT / "bench" / "quality" / "packages.jsonl"
RESULTS = PROJECT / "bench" / "results"


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="bench.economy", description=__doc__)
    parser.add_argument("--tasks", type=Path, default=OWN_QUESTIONS, help="tasks, one JSON object a line")
    parser.add_argument(
        "--trees", type=Path, default=Path(sysconfig.get_path("purelib")), help="a tree for each repository"
    )
    parser.add_argument("--repos", type=Path, help="JSON list of repositories with name and repo")
    parser.add_argument("--mirror", type=Path, help="git directories by owner+name, for tasks of commits")
    parser.add_argument("--name", default="packages", help="of the stored run: run-economy-NAME.json")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where stored runs are")
    parser.add_argument("--store", action="store_true", help="store this run instead of comparing it")
    parser.add_argument("--code", type=Path, default=PROJECT, help="the checkout whose server is asked")
    library = Path(sysconfig.get_path("stdlib"))
    parser.add_argument("--library", type=Path, default=library, help="the modules that are outlined")
    parser.add_argument("--only", help="repositories to ask, with commas")
    parser.add_argument(
        "--tuning", action="store_true", help="the open half alone, task by task; compare nothing"
    )
    return parser.parse_args(arguments)


def iter_quests(given: argparse.Namespace) -> Iterator[tuple[Tree, Quest]]:
    """Yield the tasks whose tree exists and whose evidence can be located."""
    repos: Mapping[str, Mapping[str, object]] = read_repos(given.repos)
    for number, row in enumerate(read_rows(given.tasks), 1):
        name = str(row.get("repo", ""))
        tree = find_tree(given.trees, name, repos)
        if tree is None or (given.only and name not in given.only.split(",")):
            continue
        quest = build_quest(row, number, tree, given.mirror, str(repos.get(name, {}).get("repo", "")))
        if quest and not (given.tuning and quest.is_kept_back):
            yield tree, quest


def main(arguments: list[str]) -> int:
    """Run and print. Return 1 when a row costs more than the stored one, or when nothing could be asked."""
    given = parse_arguments(arguments)
    program = find_program()
    if program is None:
        print("ripgrep is not on PATH: it is left out (apt-get install ripgrep)")
    groups = group_by_tree(iter_quests(given))
    if not groups:
        print("No tasks: give --tasks and --trees that fit each other")
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        library = None if given.tuning else given.library
        run = run_all(groups.items(), Path(scratch), program, given.code.resolve(), print, library)
    print("", *render_tables(run), sep="\n")
    if given.tuning:
        print("", *(_render_task(one) for one in run.results), sep="\n")
        return 0
    return _compare(run, find_run_file(given.results, f"economy-{given.name}"), store=given.store)


def _render_task(result: Result) -> str:
    """Render one task of the open half: what both policies spent, and what was asked."""
    other = result.ripgrep.bytes if result.ripgrep else None
    task = result.quest.task
    return f"{result.ours.bytes or '-':>7} {other or '-':>7}  {task.id}  {task.query.splitlines()[0][:80]}"


def _compare(run: Run, file: Path, *, store: bool) -> int:
    """Store new rows, or all of them, and print those that cost more than before."""
    measured = build_rows(run)
    stored = {} if store else read_run(file)
    dearer = find_dearer(measured, stored)
    write_run(file, measured | stored)
    for one in dearer:
        print(one)
    return 1 if dearer else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
