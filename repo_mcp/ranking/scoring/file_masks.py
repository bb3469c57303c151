"""Masks of the files that a filter and a query let through; those of the last filters are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np

from repo_mcp.arrays import Mask
from repo_mcp.languages.patterns.language_registry import HEADER
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.path_scan import PathScan
from repo_mcp.ranking.scoring.segment_search import SegmentSearch
from repo_mcp.record_classes import dataclass

MASKS_KEPT = 32


@dataclass(frozen=True, slots=True)
class Filter:
    """The files that a ranking considers."""

    matches_path: Callable[[str], bool] | None = None
    key: str = ""  # cache key: identifies the paths that `matches_path` lets through
    language: str | None = None
    include_tests: bool = True
    languages: frozenset[str] = frozenset()  # one of these, in addition to `language`; empty: any


class FileMasks:
    """Gives masks over the files of each segment. Thread-safe."""

    def __init__(self, segments: Sequence[SegmentSearch]) -> None:
        # Bound to the segments, not to self: a reference cycle with its own cache would outlive the last use.
        self._compute = lru_cache(maxsize=MASKS_KEPT)(partial(_compute_file_mask, segments))

    def find(self, part: SegmentSearch, query: Query, wanted: Filter) -> Mask | None:
        """Return a mask of a segment's files that the filter and the query let through; None: all."""
        languages = frozenset([*query.languages, *([wanted.language] if wanted.language else [])])
        key = (
            part.position,
            wanted.key,
            tuple(query.path_parts),
            languages,
            wanted.languages,
            wanted.include_tests,
        )
        if not any(key[1:5]) and wanted.include_tests:
            return None
        return self._compute(*key, _Filter(wanted.matches_path))


class _Filter:
    """A path predicate that equals any other: the cache key beside it identifies what it lets through."""

    def __init__(self, matches: Callable[[str], bool] | None) -> None:
        self.matches = matches

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Filter)

    def __hash__(self) -> int:
        return 0


def _compute_file_mask(
    segments: Sequence[SegmentSearch],
    position: int,
    _filter_key: str,
    path_parts: tuple[str, ...],
    languages: frozenset[str],
    wanted_languages: frozenset[str],
    include_tests: bool,
    path_filter: _Filter,
) -> Mask:
    """Return a mask of the files, in the segment at `position`, that the filters let through."""
    reader = segments[position].reader
    mask = np.ones(reader.file_count, dtype=np.bool_)
    scan = PathScan(reader.files)

    def find_in(names: frozenset[str]) -> Mask:
        wanted = np.array([name in names for name in reader.language_names])
        return wanted[reader.read_languages()]

    for names in filter(None, (languages, wanted_languages)):
        found = find_in(names)
        if "cpp" in names and "c" not in names:
            found |= scan.keep(find_in(frozenset({"c"})), lambda path: path.endswith(HEADER))
        mask &= found
    for part in path_parts:
        mask &= scan.find_holding(part)
    if not include_tests:
        mask &= ~scan.find_tests()
    return mask if path_filter.matches is None else scan.keep(mask, path_filter.matches)
