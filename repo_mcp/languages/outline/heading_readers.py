"""Readers that find the headings of a document, one for each format, in one pass over its lines.

Fenced code, comments and front matter have no headings. reStructuredText has no fixed levels: each new style
of underlining is one level below the previous new one. Plain text is read the same way, and also has numbered
headings and lines in capitals. AsciiDoc and Org are recognised by their file extensions. The titles of XML,
as in DocBook, DITA and MAML, lie as deep as their sections.

Each line is looked at a bounded number of times, in time linear in its length, whatever it contains.

Left out on purpose: headings inside lists, quotes and HTML blocks of Markdown, LaTeX and Texinfo.

The outline of a document nests them by level: a heading reaches to the line before the next one of its level
or a higher one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from itertools import islice

from repo_mcp.languages.outline.adapter import MAX_PARENT_CHARS, MAX_SYMBOLS, Adapter, cut
from repo_mcp.languages.patterns.landmarks import Language
from repo_mcp.model import Outline, Symbol
from repo_mcp.record_classes import dataclass

MAX_TITLE_CHARS = 200
LOOKED_AT_CHARS = 2_000  # at the start of each line
FRONT_MATTER_LINES = 200
ASCIIDOC_SPARE = 2  # characters by which an underline may be longer or shorter than its title

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]++(.*)$", re.DOTALL)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r"[ \t]*+(<!--|\{/\*)")  # the latter in MDX
_COMMENT_ENDS = {"<!--": "-->", "{/*": "*/}"}
_END_COMMENT = re.compile(r"(?:<!--(?:(?!<!--).){0,300}-->|\{/\*(?:(?!\{/\*).){0,300}\*/\})[ \t]*+$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r"[ \t]*(?:$|[#>|<`~*+-]|\d{1,9}[.)]| {4})")
_UNDERLINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_HTML = re.compile(r"<h([1-6])(?:\s[^<>\n]{0,300})?>(.{0,400}?)</h\1>", re.IGNORECASE)
_HTML_OPENS = re.compile(r"[ \t]{0,20}<h([1-6])(?:\s[^<>]{0,300})?>", re.IGNORECASE)
_HTML_LINES = 8  # a heading written as HTML may span so many
_TAG = re.compile(r"<[^<>]{0,300}>")
_ASCIIDOC = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)$", re.DOTALL)
_ASCIIDOC_UNDERLINE = re.compile(r"([=~^+-])\1{3,}[ \t]*$")
_ASCIIDOC_LEVELS = "=-~^+"  # of underlines, the highest first
_ASCIIDOC_BLOCK = re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})[ \t]*$")
_ORG = re.compile(r"(\*{1,8})[ \t]+(\S.*)$", re.DOTALL)
_SECTIONS = (
    "appendix|article|book|chapter|concept|glossary|part|preface|procedure|ref(?:entry|sect(?:ion|[1-3]))|reference"
    "|sect(?:ion|[1-5])|set|simplesect|task|topic"
)
_ASIDES = "caution|equation|example|figure|formalpara|important|note|sidebar|table|tip|warning"
_UNTITLED = frozenset(_ASIDES.split("|"))  # their titles are no headings
_NAMES = f"{_SECTIONS}|{_ASIDES}"
_XML = re.compile(
    rf"<!--|-->|<(?:[\w-]{{1,30}}:)?(?P<open>{_NAMES})(?:\s[^<>]{{0,1000}})?>|</(?:[\w-]{{1,30}}:)?(?P<close>{_NAMES})>"
    r"|<(?:[\w-]{1,30}:)?title(?:\s[^<>]{0,300})?>(?P<title>.{0,400}?)</(?:[\w-]{1,30}:)?title>"
)
_XML_DEPTH = 64
_WORD = re.compile(r"\w")
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})[.)]?[ \t]+[A-Z][^\n]{1,79}$")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9 ,/&()'+:-]{3,60}$")
_RULES = frozenset(mark for mark in map(chr, range(0x21, 0x7F)) if not mark.isalnum())
_MARKDOWN_MARKS = frozenset("#`~=-<{ ")  # first characters of lines worth a look
PARSER = "headings"


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading of a text. Lines are counted from 1."""

    line: int  # its first line, which is the rule above the title if there is one
    level: int
    title: str
    shown: str  # the line as written
    last_line: int  # its last line, which is the underline if there is one


