"""The rank of the right document: `python -m bench.quality.documents --trees DIR`.

DIR holds a tree for each repository by name; those that are not there are left out. The questions are in
documents.jsonl: an answer is right when its path ends in, or holds, one of the `answers`.

Left out on purpose: which section of the document is right; that was judged by eye.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from repo_mcp.config.server_config import load_config
from repo_mcp.documentation.records import DocsRequest
from repo_mcp.repository import Repository

QUESTIONS = Path(__file__).parent / "documents.jsonl"
HITS = 10


@dataclass(frozen=True, slots=True)
class Question:
    """One question and what its answer may be."""

    repo: str
    query: str
    answers: tuple[str, ...]  # parts of paths; one of them is enough


def read_questions(path: Path = QUESTIONS) -> list[Question]:
    """Return the questions of a file, one JSON object a line."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Question(row["repo"], row["query"], tuple(row["answers"])) for row in rows]


def find_place(question: Question, paths: Sequence[str]) -> int:
    """Return the place of the first right hit, from 1; 0 where there is none."""
    right = (
        position for position, path in enumerate(paths, 1) if any(one in path for one in question.answers)
    )
    return next(right, 0)


def ask_all(questions: Iterable[Question], root: Path, data_dir: Path) -> list[int]:
    """Return the places of the right hits in one tree, which is indexed first."""
    repository = Repository(load_config(str(root), data_dir=str(data_dir)))
    repository.refresh()
    positions = []
    for question in questions:
        hits = repository.engines.documentation.search(DocsRequest(question.query, HITS)).hits
        positions.append(find_place(question, [hit.path for hit in hits]))
    repository.close()
    return positions


def render_row(name: str, positions: Sequence[int]) -> str:
    """Render one row: questions, first hit right, one of the first three right, mean reciprocal rank."""
    first = sum(position == 1 for position in positions)
    early = sum(0 < position <= 3 for position in positions)
    inverse = sum(1 / position for position in positions if position) / max(1, len(positions))
    return f"{name:10} {len(positions):4} {first:4} {early:4} {inverse:6.3f}"


def main(arguments: list[str]) -> int:
    """Ask and print. Return 1 when no tree was found."""
    parser = argparse.ArgumentParser(prog="bench.quality.documents", description=__doc__)
    parser.add_argument(
        "--trees", type=Path, required=True, help="a directory with a tree for each repository"
    )
    parser.add_argument("--data", type=Path, help="where indexes are kept (default: made anew, then removed)")
    given = parser.parse_args(arguments)
    questions = read_questions()
    every: list[int] = []
    print(f"{'':10} {'all':>4} {'1st':>4} {'<=3':>4} {'MRR':>6}")
    with tempfile.TemporaryDirectory() as scratch:
        for repo in dict.fromkeys(question.repo for question in questions):
            if not (given.trees / repo).is_dir():
                continue
            own = [question for question in questions if question.repo == repo]
            positions = ask_all(own, given.trees / repo, (given.data or Path(scratch)) / repo)
            print(render_row(repo, positions))
            every += positions
    print(render_row("all", every))
    return 0 if every else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
