"""The current graph of one root: rebuilt for each generation and used by every navigation call.

Left out on purpose: what resolvers and searches see of the indexes at one moment (`index_program.py`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph import typed_resolvers as typed
from repo_mcp.graph.bulk_scan import is_partly_parsed
from repo_mcp.graph.csharp.resolver import CSharpResolver
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.index_program import IndexProgram
from repo_mcp.graph.lookup.symbol_lookup import UNPARSED, find_named_paths
from repo_mcp.graph.nodes import Node, find_paths_of
from repo_mcp.graph.python.resolver import PythonResolver
from repo_mcp.graph.resolution import MakeResolver, PreciseAnswers
from repo_mcp.graph.typescript.resolver import TypeScriptResolver
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.languages.symbol_parsers import list_languages
from repo_mcp.live.index_report import CHANGING
from repo_mcp.live.look_ahead import Need
from repo_mcp.live.refresher import FAILED
from repo_mcp.model import IndexedPath
from repo_mcp.symbol_index.live_symbol_index import LiveSymbolIndex
from repo_mcp.symbol_index.precise_index import PreciseView
from repo_mcp.symbol_index.symbol_index import SymbolIndex
from repo_mcp.symbols.symbol_record import ParseStatus, SymbolKind
from repo_mcp.workspace.reader.client_paths import is_unicode, shown

RESOLVERS: Mapping[str, MakeResolver] = {
    "python": PythonResolver,
    "csharp": CSharpResolver,
    **dict.fromkeys(("typescript", "javascript"), TypeScriptResolver),
    **typed.RESOLVERS,
}

QUIET_SECONDS = 0.1  # seconds that a call waits for all files, before it finds out which ones a node_id needs


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
        find_precise: Callable[[], PreciseView | None],
        describe_declarations: Callable[[str, Callable[[str], bool]], str],
        *,
        follows: bool,
    ) -> None:
        """Take `read`, which returns a file's bytes or raises RepoError, and `languages` by extension.
        `name_path` makes a client's path relative to the root, or raises RepoError. `describe_declarations`
        returns where files declare a name that no parser reads, or only in part, of which it is told; or "".

        A call waits for symbols that are being parsed up to `wait_seconds`. The answers of the view that
        `find_precise` returns take precedence over our own. If the index `follows` the tree by itself, who
        misses a symbol need only ask again.
        """
        self._follows = follows
        self._find_precise = find_precise
        self._describe_declarations = describe_declarations
        self._wait_seconds = wait_seconds
        self._symbol_index = symbol_index
        self._list_source_paths = list_source_paths
        self._read = read
        self._name_path = name_path
        self._languages = languages
        self._lock = threading.Lock()
        self._made: tuple[SymbolIndex, PreciseView | None, Graph] | None = None
        self._opened_with = threading.local()  # warnings in force when a thread last opened the graph

    @contextmanager
    def open(self, *, names: str = "", paths: Sequence[str] = ()) -> Iterator[Graph]:
        """Yield the current graph for one call. Raises INDEX_UNAVAILABLE when it is missing or damaged.

        While files remain to be parsed, this waits up to the operator's `symbol_wait_seconds`. Files that
        hold the `names`, or are in `paths`, are parsed first. A symbol may be missing because its file is not
        parsed yet: then NOT_FOUND says so.
        """
        self._opened_with.warnings = []
        self._symbol_index.wait_for(Need(names, tuple(paths)), time.monotonic() + self._wait_seconds)
        with self._view() as graph:
            yield graph

    @contextmanager
    def open_at(
        self,
        symbol: str,
        argument: str = "symbol",
        *,
        has_body: bool = False,
        likely: frozenset[SymbolKind] = frozenset(),
    ) -> Iterator[tuple[Graph, Node]]:
        """Yield the current graph and the symbol that an id, a name or a path and line means.

        With `has_body`, it must be one definition, not a prototype that stands for several. Of several
        symbols, the only one of a `likely` kind is meant.
        Raises as `open` and `SymbolLookup.choose` do, and INVALID_ARGUMENT for unpaired surrogates. Errors
        name `argument`.

        Files that declare or use the symbol are parsed first.
        """
        if not is_unicode(symbol):  # a name from the command line that is not valid UTF-8
            raise RepoError(ErrorCode.INVALID_ARGUMENT, f"{argument} is not valid Unicode.")
        if symbol.startswith(("/", "./", "../")):
            path, colon, rest = symbol.partition(":")
            symbol = f"{self._name_path(path)}{colon}{rest}"
        self._opened_with.warnings = []
        self._wait_for(symbol)
        with self._view() as graph:
            try:
                chosen = graph.choose(symbol, argument, has_body=has_body, likely=likely)
            except RepoError as error:
                raise self._explain_unknown(error, symbol, graph) from error
            yield graph, chosen

    def _explain_unknown(self, error: RepoError, symbol: str, graph: Graph) -> RepoError:
        """Return the error for a symbol that was not found, with the reason if its file is not parsed."""
        path = error.details.get(UNPARSED)
        if isinstance(path, str):
            language = self._find_unread_language(path)
            if language:
                message = f"The symbols of {shown(path)} are not known: no parser here reads {language}."
                return RepoError(error.code, message, "Search its text for the name instead.", error.details)
            message = f"The symbols of {shown(path)} are not known yet: it is not parsed."
            hint = "Index this file, or ask again in a moment; its text can be searched and read now."
            return RepoError(error.code, message, hint, error.details)
        is_of_path = not error.hint  # rather than a symbol that a file without a parser may declare
        if error.code is not ErrorCode.NOT_FOUND or is_of_path:
            return error
        hint = self._describe_declarations(symbol, partial(is_partly_parsed, graph.scan))
        hint = hint or f"{error.hint} {self._describe_unread()}".rstrip()
        return RepoError(error.code, error.message, hint, error.details)

    def _find_unread_language(self, path: str) -> str:
        """Return the language of a file that no parser reads; "" if one does.

        It is the name of the file if other files of the language are parsed: `go.mod`.
        """
        language = find_language(path, self._languages).name
        if self._symbol_index.has_parser(path, language):
            return ""
        return path.rpartition("/")[2] if language in list_languages() else language

    def describe_unread(self, name: str) -> str:
        """Return where files that no parser reads declare a name, for a call that did not find it.

        If there is no such place, return which languages no parser reads; "" if there are none.
        """
        return self._describe_declarations(name, lambda _path: False) or self._describe_unread()

    def _describe_unread(self) -> str:
        return self._symbol_index.unparsed.find().describe_unread()

    def list_present_languages(self) -> frozenset[str]:
        """Return the languages of all files."""
        return self._symbol_index.unparsed.find().present

    def explain_unparsed(self, path: str) -> str:
        """Return why the symbols of a file are not known. Raises INDEX_UNAVAILABLE."""
        language = self._find_unread_language(path)
        if language:
            return f"The symbols of this file are not known: no parser here reads it ({language})."
        with self._symbol_index.view() as view:
            if view.has_file(path):
                return "The symbols of this file are not known yet: it is not parsed. Ask again in a moment."
        return "The symbols of this file are not known: it is not indexed. It may be ignored or too large."

    @contextmanager
    def _view(self) -> Iterator[Graph]:
        with self._symbol_index.view() as opened:
            view, warnings = opened, self._symbol_index.warn()
            while not warnings and (latest := self._symbol_index.find_view()) not in (None, view):
                view, warnings = latest, self._symbol_index.warn()  # the warnings were about a newer index
            self._opened_with.warnings = warnings
            try:
                yield self._find_graph(view)
            except RepoError as error:
                if error.code is not ErrorCode.NOT_FOUND or not self._opened_with.warnings:
                    raise
                message = " ".join([error.message, *self._opened_with.warnings])
                told = self._opened_with.warnings
                # else mostly nothing has changed, or nothing will until the fault is mended
                is_growing = told != [CHANGING] and not any(one.startswith(FAILED) for one in told)
                advice = "Ask again in a moment." if self._follows else "Refresh the index and ask again."
                is_advised = "again in a moment" in error.hint
                hint = f"{f'{advice} ' * (is_growing and not is_advised)}{error.hint}".strip()
                raise RepoError(error.code, message, hint, error.details) from error

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
        warnings: list[str] = getattr(self._opened_with, "warnings", [])
        precise = None if self._made is None else self._made[1]
        fault = "" if precise is None else precise.fault
        return [*(warnings or self._symbol_index.warn()), *filter(None, [fault])]

    def is_partial(self) -> bool:
        """Return True if the graph may lack symbols: of files not parsed yet, or of a damaged SCIP index."""
        precise = None if self._made is None else self._made[1]
        return self._symbol_index.is_partial() or (precise is not None and bool(precise.fault))

    def index_files(
        self, paths: Sequence[str], cancelled: Callable[[], bool] | None = None
    ) -> tuple[IndexedPath, ...]:
        """Index some files now, including their symbols. Raises as `NamedFiles.index` does."""
        return self._symbol_index.named_files.index(paths, cancelled)

    def outline(self, path: str) -> tuple[list[Node], ParseStatus | None]:
        """Return a file's symbols by line, and its parse status or None. Raises INDEX_UNAVAILABLE."""
        with self.open(paths=[path]) as graph:
            return graph.outline(path), graph.find_status(path)
