"""Replaces syntax that the grammar of Swift lacks by other words, byte for byte.

The grammar has no empty tuple as a value, `promise.succeed(())`, no `fallthrough` before `#else`, no `#if` as
the first line of a `switch`, no function with an attribute in a body, no `sending`, no `nonisolated(unsafe)
var` in a body, no `#warning` or `#error` among members, no `$` within a name, `_$id`, no second type of an
`associatedtype`, no `where` after a `typealias`, and no `A? == B` in a `where`. In `catch let error as A
where error.code == .full {` it takes the block for an argument of `.full`. Most of these can cost it a whole
file. Names keep their offsets, and are read from the original text; only `.full` and the `where` of a
`typealias` are lost.

A line may be a megabyte long, so what stands between two words of a pattern is possessive or has a limit.
"""

from __future__ import annotations

import re

from repo_mcp.languages.treesitter.blanking import blank_group

_EMPTY_TUPLES = re.compile(
    rb"(?<=\()\(\)(?=\)(?!\s*+(?:->|async\b|throws\b)))"
    rb"|(?<=\breturn )\(\)(?=\s*+[\n}])|(?<=\bin )\(\)(?=\s*+\})"
    rb"|(?<=[:{]\n)([ \t]++)\(\)(?=[ \t]*+(?://[^\n]*+)?\n)"
    rb"|(?<=\n)([ \t]++//[^\n]*+\n[ \t]++)\(\)(?=[ \t]*+\n)"
)
_FALLTHROUGHS = re.compile(rb"(?<=\n)([ \t]*+)fallthrough(?=[ \t]*+\n)")
_BEGUN_SWITCHES = re.compile(rb"\bswitch\b[^\n{}]{0,400}+\{[ \t]*+\n([ \t]*+#if[^\n]*+)")
_FUNCTION_ATTRIBUTES = re.compile(rb"\n[ \t]++(@Sendable|@MainActor)(?=[ \t]++func\b)")
_CATCHES = re.compile(
    rb"\bcatch[ \t]++let[ \t]++\w++[ \t]++as[ \t]++[\w.]++[ \t]++where\b"
    rb"[^\n{}]{0,200}?([=!]=[ \t]*+\.\w++)(?=[ \t]*+\{)"
)
_UNSAFE_VARIABLES = re.compile(
    rb"\b(nonisolated\(unsafe\))(?=[ \t]++(?:(?:weak|unowned|lazy)[ \t]++)?(?:var|let)\b)"
)
_DOLLARS_WITHIN = re.compile(rb"(?<=\w)\$(?=\w)")
_ASSOCIATED = re.compile(rb"\bassociatedtype[ \t]++\w++[ \t]*+:[\w \t.<>]*+,[\w \t.,<>]*+")
_WHERE = re.compile(rb"\bwhere\b")
_ALIASES_WHERE = re.compile(
    rb"\btypealias\b[^\n={}]{0,200}+=[^\n{}]{0,400}?"
    rb"(?:[ \t]|\n\s{0,200}+)(where\b[^\n{},]*+(?:,\s*+[^\n{},]++){0,20})"
)
_OPTIONALS_EQUAL = re.compile(rb"(?<=\w)(\?)(?=[ \t]++==[ \t]++[A-Z])")
_SENDING = re.compile(rb"(?:->|:)[ \t]++(sending)(?=[ \t]++[A-Z\[(@a-z])")


_NOTES = re.compile(rb"(?<=\n)([ \t]*+#(?:warning|error)\(\"[^\"\\\n]*+\"\))(?=[ \t]*+(?://[^\n]*+)?\n)")


def spell_plainly(text: bytes) -> bytes:
    """Return a text, at the same length, in words that the grammar knows."""
    if b"()" in text:
        text = _EMPTY_TUPLES.sub(lambda found: (found[1] or found[2] or b"") + b"[]", text)
    if b"fallthrough" in text:
        text = _FALLTHROUGHS.sub(lambda found: found[1] + b"break".ljust(len(b"fallthrough")), text)
    if b"#if" in text:
        text = _BEGUN_SWITCHES.sub(blank_group, text)
    if b"#warning(" in text or b"#error(" in text:
        text = _NOTES.sub(blank_group, text)
    if b" func" in text:
        text = _FUNCTION_ATTRIBUTES.sub(blank_group, text)
    if b" where " in text:
        text = _CATCHES.sub(blank_group, text)
    return _write_plain_types(text)


def _write_plain_types(text: bytes) -> bytes:
    if b"typealias" in text:
        text = _ALIASES_WHERE.sub(blank_group, text)
    if b"associatedtype" in text:
        text = _ASSOCIATED.sub(_join_associated, text)
    if b"? ==" in text:
        text = _OPTIONALS_EQUAL.sub(blank_group, text)
    if b"nonisolated(unsafe)" in text:
        text = _UNSAFE_VARIABLES.sub(blank_group, text)
    if b"$" in text:
        text = _DOLLARS_WITHIN.sub(b"_", text)
    return _SENDING.sub(blank_group, text) if b"sending " in text else text


def _join_associated(found: re.Match[bytes]) -> bytes:
    """Return `associatedtype A: B & C` for `associatedtype A: B, C`; a `where` after it stays."""
    parts = _WHERE.split(found[0], maxsplit=1)
    return b"where".join([parts[0].replace(b",", b"&"), *parts[1:]])
