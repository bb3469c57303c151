"""Finds the line of a file whose message pasted text quotes: `raise Error("no such account: %s")`. Pure.

An issue has the message as the program wrote it, so what the program filled in is left out of the literal,
and the longest piece that is left must stand in the issue word by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from repo_mcp.late_patterns import compile_late

LEAST_WORDS = 3  # of a piece of a message: two may stand together by chance
LEAST_CHARS = 14
_LITERAL = compile_late(r"\"((?:[^\"\\]|\\.){8,400})\"|'((?:[^'\\]|\\.){8,400})'|`([^`]{8,400})`")
_FILLED_IN = compile_late(r"%[-+#0-9.*]*[a-zA-Z]|\$?\{[^{}]*\}|#\{[^{}]*\}|\$\w+|\\[a-z(]")
_WORD = re.compile(r"\w+")


def read_words(text: str) -> str:
    """Return the words of a text in lower case, each between blanks."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def find_quoted(lines: Iterable[tuple[int, str]], words: str) -> int | None:
    """Return the number of the line that has the longest message among `words`; None without one.

    `lines` are numbers and texts, `words` those of the pasted text as `read_words` returns them.
    """
    best: tuple[int, int] | None = None
    for number, line in lines:
        length = max(map(len, _list_quoted(line, words)), default=0)
        if length and (best is None or length > best[0]):
            best = length, number
    return None if best is None else best[1]


def _list_quoted(line: str, words: str) -> Sequence[str]:
    """Return the pieces of a line's messages that the words have, without what is filled in."""
    pieces = (piece for groups in _LITERAL.findall(line) for piece in _FILLED_IN.split("".join(groups)))
    own = [(_WORD.findall(piece), read_words(piece)) for piece in pieces]
    return [
        text for said, text in own if len(said) >= LEAST_WORDS and len(text) >= LEAST_CHARS and text in words
    ]
