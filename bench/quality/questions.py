"""Questions with the functions that answer them, each by the lines of a pinned tree (`functions.jsonl`).

One JSON object for each line: `id`, `repo`, `language`, `half`, `category`, `query` and `functions`. An
answer needs all of the functions, which are objects with `path`, `name`, `start_line` and `end_line`. The two
halves share no repository. For the half `kept` only sums are printed, and nobody looks into it while weights
are chosen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

HALVES = ("tune", "kept")
LEAST_SHARE = 0.7  # of a function's lines that must be shown
_SEPARATORS = re.compile(r"[.#]|::")

Line = tuple[str, int]  # path and number, from 1


class OfRepository(Protocol):
    """A question about one repository, in one of the halves."""

    @property
    def repo(self) -> str:
        """Return the name of the repository."""
        ...

    @property
    def half(self) -> str:
        """Return the half."""
        ...


Asked = TypeVar("Asked", bound=OfRepository)
Given = TypeVar("Given")


@dataclass(frozen=True, slots=True)
class Function:
    """One declaration, by its lines, both included."""

    path: str
    name: str  # as the language qualifies it
    start_line: int
    end_line: int

    def count_shown(self, shown: Set[Line]) -> int:
        """Return how many of its lines were shown."""
        return sum((self.path, number) in shown for number in range(self.start_line, self.end_line + 1))

    def is_shown(self, shown: Set[Line]) -> bool:
        """Return whether enough of the function was shown to count as answered."""
        return self.count_shown(shown) >= LEAST_SHARE * (self.end_line - self.start_line + 1)


@dataclass(frozen=True, slots=True)
class Question:
    """One question and the functions that answer it together."""

    id: str
    repo: str
    language: str
    half: str
    category: str
    query: str
    functions: tuple[Function, ...]

    def is_answered(self, shown: Set[Line]) -> bool:
        """Return whether each of its functions was shown."""
        return all(function.is_shown(shown) for function in self.functions)


def read_questions(path: Path) -> list[Question]:
    """Return the questions of a file in its order. Raises KeyError for a row that lacks something."""
    with path.open(encoding="utf-8") as lines:
        return [_parse(json.loads(line)) for line in lines]


def _parse(row: Mapping[str, Any]) -> Question:
    functions = tuple(Function(**function) for function in row["functions"])
    return Question(**{**row, "functions": functions})


def check_tree(root: Path, question: Question) -> None:
    """Raise ValueError where a tree is not the one whose lines a question names."""
    for function in question.functions:
        file = root / function.path
        lines = file.read_text("utf-8", "replace").split("\n") if file.is_file() else []
        name = _SEPARATORS.split(function.name)[-1]
        if name not in "".join(lines[function.start_line - 1 : function.start_line]):
            found = f"{question.id}: {function.name} is not at {function.path}:{function.start_line}"
            raise ValueError(f"{found}; the tree must be at the revision of function_repos.json")


def choose_questions(questions: Iterable[Asked], half: str, only: str | None) -> list[Asked]:
    """Return the questions of a half, or of "both", about the repositories in the comma-separated `only`."""
    repos = only.split(",") if only else None
    return [one for one in questions if half in (one.half, "both") and (repos is None or one.repo in repos)]


def run_questions(
    questions: Iterable[Asked],
    trees: Path,
    ask_tree: Callable[[str, Path, Sequence[Asked]], Iterable[Given]],
    report: Callable[[str], None],
) -> Iterator[Given]:
    """Yield the results of `ask_tree` for each repository's tree and questions.

    Repositories without a tree are left out and reported.
    """
    groups: dict[str, list[Asked]] = {}
    for question in questions:
        groups.setdefault(question.repo, []).append(question)
    for repo, own in groups.items():
        root = (trees / repo).absolute()  # a server starts in another folder
        if root.is_dir():
            yield from ask_tree(repo, root, own)
        else:
            report(f"{repo}: no tree, {len(own)} questions left out")
