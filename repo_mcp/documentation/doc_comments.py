"""Find comments of code and the declarations they belong to, by line patterns and indentation, not a parser.

A comment directly above a declaration belongs to it, even with decorators and attributes between them. So
does a docstring directly below its head. A comment above all declarations belongs to the file. Other comments
of some length belong to the declaration around them, and count as inner comments. Licences are ignored.

The declaration around a comment is found by indentation: it is the nearest one above that is indented less.
Text with another layout gives wrong names, never an error.

This module also reads the files of a ranking as they are now, with the lines in which the index found the
query.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter

import numpy as np

from index_format import compute_fingerprint
from repo_mcp.arrays import I64
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.languages.patterns.landmarks import Language, scan
from repo_mcp.languages.patterns.language_registry import find_dialect
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.ranking.scoring.segment_search import SegmentSearch
from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import decode_source

MAX_GAP_LINES = 8  # most lines of decorators and attributes between a comment and its declaration
MAX_HEAD_LINES = 60  # most lines from a declared name to the docstring below its head
NEAR_LINES = 4  # a declaration this near to its comment is shown with it
MAX_WALK_LINES = 4_000  # searched for the declarations around a comment
MAX_STEPS = 40_000  # lines searched for that in one file; comments after that get no enclosing names
MAX_ENCLOSING = 8  # most names of enclosing declarations
MIN_WORDS = 3  # fewest words of a comment
INNER_LINES, INNER_CHARS = 3, 160  # a comment in a body needs that many lines or characters
LICENCE_LINES = 12  # a comment that begins further down is not the licence of the file
TAB_COLUMNS = 8
_LINE_FEED = 0x0A

_LEADS = re.compile(
    r"[ \t]*(?:@|#\[|\[[A-Za-z]|template\b|(?:pub|export|static|inline|const|extern|public|private|protected"
    r"|default|async|abstract|final|override)\b[^;={}]{0,200}$|[\w \t*&:<>,]{1,120}$)"
)
_BRACKETS_OR_LABEL = re.compile(
    r"[ \t]*(?:[\])}{(;,]|#|(?!(?:else|try|finally|do):)\w{1,40}:[ \t]*$|\*/|//|/?\*)"
)
# The type of a method that is declared outside it: `func (c *Context) JSON(`, `impl<T> Sender<T> {`.
_RECEIVER = re.compile(r"func[ \t]{1,4}\([^()\n]{0,80}?\*?([A-Za-z_]\w{0,80})(?:\[[^\]\n]{0,80}\])?\)[ \t]")
_IMPL = re.compile(r"[ \t]{0,80}(?:unsafe[ \t]{1,4})?impl\b(?=[<\w \t])")
_ARGUMENTS = re.compile(r"<[^<>]{0,300}>")
_LICENCE = re.compile(r"copyright|licen[cs]e[ds]?\b|SPDX-|all rights reserved|©", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_QUOTES = re.compile(r"[ \t]*[rRuU]?(?:\"{3}|'{3})")
ReadLive = Callable[[str], bytes]  # the bytes of a file through the repository reader; raises RepoError
Span = tuple[int, int]  # first and last line
_LAST = itemgetter(1)  # line of a span
MAX_CHANGED_LINES = 5_000  # examined in a file that differs from what was indexed
MAX_BYTES = 8 * 1024 * 1024  # most bytes of files read for one ranking; the last file may exceed it


@dataclass(frozen=True, slots=True)
class DocComment:
    """One comment. Lines are counted from 1, both ends included."""

    start_line: int
    end_line: int
    name: str  # name of the declaration it belongs to; empty for the file itself
    within: tuple[str, ...]  # the enclosing declarations, outermost first
    is_inner: bool  # it stands in the body of the declaration, not at its head
    shown_from: int  # the declaration's line when that is near, else the comment's
    shown_to: int


def find_doc_comments(
    language: Language, data: bytes, lines: Sequence[str], wanted: Sequence[Span]
) -> list[DocComment]:
    """Return the comments that share a line with a `wanted` span, in order. `data` is normalised text."""
    landmarks = scan(find_dialect(language, data), data)
    if not landmarks.doc_spans:
        return []
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == _LINE_FEED)
    spans = np.searchsorted(ends, np.array(landmarks.doc_spans) - [0, 1]) + 1
    source = _Source(data, lines, ends, landmarks.definitions)
    found = [
        source.describe(first, last)
        for first, last in spans.tolist()
        if overlaps(wanted, first, last) and source.says_something(first, last)
    ]
    return [one for one in found if one is not None]


class _Source:
    """A text with the lines of its declarations. Lines are counted from 1."""

    def __init__(self, data: bytes, lines: Sequence[str], ends: I64, definitions: Sequence[Span]) -> None:
        """`ends` holds the byte offset of each line's end (int64); `definitions` are the spans of names."""
        self._data = data
        self._lines = lines
        positions = np.array([start for start, _ in definitions], dtype=np.int64)
        declared = (np.searchsorted(ends, positions) + 1).tolist()
        self._names = dict(zip(reversed(declared), reversed(definitions), strict=True))  # the first of a line
        self._declared = sorted(self._names)
        self._steps = MAX_STEPS

    def _name(self, line: int) -> str:
        start, end = self._names[line]
        return self._data[start:end].decode("utf-8", "replace")

    def says_something(self, first: int, last: int) -> bool:
        """Return False for a ruler, for fewer than MIN_WORDS words, and for a licence."""
        text = "\n".join(self._lines[first - 1 : min(last, first + 40)])[:4_000]
        if len(_WORD.findall(text)) < MIN_WORDS:
            return False
        return first > LICENCE_LINES or _LICENCE.search(text) is None

    def describe(self, first: int, last: int) -> DocComment | None:
        """Return the comment in some lines; None for a short one inside a body."""
        is_string = _QUOTES.match(self._lines[first - 1]) is not None
        owner = self._find_head(first) if is_string else self._find_below(last)
        if owner is not None:
            near_above = owner if 0 < first - owner <= NEAR_LINES else first
            near_below = owner if 0 < owner - last <= NEAR_LINES else last
            within = self._find_enclosing(owner)
            return DocComment(first, last, self._name(owner), within, False, near_above, near_below)
        if not self._declared or last < self._declared[0]:
            return DocComment(first, last, "", (), False, first, last)
        if last - first + 1 < INNER_LINES and sum(map(len, self._lines[first - 1 : last])) < INNER_CHARS:
            return None
        names = self._find_enclosing(first)
        name = names[-1] if names else ""
        return DocComment(first, last, name, names[:-1], True, first, last)

    def _find_below(self, last: int) -> int | None:
        """Return the line of the declaration that begins below a comment, or None."""
        position = bisect_right(self._declared, last)
        if position == len(self._declared) or self._declared[position] - last > MAX_GAP_LINES:
            return None
        owner = self._declared[position]
        between = self._lines[last : owner - 1]
        empty = sum(not line.strip() for line in between)
        if empty > 1 or any(line.strip() and _LEADS.match(line[:400]) is None for line in between):
            return None
        return owner if _measure(self._lines[owner - 1]) <= _measure(self._lines[last - 1]) + 1 else None

    def _find_head(self, first: int) -> int | None:
        """Return the line of the declaration whose head ends above a docstring, or None."""
        position = bisect_left(self._declared, first) - 1
        if position < 0 or first - self._declared[position] > MAX_HEAD_LINES:
            return None
        owner = self._declared[position]
        above = next((line for line in reversed(self._lines[owner - 1 : first - 1]) if line.strip()), "")
        ends = above.rstrip()[-200:].endswith(":") and not above.lstrip().startswith(("else", "try", "if "))
        return owner if ends and _measure(self._lines[owner - 1]) < _measure(self._lines[first - 1]) else None

    def _find_enclosing(self, line: int) -> tuple[str, ...]:
        """Return the names of the declarations around a line, outermost first."""
        receiver = _RECEIVER.match(self._lines[line - 1][:300])
        names: list[str] = [receiver.group(1)] if receiver is not None else []
        for outer in self._iter_outer(line):
            names.append(self._name(outer) if outer in self._names else _name_type(self._lines[outer - 1]))
            if len(names) == MAX_ENCLOSING:
                break
        return tuple(reversed(names))

    def _iter_outer(self, line: int) -> Iterator[int]:
        """Yield the lines of the declarations around a line, innermost first."""
        depth = _measure(self._lines[line - 1])
        for number in range(line - 1, max(0, line - MAX_WALK_LINES), -1):
            self._steps -= 1
            if depth == 0 or self._steps < 0:
                return
            text = self._lines[number - 1][:400]
            own = _measure(text)
            declares = number in self._names or _IMPL.match(text) is not None
            if own < depth and text.strip() and (declares or not _BRACKETS_OR_LABEL.match(text)):
                depth = own
                if declares:
                    yield number


