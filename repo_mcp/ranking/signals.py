"""The evidence for a file: each signal is a function of plain values, 0 to 1 before weighting. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from repo_mcp.ranking.bm25f import F64, I64
from repo_mcp.ranking.intent import split_stems
from repo_mcp.ranking.ranking_weights import RankingWeights
from repo_mcp.text.analysis import LONG_WORD, get_root
from repo_mcp.text.roles import FileRole, choose_role, find_directory_role, find_name_role

MIN_PREFIX_CHARS = 4
_WORD = re.compile(r"[^\W_]\w*|_\w+")
_KEPT_DIRECTORIES = 8_000  # shared by the files in them; about 2 MB
_KEPT_NAMES = 8_000  # of files and directories, with their stems; about 2 MB


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory's stems and role."""

    stems: tuple[tuple[str, ...], ...]  # of each name in its path, outermost first
    role: FileRole  # as returned by `find_directory_role`


@lru_cache(maxsize=_KEPT_DIRECTORIES)
def read_directory(path: str) -> Directory:
    """Return the stems and the role of a directory path; "" is the root."""
    return Directory(tuple(map(split_name, path.split("/"))) if path else (), find_directory_role(path))


@lru_cache(maxsize=_KEPT_NAMES)
def split_name(text: str) -> tuple[str, ...]:
    """Return the stems of a name's parts."""
    return tuple(stem for word in _WORD.findall(text) for stem in split_stems(word))


def tell_role(path: str) -> FileRole:
    """Return the role of a file, equal to that of `find_role`; the part of its directory is cached."""
    directory, _, name = path.rpartition("/")
    return choose_role(read_directory(directory).role, find_name_role(name))


def cut_name(name: str) -> str:
    """Return a file name up to its first dot, or all of it when it begins with the dot."""
    return name.partition(".")[0] or name


def sum_text(files: I64, scores: F64, next_unit: float) -> tuple[I64, F64]:
    """Return the distinct files, ascending, and the text score of each: its units' scores in descending
    order, each weighted `next_unit` times the one before, summed."""
    order = np.argsort(-scores, kind="stable")
    order = order[np.argsort(files[order], kind="stable")]  # np.lexsort takes twice as long
    files, scores = files[order], scores[order]
    is_first = np.ones(len(files), dtype=np.bool_)
    np.not_equal(files[1:], files[:-1], out=is_first[1:])
    starts = is_first.nonzero()[0]
    positions = np.arange(len(files)) - starts[is_first.cumsum() - 1]
    shares = next_unit ** np.arange(int(positions.max(initial=0)) + 1)
    return files[starts], np.add.reduceat(scores * shares[positions], starts)


def weigh_rarity(count: int, total: int) -> float:
    """Return 1 for what one of `total` has or none has, down to 0 for what all have."""
    return min(1.0, math.log((total + 1) / max(1, count)) / math.log(total + 1)) if total else 1.0


def weigh_inverse(count: int, total: int) -> float:
    """Return BM25's inverse document frequency."""
    return math.log(1.0 + (total - count + 0.5) / (count + 0.5))


class StemMatcher:
    """Measures how much of a name the stems of a query cover. For one query."""

    def __init__(self, stems: Mapping[str, float], prefix: float) -> None:
        """`stems` gives each stem's weight, 0 to 1; `prefix` is the weight of a match by prefix."""
        self._stems = stems
        self._prefix = prefix
        self._by_start: dict[str, list[str]] = {}
        for stem in stems:
            if len(stem) >= MIN_PREFIX_CHARS:
                self._by_start.setdefault(stem[:MIN_PREFIX_CHARS], []).append(stem)
        # Every ASCII name that a stem can match holds at least one of these, in lower case.
        roots = {get_root(stem[:MIN_PREFIX_CHARS]) for stem in stems}
        self._roots = ("",) if LONG_WORD in stems else tuple(roots)
        self._known: dict[tuple[str, ...], float] = {}

    def cover(self, name: str) -> float:
        """Return the mean, over the parts of a name, of the weight of the stem that each part matches."""
        return self._cover(split_name(name)) if self._may_match(name) else 0.0

    def cover_all(self, directory: str) -> float:
        """Return the sum of `cover` over the names in a directory's path."""
        return sum(map(self._cover, read_directory(directory).stems)) if self._may_match(directory) else 0.0

    def _may_match(self, text: str) -> bool:
        """Return False when no stem can match in a text. Takes a tenth of the time of splitting it."""
        if not text.isascii():
            return True
        folded = text.lower()
        for root in self._roots:  # noqa: SIM110  (any() takes three times as long)
            if root in folded:
                return True
        return False

    def _cover(self, parts: tuple[str, ...]) -> float:
        value = self._known.get(parts)
        if value is None:
            value = self._known[parts] = sum(map(self._match, parts)) / len(parts) if parts else 0.0
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
    """Return, for each role, the share of their points that its files keep."""
    shares = {
        FileRole.CODE: 1.0,
        FileRole.TEST: weights.test,
        FileRole.DOCS: weights.document,
        FileRole.CONFIG: weights.configuration,
        FileRole.STYLE: weights.style,
        FileRole.FOREIGN: weights.foreign,
    }
    return shares | dict.fromkeys(asked, 1.0)
