"""Split a document into sections: the lines from one heading to the next, and the headings above them.

The sections of a file partition its lines. The text of a section ends at the next heading of any level: the
text under a subheading is a section of its own, with the headings above it in its breadcrumb. Text before
the first heading is a section without a heading, named after the title in the front matter or after the file.

A long section is ranked and shown in parts, which partition its lines. It is cut at empty lines where
possible, so that each part can be read alone.

Headings are given as a reader sees them, without the markup of Markdown, reStructuredText and HTML. Left out
on purpose: underscores, which belong to names more often than they mean emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from repo_mcp.languages.outline.adapter import cut
from repo_mcp.languages.outline.heading_readers import (
    Heading,
    Reader,
    count_front_matter,
    count_xml_head,
    find_reader,
    read_xml,
)
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import dataclass

MAX_HEADINGS = 10_000  # most headings of one file; any text after them belongs to the last one
PART_LINES = 40  # the usual length of a part of a section longer than MAX_PART_LINES
MAX_PART_LINES = 60
CACHED_SECTIONS = 8_000  # sections that are cached, at some 300 bytes each
MAX_DEPTH = 64  # headings above a section; no real document has more
_TITLE = re.compile(r"title[ \t]{0,20}:[ \t]{0,20}(\S.{0,300})$")
MAX_HEADING_CHARS = 160
MAX_BREADCRUMB_CHARS = 400
BETWEEN = " > "
_LEFT_OUT = "…"

# Titles are short; the bounds protect against text that is no title.
_ANCHOR = re.compile(r"[ \t]*\{[ \t]*[#.:][^{}]{0,100}\}[ \t]*$")
_COMMENT = re.compile(r"\{/\*[^{}]{0,200}\*/\}|<!--[^<>]{0,200}-->")
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\](?:\([^()]{0,300}\)|\[[^\[\]]{0,100}\])")
_ROLE = re.compile(r":[A-Za-z][\w:.+-]{0,40}:`([^`]{1,200})`")
_TARGET = re.compile(r"(?::[A-Za-z][\w:.+-]{0,40}:)?`([^`<>]{1,200})[ \t]<[^<>`]{1,300}>`_{0,2}")
# Other tags may be words of the title: `<pid>`, `Option<T>`.
_TAG = re.compile(
    r"</?(?:a|abbr|b|big|br|center|code|div|em|font|i|img|kbd|mark|p|picture|s|small|source|span|strong|sub|sup|u|wbr)"
    r"(?:[ \t/][^<>]{0,300})?>",
    re.IGNORECASE,
)
_MARKED = frozenset("*`[]<>{}:")
_MARKS = re.compile(r"\*{1,3}|`{1,3}")


@dataclass(frozen=True, slots=True)
class Section:
    """Some lines of a document, counted from 1, both ends included."""

    start_line: int  # line of the heading, if there is one
    end_line: int
    body_line: int  # the first below the heading; greater than end_line when there is no text
    heading: str
    above: tuple[str, ...]  # the headings above, outermost first
    is_headed: bool = True  # its heading stands in its first lines

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of its breadcrumb, its own heading last."""
        return (*self.above, self.heading)


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of a section that are ranked and shown together."""

    section: Section
    start_line: int
    end_line: int


_known: LruCache[tuple[str, str, bytes], tuple[Section, ...]] = LruCache(
    CACHED_SECTIONS, lambda one: 1 + len(one)
)


def split_sections(path: str, language: str, lines: Sequence[str]) -> list[Section]:
    """Return the sections of a document in order; none for a text without lines."""
    if not lines:
        return []
    reader = find_reader(path, language)
    headings = list(islice(reader(lines), MAX_HEADINGS)) if reader is not None else []
    name = path.rpartition("/")[2]
    title = _find_title(language, lines)
    if reader is read_xml and (
        not headings or headings[0].level > 1
    ):  # MAML has the titles of topics elsewhere
        title = name.partition(".")[0]
    root = () if not title or (headings and clean_title(headings[0].title) == title) else (title,)
    sections: list[Section] = []
    if not headings or headings[0].line > 1:
        end = headings[0].line - 1 if headings else len(lines)
        first = _count_head(language, reader, lines) + 1
        sections.append(Section(1, end, min(first, end + 1), title or name, (), False))
    return [*sections, *_nest(headings, len(lines), root)]


def _count_head(language: str, reader: Reader | None, lines: Sequence[str]) -> int:
    """Return the number of lines at the top that say nothing to a reader."""
    if reader is read_xml:
        return count_xml_head(lines)
    return count_front_matter(lines) if language == "markdown" else 0


def find_sections(path: str, language: str, lines: Sequence[str], fingerprint: bytes) -> tuple[Section, ...]:
    """Return the sections of a document as `split_sections` does, kept for the next search.

    `fingerprint` must be that of the file: to find headings anew took a fifth of a search in long manuals.
    """
    return _known.get((path, language, fingerprint), lambda: tuple(split_sections(path, language, lines)))


def _nest(headings: Sequence[Heading], total: int, root: tuple[str, ...]) -> Iterator[Section]:
    """Yield the section of each heading, under the last heading of a higher level."""
    open_: list[tuple[int, str]] = []  # level and title
    for position, heading in enumerate(headings):
        while open_ and open_[-1][0] >= heading.level:
            open_.pop()
        end = headings[position + 1].line - 1 if position + 1 < len(headings) else total
        title = clean_title(heading.title)
        above = (*root, *(one for _, one in open_))
        yield Section(heading.line, end, min(heading.last_line, end) + 1, title, above)
        if len(open_) < MAX_DEPTH:
            open_.append((heading.level, title))


def _find_title(language: str, lines: Sequence[str]) -> str:
    """Return the title in the front matter; "" when there is none."""
    if language != "markdown":
        return ""
    for line in lines[1 : max(1, count_front_matter(lines))]:
        match = _TITLE.match(line[:400])
        if match is not None:
            return clean_title(match.group(1).strip().strip("\"'"))
    return ""


def cut_parts(section: Section, lines: Sequence[str]) -> list[Part]:
    """Return the parts of a section in order."""
    parts: list[Part] = []
    start = section.start_line
    while section.end_line - start + 1 > MAX_PART_LINES:
        # The part ends at its last empty line, unless that is in its first half.
        empty = (
            line
            for line in range(start + PART_LINES - 1, start + PART_LINES // 2, -1)
            if not lines[line - 1].strip()
        )
        end = next(empty, start + PART_LINES - 1)
        parts.append(Part(section, start, end))
        start = end + 1
    parts.append(Part(section, start, section.end_line))
    return parts


def clean_title(text: str) -> str:
    """Return a heading without markup, on one line, cut if it is long."""
    if len(text) <= MAX_HEADING_CHARS and _MARKED.isdisjoint(text):
        return " ".join(text.split())
    text = _ANCHOR.sub("", _COMMENT.sub("", cut(text, 2 * MAX_HEADING_CHARS)))
    text = _LINK.sub(r"\1", _LINK.sub(r"\1", text))  # twice: a link may show an image
    text = _ROLE.sub(r"\1", _TARGET.sub(r"\1", text))
    plain = " ".join(_MARKS.sub("", _TAG.sub("", text)).split())
    return cut(plain, MAX_HEADING_CHARS)


def join_breadcrumb(names: Sequence[str]) -> str:
    """Return a breadcrumb such as `Guide > Installation > pip`, without its middle when it is too long."""
    kept = [name for name in names if name]
    while len(BETWEEN.join(kept)) > MAX_BREADCRUMB_CHARS and len(kept) > 2:
        middle = len(kept) // 2
        if kept[middle] == _LEFT_OUT and len(kept) == 3:
            break
        kept[middle : middle + 1] = [_LEFT_OUT] if _LEFT_OUT not in kept else []
    return cut(BETWEEN.join(kept), MAX_BREADCRUMB_CHARS)
