"""Preprocessor conditions in C#: for each line, the names that must be defined or undefined.

`#if A && !B`, `#elif`, `#else` become rows that begin at a line and have all conditions that hold from there
on: "A;!B". Alternatives stay one condition, "A||B", whose negation is "!A;!B". Left out on purpose:
`#define`, and names that a project defines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_DEPTH = 12  # of parentheses, and of nested conditions; deeper ones are not recorded
MAX_CHARS = 240  # of one condition
_DIRECTIVE = re.compile(rb"\n[ \t]*+#[ \t]*+(if|elif|else|endif)\b([^\r\n]*)")
_COMMENT = re.compile(r"//.*")

Conditions = tuple[str, ...]  # all of which hold


def list_conditions(text: bytes) -> list[tuple[int, str]]:
    """Return the byte offsets of directives that change the conditions, with those that hold afterwards."""
    rows: list[tuple[int, str]] = []
    # the conditions that hold, and the negation of earlier branches
    levels: list[tuple[Conditions, Conditions]] = []
    for found in _DIRECTIVE.finditer(b"\n" + text):  # so that each begins where its line does in the text
        word = found[1]
        said = "".join(_COMMENT.sub("", found[2].decode("utf-8", "replace")).replace(";", "").split())
        if word == b"if":
            levels.append((read_condition(said), read_condition(f"!({said})")))
        elif not levels:
            continue
        elif word == b"endif":
            levels.pop()
        elif word == b"else":
            levels[-1] = levels[-1][1], levels[-1][1]
        else:
            refused = levels[-1][1]
            levels[-1] = (*refused, *read_condition(said)), (*refused, *read_condition(f"!({said})"))
        held = (one for level in levels[:MAX_DEPTH] for one in level[0])
        rows.append((found.start(), ";".join(dict.fromkeys(held))))
    return rows


def read_condition(text: str, depth: int = 0) -> Conditions:
    """Return the conditions that a condition, written without spaces, consists of."""
    if len(text) > MAX_CHARS or depth > MAX_DEPTH:
        return ()
    text = _strip_brackets(text)
    for joint, opposite in (("||", "&&"), ("&&", "||")):
        parts = list(_iter_parts(text, joint))
        if len(parts) > 1 and joint == "&&":
            return tuple(one for part in parts for one in read_condition(part, depth + 1))
        if len(parts) > 1:
            read = [read_condition(part, depth + 1) for part in parts]
            plain = [one[0] if len(one) == 1 else part for one, part in zip(read, parts, strict=True)]
            return (joint.join(sorted(plain)),)
        if text.startswith("!(") and text.endswith(")"):
            denied = list(_iter_parts(_strip_brackets(text[1:]), joint))
            if len(denied) > 1:
                turned = opposite.join(f"!({one})" for one in denied)
                return read_condition(turned, depth + 1)
    if text.startswith("!"):
        inner = _strip_brackets(text[1:])
        return read_condition(inner[1:], depth + 1) if inner.startswith("!") else (f"!{inner}",)
    return (text,) if text else ()


def _strip_brackets(text: str) -> str:
    """Return a text without parentheses around the whole."""
    while text.startswith("(") and text.endswith(")") and _find_end(text) == len(text) - 1:
        text = text[1:-1]
    return text


def _find_end(text: str) -> int:
    """Return the end of the parenthesis that a text begins with."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if not depth:
            return at
    return -1


def _iter_parts(text: str, joint: str) -> Iterator[str]:
    """Yield the parts of a text between occurrences of `joint` outside parentheses."""
    depth = start = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if not depth and text.startswith(joint, at):
            yield _strip_brackets(text[start:at])
            start = at + len(joint)
    yield _strip_brackets(text[start:])
