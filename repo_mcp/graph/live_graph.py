"""The current graph of one root: rebuilt for each generation and used by every navigation call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.csharp.resolver import CSharpResolver
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.index_program import IndexProgram
from repo_mcp.graph.nodes import Node, find_paths_of
from repo_mcp.graph.precise import PreciseAnswers
from repo_mcp.graph.python.resolver import PythonResolver
from repo_mcp.graph.resolution import MakeResolver
from repo_mcp.graph.symbol_lookup import find_named_paths
from repo_mcp.graph.typed.resolver import NamedResolver
from repo_mcp.graph.typescript.resolver import TypeScriptResolver
from repo_mcp.live.look_ahead import Need
from repo_mcp.model import IndexedPath, SymbolIndexStatus
from repo_mcp.symbol_index.live_symbol_index import LiveSymbolIndex
from repo_mcp.symbol_index.precise_index import PreciseView
from repo_mcp.symbol_index.symbol_index import SymbolIndex
from repo_mcp.symbols.symbol_record import ParseStatus

RESOLVERS: Mapping[str, MakeResolver] = {
    "python": PythonResolver,
    "csharp": CSharpResolver,
    **dict.fromkeys(("typescript", "javascript"), TypeScriptResolver),
    **dict.fromkeys(("go", "java", "rust", "c", "cpp", "swift"), NamedResolver),
}

QUIET_SECONDS = 0.1  # for all files to be parsed, before it is looked up which ones a node_id needs


class LiveGraph:
    """The entry point of navigation. Every method may be called from several threads at a time."""

    def __init__(
        self,
        symbol_index: LiveSymbolIndex,
        list_source_paths: Callable[[], Iterable[str]],
        read: Callable[[str], bytes],
        name_path: Callable[[str], str],
        languages: Mapping[str, str],
        wait_seconds: float,
        find_precise: Callable[[], PreciseView | None] = lambda: None,
    ) -> None:
        """Take `read`, which returns a file's bytes or raises RepoError, and `languages` by extension.
        `name_path` makes a client's path relative to the root, or raises RepoError.

        A call waits for symbols that are being parsed up to `wait_seconds`. What `find_precise` returns comes
        before our own answers.
        """
        self._find_precise = find_precise
        self._wait_seconds = wait_seconds
        self._symbol_index = symbol_index
        self._list_source_paths = list_source_paths
        self._read = read
        self._name_path = name_path
        self._languages = languages
        self._lock = threading.Lock()
        self._made: tuple[SymbolIndex, PreciseView | None, Graph] | None = None
        self._told = threading.local()  # warnings in force when a thread last opened the graph

    @contextmanager
    def open(self, *, names: str = "", paths: Sequence[str] = ()) -> Iterator[Graph]:
        """Yield the current graph for one call. Raises INDEX_UNAVAILABLE when it is missing or damaged.

        While files are still to be parsed, waits up to the operator's `symbol_wait_seconds`; those are parsed
        first that have the `names`, or are named by `paths`.
        A symbol that the call does not find may be one that is missing here: NOT_FOUND says so, too.
        """
        self._told.warnings = []
        self._symbol_index.wait_for(Need(names, tuple(paths)), time.monotonic() + self._wait_seconds)
        with self._view() as graph:
            yield graph

    @contextmanager
    def open_at(self, symbol: str, argument: str = "symbol") -> Iterator[tuple[Graph, Node]]:
        """Yield the current graph and the symbol that an id, a name or a place means. Raises as `open` does,
        and as `SymbolLookup.choose` does, whose errors name the argument.

        Files that declare or use the symbol are parsed first.
        """
        if symbol.startswith(("/", "./", "../")):
            path, colon, rest = symbol.partition(":")
            symbol = f"{self._name_path(path)}{colon}{rest}"
        self._told.warnings = []
        self._wait_for(symbol)
        with self._view() as graph:
            yield graph, graph.choose(symbol, argument)

    @contextmanager
    def _view(self) -> Iterator[Graph]:
        with self._symbol_index.view() as view:
            self._told.warnings = self._symbol_index.warn()
            try:
                yield self._find_graph(view)
            except RepoError as error:
                if error.code is not ErrorCode.NOT_FOUND or not self._told.warnings:
                    raise
                message = " ".join([error.message, *self._told.warnings])
                raise RepoError(error.code, message, error.hint, error.details) from error

    def _wait_for(self, symbol: str) -> None:
        deadline = time.monotonic() + self._wait_seconds
        if self._symbol_index.wait_for(Need(), time.monotonic() + min(self._wait_seconds, QUIET_SECONDS)):
            return
        known = list(self._list_source_paths())
        declared_in = [*find_paths_of(symbol, known), *find_named_paths(symbol, known)]
        self._symbol_index.wait_for(Need("" if declared_in else symbol, tuple(declared_in)), deadline)
        with suppress(RepoError):
            with self._symbol_index.view() as view:
                name = self._find_graph(view).choose(symbol).symbol.name
            self._symbol_index.wait_for(Need(name), deadline)

    def _find_graph(self, view: SymbolIndex) -> Graph:
        precise = self._find_precise()
        with self._lock:
            if self._made is None or self._made[0] is not view or self._made[1] is not precise:
                program = IndexProgram(view, self._list_source_paths, self._read, self._languages, precise)
                answers = None if precise is None else PreciseAnswers(precise)
                self._made = (view, precise, Graph(program, RESOLVERS, answers))
            return self._made[2]

    def warn(self) -> list[str]:
        """Return warnings that not every file is parsed, as far as this process knows.

        A warning that held when this thread last opened the graph still counts: parsing may have ended since.
        """
        told: list[str] = getattr(self._told, "warnings", [])
        precise = None if self._made is None else self._made[1]
        fault = "" if precise is None else precise.fault
        return [*(told or self._symbol_index.warn()), *filter(None, [fault])]

    def status(self) -> SymbolIndexStatus:
        """Return the state of the symbol index."""
        return self._symbol_index.status()

    def index_files(
        self, paths: Sequence[str], cancelled: Callable[[], bool] | None = None
    ) -> tuple[IndexedPath, ...]:
        """Index some files now, including their symbols. Raises as `LiveSymbolIndex.index_files` does."""
        return self._symbol_index.index_files(paths, cancelled)

    def outline(self, path: str) -> tuple[list[Node], ParseStatus | None]:
        """Return a file's symbols by line, and its parse status or None. Raises INDEX_UNAVAILABLE."""
        with self.open(paths=[path]) as graph:
            return graph.outline(path), graph.find_status(path)
