"""Search the newest index and the live texts for a question: what needs no symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from index_format import IndexFormatError
from repo_mcp.blocks.best_blocks import RatedBlock, rate_blocks
from repo_mcp.blocks.layouts import LayoutReader
from repo_mcp.blocks.source import IndexSource
from repo_mcp.documentation.records import DocsAnswer, DocsRequest
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.look_ahead import Need
from repo_mcp.model import ExactAnswer, ExactRequest, SearchAnswer, SearchRequest
from repo_mcp.ranking.page.rare_words import QueryWord, look_up_words
from repo_mcp.record_classes import dataclass


@dataclass(frozen=True, slots=True)
class LiveSearches:
    """Searches of the newest index. Safe for use from several threads."""

    index: LiveIndex
    read: Callable[[str], bytes]  # a live file; raises RepoError
    read_layout: LayoutReader
    search: Callable[[SearchRequest], SearchAnswer]
    search_exact: Callable[[ExactRequest, Callable[[], bool]], ExactAnswer]  # until it is cancelled
    search_docs: Callable[[DocsRequest], DocsAnswer]

    def rate(
        self, prompt: str, folder: str, most: int, *, include_tests: bool
    ) -> tuple[list[RatedBlock], dict[str, float]]:
        """Return the best declarations of a folder for a prompt, and the weights of the prompt's terms.

        Raises RepoError with INDEX_UNAVAILABLE.
        """
        inside = f"{folder}/"
        need = Need(prompt, wanted=(lambda path: path.startswith(inside)) if folder else None)
        source = IndexSource(self.index.get_searcher(fresh=True, need=need), self.read, folder=folder)
        try:
            return rate_blocks(prompt, source, self.read_layout, most, include_tests=include_tests)
        except IndexFormatError as error:
            raise self.index.report_damage() from error

    def look_up_words(self, text: str) -> tuple[Sequence[QueryWord], bool]:
        """Return the words of a text that may tell something, and whether all files were looked up.

        Raises RepoError with INDEX_UNAVAILABLE.
        """
        searcher = self.index.get_searcher(fresh=False)
        is_whole = self.index.report.is_whole(searcher.snapshot)
        try:
            return look_up_words(text, searcher.count_units), is_whole
        except IndexFormatError as error:
            raise self.index.report_damage() from error
