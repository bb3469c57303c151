"""Tasks whose evidence is a span of lines: our own questions, and commit messages.

For our own questions (`bench/quality/packages.jsonl`) the evidence is the first lines of the declaration that
answers it, which a target names as its `symbol`. For a commit it is, in each file of the answer, the longest
run of changed lines, as they stand in the tree that is searched.

Half of all tasks, chosen by a hash of their ids, are kept back: their texts are never printed.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.economy.evidence import Region
from bench.quality.bundles import find_git, read_changed
from bench.quality.tasks import Task, Tree, parse_task

REGION_LINES = 12  # of a declaration or a run, from its first; the rest is on the same screen

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Quest:
    """One question and the lines that answer it."""

    task: Task
    regions: tuple[Region, ...]

    @property
    def is_kept_back(self) -> bool:
        """Return whether the task belongs to the half that nobody looks at."""
        return bool(hashlib.sha256(self.task.id.encode()).digest()[0] & 1)


def read_rows(file: Path) -> list[Row]:
    """Return the rows of a task file, in the order of the file."""
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def build_quest(row: Row, number: int, tree: Tree, mirror: Path | None, full_name: str) -> Quest | None:
    """Return the quest of one row with its regions; None when they cannot be located in this tree.

    Commits need the repository's Git directory below `mirror`, as in `bench.quality.bundles`.
    """
    task = parse_task(row, number)
    if "gold" not in row:
        regions = tuple(_iter_declared(row, tree.root))
        return Quest(task, regions) if regions else None
    git = find_git(mirror, full_name) if mirror else None
    if git is None:
        return None
    changed = read_changed(git, str(row["commit"]), tree.root, task.targets, around=0)
    found = [
        _find_longest(path, sorted(line for one, line in changed if one == path)) for path in task.targets
    ]
    regions = tuple(region for region in found if region)
    return Quest(task, regions) if regions else None


def _iter_declared(row: Row, root: Path) -> Iterator[Region]:
    for name in ("relevant", "secondary"):
        targets = row.get(name)
        for target in targets if isinstance(targets, list) else ():
            if isinstance(target, dict) and "symbol" in target:
                yield find_declaration(root, str(target["path"]), str(target["symbol"]))


def find_declaration(root: Path, path: str, symbol: str) -> Region:
    """Return the first lines of a declaration in a Python file. Raises ValueError when there is none.

    If several have that name, the last one counts: overloads precede their implementation.
    """
    found: ast.stmt | None = None
    for name, node in _iter_declarations(ast.parse((root / path).read_text("utf-8")), ""):
        found = node if name == symbol else found
    if found is None:
        raise ValueError(f"{path} declares no {symbol}: correct the symbol of the task")
    last = min(found.end_lineno or found.lineno, found.lineno + REGION_LINES - 1)
    return Region(path, found.lineno, last)


def _iter_declarations(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.stmt]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield prefix + child.name, child
            yield from _iter_declarations(child, f"{prefix}{child.name}.")
            continue
        if isinstance(child, ast.Assign):
            yield from ((prefix + name.id, child) for name in child.targets if isinstance(name, ast.Name))
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):  # no expression declares
            yield from _iter_declarations(child, prefix)


def _find_longest(path: str, lines: list[int]) -> Region | None:
    """Return the longest run, the last one of equal length, because imports come first."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    if not runs:
        return None
    longest = max(reversed(runs), key=len)[:REGION_LINES]
    return Region(path, longest[0], longest[-1])
