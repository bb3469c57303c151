"""The records of a code search: requests and answers. No behaviour."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from repo_mcp.ranking.relevance import rate_percent
from repo_mcp.record_classes import dataclass


class Author(StrEnum):
    """The author of an expansion or a summary."""

    CLIENT = "client"  # the client's own model
    INDEX = "index"  # this program, from the index and the hits


@dataclass(frozen=True, slots=True)
class CodeRequest:
    """A code search, validated."""

    query: str
    limit: int
    matches_path: Callable[[str], bool] | None = None  # None: every path
    filter_key: str = ""  # identifies the filter `matches_path` in caches
    semantic_weight: float = 0.0  # the part that meaning has in a score, 0 to 1, if there are vectors
    expands: bool = False
    sums_up: bool = False


@dataclass(frozen=True, slots=True)
class AddedTerm:
    """A word added to a query."""

    word: str  # as the code or the model spells it
    term: str  # as the index holds it
    weight: float  # relative to 1 for the words of the query


@dataclass(frozen=True, slots=True)
class Expansion:
    """The words added to a query, the heaviest first."""

    author: Author
    terms: tuple[AddedTerm, ...]


@dataclass(frozen=True, slots=True)
class CodeHit:
    """One found piece of code: the best lines of a declaration, or of text that declares nothing."""

    path: str
    start_line: int  # of the content
    end_line: int
    content: str  # the lines as they are now, joined by line feeds
    share: float  # of the best score that could be reached, 0 to 1
    kind: str
    symbols: tuple[str, ...]  # declared in the content, or around it
    signature: str = ""
    breadcrumb: str = ""  # the enclosing declarations, outermost first
    doc_comment: str = ""
    declared_lines: tuple[int, int] | None = None  # of a declaration that the content shows only in part

    @property
    def relevance_percent(self) -> float:
        """Return the relevance from 0 to 100. See `repo_mcp.code_search.declarations`."""
        return rate_percent(self.share)


@dataclass(frozen=True, slots=True)
class Citation:
    """The location of evidence for a statement of a summary."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A tool call that would lead further, and why."""

    tool: str
    arguments: tuple[tuple[str, str], ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of the hits."""

    author: Author
    text: str  # with citations as path:line
    citations: tuple[Citation, ...]
    dropped: int = 0  # sentences of a model that cited what it was not shown


@dataclass(frozen=True, slots=True)
class CodeAnswer:
    """The hits of a code search, best first."""

    hits: tuple[CodeHit, ...]
    total: int  # chunks that matched
    expansion: Expansion | None = None
    summary: Summary | None = None
    follow_ups: tuple[FollowUp, ...] = ()
    warnings: tuple[str, ...] = ()
    lacks_most: bool = False  # most words of the query are in no file, and no others were added
