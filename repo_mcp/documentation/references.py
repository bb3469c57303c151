"""Find the files that a text refers to: images, sounds, videos and other media in Markdown, reST and HTML.

    ![alt](path "title")   ![alt][name]   [text](path)   [name]: path
    <img src alt title>   <audio src>   <video src poster>   <source src>   <a href>text</a>
    .. image:: path   .. figure:: path   .. |name| image:: path   .. kernel-figure:: path   :alt:, caption
    `text <path>`_   :download:`text <path>`   image::path[alt]   audio::path[]   video::path[]

Nothing is resolved here: a target is returned as written, with its alternative text. Anything that is not a
path, such as a URL, is left out. Brackets and tags are found by plain searches, and the text between two of
them is bounded, so the time is linear for any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from repo_mcp.record_classes import dataclass

MAX_REFERENCES = 200  # most references of one section
MAX_MARKS = 2_000  # closing brackets examined in one section, and as many tags
MAX_CHARS = 200_000  # most characters of a section
MAX_DEFINITIONS = 2_000  # most definitions of one file
MAX_TARGET_CHARS = 500
MAX_TEXT_CHARS = 300
MAX_TAG_CHARS = 2_000
MAX_LINE_CHARS = 20_000  # characters of a line that are examined
DIRECTIVE_LINES = 24  # most lines of a directive's options and caption
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}:|//|#|\\\\")
_DEFINITION = re.compile(r" {0,3}\[([^\[\]]{1,100})\]:[ \t]{0,20}<?([^\s<>]{1,500})>?(.{0,300})")
_TITLE = re.compile(r"[ \t]{1,20}[\"'(]([^\"'()]{0,300})[\"')]")
_ATTRIBUTE = re.compile(
    r"\b(src|href|alt|title|poster|aria-label)[ \t\n]{0,5}=[ \t\n]{0,5}"
    r"(?:\"([^\"]{0,1000})\"|'([^']{0,1000})'|\{[\"'`]([^\"'`{}]{0,500})[\"'`]\}|([^\s\"'<>{}]{1,500}))",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(img|audio|video|source|a|embed|object)[ \t\n]", re.IGNORECASE)
_ANY_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
_DIRECTIVE = re.compile(
    r"([ \t]{0,40})\.\.[ \t]{1,10}(?:\|([^|]{1,100})\|[ \t]{1,10})?"
    r"(?:\w{1,20}-)?(?:image|figure|video|audio)::[ \t]{1,10}(\S.{0,499})$"
)
_OPTION = re.compile(r"[ \t]{1,60}:(\w{1,20}):[ \t]{0,20}(.{0,300})$")
_RST_TARGET = re.compile(r"`([^`<>]{0,200})<([^<>`\s]{1,500})>`")
_ASCIIDOC = re.compile(r"(?:image|audio|video)::?([^\s\[\]]{1,500})\[([^\[\]]{0,300})\]")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to one file, as the text spells it."""

    target: str
    text: str  # alternative text, title or caption; "" when there is none


def find_references(
    lines: Sequence[str], definitions: Mapping[str, str], *, is_rst: bool
) -> tuple[Reference, ...]:
    """Return the references of some lines in order, each target once. `definitions` are those of the file."""
    text = "\n".join(line[:MAX_LINE_CHARS] for line in lines)[:MAX_CHARS]
    found = [*_find_directives(lines), *_find_rst_targets(text)] if is_rst else []
    if not is_rst:
        found = [*_find_links(text, definitions), *_find_asciidoc(text)]
    found += _find_tags(text)
    best: dict[str, tuple[int, Reference]] = {}
    for position, target, alternative in sorted(found):
        cleaned = " ".join(_ANY_TAG.sub("", alternative[:MAX_TEXT_CHARS]).split())
        known = best.get(target)
        if known is None and len(best) < MAX_REFERENCES:
            best[target] = position, Reference(target, cleaned)
        elif known is not None and cleaned and not known[1].text:
            best[target] = known[0], Reference(target, cleaned)
    return tuple(reference for _, reference in best.values() if is_local(reference.target))


Found = tuple[int, str, str]  # offset in the text (characters), target, alternative text


def is_local(target: str) -> bool:
    """Return True for a possible path: neither a URL nor an anchor within the document."""
    return bool(target) and len(target) <= MAX_TARGET_CHARS and _SCHEME.match(target) is None


def find_definitions(lines: Sequence[str]) -> dict[str, str]:
    """Return the targets of the link definitions of a Markdown file by folded name; the first one counts."""
    found: dict[str, str] = {}
    for line in lines:
        if "]:" in line[:110] and len(found) < MAX_DEFINITIONS:
            match = _DEFINITION.match(line[:1_000])
            if match is not None:
                found.setdefault(_fold(match.group(1)), match.group(2))
    return found


def _fold(name: str) -> str:
    return " ".join(name.lower().split())


