"""Measures of one ranked list of files, and their means. Binary gain; a file counts at its first hit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.quality.tasks import Task

PLACES = 10
CUTS = (1, 3, 5, 10)
TOKENS = 2_000
CHARS_PER_TOKEN = 4
# The tests of the second list of the commits' metric.
TEST_PATH = re.compile(
    r"(^|/)([Tt]ests?|[Ss]pecs?|__tests__|testdata|fixtures|e2e|test[-_]suite|tests-[^/]+"
    r"|[^/]*[-.][Tt]ests|[a-z]+Test)(\.[^/]+)?/"
    r"|(^|/)(test_[^/]*|conftest)\.py$|(_test|_spec|\.test|\.spec|Tests?|Spec|Suite)\.\w+$"
)


@dataclass(frozen=True, slots=True)
class Found:
    """One hit: its path, and what its text costs a client."""

    path: str
    chars: int


@dataclass(frozen=True, slots=True)
class Score:
    """The worth of the answer to one task."""

    ndcg: float
    acc: tuple[float, ...]  # all answers among the first CUTS
    first: float  # 1 divided by the place of the first answer
    recall: float  # share of the answers within TOKENS
    plain_acc: tuple[float, ...]  # as `acc`, tests left out


def score_task(task: Task, hits: Sequence[Found]) -> Score:
    """Return the measures of one answer."""
    files = list(dict.fromkeys(hit.path for hit in hits))
    plain = [path for path in files if TEST_PATH.search(path) is None]
    positions = find_places(task, files[:PLACES])
    plain_places = find_places(task, plain[:PLACES])
    ideal = sum(1 / math.log2(position + 1) for position in range(1, min(PLACES, len(task.targets)) + 1))
    gained = sum(1 / math.log2(position + 1) for position in positions if position is not None)
    firsts = [position for position in positions if position is not None]
    return Score(
        min(1.0, gained / ideal),
        tuple(_all_within(positions, cut) for cut in CUTS),
        1 / min(firsts) if firsts else 0.0,
        _recall_within(task, hits),
        tuple(_all_within(plain_places, cut) for cut in CUTS),
    )


def find_places(task: Task, files: Sequence[str]) -> list[int | None]:
    """Return for each answer its place in a list, from 1. A file counts for one answer at most."""
    positions: list[int | None] = []
    for target in task.targets:
        position = next((at for at, path in enumerate(files, 1) if task.matches(path, target)), None)
        positions.append(None if position in positions else position)
    return positions


def _all_within(positions: Sequence[int | None], cut: int) -> float:
    return float(all(position is not None and position <= cut for position in positions))


def _recall_within(task: Task, hits: Sequence[Found]) -> float:
    seen: list[str] = []
    chars = 0
    for hit in hits:
        chars += hit.chars
        if chars > TOKENS * CHARS_PER_TOKEN:
            break
        seen.append(hit.path)
    found = sum(any(task.matches(path, target) for path in seen) for target in task.targets)
    return found / len(task.targets)


def mean(scores: Iterable[Score]) -> Score:
    """Measure by measure. At least one score."""
    rows = list(scores)
    count = len(rows)
    return Score(
        sum(row.ndcg for row in rows) / count,
        tuple(sum(column) / count for column in zip(*(row.acc for row in rows), strict=True)),
        sum(row.first for row in rows) / count,
        sum(row.recall for row in rows) / count,
        tuple(sum(column) / count for column in zip(*(row.plain_acc for row in rows), strict=True)),
    )
