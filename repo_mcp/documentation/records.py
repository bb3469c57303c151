"""What is asked of the documentation and what is found. Plain records.

Scores are rounded once. Everything here depends on the tree, the configuration and the request alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from repo_mcp.ranking.relevance import rate_percent

DEFAULT_HITS = 10


@dataclass(frozen=True, slots=True)
class DocsRequest:
    """A question to the documentation."""

    query: str
    limit: int = DEFAULT_HITS
    matches_path: Callable[[str], bool] | None = None  # None: all files
    key: str = ""  # names what `matches_path` lets through, for keeping


@dataclass(frozen=True, slots=True)
class Media:
    """A file that documentation refers to, and that is there."""

    path: str
    media_type: str
    size: int  # bytes
    text: str  # alternative text or caption
    within: str  # breadcrumb of the section it stands in
    priority: float  # from 0 to 1
    is_text: bool  # a model that cannot see or hear can read it
    sound: bytes | None = None  # the file, where it is a short sound


@dataclass(frozen=True, slots=True)
class DocsHit:
    """One section, or the part of a long one that answers; or the comment of a declaration."""

    path: str
    start_line: int  # of what is shown
    end_line: int
    kind: str  # section, or doc_comment
    heading: str
    breadcrumb: str
    snippet: str  # the lines from the live file, very long ones cut
    score: float
    section_start: int  # the lines of the whole section, or of the comment
    section_end: int
    language: str
    matched_words: tuple[str, ...]  # of the query, in its order
    media: tuple[Media, ...] = ()  # that the section refers to, best first

    @property
    def relevance_percent(self) -> float:
        """From 0 to 100: how much of what was asked is here. A score is a share of the best possible."""
        return rate_percent(self.score)


@dataclass(frozen=True, slots=True)
class DocsAnswer:
    """Hits by score, ties by path, then line."""

    hits: tuple[DocsHit, ...]
    total: int  # sections and comments that were ranked
    truncated: bool  # there are more than are given
    warnings: tuple[str, ...] = ()
