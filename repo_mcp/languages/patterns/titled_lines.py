"""Finds functions that calls get under titles by lines; see `repo_mcp/titled_names.py`.

Such a call begins a line. It ends like any other statement, by indentation; a call of one line is left out,
because the line says it all. One that is indented must be a statement directly in the body of a function that
is found so itself, unless it declares anywhere. Text with another layout gives wrong lines, never an error.
"""

from __future__ import annotations

import re

from repo_mcp.languages.patterns.line_layout import NO_TEXT, Layout
from repo_mcp.late_patterns import compile_late
from repo_mcp.record_classes import dataclass
from repo_mcp.titled_names import TEST, find_called_name, find_test_kind, may_be_titled_anywhere, name_titled

_LANGUAGES = frozenset(("javascript", "typescript"))
MAX_TOKENS = 400  # of the arguments before a function
_LITERAL = rb"""(?:"(?:[^"\\\n]|\\.){1,200}"|'(?:[^'\\\n]|\\.){1,200}'|`(?:[^`\\$]|\\.){1,200}`)"""
_CALL = compile_late(
    rb"""
    ^[ \t]*+(?:await[ \t]++)?
    (?P<chain>(?!(?:if|for|while|switch|catch|return|function|super|with|import)\b)
      [A-Za-z_$][\w$]*+(?:\??\.[A-Za-z_$][\w$]*+){0,8})
    (?:<[^<>()\n]{1,80}>|\([^()\n]{0,200}\))?   # type arguments, or a table of cases
    \(\s*+(?:[\w$.]++\s*+,\s*+){0,3}
    (?P<titles>LITERAL(?:\s*+,\s*+LITERAL){0,3}|\[\s*+LITERAL(?:\s*+,\s*+LITERAL){0,7}\s*+,?\s*+\])
    \s*+,
    """.replace(b"LITERAL", _LITERAL),
    re.VERBOSE | re.MULTILINE,
)
_TITLE = re.compile(_LITERAL)
_TOKENS = compile_late(
    rb"""
    "(?:[^"\\\n]|\\.){0,2000}" | '(?:[^'\\\n]|\\.){0,2000}' | `(?:[^`\\]|\\.){0,2000}`
    | //[^\n]*+ | /\*(?:[^*]|\*(?!/)){0,2000}\*/ | [()\[\]{}] | (?P<function>=>|\bfunction\b)
    """,
    re.VERBOSE,
)
# At the end of a line below which no statement begins.
_GOES_ON = (b"=", b"(", b"[", b",", b"?", b"&", b"|", b"=>")
_CLOSES = re.compile(rb"[}\])]")
_OPENERS = (b"{", b"(", b"[")


@dataclass(frozen=True, slots=True)
class TitledCall:
    """A call that declares a function under a title. Lines are counted from 0."""

    line: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class _Open:
    """A titled call whose end is still to come."""

    end: int
    inside: int  # the depth of the statements of its function; -1 for one that declares none


def may_have_titled_calls(language: str, text: bytes) -> bool:
    """Return False for a text that has no titled call."""
    return language in _LANGUAGES and _CALL.search(text) is not None


def list_titled_calls(layout: Layout) -> list[TitledCall]:
    """Return the titled calls of a text in the order of their lines."""
    if layout.language not in _LANGUAGES:
        return []
    found: list[TitledCall] = []
    opened: list[_Open] = []
    for match in _CALL.finditer(layout.text):
        line = layout.find_line(match.start("chain"))
        chain = match["chain"].decode("utf-8", "replace").replace("?", "")
        titles = [one[1:-1].decode("utf-8", "replace").strip() for one in _TITLE.findall(match["titles"])]
        name = name_titled(find_called_name(chain), titles)
        while opened and opened[-1].end < line:
            opened.pop()
        depth = layout.depths[line]
        is_statement = not depth or (opened and opened[-1].inside == depth)
        if not name or not (is_statement or may_be_titled_anywhere(chain, name)):
            continue
        if layout.is_inside[line] or layout.is_doc[line] or _continues(layout, line):
            continue
        end = _find_end(layout, line)
        arguments = match.end(), layout.find_offset(end + 1)
        function = _find_function(layout, *arguments) if end > line else None
        if function is not None:
            found.append(TitledCall(line, end, name))
            holds = find_test_kind(name) != TEST
            opened.append(_Open(end, _find_depth(layout, function) if holds else -1))
    return found


def _continues(layout: Layout, line: int) -> bool:
    """Return whether a line goes on with the statement above it."""
    above = layout.trim(0, line) if line else 0
    return above < line and layout.lines[above].rstrip().endswith(_GOES_ON)


def _find_function(layout: Layout, start: int, end: int) -> int | None:
    """Return the line of the first function among the arguments from `start` on; None for a call without."""
    depth = 1
    for count, token in enumerate(_TOKENS.finditer(layout.text, start, end)):
        if token["function"] and depth == 1:
            return layout.find_line(token.start())
        depth += (token[0] in (b"(", b"[", b"{")) - (token[0] in (b")", b"]", b"}"))
        if not depth or count == MAX_TOKENS or not layout.spend_step():
            return None
    return None


def _find_depth(layout: Layout, line: int) -> int:
    """Return the depth of the first line with text below the head of a function."""
    below = (layout.depths[one] for one in range(line + 1, len(layout.lines)))
    return next((depth for depth in below if depth < NO_TEXT), 0)


def _find_end(layout: Layout, line: int) -> int:
    """Return the last line of a statement: the one that closes it, or the last one that is deeper."""
    depth = layout.depths[line]
    for position in layout.iter_outer(line + 1, depth):
        stripped = layout.lines[position].strip()
        if layout.depths[position] < depth or not _CLOSES.match(stripped):
            return layout.trim(line, position)
        if not stripped.endswith(_OPENERS):
            return position
    return layout.trim(line, len(layout.lines))
