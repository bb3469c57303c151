"""The filters of a search request, as this root understands them: its globs, languages and extensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.languages.patterns.language_registry import (
    find_language,
    find_near_languages,
    name_language,
    passes_language,
)
from repo_mcp.live.look_ahead import Need
from repo_mcp.model import ExactRequest, SearchRequest
from repo_mcp.record_classes import replace
from repo_mcp.workspace.glob_filter import GlobFilter
from repo_mcp.workspace.reader.client_paths import RootNames

Request = TypeVar("Request", SearchRequest, ExactRequest)


class RequestFilters:
    """Reads the filters of requests about one root."""

    def __init__(self, names: RootNames, extensions: Mapping[str, str]) -> None:
        """Take the `names` of the root, and the languages of further `extensions`."""
        self._names = names
        self._extensions = extensions

    def cut_root(self, request: Request) -> Request:
        """Return a request with a glob that begins at the root, although a client may name the root in it."""
        if not request.file_glob:
            return request
        return replace(request, file_glob=self._names.cut_root(request.file_glob))

    def name_language(self, request: Request) -> Request:
        """Return a request with our name of its language. Raises INVALID_ARGUMENT for an unknown one."""
        given = request.language
        if given is None:
            return request
        others = set(self._extensions.values())
        language = name_language(given, others)
        if language is None:
            near = find_near_languages(given, others)
            raise RepoError(
                ErrorCode.INVALID_ARGUMENT,
                f"No language is called `{given[:64]}`" + (f"; similar: {', '.join(near)}" if near else ""),
                "repo.status lists the languages of this repository; without language, all are searched.",
                {"argument": "language"},
            )
        return replace(request, language=language)

    def read(self, request: SearchRequest) -> tuple[SearchRequest, Need]:
        """Return a request with filters as we understand it, and the files that it needs.

        Raises INVALID_ARGUMENT for a bad glob, and an unknown language.
        """
        request = self.name_language(self.cut_root(request))
        return request, Need(request.query, wanted=self.build_test(request))

    def build_test(self, request: SearchRequest) -> Callable[[str], bool]:
        """Return what tells by its path if a file passes the filters of a request that was read."""
        matches, language = GlobFilter(request.file_glob or "**").matches, request.language

        def is_wanted(path: str) -> bool:
            return matches(path) and passes_language(
                path, find_language(path, self._extensions).name, language
            )

        return is_wanted
