"""What a code search is asked and what it answers. Plain records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from repo_mcp.ranking.relevance import rate_percent


class Author(StrEnum):
    """Who made an expansion or a summary."""

    CLIENT = "client"  # the client's own model
    INDEX = "index"  # this program, from what is indexed and found


@dataclass(frozen=True, slots=True)
class CodeRequest:
    """A code search, validated."""

    query: str
    limit: int
    matches_path: Callable[[str], bool] | None = None  # None: every path
    filter_key: str = ""  # names what `matches_path` lets through
    semantic_weight: float = 0.0  # what meaning counts beside words, 0 to 1, where there are vectors
    expands: bool = False
    sums_up: bool = False


@dataclass(frozen=True, slots=True)
class AddedTerm:
    """A word that a query was widened by."""

    word: str  # as it stands in the code, or as the model wrote it
    term: str  # as the index has it
    weight: float  # beside 1 for the words that were asked


@dataclass(frozen=True, slots=True)
class Expansion:
    """The words that a query was widened by, the weightiest first."""

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
    language: str
    signature: str = ""
    breadcrumb: str = ""  # the declarations around, outermost first
    doc_comment: str = ""
    declared_lines: tuple[int, int] | None = (
        None  # of the declaration, where the content is only a part of it
    )

    @property
    def relevance_percent(self) -> float:
        """From 0 to 100: see `repo_mcp.code_search.find`."""
        return rate_percent(self.share)


@dataclass(frozen=True, slots=True)
class Citation:
    """Where something that a summary says can be read."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A call that would lead further, and why."""

    tool: str
    arguments: tuple[tuple[str, str], ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What the hits say together."""

    author: Author
    text: str  # cites as path:line
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class CodeAnswer:
    """The hits of a code search, best first."""

    hits: tuple[CodeHit, ...]
    total: int  # chunks that matched
    expansion: Expansion | None = None
    summary: Summary | None = None
    follow_ups: tuple[FollowUp, ...] = ()
    warnings: tuple[str, ...] = ()