def _name_type(line: str) -> str:
    """Return the type in an `impl` line of Rust: `Sender` in `impl<T> Drop for bounded::Sender<T> {`."""
    head = line[:400].partition("{")[0].partition(" where ")[0]
    plain = head
    while plain != (plain := _ARGUMENTS.sub("", plain)):
        head = plain
    words = head.replace("&", " ").split()
    return words[-1].rpartition("::")[2] if len(words) > 1 else "impl"


def _measure(line: str) -> int:
    """Return the columns of indentation, counting at most 400 characters."""
    head = line[:400]
    blank = head[: len(head) - len(head.lstrip(" \t"))]
    return len(blank.expandtabs(TAB_COLUMNS)) if "\t" in blank else len(blank)


@dataclass(frozen=True, slots=True)
class LiveDocument:
    """A live file of the ranking."""

    path: str
    language: str
    data: bytes  # normalised text
    lines: tuple[str, ...]  # without line ends
    wanted: tuple[Span, ...]  # the lines to examine, ascending
    fingerprint: bytes  # fingerprint of the file


class LiveDocuments:
    """Reads the files of one ranking, best first, and counts those that changed or were skipped."""

    def __init__(self, searcher: Searcher, read_live: ReadLive, cancelled: Callable[[], bool]) -> None:
        self._searcher = searcher
        self._read_live = read_live
        self._cancelled = cancelled
        self._room = MAX_BYTES
        self.changed = 0  # files that changed or disappeared
        self.left_out = 0  # files skipped because MAX_BYTES was used up

    def read(self, part: SegmentSearch, file: int, units: I64) -> LiveDocument | None:
        """Read a file, with the lines of some units as the wanted ones. Raises RepoError with CANCELLED.

        Return None if it cannot be read or MAX_BYTES are used up.
        """
        if self._cancelled():
            raise RepoError(ErrorCode.CANCELLED, "The search was cancelled.", "Search again.")
        if self._room <= 0:
            self.left_out += 1
            return None
        path = self._searcher.read_path(part.position, file)
        try:
            raw = self._read_live(path)
            data = decode_source(raw).data
        except RepoError:
            self.changed += 1
            return None
        self._room -= len(raw)
        fingerprint = compute_fingerprint(raw)
        is_changed = fingerprint != part.reader.files.take_fingerprints(np.array([file]))[0]
        self.changed += is_changed
        lines = tuple(data.decode("utf-8", "replace").removesuffix("\n").split("\n")) if data else ()
        wanted = ((1, min(len(lines), MAX_CHANGED_LINES)),) if is_changed else _find_lines(part, file, units)
        language = part.reader.take_languages(np.array([file]))[0]
        return LiveDocument(path, language, data, lines, wanted, fingerprint)


