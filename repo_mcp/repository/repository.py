"""One opened root: its configuration, tree and indexes. Toolsets and the command line use this class.

A read waits for indexing only a moment: a search answers from the last committed generation. Every method may
be called from several threads at once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable

from index_format import IndexFormatError
from repo_mcp.config.environment import find_cache_home, find_state_home
from repo_mcp.config.home import find_home
from repo_mcp.config.narrowing import narrow_config
from repo_mcp.config.server_config import SYMBOL_TOOLSETS, VECTOR_TOOLSETS, Config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.shards.shards import Cluster
from repo_mcp.languages.outline.installed import InstalledAdapter, find_enabled
from repo_mcp.languages.outline.symbol_lookup import choose_span
from repo_mcp.live.left_out import LeftOut
from repo_mcp.live.look_ahead import Need
from repo_mcp.model import (
    CompactReport,
    ExactAnswer,
    ExactRequest,
    FileListing,
    IndexStatus,
    OpenedText,
    Outline,
    ProgressCallback,
    RefreshReport,
    SearchAnswer,
    SearchRequest,
)
from repo_mcp.process.hardening import limit_dumps
from repo_mcp.record_classes import replace
from repo_mcp.repository.engines import Engines, EngineSources, Outliner
from repo_mcp.repository.opened.shortened import keep_asked, keep_first, note_unasked, shorten
from repo_mcp.repository.request_filters import RequestFilters
from repo_mcp.repository.root_indexes import IndexSources, RootIndexes, find_donors
from repo_mcp.storage.data_dir import name_canonically, prepare_data_dir
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.storage.namespaces import Namespaces
from repo_mcp.storage.packs import ListPacked
from repo_mcp.storage.poison import POISON_FILE, PoisonList
from repo_mcp.storage.user_key import load_user_key
from repo_mcp.text.lines import decode_source
from repo_mcp.threads import start_daemon
from repo_mcp.workspace.live_tree import LiveTree
from repo_mcp.workspace.reader.opened_file import OpenedFile
from repo_mcp.workspace.reader.opened_lines import describe_reading, show_lines
from repo_mcp.workspace.system_places import is_system_place
from repo_mcp.workspace.walk import GIT_INDEX_NOT_USED

Warn = Callable[[str], None]
BROKEN = "A search of the file for the regex `def |class ` shows what it declares."  # if it does not parse


class Repository:
    """One root and its index."""

    def __init__(
        self,
        config: Config,
        *,
        report_warning: Warn = lambda _warning: None,
        list_packed: ListPacked | None = None,
        cluster: Cluster | None = None,
    ) -> None:
        """Open the root. Its first index may start from one of `list_packed()` and be built by `cluster`.

        Raises CONFIG_INVALID.
        """
        limit_dumps()
        config, ignored = narrow_config(config)  # First: a root that cannot be served gets no data directory
        installed, unusable = find_enabled(config.root, config.disabled_adapters)
        self.config = config = _add_languages(config, installed)
        self.root_name = os.path.basename(config.root)
        self._held_root = held = config.hold_root()
        self.data_dir = data_dir = prepare_data_dir(held, config.data_dir, find_cache_home())
        key = load_user_key(find_state_home(), config.root)
        found = (*data_dir.warnings, *ignored, *unusable)
        self.warnings = (*_warn_of_root(config), *found, *_warn_of_key(key.fault))
        for warning in self.warnings:
            report_warning(warning)
        self._closed = threading.Event()
        self._is_released = False
        self.tree = _open_tree(config, held, data_dir.inside_root)
        holds_denied = bool(config.allow_paths)
        self.namespaces = Namespaces(config.root, data_dir.directory, key, holds_denied=holds_denied)
        self.poison = PoisonList(data_dir.directory, self.namespaces.sealer.make_tagger(POISON_FILE))
        self.outliner = Outliner(config, installed, self.poison)
        donors = find_donors(config, key, list_packed)
        own, tree, namespaces = data_dir.inside_root, self.tree, self.namespaces
        sources = IndexSources(config, held, own, tree, namespaces, self.poison, self.outliner, donors)
        self.indexes = RootIndexes(sources, cluster, self._note_refresh)
        self._index = self.indexes.lexical
        self._index.report.place_notes = data_dir.warnings
        self.symbol_index = self.indexes.symbols
        self.vectors = self.indexes.vectors
        self._bundle_fault = ""
        self._filters = RequestFilters(self.tree.reader.names, dict(config.extensions))
        self._left_out = LeftOut(self.tree, self._index, dict(config.extensions))
        self.engines = self._open_engines()

    def _open_engines(self) -> Engines:
        return Engines(
            EngineSources(
                self.config,
                self.data_dir.directory,
                self.tree,
                self._index,
                self.symbol_index,
                self.indexes.precise,
                self.vectors,
                self.outliner,
                self.search,
                self._closed.is_set,
            )
        )

    @property
    def _makes_vectors(self) -> bool:
        """Return whether a server of this root asks for vectors."""
        return bool(VECTOR_TOOLSETS.intersection(self.config.toolsets))

    def _note_refresh(self) -> None:
        self.tree.memory.move_together()
        self._bundle_fault = self.engines.bundles.review_last()
        self.indexes.note_refresh()

    # Reading files

    def list_files(
        self, glob: str | None, max_results: int, include_hidden: bool, most_folders: int = 0
    ) -> FileListing:
        """Return the files of the live tree whose paths match, in path order. Raises INVALID_ARGUMENT.

        If there are more, all are counted by at most `most_folders` folders.
        """
        glob = glob and self.tree.reader.names.cut_root(glob)
        listing = self.tree.list_files(glob, max_results, include_hidden, self._closed.is_set, most_folders)
        if listing.total:
            return listing
        left_out, hides = self._left_out, not include_hidden
        warnings = left_out.describe_glob(glob, hides=hides) if glob else left_out.describe_all(hides=hides)
        return replace(listing, warnings=(*listing.warnings, *warnings))

    def open_file(
        self,
        path: str,
        start_line: int | None,
        end_line: int | None,
        *,
        most_lines: int | None = None,
        symbol: str | None = None,
        around: int | None = None,
        about: str | None = None,
        folds: bool = False,
    ) -> OpenedText:
        """Return lines of a live file, clamped to its end and to `most_lines`, or else `max_open_lines`.

        `symbol` selects the declaration of that name, `around` the innermost declaration around that line.
        With `about`, only the lines about these words are shown of many. With `folds`, a long type or module
        is shown without the bodies of its functions, a long function only near the line `around` or by its
        outermost lines, and only the first lines of a long docstring or comment.

        Raises INVALID_ARGUMENT for lines beyond the file, NOT_FOUND for a name that is not declared.
        """
        limits = self.config.limits
        most = limits.max_open_lines if most_lines is None else most_lines
        opened = self._read(path)
        # Of all lines, those about words are chosen. A file has at most one line more than bytes.
        most_read = most if about is None else len(opened.data) + 1
        if symbol is None and around is None:
            usual = limits.default_open_lines if about is None else most_read
            shown = show_lines(opened, start_line, end_line, usual, most_read)
            return shown if about is None else keep_asked(shown, about, None, most) or keep_first(shown, most)
        shown = self._show_declaration(opened, symbol, around, most_read, folds=folds and about is None)
        if about is None:
            return shown
        return keep_asked(shown, about, around, most) or note_unasked(
            self._show_declaration(opened, symbol, around, most, folds=folds)
        )

    def _show_declaration(
        self, opened: OpenedFile, symbol: str | None, around: int | None, most: int, *, folds: bool
    ) -> OpenedText:
        """Return at most `most` lines of the declaration named `symbol`, or of the one around a line."""
        text = decode_source(opened.data)
        found = self.outliner.outline_broken(opened.path, text.data)
        try:
            span = choose_span(found, text.data, symbol, around)
        except RepoError as error:
            if error.code is not ErrorCode.NOT_FOUND:
                raise
            found = self.outliner.outline(opened.path, text.data, whole=True)
            span = choose_span(found, text.data, symbol, around)
        cut = None
        if folds and span.symbol is not None:
            whole = show_lines(opened, span.start_line, span.end_line, most, span.end_line)
            cut = shorten(whole, found, around, most)
        shown = cut or show_lines(opened, span.start_line, span.end_line, most, most)
        warnings = (*shown.warnings, *found.warnings, *span.notes)
        return replace(shown, symbol=span.symbol, warnings=warnings)

    def outline(self, path: str) -> Outline:
        """Return the declarations of a live file; none, with a warning, if it cannot be parsed.

        Fails as `open_file` does for a file that cannot be opened or is not text.
        """
        opened = self._read(path)
        text = decode_source(opened.data)
        found = self.outliner.outline(opened.path, text.data, whole=True)
        hints = (BROKEN,) if found.warnings and not found.symbols and found.language == "python" else ()
        warnings = (*describe_reading(opened, text), *found.warnings, *hints)
        return replace(found, path=opened.path, warnings=warnings)

    def _read(self, path: str) -> OpenedFile:
        try:
            return self.tree.read(path)
        except RepoError as error:
            from repo_mcp.repository.near_paths import add_near_paths  # Imported late: few paths lead nowhere

            if error.code is ErrorCode.NOT_FOUND:
                self.tree.check_root()
            raise add_near_paths(error, path, self.tree, self._index.find_searcher()) from error

    # Searching

    @property
    def index_exists(self) -> bool:
        """Return whether anything that can be searched was committed."""
        return self._index.find_searcher() is not None

    def search(
        self, request: SearchRequest, count_copies: Callable[[SearchAnswer], int] | None = None
    ) -> SearchAnswer:
        """Return ranked chunks for a query, as many more as `count_copies` says of the first answer.

        Raises INVALID_ARGUMENT; INDEX_UNAVAILABLE without an index.
        """
        # Imported here: a quarter of everything that a command imports.
        from repo_mcp.ranking.word_search import run_search

        if not request.query.strip():
            raise RepoError(
                ErrorCode.INVALID_ARGUMENT,
                "query is empty.",
                "Give a word, a name or a question.",
                {"argument": "query"},
            )
        need = Need(request.query)
        if request.file_glob is not None or request.language is not None:
            request, need = self._filters.read(request)  # bad ones are refused before the index is waited for
        searcher = self._index.get_searcher(fresh=True, need=need)
        try:
            answer = run_search(
                searcher,
                request,
                self.config.limits.max_query_words,
                self.tree.read_bytes,
                self._index.report.describe_progress(searcher.snapshot),
                is_whole=self._index.report.is_whole(searcher.snapshot),
                count_copies=count_copies,
            )
        except IndexFormatError as error:
            raise self._index.report_damage() from error
        if answer.total:
            return answer
        left_out = self._left_out
        first, last = left_out.describe_request(request), left_out.describe_large(request)
        return replace(answer, warnings=(*first, *answer.warnings, *last, *left_out.describe_unlisted()))

    def select_files(self, request: SearchRequest) -> Callable[[str], bool]:
        """Return what tells if a file passes the filters of a request. Raises INVALID_ARGUMENT."""
        return self._filters.build_test(self._filters.read(request)[0])

    def search_exact(
        self, request: ExactRequest, cancelled: Callable[[], bool] | None = None, *, scan: bool = False
    ) -> ExactAnswer:
        """Return the matches of a literal or an expression.

        Raises as `LiveExactSearch.search` does, and INVALID_ARGUMENT for an unknown language.
        """
        request = self._filters.cut_root(self._filters.name_language(request))
        answer = self.engines.exact.search(request, cancelled, scan=scan)
        if answer.total:
            return answer
        first, last = self._left_out.describe_request(request), self._left_out.describe_unlisted()
        return replace(answer, warnings=(*first, *answer.warnings, *last))

    # The index

    def status(self) -> IndexStatus:
        """Return the state of the index, from what is committed and what runs in this process."""
        symbols = self.symbol_index.warn()  # first: it waits for the first files of an index
        now = self._index.report.status()
        vectors = self.vectors.warn() if self.vectors is not None and self._makes_vectors else ()
        unused = self.tree.git_index.read().fault if now.skipped.get("ignored") else ""
        git = (GIT_INDEX_NOT_USED.format(unused),) if unused else ()
        warnings = (*now.warnings, *git, *self._warn_of_adapters(), *symbols, *vectors)
        return replace(now, warnings=(*warnings, *filter(None, (self._bundle_fault,))))

    def _warn_of_adapters(self) -> tuple[str, ...]:
        """Return a warning for each installed adapter that failed on files of the index, naming some."""
        searcher = self._index.find_searcher() if self.outliner.installed else None
        if searcher is None:
            return ()
        from repo_mcp.indexing.shards.adapter_marks import list_unmarked, warn_of_unmarked

        try:
            return warn_of_unmarked(list_unmarked(searcher.snapshot), self.outliner.adapters.find_installed)
        except IndexFormatError as error:
            self._index.report_damage(error)
            return ()

    def refresh(
        self,
        *,
        force: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] | None = None,
        is_last: bool = False,
    ) -> RefreshReport:
        """Bring the index up to date with the tree. Raises BUSY, CANCELLED, INDEX_UNAVAILABLE.

        A refresh that is already running in this process is joined, and the report covers both. BUSY means
        that another process writes. With `is_last` nothing looks at the tree again, and the report names no
        snapshot: a command answers from the tree as it was then.
        """
        if force:
            self.poison.clear()
        done = self._index.refresh(
            force=force, progress=progress, cancelled=cancelled, joins=True, is_last=is_last
        )
        return replace(done, warnings=(*done.warnings, *self._warn_of_adapters()))

    def compact(self, *, full: bool) -> CompactReport:
        """Merge segments: those that the merge policy chooses, or all. Raises as `refresh` does."""
        return self._index.refresher.compact(full=full)

    def expect_refresh(self) -> None:
        """Note that `start_background_refresh` is about to be called: a call that comes before it waits."""
        self._index.is_expected = True
        self.symbol_index.is_expected = bool(SYMBOL_TOOLSETS.intersection(self.config.toolsets))

    def start_background_refresh(self) -> None:
        """Refresh in a thread of its own; a failure becomes a warning of `status`.

        The symbol index follows if a toolset needs it. If files are watched, the system reports changes from
        now on.
        """
        if self._closed.is_set():  # the client gave it up at once
            return
        is_walking = self._index.refresher.is_walking  # a first call began it, and has the engines it needs
        if not is_walking:
            self.engines.load()
        self._bundle_fault = self.engines.bundles.review_last(refreshed=False)  # the refresh may fail
        self._index.start_background_refresh()
        self._index.start_watching()
        if SYMBOL_TOOLSETS.intersection(self.config.toolsets):
            self.symbol_index.start()
            if not is_walking:
                self.engines.load_graph()
        if self.vectors is not None and self._makes_vectors:
            self.vectors.start()
        if is_walking:
            # If there is no thread for it, calls load the engines.
            start_daemon(threading.Thread(target=self._load_after_walk, name="load"))

    def _load_after_walk(self) -> None:
        """Load the engines after the walk, and after a first refresh if that ends soon.

        A walk releases the interpreter at each file, and each time would wait to get it back from the
        loading.
        """
        self._index.wait_for_walk()
        self._index.wait_for_first_refresh()
        if not self._closed.is_set():
            self.engines.load()
            if SYMBOL_TOOLSETS.intersection(self.config.toolsets):
                self.engines.load_graph()

    def close(self) -> None:
        """Stop a running refresh and release everything. The repository must not be used afterwards."""
        if self._is_released:
            return
        self._closed.set()
        self.outliner.close()
        stopped = [self.indexes.close(), self.engines.close()]
        if all(stopped):
            self._is_released = True
            self.tree.close()
            self.namespaces.close()
            self._held_root.close()


def _add_languages(config: Config, installed: Iterable[InstalledAdapter]) -> Config:
    """Return the configuration with the languages that installed adapters bring; its own come first."""
    brought = dict(pair for one in installed for pair in one.languages)
    return replace(config, extensions=tuple(sorted((brought | dict(config.extensions)).items())))


def _open_tree(config: Config, held: HeldDirectory, own: tuple[str, ...] | None) -> LiveTree:
    """Open the files of the root, without those of our data directory, whose place in the root is `own`."""
    return LiveTree(
        held,
        config.exclude_globs,
        config.limits.max_file_bytes,
        config.refusals,
        config.allow_paths,
        own,
        reads_git=config.siblings,
    )


def _warn_of_root(config: Config) -> tuple[str, ...]:
    if config.any_root and is_system_place(config.root):
        return ("The root is a system directory, not a repository.",)
    if name_canonically(config.root) == name_canonically(find_home()):
        return ("The root is your home directory: everything in it is served, unless it is denied.",)
    return ()


def _warn_of_key(fault: str) -> tuple[str, ...]:
    if not fault:
        return ()
    return (f"The user's key cannot be stored ({fault}), so no other process can use this index.",)
