"""The records of a documentation search: requests and answers. No behaviour.

Scores are rounded once. Every value depends only on the tree, the configuration and the request.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.ranking.relevance import rate_percent
from repo_mcp.record_classes import dataclass

DEFAULT_HITS = 10


@dataclass(frozen=True, slots=True)
class DocsRequest:
    """A documentation query."""

    query: str
    limit: int = DEFAULT_HITS
    matches_path: Callable[[str], bool] | None = None  # None: all files
    key: str = ""  # identifies the filter `matches_path` in caches
    has_comments: bool = True  # whether comments of declarations are searched for, besides sections


@dataclass(frozen=True, slots=True)
class Media:
    """An existing file that documentation refers to."""

    path: str
    media_type: str
    size: int  # bytes
    text: str  # alternative text or caption
    within: str  # breadcrumb of the section that refers to it
    priority: float  # from 0 to 1: how well it answers the query
    is_text: bool  # readable by a model that cannot see or hear, such as SVG
    sound: bytes | None = None  # the bytes of the file, when it is a short sound


@dataclass(frozen=True, slots=True)
class DocsHit:
    """One section, the best part of a long one, or the comment of a declaration."""

    path: str
    start_line: int  # first of the lines shown
    end_line: int
    kind: str  # "section" or "doc_comment"
    breadcrumb: str  # its headings or names, from the outermost to its own
    snippet: str  # the lines of the live file, with very long ones cut
    score: float
    section_start: int  # the lines of the whole section, or of the comment
    section_end: int
    language: str
    matched_words: tuple[str, ...]  # words of the query that it has, in the order of the query
    media: tuple[Media, ...] = ()  # media that the section refers to, best first

    @property
    def relevance_percent(self) -> float:
        """Return the relevance from 0 to 100. The score behind it is a share of the best possible score."""
        return rate_percent(self.score)


@dataclass(frozen=True, slots=True)
class DocsAnswer:
    """Hits by score, ties by path, then line."""

    hits: tuple[DocsHit, ...]
    total: int  # sections and comments that were ranked
    truncated: bool  # there are more hits than are returned
    warnings: tuple[str, ...] = ()
    lacks_most: bool = False  # most words of the query are in no file
    usual_hits: int = 0  # of a page, as in SearchAnswer
