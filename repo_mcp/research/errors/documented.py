"""Read which errors the comment on a function documents, and when they arise. Pure.

    Raises:                                 :raises Closed: if the shelf is closed
      Closed: If the shelf is closed.       @throws {Closed} if the shelf is closed
                                            <exception cref="Closed">the shelf is closed</exception>

What a comment says need not be what the code does: whoever tells of it must say that it is documented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from repo_mcp.bodies.body import measure_indent
from repo_mcp.record_classes import dataclass

MOST_LINES = 60  # of one entry or section
SAID_CHARS = 90  # of what is said of one error: about as long as a line
_NAME = r"[A-Za-z_][\w.:]*"
_MARKS = re.compile(r"^\s*(?:/\*\*?|\*/|\*|///?!?|#)?\s?")
# `@throws {Closed} if`, `\throws Closed if`, `:raises Closed: if`, `- Throws: `Closed` if`
_TAG = re.compile(
    rf"\s*(?:[@\\](?:throws?|exception)\s+\{{?({_NAME})\}}?(?:\s+-)?\s*"
    rf"|:(?:raises?|except|exception)\s+({_NAME}):\s*"
    rf"|-\s+Throws:\s+`({_NAME})`\s*)(.*)"
)
_XML = re.compile(rf"<exception\s+cref=\"(?:\w:)?({_NAME})\"\s*(?:/>|>(.*?)(?:</exception>|$))")
_SECTION = re.compile(r"\s*Raises:?\s*$")
_ENTRY = re.compile(rf"\s*(?::class:)?`?~?({_NAME})`?\s*+(?::\s*+(.*))?$")
_ENDS = re.compile(r"\s*(?:[@\\]\w|:\w+[ :]|</?\w+|-\s+\w+:|\"\"\"|''')")
_INLINE = re.compile(
    r"<(?:see|paramref|typeparamref|c)\b[^<>\"]*+(?:\"(?:\w:)?([^\"<>]*+)\"[^<>]*+)?>|</\w+>"
    r"|\{@\w++\s++([^{}]*+)\}"
)


@dataclass(frozen=True, slots=True)
class Documented:
    """One error that a comment documents."""

    name: str
    said: str  # when it arises; "" if nothing is said
    line: int  # 1-based


def list_documented(lines: Sequence[str], numbers: Sequence[int]) -> list[Documented]:
    """Return the errors that some lines of a comment document, each name once with its first text."""
    found: dict[str, Documented] = {}
    plain = {
        at: _MARKS.sub("", lines[at - 1]) if _begins_mark(lines[at - 1]) else lines[at - 1] for at in numbers
    }
    for one in (*_iter_tags(plain), *_iter_sections(plain)):
        found.setdefault(one.name, one)
    return sorted(found.values(), key=lambda one: one.line)


def _begins_mark(line: str) -> bool:
    """Return True for a line of a comment, and False for one of a docstring, which has no marks."""
    return line.lstrip()[:1] in ("/", "*", "#")


def _iter_tags(plain: dict[int, str]) -> Iterator[Documented]:
    """Yield what tags such as `@throws` and `<exception>` document."""
    for at, line in plain.items():
        tag, xml = _TAG.match(line), _XML.search(line)
        if tag is not None:
            yield Documented(tag[1] or tag[2] or tag[3], _cut(_join(plain, at, tag[4])), at)
        elif xml is not None:
            said = xml[2] or ""
            is_open = xml[2] is not None and "</exception>" not in line
            yield Documented(xml[1], _cut(_join(plain, at, said) if is_open else said), at)


def _iter_sections(plain: dict[int, str]) -> Iterator[Documented]:
    """Yield the entries of sections `Raises`: indented alike, or behind a line of dashes."""
    numbers = sorted(plain)
    for place, at in enumerate(numbers):
        if not _SECTION.match(plain[at]):
            continue
        own, head = numbers[place + 1 : place + 1 + MOST_LINES], measure_indent(plain[at])
        is_ruled = bool(own) and re.fullmatch(r"\s*-{3,}\s*", plain[own[0]]) is not None
        own = own[1:] if is_ruled else own
        indent = measure_indent(plain[own[0]]) if own else 0
        if not own or (not is_ruled and indent <= head):
            continue
        for number in own:
            line = plain[number]
            if not line.strip() and is_ruled:
                break
            if line.strip() and measure_indent(line) < indent:
                break
            entry = _ENTRY.match(line) if measure_indent(line) == indent else None
            if entry is not None:
                yield Documented(entry[1], _cut(_join(plain, number, entry[2] or "", indent)), number)


def _join(plain: dict[int, str], at: int, said: str, indent: int = 0) -> str:
    """Return what is said behind a name, with the lines that go on with it."""
    parts = [said]
    for number in range(at + 1, at + MOST_LINES):
        line = plain.get(number, "")
        if not line.strip() or _ENDS.match(line) or (indent and measure_indent(line) <= indent):
            break
        parts.append(line.partition("</exception>")[0])
        if "</exception>" in line:
            break
    return " ".join(parts)


def _cut(said: str) -> str:
    """Return the first sentence of a text on one line, without tags and marks, cut behind a word."""
    bare = _INLINE.sub(lambda tag: tag[1] or tag[2] or "", said).replace("`", "")
    text = re.split(r"(?<=\w)\.(?:\s|$)", " ".join(bare.split()))[0].rstrip("*/ ").strip()
    text = text.replace('"', "'")
    return text if len(text) <= SAID_CHARS else f"{text[:SAID_CHARS].rpartition(' ')[0]} …"
