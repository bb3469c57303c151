"""Finds the lines of declarations by landmarks and indentation: cheap, for every language, without parsing.

A declaration begins at the comment, decorator or attribute lines that touch it from above; in C and its kin
also at the line of its type, where the name begins the next line, as BSD and GNU write it. It ends before
the next line that is indented no deeper; a line there that closes a bracket or a block (`}`, `)`, `end`)
still belongs to it. In languages with braces only such a line ends it, because labels and preprocessor lines
of C begin in the first column. In Python the lines within strings and brackets and those of comments end
nothing. A heading reaches to the next heading that is not deeper. Text with another
layout gives wrong spans, never an error. The work is bounded: after MAX_STEPS lines examined, declarations
are taken to end where the search stops, and those after the first MAX_SPANS are left out.

A parser that finds spans can replace `list_declared_spans`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from repo_mcp.languages.patterns.landmarks import Landmarks, Language, Spans, scan
from repo_mcp.languages.patterns.owners import Owners, join_owner
from repo_mcp.late_patterns import compile_late
from repo_mcp.record_classes import dataclass

MAX_HEADER_LINES = 30  # from the name to the brace, colon or semicolon that ends the head
MAX_STATEMENT_LINES = 200  # of a declaration without a body
MAX_META_LINES = 12  # of the metadata before a name of Clojure
MAX_SQL_LINES = 2_000  # of one statement
MAX_LEAD_LINES = 40  # comment and decorator lines above the name
MAX_NESTING = 50  # deeper declarations are named after the fiftieth that encloses them
TAB_COLUMNS = 8
NO_TEXT = 1 << 30  # depth of a line without text: deeper than any
MAX_SPANS = 50_000  # declarations of one file, the first ones: half a kilobyte each
MAX_STEPS = 1_000_000  # lines examined in one file for the ends of declarations; about 0.2 s

_CLOSES = re.compile(rb"[}\])]")
_CLOSES_WITH_END = compile_late(rb"[}\])]|end\b")  # not where braces end blocks: there it may be a label
_LEADS = re.compile(
    rb"[ \t]*(?:@|#(?!include|if|else|endif|define|undef|pragma)|//|/?\*|--|\[[A-Za-z#]|template\b)"
)
_SMALL_OPENER = re.compile(rb"[{(\[]\s*$")
# Blocks of all other languages are assumed to have braces, or lines of their own for their ends.
_INDENTED_LANGUAGES = frozenset(
    ("python", "ruby", "lua", "haskell", "elixir", "julia", "nim", "make", "cmake", "kconfig", "clojure")
    + ("common-lisp", "ocaml", "fsharp", "erlang")
)
_WORD_LANGUAGES = frozenset(("ruby", "lua", "elixir", "julia", "ocaml"))  # blocks end in a word
_DOCSTRING_LANGUAGES = frozenset(("python", "elixir", "julia"))  # their documentation may be above a name
_HEADING_LANGUAGES = frozenset(("markdown", "rst", "toml", "ini", "dockerfile"))
_TYPED_LANGUAGES = frozenset(("c", "cpp", "objective-c"))  # whose types may stand above names
_LINE_ENDED_LANGUAGES = frozenset(
    ("kotlin", "scala", "swift", "go", "javascript", "typescript", "vue", "svelte", "groovy", "r", "shell")
    + ("graphql",)
)
_GOES_ON_IN_HEAD = compile_late(
    rb"[{)\]}:=|&.,#/]|->|$|(?:where|extends|implements|with|throws|async|requires|derives)\b"
)
_HOLDS_MEMBERS = compile_late(
    r"\b(?:class|struct|interface|trait|impl|module|namespace|enum|object|extension|protocol|package|mod|union"
    r"|record|defmodule|describe)\b"
)
_NAME_FIRST = compile_late(rb"[ \t]*[A-Za-z_]\w*(?:(?:<[^<>\n]{0,60}+>)?::~?\w+){0,4}[ \t]*\(")
_TYPE_ALONE = compile_late(
    rb"[ \t]*(?!else\b|do\b|try\b|[A-Z_][A-Z0-9_]*[ \t]*$)[A-Za-z_][\w \t*&:<>,]{0,200}(?<![:,])"
    rb"(?:__\w{1,40}[ \t]*\([^;{}\n]{0,200}\))?[ \t]*"
)
_SIGNATURE = compile_late(rb"[ \t]*([A-Za-z_][\w']*|\([^\w\s()]+\))[^:\n]*::")  # of a name of Haskell
_FORM = compile_late(rb"\((?=(?:[\w.]+[/:])?(?:def|ns\b))")
_LISP_TOKENS = compile_late(  # of these, brackets alone are counted
    rb"""
    ;[^\n]*+ | "[^"\\]*+(?:\\.[^"\\]*+){0,20000}"? | \\. | [()\[\]{}]
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = compile_late(rb"@(?:interface|implementation|protocol)\b")
_DOLLARS = compile_late(rb"\$\w*\$")  # the quotes of PostgreSQL
_CREATES = compile_late(rb"(?i)(?:create|drop|grant|alter|comment on)\b")
_BEGINS = compile_late(rb"(?i)[ \t]*begin\b[^;]*$")
_ENDS_BODY = compile_late(rb"(?i)end\b")
_GOES_ON = compile_late(rb"[)\]}{#]|\w+:\s*$|where\b")  # a line that ends no declaration with a brace
_MACRO = compile_late(rb"[ \t]*#[ \t]*define\b")  # ends with its line, and those that a backslash continues
_COMMENT = re.compile(rb"[ \t]*(?:#(?!\[)|//|/?\*|--)")
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

Mask = npt.NDArray[np.bool_]
_Found = tuple[int, int, int, str, str]  # first line, last line, line of the name (from 0), name, owner


@dataclass(frozen=True, slots=True)
class SymbolSpan:
    """The lines of one declaration, 1-based, both included."""

    start_line: int
    end_line: int
    name_line: int  # the line that holds the name
    head_line: int  # the first of its decorators and attributes, after the comments above it
    name: str
    qualified_name: str
    owner: str = ""  # the type that it belongs to though it stands outside, as `Owners` finds it


def list_declared_spans(
    language: Language, text: bytes, landmarks: Landmarks | None = None
) -> tuple[SymbolSpan, ...]:
    """Return the declarations of normalised text in the order of their names; `landmarks` if known.

    Spans are nested or disjoint.
    """
    landmarks = landmarks or scan(language, text)
    if not landmarks.definitions:
        return ()
    layout = _Layout(text, landmarks.doc_spans, language.name)
    definitions = landmarks.definitions[:MAX_SPANS]
    places = zip(layout.find_lines([start for start, _ in definitions]), definitions, strict=True)
    owners = Owners(language.name, layout.lines)
    names = [
        (line, text[start:end].decode("utf-8", "replace"), owners.find(line, layout.read_before(line, start)))
        for line, (start, end) in places
        if not layout.is_inside[line]
    ]
    if language.name in _HEADING_LANGUAGES:
        spans = _span_headings(layout, names)
    else:
        find_end = _choose_end(language.name)
        closes = _CLOSES_WITH_END if language.name in _WORD_LANGUAGES else _CLOSES
        spans = [
            (layout.find_start(line), find_end(layout, line, closes), line, name, owner)
            for line, name, owner in names
        ]
    return _nest(spans, layout)


def qualify_name(name: str, owner: str, outer: SymbolSpan | None) -> str:
    """Return the qualified name of a declaration by its owner and by the one that encloses it, if any."""
    if not owner:
        return name if outer is None else f"{outer.qualified_name}.{name}"
    around, owner_around = (outer.qualified_name, outer.owner) if outer is not None else ("", "")
    return f"{join_owner(around, owner, owner_around)}.{name}"


def is_type_above(language: str, above: bytes, line: bytes) -> bool:
    """Return whether a line begins with the name of a function, and the one above holds its type alone."""
    if language not in _TYPED_LANGUAGES or not _NAME_FIRST.match(line):
        return False
    return _TYPE_ALONE.fullmatch(above) is not None


def holds_members(head: str, name: str) -> bool:
    """Return whether a declaration is that of a type, a module or the like, by the text of its head."""
    return _HOLDS_MEMBERS.search(head.partition(name)[0]) is not None


class _Layout:
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
        starts = np.concatenate([[0], np.flatnonzero(data == _LINE_FEED) + 1])[:count]
        self._data, self._line_starts = data, starts
        self._starts: list[int] = starts.tolist()
        self.is_doc = bytearray(count + 1)
        for start, end in doc_spans:
            first, last = self.find_line(start), self.find_line(max(start, end - 1))
            self.is_doc[first + 1 : last + 1] = b"\1" * (last - first)  # the first line tells the depth
        self._depths, firsts = self._measure_depths(data, starts)
        self.depths: list[int] = self._depths.tolist()
        self._ends_nothing = np.frombuffer(self.is_doc, dtype=np.bool_)[:count].copy()
        has_text = self._depths != NO_TEXT
        is_inside = np.zeros(count, dtype=np.bool_)
        if language == "python":
            is_inside, has_code = _find_statements(text, data, starts, firsts, has_text)
            self._ends_nothing |= is_inside | ~has_code
            has_text = has_code
        self.is_inside: list[bool] = is_inside.tolist()  # within a string or brackets that began above
        last_texts = np.maximum.accumulate(np.where(has_text, np.arange(count), -1))
        self._last_texts: list[int] = last_texts.tolist()
        self._outer: dict[int, list[int]] = {}  # per depth: the lines that are not deeper, comments aside
        self._steps = MAX_STEPS

    def _measure_depths(
        self, data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the columns of indentation of each line, and the offset of its first other byte."""
        ends = np.append(starts[1:] - 1, len(data))
        texts = np.append(np.flatnonzero(~_IS_SPACE[data]), len(data))
        firsts = texts[np.searchsorted(texts, starts)]
        is_blank = firsts >= ends
        firsts = np.where(is_blank, starts, firsts)
        tabs = np.append(0, np.cumsum(data == _TAB))
        tabs = tabs[firsts] - tabs[starts]
        depths = firsts - starts + (TAB_COLUMNS - 1) * tabs  # right where tabs come before all spaces
        for line in np.flatnonzero((tabs > 0) & (tabs < firsts - starts)).tolist():
            depths[line] = _measure_depth(self.lines[line])
        return np.where(is_blank, NO_TEXT, depths), firsts

    def find_line(self, offset: int) -> int:
        return min(bisect_right(self._starts, offset) - 1, len(self.lines) - 1)

    def find_offset(self, line: int) -> int:
        """Return where a line begins, or the text ends."""
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def find_lines(self, offsets: Sequence[int]) -> list[int]:
        """Return the line of each offset."""
        found = np.searchsorted(self._line_starts, offsets, "right") - 1
        lines: list[int] = np.minimum(found, len(self.lines) - 1).tolist()
        return lines

    def read_before(self, line: int, offset: int) -> bytes:
        """Return the text of a line before an offset of the whole text."""
        return self.lines[line][: max(0, offset - self._starts[line])]

    @cached_property
    def _stops(self) -> list[int]:
        """Return the lines that have a brace, end in a semicolon, or are blank."""
        stops = self._depths == NO_TEXT
        braces = np.flatnonzero(self._data == _BRACE)
        stops[self._line_starts.searchsorted(braces, "right") - 1] = True
        texts = np.flatnonzero(~_IS_SPACE[self._data])
        lasts = texts[texts.searchsorted(np.append(self._line_starts[1:], len(self._data))) - 1]
        stops |= (self._data[lasts] == _SEMICOLON) & (lasts >= self._line_starts)
        found: list[int] = stops.nonzero()[0].tolist()
        return found

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
        if outer is None:
            is_outer = (self._depths <= depth) & ~self._ends_nothing
            outer = self._outer[depth] = np.flatnonzero(is_outer).tolist()
        for place in range(bisect_left(outer, start), len(outer)):
            if not self.spend_step():
                return
            yield outer[place]

    def find_start(self, line: int) -> int:
        """Return the first line of the type, comments and decorators that touch a declaration from above."""
        if self._continues_macros(line):
            return line
        start = line - 1 if self._has_type_above(line) else line
        while start > 0 and line - start < MAX_LEAD_LINES:
            above = self._find_lead(start - 1, self.depths[line])
            if above is None:
                break
            start = above
        return start

    def _continues_macros(self, line: int) -> bool:
        """Return True for a macro right below another, as in headers of registers: nothing leads it."""
        if line == 0 or not self.lines[line].startswith(b"#") or self.is_doc[line - 1]:
            return False
        return self.lines[line - 1].startswith(b"#define")

    def _has_type_above(self, line: int) -> bool:
        if line == 0 or self.depths[line - 1] != self.depths[line] or self.is_doc[line - 1]:
            return False
        return is_type_above(self.language, self.lines[line - 1], self.lines[line])

    def _find_lead(self, line: int, depth: int) -> int | None:
        """Return the first line of the comment or decorator that ends in `line`, or None."""
        while self.is_inside[line] and line > 0:  # of a decorator over several lines
            line -= 1
        text = self.lines[line]
        if self._docs_stand_above and self.is_doc[line] and text.strip():
            return line
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


def _measure_depth(line: bytes) -> int:
    """Return the columns of indentation of a line with text."""
    return len(line[: len(line) - len(line.lstrip())].expandtabs(TAB_COLUMNS))


def _find_statements(
    text: bytes,
    data: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
    has_text: Mask,
) -> tuple[Mask, Mask]:
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


def _choose_end(language: str) -> Callable[[_Layout, int, re.Pattern[bytes]], int]:
    """Return what finds the last line of a declaration, given the line of its name."""
    return _ENDS.get(language, _find_indented_end if language in _INDENTED_LANGUAGES else _find_brace_end)


def _find_equations_end(layout: _Layout, line: int, closes: re.Pattern[bytes]) -> int:
    """Return the last line of a name of Haskell: below its signature, its equations begin with it."""
    end = _find_indented_end(layout, line, closes)
    signature = _SIGNATURE.match(layout.lines[line])
    if signature is None:
        return end
    depth, name = layout.depths[line], signature[1]
    for position in layout.iter_outer(end + 1, depth):
        if layout.depths[position] < depth or not _is_equation(layout.lines[position].strip(), name):
            break
        end = _find_indented_end(layout, position, closes)
    return end


def _is_equation(text: bytes, name: bytes) -> bool:
    """Return whether a line defines a name for some arguments: `f x = ...`, `x <+> y = ...`, or guards."""
    if name.startswith(b"("):
        return name[1:-1] in text.partition(b"=")[0] or text.startswith(name)
    return re.match(rb"%b(?![\w'])" % re.escape(name), text) is not None or b"`%b`" % name in text


def _find_form_end(layout: _Layout, line: int, closes: re.Pattern[bytes]) -> int:
    """Return the last line of a form of a Lisp, by its brackets; by indentation where they do not balance."""
    first = line
    while first > line - MAX_META_LINES and first and not layout.lines[first].lstrip().startswith((b"(", b"#?")):
        first -= 1  # metadata may stand between "(ns" and the name
    form = _FORM.search(layout.text, layout.find_offset(first), layout.find_offset(line + 1))
    depth = 0
    for token in _LISP_TOKENS.finditer(layout.text, form.start()) if form else ():
        if not layout.spend_step():
            break
        depth += (token[0] in b"([{") - (token[0] in b")]}")
        if not depth:
            return layout.find_line(token.start())
    return _find_indented_end(layout, line, closes)


def _find_directive_end(layout: _Layout, line: int, closes: re.Pattern[bytes]) -> int:
    """Return the last line of a declaration of Objective-C: `@end`, if it is a class or the like."""
    if not _DIRECTIVE.match(layout.lines[line]):
        return _find_brace_end(layout, line, closes)
    for position in layout.iter_outer(line + 1, layout.depths[line]):
        if layout.lines[position].startswith(b"@end"):
            return position
    return line


def _find_statement_of_sql(layout: _Layout, line: int, closes: re.Pattern[bytes]) -> int:
    """Return the last line of a statement of SQL: the first that ends in `;`, outside `$$ ... $$`.

    A body between `BEGIN` and `END` ends where its `END` does.
    """
    quote, is_begun = b"", False
    for position in range(line, min(line + MAX_SQL_LINES, len(layout.lines))):
        text = layout.lines[position]
        if position > line and not quote and _CREATES.match(text):
            return layout.trim(line, position)
        for mark in _DOLLARS.findall(text):
            quote = b"" if mark == quote else quote or mark
        is_begun = is_begun or (not quote and _BEGINS.match(text) is not None)
        if quote or not layout.spend_step() or not text.rstrip().endswith((b";", b"$$", b"//")):
            continue
        if not is_begun or _ENDS_BODY.match(text):
            return position
    return layout.trim(line, min(line + MAX_SQL_LINES, len(layout.lines)))


def _find_indented_end(layout: _Layout, line: int, closes: re.Pattern[bytes]) -> int:
    depth = layout.depths[line]
    for position in layout.iter_outer(line + 1, depth):
        stripped = layout.lines[position].strip()
        if layout.depths[position] < depth or not closes.match(stripped):
            return layout.trim(line, position)
        if not stripped.endswith((b":", b"(", b"[", b"{", b"=")):  # else: parameters over several lines
            return position
    return layout.trim(line, len(layout.lines))


def _find_brace_end(layout: _Layout, line: int, closes: re.Pattern[bytes]) -> int:
    if _MACRO.match(layout.lines[line]):
        return _find_macro_end(layout, line)
    body = _find_body(layout, line)
    if body is None:
        return _find_statement_end(layout, line)
    depth = layout.depths[line]
    text = layout.lines[body]
    if not _SMALL_OPENER.search(text) and text.count(b"{") <= text.count(b"}"):
        return body
    may_close_deeper = text.rstrip().endswith((b"(", b"[")) or (
        layout.depths[body] > depth and layout.language not in _TYPED_LANGUAGES
    )
    for position in layout.iter_outer(body + 1, depth):
        stripped = layout.lines[position].lstrip()
        if may_close_deeper and not _GOES_ON.match(stripped):
            return layout.trim(line, position)
        if closes.match(stripped) and not _SMALL_OPENER.search(stripped):
            return position if layout.depths[position] == depth else layout.trim(line, position)
    return layout.trim(line, len(layout.lines))


def _find_body(layout: _Layout, line: int) -> int | None:
    """Return the line whose brace opens the body of the declaration in `line`, or None without a body.

    A brace among the parameters opens none, and no blank line among them ends a head.
    """
    nesting, read = 0, line  # of the parameters in the lines before `read`
    for position in layout.iter_stops(line, min(line + MAX_HEADER_LINES, len(layout.lines))):
        for place in range(read, position + 1):
            text = layout.lines[place]
            if place > line and nesting <= 0 and _begins_anew(layout, line, place):
                return None
            if place < position:
                nesting += text.count(b"(") - text.count(b")")
        read = position
        if b"{" in text and _opens_body(text, nesting):
            return position
        if position == line and _SMALL_OPENER.search(text) and b"=" in text:
            return position
        if text.rstrip().endswith(b";") or not (text.strip() or nesting > 0):
            return None
    return None


_ENDS = {
    "clojure": _find_form_end,
    "common-lisp": _find_form_end,
    "haskell": _find_equations_end,
    "objective-c": _find_directive_end,
    "sql": _find_statement_of_sql,
}


def _begins_anew(layout: _Layout, line: int, place: int) -> bool:
    """Return whether a line below the head in `line` is another statement, where no semicolon ends one."""
    if layout.language not in _LINE_ENDED_LANGUAGES or layout.depths[place] > layout.depths[line]:
        return False
    return _GOES_ON_IN_HEAD.match(layout.lines[place].lstrip()) is None


def _opens_body(text: bytes, nesting: int) -> bool:
    """Return whether a line of a head has the brace of a body, given the parentheses open before it.

    Between them, that of a function does: `x = wrap(function () {`. Those of named or destructured
    parameters, and of defaults, do not: `({`, `, {`, `= { true },`.
    """
    head = text.partition(b"{")[0]
    if nesting + head.count(b"(") <= head.count(b")"):
        return True
    if nesting + text.count(b"(") <= text.count(b")"):
        return b"{" in text[text.rfind(b")") :]
    opened = text.rstrip()
    return opened.endswith(b"{") and opened[:-1].rstrip()[-1:] not in (b"(", b",")


def _find_macro_end(layout: _Layout, line: int) -> int:
    while line + 1 < len(layout.lines) and layout.lines[line].endswith(b"\\") and layout.spend_step():
        line += 1
    return line


def _find_statement_end(layout: _Layout, line: int) -> int:
    """Return the last line of a declaration without a body, which includes deeper and continued lines."""
    for position in range(line, min(line + MAX_STATEMENT_LINES, len(layout.lines))):
        text = layout.lines[position].rstrip()
        if text.endswith(b";") or not layout.spend_step():
            return position
        if not text.endswith(b"\\") and not _follows(layout, line, position + 1):
            return position
    return line


def _follows(layout: _Layout, line: int, position: int) -> bool:
    """Return whether the statement that begins in `line` goes on in a line without a body of its own."""
    depth = layout.depths[line]
    if layout.language == "scala":  # whose bodies may be indented, and then have blank lines
        while position < len(layout.lines) and layout.depths[position] == NO_TEXT:
            position += 1
    if position >= len(layout.lines):
        return False
    closes = layout.depths[position] == depth and layout.lines[position].lstrip().startswith((b")", b"]"))
    return closes or NO_TEXT > layout.depths[position] > depth


def _span_headings(layout: _Layout, names: Sequence[tuple[int, str, str]]) -> list[_Found]:
    """Return sections, each up to the next heading that is not deeper. `#` or underline gives the depth."""
    spans = []
    following: list[tuple[int, int]] = []  # depth and line of the next headings, each one less deep
    for line, name, owner in reversed(names):
        depth = _get_heading_depth(layout, line)
        while following and following[-1][0] > depth:
            following.pop()
        end = following[-1][1] if following else len(layout.lines)
        spans.append((line, layout.trim(line, end), line, name.strip(), owner))
        following.append((depth, line))
    return spans[::-1]


def _get_heading_depth(layout: _Layout, line: int) -> int:
    text = layout.lines[line]
    if text.startswith(b"["):
        return 1
    if text.startswith(b"#"):
        return len(text) - len(text.lstrip(b"#"))
    under = layout.lines[line + 1][:1] if line + 1 < len(layout.lines) else b""
    return 1 + b'=-~^"'.find(under) if under in b'=-~^"' else 1


def _nest(spans: Sequence[_Found], layout: _Layout) -> tuple[SymbolSpan, ...]:
    """Qualify each span by its enclosing spans.

    A span that would cross the end of an enclosing one is cut there.
    """
    open_spans: list[SymbolSpan] = []
    found = []
    for start, end, line, name, owner in spans:
        while open_spans and open_spans[-1].end_line < line + 1:
            open_spans.pop()
        outer = open_spans[-1] if open_spans else None
        first, last = start + 1, max(end, line) + 1
        if outer is not None:
            first, last = max(first, outer.name_line), min(last, outer.end_line)
        head = layout.find_head(first - 1, line) + 1 if first <= line else first
        qualified = qualify_name(name, owner, outer)
        span = SymbolSpan(first, last, line + 1, head, name, qualified, owner)
        found.append(span)
        if len(open_spans) < MAX_NESTING:
            open_spans.append(span)
    return tuple(found)