Reader = Callable[[Sequence[str]], Iterator[Heading]]


def find_reader(path: str, language: str) -> Reader | None:
    """Return the reader of a file's headings; None for a language without headings."""
    extension = path.rpartition(".")[2].lower()
    if language == "text":
        return _BY_EXTENSION.get(extension, read_plain_text)
    if language == "xml" or extension in XML_DOCUMENTS:
        return read_xml
    return READERS.get(language)


def read_markdown(lines: Sequence[str]) -> Iterator[Heading]:
    """Yield headings with number signs, underlined ones, and `<h1>` to `<h6>` at the start of a line."""
    skipped = count_front_matter(lines)
    fence, comment_end, closed = "", "", 0
    for number, line in enumerate(lines[skipped:], skipped + 1):
        if comment_end:
            comment_end = "" if comment_end in line else comment_end
            continue
        if line[:1] not in _MARKDOWN_MARKS or number <= closed:
            continue
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark and not (mark.group(1)[0] == "`" and "`" in line[mark.end() :]):
            fence = mark.group(1)
        elif comment := _COMMENT.match(line):
            end = _COMMENT_ENDS[comment[1]]
            comment_end = "" if end in line else end
        elif heading := _read_markdown_line(lines, number, skipped):
            closed = heading.last_line
            yield heading


def _read_markdown_line(lines: Sequence[str], number: int, skipped: int) -> Heading | None:
    """Return the heading that begins or is underlined on a line outside code; None if there is none."""
    line = lines[number - 1]
    if atx := _ATX.match(line[:LOOKED_AT_CHARS]):
        title = _END_COMMENT.sub("", atx.group(2)).rstrip(" \t#\r\f\v")
        return _build(number, len(atx.group(1)), title, line) if title else None
    if _SETEXT.match(line) and number > skipped + 1:
        above = lines[number - 2]
        if not _NO_PARAGRAPH.match(above):
            level = 1 if line.lstrip()[0] == "=" else 2
            return _build(number - 1, level, above[:LOOKED_AT_CHARS].strip(), above, number)
    if opening := _HTML_OPENS.match(line):
        return _read_html_heading(lines, number, opening)
    return None


def _read_html_heading(lines: Sequence[str], number: int, opening: re.Match[str]) -> Heading | None:
    """Return a Markdown heading that is written as HTML, possibly over several lines; else None."""
    parts: list[str] = []
    for position, line in enumerate(lines[number - 1 : number - 1 + _HTML_LINES]):
        text = line[opening.end() if not position else 0 :][:LOOKED_AT_CHARS]
        end = text.lower().find("</h")
        parts.append(text if end < 0 else text[:end])
        if end >= 0:
            title = " ".join(_TAG.sub("", " ".join(parts)).split())
            return _build(number, int(opening.group(1)), title, title, number + position) if title else None
    return None


def count_front_matter(lines: Sequence[str]) -> int:
    """Return the number of lines of front matter, between two `---` at the top."""
    if lines and lines[0].rstrip() == "---":
        for number, line in enumerate(lines[1:FRONT_MATTER_LINES], 2):
            if line.rstrip() in ("---", "..."):
                return number
    return 0


def read_rst(lines: Sequence[str]) -> Iterator[Heading]:
    """Yield titles that are underlined, or ruled above and below."""
    levels: dict[tuple[str, bool], int] = {}
    taken = -1
    for number in range(1, len(lines)):
        if lines[number][:1] not in _RULES:
            continue
        mark = _UNDERLINE.match(lines[number])
        title = lines[number - 1]
        if mark is None or number - 1 <= taken or not _is_rst_title(title, lines[number]):
            continue
        over = number >= 2 and lines[number - 2].rstrip() == lines[number].rstrip()
        if title[:1].isspace() and not over:
            continue
        level = levels.setdefault((mark.group(1), over), len(levels) + 1)
        taken = number
        first = number - 1 if over else number
        yield _build(first, level, title[:LOOKED_AT_CHARS].strip(), title, number + 1)


