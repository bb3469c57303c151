"""The lines of a text and their indentation, by which declarations and their ends are found."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

from repo_mcp.arrays import I64, U8, Mask
from repo_mcp.languages.patterns.heredocs import iter_texts
from repo_mcp.languages.patterns.landmarks import Spans
from repo_mcp.languages.patterns.types_above import find_head_above
from repo_mcp.late_patterns import compile_late

MAX_LEAD_LINES = 40  # comment and decorator lines above the name
TAB_COLUMNS = 8
NO_TEXT = 1 << 30  # depth of a line without text: deeper than any
MAX_PASSES = 64  # over all lines at once, for their indentation; deeper ones are measured one by one,
FEW_LINES = 16  # as are the last few
MAX_STEPS = 1_000_000  # lines examined in one file for the ends of declarations; about 0.2 s
# Lines in lists of those that are not deeper than some depth: 40 MB. A text may have hundreds of thousands of
# lines, and hundreds of depths; for depths without a list, FAR_LINES are looked at together.
MAX_LISTED, FAR_LINES = 1_000_000, 4_096
_LEADS = re.compile(
    rb"[ \t]*(?:@|#(?!include|if|else|endif|define|undef|pragma)|//|/?\*|--|\[[A-Za-z#]|template\b)"
)
_DOCSTRING_LANGUAGES = frozenset(("python", "elixir", "julia"))  # their documentation may be above a name
WORD_LANGUAGES = frozenset(("ruby", "lua", "elixir", "julia", "ocaml"))  # blocks end in a word
_WITHOUT_DECORATORS = frozenset(("objective-c", "perl", "php", "ruby"))  # `@end`, `@lines`, `@unlink()`
_COMMENT = re.compile(rb"[ \t]*(?:#(?!\[)|//|/?\*|--)")
_BEHIND = compile_late(rb";[ \t]*(?:/[/*]|\#)[^\n]*+")  # a statement: a comment
# Repeats of groups are counted, not possessive: Python before 3.11.5 matches those wrongly.
_PYTHON_TOKENS = compile_late(
    rb"""
    "{3}[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+){0,20000}(?:"{3})?
    | '{3}[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+){0,20000}(?:'{3})?
    | "[^"\\\n]*+(?:\\.[^"\\\n]*+){0,20000}"?
    | '[^'\\\n]*+(?:\\.[^'\\\n]*+){0,20000}'?
    | \#[^\n]*+
    """,
    re.VERBOSE | re.DOTALL,
)
_IS_SPACE = np.array([bytes([byte]).isspace() for byte in range(256)])
_BRACKETS = np.array([(byte in b"([{") - (byte in b")]}") for byte in range(256)], dtype=np.int32)
_TAB, _LINE_FEED, _HASH, _BACKSLASH, _BRACE, _SEMICOLON = b"\t\n#\\{;"

Runs = npt.NDArray[np.int32]  # of lines: the first and the last of each


class Layout:
    """The lines of a text by 0-based number: their offsets and depths of indentation."""

    def __init__(self, text: bytes, doc_spans: Spans, language: str) -> None:
        self._docs_stand_above = language not in _DOCSTRING_LANGUAGES
        self.language = language
        self.text = text
        self.lines = text.split(b"\n")
        if self.lines[-1] == b"":
            self.lines.pop()
        count = len(self.lines)
        data = np.frombuffer(text, dtype=np.uint8)
        feeds = (data == _LINE_FEED).nonzero()[0]
        starts = np.zeros(count, dtype=np.int64)
        starts[1:] = feeds[: count - 1] + 1
        self.data, self._line_starts = data, starts
        self._line_ends = feeds if len(feeds) == count else np.append(feeds, len(data))
        self.doc_lines = find_runs(feeds, doc_spans)
        self.is_doc = bytearray(count + 1)
        for first, last in self.doc_lines.tolist():
            self.is_doc[first + 1 : last + 1] = b"\1" * (last - first)  # the first line has the depth
        self._depths, texts = self._measure_depths()
        self.depths: list[int] = self._depths.tolist()
        self._ends_nothing = np.frombuffer(self.is_doc, dtype=np.bool_)[:count].copy()
        self._has_text = self._depths != NO_TEXT
        self.is_inside: Sequence[int] = bytes(count)  # within a string or brackets that began above
        if language == "python":
            is_inside, has_code = _find_statements(text, data, starts, texts, self._has_text)
            self._ends_nothing |= is_inside | ~has_code
            self._has_text = has_code
            self.is_inside = is_inside.tobytes()
        else:
            self._pass_over_texts()
        if language in WORD_LANGUAGES:
            self._pass_over_comments()
        self._outer: dict[int, list[int]] = {}  # per depth: the lines that are not deeper, comments aside
        self._listed = 0  # lines in these lists
        self._steps = MAX_STEPS

    def _pass_over_texts(self) -> None:
        spans = [*iter_texts(self.language, self.text)]
        if spans:
            is_inside = np.zeros(len(self.lines), dtype=np.bool_)
            for first, last in self._line_starts.searchsorted(spans, "right").tolist():
                is_inside[first - 1 : last] = True  # with the line that ends it
            self._ends_nothing |= is_inside
            self.is_inside = is_inside.tobytes()

    def _pass_over_comments(self) -> None:
        """Let comments end nothing: before the `rescue` of a body they stand as deep as its `def`."""
        for first, last in self.doc_lines.tolist():
            if _COMMENT.match(self.lines[first]):
                self._ends_nothing[first : last + 1] = True
                self._has_text[first : last + 1] = False

    def _measure_depths(self) -> tuple[I64, I64]:
        """Return the columns of indentation of each line, and the offset of its first other byte.

        All lines are passed through together, a byte at a time, as those that are indented deeply are few.
        """
        data, ends = self.data, self._line_ends
        firsts, depths = self._line_starts.copy(), np.zeros(len(ends), dtype=np.int64)
        lines = (firsts < ends).nonzero()[0]
        for _ in range(MAX_PASSES):
            bytes_there = data.take(firsts.take(lines))
            spaces = _IS_SPACE.take(bytes_there).nonzero()[0]
            lines = lines.take(spaces)
            if len(lines) <= FEW_LINES:
                break
            before = depths.take(lines)
            tabbed = TAB_COLUMNS - before % TAB_COLUMNS
            depths[lines] = before + np.where(bytes_there.take(spaces) == _TAB, tabbed, 1)
            after = firsts.take(lines) + 1
            firsts[lines] = after
            lines = lines[after < ends.take(lines)]
        for line in lines.tolist():
            text = self.lines[line]
            firsts[line] = self._line_starts[line] + len(text) - len(text.lstrip())
            depths[line] = _measure_depth(text)
        is_blank = firsts >= ends
        return np.where(is_blank, NO_TEXT, depths), np.where(is_blank, self._line_starts, firsts)

    def find_line(self, offset: int) -> int:
        """Return the line of an offset."""
        return int(self.find_lines(np.array([offset]))[0])

    def find_offset(self, line: int) -> int:
        """Return where a line begins, or the text ends."""
        return int(self._line_starts[line]) if line < len(self.lines) else len(self.text)

    def find_lines(self, offsets: I64) -> I64:
        """Return the line of each offset."""
        return np.minimum(self._line_starts.searchsorted(offsets, "right") - 1, len(self.lines) - 1)

    @cached_property
    def places_lines(self) -> bool:
        """Return whether a text of C# says of lines that they are of another file."""
        return b"#line " in self.text

    @cached_property
    def _stops(self) -> list[int]:
        """Return the lines that have a brace, end in a semicolon, or are blank."""
        stops = self._depths == NO_TEXT
        braces = (self.data == _BRACE).nonzero()[0]
        stops[self._line_starts.searchsorted(braces, "right") - 1] = True
        lasts = np.maximum(self._line_ends - 1, 0)
        stops |= self.data[lasts] == _SEMICOLON
        for line in (_IS_SPACE[self.data[lasts]] & ~stops).nonzero()[0].tolist():
            stops[line] = self.lines[line].rstrip().endswith(b";")
        for match in _BEHIND.finditer(self.text):
            stops[self.find_line(match.start())] = True
        if any(self.is_inside):  # the last line of a heredoc may end a statement
            is_inside = np.frombuffer(bytes(self.is_inside), dtype=np.bool_)
            stops[:-1] &= ~(is_inside[:-1] & is_inside[1:])
        found: list[int] = stops.nonzero()[0].tolist()
        return found

    @cached_property
    def _last_texts(self) -> list[int]:
        """Return for each line the last one up to it that has text."""
        numbers = np.where(self._has_text, np.arange(len(self.lines)), -1)
        lasts: list[int] = np.maximum.accumulate(numbers).tolist()
        return lasts

    def read_statement(self, line: int) -> bytes:
        """Return the text of a line without spaces at its end, or a comment behind a semicolon."""
        text = self.lines[line].rstrip()
        if b";" not in text or text.endswith(b";"):
            return text
        behind = _BEHIND.search(text)
        return text if behind is None else text[: behind.start() + 1]

    def iter_stops(self, line: int, end: int) -> Iterator[int]:
        """Yield `line` and those of the lines before `end` that can end the head of a declaration.

        These have a brace, end in a semicolon, or are blank.
        """
        if line < end:
            yield line
        stops = self._stops
        for place in range(bisect_right(stops, line), len(stops)):
            if stops[place] >= end:
                return
            yield stops[place]

    def spend_step(self) -> bool:
        """Return True while a further line may be examined."""
        self._steps -= 1
        return self._steps >= 0

    def iter_outer(self, start: int, depth: int) -> Iterator[int]:
        """Yield the lines from `start` on that are not deeper, comments aside, until the steps run out."""
        outer = self._outer.get(depth)
        if outer is None and self._listed < MAX_LISTED:
            outer = self._outer[depth] = self._list_outer(0, len(self.lines), depth)
            self._listed += len(outer)
        if outer is None:
            lines = self._iter_far(start, depth)
        else:
            # By position: `islice` would step over all lines before, for each declaration of a long file.
            lines = map(outer.__getitem__, range(bisect_left(outer, start), len(outer)))
        for line in lines:
            if not self.spend_step():
                return
            yield line

    def _list_outer(self, start: int, end: int, depth: int) -> list[int]:
        is_outer = (self._depths[start:end] <= depth) & ~self._ends_nothing[start:end]
        found: list[int] = (is_outer.nonzero()[0] + start).tolist()
        return found

    def _iter_far(self, start: int, depth: int) -> Iterator[int]:
        """Yield the lines from `start` on that are not deeper, without a list of all of them."""
        for first in range(start, len(self.lines), FAR_LINES):
            yield from self._list_outer(first, first + FAR_LINES, depth)

    def find_start(self, line: int) -> int:
        """Return the first line of the type, comments and decorators that touch a declaration from above."""
        if line and self.depths[line - 1] == NO_TEXT and not self.is_inside[line - 1]:
            return line  # most of them
        if self._continues_macros(line):
            return line
        start, _ = find_head_above(self.language, self.lines, line)
        while start > 0 and line - start < MAX_LEAD_LINES:
            above = self._find_lead(start - 1, self.depths[line])
            if above is None:
                break
            start = above
        return start

    def _continues_macros(self, line: int) -> bool:
        """Return True for a macro right below another, as in register headers: it has no comment above."""
        if line == 0 or not self.lines[line].startswith(b"#") or self.is_doc[line - 1]:
            return False
        return self.lines[line - 1].startswith(b"#define")

    def _find_lead(self, line: int, depth: int) -> int | None:
        """Return the first line of the comment or decorator that ends in `line`, or None."""
        while self.is_inside[line] and line > 0:  # of a decorator over several lines
            line -= 1
        text = self.lines[line]
        if self._docs_stand_above and self.is_doc[line] and text.strip():
            return line
        if self.language in _WITHOUT_DECORATORS and text.lstrip().startswith(b"@"):
            return None
        if _LEADS.match(text):
            return line if self.depths[line] - depth in (0, 1) else None
        if text.strip() != b")" or self.depths[line] != depth:
            return None
        opening = next(
            (
                position
                for position in range(line - 1, max(-1, line - MAX_LEAD_LINES), -1)
                if self.depths[position] <= depth
            ),
            None,
        )
        return opening if opening is not None and self.lines[opening].lstrip().startswith(b"@") else None

    def find_head(self, start: int, line: int) -> int:
        """Return the first line from `start` on that is not a comment, at most `line`."""
        while start < line and (self.is_doc[start] or _COMMENT.match(self.lines[start])):
            start += 1
        return start

    def trim(self, start: int, end: int) -> int:
        """Return the last line with text of the half-open span, at least its first."""
        return max(start, self._last_texts[end - 1]) if end > start else start


def find_runs(feeds: I64, spans: Spans) -> Runs:
    """Return the first and last line of half-open byte spans, counted from 0. `feeds` are the line ends."""
    offsets = np.fromiter(chain.from_iterable(spans), np.int64, 2 * len(spans)).reshape(-1, 2)
    offsets[:, 1] = np.maximum(offsets[:, 0], offsets[:, 1] - 1)
    runs: Runs = feeds.searchsorted(offsets).astype(np.int32)
    return runs


def _measure_depth(line: bytes) -> int:
    """Return the columns of indentation of a line with text."""
    return len(line[: len(line) - len(line.lstrip())].expandtabs(TAB_COLUMNS))


def _find_statements(text: bytes, data: U8, starts: I64, firsts: I64, has_text: Mask) -> tuple[Mask, Mask]:
    """Return the lines of Python that continue a string, brackets or a statement, and those with code.

    Brackets that do not balance, as in an unfinished file, are ignored.
    """
    spans = np.array([match.span() for match in _PYTHON_TOKENS.finditer(text)], dtype=np.int64)
    edges = np.zeros(len(data) + 1, dtype=np.int8)
    if len(spans):
        edges[spans[:, 0]] += 1
        edges[spans[:, 1]] -= 1
    is_token = np.cumsum(edges, dtype=np.int8)[:-1] > 0
    nesting = np.cumsum(np.where(is_token, 0, _BRACKETS[data]))
    before = starts[1:] - 1  # the line feeds
    goes_on = is_token[before] | ((data[before - 1] == _BACKSLASH) & ~is_token[before - 1])
    if nesting[-1] == 0 and nesting.min() >= 0:
        goes_on |= nesting[before] > 0
    is_inside = np.append(False, goes_on)
    is_comment = (data[np.minimum(firsts, len(data) - 1)] == _HASH) & ~is_inside
    return is_inside, has_text & ~is_comment
