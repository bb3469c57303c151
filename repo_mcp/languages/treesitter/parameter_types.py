"""Reads the written types of the parameters in the list of a declaration."""

from __future__ import annotations

import re

from repo_mcp.languages.treesitter.written_lists import split_signature

_LAST_NAME = re.compile(r"\w+\s*$")
_BEFORE_BRACKETS = re.compile(r"(?<=[\w>\]])\s+\w+((?:\s*\[\s*\])+)$")  # `a` in `int a[]` of Java
_OF_TUPLE = re.compile(r"(?<=[\w>\])?])\s+\w+(?=\s*[,)])")  # `a` in `(int a, T b)` of C#
_WORD = re.compile(r"\w+")
_ATTRIBUTE = re.compile(r"@[\w.]+(?:\([^()]*\))?|(?<=[(,])\s*\[[^\[\]]*\]")  # of Java; of C#
_COLON = re.compile(r"(?<!:):(?!:)")
_ASIDE = re.compile(
    r"<[^<>]*>|\b(?:final|ref|out|in|this|params|readonly|scoped)\b|[\w.:]*(?:\.|::)(?=\w)|\?"
)
_SPACES = re.compile(r"\s+")
_TYPE_PARAMETER = re.compile(r"[A-Z][A-Z0-9]*|T[A-Z]\w*|This|Self")
_NAMES = {"String": "string", "Object": "object", "Boolean": "bool", "Int32": "int", "Int64": "long"}  # of C#


def list_types(parameters: str) -> list[str]:
    """Return the types in a written parameter list: the text after a colon, or before the name."""
    types = []
    for one in split_signature(parameters).parameters:
        text = one.partition("=")[0].strip()
        before, *behind = _COLON.split(text, maxsplit=1)
        if behind and before.strip():
            types.append(behind[0].strip())
        else:
            types.append(_LAST_NAME.sub("", _BEFORE_BRACKETS.sub(r"\1", text)).strip())
    return types


def is_type_parameter(plain: str) -> bool:
    """Return whether the plain text of a type looks like a type parameter: `T`, `TKey`, `T[]`."""
    return _TYPE_PARAMETER.fullmatch(plain.strip("&*[]")) is not None


def list_plain_types(parameters: str, language: str) -> list[str]:
    """Return the types of parameters of Java or C#, made plain, without annotations and attributes."""
    types = list_types(_ATTRIBUTE.sub("", parameters))
    if language != "csharp":
        return [make_plain(one) for one in types]
    found = [make_plain(_OF_TUPLE.sub("", one)) for one in types]
    return [_WORD.sub(lambda word: _NAMES.get(word[0], word[0]), one) for one in found]


def make_plain(text: str) -> str:
    """Return a type without qualifiers, type arguments and modifiers."""
    while (shorter := _ASIDE.sub("", text)) != text:
        text = shorter
    return _SPACES.sub("", text).replace("...", "[]")
