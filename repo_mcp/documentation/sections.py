"""Split a document into sections: the lines from one heading to the next, and the headings above them.

The sections of a file partition its lines. The text of a section ends at the next heading of any level: the
text under a subheading is a section of its own, with the headings above it in its breadcrumb. Text before
the first heading is a section without a heading, named after the title in the front matter or after the file.

A long section is shown in parts, which partition its lines. It is cut at empty lines where possible, so that
the part that answers can be read alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from repo_mcp.documentation.titles import clean_title
from repo_mcp.languages.outline.heading_readers import Heading, count_front_matter, find_reader

MAX_HEADINGS = 10_000  # of one file; any text after them belongs to the last one
PART_LINES = 40  # the usual length of a part of a section longer than MAX_PART_LINES
MAX_PART_LINES = 60
MAX_DEPTH = 64  # headings above a section; no real document has more
_TITLE = re.compile(r"title[ \t]{0,20}:[ \t]{0,20}(\S.{0,300})$")


@dataclass(frozen=True, slots=True)
class Section:
    """Some lines of a document, counted from 1, both ends included."""

    start_line: int  # of the heading, where there is one
    end_line: int
    body_line: int  # the first below the heading; after the end when there is no text
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


def split_sections(path: str, language: str, lines: Sequence[str]) -> list[Section]:
    """Return the sections of a document in order; none for a text without lines."""
    if not lines:
        return []
    reader = find_reader(path, language)
    headings = list(islice(reader(lines), MAX_HEADINGS)) if reader is not None else []
    name = path.rpartition("/")[2]
    title = _find_title(language, lines)
    root = () if not title or (headings and clean_title(headings[0].title) == title) else (title,)
    sections: list[Section] = []
    if not headings or headings[0].line > 1:
        end = headings[0].line - 1 if headings else len(lines)
        first = count_front_matter(lines) + 1 if language == "markdown" else 1
        sections.append(Section(1, end, min(first, end + 1), title or name, (), False))
    return [*sections, *_nest(headings, len(lines), root)]


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
