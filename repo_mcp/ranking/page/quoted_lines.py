"""Finds the line of a file that a report quotes: of code verbatim, or with a message that it holds. Pure.

Who quotes code has looked at it already, so the place is near. Lines that are short, or that have no sign of
code, are also written by chance, and one that the file has several times says too little.

A report often holds what the program printed. The words of a message may all be common, and other
declarations of the file may have more words of the report, so a message is looked for word for word. Where
the program fills in a value, its text has a placeholder: what stands between two of them is looked for alone,
or all of it in its order. A literal that goes on in the next line, behind a backslash or as a further literal
that is added to it, is read as one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set
from itertools import pairwise

from repo_mcp.late_patterns import compile_late
from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import is_import
from repo_mcp.text.stop_words import FUNCTION_WORDS

MIN_LINE_CHARS = 20
MAX_LINES = 1_000  # of a report that are looked at
LEAST_WORDS = 4  # of a message; with fewer, it is a name or what many programs say
LEAST_TELLING = 2  # of them are no function words
LEAST_PARTS = 2  # of a message with values filled in between
LEAST_TOGETHER = 3  # words of its longest part
MOST_FILLED = 200  # characters of a value that is filled in
# Of a diff, of a quotation, and of what shells and pytest print; no operator, and no name of PHP.
_LEAD = re.compile(r"^(?:>>> |[-+](?![-+=>])|>|\$ |E )\s*")
_SIGN = re.compile(r"[(){}\[\]=;]|::|->")
_WORD = re.compile(r"[^\W\d]{4}")
_JOINT = "\0"  # in place of the end of a line within a literal; no text has it
_MARKUP = str.maketrans(_JOINT, " ", "`*>\"'\\")
_LITERAL = compile_late(r'"((?:[^"\\\n]|\\.){0,500})"|' + r"'((?:[^'\"\\\n]|\\.){0,500})'|`([^`\n]{0,500})`?")
# Where a literal goes on: behind a backslash, or between quotes at an end and a beginning, with "+" or ".".
_CONTINUED = compile_late(r"\\\n[ \t]*|([\"'])[ \t]*+[+.&\\]?[ \t]*+\n[ \t]*+[+.&]?[ \t]*[a-zA-Z$@]{0,2}\1")
_PLACEHOLDER = compile_late(
    r"[$#%]?\{[^{}]*\}|%(?:\(\w+\)|\[\d\])?[-+#0-9.*]*[a-zA-Z]|\\[nrt]|\\\([^()]*\)|\$[A-Za-z_]\w*"
)
_ENDS = " \t.,:;!?()[]{}=-"


@dataclass(frozen=True, slots=True)
class Quotable:
    """Lines and text of a report, of which a file may have some."""

    lines: tuple[str, ...]  # of code, each once and without indentation
    text: str  # all of it, folded
    pairs: frozenset[str] = frozenset()  # of words that follow each other in it


def read_quotable(text: str) -> Quotable:
    """Return what a report may quote."""
    lines = dict.fromkeys(_LEAD.sub("", line.strip()) for line in text.splitlines()[:MAX_LINES])
    code = [line for line in lines if _tells_place(line)]
    folded = _fold(text)
    words = folded.split(" ")
    return Quotable(tuple(code), folded, frozenset(map(" ".join, pairwise(words))))


def _tells_place(line: str) -> bool:
    """Return whether a file with this line is likely to be the one that it was copied from.

    An import is not: a report's sample program has those that the program has.
    """
    is_code = len(line) >= MIN_LINE_CHARS and _SIGN.search(line) and _WORD.search(line)
    return bool(is_code) and not is_import(line)


def find_quoted(data: bytes, quotable: Quotable) -> int:
    """Return the number of the line of a file that is quoted, or 0. A line of code precedes a message."""
    text = data.decode("utf-8", "replace")
    return _find_code(data, text, quotable.lines) or find_message(text, quotable)[0]


def _find_code(data: bytes, text: str, quotable: tuple[str, ...]) -> int:
    """Return the number of the first quoted line that a file has once, in the order of the report, or 0."""
    wanted = frozenset(quotable)
    lines = [*map(str.strip, text.split("\n"))]
    counts = Counter(filter(wanted.__contains__, lines))
    single = (line for line in quotable if counts[line] == 1 and data.count(line.encode()) == 1)
    found = next(single, None)
    return 0 if found is None else lines.index(found) + 1


def find_message(text: str, report: Quotable) -> tuple[int, int]:
    """Return the number of the line with the longest quoted message, of equals the first, and its characters.

    Both are 0 if no literal of the text is quoted.
    """
    best, longest = 0, 0
    text = _CONTINUED.sub(_JOINT, text)
    for literal in _LITERAL.finditer(text):
        said = literal[literal.lastindex or 0]
        for message in _iter_messages(said, report.pairs):
            if len(message) > longest and message in report.text and _has_whole_words(report.text, message):
                best, longest = literal.start(), len(message)
        filled = _measure_filled(said, report)
        if filled > longest:
            best, longest = literal.start(), filled
    return (text.count("\n", 0, best) + text.count(_JOINT, 0, best) + 1 if longest else 0), longest


def _measure_filled(literal: str, report: Quotable) -> int:
    """Return the characters of a literal whose parts between placeholders all follow each other in a report.

    Return 0 if they do not, or if they say too little. Its longest part decides whether it is looked at.
    """
    if _PLACEHOLDER.search(literal) is None:
        return 0
    parts = [folded for part in _PLACEHOLDER.split(literal) if (folded := _fold(part).strip(_ENDS))]
    words = [word for part in parts for word in part.split(" ")]
    longest = max((part.split(" ") for part in parts), key=len, default=[])
    if len(parts) < LEAST_PARTS or len(words) < LEAST_WORDS or len(longest) < LEAST_TOGETHER:
        return 0
    if f"{longest[1]} {longest[2]}" not in report.pairs or len({*words} - FUNCTION_WORDS) < LEAST_TELLING:
        return 0
    at = 0
    for part in parts:
        found = report.text.find(part, at, at + MOST_FILLED + len(part) if at else None)
        if found < 0:
            return 0
        at = found + len(part)
    return sum(map(len, parts))


def _iter_messages(literal: str, pairs: Set[str]) -> Iterator[str]:
    """Yield what stands between the placeholders of a literal, folded, where it says something.

    What does not have its second and third word in `pairs` is left out: a file may have 30,000 literals, and
    a report 100,000 characters.
    """
    for part in _PLACEHOLDER.split(literal):
        words = _fold(part).strip(_ENDS).split(" ")
        if len(words) < LEAST_WORDS or f"{words[1]} {words[2]}" not in pairs:
            continue
        if len({*words} - FUNCTION_WORDS) >= LEAST_TELLING:
            yield " ".join(words)


def _has_whole_words(report: str, message: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(message)}(?!\w)", report) is not None


def _fold(text: str) -> str:
    """Return a text in lower case, without quotes and marks of emphasis, its words between single spaces."""
    return " ".join(text.lower().translate(_MARKUP).split())
