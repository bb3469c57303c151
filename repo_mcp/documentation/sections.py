"""A document as its sections: the lines from one heading to the next, and what they stand under.

The sections of a file are a partition of its lines. A section's own text ends where the next heading
begins, whatever its level: what stands under a subheading is a section of its own, with the headings
above it in its breadcrumb. Text in front of the first heading is a section without heading, named after
the title in the front matter or after the file.

A long section is shown in parts, which are a partition of its lines: cut at empty lines where there are
any, so that a part that answers is read without the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from repo_mcp.documentation.titles import clean_title
from repo_mcp.languages.outline.heading_readers import Heading, count_front_matter, find_reader

MAX_HEADINGS = 10_000  # of one file; what follows belongs to the last one
PART_LINES = 40  # a section of more than half as many again is cut into parts of about this length
MAX_PART_LINES = 60
MAX_DEPTH = 64  # headings that a section stands under; there are no documents of more
_TITLE = re.compile(r"title[ \t]{0,20}:[ \t]{0,20}(\S.{0,300})$")


@dataclass(frozen=True, slots=True)
class Section:
    """Some lines of a document, counted from 1, both ends included."""

    start_line: int  # of the heading, where there is one
    end_line: int
    body_line: int  # the first below the heading; behind the end where there is no text
    heading: str
    above: tuple[str, ...]  # the headings it stands under, the outermost first
    is_headed: bool = True  # its heading stands in its first lines

    @property
    def names(self) -> tuple[str, ...]:
        """What its breadcrumb names, itself at the end."""
        return (*self.above, self.heading)


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of a section that are ranked and shown together."""

    section: Section
    start_line: int
    end_line: int


def split_sections(path: str, language: str, lines: Sequence[str]) -> list[Section]:
    """The sections of a document in order. None for a text without lines."""
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
    """The sections of headings, each under the last one of a higher level."""
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
    """The title that the front matter gives; empty where it gives none."""
    if language != "markdown":
        return ""
    for line in lines[1 : max(1, count_front_matter(lines))]:
        match = _TITLE.match(line[:400])
        if match is not None:
            return clean_title(match.group(1).strip().strip("\"'"))
    return ""


def cut_parts(section: Section, lines: Sequence[str]) -> list[Part]:
    """The parts of a section in order."""
    parts: list[Part] = []
    start = section.start_line
    while section.end_line - start + 1 > MAX_PART_LINES:
        # The last empty line from half a part on; the part ends there.
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
