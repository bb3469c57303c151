"""Documentation search over one opened root: the current index and the live files behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from index_format import IndexFormatError
from repo_mcp.documentation.live_files import ReadLive
from repo_mcp.documentation.media import MediaReader
from repo_mcp.documentation.records import DocsAnswer, DocsRequest
from repo_mcp.documentation.search import DocsSource, search_docs
from repo_mcp.live.live_index import LiveIndex


class LiveDocumentation:
    """Answers documentation queries. Safe for use from several threads."""

    def __init__(
        self,
        index: LiveIndex,
        read_live: ReadLive,
        reader: MediaReader,
        extensions: Mapping[str, str],
        max_words: int,
    ) -> None:
        """`extensions` maps file extensions to languages; `max_words` limits the words of a query."""
        self._index = index
        self._read_live = read_live
        self._reader = reader
        self._extensions = extensions
        self._max_words = max_words

    def search(self, request: DocsRequest, cancelled: Callable[[], bool] = lambda: False) -> DocsAnswer:
        """Return the best sections and comments. Raises RepoError with INDEX_UNAVAILABLE or CANCELLED."""
        searcher = self._index.get_searcher()
        source = DocsSource(searcher, self._read_live, self._reader, self._extensions, self._max_words)
        try:
            answer = search_docs(request, source, cancelled)
        except IndexFormatError as error:
            raise self._index.report_damage() from error
        progress = self._index.describe_progress(searcher.snapshot)
        return replace(answer, warnings=(*answer.warnings, *progress))
