"""Everything that a question may read: the graph, the searches, and live lines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from repo_mcp.bundler.rating import RatedBlock
from repo_mcp.bundler.records import BundleRequest
from repo_mcp.bundler.spans import Layout
from repo_mcp.documentation.records import DocsAnswer, DocsRequest
from repo_mcp.errors import RepoError
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.lru_cache import LruCache
from repo_mcp.model import ExactAnswer, ExactRequest, SearchAnswer, SearchRequest
from repo_mcp.research.locating import find_innermost
from repo_mcp.text.lines import decode_source, split_lines

KEPT_FILES = 32  # whose lines are cached


class Searches(Protocol):
    """The searches of one root that need no symbols."""

    def search(self, request: SearchRequest, /) -> SearchAnswer:
        """Return the best hits for words."""
        ...

    def rate(
        self, request: BundleRequest, folder: str, most: int, /
    ) -> tuple[list[RatedBlock], dict[str, float]]:
        """Return the best declarations of a folder for a prompt, and the weights of the prompt's terms."""
        ...

    def read_layout(self, path: str, text: bytes, /) -> Layout:
        """Return the declarations of a text, and the lines of its comments."""
        ...

    def search_docs(self, request: DocsRequest, /) -> DocsAnswer:
        """Return the best sections of documents and comments of declarations."""
        ...


class Source:
    """One root as one question sees it."""

    def __init__(
        self,
        graph: Graph | None,
        searches: Searches,
        search_exact: Callable[[ExactRequest], ExactAnswer],
        read: Callable[[str], bytes],
    ) -> None:
        """`graph` is None while nothing is parsed; `read` returns the bytes of a file or raises RepoError."""
        self.graph = graph
        self.search = searches.search
        self.rate = searches.rate
        self.search_docs = searches.search_docs
        self._read_layout = searches.read_layout
        self._asides: LruCache[str, frozenset[int]] = LruCache(KEPT_FILES)
        self.search_exact = search_exact
        self._read = read
        self._lines: LruCache[str, tuple[str, ...]] = LruCache(KEPT_FILES)

    def read_lines(self, path: str) -> tuple[str, ...]:
        """Return the lines of a live file, without line ends; none when it cannot be read."""
        return self._lines.get(path, lambda: self._read_lines(path))

    def read_asides(self, path: str) -> frozenset[int]:
        """Return the numbers of the lines of a live file that are comments or docstrings."""
        return self._asides.get(path, lambda: self._find_asides(path))

    def _find_asides(self, path: str) -> frozenset[int]:
        text = "\n".join(self.read_lines(path)).encode()
        return self._read_layout(path, text).comment_lines

    def _read_lines(self, path: str) -> tuple[str, ...]:
        try:
            raw = split_lines(decode_source(self._read(path)).data)
        except RepoError:
            raw = []
        return tuple(map(partial(str, encoding="utf-8", errors="replace"), raw))

    def find_around(self, path: str, line: int) -> Node | None:
        """Return the innermost symbol of a file whose lines include `line`; None when no indexed one does."""
        record = None if self.graph is None else self.graph.scan.find_record(path)
        ordinal = 0 if record is None else find_innermost(record, line)
        return self.graph.get_node(Declaration(path, ordinal)) if self.graph is not None and ordinal else None

    def find_file(self, path: str) -> Node | None:
        """Return the node of a whole file; None for a file that is not in the symbol index."""
        if self.graph is None:
            return None
        try:
            return self.graph.get_node(Declaration(path, 0))
        except KeyError:
            return None
