"""Research in one opened root. The current graph is opened for each question, or done without."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Protocol

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.live_graph import LiveGraph
from repo_mcp.model import ExactAnswer, ExactRequest, SearchAnswer, SearchRequest
from repo_mcp.research.records import Report, ResearchRequest, Steps
from repo_mcp.research.research import answer_question, check_request
from repo_mcp.research.source import Source


class SearchExact(Protocol):
    """An exact search that can be cancelled."""

    def __call__(
        self, request: ExactRequest, cancelled: Callable[[], bool] | None = None, /
    ) -> ExactAnswer: ...


class Researcher:
    """Answers research questions. Safe for use from several threads."""

    def __init__(
        self,
        graph: LiveGraph,
        search: Callable[[SearchRequest], SearchAnswer],
        search_exact: SearchExact,
        read: Callable[[str], bytes],
    ) -> None:
        """`read` returns the bytes of a live file or raises RepoError."""
        self._graph = graph
        self._search = search
        self._search_exact = search_exact
        self._read = read

    def answer(self, request: ResearchRequest, steps: Steps) -> Report:
        """Return the report on a question. Raises RepoError: INVALID_ARGUMENT, CANCELLED, INDEX_UNAVAILABLE.

        While no symbols are indexed, the report comes from a search for the words alone, with a warning.
        """
        check_request(request)
        with ExitStack() as stack:
            try:
                graph = stack.enter_context(self._graph.open())
            except RepoError as error:
                if error.code is not ErrorCode.INDEX_UNAVAILABLE:
                    raise
                graph = None

            def search_exact(asked: ExactRequest) -> ExactAnswer:
                return self._search_exact(asked, steps.cancelled)

            report = answer_question(request, Source(graph, self._search, search_exact, self._read), steps)
        progress = () if graph is None else self._graph.warn()
        return replace(report, warnings=(*report.warnings, *progress))
