"""Spells what macros of C declare with a type, or with code, as C, byte for byte.

`DEFINE_PER_CPU(struct queue, queues);` is `struct queue queues;`, as only a type can stand before the comma.
`TRACE_EVENT(name, TP_PROTO(int a), TP_ARGS(a), TP_fast_assign(code), TP_printk("%d", a));` becomes
`TRACE_EVENT(name) { int a; code; TP_printk("%d", a); }`, so that its code is read. Every name keeps its
offset.
"""

from __future__ import annotations

import re

from repo_mcp.languages.treesitter.blanking import blank

MAX_EVENT_BYTES = 20_000
MAX_DEPTH = 40  # of brackets in an event
_BASIC = rb"(?:unsigned|signed|int|long|short|char|bool|void|float|double|[a-z_]\w*_t|[su](?:8|16|32|64))"
_IS_TYPE = re.compile(
    rb"(?:(?:const[ \t]++)?(?:(?:struct|union|enum)[ \t]++\w++|%s\b)|\w++[ \t]*+\*)" % _BASIC
)
_TYPED = re.compile(
    rb"\n(?<!\\\n)((?:static[ \t]++)?)((?:DEFINE|DECLARE)_[A-Z0-9_]++\()[ \t]*+(\w[\w \t]*+[ \t*]*+)"
    rb"(,)[ \t\n]*+\w++[ \t]*+(?:\[[^\[\]\n]*\][ \t]*+){0,4}(\))(?=[ \t]*+[;=])"
)
_EVENT = re.compile(
    rb"\n(?<!\\\n)(?:TRACE_EVENT|DEFINE_EVENT|DECLARE_(?:EVENT_CLASS|TRACE))(?:_[A-Z_]++)?\("
    rb"(?:[ \t\n]*+\w++[ \t\n]*+,)?[ \t\n]*+\w++[ \t\n]*+(,)[ \t\n]*+TP_PROTO\("
)
_SIGN = re.compile(rb"[(),;]|\"(?:[^\"\\\n]|\\.)*\"")
_PART = re.compile(rb"[ \t\n]*+(\w++)\(")
_CODE = b"TP_fast_assign"
_KEPT = frozenset({b"TP_printk"})


def spell_typed(text: bytes) -> bytes:
    """Return a text, which begins with a line feed, at the same length, with C in place of such macros."""
    return _TYPED.sub(_spell_variable, text) if b"DEFINE_" in text or b"DECLARE_" in text else text


def _spell_variable(found: re.Match[bytes]) -> bytes:
    """Return `type name` for a macro that is given both, behind `extern` if the macro says DECLARE.

    A plain word is taken for a type only if the macro is one for variables of each processor.
    """
    if _IS_TYPE.match(found[3]) is None and b"PER_CPU" not in found[2]:
        return found[0]
    whole, offset = bytearray(found[0]), found.start()
    head = b"" if found[1] else b"extern" if found[2].startswith(b"DECLARE") else b"const"  # in column 0
    for group, written in ((2, head.ljust(len(found[2]))), (4, b" "), (5, b" ")):
        whole[found.start(group) - offset : found.end(group) - offset] = written
    return bytes(whole)


def spell_events(text: bytes) -> bytes:
    """Return a text, which begins with a line feed, at the same length, with C in place of events."""
    if b"TP_PROTO(" not in text:
        return text
    changed = bytearray(text)
    for found in _EVENT.finditer(text):
        parts = _list_parts(text, found.end(1))
        if not parts:
            continue
        changed[found.start(1)] = ord(")")
        for start, end in parts:
            _spell_part(changed, text, start, end)
        first, last = _PART.match(text, parts[0][0]), parts[-1][1]
        assert first is not None
        changed[first.end() - 2 : first.end()] = b";{"
        if text[last + 1 : last + 2] == b";":  # the last statement may lack one
            changed[last : last + 2] = b";}"
        else:
            changed[last] = ord("}")
    return bytes(changed)


def find_event_end(text: bytes, start: int) -> int:
    """Return the offset behind the bracket that closes an event whose arguments begin at one; 0 if none."""
    parts = _list_parts(text, start)
    return parts[-1][1] + 1 if parts else 0


def _list_parts(text: bytes, start: int) -> list[tuple[int, int]]:
    """Return the offsets of the arguments of an event from one on; nothing if they have no end."""
    found: list[tuple[int, int]] = []
    depth = 1
    for sign in _SIGN.finditer(text, start, start + MAX_EVENT_BYTES):
        depth += {b"(": 1, b")": -1}.get(sign[0], 0)
        if not depth:
            return [*found, (start, sign.start())]
        if depth > MAX_DEPTH:
            break
        if depth == 1 and sign[0] == b",":
            found.append((start, sign.start()))
            start = sign.end()
    return []


def _spell_part(changed: bytearray, text: bytes, start: int, end: int) -> None:
    """Spell one argument, and the comma or bracket behind it."""
    named = _PART.match(text, start, end)
    word = named[1] if named is not None else b""
    if named is None or word in _KEPT:
        changed[end] = ord(";")
        return
    changed[end] = ord(" ")
    closing = text.rfind(b")", start, end)
    if word in (b"TP_PROTO", _CODE):
        changed[start : named.end()] = blank(text[start : named.end()])
        changed[closing] = ord(";")
        if word != _CODE:
            _separate(changed, text, named.end(), closing)
    else:
        changed[start:end] = blank(text[start:end])


def _separate(changed: bytearray, text: bytes, start: int, end: int) -> None:
    """Turn the commas between parameters into semicolons."""
    depth = 0
    for sign in _SIGN.finditer(text, start, end):
        depth += {b"(": 1, b")": -1}.get(sign[0], 0)
        if not depth and sign[0] == b",":
            changed[sign.start()] = ord(";")
