"""The engines over one root that need more than its text: each opens at its first use.

None of them is imported at start, nor by a server whose tools do not need it.
"""

from __future__ import annotations

import stat
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from index_format import DirectoryHolder, IndexFormatError
from repo_mcp.config.server_config import Config
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.look_ahead import Need
from repo_mcp.model import SearchAnswer, SearchRequest
from repo_mcp.outliner import Outliner
from repo_mcp.symbol_index.live_symbol_index import LiveSymbolIndex
from repo_mcp.symbol_index.precise_index import PreciseIndex
from repo_mcp.workspace.live_tree import LiveTree

if TYPE_CHECKING:
    from repo_mcp.bundler.records import Bundle, BundleRequest
    from repo_mcp.bundler.spans import LayoutReader
    from repo_mcp.bundler.strategy import Strategy
    from repo_mcp.code_search.search import LiveCodeSearch
    from repo_mcp.documentation.search import LiveDocumentation
    from repo_mcp.graph.live_graph import LiveGraph
    from repo_mcp.impact.impact import ImpactFinder
    from repo_mcp.live.live_exact import LiveExactSearch
    from repo_mcp.research.research import Researcher
    from repo_mcp.scip.intake import IntakeReport
    from repo_mcp.semantic.live_vectors import LiveVectors

RANKED_CHUNKS = 60  # of which the files are told that have the words of a change
RANKED_WORDS = 500  # different ones that are analysed: a word takes some 10 us


@dataclass(frozen=True, slots=True)
class EngineSources:
    """The parts of an opened root that its engines use."""

    config: Config
    data_dir: DirectoryHolder
    tree: LiveTree
    index: LiveIndex
    symbol_index: LiveSymbolIndex
    precise: PreciseIndex
    vectors: LiveVectors | None
    outliner: Outliner
    search: Callable[[SearchRequest], SearchAnswer]
    is_closed: Callable[[], bool]


