"""Spells what macros of C++ declare as declarations, byte for byte.

`MOCK_METHOD(int, size, (), (const, override));` declares a method, as `MOCK_METHOD0(size, int());` did
before, and `ANY_DEFINE_CPO(size_fn, size)` or `ANY_INLINE_VARIABLE(size_fn, size)` an object of a type. Every
name keeps its offset. What replaces a macro begins with a space, so that its name can be found again.

Left out on purpose: macros that make names of their arguments; `declare_by_macro` has those of gflags. The
result of an old MOCK_METHOD0, which stands behind the name, is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from repo_mcp.languages.treesitter.blanking import blank

MAX_MOCK_BYTES = 1_000  # of the arguments of one macro
MAX_ARGUMENTS, MAX_DEPTH = 4, 8  # of these arguments, and of brackets in them
MAX_GAP_BYTES = 40  # between an argument and the bracket or comma before it
_MOCKS = re.compile(rb"\n[ \t]*+MOCK_(?:CONST_)?METHOD(\d*+)(?:_T)?\(")
_MARKS = re.compile(rb"[(),]")
_SPECIFIERS = re.compile(rb"\b(?:const|noexcept|override|final)\b")
# A type and a name as the only arguments, on lines of their own
_OBJECTS = re.compile(
    rb"\n[ \t]*+([A-Z][A-Z0-9]*_[A-Z0-9_]++\()[ \t\n]*+(?:\w++::){0,6}(\w++)[ \t\n]*+(,)[ \t\n]*+[a-z_]\w*+"
    rb"[ \t\n]*+(\))[ \t]*+(?=;?[ \t]*+\n)"
)
_OF_OBJECTS = re.compile(rb"_(?:CPO|OBJECT|VAR|VARIABLE)\(\Z")
_TYPES = re.compile(rb"\b(?:struct|class|using)[ \t]++(\w++)")
_DEFINING = re.compile(rb"(?:\A|_)DEFINE(?!_TYPE)[_(]")


class _Argument(NamedTuple):
    """The offsets of one argument of a macro, without the commas around it."""

    start: int
    end: int


def spell_declared(text: bytes) -> bytes:
    """Return a C++ text, at the same length, with declarations in place of those macros."""
    if b"MOCK_" in text:
        text = _spell_mocks(text)
    if _OBJECTS.search(text) is None:
        return text
    return _OBJECTS.sub(partial(_spell_object, frozenset(_TYPES.findall(text))), text)


def _spell_object(declared: frozenset[bytes], found: re.Match[bytes]) -> bytes:
    """Return `type name;` for a macro that says that it declares an object, or is given a declared type."""
    macro = found[1]
    if _OF_OBJECTS.search(macro) is None and (_DEFINING.search(macro) is None or found[2] not in declared):
        return found[0]
    whole, offset = bytearray(found[0]), found.start()
    for group, written in ((1, blank(macro)), (3, b" "), (4, b";")):
        whole[found.start(group) - offset : found.end(group) - offset] = written
    return bytes(whole)


def _spell_mocks(text: bytes) -> bytes:
    changed = bytearray(text)
    for found in _MOCKS.finditer(text):
        *arguments, end = _split_arguments(text, found.end()) or [_Argument(0, 0)]
        is_old = bool(found[1])
        if len(arguments) not in ((2,) if is_old else (3, 4)):
            continue
        kept = _list_kept_of_old(text, arguments) if is_old else _list_kept(text, arguments)
        start = found.start() + 1
        changed[start : end.end] = blank(text[start : end.end])
        for start, stop in kept:
            changed[start:stop] = text[start:stop]
    return bytes(changed)


def _split_arguments(text: bytes, start: int) -> list[_Argument]:
    """Return the arguments from an offset on, and the bracket behind them; nothing if they have no end."""
    found: list[_Argument] = []
    depth = 1
    for mark in _MARKS.finditer(text, start, start + MAX_MOCK_BYTES):
        depth += {b"(": 1, b")": -1}.get(mark[0], 0)
        if depth > MAX_DEPTH or len(found) == MAX_ARGUMENTS:
            break
        if not depth:
            return [*found, _Argument(start, mark.start()), _Argument(mark.start(), mark.end())]
        if depth == 1 and mark[0] == b",":
            found.append(_Argument(start, mark.start()))
            start = mark.end()
    return []


def _list_kept(text: bytes, arguments: Sequence[_Argument]) -> list[_Argument]:
    """Return the parts that stay of `int, size, (), (const)`; a type may have brackets around it."""
    result, name, parameters, *specifiers = arguments
    inside = result
    if text[result.start : result.end].strip()[:1] == b"(":
        opening, closing = text.index(b"(", result.start), text.rindex(b")", result.start, result.end)
        inside = _Argument(opening + 1, closing)
    words = (found.span() for one in specifiers for found in _SPECIFIERS.finditer(text, one.start, one.end))
    return [inside, name, *_list_plain(text, parameters), *(_Argument(*span) for span in words)]


def _list_plain(text: bytes, parameters: _Argument) -> list[_Argument]:
    """Return the parts of a list of parameters that are no brackets around a type in it."""
    kept: list[_Argument] = []
    around: list[bool] = []  # whether each open bracket is one around a type
    start = parameters.start
    for mark in _MARKS.finditer(text, parameters.start, parameters.end):
        if mark[0] == b"(":
            before = text[max(parameters.start, mark.start() - MAX_GAP_BYTES) : mark.start()].rstrip()
            is_extra = bool(around) and before[-1:] in (b"(", b",")
            around.append(is_extra)
        elif mark[0] == b")":
            is_extra = bool(around) and around.pop()
        else:
            continue
        if is_extra:
            kept.append(_Argument(start, mark.start()))
            start = mark.end()
    return [*kept, _Argument(start, parameters.end)]


def _list_kept_of_old(text: bytes, arguments: Sequence[_Argument]) -> list[_Argument]:
    """Return the parts that stay of `size, int()`: the name and the parameters."""
    name, written = arguments
    opening, depth = written.start, 0
    for mark in _MARKS.finditer(text, written.start, written.end):
        if mark[0] == b"(" and not depth:
            opening = mark.start()
        depth += {b"(": 1, b")": -1}.get(mark[0], 0)
    return [name, _Argument(opening, written.end)]
