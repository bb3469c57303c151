"""Which lines a declaration covers, by landmarks and indentation: cheap, for every language, never a parse.

A declaration begins at the comment, decorator or attribute lines that touch it from above. It ends
before the next line that is indented no deeper; a line that closes a bracket or a block there
(`}`, `)`, `end`) still belongs to it. Where blocks stand in braces only such a line ends it: labels
and preprocessor lines of C begin in the first column. A heading reaches to the next heading that is
not deeper. Text that is not laid out like that gives wrong spans, never an error.

Another finder of spans, such as one that parses, can take the place of `list_symbol_spans`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from repo_mcp.adapters.languages import Spans, scan
from repo_mcp.adapters.registry import find_language

MAX_HEADER_LINES = 30  # from the name to the brace, colon or semicolon that ends the head
MAX_LEAD_LINES = 40  # comment and decorator lines above the name
TAB_COLUMNS = 8

_CLOSES = re.compile(rb"[}\])]")
_CLOSES_WITH_WORDS = re.compile(rb"[}\])]|(?:end|fi|done|esac)\b")
_LEADS = re.compile(
    rb"[ \t]*(?:@|#(?!include|if|else|endif|define|undef|pragma)|//|/?\*|--|\[[A-Za-z#]|template\b)"
)
_SMALL_OPENER = re.compile(rb"[{(\[]\s*$")
# Blocks of all other languages are taken to stand in braces, or to have lines of their own for their ends.
_INDENTED_LANGUAGES = frozenset(
    ("python", "ruby", "lua", "haskell", "elixir", "julia", "nim", "make", "cmake", "kconfig", "sql")
)
_DOCSTRING_LANGUAGES = frozenset(("python", "elixir", "julia"))  # whose documents may end above a name
_HEADING_LANGUAGES = frozenset(("markdown", "rst", "toml", "ini"))


@dataclass(frozen=True, slots=True)
class SymbolSpan:
    """The lines of one declaration, 1-based, both included."""

    start_line: int
    end_line: int
    name_line: int  # where the name stands
    name: str
    qualified_name: str


SpanFinder = Callable[[str, bytes], tuple[SymbolSpan, ...]]


def find_symbol_span(path: str, text: bytes, line: int) -> SymbolSpan | None:
    """The innermost declaration whose span holds a line."""
    around = [span for span in list_symbol_spans(path, text) if span.start_line <= line <= span.end_line]
    return min(around, key=lambda span: (span.end_line - span.start_line, -span.start_line), default=None)


def list_symbol_spans(
    path: str, text: bytes, overrides: Mapping[str, str] | None = None
) -> tuple[SymbolSpan, ...]:
    """The declarations of normalised text in the order of their names. Spans are nested or disjoint.

    `overrides` gives extensions other languages than the built-in ones.
    """
    language = find_language(path, overrides)
    landmarks = scan(language, text)
    if not landmarks.definitions:
        return ()
    layout = _Layout(text, landmarks.doc_spans, language.name not in _DOCSTRING_LANGUAGES)
    names = [
        (layout.find_line(start), text[start:end].decode("utf-8", "replace"))
        for start, end in landmarks.definitions
    ]
    if language.name in _HEADING_LANGUAGES:
        spans = _span_headings(layout, names)
    else:
        find_end = _find_indented_end if language.name in _INDENTED_LANGUAGES else _find_brace_end
        closes = _CLOSES if language.name == "python" else _CLOSES_WITH_WORDS
        spans = [
            (layout.find_start(line), find_end(layout, line, closes), line, name) for line, name in names
        ]
    return _nest(spans)


class _Layout:
    """Lines of a text by 0-based number: where they begin, how deep they are indented."""

    def __init__(self, text: bytes, doc_spans: Spans, docs_stand_above: bool) -> None:
        self._docs_stand_above = docs_stand_above
        self.lines = text.split(b"\n")
        if self.lines[-1] == b"":
            self.lines.pop()
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self.is_doc = bytearray(len(self.lines) + 1)
        for start, end in doc_spans:
            first, last = self.find_line(start), self.find_line(max(start, end - 1))
            self.is_doc[first + 1 : last + 1] = b"\1" * (last - first)  # the first line tells the depth

    def find_line(self, offset: int) -> int:
        return min(bisect_right(self._starts, offset) - 1, len(self.lines) - 1)

    def get_depth(self, line: int) -> int:
        """Columns of indentation; a line without text is deeper than any."""
        stripped = self.lines[line].lstrip()
        if not stripped:
            return 1 << 30
        return len(self.lines[line][: len(self.lines[line]) - len(stripped)].expandtabs(TAB_COLUMNS))

    def find_start(self, line: int) -> int:
        """The first of the comment and decorator lines that touch a declaration from above."""
        start = line
        while start > 0 and line - start < MAX_LEAD_LINES:
            above = self._find_lead(start - 1, self.get_depth(line))
            if above is None:
                break
            start = above
        return start

    def _find_lead(self, line: int, depth: int) -> int | None:
        """The first line of the comment or decorator that ends in `line`; None when none does."""
        text = self.lines[line]
        if self._docs_stand_above and self.is_doc[line] and text.strip():
            return line
        if _LEADS.match(text):
            return line if self.get_depth(line) - depth in (0, 1) else None
        if text.strip() != b")" or self.get_depth(line) != depth:
            return None
        opening = next(
            (
                place
                for place in range(line - 1, max(-1, line - MAX_LEAD_LINES), -1)
                if self.get_depth(place) <= depth
            ),
            None,
        )
        return opening if opening is not None and self.lines[opening].lstrip().startswith(b"@") else None

    def trim(self, start: int, end: int) -> int:
        """The last line with text of the half-open span, at least its first."""
        while end - 1 > start and not self.lines[end - 1].strip():
            end -= 1
        return max(start, end - 1)


def _find_indented_end(layout: _Layout, line: int, closes: re.Pattern[bytes]) -> int:
    depth = layout.get_depth(line)
    for place in range(line + 1, len(layout.lines)):
        if layout.is_doc[place] or layout.get_depth(place) > depth:
            continue
        stripped = layout.lines[place].strip()
        if layout.get_depth(place) < depth or not closes.match(stripped):
            return layout.trim(line, place)
        if not stripped.endswith((b":", b"(", b"[", b"{", b"=")):  # else: parameters over several lines
            return place
    return layout.trim(line, len(layout.lines))


def _find_brace_end(layout: _Layout, line: int, closes: re.Pattern[bytes]) -> int:
    body = _find_body(layout, line)
    if body is None:
        return _find_statement_end(layout, line)
    depth = layout.get_depth(line)
    text = layout.lines[body]
    if not _SMALL_OPENER.search(text) and text.count(b"{") <= text.count(b"}"):
        return body
    for place in range(body + 1, len(layout.lines)):
        if layout.is_doc[place] or layout.get_depth(place) > depth:
            continue
        stripped = layout.lines[place].lstrip()
        if closes.match(stripped) and not _SMALL_OPENER.search(stripped):
            return place if layout.get_depth(place) == depth else layout.trim(line, place)
    return layout.trim(line, len(layout.lines))


def _find_body(layout: _Layout, line: int) -> int | None:
    """The line whose brace opens the body of what is declared in `line`; None when there is no body."""
    for place in range(line, min(line + MAX_HEADER_LINES, len(layout.lines))):
        text = layout.lines[place]
        if b"{" in text or (place == line and _SMALL_OPENER.search(text) and b"=" in text):
            return place
        if text.rstrip().endswith(b";") or not text.strip():
            return None
    return None


def _find_statement_end(layout: _Layout, line: int) -> int:
    """The end of a declaration without a body: deeper lines and continued ones belong to it."""
    depth = layout.get_depth(line)
    for place in range(line, len(layout.lines)):
        text = layout.lines[place].rstrip()
        follows = place + 1 < len(layout.lines) and (
            text.endswith(b"\\") or (layout.lines[place + 1].strip() and layout.get_depth(place + 1) > depth)
        )
        if text.endswith(b";") or not follows:
            return place
    return line


def _span_headings(layout: _Layout, names: Sequence[tuple[int, str]]) -> list[tuple[int, int, int, str]]:
    """Sections: from a heading to the next that is not deeper. Depth is told by `#` or the underline."""
    depths = [_get_heading_depth(layout, line) for line, _ in names]
    spans = []
    for place, (line, name) in enumerate(names):
        end = next(
            (
                other
                for (other, _), depth in zip(names[place + 1 :], depths[place + 1 :], strict=True)
                if depth <= depths[place]
            ),
            len(layout.lines),
        )
        spans.append((line, layout.trim(line, end), line, name.strip()))
    return spans


def _get_heading_depth(layout: _Layout, line: int) -> int:
    text = layout.lines[line]
    if text.startswith(b"["):
        return 1
    if text.startswith(b"#"):
        return len(text) - len(text.lstrip(b"#"))
    under = layout.lines[line + 1][:1] if line + 1 < len(layout.lines) else b""
    return 1 + b'=-~^"'.find(under) if under in b'=-~^"' else 1


def _nest(spans: Sequence[tuple[int, int, int, str]]) -> tuple[SymbolSpan, ...]:
    """Name each by what encloses it. One that would cross its encloser is cut at its end."""
    open_spans: list[SymbolSpan] = []
    found = []
    for start, end, line, name in spans:
        while open_spans and open_spans[-1].end_line < line + 1:
            open_spans.pop()
        outer = open_spans[-1] if open_spans else None
        first, last = start + 1, max(end, line) + 1
        if outer is not None:
            first, last = max(first, outer.name_line), min(last, outer.end_line)
        qualified = f"{outer.qualified_name}.{name}" if outer is not None else name
        span = SymbolSpan(first, last, line + 1, name, qualified)
        found.append(span)
        open_spans.append(span)
    return tuple(found)
