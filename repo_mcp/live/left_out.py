"""Tells of files that exist and pass a filter, but are not searched: hidden, ignored, binary, too large.

Only where nothing was found and no indexed file passes the filter: `*.log` finds nothing in a tree whose logs
are ignored, and an empty answer would look as if there were none. The files are counted, never named.

Left out on purpose: denied files, of which nothing is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from index_format import IndexFormatError
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.model import ExactRequest, SearchRequest
from repo_mcp.ranking.searcher import Filter
from repo_mcp.workspace.ignore import GlobFilter
from repo_mcp.workspace.live_tree import LiveTree


class LeftOut:
    """The files of one root that are not searched."""

    def __init__(self, tree: LiveTree, index: LiveIndex, extensions: Mapping[str, str]) -> None:
        """`extensions` maps file extensions to languages other than the built-in ones."""
        self._tree = tree
        self._index = index
        self._extensions = extensions

    def tell(self, request: SearchRequest | ExactRequest) -> tuple[str, ...]:
        """Return a warning when a request's filters match no indexed file, but some that are left out."""
        glob, language = request.file_glob, request.language
        searcher = self._index.find_searcher() if glob or language else None
        if searcher is None:
            return ()
        matches_glob = GlobFilter(glob or "**").matches
        try:
            if searcher.has_files(Filter(matches_glob, glob or "**", language)):
                return ()
        except IndexFormatError:  # reported by whoever searches
            return ()

        def matches(path: str) -> bool:
            return matches_glob(path) and language in (None, find_language(path, self._extensions).name)

        return self._count(matches)

    def tell_of_glob(self, glob: str, *, hides: bool) -> tuple[str, ...]:
        """Return the same for a glob that lists nothing; `hides` when hidden files were not listed."""
        return self._count(GlobFilter(glob).matches, hides=hides)

    def _count(self, matches: Callable[[str], bool], *, hides: bool = True) -> tuple[str, ...]:
        skipped = {path: reason.value for path, reason in self._index.read_skipped().items()}
        counts, is_whole = self._tree.count_left_out(matches, skipped)
        if not hides:
            del counts["hidden"]
        total = counts.total()
        if not total:
            return ()
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
        told = reasons if len(counts) > 1 else next(iter(counts))
        files = "1 file matches but was" if total == 1 else f"{total} files match but were"
        return (f"{'' if is_whole else 'At least '}{files} left out: {told}.",)
