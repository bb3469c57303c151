"""Python source to plain rows of its declarations, by `ast`. Runs in the parse worker.

The answer is JSON, one of

    {"symbols": [[kind, name, signature, start_line, end_line, doc, parent, scope, conditional, context]],
     "cut": false}
    {"failure": "syntax", "line": 3}

The failures are `syntax`, `newer` (the line is valid in a later Python than the running one), `nesting`
(deeper than the parser goes) and `value` (a NUL, or something else that no source may hold). A text that
does not parse yields no symbol at all: half an outline would look like a whole one.

Syntax is judged to be newer by the first and the last line that the parser refused, and by those alone.
`except a, b:` with two plain lower-case names stays an error: Python 2 wrote its variable so.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import warnings

from repo_mcp.languages.python.tree import list_rows

_SHOWN_LINE_CHARS = 1_000  # of the line where the parser stopped

# Version that first had it -> what its lines look like. Repeats are bounded: the text is not ours.
_NEWER: tuple[tuple[tuple[int, int], str], ...] = (
    ((3, 12), r"^\s*type\s+\w+\s*(?:\[[^\]]{0,300}\]\s*)?="),
    ((3, 12), r"^\s*(?:async\s+)?(?:def|class)\s+\w+\s*\["),
    ((3, 13), r"^\s*(?:async\s+)?(?:def|class|type)\s+\w+\s*\[[^\]]{0,300}\w\s*=\s*\w"),
    ((3, 14), r"\b(?:[tT][rR]?|[rR][tT])[\"']"),
    ((3, 14), r"^\s*except\s+[\w.]+\s*,\s*(?:\w+\.[\w.]+|[A-Z]\w*)\s*:"),
    ((3, 14), r"^\s*except\s+[\w.]+(?:\s*,\s*[\w.]+){2,99}\s*:"),
    ((3, 14), r"^\s*except\s*\*\s*[\w.]+(?:\s*,\s*[\w.]+){1,99}\s*:"),
    ((3, 15), r"^\s*lazy\s+(?:import|from)\s+\w"),
)
NEWER_PATTERNS = tuple(re.compile(pattern) for version, pattern in _NEWER if sys.version_info[:2] < version)


_FREE_FSTRINGS = (3, 12)  # from here on a field may hold the string's own quote, and backslashes
_FSTRING = re.compile(r"\b(?:[fF][rR]?|[rR][fF])([\"'])(?!\1)")


def outline_python(source: bytes) -> bytes:
    """Return the answer for normalised UTF-8 text. Raises only what ends the process."""
    return json.dumps(_parse(source)).encode("ascii")


def _parse(source: bytes) -> dict[str, object]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is the repository's affair
            tree = ast.parse(source.decode("utf-8"))
        rows, cut = list_rows(tree, source.split(b"\n"))
    except SyntaxError as error:
        line = error.lineno or 0
        newer = [one for one in (line, error.end_lineno or 0) if _looks_newer(source, one)]
        return {"failure": "newer", "line": newer[0]} if newer else {"failure": "syntax", "line": line}
    except (MemoryError, RecursionError):  # raised by the parser for deep nesting
        return {"failure": "nesting", "line": 0}
    except (ValueError, OverflowError, SystemError):
        return {"failure": "value", "line": 0}
    return {"symbols": rows, "cut": cut}


def _looks_newer(source: bytes, line: int) -> bool:
    lines = source.split(b"\n", line)
    if not 1 <= line <= len(lines):
        return False
    text = lines[line - 1][:_SHOWN_LINE_CHARS].decode("utf-8", "replace")
    if any(pattern.search(text) for pattern in NEWER_PATTERNS):
        return True
    return sys.version_info[:2] < _FREE_FSTRINGS and any(
        _field_is_free(text, match.end(), match.group(1)) for match in _FSTRING.finditer(text)
    )


def _field_is_free(text: str, position: int, quote: str) -> bool:
    """Return True when the f-string field at `position` holds its quote or a backslash, and ends."""
    depth = 0
    while position < len(text):
        char = text[position]
        if depth == 0 and (char == "\\" or text.startswith("{{", position)):
            position += 1
        elif depth and char in ("\\", quote):
            rest = text[position + 1 :].partition(quote)[2]
            return "}" in rest
        elif char == quote:
            return False
        depth += (char == "{") - (char == "}" and depth > 0)
        position += 1
    return False
