"""The frozen records that floors hand to each other. No behaviour, no input or output.

Paths are POSIX, relative to the root, `str`. Lines are 1-based and spans include both ends.
Times of day are seconds since the epoch (UTC); durations are milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class FileStat:
    """What the file system says of a file: its identity for change detection."""

    size: int  # bytes
    mtime_ns: int  # nanoseconds since the epoch
    ctime_ns: int  # nanoseconds since the epoch; 0 where the platform has none
    inode: int  # 0 where the platform has none


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """A regular file that the walk met and that is neither denied nor ignored."""

    path: str
    stat: FileStat


@dataclass(frozen=True, slots=True)
class WalkReport:
    """All files of the root in order of their paths' UTF-8 bytes, and what was left out."""

    files: Sequence[WalkedFile]
    skipped: Mapping[
        str, int
    ]  # reason -> count: denied, ignored, hidden, symlink, special, too_deep, name_not_utf8
    unreadable: tuple[
        str, ...
    ]  # directories that could not be listed: what lies below is unknown, not deleted
    warnings: tuple[str, ...]


class SkipReason(StrEnum):
    """Why a walked file is not in the index."""

    TOO_LARGE = "too_large"
    BINARY = "binary"
    UNREADABLE = "unreadable"
    EXCLUDED = "excluded"  # by configured globs or extensions


@dataclass(frozen=True, slots=True)
class ListedFile:
    """One row of `list_files`."""

    path: str
    size: int  # bytes
    mtime: float  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class FileListing:
    """The files of the root that match, in path order."""

    files: tuple[ListedFile, ...]
    total: int  # matches before the cut
    truncated: bool
    denied: int  # entries left out because the policy denies them
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenedText:
    """Lines of one live file."""

    path: str
    start_line: int
    end_line: int  # start_line - 1 when the file is empty
    total_lines: int
    lines: tuple[str, ...]  # without line ends
    truncated: bool  # fewer lines than were asked for, or a line was cut
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Symbol:
    """One declaration as the text states it. Its qualified name is `parent_symbol`, a dot and `name`."""

    kind: str  # function, async_function, method, async_method, class, property, constant, heading, key, ...
    name: str
    signature: str  # best effort, one line, cut at a length
    start_line: int  # decorators included
    end_line: int
    doc: str | None = None  # first line of the docstring or comment
    parent_symbol: str | None = None  # qualified name of the declaration around it
    scope_kind: str | None = None  # what is around it: module, class, function
    is_conditional: bool | None = None  # under a control-flow statement, however far out
    decl_context: str | None = None  # those statements, outermost first: "if TYPE_CHECKING", "match case 2"


@dataclass(frozen=True, slots=True)
class Outline:
    """The declarations of one live file, by start line, end line, column and name."""

    path: str
    language: str
    symbols: tuple[Symbol, ...]
    parser: str  # how they were found: "ast", "lexical", "headings", "keys", or an adapter's own word
    warnings: tuple[str, ...] = ()
    truncated: bool = False  # there are more declarations than an outline may hold


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A ranked search, validated."""

    query: str
    top_k: int
    file_glob: str | None = None
    language: str | None = None
    include_tests: bool = True


@dataclass(frozen=True, slots=True)
class Hit:
    """One ranked chunk. `score` is rounded once; ties are by path, then start line."""

    path: str
    start_line: int
    end_line: int
    snippet: str  # numbered lines of the chunk's best window, from the live file
    score: float
    matched_terms: tuple[str, ...]
    symbol: str | None  # name of the declaration around the snippet's best line
    explanation: tuple[tuple[str, float], ...] = ()  # signal and its points; together they are the score


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Ranked hits and how far they reach."""

    hits: tuple[Hit, ...]
    total: int  # chunks that matched
    truncated: bool
    snapshot: str  # names the generation that answered
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What a refresh did."""

    added: int
    updated: int
    removed: int
    unchanged: int
    skipped: Mapping[str, int]  # reason -> count
    duration_ms: int
    timestamp: float  # seconds since the epoch, of the commit
    snapshot: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompactReport:
    """What a compaction did."""

    segments_before: int
    segments_after: int
    bytes_before: int
    bytes_after: int
    duration_ms: int
    snapshot: str


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a running refresh is."""

    phase: str  # walk, index, merge, commit
    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int


ProgressCallback = Callable[[IndexProgress], None]


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The index as a client may know it. No absolute path."""

    state: str  # missing, building, partial, ready, degraded
    snapshot: str | None
    generation: int
    indexed_files: int
    segments: int
    index_bytes: int
    skipped: Mapping[str, int]  # reason -> count, at the last refresh
    stale: int | None  # files known to have changed since; None when not known
    last_refresh: float | None  # seconds since the epoch
    progress: IndexProgress | None
    languages: Mapping[str, int] = field(default_factory=dict)  # language -> indexed files
    warnings: tuple[str, ...] = ()
