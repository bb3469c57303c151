"""Exact search: a literal or a regular expression, in order of path and line, verified on the live text.

On request, files of the program come before tests, configuration, documents and foreign files.

The index only tells which files may match. Each of them is read as it is now, through the repository reader,
and the answer shows that text. Files that changed since they were indexed are searched whatever the index
says.

A line counts once, however often the pattern matches in it. The search stops when the limit is reached
or after TIME_LIMIT_SECONDS. The total is then a lower bound, and the answer says so.

Left out on purpose: searching without an index (`repo_mcp.exact.tree_scan`).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import field
from itertools import islice

from index_format import compute_fingerprint
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exact.candidate_files import ExactSearcher, PathFilter
from repo_mcp.exact.file_bitmaps import ReadMany
from repo_mcp.exact.joined_texts import iter_texts
from repo_mcp.exact.line_matcher import LineMatch, LineMatcher, MatchingStopped
from repo_mcp.exact.shown_matches import build_match, name_symbol
from repo_mcp.indexing.tree_changes import ChangedFiles
from repo_mcp.languages.patterns.enclosing import find_near
from repo_mcp.model import MAX_CONTEXT_LINES, ExactAnswer, ExactMatch, ExactRequest
from repo_mcp.record_classes import dataclass

TIME_LIMIT_SECONDS = 10.0
BATCH_FILES = 32  # files searched together by one thread
BATCHES_HERE = 55  # 1,631 files, searched without threads: enough for most, and threads would read more
BATCHES_AHEAD = 4  # batches given to the threads before their results are needed
SCAN_THREADS = 2  # reading waits for the system and RE2 releases Python's lock; more would wait for that lock
TOO_SLOW = f"The search stopped after {TIME_LIMIT_SECONDS:.0f} seconds: files not searched yet may match."
NOT_FINISHED = (
    "The search stopped at a file in which this pattern takes too long without the package google-re2:"
    " that file and those after it may match. Simplify the pattern, or install that package."
)
SNIPPETS, FILES, COUNT = DETAILS = ("snippets", "files", "count")
CHANGES_UNKNOWN = "The index is not complete yet: files missing from it are not searched."


@dataclass(frozen=True, slots=True)
class FileSearch:
    """One exact search: its request, its matcher, and the files that it may read."""

    request: ExactRequest
    matcher: LineMatcher
    wanted: PathFilter
    read_many: ReadMany
    cancelled: Callable[[], bool]


@dataclass(slots=True)
class ExactMatches:
    """The matches that a search has found so far."""

    matches: list[ExactMatch] = field(default_factory=list)
    files: list[tuple[str, int]] = field(default_factory=list)  # paths with their numbers of matching lines
    total: int = 0  # matching lines in all files
    is_partial: bool = False  # some files were not searched
    searched: int = 0  # files that were searched
    is_late: bool = False  # the time was over
    warnings: list[str] = field(default_factory=list)

    def build_answer(self, request: ExactRequest, snapshot: str, *, scanned: bool) -> ExactAnswer:
        """Return what was found as an answer, once the search has ended."""
        is_cut = request.detail == SNIPPETS and self.total > len(self.matches)
        return ExactAnswer(
            tuple(self.matches),
            tuple(self.files),
            self.total,
            total_is_lower_bound=self.is_partial,
            truncated=self.is_partial or is_cut,
            scanned=scanned,
            snapshot=snapshot,
            warnings=tuple(self.warnings),
        )


def check_request(request: ExactRequest) -> None:
    """Raise RepoError with INVALID_ARGUMENT for a bad argument. Does not check the pattern."""
    faults = {
        "detail": None if request.detail in DETAILS else f"detail must be one of {', '.join(DETAILS)}",
        "limit": None if request.limit >= 1 else f"limit is {request.limit}; it must be at least 1",
        "max_per_file": None
        if request.max_per_file is None or request.max_per_file >= 1
        else f"max_per_file is {request.max_per_file}; it must be at least 1",
        "context_lines": None
        if 0 <= request.context_lines <= MAX_CONTEXT_LINES
        else f"context_lines is {request.context_lines}; it must be 0 to {MAX_CONTEXT_LINES}",
    }
    for argument, fault in faults.items():
        if fault is not None:
            raise RepoError(ErrorCode.INVALID_ARGUMENT, f"{fault}.", "", {"argument": argument})


def run_exact(searcher: ExactSearcher, search: FileSearch, changed: ChangedFiles | None) -> ExactAnswer:
    """Return the answer; `changed` is None if not known. Raises RepoError with CANCELLED, CorruptIndex."""
    request, reading = search.request, search.matcher.reading
    candidates = searcher.find_candidates(reading, search.wanted, changed, by_role=request.by_role)
    if searcher.searches > 1 or (reading.bigrams and not candidates.narrowed):
        searcher.learn_punctuation(search.read_many)
    found = search_files(search, candidates.paths, time.monotonic() + TIME_LIMIT_SECONDS)
    if found.is_late:
        found.warnings.append(TOO_SLOW)
    searcher.learn_neighbours(search.read_many)
    if changed is None:
        found.warnings.append(CHANGES_UNKNOWN)
    else:
        found.warnings += warn_of_too_large(changed.too_large, search.wanted)
    snapshot = searcher.snapshot.name if request.names_snapshot else ""
    return found.build_answer(request, snapshot, scanned=not candidates.narrowed)


@dataclass(frozen=True, slots=True)
class _FileMatches:
    """The matches in one file."""

    path: str
    count: int  # matching lines
    matches: tuple[ExactMatch, ...]  # matching lines to show, no more than fit into the answer


def warn_of_too_large(paths: Iterable[str], wanted: PathFilter) -> list[str]:
    """Return the warning that some of the wanted files are above the size limit; empty if none is."""
    count = sum(map(wanted.matches_unindexed, paths))
    if not count:
        return []
    named = "1 file" if count == 1 else f"{count:,} files"
    return [f"{named} larger than max_file_bytes {'is' if count == 1 else 'are'} not searched."]


def search_files(search: FileSearch, paths: Iterable[str], deadline: float) -> ExactMatches:
    """Search files in the order given, until `deadline` (time.monotonic). Raises RepoError with CANCELLED."""
    found, request, cancelled = ExactMatches(), search.request, search.cancelled

    def stopped() -> bool:
        return time.monotonic() > deadline or cancelled()

    def search_some(paths: Sequence[str]) -> list[_FileMatches]:
        most = request.limit - _count_listed(request, found) if request.detail == SNIPPETS else 0
        return _search_batch(search, paths, most, stopped)

    with suppress(MatchingStopped), closing(_iter_results(search_some, _cut_batches(paths))) as results:
        for size, batch in results:
            if _is_full(request, found):  # files are left, and nobody knows if they match
                found.is_partial = True
                return found
            for one in batch:
                if _is_full(request, found):
                    found.is_partial = True
                    return found
                _take(request, found, one)
            if cancelled():
                raise RepoError(ErrorCode.CANCELLED, "The search was cancelled.")
            found.searched += size
            if stopped():
                found.is_partial = found.is_late = True
                return found
        return found
    found.is_partial = True
    found.warnings.append(NOT_FINISHED)
    return found


def _take(request: ExactRequest, found: ExactMatches, one: _FileMatches) -> None:
    """Add the matches of one file: all are counted, and those within the limit are kept."""
    found.files.append((one.path, one.count))
    found.total += one.count
    if request.max_per_file is None:
        found.matches += one.matches[: request.limit - len(found.matches)]
    else:
        found.matches += one.matches


def _is_full(request: ExactRequest, found: ExactMatches) -> bool:
    return request.detail != COUNT and _count_listed(request, found) >= request.limit


def _count_listed(request: ExactRequest, found: ExactMatches) -> int:
    """Return how many of the things that the limit counts were found: files or matches."""
    of_files = request.detail == FILES or request.max_per_file is not None
    return len(found.files if of_files else found.matches)


def _cut_batches(paths: Iterable[str]) -> Iterator[list[str]]:
    """Yield the paths in growing batches: first matches come soon, and long searches have few batches."""
    rest = iter(paths)
    size = 1
    while batch := list(islice(rest, size)):
        yield batch
        size = min(2 * size, BATCH_FILES)


def _iter_results(
    search: Callable[[Sequence[str]], list[_FileMatches]], batches: Iterator[list[str]]
) -> Generator[tuple[int, list[_FileMatches]], None, None]:
    """Yield the size and result of each batch, in order: the first from this thread, later ones from a pool.

    If the system refuses threads for the pool, all results come from this one.
    """
    for batch in islice(batches, BATCHES_HERE):
        yield len(batch), search(batch)
    ahead = list(islice(batches, BATCHES_AHEAD))
    if not ahead:
        return
    pool = ThreadPoolExecutor(SCAN_THREADS, "scan")
    try:
        coming: deque[tuple[list[str], Future[list[_FileMatches]] | None]] = deque()
        coming.extend((batch, _try_submit(pool, search, batch)) for batch in ahead)
        while coming:
            batch, result = coming.popleft()
            yield len(batch), search(batch) if result is None else result.result()
            coming.extend((batch, _try_submit(pool, search, batch)) for batch in islice(batches, 1))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _try_submit(
    pool: ThreadPoolExecutor, search: Callable[[Sequence[str]], list[_FileMatches]], batch: list[str]
) -> Future[list[_FileMatches]] | None:
    try:
        return pool.submit(search, batch)
    except RuntimeError:  # the system starts no more threads
        return None


def _search_batch(
    search: FileSearch, paths: Sequence[str], most: int, stopped: Callable[[], bool]
) -> list[_FileMatches]:
    """Return the matching files, with the first `most` matches or, given `max_per_file`, of `most` files.

    `stopped` is called after each match, because each match of `(?s)a.*z|b` in a text without z takes a pass
    over the rest of the file. When it returns True, no more matches are searched for in that file.
    """
    request, matcher = search.request, search.matcher
    results: list[_FileMatches] = []
    for position, data in iter_texts(matcher, search.read_many(paths)):
        listed = most if request.max_per_file is None or most <= 0 else request.max_per_file
        count, shown = _find_lines(matcher, data, listed, stopped)
        if count:
            most -= len(shown) if request.max_per_file is None else 1
            matches = [build_match(paths[position], data, one, request.context_lines) for one in shown]
            if request.with_symbols and matches:
                lines = shown[0].start_line, shown[-1].end_line
                offsets = shown[0].line_start, min(len(data), shown[-1].line_end + 1)
                language = search.wanted.find_language(paths[position])
                declarations = find_near(language, data, compute_fingerprint(data), lines, offsets)
                matches = [name_symbol(match, declarations) for match in matches]
            results.append(_FileMatches(paths[position], count, tuple(matches)))
    return results


def _find_lines(
    matcher: LineMatcher, data: bytes, listed: int, stopped: Callable[[], bool]
) -> tuple[int, list[LineMatch]]:
    """Return how many matches a text has, and the first `listed` of them."""
    found = 0
    shown: list[LineMatch] = []
    for match in matcher.iter_matches(data, stopped) if listed > 0 or not matcher.counts_lines else ():
        if stopped():
            break
        found += 1
        if found <= listed:
            shown.append(match)
        if found >= listed and matcher.counts_lines:
            break
    if matcher.counts_lines and found >= listed:
        found += matcher.count_lines(data, shown[-1].line_end + 1 if shown else 0, stopped)
    return found, shown
