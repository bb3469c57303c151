"""The files that a call names or needs: which to parse first, and what became of those it wanted indexed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from index_format import compute_fingerprint
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.live.look_ahead import Need
from repo_mcp.model import IndexedPath, SkipReason
from repo_mcp.ranking.query import Query, parse_query
from repo_mcp.ranking.searcher import Searcher
from repo_mcp.symbol_index.phase import SymbolPhase
from repo_mcp.symbol_index.symbol_index import SymbolIndex
from repo_mcp.text.analysis import analyse_text
from repo_mcp.workspace.repository_reader import OpenedFile

PENDING = "pending"
LEFT_OUT = "excluded"  # ignored, hidden or denied because of its name
MAX_WORDS = 50  # of a question
MAX_FILES = 30  # parsed first: half a second's work
_NAME = re.compile(r"\w+(?:\.\w+)*")


def find_name(path: str, name_path: Callable[[str], str]) -> str | RepoError:
    """Return the relative path for a client's path, or the error that says what is wrong with it."""
    try:
        named = name_path(path)
    except RepoError as error:
        return error
    return named or RepoError(ErrorCode.NOT_A_FILE, "The path names a directory.")


def is_current(
    read: Callable[[str], OpenedFile], lexical: KnownFiles, left_out: Collection[str], path: str
) -> bool:
    """Return True when the index has a file as it is now, or has not what is gone or `left_out`."""
    try:
        data = None if path in left_out else read(path).data
    except RepoError:
        data = None
    if data is None:
        return lexical.find(path) is None
    return compute_fingerprint(data) == lexical.find_fingerprint(path)


class Outcomes:
    """The outcomes for files, judged by what is indexed now."""

    def __init__(
        self,
        lexical: KnownFiles,
        view: SymbolIndex,
        skipped: Mapping[str, SkipReason],
        phase: SymbolPhase,
        *,
        is_settled: bool,
        pending: Collection[str],
    ) -> None:
        """`skipped` maps files that are not indexed to the reason. What is not `is_settled` is being written
        by others, so that only what the index has of a file tells. Those `pending` were not parsed now."""
        self._lexical = lexical
        self._view = view
        self._skipped = skipped
        self._is_settled = is_settled
        self._phase = phase
        self._pending = pending

    def tell(self, path: str, named: str | RepoError) -> IndexedPath:
        """Return the outcome for one path; `named` comes from `find_name`."""
        if isinstance(named, RepoError):
            return IndexedPath(path, named.code.value)
        if not self._is_settled and not is_current(self._phase.read, self._lexical, self._skipped, named):
            return IndexedPath(path, ErrorCode.BUSY.value)
        if self._lexical.find(named) is not None:
            return IndexedPath(path, "indexed", self._tell_structure(named))
        reason = self._skipped.get(named)
        if reason not in (None, SkipReason.EXCLUDED):  # of which a link, say, is told something else
            return IndexedPath(path, reason.value)
        try:
            self._phase.read(named)
        except RepoError as error:
            return IndexedPath(path, error.code.value)
        return IndexedPath(path, LEFT_OUT)

    def _tell_structure(self, path: str) -> str:
        status = self._view.find_status(path)
        if status is not None:
            return status.name.lower()
        return PENDING if path in self._pending else ""


@dataclass(frozen=True, slots=True)
class NeededFiles:
    """Files to parse first, the best ones first."""

    paths: tuple[str, ...]
    are_all: bool  # no other file can matter to the call


def find_needed(searcher: Searcher, need: Need) -> NeededFiles:
    """Return the files that are named, and those with the names. Raises IndexFormatError, OSError."""
    if not need.text:
        return NeededFiles(need.paths, are_all=bool(need.paths))
    is_name = _NAME.fullmatch(need.text) is not None
    query = parse_query(need.text, MAX_WORDS)
    if is_name:  # as a whole: its parts may be in every file
        query = Query(terms=analyse_text(need.text.rpartition(".")[2])[:1])
    ranking = searcher.rank(query, MAX_FILES)
    found = dict.fromkeys([*need.paths, *(chunk.path for chunk in ranking.chunks)])
    return NeededFiles(tuple(found), are_all=is_name and ranking.total <= len(ranking.chunks))
