"""Respells C++ that the grammar misreads, most of it no macro, byte for byte.

`enable_if<sizeof(T) >= 4>`, `typename Table::key(1)`, `using typename Base::key;`, `enum : char {`, a type
as the argument of a macro, `ANY_DECLVAL(T&&)`, and a macro behind the sign of a pointer each cost the grammar
the declaration around them, sometimes all that follow up to the end of the namespace. Only bytes that name
nothing are replaced.
"""

from __future__ import annotations

import re

from repo_mcp.languages.treesitter.blanking import blank_group

MAX_LINE_BYTES = 300  # between a type and the sign of a pointer

# The grammar takes the first sign of `>=` for the end of a list of template arguments.
_AT_LEAST = re.compile(rb" >= (?<!operator >= )")
_ARGUMENTS = rb"(?:<[^<>;{}()]*+>)?"
# A value of a type that depends on a parameter, and what a class takes over from such a base.
_TYPENAMES = re.compile(
    rb"(typename)(?:(?<=[\s({,!&|+*/-]typename)[ \t\n]++"
    rb"(?=(?:\w++%s::(?:template )?){1,6}\w++%s[({])|(?<=using typename)[ \t])" % (_ARGUMENTS, _ARGUMENTS)
)
_UNNAMED = re.compile(rb"enum(?<!\wenum)[ \t]*+(:[^;{}()]{1,60})(?=\{)")
_TYPE_ARGUMENTS = re.compile(
    rb"[A-Z](?<!\w[A-Z])[A-Z0-9_]{2,}+\([\w:]++%s((?:[ \t]++const)?[ \t]*+[&*]{1,2})(?=\))" % _ARGUMENTS
)
# After the sign of a pointer, before what it declares: `Table* ANY_NULLABLE find(int key);`
_POINTED = re.compile(
    rb"[*&][*&]?+[ \t\n]++([A-Z][A-Z0-9]*_[A-Z0-9_]++)[ \t\n]++"
    rb"(?=(?!(?:and|or|xor)\b)[A-Za-z_][\w:]*+[ \t]*+[(),;={\[])"
)
_TYPE_END = re.compile(rb"[\w>]")


def respell(text: bytes) -> bytes:
    """Return a C++ text with such places respelt, at the same length."""
    text = _AT_LEAST.sub(b" == ", text)
    if b"typename" in text:
        text = _TYPENAMES.sub(blank_group, text)
    if b"enum" in text:
        text = _UNNAMED.sub(blank_group, text)
    return _POINTED.sub(_blank_pointed, _TYPE_ARGUMENTS.sub(blank_group, text))


def _blank_pointed(found: re.Match[bytes]) -> bytes:
    before = found.string[max(0, found.start() - MAX_LINE_BYTES) : found.start()].rstrip(b" \t")
    return blank_group(found) if before and _TYPE_END.match(before, len(before) - 1) else found[0]
