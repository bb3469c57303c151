"""What speaks for a file, each signal a function of plain values, from 0 to 1 before its weight. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from repo_mcp.index.intent import split_stems
from repo_mcp.index.ranking_weights import RankingWeights
from repo_mcp.index.roles import FileRole, find_role
from repo_mcp.index.scoring import F64, I64

MIN_PREFIX_CHARS = 4
_WORD = re.compile(r"[^\W_]\w*|_\w+")
_KEPT_PATHS = 8_000  # whose parts are kept, about 2 MB
_KEPT_DIRECTORIES = 8_000  # their files share them
_KEPT_NAMES = 8_000  # of files and directories; paths share them


@dataclass(frozen=True, slots=True)
class PathParts:
    """A path as signals see it."""

    name: str  # of the file, to its first dot
    name_stems: tuple[str, ...]
    directory_stems: tuple[tuple[str, ...], ...]  # for each directory, the outermost first
    role: FileRole


@lru_cache(maxsize=_KEPT_PATHS)
def split_path(path: str) -> PathParts:
    """The parts of a path."""
    directory, _, file = path.rpartition("/")
    name = file.partition(".")[0] or file
    return PathParts(name, _split(name), _split_directories(directory), find_role(path))


@lru_cache(maxsize=_KEPT_DIRECTORIES)
def _split_directories(path: str) -> tuple[tuple[str, ...], ...]:
    return tuple(map(_split, path.split("/"))) if path else ()


@lru_cache(maxsize=_KEPT_NAMES)
def _split(text: str) -> tuple[str, ...]:
    return tuple(stem for word in _WORD.findall(text) for stem in split_stems(word))


def sum_text(files: I64, scores: F64, next_unit: float) -> tuple[I64, F64]:
    """The files, ascending, and the sum of the scores of each one's units: the best one whole, each next
    one times `next_unit`."""
    order = np.lexsort((-scores, files))
    files, scores = files[order], scores[order]
    starts = np.flatnonzero(np.diff(files, prepend=-1))
    places = np.arange(len(files)) - np.repeat(starts, np.diff(starts, append=len(files)))
    return files[starts], np.add.reduceat(scores * next_unit**places, starts)


def weigh_rarity(count: int, total: int) -> float:
    """1 for what one of all has, 0 for what all have; 1 for what is not there."""
    return min(1.0, math.log((total + 1) / max(1, count)) / math.log(total + 1)) if total else 1.0


def weigh_inverse(count: int, total: int) -> float:
    """Inverse document frequency as BM25 has it."""
    return math.log(1.0 + (total - count + 0.5) / (count + 0.5))


class StemMatcher:
    """How much of a name the stems of a query cover."""

    def __init__(self, stems: Mapping[str, float], prefix: float) -> None:
        """`stems` gives the weight of each, 0 to 1; `prefix` is what a match of beginnings counts."""
        self._stems = stems
        self._prefix = prefix
        self._by_start: dict[str, list[str]] = {}
        for stem in stems:
            if len(stem) >= MIN_PREFIX_CHARS:
                self._by_start.setdefault(stem[:MIN_PREFIX_CHARS], []).append(stem)
        self._known: dict[tuple[str, ...], float] = {}
        self._known_all: dict[tuple[tuple[str, ...], ...], float] = {}

    def cover(self, parts: tuple[str, ...]) -> float:
        """The mean over a name's parts of the weight of the stem that each matches."""
        value = self._known.get(parts)
        if value is None:
            value = self._known[parts] = sum(map(self._match, parts)) / len(parts) if parts else 0.0
        return value

    def cover_all(self, names: tuple[tuple[str, ...], ...]) -> float:
        """Several names together: each adds what is matched of it."""
        value = self._known_all.get(names)
        if value is None:
            value = self._known_all[names] = sum(map(self.cover, names))
        return value

    def _match(self, part: str) -> float:
        if part in self._stems:
            return self._stems[part]
        near = [
            self._stems[stem]
            for stem in self._by_start.get(part[:MIN_PREFIX_CHARS], ())
            if stem.startswith(part) or part.startswith(stem)
        ]
        return self._prefix * max(near, default=0.0)


def keep_shares(asked: frozenset[FileRole], weights: RankingWeights) -> dict[FileRole, float]:
    """For each role what is left of the points of its files."""
    shares = {
        FileRole.CODE: 1.0,
        FileRole.TEST: weights.test,
        FileRole.DOCS: weights.document,
        FileRole.CONFIG: weights.configuration,
        FileRole.FOREIGN: weights.foreign,
    }
    return shares | dict.fromkeys(asked, 1.0)
