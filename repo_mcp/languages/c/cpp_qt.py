"""Replaces the words that Qt adds to C++ by words that the grammar knows, byte for byte.

`signals:` and `public slots:` in a class, `emit changed(1);`, `foreach (const Item &one, items) {`, `forever
{`, `Q_PROPERTY(int size READ size)`, `Q_D(Store);` and the types in `Q_ARG(int, 1)` and
`SIGNAL(changed(int))` each cost the grammar a statement, and in a header mostly the rest of the class.

The argument of SIGNAL or SLOT stays as the use of a name if it belongs to the object itself: after `this,` or
after another SIGNAL. Otherwise it is a member of a value whose type the macro does not name, and is blanked.
"""

from __future__ import annotations

import re

from repo_mcp.languages.treesitter.blanking import blank, blank_group, blank_match

MAX_BEFORE = 60  # bytes before a macro that are searched
_NO_MACRO = b"\t"  # there, words in capitals such as READ are no macros

_WORDS = (
    b"emit",
    b"slots",
    b"signals",
    b"SIGNAL",
    b"SLOT",
    b"foreach",
    b"FOREACH",
    b"forever",
    b"Q_",
    b"EMIT",
)
_SLOTS = re.compile(rb"\n[ \t]*+(?:public|protected|private)[ \t]++(slots|Q_SLOTS)(?=[ \t]*+:(?!:))")
_SIGNALS = re.compile(rb"\n[ \t]*+(signals|Q_SIGNALS)(?=[ \t]*+:(?!:))")
_EMIT = re.compile(rb"(?<![\w.>:\"#])(?:emit|Q_EMIT)(?=[ \t]++(?:[A-Za-z_]|::))")  # but not `bool emit : 1;`
_EACH = re.compile(
    rb"(?<![\w.>:])(?:BOOST_FOREACH|Q_FOREACH|foreach)(?=[ \t]*+\()"
    rb"([ \t]*+\([ \t]*+(?:const[ \t]++)?[\w:]++"
    rb"(?:<[^<>();{}]*+(?:<[^<>();{}]*+>[^<>();{}]*+)?>)?[ \t*&]++\w++[ \t]*+),"
)
_FOREVER = re.compile(rb"(?<![\w.>:])(?:Q_FOREVER|forever)(?=[ \t\n]*+\{)")
# Before a function or variable: its type, on the same line, or above a name in the first column.
_TYPE_BEFORE = re.compile(rb"[\w*&>](?<!\belse)(?<!\bdo)[ \t]*\n?\Z|[*&]\Z")
_CONNECTED = re.compile(rb"\b(?:SIGNAL|SLOT)\([ \t\n]*+(\w++)([ \t]*+\([^()]*+\)[ \t\n]*+)\)")
_PROPERTY = re.compile(rb"\n[ \t]*+(Q_PROPERTY\((?:[^();{}]|\([^();{}]{0,80}\)){1,600}\)[ \t]*+;?)")
_ARGUMENT = re.compile(
    rb"\bQ_(?:RETURN_)?ARG\(([ \t\n]*+(?:const[ \t]++)?[\w:]++(?:<[^<>();{}]*+>)?[ \t*&]*+,)"
)
_PRIVATE = re.compile(rb"\n[ \t]*+(Q_[DQ]\([ \t]*+(?:const[ \t]++)?[\w:]++[ \t]*+\))(?=[ \t]*+;)")


def spell_qt(text: bytes) -> bytes:
    """Return a C++ text, at the same length, in which the grammar knows those words."""
    if not any(one in text for one in _WORDS):
        return text
    text = _SLOTS.sub(blank_group, text)
    if b"Q_" in text:
        text = _SIGNALS.sub(_make_public, _PRIVATE.sub(blank_group, text))
        text = _ARGUMENT.sub(_take_out, _PROPERTY.sub(_take_out, text))
    text = _FOREVER.sub(_make_endless, _EACH.sub(_make_loop, _EMIT.sub(blank_match, text)))
    return _name_connected(text) if b"SIGNAL(" in text or b"SLOT(" in text else text


def _make_public(found: re.Match[bytes]) -> bytes:
    return found[0][: -len(found[1])] + b"public".rjust(len(found[1]))


def _take_out(found: re.Match[bytes]) -> bytes:
    return blank_group(found, filler=_NO_MACRO)


def _make_loop(found: re.Match[bytes]) -> bytes:
    """Return the head of a loop over values, `for (const Item &one: items`, up to its comma.

    A function of that name stays.
    """
    if is_declared(found.string, found.start()):
        return found[0]
    name = found[0][: found.start(1) - found.start()]
    return b"for".rjust(len(name)) + found[1] + b":"


def _make_endless(found: re.Match[bytes]) -> bytes:
    """Return `for(;;)`; a variable of that name, with its value in braces, stays."""
    return found[0] if is_declared(found.string, found.start()) else b"for(;;)".rjust(len(found[0]))


def is_declared(text: bytes, at: int) -> bool:
    """Return whether a type stands before a name, so that it is that of a function or a variable."""
    return _TYPE_BEFORE.search(text, max(0, at - MAX_BEFORE), at) is not None


def _name_connected(text: bytes) -> bytes:
    """Return the text in which only the bare names that SIGNAL and SLOT are given are left, or nothing."""
    changed = bytearray(text)
    end = 0
    for found in _CONNECTED.finditer(text):
        before = text[max(0, found.start() - MAX_BEFORE) : found.start()].rstrip()
        is_behind = bool(end) and text[end : found.start()].strip() == b","
        group = 2 if before.endswith(b"this,") or is_behind else 0
        start = found.start(group) if group else found.start(1)
        stop = found.end(2)
        changed[start:stop] = blank(text[start:stop], _NO_MACRO)
        end = found.end()
    return bytes(changed)