def describe_reading(read: Sequence[LiveDocuments]) -> tuple[str, ...]:
    """Return warnings about files that changed or were skipped."""
    changed, left_out = (
        sum(counts) for counts in zip(*((one.changed, one.left_out) for one in read), strict=True)
    )
    notes = []
    if changed:
        notes.append(f"{changed} of the files found changed after indexing: refresh the index.")
    if left_out:
        notes.append(
            f"{left_out} of the files found were not read, because those before them are very large."
        )
    return tuple(notes)


def _find_lines(part: SegmentSearch, file: int, units: I64) -> tuple[Span, ...]:
    """Return the line spans of ascending units of one file, with adjacent units joined."""
    if not len(units):
        return ()
    first = int(part.first_units[file])
    lines = part.reader.chunks.read_units(first, int(units[-1]) + 1).lines
    ends = np.cumsum(lines)
    spans: list[Span] = []
    for position in (units - first).tolist():
        start, end = int(ends[position] - lines[position]) + 1, int(ends[position])
        if spans and spans[-1][1] + 1 == start:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return tuple(spans)


def overlaps(spans: Sequence[Span], start: int, end: int) -> bool:
    """Return True when one of the spans, ascending and apart, shares a line with `start` to `end`."""
    at = bisect_left(spans, start, key=_LAST)
    return at < len(spans) and spans[at][0] <= end
