"""Code search over one root in its current state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from index_format import IndexFormatError
from repo_mcp.code_search.find import Meaning
from repo_mcp.code_search.records import CodeAnswer, CodeRequest
from repo_mcp.code_search.search import Ask, CodeSources, search_code
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.ranking.snippets import ReadLive
from repo_mcp.symbol_index.live_symbol_index import LiveSymbolIndex


class LiveCodeSearch:
    """The engine of `search_code`. Safe for use from several threads."""

    def __init__(
        self,
        index: LiveIndex,
        symbol_index: LiveSymbolIndex,
        read_live: ReadLive,
        extensions: Mapping[str, str],
        max_words: int,
        meaning: Meaning | None = None,
    ) -> None:
        """`extensions` maps file extensions to languages; `max_words` limits the words of a query."""
        self._index = index
        self._symbol_index = symbol_index
        self._read_live = read_live
        self._extensions = extensions
        self._max_words = max_words
        self._meaning = meaning

    def search(self, request: CodeRequest, ask: Ask | None = None) -> CodeAnswer:
        """Return the hits; `ask` queries the client's model. Raises RepoError with INDEX_UNAVAILABLE."""
        searcher = self._index.get_searcher()
        find_record = self._symbol_index.open_finder()
        meaning = self._meaning
        sources = CodeSources(
            searcher, self._read_live, find_record, self._extensions, self._max_words, meaning
        )
        try:
            answer = search_code(request, sources, ask)
        except IndexFormatError as error:
            raise self._index.report_damage() from error
        progress = self._index.describe_progress(searcher.snapshot)
        notes = [*answer.warnings, *dict.fromkeys([*progress, *self._symbol_index.warn()])]
        if meaning is not None and request.semantic_weight:
            notes += meaning.warn()
        return replace(answer, warnings=tuple(notes))
