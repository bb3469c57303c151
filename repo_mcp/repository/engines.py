"""The engines over one root that need more than its text. Each is opened at its first use.

None of them is imported at start, nor by a server whose tools do not need it.

The adapters and the parser process are made at their first use: a server that needs no outline imports none
of it and starts no process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING

from index_format import DirectoryHolder, compute_fingerprint
from repo_mcp.config.server_config import Config
from repo_mcp.errors import RepoError
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.languages.outline.installed import InstalledAdapter
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.lru_cache import LruCache
from repo_mcp.model import Outline, SearchAnswer, SearchRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.symbol_index.live_symbol_index import LiveSymbolIndex
from repo_mcp.symbol_index.precise_index import PreciseIndex
from repo_mcp.workspace.live_tree import LiveTree

if TYPE_CHECKING:
    from repo_mcp.blocks.layouts import KeptLayouts, Layout, LayoutReader
    from repo_mcp.bundler.build import Strategy
    from repo_mcp.bundler.live_bundles import LiveBundles
    from repo_mcp.code_search.search import LiveCodeSearch
    from repo_mcp.documentation.search import LiveDocumentation
    from repo_mcp.graph.live_graph import LiveGraph
    from repo_mcp.impact.impact import ImpactFinder
    from repo_mcp.languages.adapter_registry import AdapterRegistry
    from repo_mcp.live.live_exact import LiveExactSearch
    from repo_mcp.process.parse_worker import ParseWorker
    from repo_mcp.research.research import Researcher
    from repo_mcp.scip.intake import LiveScip
    from repo_mcp.semantic.live_vectors import LiveVectors
    from repo_mcp.storage.poison import PoisonList
    from repo_mcp.symbols.model import SymbolKind

KEPT_SYMBOLS = 30_000  # symbols of the outlines that are kept: three of the largest possible, some 15 MB


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
        self._made_graph: LiveGraph | None = None
        self._making_exact = threading.Lock()
        self._made_exact: LiveExactSearch | None = None
        self._making_bundles = threading.Lock()
        self._made_bundles: LiveBundles | None = None

    @property
    def exact(self) -> LiveExactSearch:
        """Return the engine of literals and expressions, made once."""
        with self._making_exact:
            if self._made_exact is None:
                from repo_mcp.live.live_exact import LiveExactSearch

                sources = self._sources
                self._made_exact = LiveExactSearch(
                    sources.config, sources.tree, sources.index, sources.is_closed
                )
            return self._made_exact

    def load(self) -> None:
        """Load what the first searches would wait for."""
        from repo_mcp.ranking import word_search  # noqa: F401

        _ = self.exact

    def load_graph(self) -> None:
        """Load what the first call that follows symbols would wait for: 65 modules in 70 ms.

        The symbol index is opened, too, if there is one: 45 ms for that of the kernel.
        """
        _ = self.graph
        with suppress(RepoError, OSError), self._sources.symbol_index.view():
            pass

    def close(self) -> bool:
        """Wait for background work. Returns False when it has not stopped in time."""
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
        from repo_mcp.symbol_index.unread_declarations import describe_declarations

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
            partial(describe_declarations, search=sources.search),
            follows=sources.config.watch,
        )

    def describe_unread_uses(self, name: str, language: str, kind: SymbolKind) -> str:
        """Return which files that no parser reads may use a symbol of a language; "" for none known."""
        from repo_mcp.symbol_index.unread_uses import describe_uses, may_be_used

        if not may_be_used(kind, language):
            return ""

        try:
            return describe_uses(name, language, self.graph.list_present_languages(), self.exact.search)
        except RepoError:  # while there is no index, the answer says so
            return ""

    def describe_mentions(
        self, name: str, holders: Iterable[str], language: str, known: Collection[tuple[str, int]]
    ) -> str:
        """Return how many files have a name in text, without the places `known`; "" for none.

        `holders` are the names around it."""
        from repo_mcp.symbol_index.text_mentions import describe_mentions

        present, search = self.graph.list_present_languages(), self.exact.search
        try:
            return describe_mentions(name, holders, language, present, known, search)
        except RepoError:  # while there is no index, the answer says so
            return ""

    @property
    def code_search(self) -> LiveCodeSearch:
        """Return the engine that finds and describes code."""
        from repo_mcp.code_search.search import LiveCodeSearch

        sources, most_words = self._sources, self._sources.config.limits.max_query_words
        return LiveCodeSearch(
            sources.index,
            sources.symbol_index,
            sources.tree.read_bytes,
            self._extensions,
            most_words,
            sources.vectors,
            self._make_layout_reader(),
        )

    @property
    def documentation(self) -> LiveDocumentation:
        """Return the engine that searches the documentation."""
        from repo_mcp.documentation.media import MediaReader
        from repo_mcp.documentation.search import LiveDocumentation

        sources, most_words = self._sources, self._sources.config.limits.max_query_words
        reader = MediaReader(sources.tree.name_path, sources.tree.reader.stat, self._read_small)
        return LiveDocumentation(sources.index, sources.tree.read_bytes, reader, self._extensions, most_words)

    @property
    def researcher(self) -> Researcher:
        """Return the engine that answers questions about the code from graph and text."""
        from repo_mcp.research.findings.live_searches import LiveSearches
        from repo_mcp.research.research import Researcher

        sources, docs = self._sources, self.documentation
        searches = LiveSearches(
            sources.index,
            sources.tree.read_bytes,
            self._make_layout_reader(),
            sources.search,
            self.exact.search,
            docs.search,
        )
        return Researcher(self.graph, searches, sources.index.look.once)

    @property
    def impact(self) -> ImpactFinder:
        """Return the engine that finds what a diff affects."""
        from repo_mcp.impact.evidence import rank_files
        from repo_mcp.impact.impact import ImpactFinder, ImpactSources

        sources = self._sources
        tree, rank = sources.tree, partial(rank_files, sources.index)
        outline, search = sources.outliner.outline, self.exact.search
        return ImpactFinder(ImpactSources(self.graph, tree.name_path, tree.read, outline, rank, search))

    @property
    def scip(self) -> LiveScip:
        """Return the engine that imports SCIP indexes."""
        from repo_mcp.scip.intake import LiveScip

        sources = self._sources
        return LiveScip(sources.tree, sources.index, sources.symbol_index, sources.precise, self._extensions)

    @property
    def bundles(self) -> LiveBundles:
        """Return the engine that makes bundles and keeps the last one, made once."""
        with self._making_bundles:
            if self._made_bundles is None:
                from repo_mcp.bundler.live_bundles import LiveBundles

                sources = self._sources
                self._made_bundles = LiveBundles(
                    sources.config, sources.data_dir, sources.tree, sources.index, self._make_strategy
                )
            return self._made_bundles

    def _make_strategy(self) -> Strategy:
        from repo_mcp.bundler.hybrid import HybridStrategy

        return HybridStrategy(self._read_layout, self._sources.outliner.find_hints)

    @cached_property
    def _read_layout(self) -> Callable[..., Layout]:
        from repo_mcp.blocks.layouts import read_layout

        find_outline = self._sources.outliner.find_installed_outline
        return partial(read_layout, overrides=self._extensions, find_outline=find_outline)

    @cached_property
    def _layouts(self) -> KeptLayouts:
        from repo_mcp.blocks.layouts import KeptLayouts

        return KeptLayouts()

    def _make_layout_reader(self) -> LayoutReader:
        """Return a reader of layouts that uses the records of the symbol parsers."""
        return partial(self._layouts.read, self._read_layout, self._sources.symbol_index.open_finder())

    def _read_small(self, path: str, max_bytes: int) -> bytes:
        most = min(max_bytes, self._sources.config.limits.max_file_bytes)
        return self._sources.tree.reader.read_walked(path, most).data


class Outliner:
    """Makes outlines of texts. Safe for use from several threads."""

    def __init__(
        self, config: Config, installed: tuple[InstalledAdapter, ...], poison: PoisonList | None
    ) -> None:
        """Load and start nothing yet. Texts on the `poison` list are not parsed."""
        self._config = config
        self.installed = installed
        self._poison = poison
        self._lock = threading.Lock()
        self._made: tuple[AdapterRegistry, ParseWorker] | None = None
        self._kept: LruCache[tuple[str, bytes, bool], Outline] = LruCache(
            KEPT_SYMBOLS, lambda one: 1 + len(one.symbols)
        )

    @property
    def adapters(self) -> AdapterRegistry:
        """Return the adapters, loading them at the first use."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made[0]

    def _make(self) -> tuple[AdapterRegistry, ParseWorker]:
        from repo_mcp.languages.adapter_registry import AdapterRegistry
        from repo_mcp.process.parse_worker import ParseWorker

        worker = ParseWorker(poison=self._poison)
        registry = AdapterRegistry(
            worker.parse,
            self.installed,
            disabled=self._config.disabled_adapters,
            find_language=partial(find_language, overrides=dict(self._config.extensions)),
        )
        return registry, worker

    def outline(self, path: str, data: bytes, *, whole: bool = False) -> Outline:
        """Return the outline of normalised text. Never raises because of its contents.

        With `whole` it has the members that only a symbol parser sees. A process is started for the first
        such text, which takes half a second.

        A call may ask for twenty declarations of one file, and a diff name it in each of its commits: the
        latest outlines are kept, but none of a parser that failed.
        """
        key = path, compute_fingerprint(data), whole
        found = self._kept.find(key)
        if found is None:
            if whole:
                found = self.adapters.complete(self.outline(path, data), data)
            else:
                found = self.adapters.outline(path, data.decode("utf-8", "replace"))
            if not found.may_change:
                self._kept.put(key, found)
        return found

    def outline_broken(self, path: str, data: bytes) -> Outline:
        """Return the outline of normalised text; by line patterns if it does not parse as Python.

        Such a text has no symbols in `outline`, but a file that is just being edited is opened by its lines.
        """
        found = self.outline(path, data)
        if found.symbols or not found.warnings or found.language != "python":
            return found
        from repo_mcp.languages.outline.lexical_adapter import outline_lexically

        language = find_language(path, overrides=dict(self._config.extensions))
        return outline_lexically(path, language, data.decode("utf-8", "replace"), found.warnings)

    def find_installed_outline(self, path: str, data: bytes) -> Outline | None:
        """Return the outline by an installed adapter; None for a file without one."""
        if not self.installed or self.adapters.find_installed(path) is None:
            return None
        return self.outline(path, data)

    def find_symbol_task(self, path: str, _language: str) -> str | None:
        """Return the task by which an installed adapter makes a file's symbol record; None without one."""
        return self.adapters.find_symbol_task(path)

    def describe_installed(self) -> tuple[str, ...]:
        """Return the names and versions of the installed adapters: "just 1.0.0"."""
        return tuple(f"{one.name} {one.version}".strip() for one in self.installed)

    def list_languages(self) -> frozenset[str]:
        """Return the languages that installed adapters add; their files have symbols too."""
        return frozenset(language for one in self.installed for _, language in one.languages)

    def find_hints(self, prompt: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names that installed adapters find in a prompt, and warnings about failed ones."""
        return self.adapters.find_hints(prompt) if self.installed else ((), ())

    def close(self) -> None:
        """End the parser process; later texts are outlined without it."""
        with self._lock:
            made = self._made
        if made is not None:
            made[1].close()
