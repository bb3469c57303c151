"""The choice between C and C++ for a header named `.h`."""

from __future__ import annotations

import re

from repo_mcp.languages.c.cpp_declarations import CPP
from repo_mcp.languages.c.cpp_resumed import read_resumed
from repo_mcp.languages.c.declarations import C
from repo_mcp.languages.treesitter.capture_walk import Dialect
from repo_mcp.languages.treesitter.parser import Captures, find_captures

# share of bytes with errors: with fewer, a header that looks like C++ is not also parsed as C
FEW_ERRORS = 0.1
# A line that begins a namespace, a template, a class or an access section is C++. Comments do not count, nor
# does `extern "C"`, which is for headers of both languages.
# Repeats are bounded, because the text is not trusted. C's `struct class {` and `class:1` do not match.
_SIGNS = re.compile(
    rb"^[ \t]*+(?:(?:inline )?namespace(?:[ \t]++[\w:]++)?\s*+\{|using[ \t]++namespace[ \t]|template[ \t]*+<"
    rb"|class[ \t]++\w[^;(){}=]{0,300}[{:]|(?:public|private|protected)[ \t]*+:)",
    re.MULTILINE,
)
_COMMENTS = re.compile(rb"/\*(?:.*?\*/|.*+)|//[^\n]*+", re.DOTALL)


def looks_like_cpp(text: bytes) -> bool:
    """Return whether no C compiler would accept a header."""
    return _SIGNS.search(text) is not None and _SIGNS.search(_COMMENTS.sub(b"", text)) is not None


def read_header(plain: bytes) -> tuple[Dialect, Captures | None]:
    """Return the dialect of a header, C++ or C, and its captures; in doubt, the one with fewer errors."""
    is_likely = looks_like_cpp(plain)
    other = find_captures("cpp", ("cpp",), plain) if is_likely else None
    if other is not None and _count_errors(other) <= FEW_ERRORS * len(plain):
        return CPP, read_resumed(plain, other)
    found = find_captures("c", ("c",), plain)
    if found is None or found.is_complete:
        return C, found
    if not is_likely:
        other = find_captures("cpp", ("cpp",), plain)
    if other is not None and _count_errors(other) < _count_errors(found):
        return CPP, read_resumed(plain, other)
    return C, found


def _count_errors(found: Captures) -> int:
    """Return the number of bytes that the grammar did not understand, plus one for each error."""
    return sum(1 + node.end_byte - node.start_byte for node in found.nodes.get("error", ()))
