"""Landmarks of a source file by line patterns: where its comments are and which names it defines.

One regular expression per language runs once over the whole file. Each match begins at a line
feed, which the engine finds by a plain scan. The alternatives after it differ in their first
byte, so that an ordinary line costs some tens of nanoseconds. The first line of a file has no
line feed before it and is tried on its own.

Every repeat is possessive or bounded, and an unterminated comment reaches to the end of the
file instead of failing, so that no text makes the search slower than linear. After 20,000 stars
(or similar) a comment is cut, which bounds the memory of one match.

Left out on purpose: comments after code on the same line, definitions that a line pattern
cannot tell from a call, nesting. The purpose is a field that helps ranking at little cost.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from repo_mcp.record_classes import dataclass

VERSION = 23  # part of the index's configuration: raise it when landmarks or languages change

Kind = Literal["code", "docs", "config", "data"]

Spans = list[tuple[int, int]]

# Names that pattern sources may use in braces. Bytes from 0x80 are parts of non-ASCII identifiers.
# A part may use the parts below it. Repeats of groups are counted, not possessive: Python before
# 3.11.5 matches those wrongly.
_PARTS = {
    "{slash_doc}": r"(?P<doc>{block} | {slashes})",
    "{hash_doc}": r"(?P<doc>{hashes})",
    "{block}": r"/\*[^*]*+(?:\*(?!/)[^*]*+){0,20000}(?:\*/)?",
    "{slashes}": r"//[^\n]*+(?:\n[ \t]*+//[^\n]*+){0,500}",
    "{hashes}": r"\#[^\n]*+(?:\n[ \t]*+\#[^\n]*+){0,500}",
    "{dashes}": r"--[^\n]*+(?:\n[ \t]*+--[^\n]*+){0,500}",
    "{html}": r"<!--[^-]*+(?:-(?!->)[^-]*+){0,20000}(?:-->)?",
    "{any_name}": r"(?:({name}) | `([^`\n]{1,200}+)`)",
    "{w}": r"[A-Za-z0-9_\x80-\xff]",
    "{name}": r"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*+",
    "{CONST}": r"[A-Z][A-Z0-9_]++(?![a-z])",
    "{gap}": r"[ \t]++",
    "{opt}": r"[ \t]*+",
}


@dataclass(frozen=True, slots=True)
class Language:
    """A language or format, and the pattern of its landmarks."""

    name: str  # lower case, as `lang:` and the `language` argument take it
    kind: Kind
    pattern: str | None = (
        None  # source of the landmark expression without the leading line feed; None: no landmarks
    )


def build_language(name: str, kind: Kind, pattern: str, **parts: str) -> Language:
    """Return a language; its verbose pattern may use `parts` and the parts of this file, in braces."""
    for part, source in parts.items():
        pattern = pattern.replace("{" + part + "}", source)
    return Language(name, kind, pattern)


@dataclass(frozen=True, slots=True)
class Landmarks:
    """Half-open byte spans of one text, ascending and disjoint within each list."""

    doc_spans: Spans  # comments at the start of a line, and docstrings
    definitions: Spans  # the defined names only


@dataclass(frozen=True, slots=True)
class _Compiled:
    """The compiled expression in two forms, and the numbers of its groups by name."""

    first_line: re.Pattern[bytes]  # matched at the start of the text
    other_lines: re.Pattern[bytes]  # begins with a line feed
    doc_groups: frozenset[int]
    skipped_groups: frozenset[int]  # of names that are no definitions


def scan(language: Language, data: bytes) -> Landmarks:
    """Return the landmarks of normalised text (UTF-8, line ends "\\n"), in time linear in its length.

    Names inside a comment are not definitions. A language without a pattern has no landmarks.
    """
    doc_spans: Spans = []
    definitions: Spans = []
    if language.pattern is None:
        return Landmarks(doc_spans, definitions)
    compiled = _compile(language.pattern)
    position = 0
    stepped_over: Spans = []  # matches without a group, such as multi-line strings
    appends = [stepped_over.append] + [definitions.append] * compiled.other_lines.groups
    for group in compiled.doc_groups:
        appends[group] = doc_spans.append
    for group in compiled.skipped_groups:
        appends[group] = stepped_over.append
    first = compiled.first_line.match(data)
    if first is not None:
        position = first.end()
        group = first.lastindex or 0
        appends[group](first.span(group))
    for match in compiled.other_lines.finditer(data, position):
        group = match.lastindex or 0
        appends[group](match.span(group))
    return Landmarks(doc_spans, definitions)


@cache
def _compile(pattern: str) -> _Compiled:
    """Compile a pattern at first use: all languages together would add some 50 ms to every start."""
    for part, source in _PARTS.items():
        pattern = pattern.replace(part, source)
    body = pattern.encode("ascii")
    other_lines = re.compile(rb"\n(?:" + body + rb")", re.VERBOSE)
    docs, skipped = (
        frozenset(group for name, group in other_lines.groupindex.items() if name.startswith(kind))
        for kind in ("doc", "skipped")
    )
    return _Compiled(re.compile(b"(?:" + body + b")", re.VERBOSE), other_lines, docs, skipped)
