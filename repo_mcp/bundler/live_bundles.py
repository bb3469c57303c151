"""Make bundles from one root as it is now, and review the kept one after each refresh.

Because of that review every refresh uses this module, so those that make bundles are imported on first use.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from index_format import DirectoryHolder, IndexFormatError
from repo_mcp.bundler.last_bundle import JSON_NAME, MARKDOWN_NAME, drop_last_bundle, write_last_bundle
from repo_mcp.config.server_config import Config
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.look_ahead import Need
from repo_mcp.record_classes import replace
from repo_mcp.workspace.live_tree import LiveTree

if TYPE_CHECKING:
    from repo_mcp.bundler.build import Strategy
    from repo_mcp.bundler.records import Bundle, BundleRequest

NOT_WRITTEN = "The last bundle could not be written to the data directory."
NOT_DELETED = (
    "The last bundle quotes a file that may no longer be served, and could not be deleted:"
    f" delete {JSON_NAME} and {MARKDOWN_NAME} in the data directory."
)


class LiveBundles:
    """The bundles of one opened root. Safe for several threads."""

    def __init__(
        self,
        config: Config,
        data_dir: DirectoryHolder,
        tree: LiveTree,
        index: LiveIndex,
        make_strategy: Callable[[], Strategy],
    ) -> None:
        self._config = config
        self._data_dir = data_dir
        self._tree = tree
        self._index = index
        self._make_strategy = make_strategy
        self._purges = 0  # of the lexical index, when the stored bundle was last reviewed

    @cached_property
    def _strategy(self) -> Strategy:
        return self._make_strategy()

    def build(self, request: BundleRequest) -> Bundle:
        """Return the excerpts for a prompt. Raises RepoError with INVALID_ARGUMENT or INDEX_UNAVAILABLE.

        Unless switched off, they are also written to `last_bundle.json` and `.md` in the data directory.
        """
        from repo_mcp.blocks.source import IndexSource
        from repo_mcp.bundler.build import build_bundle, check_request

        config, index = self._config, self._index
        check_request(request, config.limits)
        searcher = index.get_searcher(fresh=True, need=Need(request.prompt))
        try:
            progress = index.report.describe_progress(searcher.snapshot)
            is_whole = index.report.is_whole(searcher.snapshot)
            source = IndexSource(searcher, self._tree.read_bytes, is_whole=is_whole, is_current=not progress)
            bundle = build_bundle(request, config.limits, source, self._strategy)
        except IndexFormatError as error:
            raise index.report_damage() from error
        bundle = replace(bundle, warnings=(*bundle.warnings, *progress))
        if config.last_bundle:
            if not write_last_bundle(self._data_dir, bundle):
                bundle = replace(bundle, warnings=(*bundle.warnings, NOT_WRITTEN))
            if index.find_searcher() is not searcher:  # a refresh came between reading and writing
                self.review_last()
        return bundle

    def review_last(self, *, refreshed: bool = True) -> str:
        """Delete the stored bundle if a file that it quotes may no longer be served.

        If the index was `refreshed`, only indexed files may be served, and after a purge only in the version
        that was quoted. Returns an error message if the bundle could not be deleted, else "".
        """
        purges = self._index.refresher.purges
        known: list[KnownFiles | None] = [] if refreshed else [None]  # filled when it is first needed

        def may_stay(path: str, fingerprint: str) -> bool:
            status = self._tree.reader.lstat(path)
            most = self._config.limits.max_file_bytes
            if status is None or not stat.S_ISREG(status.st_mode) or status.st_size > most:
                return False
            if not known:
                known.append(self._find_known())
            if known[0] is None:
                return True
            found = known[0].find_fingerprint(path)
            return found is not None and (purges == self._purges or found.hex() == fingerprint)

        if not drop_last_bundle(self._data_dir, may_stay):
            return NOT_DELETED
        if refreshed:
            self._purges = purges
        return ""

    def _find_known(self) -> KnownFiles | None:
        """Return the indexed files; None if the index cannot be read, in which case it will be refreshed."""
        searcher = self._index.find_searcher()
        try:
            return None if searcher is None else KnownFiles(searcher.snapshot)
        except (IndexFormatError, OSError):
            return None
