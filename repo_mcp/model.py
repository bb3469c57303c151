"""The frozen records that floors hand to each other. No behaviour, no input or output.

Paths are POSIX, relative to the root, `str`. Lines are 1-based and spans include both ends.
Times of day are seconds since the epoch (UTC); durations are milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from repo_mcp.file_stat import FileStat


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
    denied_inodes: frozenset[int] = frozenset()  # of the entries left out for their names, up to a limit


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
class DirectoryEntry:
    """One row of `list_directory`."""

    path: str
    is_directory: bool
    size: int | None  # bytes of a file; None for a directory


@dataclass(frozen=True, slots=True)
class DirectoryListing:
    """What lies directly in one directory, in order of names, and what was left out."""

    path: str  # of the directory reached, "" for the root
    entries: tuple[DirectoryEntry, ...]
    left_out: Mapping[str, int]  # reason -> entries: as in a walk's report
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
    is_ended: bool = True  # a line end stands behind the last of the lines


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
    symbols_only: bool = False  # among the names that are declared, exact ones first


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
class ExactRequest:
    """A search for text as it stands in files: a literal, or a regular expression in RE2's syntax."""

    pattern: str
    regex: bool = False
    case_sensitive: bool = True
    whole_word: bool = False  # no letter, digit or underscore just before or after the match
    file_glob: str | None = None
    path_prefix: str | None = None  # a directory
    language: str | None = None
    include_tests: bool = True
    limit: int = 200  # matches; files where `detail` is "files"
    detail: str = "snippets"  # snippets | files | count
    context_lines: int = 0  # before and after each match


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """One line that matches, or the lines of a match that spans several."""

    path: str
    start_line: int
    end_line: int
    start_column: int  # of the first match in the line, in characters, 1-based
    line: str  # text of the first line, cut around the match when it is very long
    before: tuple[str, ...] = ()  # lines in front of it
    after: tuple[str, ...] = ()  # lines behind it


@dataclass(frozen=True, slots=True)
class ExactAnswer:
    """Matches by path, then line, and how far they reach. A line counts once, however often it matches."""

    matches: tuple[ExactMatch, ...]  # none where only files or the count were asked for
    files: tuple[tuple[str, int], ...]  # path and matches of each file looked at that has any
    total: int  # matches found
    total_is_lower_bound: bool  # not every file was looked at
    truncated: bool  # there are, or may be, more matches than are listed
    scanned: bool  # nothing in the pattern can be looked up in the index: files were read one by one
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

    phase: str  # walk, index, merge, commit; of the second phase: structure, merge
    files_done: int
    files_total: int  # 0 until it is known: files are indexed while the tree is still walked
    bytes_done: int
    bytes_total: int  # the same

    def count_files(self) -> str:
        """Files done of how many, for people."""
        total = f"{self.files_total:,}" if self.files_total else "?"
        return f"{self.files_done:,} of {total} files"


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
    watching: bool = False  # the system, or a look now and then, tells of changed files
    chunks: int = 0  # of the indexed files


@dataclass(frozen=True, slots=True)
class SegmentFacts:
    """One live segment of the index."""

    name: str
    file_bytes: int
    live_files: int
    dead_files: int  # superseded or removed; the next merge drops them


@dataclass(frozen=True, slots=True)
class SymbolIndexReport:
    """What a round of the structure phase did."""

    parsed: int  # files whose record is new
    partial: int  # of these: not understood in full
    failed: int  # of these: not understood at all
    removed: int
    unchanged: int
    left: tuple[str, ...]  # paths that are not, or no longer, what is indexed: for the next round
    complete: bool  # False when the round made room for another before it had parsed everything
    duration_ms: int
    snapshot: str


@dataclass(frozen=True, slots=True)
class SymbolIndexStatus:
    """The structure index as a client may know it. No absolute path."""

    state: str  # missing, building, partial, ready, degraded
    snapshot: str | None
    files_done: int  # source files with a record of the version that the lexical index holds
    files_total: int  # that should have one
    partial: int  # of the done ones: not understood in full
    failed: int  # of the done ones: not understood at all
    symbols: int  # declarations
    segments: int
    index_bytes: int
    languages: Mapping[str, int] = field(default_factory=dict)  # language -> done files
    progress: IndexProgress | None = None
    warnings: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """True when every file that should have a record has it."""
        return self.files_done >= self.files_total


@dataclass(frozen=True, slots=True)
class IndexedPath:
    """What became of one path that was to be indexed now."""

    path: str
    outcome: str  # indexed, removed, or why not: an error's code, or the reason for leaving it out
    structure: str = ""  # full, partial, failed; pending; empty where there is no parser for it
