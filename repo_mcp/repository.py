"""One opened root: configuration, door, policy and index. What toolsets and the command line are given.

Reading never waits for indexing: a search answers from the last committed generation. Every method
may be called from several threads at a time.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from index_format import VERSION as FORMAT_VERSION
from index_format import IndexFormatError, MakeTag, Snapshot
from repo_mcp.config.server_config import (
    STRUCTURE_TOOLSETS,
    VECTOR_TOOLSETS,
    Config,
    find_cache_home,
    find_home,
    find_state_home,
)
from repo_mcp.engines import Engines, EngineSources
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exact.line_matcher import LineMatcher
from repo_mcp.exact.paths import ExactSearcher, PathFilter
from repo_mcp.exact.search import CHANGES_UNKNOWN, run_exact, scan_tree
from repo_mcp.exact.search import check_request as check_exact
from repo_mcp.indexing.chunking import VERSION as CHUNKING_VERSION
from repo_mcp.indexing.memory_budget import MemoryBudget
from repo_mcp.indexing.shards import BuildSettings
from repo_mcp.languages.patterns.landmarks import VERSION as LANGUAGES_VERSION
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.model import (
    CompactReport,
    ExactAnswer,
    ExactRequest,
    FileListing,
    IndexStatus,
    ListedFile,
    OpenedText,
    Outline,
    ProgressCallback,
    RefreshReport,
    SearchAnswer,
    SearchRequest,
    SegmentFacts,
    WalkReport,
)
from repo_mcp.narrowing import narrow_config
from repo_mcp.outliner import Outliner
from repo_mcp.process.hardening import limit_dumps
from repo_mcp.ranking.word_search import run_search
from repo_mcp.storage.data_dir import name_canonically, prepare_data_dir
from repo_mcp.storage.namespaces import mark_used, remove, remove_unused
from repo_mcp.storage.poison import POISON_FILE, PoisonList
from repo_mcp.storage.sealing import Sealer, make_sealer
from repo_mcp.storage.user_key import load_user_key
from repo_mcp.symbol_index.live_symbol_index import LiveSymbolIndex
from repo_mcp.symbol_index.phase import SymbolPhase
from repo_mcp.symbol_index.schema import list_facts
from repo_mcp.text.analysis import VERSION as ANALYSIS_VERSION
from repo_mcp.text.lines import decode_source
from repo_mcp.workspace.directory_listing import LiveTree
from repo_mcp.workspace.ignore import GlobFilter, IgnoreRules
from repo_mcp.workspace.opened_lines import describe_reading, show_lines
from repo_mcp.workspace.path_changes import PathChangeFinder
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.repository_reader import RepositoryReader, read_many
from repo_mcp.workspace.system_places import is_system_place
from repo_mcp.workspace.walk import WalkMemory, walk
from repo_mcp.workspace.walked_files import FileColumns

if TYPE_CHECKING:
    from repo_mcp.bundler.records import Bundle, BundleRequest
    from repo_mcp.semantic.live_vectors import LiveVectors

NANOSECONDS = 1_000_000_000
EXACT_WAIT_SECONDS = 1.0  # for what an exact search began in the background to stop; it looks every few ms


class Repository:
    """One root and its index."""

    def __init__(self, config: Config, *, report_warning: Callable[[str], None] | None = None) -> None:
        """Opens the door and the data directory. Never builds. Raises CONFIG_INVALID."""
        limit_dumps()
        config, ignored = narrow_config(config)  # a root that cannot be served makes no data directory
        self.config = config
        self.root_name = os.path.basename(config.root)
        data_dir = prepare_data_dir(config.root, config.data_dir, find_cache_home())
        self.data_dir = data_dir
        user_key = load_user_key(find_state_home(), config.root)
        self._key_fault = user_key.fault
        self.warnings = (*_warn_of_root(config), *data_dir.warnings, *ignored, *_warn_of_key(user_key.fault))
        for warning in self.warnings:
            (report_warning or _ignore)(warning)
        self._policy = DenyPolicy(data_dir_parts=data_dir.inside_root)
        self._reader = RepositoryReader(config.root, self._policy.find_denial, config.refusals)
        self.tree = LiveTree(self._reader, self._policy, config.exclude_globs)
        self._walk_memory = WalkMemory()
        self._configuration = self._compute_configuration()
        self.sealer = sealer = make_sealer(
            user_key.key, name_canonically(config.root), name_canonically(data_dir.path)
        )
        namespace = sealer.name_namespace("index", FORMAT_VERSION, self._configuration)
        self.namespaces = {namespace: sealer.make_tagger(namespace)}  # directory of each index -> its tags
        self.poison = PoisonList(data_dir.path, sealer.make_tagger(POISON_FILE))
        self._index = LiveIndex(
            self._build_settings(os.path.join(data_dir.path, namespace), data_dir.inside_root),
            self._configuration,
            config.chosen_workers(),
            self._walk,
            watch=config.watch,
            finder=PathChangeFinder(self._reader, self._policy.find_denial, self._walk_memory),
            note_refresh=self._note_refresh,
            make_tag=self.namespaces[namespace],
        )
        self.symbol_index = self._open_symbol_index(data_dir.path, sealer)
        self.vectors = self._open_vectors()
        self._mark_namespaces()
        self._outliner = Outliner(config, self.poison)
        self._exact: ExactSearcher | None = None
        self._closed = threading.Event()
        self.engines = Engines(
            EngineSources(
                config,
                data_dir.path,
                self._reader,
                self._index,
                self.symbol_index,
                self.vectors,
                self.name_path,
                self.search,
                self.search_exact,
                self._read_live,
            )
        )

    @property
    def adapters(self) -> tuple[str, ...]:
        """Names of the language adapters in use, in the order in which they are asked."""
        return self._outliner.adapters.names

    def _compute_configuration(self) -> str:
        """Digest of all that decides what an index of this root holds."""
        facts = (
            self.config.fingerprint(self._policy.fingerprint()),
            FORMAT_VERSION,
            ANALYSIS_VERSION,
            CHUNKING_VERSION,
            LANGUAGES_VERSION,
        )
        return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()

    def _mark_namespaces(self) -> None:
        for name in self.namespaces:
            mark_used(os.path.join(self.data_dir.path, name))
        self._is_tidy = False

    def _open_symbol_index(self, data_dir: str, sealer: Sealer) -> LiveSymbolIndex:
        """The structure of the files. Nothing is parsed before somebody asks for it."""
        config = self.config
        facts = (self._configuration, *list_facts())
        configuration = hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()
        namespace = sealer.name_namespace("structure", FORMAT_VERSION, configuration)
        self.namespaces[namespace] = sealer.make_tagger(namespace)
        path = os.path.join(data_dir, namespace)
        read = partial(self._reader.read_walked, max_bytes=config.limits.max_file_bytes)
        phase = SymbolPhase(
            path,
            configuration,
            MemoryBudget(config.memory_mb).count_parsers(config.chosen_workers()),
            read,
            self._read_many,
            make_tag=self.namespaces[namespace],
            poison=self.poison,
        )
        return LiveSymbolIndex(path, configuration, phase, self._index, self.name_path)

    def _open_vectors(self) -> LiveVectors | None:
        """The vectors of chunks; None where the operator named no model. CONFIG_INVALID where it is none."""
        config = self.config
        if config.semantic_model is None:
            return None
        from repo_mcp.semantic.live_vectors import LiveVectors  # of no use without a model

        read = partial(self._reader.read_walked, max_bytes=config.limits.max_file_bytes)
        workers = config.chosen_workers()
        return LiveVectors(
            config.semantic_model, self._configuration, self._name_vectors, workers, self._index, read
        )

    def _name_vectors(self, configuration: str) -> tuple[str, MakeTag]:
        """Where the vectors of a configuration lie, and what seals them. Known once the model was read."""
        namespace = self.sealer.name_namespace("vectors", FORMAT_VERSION, configuration)
        make_tag = self.sealer.make_tagger(namespace)
        self.namespaces = {**self.namespaces, namespace: make_tag}
        path = os.path.join(self.data_dir.path, namespace)
        mark_used(path)
        return path, make_tag

    @property
    def _makes_vectors(self) -> bool:
        """True for a server that asks for vectors."""
        return bool(VECTOR_TOOLSETS.intersection(self.config.toolsets))

    def _note_refresh(self) -> None:
        self._walk_memory.move_together()
        self.symbol_index.note_refresh()
        if not self._is_tidy:
            self._is_tidy = True
            remove_unused(self.data_dir.path, self.namespaces)
        if self.vectors is not None:
            self.vectors.note_refresh()

    def _build_settings(self, index_path: str, data_dir_parts: tuple[str, ...] | None) -> BuildSettings:
        config = self.config
        return BuildSettings(
            config.root,
            index_path,
            data_dir_parts,
            config.chunk_lines,
            config.chunk_overlap_lines,
            config.limits.max_file_bytes,
            frozenset(config.include_extensions),
            tuple(sorted(dict(config.extensions).items())),
            memory=MemoryBudget(config.memory_mb),
            refusals=config.refusals,
        )

    def _walk(
        self,
        cancelled: Callable[[], bool],
        met: Callable[[FileColumns], None] | None = None,
        *,
        include_hidden: bool = False,
    ) -> WalkReport:
        self._reader.check_root()
        memory = None if include_hidden else self._walk_memory
        ignore = IgnoreRules(self.config.exclude_globs, memory.parsed if memory is not None else None)
        return walk(
            self._reader,
            self._policy.find_denial,
            ignore,
            include_hidden=include_hidden,
            cancelled=cancelled,
            memory=memory,
            met=met,
        )

    # Reading files

    def name_path(self, path: str) -> str:
        """A client's path as it may be named, relative to the root, whether anything is there or not.

        PATH_INVALID, PATH_ESCAPE and PATH_DENIED as when it is opened, by the name asked for alone.
        """
        named = self._reader.normalise(path)
        if self._policy.find_denial(named) is not None:
            raise RepoError(ErrorCode.PATH_DENIED, "The path is denied.")
        return named

    def list_files(self, glob: str | None, max_results: int, include_hidden: bool) -> FileListing:
        """The files of the live tree whose paths match, in path order. INVALID_ARGUMENT for a bad glob."""
        matches = GlobFilter(glob).matches if glob else None
        report = self._walk(self._closed.is_set, include_hidden=include_hidden)
        found = [file for file in report.files if matches is None or matches(file.path)]
        return FileListing(
            tuple(
                ListedFile(file.path, file.stat.size, file.stat.mtime_ns / NANOSECONDS)
                for file in found[:max_results]
            ),
            total=len(found),
            truncated=len(found) > max_results,
            denied=report.skipped.get("denied", 0),
            warnings=report.warnings,
        )

    def open_file(
        self, path: str, start_line: int | None, end_line: int | None, *, most_lines: int | None = None
    ) -> OpenedText:
        """Lines of a live file, clamped to its end and to `most_lines`, or else `max_open_lines`.

        Raises INVALID_ARGUMENT for lines that are not there.
        """
        limits = self.config.limits
        opened = self._reader.read(path, limits.max_file_bytes)
        most = limits.max_open_lines if most_lines is None else most_lines
        return show_lines(opened, start_line, end_line, limits.default_open_lines, most)

    def outline(self, path: str) -> Outline:
        """The declarations of a live file; none, with a warning, where it cannot be parsed.

        Fails as `open_file` does for a file that cannot be opened or is not text.
        """
        opened = self._reader.read(path, self.config.limits.max_file_bytes)
        text = decode_source(opened.data)
        found = self._outliner.outline(opened.path, text.data)
        return replace(found, path=opened.path, warnings=(*describe_reading(opened, text), *found.warnings))

    # Searching

    @property
    def index_exists(self) -> bool:
        """True when something was committed that can be searched."""
        return self._index.find_searcher() is not None

    def search(self, request: SearchRequest) -> SearchAnswer:
        """Ranked chunks for a query. INVALID_ARGUMENT, INDEX_UNAVAILABLE when nothing is indexed yet."""
        if not request.query.strip():
            raise RepoError(
                ErrorCode.INVALID_ARGUMENT,
                "query is empty.",
                "Give a word, a name or a question.",
                {"argument": "query"},
            )
        searcher = self._index.get_searcher()
        try:
            return run_search(
                searcher,
                request,
                self.config.limits.max_query_words,
                dict(self.config.extensions),
                self._read_live,
                self._index.describe_progress,
            )
        except IndexFormatError as error:
            raise self._index.report_damage() from error

    def search_exact(
        self, request: ExactRequest, cancelled: Callable[[], bool] | None = None, *, scan: bool = False
    ) -> ExactAnswer:
        """Matches of a literal or an expression in the live files, by path, then line.

        While no index knows every file the answer is that of the index there is, or INDEX_UNAVAILABLE where
        there is none; with `scan` every file is read instead. INVALID_ARGUMENT for a pattern that is not
        valid, with what is wrong and where; CANCELLED.
        """
        check_exact(request)
        matches_glob = GlobFilter(request.file_glob).matches if request.file_glob else None
        config = self.config
        wanted = PathFilter(request, matches_glob, dict(config.extensions), config.include_extensions)
        matcher = LineMatcher(request)
        stop = self._closed.is_set if cancelled is None else cancelled
        try:
            return self._search_exact(request, matcher, wanted, stop, complete=scan)
        except RepoError as error:
            if not scan or error.code is not ErrorCode.INDEX_UNAVAILABLE:
                raise
        most = config.limits.max_file_bytes
        return scan_tree(request, matcher, wanted, self._walk(stop), most, self._read_many, stop)

    def _search_exact(
        self,
        request: ExactRequest,
        matcher: LineMatcher,
        wanted: PathFilter,
        stop: Callable[[], bool],
        *,
        complete: bool,
    ) -> ExactAnswer:
        """By the index. INDEX_UNAVAILABLE when there is none; with `complete` also when files may lack."""
        searcher = self._index.get_searcher(waits=not complete)  # else all files are read, now
        try:
            changed = self._index.find_changed(searcher.snapshot.generation)
            if changed is None and complete:
                raise RepoError(ErrorCode.INDEX_UNAVAILABLE, CHANGES_UNKNOWN)
            exact = self._open_exact(searcher.snapshot)
            answer = run_exact(exact, request, matcher, wanted, changed, self._read_many, stop)
        except IndexFormatError as error:
            raise self._index.report_damage() from error
        if changed is not None:  # what a running refresh has not indexed yet was read
            return answer
        return replace(answer, warnings=(*self._index.describe_progress(searcher.snapshot), *answer.warnings))

    def _open_exact(self, snapshot: Snapshot) -> ExactSearcher:
        """The exact searcher of a snapshot; what is known of a segment's terms outlives the snapshot."""
        current = self._exact
        if current is None or current.snapshot is not snapshot:
            current = self._exact = ExactSearcher(snapshot, current, self._closed.is_set)
        return current

    def bundle(self, request: BundleRequest) -> Bundle:
        """The excerpts for a prompt within a budget. Raises as `Engines.bundle`."""
        return self.engines.bundle(request)

    def _read_live(self, path: str) -> bytes:
        return self._reader.read_walked(path, self.config.limits.max_file_bytes).data

    def _read_many(self, paths: Sequence[str]) -> list[bytes | None]:
        return read_many(self._reader, paths, self.config.limits.max_file_bytes)

    # The index

    def status(self) -> IndexStatus:
        """The state of the index, from what is committed and what runs in this process."""
        now = self._index.status()
        vectors = self.vectors.warn() if self.vectors is not None and self._makes_vectors else ()
        told = (*now.warnings, *self._outliner.warnings, *self.symbol_index.warn(), *vectors)
        return replace(now, warnings=told)

    @property
    def segments(self) -> tuple[SegmentFacts, ...]:
        """The segments of the index, as the last committed generation names them."""
        searcher = self._index.find_searcher()
        entries = () if searcher is None else searcher.snapshot.manifest.segments
        return tuple(
            SegmentFacts(one.name, one.file_bytes, one.live_files, len(one.dead_files)) for one in entries
        )

    def refresh(
        self,
        *,
        force: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> RefreshReport:
        """Make the index say what the tree says. Raises BUSY, CANCELLED, INDEX_UNAVAILABLE."""
        if force:
            self.poison.clear()
        return self._index.refresh(force=force, progress=progress, cancelled=cancelled)

    def compact(self, *, full: bool) -> CompactReport:
        """Merge segments: those that the merge policy chooses, or all. Raises as `refresh` does."""
        return self._index.compact(full=full)

    def start_background_refresh(self) -> None:
        """Refresh in a thread of its own; a failure becomes a warning of `status`.

        The structure of files follows where a toolset needs it. Where files are watched, the system tells
        of those that change from now on.
        """
        self._index.start_background_refresh()
        self._index.start_watching()
        if STRUCTURE_TOOLSETS.intersection(self.config.toolsets):
            self.symbol_index.start()
        if self.vectors is not None and self._makes_vectors:
            self.vectors.start()

    def close(self) -> None:
        """Stop a running refresh and give everything back. The repository must not be used afterwards."""
        self._closed.set()
        self._outliner.close()
        self.symbol_index.stop()
        if self.vectors is not None:
            self.vectors.stop()
        stopped = [self._index.close(), self.symbol_index.close()]
        if self.vectors is not None:
            stopped.append(self.vectors.close())
        if self._exact is not None:
            stopped.append(self._exact.join(EXACT_WAIT_SECONDS))
        if all(stopped):
            self._reader.close()
            if self._key_fault:  # nobody else can use what this process alone can check
                for name in self.namespaces:
                    remove(os.path.join(self.data_dir.path, name))


def _warn_of_root(config: Config) -> tuple[str, ...]:
    if config.any_root and is_system_place(config.root):
        return ("The root is a directory of the system, not a repository.",)
    if name_canonically(config.root) == name_canonically(find_home()):
        return ("The root is your home directory: everything in it that is not denied is served.",)
    return ()


def _warn_of_key(fault: str) -> tuple[str, ...]:
    if not fault:
        return ()
    return (f"The user's key cannot be kept ({fault}); the index of this process is used by no other.",)


def _ignore(_text: str) -> None:
    return None
