"""The frozen records that floors pass to each other. No behaviour, no input or output.

Paths are POSIX, relative to the root, `str`. Lines are 1-based and spans include both ends.
Times of day are seconds since the epoch (UTC); durations are milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from repo_mcp.file_stat import FileStat
from repo_mcp.record_classes import dataclass


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """A regular file found by the walk that is neither denied nor ignored."""

    path: str
    stat: FileStat


@dataclass(frozen=True, slots=True)
class WalkReport:
    """All files of the root, ordered by the UTF-8 bytes of their paths, and what was left out."""

    files: Sequence[WalkedFile]
    # Reason -> count: denied, ignored, hidden, symlink, special, too_deep, name_not_utf8.
    skipped: Mapping[str, int]
    unreadable: tuple[str, ...]  # directories that could not be listed: files below are unknown, not deleted
    warnings: tuple[str, ...]
    denied_inodes: frozenset[int] = frozenset()  # of the entries left out for their names, up to a limit


class SkipReason(StrEnum):
    """The reason why a walked file is not in the index."""

    TOO_LARGE = "too_large"
    BINARY = "binary"
    UNREADABLE = "unreadable"
    EXCLUDED = "excluded"  # by configured globs or extensions
    PRIVATE_KEY = "private_key"  # it holds one, and the operator has such files refused


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
    total: int  # matches before the list was cut
    denied: int  # entries left out because the policy denies them
    warnings: tuple[str, ...] = ()
    folders: Mapping[str, int] = field(default_factory=dict)  # glob -> matches, if the list was cut and asked


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """One row of `list_directory`."""

    path: str
    is_directory: bool
    size: int | None  # bytes of a file; None for a directory


@dataclass(frozen=True, slots=True)
class DirectoryListing:
    """The direct entries of one directory, in order of names, and what was left out."""

    path: str  # of the directory reached, "" for the root
    entries: tuple[DirectoryEntry, ...]
    left_out: Mapping[str, int]  # reason -> number of entries, as in WalkReport
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
    is_ended: bool = True  # the last line has a line end
    wanted_line: int | None = None  # the last existing line of the span asked for; None: no end was given
    symbol: str | None = None  # qualified name of the declaration that was asked for
    shown: tuple[int, ...] | None = None  # numbers of the lines about the words asked for; None: all lines


@dataclass(frozen=True, slots=True)
class Symbol:
    """One declaration as the text states it. Its qualified name is `parent_symbol`, a dot and `name`."""

    kind: str  # function, async_function, method, async_method, class, property, constant, heading, key, ...
    name: str
    signature: str  # best effort, one line, cut at a length
    start_line: int  # decorators included
    end_line: int
    doc: str | None = None  # first line of the docstring or comment
    parent_symbol: str | None = None  # qualified name of the enclosing declaration
    scope_kind: str | None = None  # kind of the enclosing scope: module, class, function
    is_conditional: bool | None = None  # inside a control-flow statement or under a `cfg`, at any depth
    decl_context: str | None = None  # those, outermost first: "if TYPE_CHECKING", "match case 2", "cfg(test)"


@dataclass(frozen=True, slots=True)
class Outline:
    """The declarations of one live file, by start line, end line, column and name."""

    path: str
    language: str
    symbols: tuple[Symbol, ...]
    parser: str  # how they were found: "ast", "lexical", "headings", "keys", or an adapter's own word
    warnings: tuple[str, ...] = ()
    truncated: bool = False  # there are more declarations than an outline may hold
    may_change: bool = False  # a parser failed, which may read the same text the next time


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A ranked search, validated."""

    query: str
    top_k: int
    file_glob: str | None = None
    language: str | None = None
    include_tests: bool = True
    symbols_only: bool = False  # searches names of declarations only, exact matches first
    names_alone: bool = False  # a query of names finds what they declare and the places with them, no others
    shows_whole: bool = True  # shows declarations that a question is about in full; False: only their heads
    ends_early: bool = False  # stops at the hits with which a page may end: those behind them say little
    copies: int = 0  # hits that a page names with others; it ends as many hits later
    counts: bool = False  # the total is all that is wanted: more places of names are looked at for it
    names_snapshot: bool = True  # in the answer; naming it first takes half a µs for each file of the index


