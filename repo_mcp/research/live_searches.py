"""The searches of an opened root, as questions use them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from index_format import IndexFormatError
from repo_mcp.bundler.rating import RatedBlock, rate_blocks
from repo_mcp.bundler.records import BundleRequest
from repo_mcp.bundler.source import IndexSource
from repo_mcp.bundler.spans import LayoutReader
from repo_mcp.documentation.records import DocsAnswer, DocsRequest
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.look_ahead import Need
from repo_mcp.model import SearchAnswer, SearchRequest


@dataclass(frozen=True, slots=True)
class LiveSearches:
    """Searches of the newest index. Safe for use from several threads."""

    index: LiveIndex
    read: Callable[[str], bytes]
    read_layout: LayoutReader
    search: Callable[[SearchRequest], SearchAnswer]
    search_docs: Callable[[DocsRequest], DocsAnswer]

    def rate(
        self, request: BundleRequest, folder: str, most: int
    ) -> tuple[list[RatedBlock], dict[str, float]]:
        """Return the best declarations of a folder for a prompt, and the weights of the prompt's terms.

        Raises RepoError with INDEX_UNAVAILABLE.
        """
        inside = f"{folder}/"
        need = Need(request.prompt, wanted=(lambda path: path.startswith(inside)) if folder else None)
        source = IndexSource(self.index.get_searcher(fresh=True, need=need), self.read, folder=folder)
        try:
            return rate_blocks(request, source, self.read_layout, most)
        except IndexFormatError as error:
            raise self.index.report_damage() from error
