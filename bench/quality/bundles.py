"""The part of a fix that a bundle for its message holds: `python -m bench.quality.bundles`.

Each commit's message is asked about in the tree of its parent, which is read from the repository's Git
directory. Two sets of lines are wanted: those that the diff removes, with three lines around each, and the
whole functions around them, which is what a person would read.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path

from bench.quality.run import open_repository
from bench.quality.tasks import Task, Tree, read_tasks
from repo_mcp.bundler.records import Bundle, BundleRequest
from repo_mcp.errors import RepoError
from repo_mcp.repository import Repository

AROUND = 3  # lines on each side of a changed one that belong to it
MOST_FILES = 20
BUDGETS = (500, 1_000, 2_000)  # lines
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+")

Lines = frozenset[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Overlap:
    """Precision, recall and F1 of one bundle, by line; recall by file; and its size."""

    precision: float
    recall: float
    f1: float
    files: float
    lines: float


def find_git(mirror: Path, name: str) -> Path | None:
    """Return the Git directory of `owner/name` below a directory of mirrors, if there is one."""
    base = mirror / name.replace("/", "+")
    found = (
        position
        for position in (base / "repo" / ".git", base / "repo", base)
        if (position / "HEAD").is_file()
    )
    return next(found, None)


def read_changed(git: Path, commit: str, root: Path, paths: Sequence[str], around: int = AROUND) -> Lines:
    """Return the lines of the tree that a commit changes, if its old text occurs there exactly once."""
    command = ["git", f"--git-dir={git}", "diff", "-U2", f"{commit}^", commit, "--", *paths]
    done = subprocess.run(command, capture_output=True, check=False)
    text = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")  # as `read_text` reads the file
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
    """Yield each hunk's path, its old lines with whether each is touched, and the number of the first."""
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
    """Return where the wanted lines occur in a row, nearest to a line; None when they do not."""
    positions = [
        at
        for at in range(len(lines) - len(wanted) + 1)
        if lines[at] == wanted[0] and list(lines[at : at + len(wanted)]) == list(wanted)
    ]
    return min(positions, key=lambda at: (abs(at + 1 - near), at), default=None)


def write_tree(git: Path, revision: str, root: Path) -> None:
    """Make a directory hold the plain files of a revision and nothing else, without those that Git lacks."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        command = ["git", f"--git-dir={git}", f"--work-tree={root.absolute()}"]
        index = {**os.environ, "GIT_INDEX_FILE": f"{scratch}/index"}
        subprocess.run([*command, "read-tree", revision], env=index, check=True)
        checkout = [*command, "checkout-index", "--all", "--quiet"]
        subprocess.run(checkout, env=index, stderr=subprocess.DEVNULL, check=False)
    for path in root.rglob("*"):
        if path.is_symlink():
            path.unlink()


def grow_to_functions(repository: Repository, changed: Lines) -> Lines:
    """Return changed lines, each with the whole innermost function around it, if there is one."""
    grown = set(changed)
    for path in sorted({path for path, _ in changed}):
        try:
            symbols = repository.outline(path).symbols
        except RepoError:  # a file that is not served has no functions
            continue
        spans = [
            (one.start_line, one.end_line)
            for one in symbols
            if one.kind.endswith(("function", "method", "constructor"))
        ]
        for line in (line for name, line in changed if name == path):
            around = [span for span in spans if span[0] <= line <= span[1]]
            first, last = min(around, key=lambda span: (span[1] - span[0], span), default=(line, line))
            grown |= {(path, number) for number in range(first, last + 1)}
    return frozenset(grown)


def compare(bundle: Bundle, wanted: Lines) -> Overlap:
    """Return how a bundle and the wanted lines overlap."""
    shown = {
        (one.path, line) for one in bundle.selections for line in range(one.start_line, one.end_line + 1)
    }
    both = len(shown & wanted)
    precision, recall = both / max(1, len(shown)), both / len(wanted)
    paths = {path for path, _ in wanted}
    files = len(paths & {path for path, _ in shown}) / len(paths)
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return Overlap(precision, recall, f1, files, len(shown))


def ask_commit(repository: Repository, query: str, wanted: Sequence[Lines]) -> list[list[Overlap]]:
    """Return for each budget the overlaps of its bundle with each set of wanted lines."""
    bundles = [repository.engines.bundles.build(BundleRequest(query, MOST_FILES, lines)) for lines in BUDGETS]
    return [[compare(bundle, lines) for lines in wanted] for bundle in bundles]


def ask_commits(
    tasks: Iterable[Task], commits: Mapping[str, str], git: Path, scratch: Path
) -> Iterator[list[list[Overlap]]]:
    """Yield the overlaps of each commit whose changed lines can be located in the tree of its parent."""
    tree = Tree("tree", scratch / "tree")
    for task in tasks:
        commit = commits[task.id]
        write_tree(git, f"{commit}^", tree.root)
        touched = read_changed(git, commit, tree.root, task.targets, around=0)
        if not touched:
            continue
        near = read_changed(git, commit, tree.root, task.targets)
        with closing(open_repository(tree, scratch / "data")) as repository:
            repository.symbol_index.build()
            yield ask_commit(repository, task.query, (near, grow_to_functions(repository, touched)))


def main(arguments: list[str]) -> int:
    """Print a table. Return 1 when nothing could be measured."""
    parser = argparse.ArgumentParser(prog="bench.quality.bundles", description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True, help="commits, one JSON object a line")
    parser.add_argument("--repos", type=Path, required=True, help="JSON list with name and repo")
    parser.add_argument("--mirror", type=Path, required=True, help="git directories by owner+name")
    parser.add_argument("--most", type=int, default=6, help="commits of each repository")
    parser.add_argument("--only", help="repositories to ask, with commas")
    given = parser.parse_args(arguments)
    with given.tasks.open() as rows:
        commits = {row["id"]: row["commit"] for row in map(json.loads, rows)}
    tasks = read_tasks(given.tasks)
    found: list[list[list[Overlap]]] = []
    for row in json.loads(given.repos.read_text()):
        git = find_git(given.mirror, row["repo"])
        if git is None or (given.only and row["name"] not in given.only.split(",")):
            continue
        own = [task for task in tasks if task.repo == row["name"]][: given.most]
        with tempfile.TemporaryDirectory() as scratch:
            found += ask_commits(own, commits, git, Path(scratch))
    if not found:
        return 1
    print("\n".join(render(found)))
    return 0


def render(found: Sequence[Sequence[Sequence[Overlap]]]) -> list[str]:
    """Return the table, by budget."""
    names = "precision | recall | F1"
    lines = [
        f"| lines | commits | changed: {names} | functions: {names} | files found | lines used |",
        "|--:|--:" + "|--:" * 8 + "|",
    ]
    for position, size in enumerate(BUDGETS):
        near, functions = (_mean([one[position][which] for one in found]) for which in (0, 1))
        shown = " | ".join(f"{value:.3f}" for value in (*near[:3], *functions[:3], near[3]))
        lines.append(f"| {size:,} | {len(found)} | {shown} | {near[4]:.0f} |")
    return lines


def _mean(row: Sequence[Overlap]) -> list[float]:
    return [sum(column) / len(row) for column in zip(*map(astuple, row), strict=True)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
