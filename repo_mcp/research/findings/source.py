"""Everything that an investigation may read: the graph, the searches, and live lines.

Functions that take a Source raise no errors for files that cannot be read: these have no lines.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from repo_mcp.blocks.layouts import Layout
from repo_mcp.errors import RepoError
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.lru_cache import LruCache
from repo_mcp.model import ExactAnswer, ExactRequest, Hit
from repo_mcp.ranking.page.rare_words import describe_absent, lacks_most
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.live_searches import LiveSearches
from repo_mcp.research.findings.locating import find_inner_span, find_innermost
from repo_mcp.symbol_index.unread_declarations import list_spelled
from repo_mcp.text.lines import decode_source, split_lines

MAX_SPELLED = 100  # declarations of one name
CACHED_FILES = 32  # whose lines are kept


@dataclass(frozen=True, slots=True)
class Holder:
    """The declaration around a line; without a name and lines, there is none."""

    symbol: str = ""  # qualified name
    name: str = ""
    first: int = 0
    last: int = 0
    node: Node | None = None  # None where no parser reads the file


class Source:
    """One root as one question sees it."""

    def __init__(
        self,
        graph: Graph | None,
        searches: LiveSearches,
        cancelled: Callable[[], bool],
        *,
        is_partial: bool = False,
        present: Collection[str] = (),
    ) -> None:
        """Take a `graph`, or None while nothing is parsed; if it `is_partial`, it may lack declared names.

        Exact searches end when `cancelled` returns True. `present` holds the languages of all files.
        """
        self.graph = graph
        self.is_partial = is_partial
        self.present = present
        self.search = searches.search
        self.rate = searches.rate
        self.search_docs = searches.search_docs
        self._searches = searches
        self._cancelled = cancelled
        self._layouts: LruCache[str, Layout] = LruCache(CACHED_FILES)
        self._spelled: dict[str, list[Hit]] = {}
        self._lines: LruCache[str, tuple[str, ...]] = LruCache(CACHED_FILES)

    def get_graph(self) -> Graph:
        """Return the graph, which must exist: without one, a question is answered by text alone."""
        assert self.graph is not None
        return self.graph

    def search_exact(self, request: ExactRequest) -> ExactAnswer:
        """Return the matches of a literal or an expression in live texts."""
        return self._searches.search_exact(request, self._cancelled)

    def list_spelled(self, name: str) -> list[Hit]:
        """Return the best declarations of exactly a name, as lines of text show them, in any type."""
        if name not in self._spelled:
            self._spelled[name] = list_spelled(self.search, name, MAX_SPELLED)
        return self._spelled[name]

    def read_lines(self, path: str) -> tuple[str, ...]:
        """Return the lines of a live file, without line ends; none when it cannot be read."""
        return self._lines.get(path, lambda: self._read_lines(path))

    def read_comment_lines(self, path: str) -> frozenset[int]:
        """Return the numbers of the lines of a live file that are comments or docstrings."""
        return self.find_layout(path).comment_lines

    def find_layout(self, path: str) -> Layout:
        """Return the declarations of a live file, as its text shows them, and the lines of its comments."""
        return self._layouts.get(
            path, lambda: self._searches.read_layout(path, "\n".join(self.read_lines(path)).encode())
        )

    def _read_lines(self, path: str) -> tuple[str, ...]:
        try:
            raw = split_lines(decode_source(self._searches.read(path)).data)
        except RepoError:
            raw = []
        return tuple(map(partial(str, encoding="utf-8", errors="replace"), raw))

    def find_absent(self, text: str, replaced: Collection[str]) -> tuple[list[str], list[str], bool]:
        """Return the words of a text that surely no file has, warnings, and whether these are most of it.

        The warnings are about words that no indexed file has. Before all files are indexed, no word is surely
        absent. Nothing is said of words that are `replaced` by others.
        """
        words, is_whole = self._searches.look_up_words(text)
        telling = [one for one in words if one.text not in replaced]
        absent = [one.text for one in telling if not one.units and is_whole]
        return absent, describe_absent(telling, is_whole=is_whole), is_whole and lacks_most(text, words)

    def is_absent(self, word: str) -> bool:
        """Return True for a word that no file has."""
        words, is_whole = self._searches.look_up_words(word)
        return is_whole and bool(words) and not any(one.units for one in words)

    def find_around(self, path: str, line: int) -> Node | None:
        """Return the innermost symbol of a file whose lines include `line`; None when no indexed one does."""
        record = None if self.graph is None else self.graph.scan.find_record(path)
        ordinal = 0 if record is None else find_innermost(record, line)
        return self.graph.get_node(Declaration(path, ordinal)) if self.graph is not None and ordinal else None

    def find_holder(self, path: str, line: int) -> Holder:
        """Return the innermost declaration around a line, as text shows it where no parser reads the file."""
        node = self.find_around(path, line)
        if node is not None:
            symbol = node.symbol
            return Holder(node.qualified_name, symbol.name, symbol.start_line, symbol.end_line, node)
        span = find_inner_span(self.find_layout(path).spans, line)
        if span is not None:
            return Holder(span.qualified_name, span.name, span.name_line, span.end_line)
        return Holder()

    def find_file(self, path: str) -> Node | None:
        """Return the node of a whole file; None for a file that is not in the symbol index."""
        if self.graph is None:
            return None
        try:
            return self.graph.get_node(Declaration(path, 0))
        except KeyError:
            return None