class Engines:
    """The engines of one root, made on demand. Safe for use from several threads."""

    def __init__(self, sources: EngineSources) -> None:
        self._sources = sources
        self._extensions = dict(sources.config.extensions)
        self._making_graph = threading.Lock()
        self._purges = 0  # of the lexical index, already followed by the kept bundle
        self._made_graph: LiveGraph | None = None
        self._making_exact = threading.Lock()
        self._made_exact: LiveExactSearch | None = None

    @property
    def exact(self) -> LiveExactSearch:
        """Return the engine of literals and expressions, made once."""
        with self._making_exact:
            if self._made_exact is None:
                from repo_mcp.live.live_exact import LiveExactSearch

                of = self._sources
                self._made_exact = LiveExactSearch(of.config, of.tree, of.index, of.is_closed)
            return self._made_exact

    def load(self) -> None:
        """Load what the first searches would wait for."""
        from repo_mcp.ranking import word_search  # noqa: F401

        _ = self.exact

    def close(self) -> bool:
        """Wait for what runs in the background. Returns False when it has not stopped in time."""
        return self._made_exact is None or self._made_exact.close()

    @property
    def graph(self) -> LiveGraph:
        """Return the graph of symbols and their relations, made once."""
        with self._making_graph:
            if self._made_graph is None:
                self._made_graph = self._make_graph()
            return self._made_graph

    def _make_graph(self) -> LiveGraph:
        from repo_mcp.graph.live_graph import LiveGraph

        sources = self._sources

        def list_paths() -> Iterator[str]:
            return KnownFiles(sources.index.get_searcher().snapshot).iter_paths()

        return LiveGraph(
            sources.symbol_index,
            list_paths,
            sources.tree.read_bytes,
            sources.tree.name_path,
            self._extensions,
            sources.config.symbol_wait_seconds,
            lambda: sources.precise.find_view(sources.index.get_searcher().snapshot),
        )

    @property
    def code_search(self) -> LiveCodeSearch:
        """Return the engine that finds and describes code."""
        from repo_mcp.code_search.search import LiveCodeSearch

        of, most_words = self._sources, self._sources.config.limits.max_query_words
        return LiveCodeSearch(
            of.index,
            of.symbol_index,
            of.tree.read_bytes,
            self._extensions,
            most_words,
            of.vectors,
            self._read_layout,
        )

    @property
    def documentation(self) -> LiveDocumentation:
        """Return the engine that searches the documentation."""
        from repo_mcp.documentation.media import MediaReader
        from repo_mcp.documentation.search import LiveDocumentation

        of, most_words = self._sources, self._sources.config.limits.max_query_words
        reader = MediaReader(of.tree.name_path, of.tree.reader.stat, self._read_small)
        return LiveDocumentation(of.index, of.tree.read_bytes, reader, self._extensions, most_words)

    @property
    def researcher(self) -> Researcher:
        """Return the engine that answers questions about the code from graph and text."""
        from repo_mcp.research.live_searches import LiveSearches
        from repo_mcp.research.research import Researcher

        of, docs = self._sources, self.documentation
        searches = LiveSearches(of.index, of.tree.read_bytes, self._read_layout, of.search, docs.search)
        return Researcher(self.graph, searches, self.exact.search, of.tree.read_bytes)

    @property
    def impact(self) -> ImpactFinder:
        """Return the engine that follows a diff to what it reaches."""
        from repo_mcp.impact.impact import ImpactFinder, ImpactSources

        of = self._sources
        return ImpactFinder(
            ImpactSources(self.graph, of.tree.name_path, of.tree.read, of.outliner.outline, self.rank_files)
        )

    def take_scip(self, path: str, *, anew: bool) -> IntakeReport:
        """Take in the SCIP index in a file that the operator names, beside what was taken in before; with
        `anew` in its place. The symbol index must be up to date. Raises as `take_index` does.
        """
        from repo_mcp.languages.patterns.language_registry import find_language
        from repo_mcp.scip.intake import IntakeSources, SourceFile, take_index

        of = self._sources
        lexical, find_record = of.index.get_searcher().snapshot, of.symbol_index.open_finder()
        known = KnownFiles(lexical)

        def find(path: str) -> SourceFile | None:
            fingerprint, record = known.find_fingerprint(path), find_record(path)
            if fingerprint is None or record is None:
                return None
            return SourceFile(fingerprint, find_language(path, self._extensions).name, record)

        def find_saved(path: str) -> int | None:
            status = of.tree.reader.lstat(path)
            return None if status is None else status.st_mtime_ns

        sources = IntakeSources(find, of.tree.read_bytes, find_saved)
        return take_index(path, lexical, sources, of.precise, anew=anew)

    def count_scip_files(self) -> int:
        """Return the number of files that a SCIP index told of; some may have been edited since."""
        searcher = self._sources.index.find_searcher()
        view = None if searcher is None else self._sources.precise.find_view(searcher.snapshot)
        return 0 if view is None else view.file_count

    def rank_files(self, words: Sequence[str]) -> Mapping[str, float]:
        """Return the files that rank best for some words, the commonest of them, with scores from 0 to 1.

        Raises INDEX_UNAVAILABLE.
        """
        from repo_mcp.ranking.query import MAX_TERMS, Query
        from repo_mcp.text.analysis import analyse_text

        counts: Counter[str] = Counter()
        for word, times in Counter(words).most_common(RANKED_WORDS):
            counts.update(dict.fromkeys(analyse_text(word), times))
        query = Query(terms=[term for term, _ in counts.most_common(MAX_TERMS)])
        index, need = self._sources.index, Need(" ".join(words))
        try:
            chunks = index.get_searcher(fresh=True, need=need).rank(query, RANKED_CHUNKS).chunks
        except IndexFormatError as error:
            raise index.report_damage() from error
        best: dict[str, float] = {}
        for chunk in chunks:
            best.setdefault(chunk.path, chunk.score / chunks[0].score)
        return best

    def bundle(self, request: BundleRequest) -> Bundle:
        """Return the excerpts for a prompt. Raises RepoError with INVALID_ARGUMENT or INDEX_UNAVAILABLE.

        Unless switched off, they are also written to `last_bundle.json` and `.md` in the data directory.
        """
        from repo_mcp.bundler.build import build_bundle, check_request
        from repo_mcp.bundler.last_bundle import NOT_WRITTEN, write_last_bundle
        from repo_mcp.bundler.source import IndexSource

        config, index = self._sources.config, self._sources.index
        check_request(request, config.limits)
        searcher = index.get_searcher(fresh=True, need=Need(request.prompt))
        try:
            progress = index.report.describe_progress(searcher.snapshot)
            source = IndexSource(searcher, self._sources.tree.read_bytes, is_whole=not progress)
            bundle = build_bundle(request, config.limits, source, self._bundler)
        except IndexFormatError as error:
            raise index.report_damage() from error
        bundle = replace(bundle, warnings=(*bundle.warnings, *progress))
        if config.last_bundle:
            if not write_last_bundle(self._sources.data_dir, bundle):
                bundle = replace(bundle, warnings=(*bundle.warnings, NOT_WRITTEN))
            if index.find_searcher() is not searcher:  # a refresh came between reading and writing
                self.review_last_bundle()
        return bundle

    def review_last_bundle(self, *, refreshed: bool = True) -> str:
        """Delete the kept bundle if a file that it quotes may not be served any more.

        If `refreshed`, only indexed files may be; after a purge, only the same as when they were quoted.
        Returns what is wrong where the bundle could not be deleted, else "".
        """
        from repo_mcp.bundler.last_bundle import NOT_DELETED, drop_last_bundle

        of, purges = self._sources, self._sources.index.refresher.purges
        known: list[KnownFiles | None] = [] if refreshed else [None]  # not read when nothing is kept

        def may_stay(path: str, fingerprint: str) -> bool:
            status = of.tree.reader.lstat(path)
            most = of.config.limits.max_file_bytes
            if status is None or not stat.S_ISREG(status.st_mode) or status.st_size > most:
                return False
            if not known:
                known.append(self._find_known())
            if known[0] is None:
                return True
            found = known[0].find_fingerprint(path)
            return found is not None and (purges == self._purges or found.hex() == fingerprint)

        if not drop_last_bundle(of.data_dir, may_stay):
            return NOT_DELETED
        if refreshed:
            self._purges = purges
        return ""

    def _find_known(self) -> KnownFiles | None:
        """Return the indexed files; None where the index cannot be read: it will be refreshed."""
        searcher = self._sources.index.find_searcher()
        try:
            return None if searcher is None else KnownFiles(searcher.snapshot)
        except (IndexFormatError, OSError):
            return None

    @cached_property
    def _bundler(self) -> Strategy:
        from repo_mcp.bundler.hybrid import HybridStrategy

        return HybridStrategy(self._read_layout, self._sources.outliner.find_hints)

    @cached_property
    def _read_layout(self) -> LayoutReader:
        from repo_mcp.bundler.spans import read_layout

        find_outline = self._sources.outliner.find_installed_outline
        return partial(read_layout, overrides=self._extensions, find_outline=find_outline)

    def _read_small(self, path: str, max_bytes: int) -> bytes:
        most = min(max_bytes, self._sources.config.limits.max_file_bytes)
        return self._sources.tree.reader.read_walked(path, most).data
