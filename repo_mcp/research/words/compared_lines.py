"""Tell the lines of a type that is compared with another one: its fields with defaults, not its checks.

That a constructor checks its arguments says nothing of a difference. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bundler.body import Body, list_code, measure_indent
from repo_mcp.record_classes import replace

MOST_CONDITION = 4  # lines of a condition
LINE_CHARS = 400  # read of a field, so that none takes long
_FAILS = re.compile(r"\s*(?:throw|raise)\b")
_CHECKS = re.compile(r"\s*(?:if|unless|guard)\b")
_FAILS_AT_ONCE = re.compile(r"\s*(?:if|unless|guard)\b.*\b(?:throw|raise)\b|\s*(?:throw|raise)\b.*\bunless\b")
_GOES_ON = re.compile(r"\s*(?:\{|&&|\|\||and\b|or\b)")
# `this[kDepth] = depth != null ? depth : 1`, `self.depth = depth or 1`, `private int depth = 1;`
_DEFAULT = re.compile(
    r"\s*+(?:this\b|self\b|@)[\w.#\[\]$]*+\s*+(?::[^=]{1,60})?=(?!=)\s*+\S.*"
    r"(?:\?\?|\|\||\?.*:|\bor\b|\bif\b.*\belse\b)"
    r"|\s*+(?:(?:public|private|protected|internal|static|readonly|final|volatile)\s++){1,6}"
    r"[\w<>\[\]?,. ]++=(?![=>])\s*+[^;(]++;"
)


def leave_out_checks(body: Body) -> Body:
    """Return a body without the conditions of which only a failure follows."""
    code = list_code(body)
    left_out = set(body.comment_lines)
    for position, number in enumerate(code):
        line = body.lines[number - 1]
        if _FAILS_AT_ONCE.match(line):
            left_out.add(number)
        elif _FAILS.match(line):
            left_out.update(_list_check(body, code, position))
    return replace(body, comment_lines=left_out)


def _list_check(body: Body, code: Sequence[int], position: int) -> list[int]:
    """Return the lines of the condition right above a failure, with it; none if there is no such one."""
    indent = measure_indent(body.lines[code[position] - 1])
    is_inside = False  # the brackets of a condition of several lines
    for at in range(position - 1, max(-1, position - 1 - MOST_CONDITION), -1):
        line = body.lines[code[at] - 1]
        own = measure_indent(line)
        if own < indent and _CHECKS.match(line):
            return [*range(code[at], code[position] + 1)]
        is_inside = is_inside or (own < indent and line.lstrip().startswith(")"))
        if own <= indent and not (is_inside or _GOES_ON.match(line)):
            return []
    return []


def match_defaults(text: str) -> Sequence[str]:
    """Return a text that gives a field its default; nothing for others."""
    return [text] if _DEFAULT.match(text[:LINE_CHARS]) else ()
