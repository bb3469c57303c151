"""Give what blocks are made from: an index to search, and live files through the repository reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np

from index_format import compute_fingerprint
from repo_mcp.ranking.files.ranking import rank
from repo_mcp.ranking.query.query import Query, widen
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.live_terms import count_units, find_paths
from repo_mcp.ranking.scoring.searcher import Ranking, Searcher
from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import decode_source
from repo_mcp.text.roles import is_test_path
from repo_mcp.text.schema import SYMBOL

RANKED_CHUNKS = 80  # of some 40 files
MAX_READ_PATHS = 50  # of files that may declare a name, to leave out tests


@dataclass(frozen=True, slots=True)
class LiveFile:
    """A file as it is now."""

    path: str
    data: bytes  # normalised: UTF-8, line ends "\n"
    lines: tuple[str, ...]  # without line ends
    fingerprint: bytes  # of the bytes on disk


class BlockSource(Protocol):
    """The root in which blocks are looked for."""

    @property
    def is_whole(self) -> bool:
        """Return True when every file is indexed."""
        ...

    @property
    def is_current(self) -> bool:
        """Return False when changes are known to be missing; only warnings may depend on it."""
        ...

    @property
    def unit_count(self) -> int:
        """Return the number of units in the index."""
        ...

    def rank(self, query: Query, include_tests: bool) -> Ranking:
        """Return the best chunks for a query, in the order in which a search shows them."""
        ...

    def find_declaring(self, name: str, most: int, include_tests: bool) -> list[str]:
        """Return the files that may declare a name, in path order; none when there are more than `most`."""
        ...

    def find_paths(self, terms: Iterable[str]) -> list[str]:
        """Return the indexed paths that hold all the terms, in path order."""
        ...

    def count_units(self, term: str) -> int:
        """Return the number of units that hold a term."""
        ...

    def read(self, path: str) -> LiveFile:
        """Read a live file through the repository reader. Raises RepoError."""
        ...


class IndexSource:
    """A snapshot and the live files behind it."""

    def __init__(
        self,
        searcher: Searcher,
        read_live: Callable[[str], bytes],
        *,
        is_whole: bool = True,
        is_current: bool = True,
        folder: str = "",
    ) -> None:
        """Search only `folder` ("" for all) of a snapshot; names are looked up everywhere."""
        self.is_whole = is_whole
        self.is_current = is_current
        self._folder = folder
        self._searcher = searcher
        self._read_live = read_live
        self._counts: dict[str, int] = {}  # by term; the names that blocks use recur

    @property
    def unit_count(self) -> int:
        """Return the number of units in the index."""
        return self._searcher.snapshot.unit_count

    def rank(self, query: Query, include_tests: bool) -> Ranking:
        """Return the best chunks for a query, in the order in which a search shows them."""
        query = widen(query, self._searcher.count_units, self.unit_count)
        inside = f"{self._folder}/"
        matches = (lambda path: path.startswith(inside)) if self._folder else None
        return rank(self._searcher, query, RANKED_CHUNKS, Filter(matches, self._folder, None, include_tests))

    def find_declaring(self, name: str, most: int, include_tests: bool) -> list[str]:
        """Return the files that may declare a name, in path order; none when there are more than `most`.

        Names are folded in the index, so the live text decides.
        """
        searcher = self._searcher
        (rows,) = searcher.documents.find_files([name.lower()], SYMBOL)
        if len(rows) > max(most, MAX_READ_PATHS):
            return []
        positions = np.searchsorted(searcher.documents.bases, rows, side="right") - 1
        places = zip(positions.tolist(), (rows - searcher.documents.bases[positions]).tolist(), strict=True)
        paths = [searcher.read_path(position, file) for position, file in places]
        wanted = [path for path in paths if include_tests or not is_test_path(path)]
        return sorted(wanted, key=str.encode) if len(wanted) <= most else []

    def find_paths(self, terms: Iterable[str]) -> list[str]:
        """Return the indexed paths that hold all the terms, in path order."""
        return find_paths(self._searcher.snapshot, terms)

    def count_units(self, term: str) -> int:
        """Return the number of units that hold a term."""
        if term not in self._counts:
            self._counts[term] = count_units(self._searcher.snapshot, term)
        return self._counts[term]

    def read(self, path: str) -> LiveFile:
        """Read a live file through the repository reader. Raises RepoError."""
        raw = self._read_live(path)
        data = decode_source(raw).data
        lines = data.decode("utf-8", "replace").split("\n")  # a third of the time of one line after the other
        if not lines[-1]:
            lines.pop()
        return LiveFile(path, data, tuple(lines), compute_fingerprint(raw))
