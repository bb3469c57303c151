"""Says, for a second at most, what would match instead of a literal that is in no line of a repository.

With fewer conditions, or a part of it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

from repo_mcp.errors import RepoError
from repo_mcp.model import ExactRequest, SearchRequest
from repo_mcp.ranking.direct_hits.near_names import SIMILAR
from repo_mcp.record_classes import replace
from repo_mcp.repository.repository import Repository
from repo_mcp.text.lines import shorten_word

NO_MATCH_SECONDS = 1.0  # mostly a tenth of it is needed on the kernel
MOST_FILES = 2  # most files that are named
MOST_WORDS = 4  # most words of the literal that are searched for, the longest first
LEAST_CHARS = 3  # shortest such word: shorter ones are everywhere
_WORD = re.compile(r"\w+")


def explain_no_match(
    repository: Repository, request: ExactRequest, cancelled: Callable[[], bool] = lambda: False
) -> str:
    """Return sentences on what would match in place of a literal that no line holds; "" without any.

    Raises CANCELLED.
    """
    end = time.monotonic() + NO_MATCH_SECONDS
    try:
        return _describe(repository, request, lambda: time.monotonic() > end or cancelled())
    except RepoError:
        if cancelled():
            raise
        return ""  # the literal has no hits, which is the answer; this would only have said more


def _describe(repository: Repository, request: ExactRequest, stops: Callable[[], bool]) -> str:
    def find(looser: ExactRequest) -> str:
        found = repository.search_exact(replace(looser, limit=MOST_FILES, detail="files"), cancelled=stops)
        paths = [path for path, _ in found.files[:MOST_FILES]]
        return f"{', '.join(paths)} and perhaps others" if found.truncated else " and ".join(paths)

    for condition, looser in _iter_looser(request):
        if paths := find(looser):
            return f"{condition} it would match in {paths}."
    words = [word for word in dict.fromkeys(_WORD.findall(request.pattern)) if len(word) >= LEAST_CHARS]
    is_filtered = request.file_glob or request.language or not request.include_tests
    where = " of the filtered files" if is_filtered else ""
    held = ""
    for word in sorted(words, key=len, reverse=True)[:MOST_WORDS]:
        paths = "" if word == request.pattern else find(replace(request, pattern=word))
        if not paths:
            lacks = "" if word == request.pattern else f"No line{where} has `{shorten_word(word)}`."
            return _name_similar(repository, word) or lacks
        held = held or f"`{word}` alone is in {paths}."
    return held


def _name_similar(repository: Repository, word: str) -> str:
    """Return a sentence with the declared names that are similar to a word, or ""."""
    named = repository.search(SearchRequest(word, top_k=1, symbols_only=True, names_snapshot=False))
    return next((one for one in named.warnings if SIMILAR in one), "")


def _iter_looser(request: ExactRequest) -> Iterator[tuple[str, ExactRequest]]:
    """Yield the request without each of its conditions, and what to call that."""
    if request.case_sensitive and request.pattern.lower() != request.pattern.upper():
        yield "With ignore_case", replace(request, case_sensitive=False)
    if request.whole_word:
        yield "Without whole_word", replace(request, whole_word=False)
    if request.file_glob:
        yield "Without file_glob", replace(request, file_glob=None)
    if request.language:
        yield "Without language", replace(request, language=None)
    if not request.include_tests:
        yield "With include_tests", replace(request, include_tests=True)
