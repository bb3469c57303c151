"""Read the types of parameters, as they are written in the list of a declaration."""

from __future__ import annotations

import re

from repo_mcp.languages.treesitter.written_lists import split_signature

_LAST_NAME = re.compile(r"\w+\s*$")
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
        types.append(behind[0].strip() if behind and before.strip() else _LAST_NAME.sub("", text).strip())
    return types


def is_type_parameter(plain: str) -> bool:
    """Return whether the plain text of a type looks like a type parameter: `T`, `TKey`, `T[]`."""
    return _TYPE_PARAMETER.fullmatch(plain.strip("&*[]")) is not None


def list_plain_types(parameters: str, language: str) -> list[str]:
    """Return the types of parameters of Java or C#, made plain, without annotations and attributes."""
    found = [make_plain(one) for one in list_types(_ATTRIBUTE.sub("", parameters))]
    return [_NAMES.get(one, one) for one in found] if language == "csharp" else found


def make_plain(text: str) -> str:
    """Return a type without qualifiers, type arguments and modifiers."""
    while (shorter := _ASIDE.sub("", text)) != text:
        text = shorter
    return _SPACES.sub("", text).replace("...", "[]")
