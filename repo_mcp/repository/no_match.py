"""Explains, for a second at most, why a literal has no hits in a repository."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from repo_mcp.errors import RepoError
from repo_mcp.exact.no_match import describe_no_match
from repo_mcp.model import ExactRequest, SearchRequest
from repo_mcp.ranking.direct_hits.near_names import SIMILAR
from repo_mcp.repository.repository import Repository

NO_MATCH_SECONDS = 1.0  # mostly a tenth of it is needed on the kernel


def explain_no_match(
    repository: Repository, request: ExactRequest, cancelled: Callable[[], bool] = lambda: False
) -> str:
    """Return a sentence on what would match in place of a literal that no line holds; "" without any.

    Raises CANCELLED.
    """

    def describe_missing(word: str) -> str:
        named = repository.search(SearchRequest(word, top_k=1, symbols_only=True, names_snapshot=False))
        return next((one for one in named.warnings if SIMILAR in one), "")

    end = time.monotonic() + NO_MATCH_SECONDS

    def stops() -> bool:
        return time.monotonic() > end or cancelled()

    try:
        return describe_no_match(request, partial(repository.search_exact, cancelled=stops), describe_missing)
    except RepoError:
        if cancelled():
            raise
        return ""  # the literal has no hits, which is the answer; this would only have said more
