"""Finds declarations without a body: prototypes in C and C++ headers, and methods in TypeScript types.

The line patterns leave them out: a look-up wants definitions, and most statements in a source file that look
like a prototype are none. In a header, hardly anything else outside a function's body looks like one, and
directly inside a class nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from repo_mcp.late_patterns import compile_late

_HEADERS = ".h", ".hh", ".hpp", ".hxx"
_SCRIPTS = ".ts", ".tsx", ".mts", ".cts"

_PROTOTYPE = compile_late(
    rb"""
    \n[ \t]*+(?!(?:typedef|return|using|friend|goto|delete|throw|new|else|case|co_return)\b)
    (?P<types>(?:[A-Za-z0-9_:<>,\[\]]++[ \t*&]++){0,8}~?)
    # not a macro that declares something
    (?P<name>(?!(?:[A-Z0-9_]++|sizeof|alignof|alignas|decltype|noexcept)\b)[A-Za-z_]\w*+)
    [ \t]*+\((?![ \t]*[*^])(?=(?P<arguments>[^;{}]{0,700}+);)  # nor the type of a pointer to a function
    """,
    re.VERBOSE,
)
_SIGNATURE = compile_late(
    rb"""
    \n[ \t]++(?:(?:public|private|protected|static|abstract|declare|readonly|override)[ \t]++){0,4}
    (?P<name>[A-Za-z_$][\w$]*+)\??(?:<[^<>\n]{0,80}>)?
    \((?=[^{};]{0,700}\)(?:[ \t]*:[^{};=\n]{1,300})?[;,]?[ \t]*\n)
    """,
    re.VERBOSE,
)


class Within(Enum):
    """Names what must enclose a prototype, because without it the match is a call."""

    NO_FUNCTION = "no function"
    ITS_CLASS = "the class that it constructs or destroys"
    ANY_CLASS = "a class or an interface"


def iter_prototypes(path: str, text: bytes) -> Iterator[tuple[tuple[int, int], Within]]:
    """Yield where the name of each prototype may be in normalised text, and what must enclose it."""
    if path.endswith(_HEADERS):
        for match in _PROTOTYPE.finditer(b"\n" + text):
            if b")" in match["arguments"]:
                is_typed = bool(match["types"].rstrip(b"~"))
                yield _find_name(match), Within.NO_FUNCTION if is_typed else Within.ITS_CLASS
    elif path.endswith(_SCRIPTS):
        for match in _SIGNATURE.finditer(b"\n" + text):
            yield _find_name(match), Within.ANY_CLASS


def _find_name(match: re.Match[bytes]) -> tuple[int, int]:
    """Return the offsets of the name in the text. The searched text has one line feed more at its start."""
    start, end = match.span("name")
    return start - 1, end - 1
