"""The SCIP indexes of precise indexers, taken in beside the indexes of one root."""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.scip.intake import IntakeReport, IntakeSources, SourceFile, take_index
from repo_mcp.symbol_index.live_symbol_index import LiveSymbolIndex
from repo_mcp.symbol_index.precise_index import PreciseIndex
from repo_mcp.workspace.live_tree import LiveTree


class LiveScip:
    """The SCIP indexes of one opened root."""

    def __init__(
        self,
        tree: LiveTree,
        index: LiveIndex,
        symbol_index: LiveSymbolIndex,
        precise: PreciseIndex,
        extensions: Mapping[str, str],
    ) -> None:
        """`extensions` maps file extensions to languages other than the built-in ones."""
        self._tree = tree
        self._index = index
        self._symbol_index = symbol_index
        self._precise = precise
        self._extensions = extensions

    def take(self, path: str, *, anew: bool) -> IntakeReport:
        """Take in the SCIP index in a file that the operator names, beside what was taken in before; with
        `anew` in its place. The symbol index must be up to date. Raises as `take_index` does.
        """
        lexical, find_record = self._index.get_searcher().snapshot, self._symbol_index.open_finder()
        known = KnownFiles(lexical)

        def find(path: str) -> SourceFile | None:
            fingerprint, record = known.find_fingerprint(path), find_record(path)
            if fingerprint is None or record is None:
                return None
            return SourceFile(fingerprint, find_language(path, self._extensions).name, record)

        def find_saved(path: str) -> int | None:
            status = self._tree.reader.lstat(path)
            return None if status is None else status.st_mtime_ns

        sources = IntakeSources(find, self._tree.read_bytes, find_saved)
        return take_index(path, lexical, sources, self._precise, anew=anew)

    def count_files(self) -> int:
        """Return the number of files that a SCIP index told of; some may have been edited since."""
        searcher = self._index.find_searcher()
        view = None if searcher is None else self._precise.find_view(searcher.snapshot)
        return 0 if view is None else view.file_count
