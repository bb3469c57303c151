"""How much of a commit's changed lines a bundle for its message holds: `python -m bench.quality.bundles`.

Needs the git directories of the repositories: the changed lines are those that the commit's diff takes
away from the tree that is searched, found by their text, with three lines around each.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.quality.run import open_repository
from bench.quality.tasks import Task, Tree, read_tasks
from repo_mcp.bundler.records import Bundle, BundleRequest

AROUND = 3  # lines on each side of a changed one that belong to it
BUDGETS = ((8, 400), (20, 1000))
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+")

Lines = frozenset[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Overlap:
    """Precision, recall and F1 of one bundle, by line; and recall by file."""

    precision: float
    recall: float
    f1: float
    files: float


def find_git(mirror: Path, name: str) -> Path | None:
    """The git directory of `owner/name` in a directory of such, if it is there."""
    base = mirror / name.replace("/", "+")
    found = (
        position
        for position in (base / "repo" / ".git", base / "repo", base)
        if (position / "HEAD").is_file()
    )
    return next(found, None)


def read_changed(git: Path, commit: str, root: Path, paths: Sequence[str], around: int = AROUND) -> Lines:
    """The lines of the tree that a commit changes, where its old text stands there unchanged and once."""
    command = ["git", f"--git-dir={git}", "diff", "-U2", f"{commit}^", commit, "--", *paths]
    done = subprocess.run(command, capture_output=True, check=False)
    text = done.stdout.decode("utf-8", "replace")
    changed: set[tuple[str, int]] = set()
    for path, old, first in _iter_hunks(text):
        file = root / path
        lines = file.read_text("utf-8", "replace").split("\n") if file.is_file() else []
        at = _find_once(lines, [line for _, line in old], first)
        if at is not None:
            touched = [at + position for position, (sign, _) in enumerate(old) if sign]
            changed |= {
                (path, line)
                for position in touched
                for line in range(max(1, position + 1 - around), min(len(lines), position + 1 + around) + 1)
            }
    return frozenset(changed)


def _iter_hunks(diff: str) -> Iterator[tuple[str, list[tuple[bool, str]], int]]:
    """(path, old lines with whether each is touched, first line) of each hunk."""
    path, old, first, inside = "", list[tuple[bool, str]](), 0, False
    for line in [*diff.split("\n"), "diff --git"]:
        hunk = _HUNK.match(line)
        if (hunk or line.startswith("diff --git")) and inside and old:
            yield path, old, first
        if line.startswith("diff --git"):
            inside = False
        elif hunk:
            old, first, inside = [], int(hunk[1]), True
        elif line.startswith("--- ") and not inside:
            path = line[4:].removeprefix("a/")
        elif inside and line.startswith("-"):
            old.append((True, line[1:]))
        elif inside and line.startswith("+") and old:
            old[-1] = (True, old[-1][1])  # what is inserted belongs to the line before it
        elif inside and line.startswith(" "):
            old.append((False, line[1:]))


def _find_once(lines: Sequence[str], wanted: Sequence[str], near: int) -> int | None:
    """Where the wanted lines stand in a row, nearest to a line; None when they do not."""
    positions = [
        at
        for at in range(len(lines) - len(wanted) + 1)
        if lines[at] == wanted[0] and list(lines[at : at + len(wanted)]) == list(wanted)
    ]
    return min(positions, key=lambda at: (abs(at + 1 - near), at), default=None)


def compare(bundle: Bundle, changed: Lines) -> Overlap:
    """How a bundle and the changed lines overlap."""
    shown = {
        (one.path, line) for one in bundle.selections for line in range(one.start_line, one.end_line + 1)
    }
    both = len(shown & changed)
    precision, recall = both / max(1, len(shown)), both / len(changed)
    wanted = {path for path, _ in changed}
    files = len(wanted & {path for path, _ in shown}) / len(wanted)
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return Overlap(precision, recall, f1, files)


def ask_repo(
    tasks: Sequence[Task], tree: Tree, data_dir: Path, changed: Mapping[str, Lines]
) -> list[list[Overlap]]:
    """For each budget the overlaps of the tasks of one tree."""
    found: list[list[Overlap]] = [[] for _ in BUDGETS]
    with closing(open_repository(tree, data_dir)) as repository:
        for task in tasks:
            for position, (files, lines) in enumerate(BUDGETS):
                bundle = repository.bundle(BundleRequest(task.query, files, lines))
                found[position].append(compare(bundle, changed[task.id]))
    return found


def read_all_changed(
    tasks: Sequence[Task], commits: Mapping[str, str], git: Path | None, root: Path
) -> dict[str, Lines]:
    """The changed lines of each task whose commit can be read; tasks without any are left out."""
    if git is None:
        return {}
    found = {task.id: read_changed(git, commits[task.id], root, task.targets) for task in tasks}
    return {name: lines for name, lines in found.items() if lines}


def main(arguments: list[str]) -> int:
    """Print a table. 1 when nothing could be measured."""
    parser = argparse.ArgumentParser(prog="bench.quality.bundles", description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True, help="JSON list with name and repo")
    parser.add_argument("--mirror", type=Path, required=True, help="git directories by owner+name")
    parser.add_argument("--data", type=Path, help="where indexes are kept")
    parser.add_argument("--most", type=int, default=6, help="tasks of each repository")
    given = parser.parse_args(arguments)
    names = {row["name"]: row["repo"] for row in json.loads(given.repos.read_text())}
    with given.tasks.open() as rows:
        commits = {row["id"]: row["commit"] for row in map(json.loads, rows)}
    tasks = read_tasks(given.tasks)
    found: list[list[Overlap]] = [[] for _ in BUDGETS]
    with tempfile.TemporaryDirectory() as scratch:
        for name, full in names.items():
            tree = Tree(name, given.trees / name)
            own = [task for task in tasks if task.repo == name][: given.most]
            changed = read_all_changed(own, commits, find_git(given.mirror, full), tree.root)
            kept = [task for task in own if task.id in changed]
            for position, row in enumerate(
                ask_repo(kept, tree, (given.data or Path(scratch)) / name, changed)
            ):
                found[position] += row
    for (files, lines), row in zip(BUDGETS, found, strict=True):
        print(render(files, lines, row))
    return 0 if found[0] else 1


def render(files: int, lines: int, row: Sequence[Overlap]) -> str:
    """One line of the table."""
    count = max(1, len(row))
    means = [
        sum(getattr(one, name) for one in row) / count for name in ("precision", "recall", "f1", "files")
    ]
    shown = " | ".join(f"{value:.3f}" for value in means)
    return f"| {files} files, {lines} lines | {len(row)} | {shown} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
