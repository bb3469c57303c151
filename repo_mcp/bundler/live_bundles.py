"""Make bundles from one root as it is now, and keep the last one on disk as long as it may be served.

The last bundle is in the data directory, as `last_bundle.json` and `last_bundle.md`. These files hold the
prompt and text of files. They are not a log: each bundle replaces the one before, and the operator can switch
them off. They are written whole or not at all, private to the user, never through a link. They are deleted
when a file that they quote may no longer be served; every refresh checks this.

Because of that check every refresh uses this module, so those that make bundles are imported on first use.
"""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from index_format import DirectoryHolder, DiskDirectory, IndexFormatError, IndexLocked, new_file
from repo_mcp.config.server_config import Config
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.look_ahead import Need
from repo_mcp.record_classes import replace
from repo_mcp.workspace.live_tree import LiveTree

if TYPE_CHECKING:
    from repo_mcp.bundler.build import Strategy
    from repo_mcp.bundler.records import Bundle, BundleRequest

JSON_NAME, MARKDOWN_NAME = "last_bundle.json", "last_bundle.md"
LOCK_NAME = "last_bundle.lock"
TEMPORARY_NAME = "last_bundle.tmp"
LOCK_ATTEMPTS, LOCK_WAIT_SECONDS = 20, 0.01  # another server writes for a few milliseconds
NOT_WRITTEN = "The last bundle could not be written to the data directory."
NOT_DELETED = (
    "The last bundle quotes a file that may no longer be served, and could not be deleted:"
    f" delete {JSON_NAME} and {MARKDOWN_NAME} in the data directory."
)
MAX_BUNDLE_FILE_BYTES = 64_000_000  # more than the largest bundle; a larger file is not ours


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
        from repo_mcp.bundler.build import build_bundle, check_request
        from repo_mcp.bundler.source import IndexSource

        config, index = self._config, self._index
        check_request(request, config.limits)
        searcher = index.get_searcher(fresh=True, need=Need(request.prompt))
        try:
            progress = index.report.describe_progress(searcher.snapshot)
            is_whole = index.report.is_whole(searcher.snapshot)
            source = IndexSource(searcher, self._tree.read_bytes, is_whole=is_whole)
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


def write_last_bundle(data_dir: DirectoryHolder, bundle: Bundle) -> bool:
    """Replace both files. Return False when that is not possible; never raises for it."""
    from repo_mcp.bundler.document import render_json  # here: most servers never make a bundle
    from repo_mcp.bundler.markdown import render_markdown

    try:
        directory = DiskDirectory(data_dir, create=True)
        with _locked(directory):
            for name, text in ((JSON_NAME, render_json(bundle)), (MARKDOWN_NAME, render_markdown(bundle))):
                with new_file(directory, name, TEMPORARY_NAME) as file:
                    file.write(text.encode("utf-8", "backslashreplace"))
    except (OSError, IndexFormatError):
        return False
    return True


@contextmanager
def _locked(directory: DiskDirectory) -> Iterator[None]:
    """Hold the lock for writing, waiting at most LOCK_ATTEMPTS * LOCK_WAIT_SECONDS. Raises IndexLocked."""
    for attempt in range(1, LOCK_ATTEMPTS + 1):
        try:
            lock = directory.lock(LOCK_NAME)
            break
        except IndexLocked:
            if attempt == LOCK_ATTEMPTS:
                raise
            time.sleep(LOCK_WAIT_SECONDS)
    try:
        yield
    finally:
        lock.release()


def drop_last_bundle(data_dir: DirectoryHolder, may_stay: Callable[[str, str], bool]) -> bool:
    """Delete both files unless `may_stay` accepts the path and the fingerprint of every file they quote.

    Files that cannot be read as one bundle are deleted, too. Returns False when something that must go could
    not be deleted; never raises for it.
    """
    try:
        directory = DiskDirectory(data_dir)
        kept = {JSON_NAME, MARKDOWN_NAME, TEMPORARY_NAME}.intersection(directory.list_names())
        if not kept:
            return True
        with ExitStack() as held:
            # A lock that is held for longer than writing takes is no reason to keep the files.
            with suppress(IndexLocked):
                held.enter_context(_locked(directory))
            directory.delete(TEMPORARY_NAME)
            quoted = _read_quoted(directory)
            if quoted is None or not all(may_stay(path, fingerprint) for path, fingerprint in quoted):
                for name in (MARKDOWN_NAME, JSON_NAME):
                    directory.delete(name)
    except (FileNotFoundError, NotADirectoryError):  # there is no data directory now
        return True
    except (OSError, IndexFormatError):
        return False
    return True


def _read_quoted(directory: DiskDirectory) -> set[tuple[str, str]] | None:
    """Return the paths and fingerprints of the files that the kept bundle quotes; None if it cannot be read.

    A path with escaped characters stays escaped, so no such file is found, and the bundle is deleted.
    """
    try:
        document = json.loads(_read_kept(directory, JSON_NAME))
        page = _read_kept(directory, MARKDOWN_NAME)
        if document["bundle_id"].encode() not in page:  # a process was killed between writing the two
            return None
        pairs = zip(document["selections"], document["citations"], strict=True)
        quoted = {(str(one["path"]), str(citation["fingerprint"])) for one, citation in pairs}
        "".join(path for path, _ in quoted).encode()  # raises ValueError for text that no path can have
        return quoted
    except (OSError, IndexFormatError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _read_kept(directory: DiskDirectory, name: str) -> bytes:
    """Return the bytes of a kept file. Raises OSError, IndexFormatError, ValueError when it is too large."""
    file = directory.open(name)
    try:
        if file.size > MAX_BUNDLE_FILE_BYTES:
            raise ValueError(name)
        return file.read(0, file.size)
    finally:
        file.close()