def _is_rst_title(title: str, underline: str) -> bool:
    text = title.strip()
    return bool(text) and _UNDERLINE.match(text) is None and len(underline.rstrip()) >= min(len(text), 3)


def read_plain_text(lines: Sequence[str]) -> Iterator[Heading]:
    """Yield titles set apart by blank lines: underlined in full, numbered, or in capitals."""
    levels: dict[tuple[str, bool], int] = {}
    taken = 0
    for number, line in enumerate(lines, 1):
        if number <= taken or not line or line[0].isspace() or len(line) > LOOKED_AT_CHARS:
            continue
        style = _find_plain_style(lines, number)
        if style is None:
            continue
        first = number - 1 if style[1] else number
        underlined = not style[0][0].isalnum()
        taken = number + underlined
        yield _build(first, levels.setdefault(style, len(levels) + 1), line.strip(), line, taken)


def _find_plain_style(lines: Sequence[str], number: int) -> tuple[str, bool] | None:
    """Return the style of the title on a line and whether it is ruled above; None for no title."""
    line = lines[number - 1]
    above = lines[number - 2] if number > 1 else ""
    below = lines[number] if number < len(lines) else ""
    size = len(line.rstrip())
    mark = _UNDERLINE.match(below) if len(below) <= LOOKED_AT_CHARS else None
    if mark is not None and size <= MAX_TITLE_CHARS and _UNDERLINE.match(line) is None:
        ruled = above.rstrip() == below.rstrip()
        fits = abs(len(below.rstrip()) - size) <= max(2, size // 3)
        return (mark.group(1), ruled) if ruled or (fits and not above.strip()) else None
    if above.strip() or below.strip():
        return None
    if numbered := _NUMBERED.match(line):
        return f"number {numbered.group(1).count('.')}", False
    return ("capitals", False) if _CAPITALS.match(line) else None


def read_asciidoc(lines: Sequence[str]) -> Iterator[Heading]:
    """Yield titles that follow equals or number signs or are underlined, outside listings and the like."""
    block = ""
    for number, line in enumerate(lines, 1):
        if line[:1] not in ("=", "#", "-", ".", "+", "/", "`", "~", "^"):
            continue
        if not block and _underlines_title(lines, number):
            title = lines[number - 2]
            yield _build(number - 1, 1 + _ASCIIDOC_LEVELS.index(line[0]), title.strip(), title, number)
        elif _ASCIIDOC_BLOCK.match(line):
            mark = line.rstrip()
            block = mark if not block else "" if mark == block else block
        elif not block and (match := _ASCIIDOC.match(line[:LOOKED_AT_CHARS])):
            yield _build(number, len(match.group(1)), match.group(2).strip(), line)


def _underlines_title(lines: Sequence[str], number: int) -> bool:
    """Return True for a line of AsciiDoc under a title that stands alone and is about as long."""
    line = lines[number - 1]
    if number < 2 or len(line) > LOOKED_AT_CHARS or _ASCIIDOC_UNDERLINE.match(line) is None:
        return False
    title, before = lines[number - 2].rstrip(), lines[number - 3].strip() if number > 2 else ""
    is_alone = not before or before.startswith(("[", ":"))  # an anchor or an attribute
    return title[:1].isalnum() and is_alone and abs(len(title) - len(line.rstrip())) <= ASCIIDOC_SPARE


def read_org(lines: Sequence[str]) -> Iterator[Heading]:
    """Yield titles that follow stars, outside blocks."""
    is_block = False
    for number, line in enumerate(lines, 1):
        if line[:2] == "#+":
            word = line[2:8].lower()
            is_block = word == "begin_" or (is_block and word[:4] != "end_")
        elif not is_block and (match := _ORG.match(line[:LOOKED_AT_CHARS])):
            yield _build(number, len(match.group(1)), match.group(2).strip(), line)


def read_html(lines: Sequence[str]) -> Iterator[Heading]:
    """Yield the headings `<h1>` to `<h6>` that open and close on one line."""
    for number, line in enumerate(lines, 1):
        for match in _HTML.finditer(line[:20_000]):
            title = " ".join(_TAG.sub("", match.group(2)).split())
            if title:
                yield _build(number, int(match.group(1)), title, match.group(0))


def read_xml(lines: Sequence[str]) -> Iterator[Heading]:
    """Yield the titles that open and close on one line, except those of figures, tables and the like."""
    open_: list[str] = []  # sections, and other parts that may have a title
    is_comment = False
    for number, line in enumerate(lines, 1):
        for match in _XML.finditer(line[:20_000]) if "<" in line or "-->" in line else ():
            if match[0] in ("<!--", "-->"):
                is_comment = match[0] == "<!--"
            elif is_comment:
                continue
            elif match["close"]:
                if match["close"] in open_:
                    del open_[len(open_) - 1 - open_[::-1].index(match["close"]) :]
            elif match["open"]:
                if not match[0].endswith("/>") and len(open_) < _XML_DEPTH:
                    open_.append(match["open"])
            elif not open_ or open_[-1] not in _UNTITLED:
                title = " ".join(_TAG.sub("", match["title"]).split())
                if title:
                    yield _build(number, max(1, len(open_)), unescape(title), match[0])


def count_xml_head(lines: Sequence[str]) -> int:
    """Return the number of lines of XML above the first one with text, not counting comments."""
    is_comment = False
    for number, line in enumerate(lines[:FRONT_MATTER_LINES]):
        text = line[:LOOKED_AT_CHARS]
        if is_comment:
            is_comment, text = "-->" not in text, text.partition("-->")[2]
        while "<!--" in text:
            before, _, after = text.partition("<!--")
            is_comment, text = "-->" not in after, f"{before} {after.partition('-->')[2]}"
        if _WORD.search(_TAG.sub("", text)):
            return number
    return 0


def _build(line: int, level: int, title: str, shown: str, last_line: int | None = None) -> Heading:
    short = shown[:LOOKED_AT_CHARS].strip()
    return Heading(line, level, cut(title, MAX_TITLE_CHARS), cut(short, MAX_TITLE_CHARS), last_line or line)


# Extensions of documents in XML, besides `.xml`.
XML_DOCUMENTS = frozenset(("aml", "dbk", "dita", "docbook"))
READERS: dict[str, Reader] = {"markdown": read_markdown, "rst": read_rst, "html": read_html}
_BY_EXTENSION: dict[str, Reader] = {"adoc": read_asciidoc, "asciidoc": read_asciidoc, "org": read_org}


class HeadingsAdapter(Adapter):
    """The adapter of Markdown, reStructuredText, HTML, AsciiDoc and Org."""

    name = "headings"

    def __init__(self, find_language: Callable[[str], Language]) -> None:
        self._find_language = find_language

    def supports_path(self, path: str) -> bool:
        """Return True for files of these languages; AsciiDoc and Org are known by their extensions."""
        return _find_marked(path, self._find_language(path).name) is not None

    def outline(self, path: str, text: str) -> Outline:
        """Return the headings of a text as nested symbols, at most MAX_SYMBOLS."""
        language = self._find_language(path).name
        lines = text.removesuffix("\n").split("\n")
        read = _find_marked(path, language)
        headings = list(islice(read(lines), MAX_SYMBOLS + 1)) if read is not None else []
        truncated = len(headings) > MAX_SYMBOLS
        warnings = (f"Only the first {MAX_SYMBOLS:,} headings are listed.",) if truncated else ()
        return Outline(path, language, _nest(headings[:MAX_SYMBOLS], len(lines)), PARSER, warnings, truncated)


def _find_marked(path: str, language: str) -> Reader | None:
    """Return the reader of a file in whose language marks say what a heading is; else None."""
    is_marked = language in READERS or path.rpartition(".")[2].lower() in _BY_EXTENSION
    return find_reader(path, language) if is_marked else None


def _nest(headings: Sequence[Heading], total: int) -> tuple[Symbol, ...]:
    """Return the headings as symbols, each nested in the last one of a higher level."""
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
