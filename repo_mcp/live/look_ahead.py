"""Searches the files that are not indexed yet for the words of a call, and has the best ones indexed first.

For LOOK_SECONDS, files are read and the words of the call counted in them: first in files whose names contain
some, then in the order in which files are to be indexed. The chosen files are indexed before all others. So
they are ranked with the rest, by the same rules, and later searches of every kind find them, too.

Left out on purpose: which of the words a file declares. The ranking knows, once the file is indexed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from repo_mcp.arrays import F64
from repo_mcp.indexing.remaining_files import RemainingFiles
from repo_mcp.lru_cache import LruCache
from repo_mcp.ranking.files.ranking_weights import WEIGHTS
from repo_mcp.ranking.files.signals import list_role_shares
from repo_mcp.ranking.query.intent import understand
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import get_root
from repo_mcp.text.lines import has_binary_extension
from repo_mcp.text.roles import find_role

ReadMany = Callable[[Sequence[str]], list[bytes | None]]
CountUnits = Callable[[str], int]  # number of indexed units that contain a term

LOOK_SECONDS = 1.0  # how long a call searches: 10,000 files while two cores are busy with indexing
INDEX_SECONDS = 1.5  # how long it waits for the chosen files; a shard that is being built may come first
FEWEST_FILES = 50  # fewer files are indexed sooner than they could be searched
MAX_FILES = 40  # most files chosen for one call: a tenth of a second's work
MAX_BYTES = 2_000_000  # most bytes of the chosen files together; the best one may be larger
MAX_WORDS = 1_000  # most words of a text that are considered
MAX_ROOTS = 12  # most roots that are searched for: those of the rarest words
MIN_ROOT_BYTES = 3
BATCH_FILES = 64  # files read between two looks at the clock
CACHED_TEXTS = 4  # texts whose searched files are remembered: the call for the next page has the same text
# What a word in a file's name or directory is worth, in equally rare words of text.
NAME, DIRECTORY = 1.0, 0.4
SATURATION, LENGTH_SHARE = 1.2, 0.75  # BM25's k1 and b


@dataclass(frozen=True, slots=True)
class Need:
    """A description of the files that a call needs. Empty: nothing is known of them."""

    text: str = ""  # a name, or a text with names and words in it
    paths: tuple[str, ...] = ()
    wanted: Callable[[str], bool] | None = None  # tells by its path if a file is wanted; None: every file is


class LookAhead:
    """The files that are still to be indexed, for calls to search. Safe for several threads."""

    def __init__(self, remaining: RemainingFiles, read_many: ReadMany, closed: threading.Event) -> None:
        """Take `read_many`, which returns the bytes of walked files, None for each that cannot be read."""
        self._remaining = remaining
        self._read_many = read_many
        self._closed = closed
        self._looking = threading.Lock()  # held by the one call that searches; another waits for it
        self._looked: LruCache[tuple[bytes, ...], set[str]] = LruCache(CACHED_TEXTS)

    def look(self, need: Need, count_units: CountUnits) -> None:
        """Have the files of `need.paths`, and those that match its text best, indexed before all others.

        Returns when they are in the index, at the latest after INDEX_SECONDS; at once if few files remain.
        Raises IndexFormatError, OSError.
        """
        left = self._remaining.list_paths()
        if len(left) < FEWEST_FILES:
            return
        known = frozenset(left)
        wanted = dict.fromkeys(path for path in need.paths if path in known)
        roots = choose_roots(need.text, count_units)
        if roots and self._looking.acquire(timeout=LOOK_SECONDS):
            try:
                wanted |= dict.fromkeys(self._choose(need, left, roots))
            finally:
                self._looking.release()
        self._remaining.index_first(tuple(wanted), INDEX_SECONDS)

    def forget(self) -> None:
        """Forget which files were searched, after a refresh."""
        self._looked = LruCache(CACHED_TEXTS)

    def _choose(self, need: Need, left: Sequence[str], roots: Sequence[bytes]) -> list[str]:
        """Return the paths of the best files, best first, except those searched before for the same words."""
        looked = self._looked.get(tuple(roots), set[str]) if need.wanted is None else set[str]()
        paths = [path for path in left if path not in looked and not has_binary_extension(path)]
        if need.wanted is not None:
            paths = list(filter(need.wanted, paths))
        named = _count_in_paths(paths, roots)
        order = np.argsort(-(named > 0).sum(axis=1), kind="stable").tolist()
        rows = self._count(paths, order, roots)
        if not rows:
            return []
        looked.update(paths[position] for position in order[: len(rows)])
        positions = np.array(order[: len(rows)])
        table = np.array(rows, dtype=np.float64)
        scores = _rate(table[:, 0], table[:, 1:], named[positions])
        shares = list_role_shares(understand(need.text).roles, WEIGHTS)
        scores *= [shares[find_role(paths[position])] for position in positions.tolist()]
        best = np.lexsort((positions, -scores))[:MAX_FILES]
        best = best[scores[best] > 0]
        fits = np.cumsum(table[best, 0]) <= MAX_BYTES
        fits[:1] = True
        return [paths[position] for position in positions[best[fits]].tolist()]

    def _count(
        self, paths: Sequence[str], order: Sequence[int], roots: Sequence[bytes]
    ) -> list[tuple[int, ...]]:
        """Return the size of each file and how often it contains each root, as far as time allows."""
        deadline = time.monotonic() + LOOK_SECONDS
        rows: list[tuple[int, ...]] = []
        nothing = (0,) * (1 + len(roots))
        for start in range(0, len(order), BATCH_FILES):
            if time.monotonic() > deadline or self._closed.is_set():
                break
            for data in self._read_many([paths[one] for one in order[start : start + BATCH_FILES]]):
                if data is None or b"\0" in data:
                    rows.append(nothing)
                else:
                    folded = data.lower()
                    rows.append((len(data), *map(folded.count, roots)))
        return rows


def choose_roots(text: str, count_units: CountUnits) -> list[bytes]:
    """Return lower-case roots of the rarest words of a text, of equally rare words the first.

    Every file with one of these words contains its root, if the word is ASCII.
    """
    terms = [term for term in parse_query(text, MAX_WORDS).terms if len(get_root(term)) >= MIN_ROOT_BYTES]
    rarest = sorted(terms, key=count_units)[: 2 * MAX_ROOTS]
    return list(dict.fromkeys(get_root(term).encode() for term in rarest))[:MAX_ROOTS]


def _count_in_paths(paths: Sequence[str], roots: Sequence[bytes]) -> F64:
    """Return the worth of each root in each path (a row for each path): NAME, DIRECTORY or 0."""
    worth = np.zeros((len(paths), len(roots)))
    folded = [path.lower() for path in paths]
    for column, root in enumerate(root.decode() for root in roots):
        for row in [row for row, path in enumerate(folded) if root in path]:
            worth[row, column] = NAME if root in folded[row].rpartition("/")[2] else DIRECTORY
    return worth


def _rate(sizes: F64, counts: F64, named: F64) -> F64:
    """Return the BM25 score of each file, with its share for words in its path. Pure.

    `counts` and `named` have a row for each file and a column for each word.
    """
    holding = (counts > 0).sum(axis=0)
    rarity = np.log(1.0 + (len(sizes) - holding + 0.5) / (holding + 0.5))
    longer = sizes / max(1.0, float(sizes.mean()))
    norms = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * longer)
    scores: F64 = (counts / (counts + norms[:, None]) + named) @ rarity
    return scores
