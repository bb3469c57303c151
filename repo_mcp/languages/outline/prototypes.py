"""Finds the prototypes in a header of C or C++: what it declares for others, and what is defined elsewhere.

Line patterns leave them out: a look-up wants definitions, and in a source most statements that look like a
prototype are none. In a header, outside the bodies of functions, hardly anything else looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from repo_mcp.late_patterns import compile_late

HEADERS = ".h", ".hh", ".hpp", ".hxx"

_PROTOTYPE = compile_late(
    rb"""
    \n[ \t]*+(?!(?:typedef|return|using|friend|goto|delete|throw|new|else|case|co_return)\b)
    (?P<types>(?:[A-Za-z0-9_:<>,\[\]]++[ \t*&]++){0,8}~?)
    (?P<name>(?![A-Z0-9_]++\b)[A-Za-z_]\w*+)                  # not a macro that declares something
    [ \t]*+\((?![ \t]*[*^])(?=[^;{}]{0,700}\)[^;{}]{0,80};)  # nor the type of a pointer to a function
    """,
    re.VERBOSE,
)


def iter_prototypes(text: bytes) -> Iterator[tuple[tuple[int, int], bool]]:
    """Yield where the name of each prototype is in normalised text, and whether a type precedes it.

    Constructors and destructors have none; without one, anything else is a call.
    """
    for match in _PROTOTYPE.finditer(b"\n" + text):
        start, end = match.span("name")
        yield (start - 1, end - 1), bool(match["types"].rstrip(b"~"))
