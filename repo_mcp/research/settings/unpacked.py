"""Tell the lines that take a name out of an object, as JavaScript and TypeScript write it. Pure.

    const { retries = 3, delay: wait } = options           function connect({ retries }: Options) {
    for (const { retries } of jobs)

Such a line reads the name, whatever default or other name it gives it. The brackets may stand on other lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.research.findings.open_brackets import QUOTED, find_closing, list_open_brackets

MOST_LINES = 48  # above and below, in which the brackets may stand
MOST_LEVELS = 4  # of braces in braces
_DECLARES = re.compile(r"\b(?:const|let|var)\s*$")
_TAKEN_FROM = re.compile(r"\s*(?::\s*[^=;]{1,200})?=(?![=>])|\s+(?:of|in)\b")
_INSIDE = re.compile(r"\w\s*:\s*$")  # of another such object: `{ server: { port } }`
_BESIDE = re.compile(r"[(,]\s*$")
_BEHIND_PARAMETER = re.compile(r"\s*(?:[,)]|=(?!=)|:)")
_BEGINS_BODY = re.compile(r"\s*+(?::[^{};]{1,200}?)?(?:=>|\{)")
_CALLED = re.compile(r"(?:\b(?:if|for|while|switch|catch|return|await)|=>)\s*$")


def is_unpacked(lines: Sequence[str], at: int, name: str) -> bool:
    """Return True for a line that takes a name out of an object; the line is 1-based."""
    line = lines[at - 1]
    if not any(char in line for char in "{}") and not re.match(rf"\s*{re.escape(name)}\s*(?:[:=,]|$)", line):
        return False
    first = max(0, at - 1 - MOST_LINES)
    above = "".join(f"{_blank(one)}\n" for one in lines[first : at - 1])
    text = above + "".join(f"{_blank(one)}\n" for one in lines[at - 1 : at + MOST_LINES])
    own = range(len(above), len(above) + len(line) + 1)
    for found in re.finditer(
        rf"(?<![\w$.]){re.escape(name)}(?![\w$])(?=\s*(?:[,:=}}]|$))", text, re.MULTILINE
    ):
        if found.start() in own and _is_taken(text, found.start()):
            return True
    return False


def _blank(line: str) -> str:
    return QUOTED.sub(lambda text: " " * len(text[0]), line)


def _is_taken(text: str, position: int) -> bool:
    """Return True for a position in braces that stand before `=` behind `const`, or for a parameter."""
    opened = list_open_brackets(text[:position])
    for start in reversed(opened[-MOST_LEVELS:]):
        if text[start] != "{":
            return False
        end = find_closing(text, start)
        if end is None:
            return False
        before, behind = text[:start], text[end + 1 :]
        if _DECLARES.search(before):
            return _TAKEN_FROM.match(behind) is not None
        if _BESIDE.search(before):
            return _is_parameter(text, start, behind)
        if not _INSIDE.search(before):
            return False
    return False


def _is_parameter(text: str, start: int, behind: str) -> bool:
    """Return True for braces among the parameters of a function, behind which its body begins."""
    around = list_open_brackets(text[:start])
    if not around or text[around[-1]] != "(" or not _BEHIND_PARAMETER.match(behind):
        return False
    end = find_closing(text, around[-1])
    if end is None or _CALLED.search(text[: around[-1]]):
        return False
    return _BEGINS_BODY.match(text[end + 1 :]) is not None