@dataclass(frozen=True, slots=True)
class Hit:
    """The best place of a ranked chunk. `score` is rounded once; equal ones are ordered by path and line."""

    path: str
    start_line: int  # the first that is shown
    end_line: int  # the last one; lines between them may be left out
    snippet: str  # numbered lines of the live file: the head of the declaration, and what matches in it
    score: float
    # Words of the query, as written there; of a name that matches only in part, the parts that match.
    matched_terms: tuple[str, ...]
    symbol: str | None  # qualified name of the declaration that matches best
    explanation: tuple[tuple[str, float], ...] = ()  # signal -> its points; the score is their sum
    chunk_id: str = ""  # of the chunk as it was indexed
    chunk_lines: tuple[int, int] = (0, 0)  # first and last of the whole chunk
    symbol_lines: tuple[int, int] | None = None  # the declaration's own, decorators included
    # Further declarations of the file that a question may be about, the best first: names and lines.
    also: tuple[tuple[str, tuple[int, int]], ...] = ()
    heads: str = ""  # of the best of these the lines with their names, numbered, unless the snippet has them
    symbol_name: str = ""  # the last part of `symbol`, which may hold dots itself, as a heading does


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Ranked hits and the number of matches."""

    hits: tuple[Hit, ...]
    total: int  # chunks that matched; for a look-up, declarations
    truncated: bool
    snapshot: str  # names the content of the index that answered
    warnings: tuple[str, ...] = ()
    total_is_lower_bound: bool = False  # there are at least as many
    is_last: bool = False  # no hits follow, however many are asked for: files that match less are not ranked
    lacks_most: bool = False  # most words of the query are in no file
    usual_hits: int = 0  # of a page, if no number is asked for: those behind say little; 0: unknown
    near_hits: int = 0  # that score near the best: those behind show one line; 0: all show more
    is_of_report: bool = False  # hits show the few lines of a report that match best, and name others


MAX_CONTEXT_LINES = 50  # before and after a match


@dataclass(frozen=True, slots=True)
class ExactRequest:
    """A search for literal text, or for a regular expression in the syntax of RE2."""

    pattern: str
    regex: bool = False
    case_sensitive: bool = True
    whole_word: bool = False  # no letter, digit or underscore next to the match
    file_glob: str | None = None
    path_prefix: str | None = None  # a directory
    language: str | None = None
    include_tests: bool = True
    limit: int = 200  # matches; files when `detail` is "files" or `max_per_file` is given
    detail: str = "snippets"  # snippets | files | count
    context_lines: int = 0  # before and after each match
    max_per_file: int | None = None  # matches listed of one file; all are counted
    with_symbols: bool = False  # name the declarations around the matches
    by_role: bool = False  # of files: those of the program first; see `repo_mcp.text.roles.order_by_role`
    names_snapshot: bool = True  # as in SearchRequest
    languages: tuple[str, ...] = ()  # in place of `language`: any of these


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """One line that matches, or the lines of a match that spans several."""

    path: str
    start_line: int
    end_line: int
    start_column: int  # of the first match in the line, in characters, 1-based
    line: str  # text of the first line, cut around the match when it is very long
    before: tuple[str, ...] = ()  # lines before it
    after: tuple[str, ...] = ()  # lines after it
    rest: tuple[str, ...] = ()  # lines after the first of a match that spans several
    symbol: str | None = None  # qualified name of the innermost declaration of several lines around it
    symbol_lines: tuple[int, int] | None = None  # that declaration's own, decorators included
    declares: bool = False  # the declaration's name is in the match's lines
    symbol_name: str = ""  # the last part of `symbol`, which may hold dots itself, as a heading does


@dataclass(frozen=True, slots=True)
class ExactAnswer:
    """Matches by path, then line, with their totals; where asked, by the file's role before the path.

    A line counts once, however often it matches.
    """

    matches: tuple[ExactMatch, ...]  # empty when only files or the count were asked for
    files: tuple[tuple[str, int], ...]  # path and matches of each searched file with any
    total: int  # matches found
    total_is_lower_bound: bool  # not every file was searched
    truncated: bool  # there are, or may be, more matches than are listed
    scanned: bool  # the index could not narrow the pattern down: files were read one by one
    snapshot: str  # names the content of the index that answered
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """The outcome of a refresh."""

    added: int
    updated: int
    removed: int
    unchanged: int
    skipped: Mapping[str, int]  # reason -> count
    duration_ms: int
    timestamp: float  # seconds since the epoch, of the commit
    generation: int
    warnings: tuple[str, ...] = ()
    snapshot: str = ""  # names the content; empty while nobody has opened the generation


@dataclass(frozen=True, slots=True)
class CompactReport:
    """The outcome of a compaction."""

    segments_before: int
    segments_after: int
    bytes_before: int
    bytes_after: int
    duration_ms: int
    generation: int
    snapshot: str = ""  # as of a refresh


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """The progress of a running refresh."""

    phase: str  # walk, index, merge, commit; of the symbol index: structure, merge
    files_done: int
    files_total: int  # 0 until it is known: files are indexed while the tree is still walked
    bytes_done: int
    bytes_total: int  # 0 until it is known

    def count_files(self) -> str:
        """Return the files done and the total, for people."""
        total = f"{self.files_total:,}" if self.files_total else "?"
        return f"{self.files_done:,} of {total} files"


ProgressCallback = Callable[[IndexProgress], None]


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The public state of the index, without absolute paths."""

    state: str  # missing, building, partial, ready, degraded
    snapshot: str | None  # names the content
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
    watching: bool = False  # changed files are noticed, through the system or by polling
    chunks: int = 0  # of the indexed files
    watched: bool = False  # the system reports changes at the moment
    origin: str = ""  # the index it was started from, in words; empty: none


