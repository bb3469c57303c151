"""The evidence for a file: its text, its name and directories, its role. Each is 0 to 1 before weighting.

All but `find_role_in_tree` are functions of plain values. What a closer look adds is in closer_look.py.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, product

import numpy as np

from index_format import find_changes
from repo_mcp.arrays import F64, I64
from repo_mcp.ranking.files.ranking_weights import RankingWeights
from repo_mcp.ranking.query.asked_name import split_stems
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.text.analysis import LONG_WORD, get_root
from repo_mcp.text.roles import FileRole, find_name_role, find_role, is_test_path, is_translation

MIN_PREFIX_CHARS = 4
_SCRIPT, _MINIFIED = ".js", ".min.js"
_CLASS, _TEMPLATE = ".cs", ".tt"
_WORD = re.compile(r"[^\W_]\w*|_\w+")
_CACHED_DIRECTORIES = 8_000  # shared by the files in them; about 2 MB
_CACHED_NAMES = 8_000  # of files and directories, with their stems; about 2 MB


@lru_cache(maxsize=_CACHED_DIRECTORIES)
def split_directory(path: str) -> tuple[tuple[str, ...], ...]:
    """Return the stems of each name in a directory path, outermost first; "" is the root."""
    return tuple(map(split_name, path.split("/"))) if path else ()


@lru_cache(maxsize=_CACHED_NAMES)
def split_name(text: str) -> tuple[str, ...]:
    """Return the stems of a name's parts."""
    return tuple(stem for word in _WORD.findall(text) for stem in split_stems(word))


def find_role_in_tree(searcher: Searcher, path: str) -> FileRole:
    """Return the role of a live file.

    A script beside its minified copy was built, or comes from elsewhere. At the top of a tree it may as well
    be the source of a small library. A class of C# beside a template of its name is made from that, and the
    template is part of the program.
    """
    role = find_role(path)
    if role is FileRole.CODE and path.endswith(_SCRIPT) and "/" in path:
        minified = path.removesuffix(_SCRIPT) + _MINIFIED
        return FileRole.FOREIGN if searcher.has_beginning(minified, whole=True) else role
    if role is FileRole.CODE and path.endswith(_CLASS):
        template = path.removesuffix(_CLASS) + _TEMPLATE
        return FileRole.FOREIGN if searcher.has_beginning(template, whole=True) else role
    if role is FileRole.CONFIG and path.endswith(_TEMPLATE):
        made = path.removesuffix(_TEMPLATE) + _CLASS
        return FileRole.CODE if searcher.has_beginning(made, whole=True) else role
    return role


def find_role_in_locale(searcher: Searcher, path: str) -> FileRole:
    """Return the role of a live file for a query about locales: texts in another language are not foreign."""
    if is_translation(path) and not is_test_path(path):
        return find_name_role(path.rpartition("/")[2])
    return find_role_in_tree(searcher, path)


def cut_name(name: str) -> str:
    """Return a file name up to its first dot, or all of it when it begins with the dot."""
    return name.partition(".")[0] or name


def sum_text(files: I64, scores: F64, next_unit: float) -> tuple[I64, F64]:
    """Return the distinct files, ascending, and the text score of each.

    That is the sum of its units' scores in descending order, each weighted `next_unit` times the one before.
    """
    order = np.argsort(-scores)  # equal ones in any order: their shares are given alike
    bits = len(files).bit_length()
    packed = files.take(order)
    packed <<= bits
    packed |= np.arange(len(files))
    packed.sort()  # by file, then place in `order`; sorting by rows again takes twice as long
    scores = scores.take(order.take(packed & ((1 << bits) - 1)))
    packed >>= bits
    starts = find_changes(packed).nonzero()[0]
    positions = np.arange(len(files)) - starts.repeat(np.diff(starts, append=len(files)))
    shares = next_unit ** np.arange(int(positions.max(initial=0)) + 1)
    return packed.take(starts), np.add.reduceat(scores * shares.take(positions), starts)


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
        self._parts = _Known(self._match)

    def cover(self, parts: tuple[str, ...]) -> float:
        """Return the mean, over the parts of a name, of the weight of the stem that each part matches."""
        value = self._known.get(parts)
        if value is None:
            value = self._known[parts] = (
                sum(map(self._parts.__getitem__, parts)) / len(parts) if parts else 0.0
            )
        return value

    def cover_all(self, directory: str) -> float:
        """Return the sum of `cover` over the names in a directory's path."""
        return sum(map(self.cover, split_directory(directory))) if self._may_match(directory) else 0.0

    def find_near(self, paths: Sequence[str], words: Iterable[str]) -> list[int]:
        """Return the numbers of the paths in which a stem may match, or that hold one of the words.

        Looking through all of them at once takes a third of the time of looking at each.
        """
        text = "\n".join(paths)
        if not text.isascii() or "" in self._roots:
            return list(range(len(paths)))
        ends = [end + number for number, end in enumerate(accumulate(map(len, paths)))]
        near: set[int] = set()
        for whole, wanted in (*product((text,), words), *product((text.lower(),), self._roots)):
            at = whole.find(wanted)
            while at >= 0:
                number = bisect_right(ends, at)
                near.add(number)
                at = whole.find(wanted, ends[number])
        return sorted(near)

    def _may_match(self, text: str) -> bool:
        """Return False when no stem can match in a text. Takes a tenth of the time of splitting it."""
        if not text.isascii():
            return True
        folded = text.lower()
        for root in self._roots:  # noqa: SIM110  (any() takes three times as long)
            if root in folded:
                return True
        return False

    def _match(self, part: str) -> float:
        if part in self._stems:
            return self._stems[part]
        beginning = self._by_start.get(part[:MIN_PREFIX_CHARS], ())
        near = [self._stems[stem] for stem in beginning if stem.startswith(part) or part.startswith(stem)]
        return self._prefix * max(near, default=0.0)


class _Known(dict[str, float]):
    """The values of texts, each computed once."""

    def __init__(self, compute: Callable[[str], float]) -> None:
        self._compute = compute

    def __missing__(self, text: str) -> float:
        value = self[text] = self._compute(text)
        return value


def list_role_shares(asked: frozenset[FileRole], weights: RankingWeights) -> dict[FileRole, float]:
    """Return the share of its points that a file of each role keeps."""
    shares = {
        FileRole.CODE: 1.0,
        FileRole.TEST: weights.test,
        FileRole.DOCS: weights.document,
        FileRole.CONFIG: weights.configuration,
        FileRole.STYLE: weights.configuration,
        FileRole.FOREIGN: weights.foreign,
    }
    return shares | dict.fromkeys(asked, 1.0)


def weigh_kinds(weights: RankingWeights) -> tuple[float, ...]:
    """Return the weight of each of RATED_KINDS, in order."""
    return (
        weights.declared_name,
        weights.qualifier,
        weights.shaped_name,
        weights.joined_name,
        weights.plain_name,
    )
