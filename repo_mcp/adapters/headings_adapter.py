"""Outlines of documents: the headings of Markdown, reStructuredText and HTML, nested by their levels.

A heading reaches to the line before the next heading of its level or above. Code in fences, comments
and front matter have no headings. reStructuredText has no fixed levels: each new way of underlining is
one level below the last new one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from repo_mcp.adapters.languages import Language
from repo_mcp.adapters.outline_limits import MAX_PARENT_CHARS, MAX_SYMBOLS, cut
from repo_mcp.adapters.protocol import Adapter
from repo_mcp.model import Outline, Symbol

PARSER = "headings"
MAX_TITLE_CHARS = 200

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r"[ \t]*(?:$|[#>|<`~*+-]|\d{1,9}[.)]| {4})")
_UNDERLINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_HTML = re.compile(r"<h([1-6])(?:\s[^<>\n]{0,300})?>(.{0,400}?)</h\1>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,300}>")


@dataclass(frozen=True, slots=True)
class _Heading:
    """One heading of a text."""

    line: int  # from 1: where it begins
    level: int
    title: str
    shown: str  # its line as written


class HeadingsAdapter(Adapter):
    """Markdown, reStructuredText and HTML."""

    name = "headings"

    def __init__(self, find_language: Callable[[str], Language]) -> None:
        self._find_language = find_language

    def supports_path(self, path: str) -> bool:
        return self._find_language(path).name in _READERS

    def outline(self, path: str, text: str) -> Outline:
        language = self._find_language(path).name
        lines = text.removesuffix("\n").split("\n")
        headings = list(islice(_READERS[language](lines), MAX_SYMBOLS + 1))
        truncated = len(headings) > MAX_SYMBOLS
        warnings = (f"only the first {MAX_SYMBOLS:,} headings are listed",) if truncated else ()
        return Outline(path, language, _nest(headings[:MAX_SYMBOLS], len(lines)), PARSER, warnings, truncated)


def _nest(headings: list[_Heading], total: int) -> tuple[Symbol, ...]:
    """The headings as symbols, each within the last one of a higher level."""
    ends = [total] * len(headings)
    parents: list[str | None] = []
    open_: list[tuple[int, int, str]] = []  # number, level, qualified name
    for number, heading in enumerate(headings):
        while open_ and open_[-1][1] >= heading.level:
            ends[open_.pop()[0]] = heading.line - 1
        parent = open_[-1][2] if open_ else None
        parents.append(parent)
        whole = heading.title if parent is None else f"{parent}.{heading.title}"
        open_.append((number, heading.level, cut(whole, MAX_PARENT_CHARS)))
    return tuple(
        Symbol("heading", one.title, one.shown, one.line, max(one.line, end), None, parent)
        for one, end, parent in zip(headings, ends, parents, strict=True)
    )


def _read_markdown(lines: list[str]) -> Iterator[_Heading]:
    fence = ""
    skipped = _skip_front_matter(lines)
    for number, line in enumerate(lines[skipped:], skipped + 1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark.group(1)
        elif atx := _ATX.match(line[:2_000]):
            if atx.group(2):
                yield _build_heading(number, len(atx.group(1)), atx.group(2), line)
        elif _SETEXT.match(line) and number > skipped + 1:
            above = lines[number - 2]
            if not _NO_PARAGRAPH.match(above):
                level = 1 if line.lstrip()[0] == "=" else 2
                yield _build_heading(number - 1, level, above.strip(), above)


def _skip_front_matter(lines: list[str]) -> int:
    """Lines of the metadata between two `---` at the top."""
    if lines[0].rstrip() == "---":
        for number, line in enumerate(lines[1:200], 2):
            if line.rstrip() in ("---", "..."):
                return number
    return 0


def _read_rst(lines: list[str]) -> Iterator[_Heading]:
    levels: dict[tuple[str, bool], int] = {}
    taken = -1
    for number in range(1, len(lines)):
        mark = _UNDERLINE.match(lines[number])
        title = lines[number - 1]
        if mark is None or number - 1 <= taken or not _is_rst_title(title, lines[number]):
            continue
        over = number >= 2 and lines[number - 2].rstrip() == lines[number].rstrip()
        if title[:1].isspace() and not over:
            continue
        level = levels.setdefault((mark.group(1), over), len(levels) + 1)
        taken = number
        yield _build_heading(number - 1 if over else number, level, title.strip(), title)


def _is_rst_title(title: str, underline: str) -> bool:
    text = title.strip()
    return bool(text) and _UNDERLINE.match(text) is None and len(underline.rstrip()) >= min(len(text), 3)


def _read_html(lines: list[str]) -> Iterator[_Heading]:
    for number, line in enumerate(lines, 1):
        for match in _HTML.finditer(line[:20_000]):
            title = " ".join(_TAG.sub("", match.group(2)).split())
            if title:
                yield _build_heading(number, int(match.group(1)), title, match.group(0))


def _build_heading(line: int, level: int, title: str, shown: str) -> _Heading:
    return _Heading(line, level, cut(title, MAX_TITLE_CHARS), cut(shown.strip(), MAX_TITLE_CHARS))


_READERS: dict[str, Callable[[list[str]], Iterator[_Heading]]] = {
    "markdown": _read_markdown,
    "rst": _read_rst,
    "html": _read_html,
}
