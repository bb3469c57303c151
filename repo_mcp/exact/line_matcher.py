"""Finds the matches of a literal or a regular expression in a text, line by line.

The engine is RE2, or one that finds the same (`engines`). The syntax is RE2's: `\\w`, `\\d`, `\\s` and
`\\b` mean ASCII, there are no look-arounds and no back-references. `^` and `$` match at every line.

A line matches once, at its first match. A match spans lines only where the pattern names a line feed
(`\\n`, or one in a literal); otherwise `\\s`, `[^x]` and the like do not match line feeds, as in grep.

Ignoring case uses Unicode's simple folding. A whole word has no letter, mark, digit or underscore of
any script on either side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exact.engines import Compiled, Engine, Options, load_engine
from repo_mcp.exact.expression_reader import ExpressionFault
from repo_mcp.exact.patterns import read_pattern
from repo_mcp.exact.repeated_parts import MAX_OPTIONAL, count_optional
from repo_mcp.late_patterns import compile_late
from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.lines import unify_line_ends

MAX_PATTERN_CHARS = 10_000
MIN_LITERAL = 2  # characters; a shorter literal is not worth a search of its own
FREE_TRIES = 8  # lines with the literal that are matched one by one
TRY_BYTES = 1 << 10  # one more line is tried for each so many bytes of skipped text
TRIES_BETWEEN_LOOKS = 1_000
# Words as in ripgrep: letters, marks, digits, connectors, joiners and circled letters of Unicode.
NOT_WORD = (
    r"[^\pL\pM\p{Nd}\p{Nl}\p{Pc}\x{200c}\x{200d}"
    r"\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}]"
)
MAX_REPEATED_CHARS = 200  # most characters of an expression that an error repeats
_OPEN_GROUP = "missing )"
_CHOICE = compile_late(r"\((?:\?:)?[^()|\[\\?]+\|[^()\[\\]+$")  # the last group, which is open
_LONE_BRACKET = _OPEN_GROUP, "unexpected )"
# A round bracket, or an escape or a class that may contain one.
_BRACKET = compile_late(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]", re.DOTALL)
_LINE_FEED = 0x0A


class MatchingStopped(Exception):
    """The engine did not finish a text in time."""


@dataclass(frozen=True, slots=True)
class LineMatch:
    """A line that matches, or the lines of one match that spans several. Offsets are bytes in the text."""

    start_line: int  # counted from 1
    end_line: int  # included
    line_start: int  # where the first line begins
    line_end: int  # where the last line ends, without its line feed
    start: int  # where the match begins
    end: int  # where the match ends


class LineMatcher:
    """One compiled pattern. Safe for several threads."""

    def __init__(self, request: ExactRequest, engine: Engine | None = None) -> None:
        """Compile the pattern, for the engine that is installed unless one is given.

        Raises RepoError with INVALID_ARGUMENT, saying what RE2 refuses and where.
        """
        _check_size(request)
        engine = load_engine() if engine is None else engine
        pattern = request.pattern
        if request.regex:
            # Compiled by itself first, so that errors name only the pattern.
            _compile(engine, pattern, request, multi_line=True)
        self.reading = read_pattern(request)
        multi_line = self.reading.spans_lines
        expression = pattern if request.regex else engine.escape(unify_line_ends(pattern))
        if self.reading.open_quote:
            expression += r"\E"
        is_plain = request.case_sensitive and not (request.regex or request.whole_word or multi_line)
        self._plain = pattern.encode() if is_plain else b""  # a literal that every matching line contains
        self._inner: Compiled | None = None  # finds where a whole word begins
        if request.whole_word:
            inner = f"(?:^|{NOT_WORD})({expression})(?:$|{NOT_WORD})"
            self._inner = _compile(engine, inner, request, multi_line=multi_line, capture=True)
            expression = inner
        self._compiled = _compile(engine, expression, request, multi_line=multi_line)
        self._multi_line = multi_line
        self.counts_lines = not multi_line  # two matches that span lines may share a line
        self.needs_edges = self.reading.needs_edges  # depends on where the whole text begins or ends
        self._literal: Compiled | None = None
        begins_with_it = pattern.startswith(self.reading.literal)  # RE2 finds such a prefix by itself
        is_worth_it = len(self.reading.literal) >= MIN_LITERAL and not begins_with_it
        # Because a part of a text has other edges than the whole.
        if is_worth_it and not multi_line and not self.needs_edges:
            exactly = replace(request, case_sensitive=True)
            self._literal = _compile(engine, engine.escape(self.reading.literal), exactly, multi_line=False)

    def iter_matches(self, data: bytes, stopped: Callable[[], bool] = lambda: False) -> Iterator[LineMatch]:
        """Yield the matching lines of normalised text in order, each once.

        A pattern that spans lines is tried from every match on. One long line may hold a million, so
        `stopped` is called now and then, and ends the search when it returns True.
        """
        size = len(data)
        position = line_start = 0
        number = 1  # number of the line that begins at `line_start`
        first_end = _find_line_end(data, 0)  # where that line ends
        last_line = 0  # last reported line number
        for tried in count(1):
            found = self._search(data, position) if position <= size else None
            if found is None or (not tried % TRIES_BETWEEN_LOOKS and stopped()):
                return
            start, end = self._locate(data, found)
            if start == size and (not size or data[-1] == _LINE_FEED):
                return  # behind the last line
            if start > first_end:
                begin, line_start = line_start, data.rfind(b"\n", line_start, start) + 1
                number += data.count(b"\n", begin, line_start)
                first_end = _find_line_end(data, line_start)
            last = max(start, end - 1)  # A match that ends with a line feed ends in that line feed's line
            line_end, end_line = first_end, number
            if last > first_end:
                line_end = _find_line_end(data, last)
                end_line += data.count(b"\n", line_start, line_end)
            if end_line > last_line:
                yield LineMatch(number, end_line, line_start, line_end, start, end)
                last_line = end_line
            position = end if self._multi_line and start < end <= line_end else line_end + 1

    def count_lines(self, data: bytes, position: int, stopped: Callable[[], bool]) -> int:
        """Return how many lines of normalised text match from `position` on, where a line begins.

        For a matcher that `counts_lines`. It takes a quarter of the time of `iter_matches`, or less.
        """
        size = len(data)
        last = size - 1 if not size or data[-1] == _LINE_FEED else size  # where a match can begin
        counted = 0
        start = self._find_start(data, position)
        while 0 <= start <= last and (counted % TRIES_BETWEEN_LOOKS or not stopped()):
            counted += 1
            start = self._find_start(data, _find_line_end(data, start) + 1)
        return counted

    def _find_start(self, data: bytes, position: int) -> int:
        """Return where the first match from `position` on begins, as in `find_first`; -1 for none."""
        if self._plain:
            return data.find(self._plain, position)
        found = self._search(data, position) if position <= len(data) else None
        return -1 if found is None else int(found.start())

    def find_first(self, data: bytes, position: int) -> int | None:
        """Return where the first match from `position` on begins, including what precedes a whole word."""
        found = self._search(data, position)
        return None if found is None else int(found.start())

    def _search(self, data: bytes, position: int) -> Any:
        """Return the engine's first match from `position` on.

        If every match lies within a line and contains a literal, only lines with the literal are searched,
        because RE2 finds a literal in a tenth of the time that many expressions take. If many such lines do
        not match, the rest of the text is searched at once.
        """
        if self._literal is None:
            return self._compiled.search(data, position)
        size = len(data)
        tries, begin = FREE_TRIES, position
        while tries + (position - begin) // TRY_BYTES > 0:
            held = self._literal.search(data, position)
            if held is None:
                return None
            line_end = _find_line_end(data, held.end())
            line_start = max(position, data.rfind(b"\n", position, held.start()) + 1)
            found = self._compiled.search(data, line_start, line_end)
            if found is not None:
                return found
            position = line_end + 1
            tries -= 1
            if position > size:
                return None
        return self._compiled.search(data, position)

    def _locate(self, data: bytes, found: Any) -> tuple[int, int]:
        """Return the start and end of the match itself, without the characters beside a whole word."""
        if self._inner is not None:
            found = self._inner.search(data, found.start())
            span: tuple[int, int] = found.span(1)
            return span
        return found.start(), found.end()


def _find_line_end(data: bytes, position: int) -> int:
    """Return where the line ends that holds a position, without its line feed."""
    end = data.find(b"\n", position)
    return len(data) if end < 0 else end


def _compile(
    engine: Engine, expression: str, request: ExactRequest, *, multi_line: bool, capture: bool = False
) -> Compiled:
    options = Options(request.case_sensitive, never_line_feed=not multi_line, captures=capture)
    try:
        return engine.compile(expression, options)
    except ExpressionFault as fault:
        hint = _suggest(engine, str(fault), request.pattern, options)
        raise _explain(str(fault), request.pattern, hint) from None
    except UnicodeEncodeError:
        raise _refuse(
            "The pattern is not valid Unicode: it has half of a surrogate pair.", "Remove it."
        ) from None


def _suggest(engine: Engine, fault: str, pattern: str, options: Options) -> str:
    """Return a hint with the expression that was meant, if brackets are at fault; else "".

    A last group with alternatives, `poll_(read|write`, lacks its end: escaped, it would part the whole.
    """
    closed = f"{pattern})" if fault.startswith(_OPEN_GROUP) and _may_repeat(pattern) else ""
    if closed and _CHOICE.search(pattern) and _is_valid(engine, closed, options):
        return f"Close the group: {closed}"
    escaped = _escape_lone_brackets(fault, pattern)
    is_valid = escaped is not None and _is_valid(engine, escaped, options)
    return f"Escape a bracket that stands for itself: {escaped}" if is_valid else ""


def _may_repeat(pattern: str) -> bool:
    return len(pattern) <= MAX_REPEATED_CHARS and pattern.isprintable()


def _is_valid(engine: Engine, expression: str, options: Options) -> bool:
    try:
        engine.compile(expression, options)
    except ExpressionFault:
        return False
    return True


def _explain(fault: str, pattern: str, hint: str) -> RepoError:
    """Return the engine's complaint as a RepoError, with the position of the piece that it names.

    `hint` has the expression that the client may have meant; "" for the usual hint.
    """
    what, _, piece = fault.partition(": ")
    position = pattern.find(piece) if piece else -1
    where = f" at character {position + 1}: {piece[:40]}" if position >= 0 else ""
    usual = (
        "Use RE2 syntax: no look-around, no back-references, repetition up to 1,000."
        " To find the text as it is, search for it as a literal."
    )
    return _refuse(f"The pattern is not a valid regular expression: {what}{where}.", hint or usual)


def _escape_lone_brackets(fault: str, pattern: str) -> str | None:
    """Return an expression with a backslash before each round bracket that has no partner.

    None if these are not at fault, if one begins a group such as `(?:a`, or if an error cannot repeat it: it
    is too long, which would take quadratic time, or has signs that an error escapes.
    """
    if not fault.startswith(_LONE_BRACKET) or not _may_repeat(pattern):
        return None
    lone: list[int] = []
    for part in _BRACKET.finditer(pattern):
        if part[0] == ")" and lone and pattern[lone[-1]] == "(":
            lone.pop()
        elif part[0] in "()":
            lone.append(part.start())
    if any(pattern.startswith("(?", at) for at in lone):
        return None
    return "".join(["\\" * (at in lone) + char for at, char in enumerate(pattern)])


def _check_size(request: ExactRequest) -> None:
    """Raise RepoError with INVALID_ARGUMENT for a pattern that is empty, too long, or repeats too much."""
    pattern = request.pattern
    if not pattern:
        raise _refuse("The pattern is empty.", "Give the text or expression to search for.")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise _refuse(
            f"The pattern has {len(pattern):,} characters; at most {MAX_PATTERN_CHARS:,} are allowed.",
            "Search for a shorter part of it.",
        )
    optional = count_optional(pattern) if request.regex else 0
    if optional > MAX_OPTIONAL:
        raise _refuse(
            f"The repetitions of the expression may leave out {optional:,} parts;"
            f" at most {MAX_OPTIONAL:,} are allowed.",
            "Use * or +, or smaller numbers in {...}.",
        )


def _refuse(message: str, hint: str) -> RepoError:
    return RepoError(ErrorCode.INVALID_ARGUMENT, message, hint, {"argument": "pattern"})