@dataclass(frozen=True, slots=True)
class SegmentFacts:
    """One live segment of the index."""

    name: str
    file_bytes: int
    live_files: int
    dead_files: int  # superseded or removed; the next merge drops them


@dataclass(frozen=True, slots=True)
class SymbolIndexReport:
    """The outcome of one round of the symbol phase."""

    parsed: int  # files with a new record
    partial: int  # of these: only partly understood
    failed: int  # of these: not understood at all
    removed: int
    unchanged: int
    left: tuple[str, ...]  # paths whose files differ from what is indexed: for the next round
    complete: bool  # False when the round ended early to let another one run first
    generation: int


@dataclass(frozen=True, slots=True)
class SymbolIndexStatus:
    """The public state of the symbol index, without absolute paths."""

    state: str  # missing, building, partial, ready, degraded
    snapshot: str | None  # names the content
    files_done: int  # source files with a record of the version that the lexical index holds
    files_total: int  # source files that should have one
    partial: int  # of those done: only partly understood
    failed: int  # of those done: not understood at all
    symbols: int  # declarations
    segments: int
    index_bytes: int
    languages: Mapping[str, int] = field(default_factory=dict)  # language -> done files
    progress: IndexProgress | None = None
    warnings: tuple[str, ...] = ()
    unparsed: int = 0  # source files without a record because the parser of their language cannot run


@dataclass(frozen=True, slots=True)
class IndexedPath:
    """The outcome for one path that was to be indexed immediately."""

    path: str
    outcome: str  # indexed, removed, or why not: an error's code, or the reason for leaving it out
    structure: str = ""  # full, partial, failed; pending; empty where there is no parser for it