def _find_links(text: str, definitions: Mapping[str, str]) -> Iterator[Found]:
    """Yield the links and images of Markdown, inline and by name."""
    position, marks = text.find("]"), 0
    while position >= 0 and marks < MAX_MARKS:
        marks += 1
        behind = text[position + 1 : position + 2]
        # The nearest opening bracket is taken, so text that itself holds brackets loses its beginning.
        opening = text.rfind("[", max(0, position - MAX_TEXT_CHARS), position)
        if opening >= 0 and behind == "(":
            yield from _read_target(text, position, text[opening + 1 : position])
        elif opening >= 0 and behind == "[" and definitions:
            end = text.find("]", position + 2, position + 104)
            name = text[position + 2 : end] or text[opening + 1 : position] if end > 0 else ""
            yield from _look_up(position, name, text[opening + 1 : position], definitions)
        elif opening > 0 and text[opening - 1] == "!" and definitions:
            name = text[opening + 1 : position]
            yield from _look_up(position, name, name, definitions)
        position = text.find("]", position + 1)


def _look_up(position: int, name: str, text: str, definitions: Mapping[str, str]) -> Iterator[Found]:
    target = definitions.get(_fold(name))
    if target is not None:
        yield position, target, text


def _read_target(text: str, position: int, label: str) -> Iterator[Found]:
    """Yield the target in the parentheses after a bracket, which may hold other parentheses and a title."""
    inner = text[position + 2 : position + 2 + MAX_TARGET_CHARS + MAX_TEXT_CHARS]
    if inner.startswith("<"):
        end = inner.find(">")
        if end > 0:
            yield position, inner[1:end], label
        return
    end = _find_close(inner)
    if end < 0:
        return
    target, _, rest = inner[:end].strip().partition(" ")
    title = _TITLE.match(f" {rest}")
    yield position, target, label or (title.group(1) if title else "")


def _find_close(inner: str) -> int:
    """Return the offset of the parenthesis that closes the open one, or -1 when a blank line comes first."""
    depth = 0
    for position, char in enumerate(inner):
        if char == ")":
            if not depth:
                return position
            depth -= 1
        elif char == "(":
            depth += 1
        elif char == "\n" and inner[position + 1 : position + 2] in ("\n", ""):
            return -1
    return -1


def _find_tags(text: str) -> Iterator[Found]:
    """Yield the targets of HTML tags that show or link a file."""
    for tag in islice(_TAG.finditer(text), MAX_MARKS):
        end = text.find(">", tag.end(), tag.end() + MAX_TAG_CHARS)
        if end < 0:
            continue
        values: dict[str, str] = {}
        for match in _ATTRIBUTE.finditer(text[tag.end() - 1 : end]):
            value = next((group for group in match.groups()[1:] if group is not None), "")
            values.setdefault(match.group(1).lower(), value)
        described = values.get("alt") or values.get("title") or values.get("aria-label") or ""
        if tag.group(1).lower() == "a":
            described = described or text[end + 1 : _find_anchor_end(text, end)]
        for name in ("src", "href", "poster"):
            if values.get(name):
                yield tag.start(), values[name].strip(), described


def _find_anchor_end(text: str, start: int) -> int:
    """Return the offset at which the text of a link ends; just after `start` if its end is too far away."""
    close = text[start : start + MAX_TEXT_CHARS].lower().find("</a")
    return start + close if close >= 0 else start + 1


def _find_directives(lines: Sequence[str]) -> Iterator[Found]:
    """Yield the targets of reStructuredText directives that show a file, with their options and captions."""
    position = 0
    for number, line in enumerate(lines):
        match = _DIRECTIVE.match(line[: MAX_TARGET_CHARS + 200]) if ":: " in line[:250] else None
        if match is not None:
            described = _read_directive(lines, number, len(match.group(1))) or match.group(2) or ""
            yield position, match.group(3).strip(), described
        position += min(len(line), MAX_LINE_CHARS) + 1


def _read_directive(lines: Sequence[str], number: int, indent: int) -> str:
    """Return the alternative text of a directive, else its caption; "" without both."""
    caption: list[str] = []
    for line in lines[number + 1 : number + 1 + DIRECTIVE_LINES]:
        option = _OPTION.match(line[:400])
        if option is not None and not caption:
            if option.group(1) == "alt":
                return option.group(2)
            continue
        text = line[:MAX_TEXT_CHARS]
        if not text.strip():
            if caption:
                break
            continue
        if len(text) - len(text.lstrip()) <= indent:
            break
        caption.append(text.strip())
    return " ".join(caption)


def _find_rst_targets(text: str) -> Iterator[Found]:
    for match in _RST_TARGET.finditer(text):
        yield match.start(), match.group(2), match.group(1).strip()


def _find_asciidoc(text: str) -> Iterator[Found]:
    for match in _ASCIIDOC.finditer(text):
        yield match.start(), match.group(1), match.group(2).partition(",")[0].strip("\"' ")
