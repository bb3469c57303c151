"""Exact search: a literal or a regular expression, in order of path and line, proven on the live text.

The index only says which files may match. Each of them is read through the door as it is now, and what
is answered is what stands there. Files that changed since they were indexed are looked at whatever the
index says of them.

A line counts once, however often the pattern matches in it. The search stops when the limit is reached
or TIME_LIMIT_SECONDS are over; the total is then a lower bound, and the answer says so.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exact.batch_prefilter import iter_texts
from repo_mcp.exact.file_bitmaps import ReadMany
from repo_mcp.exact.line_matcher import LineMatch, LineMatcher
from repo_mcp.exact.paths import ExactSearcher, PathFilter
from repo_mcp.indexing.reports import name_snapshot
from repo_mcp.indexing.scan_state import ChangedFiles
from repo_mcp.model import ExactAnswer, ExactMatch, ExactRequest

TIME_LIMIT_SECONDS = 10.0
MAX_LINE_CHARS = 400  # of a match's line; open_file shows more
CHARS_BEFORE_MATCH = 100  # kept of a longer line, which is cut around its match
MAX_CONTEXT_LINES = 50
BATCH_FILES = 32  # searched at once, by one thread
BATCHES_HERE = 55  # 1,631 files: enough for most searches; threads would read far more than is wanted
BATCHES_AHEAD = 4
SCAN_THREADS = 2  # reading waits for the system, and RE2 works outside of Python's lock; more wait for it
TOO_SLOW = f"The search was stopped after {TIME_LIMIT_SECONDS:.0f} seconds: there may be more."
SNIPPETS, FILES, COUNT = DETAILS = ("snippets", "files", "count")


CHANGES_UNKNOWN = "The index is not complete yet: files that it does not hold are not searched."


@dataclass(slots=True)
class ExactMatches:
    """What a search has found so far."""

    matches: list[ExactMatch] = field(default_factory=list)
    files: list[tuple[str, int]] = field(default_factory=list)
    total: int = 0
    is_partial: bool = False  # not every file was looked at
    warnings: list[str] = field(default_factory=list)


def check_request(request: ExactRequest) -> None:
    """INVALID_ARGUMENT for what a request may not say, its pattern left aside."""
    faults = {
        "detail": None if request.detail in DETAILS else f"detail is none of {', '.join(DETAILS)}",
        "limit": None if request.limit >= 1 else f"limit is {request.limit}; it is 1 at least",
        "context_lines": None
        if 0 <= request.context_lines <= MAX_CONTEXT_LINES
        else f"context_lines is {request.context_lines}; it is 0 to {MAX_CONTEXT_LINES}",
    }
    for argument, fault in faults.items():
        if fault is not None:
            raise RepoError(ErrorCode.INVALID_ARGUMENT, f"{fault}.", "", {"argument": argument})


def run_exact(
    searcher: ExactSearcher,
    request: ExactRequest,
    matcher: LineMatcher,
    wanted: PathFilter,
    changed: ChangedFiles | None,
    read_many: ReadMany,
    cancelled: Callable[[], bool],
) -> ExactAnswer:
    """The answer to a request. `changed` None: it is not known what changed since. CANCELLED."""
    candidates = searcher.find_candidates(matcher.reading, wanted, changed)
    if matcher.reading.bigrams and not candidates.narrowed:
        searcher.learn_signs(read_many)
    found = search_files(request, matcher, candidates.paths, read_many, cancelled)
    searcher.learn_sides(read_many)
    if changed is None:
        found.warnings.append(CHANGES_UNKNOWN)
    elif changed.too_large:
        found.warnings.append(describe_too_large(changed.too_large))
    is_cut = request.detail == SNIPPETS and found.total > len(found.matches)
    return ExactAnswer(
        tuple(found.matches),
        tuple(found.files),
        found.total,
        total_is_lower_bound=found.is_partial,
        truncated=found.is_partial or is_cut,
        scanned=not candidates.narrowed,
        snapshot=name_snapshot(searcher.snapshot.generation),
        warnings=tuple(found.warnings),
    )


@dataclass(frozen=True, slots=True)
class _FileMatches:
    """What one file holds."""

    path: str
    count: int
    matches: tuple[ExactMatch, ...]  # as many as the answer may show with those of the batch before it


def describe_too_large(count: int) -> str:
    """The warning that so many files are above the limit for one file."""
    named = "1 file above max_file_bytes is" if count == 1 else f"{count} files above max_file_bytes are"
    return f"{named} not searched."


def search_files(
    request: ExactRequest,
    matcher: LineMatcher,
    paths: Iterable[str],
    read_many: ReadMany,
    cancelled: Callable[[], bool],
) -> ExactMatches:
    """Look for matches in files, in the order given. CANCELLED."""
    found = ExactMatches()
    deadline = time.monotonic() + TIME_LIMIT_SECONDS

    def stopped() -> bool:
        return time.monotonic() > deadline or cancelled()

    def search(paths: Sequence[str]) -> list[_FileMatches]:
        most = request.limit - len(found.matches) if request.detail == SNIPPETS else 0
        return _search_batch(request, matcher, read_many(paths), paths, most, stopped)

    with closing(_iter_results(search, _cut_batches(paths))) as results:
        for batch in results:
            if _is_full(request, found):  # though there may be nothing in the files that are left
                found.is_partial = True
                return found
            for one in batch:
                if _is_full(request, found):
                    found.is_partial = True
                    return found
                _take(request, found, one)
            if cancelled():
                raise RepoError(ErrorCode.CANCELLED, "The search was cancelled.")
            if stopped():
                found.is_partial = True
                found.warnings.append(TOO_SLOW)
                return found
    return found


def _take(request: ExactRequest, found: ExactMatches, one: _FileMatches) -> None:
    """Add the matches of one file: all are counted, as many as are wanted are kept."""
    found.files.append((one.path, one.count))
    found.total += one.count
    if request.detail == SNIPPETS:
        found.matches += one.matches[: request.limit - len(found.matches)]


def _is_full(request: ExactRequest, found: ExactMatches) -> bool:
    if request.detail == SNIPPETS:
        return len(found.matches) >= request.limit
    return request.detail == FILES and len(found.files) >= request.limit


def _cut_batches(paths: Iterable[str]) -> Iterator[list[str]]:
    """The paths in batches that grow: the first matches come soon, and a long search is cut seldom."""
    rest = iter(paths)
    size = 1
    while batch := list(islice(rest, size)):
        yield batch
        size = min(2 * size, BATCH_FILES)


def _iter_results(
    search: Callable[[Sequence[str]], list[_FileMatches]], batches: Iterator[list[str]]
) -> Generator[list[_FileMatches], None, None]:
    """The result of each batch in order: the first ones from here, those of a long search from threads."""
    for batch in islice(batches, BATCHES_HERE):
        yield search(batch)
    ahead = list(islice(batches, BATCHES_AHEAD))
    if not ahead:
        return
    pool = ThreadPoolExecutor(SCAN_THREADS, "scan")
    try:
        coming = deque(pool.submit(search, batch) for batch in ahead)
        while coming:
            yield coming.popleft().result()
            coming.extend(pool.submit(search, batch) for batch in islice(batches, 1))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _search_batch(
    request: ExactRequest,
    matcher: LineMatcher,
    raws: Sequence[bytes | None],
    paths: Sequence[str],
    most: int,
    stopped: Callable[[], bool],
) -> list[_FileMatches]:
    """Those of the files that match, with the first `most` matches; what was found when it is to stop.

    That is asked after each match: `(?s)a.*z|b` in a text without z takes a pass over the rest of the
    file for each.
    """
    results: list[_FileMatches] = []
    for position, data in iter_texts(matcher, raws):
        count = 0
        matches: list[ExactMatch] = []
        for match in matcher.iter_matches(data):
            if stopped():
                break
            count += 1
            if len(matches) < most:
                matches.append(build_match(paths[position], data, match, request.context_lines))
        if count:
            most -= len(matches)
            results.append(_FileMatches(paths[position], count, tuple(matches)))
    return results


def build_match(path: str, data: bytes, match: LineMatch, context_lines: int) -> ExactMatch:
    """A match in normalised text as it is answered."""
    line_end = data.find(b"\n", match.line_start)
    line = data[match.line_start : line_end if line_end >= 0 else len(data)].decode("utf-8", "replace")
    column = len(data[match.line_start : match.start].decode("utf-8", "replace"))
    before, after = _find_context(data, match, context_lines) if context_lines else ((), ())
    return ExactMatch(
        path, match.start_line, match.end_line, column + 1, _cut_around(line, column), before, after
    )


def _find_context(
    data: bytes, match: LineMatch, context_lines: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    start = match.line_start
    for _ in range(context_lines):
        start = data.rfind(b"\n", 0, max(0, start - 1)) + 1
    end = match.line_end
    for _ in range(context_lines):
        end = data.find(b"\n", end + 1) if end < len(data) else end
        end = len(data) if end < 0 else end
    before = data[start : max(start, match.line_start - 1)].split(b"\n") if match.line_start else []
    after = data[match.line_end + 1 : end].split(b"\n") if match.line_end + 1 < len(data) else []
    return _decode_lines(before), _decode_lines(after)


def _decode_lines(lines: list[bytes]) -> tuple[str, ...]:
    return tuple(_cut_around(line.decode("utf-8", "replace"), 0) for line in lines)


def _cut_around(line: str, column: int) -> str:
    """A line of at most MAX_LINE_CHARS that holds the character at `column`; an ellipsis where it is cut."""
    if len(line) <= MAX_LINE_CHARS:
        return line
    start = 0 if column + CHARS_BEFORE_MATCH < MAX_LINE_CHARS else column - CHARS_BEFORE_MATCH
    shown = line[start : start + MAX_LINE_CHARS]
    return f"{'…' if start else ''}{shown}{'…' if start + MAX_LINE_CHARS < len(line) else ''}"
