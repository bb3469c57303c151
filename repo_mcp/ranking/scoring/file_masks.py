"""Masks of the files that a filter and a query let through; those of the last filters are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from repo_mcp.arrays import Mask
from repo_mcp.languages.patterns.language_registry import HEADER
from repo_mcp.lru_cache import LruCache
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

    def __init__(self) -> None:
        self._masks: LruCache[object, Mask] = LruCache(MASKS_KEPT)

    def find(self, part: SegmentSearch, query: Query, wanted: Filter) -> Mask | None:
        """Return a mask of a segment's files that the filter and the query let through; None: all."""
        languages = frozenset([*query.languages, *([wanted.language] if wanted.language else [])])
        named = (wanted.key, tuple(query.path_parts), languages, wanted.languages)
        if not any(named) and wanted.include_tests:
            return None
        key = (part.position, *named, wanted.include_tests)
        return self._masks.get(key, lambda: _compute_file_mask(part, query.path_parts, languages, wanted))


def _compute_file_mask(
    part: SegmentSearch, path_parts: Iterable[str], languages: frozenset[str], wanted: Filter
) -> Mask:
    """Return a mask of a segment's files that are in these languages and that the filter lets through."""
    reader = part.reader
    mask = np.ones(reader.file_count, dtype=np.bool_)
    scan = PathScan(reader.files)

    def find_in(names: frozenset[str]) -> Mask:
        is_named = np.array([name in names for name in reader.language_names])
        return is_named[reader.read_languages()]

    for names in filter(None, (languages, wanted.languages)):
        found = find_in(names)
        if "cpp" in names and "c" not in names:
            found |= scan.keep(find_in(frozenset({"c"})), lambda path: path.endswith(HEADER))
        mask &= found
    for name in path_parts:
        mask &= scan.find_holding(name)
    if not wanted.include_tests:
        mask &= ~scan.find_tests()
    return mask if wanted.matches_path is None else scan.keep(mask, wanted.matches_path)
