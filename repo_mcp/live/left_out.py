"""Explains filters that no indexed file passes: they match nothing, or only files that are left out.

This is done only where nothing was found and no indexed file passes the filter: `*.log` finds nothing in a
tree whose logs are ignored, and an empty answer would look as if there were none. The files are counted,
and named only if they are too large, so that a declaration in one of them is not taken for missing. A glob
that matches nothing gets what was probably meant by it (`meant_globs`).

Left out on purpose: denied files, which are never mentioned.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice

from index_format import IndexFormatError
from repo_mcp.errors import RepoError
from repo_mcp.indexing.scan_state import SeenFiles
from repo_mcp.languages.patterns.language_registry import find_language, passes_language
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.model import ExactRequest, SearchRequest, SkipReason
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.text.lines import has_binary_extension
from repo_mcp.text.roles import order_by_role
from repo_mcp.workspace.glob_filter import GlobFilter
from repo_mcp.workspace.hidden_names import is_path_hidden
from repo_mcp.workspace.live_tree import LiveTree
from repo_mcp.workspace.walk import walk
from repo_mcp.workspace.walked_files import FileColumns

MAX_LARGE = 3  # files above the size limit that are named
LOOK_SECONDS = 0.5  # enough for a walk of 80,000 files
UNLISTED = "Some directories could not be listed, so the files in them are not searched: see the status."


class LeftOut:
    """The files of one root that are not searched."""

    def __init__(self, tree: LiveTree, index: LiveIndex, extensions: Mapping[str, str]) -> None:
        """`extensions` maps file extensions to languages other than the built-in ones."""
        self._tree = tree
        self._index = index
        self._extensions = extensions

    def describe_request(self, request: SearchRequest | ExactRequest) -> tuple[str, ...]:
        """Return a warning when no indexed file passes a request's filters; it counts those left out."""
        glob, language = request.file_glob, request.language
        searcher = self._index.find_searcher()
        if searcher is None or _has_files(searcher, glob or "**", language):
            return ()
        is_early = bool(self._index.report.describe_progress(searcher.snapshot))
        if not (glob or language):
            return () if is_early else self.describe_all()
        matches_glob = GlobFilter(glob or "**").matches

        def matches(path: str) -> bool:
            return matches_glob(path) and passes_language(
                path, find_language(path, self._extensions).name, language
            )

        named = " with language ".join(f"`{one}`" for one in (glob, language) if one)
        files = "indexed file" if is_early else "file"
        nothing = f"This filter matches no {files}: {named}.{_suggest(searcher, glob or '', language)}"
        return self._count(matches) or (nothing,)

    def describe_large(self, request: SearchRequest) -> tuple[str, ...]:
        """Return a warning that names files above the size limit that a request's filters let in."""
        matches, language = GlobFilter(request.file_glob or "**").matches, request.language
        large = [
            path
            for path, reason in self._read_skipped().items()
            if reason is SkipReason.TOO_LARGE and matches(path) and not has_binary_extension(path)
            if passes_language(path, find_language(path, self._extensions).name, language)
        ]
        if not large:
            return ()
        named = ", ".join(f"`{path}`" for path in islice(order_by_role(sorted(large)), MAX_LARGE))
        more = f" and {len(large) - MAX_LARGE:,} more" if len(large) > MAX_LARGE else ""
        return (f"Larger than max_file_bytes, and so not searched: {named}{more}.",)

    def describe_unlisted(self) -> tuple[str, ...]:
        """Return a warning if directories could not be listed when the tree was last walked."""
        found = self._read_seen()
        return () if found is None or found.complete else (UNLISTED,)

    def describe_all(self, *, hides: bool = True) -> tuple[str, ...]:
        """Return a warning that counts what is left out of a root without other files, if there is any."""
        return self._count(None, hides=hides)

    def describe_glob(self, glob: str, *, hides: bool) -> tuple[str, ...]:
        """Return a warning for a glob that lists nothing; with `hides`, hidden files were not listed."""
        counted = self._count(GlobFilter(glob).matches, hides=hides)
        searcher = None if counted else self._index.find_searcher()
        meant = _suggest(searcher, glob, None) if searcher else ""
        return counted or (f"This glob matches no file: `{glob}`.{meant}",)

    def _count(self, matches: Callable[[str], bool] | None, *, hides: bool = True) -> tuple[str, ...]:
        """Return a warning that counts the files left out that match, or all; none if there are none."""
        counts, is_whole = self._look_for(matches or bool)
        if not hides:
            del counts["hidden"]
        total = counts.total()
        if not total:
            return ()
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
        why = (reasons if len(counts) > 1 else next(iter(counts))).replace("_", " ")
        files = "1 file" if total == 1 else f"{total} files"
        files += "" if matches is None else " matches but" if total == 1 else " match but"
        files += " was" if total == 1 else " were"
        return (f"{'' if is_whole else 'At least '}{files} left out: {why}.",)

    def _look_for(self, matches: Callable[[str], bool]) -> tuple[Counter[str], bool]:
        """Return the numbers of matching files by reason, and whether all files were counted.

        Looking for them and finding the reasons take LOOK_SECONDS each at most.
        """
        deadline = time.monotonic() + LOOK_SECONDS
        columns = FileColumns()

        def take(met: FileColumns) -> None:
            nonlocal columns
            columns = met

        def stops() -> bool:
            return time.monotonic() > deadline

        tree, is_whole = self._tree, True
        try:
            walk(tree.reader, tree.policy.find_denial, None, include_hidden=True, cancelled=stops, met=take)
        except RepoError:
            is_whole = False
        counts: Counter[str] = Counter()
        skipped = self._read_skipped()
        deadline = time.monotonic() + LOOK_SECONDS  # Ignore rules tried one by one may take longer
        for path in filter(matches, columns.paths):
            if stops():
                return counts, False
            reason = skipped.get(path) or self._find_reason(path)
            counts.update([str(reason)] if reason else [])
        return counts, is_whole

    def _read_skipped(self) -> Mapping[str, SkipReason]:
        """Return the files that were seen but not indexed, with the reasons; none while that is not known."""
        found = self._read_seen()
        return {} if found is None else found.get_skipped()

    def _read_seen(self) -> SeenFiles | None:
        """Return the record of the last refresh; None while there is none."""
        try:
            found = self._index.generation.read_seen()
        except (IndexFormatError, OSError):  # whoever reads the index reports it
            return None
        return None if found is None else found[1]

    def _find_reason(self, path: str) -> str | None:
        """Return why the last walk left a file out because of its name; None if it did not."""
        if is_path_hidden(path):
            return "hidden"
        rules = self._tree.memory.rules
        return "ignored" if rules is not None and rules.ignored(path, False) else None


def _has_files(searcher: Searcher, glob: str, language: str | None) -> bool:
    """Return whether an indexed file passes a filter; True if the index cannot tell."""
    try:
        return searcher.has_files(Filter(GlobFilter(glob).matches, glob, language))
    except IndexFormatError:  # whoever searches reports it
        return True


def _suggest(searcher: Searcher, glob: str, language: str | None) -> str:
    """Return a space and a sentence about what a glob may mean; "" for none."""
    if not glob or (language and _has_files(searcher, glob, None)):
        return ""
    from repo_mcp.live.meant_globs import suggest_glob  # Imported late: most filters match

    meant = suggest_glob(searcher.snapshot, glob, lambda one: _has_files(searcher, one, language))
    return f" {meant}" if meant else ""
