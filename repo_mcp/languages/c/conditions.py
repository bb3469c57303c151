"""Preprocessor conditions: for each line, the conditions under which it is compiled.

`#ifdef A`, `#if defined(A) && B`, `#else` become rows that begin at a line and have all conditions that hold
from there on: "defined(A)", "!defined(A);!(B > 1)". Include guards do not count. Conditions are compared as
they are written.

Left out on purpose: values of macros, and branches that `#error` rules out.
"""

from __future__ import annotations

import re

MAX_DEPTH = 12  # nested conditions; deeper ones are not recorded
MAX_BYTES = 240  # of one condition

Row = tuple[int, str]  # first line with these conditions, the one after a directive; the conditions
Conditions = tuple[str, ...]  # all of which hold

_DIRECTIVE = re.compile(
    rb"/\*(?:[^*]++|\*(?!/))*(?:\*/|\Z)"
    rb"|\n[ \t]*+#[ \t]*+(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b((?:[^\n\\]++|\\(?:\r?\n)?)*)"
)
_NO_TEXT = re.compile(r"/\*.*?(?:\*/|\Z)|//.*|\\\r?\n", re.S)
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_ONE = re.compile(r"(!?)(defined\(\w+\)|\w+)")
_GUARD = re.compile(r"!defined\((\w+)\)")
_NEXT = re.compile(rb"/\*.*?(?:\*/|\Z)|//[^\n]*+|#[ \t]*+define[ \t]++(\w++)[ \t]*+(?=[\r\n/]|\Z)|(\S)", re.S)
_IN_BRACKETS = re.compile(r"\([^()]*\)")


def list_conditions(text: bytes, *, is_header: bool) -> list[Row]:
    """Return the rows of a text, ascending; empty for one without conditions."""
    rows: list[Row] = []
    # the conditions that hold, and the negation of earlier branches
    levels: list[tuple[Conditions, Conditions]] = []
    line, at, is_first = 0, 0, is_header
    text = b"\n" + text
    for found in _DIRECTIVE.finditer(text):
        if found.group(1) is None:
            continue
        line, at = line + text.count(b"\n", at, found.start() + 1), found.start() + 1
        word, said = found.group(1).decode(), found.group(2).decode("utf-8", "replace")
        if word.startswith("if"):
            held = _read(word, said)
            if is_first and _is_guard(held, text, found.end()):
                held = ()
            is_first = False
            levels.append((held, _negate(held)))
        elif not levels:
            continue
        elif word == "endif":
            levels.pop()
        elif word == "else":
            levels[-1] = levels[-1][1], levels[-1][1]
        else:
            held, refused = _read(word.removeprefix("el"), said), levels[-1][1]
            levels[-1] = (*refused, *held), (*refused, *_negate(held))
        rows.append((line + 1 + text.count(b"\n", at, found.end()), _write(levels)))
    return rows


def _write(levels: list[tuple[Conditions, Conditions]]) -> str:
    held = (one for level in levels[:MAX_DEPTH] for one in level[0])
    return ";".join(dict.fromkeys(held))


def _read(word: str, said: str) -> Conditions:
    """Return the conditions of a directive, all of which must hold."""
    text = " ".join(_NO_TEXT.sub(" ", said).replace(";", " ").split())
    if word != "if":
        name = text.partition(" ")[0]
        return (f"{'!' if word == 'ifndef' else ''}defined({name})",) if name else ()
    text = _DEFINED.sub(r"defined(\1\2)", text).replace("! ", "!")[:MAX_BYTES]
    flat = text
    while _IN_BRACKETS.search(flat):
        flat = _IN_BRACKETS.sub(lambda found: "_" * len(found.group()), flat)
    if "||" in flat or "?" in flat or "(" in flat or ")" in flat:
        return (text,) if text else ()
    pieces, at = [], 0
    for piece in flat.split("&&"):
        pieces.append(text[at : at + len(piece)].strip())
        at += len(piece) + 2
    return tuple(one for one in pieces if one)


def _negate(conditions: Conditions) -> Conditions:
    """Return the negation of the conjunction of conditions; none for none."""
    simple = _ONE.fullmatch(conditions[0]) if len(conditions) == 1 else None
    if simple is not None:
        return (simple.group(2) if simple.group(1) else f"!{simple.group(2)}",)
    return (f"!({' && '.join(conditions)})",) if conditions else ()


def _is_guard(held: Conditions, text: bytes, end: int) -> bool:
    """Return whether a condition tests a name that the next line defines: an include guard."""
    asked = _GUARD.fullmatch(held[0]) if len(held) == 1 else None
    found = next((one for one in _NEXT.finditer(text, end) if one.group(1) or one.group(2)), None)
    return asked is not None and found is not None and found.group(1) == asked.group(1).encode()
