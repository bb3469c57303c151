"""The source of a bundle: an index to search and a repository reader for live files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from index_format import compute_fingerprint
from repo_mcp.ranking.lookup import count_units, find_paths
from repo_mcp.ranking.query import Query, parse_query
from repo_mcp.ranking.ranking import BEST_UNITS, rank_files
from repo_mcp.ranking.searcher import Filter, Ranking, Searcher
from repo_mcp.text.lines import decode_source, split_lines

RANKED_FILES = 40
MAX_WORDS = 1_000  # of a prompt


@dataclass(frozen=True, slots=True)
class LiveFile:
    """A file as it is now."""

    path: str
    data: bytes  # normalised: UTF-8, line ends "\n"
    lines: tuple[str, ...]  # without line ends
    fingerprint: bytes  # of the bytes on disk


class BundleSource(Protocol):
    """The root as a strategy sees it."""

    @property
    def is_whole(self) -> bool:
        """Return True when every file is indexed."""
        ...

    @property
    def unit_count(self) -> int:
        """Return the number of units in the index."""
        ...

    def search(self, query: Query, top_k: int, include_tests: bool) -> Ranking:
        """Return the best `top_k` chunks."""
        ...

    def rank_files(self, prompt: str, include_tests: bool) -> dict[str, float]:
        """Return path -> score of the best files for a prompt, best first."""
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
        self, searcher: Searcher, read_live: Callable[[str], bytes], *, is_whole: bool = True
    ) -> None:
        self.is_whole = is_whole
        self._searcher = searcher
        self._read_live = read_live

    @property
    def unit_count(self) -> int:
        """Return the number of units in the index."""
        return self._searcher.snapshot.unit_count

    def search(self, query: Query, top_k: int, include_tests: bool) -> Ranking:
        """Return the best `top_k` chunks."""
        return self._searcher.rank(query, top_k, Filter(include_tests=include_tests))

    def rank_files(self, prompt: str, include_tests: bool) -> dict[str, float]:
        """Return path -> score of the best files for a prompt, best first."""
        query = parse_query(prompt, MAX_WORDS)
        best = self._searcher.find_best_units(query, BEST_UNITS, Filter(include_tests=include_tests))
        return {one.path: one.score for one in rank_files(self._searcher, query, best, RANKED_FILES)}

    def find_paths(self, terms: Iterable[str]) -> list[str]:
        """Return the indexed paths that hold all the terms, in path order."""
        return find_paths(self._searcher.snapshot, terms)

    def count_units(self, term: str) -> int:
        """Return the number of units that hold a term."""
        return count_units(self._searcher.snapshot, term)

    def read(self, path: str) -> LiveFile:
        """Read a live file through the repository reader. Raises RepoError."""
        raw = self._read_live(path)
        data = decode_source(raw).data
        lines = tuple(line.decode("utf-8", "replace") for line in split_lines(data))
        return LiveFile(path, data, lines, compute_fingerprint(raw))
