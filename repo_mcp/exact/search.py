"""Exact search: a literal or a regular expression, in order of path and line, verified on the live text.

On request, files of the program come before tests, configuration, documents and foreign files.

The index only tells which files may match. Each of them is read as it is now, through the repository reader,
and the answer shows that text. Files that changed since they were indexed are searched whatever the index
says.

A line counts once, however often the pattern matches in it. The search stops when the limit is reached
or after TIME_LIMIT_SECONDS. The total is then a lower bound, and the answer says so.

Most candidates hold no match. ASCII without carriage returns is its own normalised text, so such files are
joined by line feeds and searched together. That takes a third of the time of decoding and searching each file
alone, and the engine works longer outside Python's lock. What matches in a file also matches there in the
joined text, unless the pattern tests the edges of the text. Such patterns, and other files, are searched file
by file.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import field
from itertools import accumulate, islice

from index_format import compute_fingerprint
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exact.candidate_files import ExactSearcher, PathFilter
from repo_mcp.exact.file_bitmaps import ReadMany
from repo_mcp.exact.line_matcher import LineMatch, LineMatcher, MatchingStopped
from repo_mcp.indexing.tree_changes import ChangedFiles
from repo_mcp.languages.patterns.enclosing import Declarations, find_near
from repo_mcp.model import MAX_CONTEXT_LINES, ExactAnswer, ExactMatch, ExactRequest, WalkReport
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.lines import decode_source
from repo_mcp.text.roles import order_by_role

TIME_LIMIT_SECONDS = 10.0
MAX_LINE_CHARS = 400  # a matching line of up to so many characters is shown whole; open_file shows more
CUT_LINE_CHARS = 160  # characters shown of a longer line, which is mostly generated or prose
CHARS_BEFORE_MATCH = 60  # of these, characters before the match
MAX_MATCH_LINES = 50  # most lines shown of one match
LEAST_SYMBOL_LINES = 2  # a declaration of one line is not named, because that line is shown
BATCH_FILES = 32  # files searched together by one thread
BATCHES_HERE = 55  # 1,631 files, searched without threads: enough for most, and threads would read more
BATCHES_AHEAD = 4  # batches given to the threads before their results are needed
SCAN_THREADS = 2  # reading waits for the system and RE2 releases Python's lock; more would wait for that lock
TOO_SLOW = f"The search stopped after {TIME_LIMIT_SECONDS:.0f} seconds: there may be more matches."
NOT_FINISHED = (
    "The search stopped at a file in which this pattern takes too long without the package google-re2:"
    " there may be more matches. Simplify the pattern, or install that package."
)
SNIPPETS, FILES, COUNT = DETAILS = ("snippets", "files", "count")


CHANGES_UNKNOWN = "The index is not complete yet: files missing from it are not searched."
JOINED_BYTES = 1 << 18  # bytes joined at a time, which fit a core's cache; a larger file is searched alone


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
    found = search_files(search, candidates.paths)
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


def search_files(search: FileSearch, paths: Iterable[str]) -> ExactMatches:
    """Search files in the order given. Raises RepoError with CANCELLED."""
    found, request, cancelled = ExactMatches(), search.request, search.cancelled
    deadline = time.monotonic() + TIME_LIMIT_SECONDS

    def stopped() -> bool:
        return time.monotonic() > deadline or cancelled()

    def search_some(paths: Sequence[str]) -> list[_FileMatches]:
        most = request.limit - _count_listed(request, found) if request.detail == SNIPPETS else 0
        return _search_batch(search, paths, most, stopped)

    with suppress(MatchingStopped), closing(_iter_results(search_some, _cut_batches(paths))) as results:
        for batch in results:
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
            if stopped():
                found.is_partial = True
                found.warnings.append(TOO_SLOW)
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
) -> Generator[list[_FileMatches], None, None]:
    """Yield the result of each batch in order: the first ones from this thread, later ones from a pool.

    If the system refuses threads for the pool, all results come from this one.
    """
    for batch in islice(batches, BATCHES_HERE):
        yield search(batch)
    ahead = list(islice(batches, BATCHES_AHEAD))
    if not ahead:
        return
    pool = ThreadPoolExecutor(SCAN_THREADS, "scan")
    try:
        coming: deque[tuple[list[str], Future[list[_FileMatches]] | None]] = deque()
        coming.extend((batch, _try_submit(pool, search, batch)) for batch in ahead)
        while coming:
            batch, result = coming.popleft()
            yield search(batch) if result is None else result.result()
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
                matches = [_name_symbol(match, declarations) for match in matches]
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


def _name_symbol(match: ExactMatch, declarations: Declarations) -> ExactMatch:
    """Return a match with the declaration around it, if there is one of two lines or more."""
    span = declarations.find_innermost(match.start_line, LEAST_SYMBOL_LINES)
    if span is None:
        return match
    return replace(
        match,
        symbol=span.qualified_name,
        symbol_name=span.name,
        symbol_lines=(span.head_line, span.end_line),
        declares=match.start_line <= span.name_line <= match.end_line,
    )


def build_match(path: str, data: bytes, match: LineMatch, context_lines: int) -> ExactMatch:
    """Return a match in normalised text as the answer shows it."""
    line_end = data.find(b"\n", match.line_start)
    line_end = line_end if line_end >= 0 else len(data)
    line = data[match.line_start : line_end].decode("utf-8", "replace")
    column = len(data[match.line_start : match.start].decode("utf-8", "replace"))
    length = len(data[match.start : min(match.end, line_end)].decode("utf-8", "replace"))
    before, after = _find_context(data, match, context_lines) if context_lines else ((), ())
    rest: tuple[str, ...] = ()
    if match.end_line > match.start_line:
        rest = _decode_lines(
            data[line_end + 1 : match.line_end].split(b"\n", MAX_MATCH_LINES)[:MAX_MATCH_LINES]
        )
    return ExactMatch(
        path,
        match.start_line,
        match.end_line,
        column + 1,
        _cut_around(line, column, length),
        before,
        after,
        rest,
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


def _cut_around(line: str, column: int, length: int = 0) -> str:
    """Return a long line cut around a match of `length` characters at `column`, with ellipses where cut.

    The match itself is cut only if it has more than MAX_LINE_CHARS characters, as matches of `.*` may have.
    """
    if len(line) <= MAX_LINE_CHARS:
        return line
    start = 0 if column + CHARS_BEFORE_MATCH < CUT_LINE_CHARS else column - CHARS_BEFORE_MATCH
    end = max(start + CUT_LINE_CHARS, column + length)
    end = end if end - start <= MAX_LINE_CHARS else start + CUT_LINE_CHARS
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


NO_SNAPSHOT = "none"  # the snapshot of an answer for which no generation was used


def scan_tree(search: FileSearch, report: WalkReport, max_file_bytes: int) -> ExactAnswer:
    """Return the matches in the files of a walk, without an index. Raises RepoError with CANCELLED.

    This serves the first seconds on a fresh root, large changes that are still being indexed, and an index
    that cannot be read. It finds what a search with an index finds, unless TIME_LIMIT_SECONDS cut it short.
    """
    wanted = search.wanted
    paths: Iterator[str] = filter(wanted.matches_unindexed, (file.path for file in report.files))
    found = search_files(search, order_by_role(paths) if search.request.by_role else paths)
    too_large = (file.path for file in report.files if file.stat.size > max_file_bytes)
    found.warnings += warn_of_too_large(too_large, wanted)
    return found.build_answer(search.request, NO_SNAPSHOT, scanned=True)


def iter_texts(matcher: LineMatcher, raws: Sequence[bytes | None]) -> Iterator[tuple[int, bytes]]:
    """Yield the position and the normalised text of each file that may match, in order.

    `raws` has the bytes of each file, or None for one that cannot be read.
    """
    left: set[int] = set()  # plain files that cannot match
    plain: list[int] = []
    if not matcher.needs_edges:
        for position, raw in enumerate(raws):
            if raw is not None and raw.isascii():
                plain.append(position)
        left = set(plain)
        for group in _group(plain, raws):
            left.difference_update(_prefilter(matcher, group, raws))
    for position, raw in enumerate(raws):
        if raw is None or position in left:
            continue
        try:
            yield position, decode_source(raw).data
        except RepoError:
            continue  # no longer text


def _group(positions: Sequence[int], raws: Sequence[bytes | None]) -> Iterator[list[int]]:
    """Yield the positions in groups of at most JOINED_BYTES, or of one file."""
    group: list[int] = []
    size = 0
    for position in positions:
        grown = size + len(raws[position] or b"")
        if group and grown > JOINED_BYTES:
            yield group
            group, grown = [], grown - size
        group.append(position)
        size = grown
    if group:
        yield group


def _prefilter(matcher: LineMatcher, group: Sequence[int], raws: Sequence[bytes | None]) -> Iterator[int]:
    """Yield the positions of the files that may match, in a group of ASCII files."""
    texts = [raws[position] or b"" for position in group]
    joined = texts[0] if len(texts) == 1 else b"\n".join(texts)
    if b"\r" in joined or b"\0" in joined:
        yield from group
        return
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    found = matcher.find_first(joined, 0)
    while found is not None:
        number = bisect_right(starts, found) - 1
        yield group[number]
        found = matcher.find_first(joined, starts[number + 1]) if number + 1 < len(group) else None
