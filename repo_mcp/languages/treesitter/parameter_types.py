"""Read the types of parameters, as they are written in the list of a declaration."""

from __future__ import annotations

import re

from repo_mcp.languages.treesitter.written_lists import split_signature

_LAST_NAME = re.compile(r"\w+\s*$")
_ASIDE = re.compile(
    r"<[^<>]*>|@\w+(?:\([^()]*\))?|\b(?:final|const|ref|out|in|this|params|struct|class)\b|[\w.:]*(?:\.|::)(?=\w)|\?"
)
_SPACES = re.compile(r"\s+")
_TYPE_PARAMETER = re.compile(r"[A-Z][A-Z0-9]*|T[A-Z]\w*|This|Self")
_NAMES = {"String": "string", "Object": "object", "Boolean": "bool", "Int32": "int", "Int64": "long"}  # of C#


def list_types(parameters: str) -> list[str]:
    """Return the types in a written parameter list: the text after a colon, or before the name."""
    types = []
    for one in split_signature(parameters).parameters:
        text = one.partition("=")[0].strip()
        before, colon, behind = text.partition(":")
        types.append(behind.strip() if colon and before.strip() else _LAST_NAME.sub("", text).strip())
    return types


def is_type_parameter(plain: str) -> bool:
    """Return whether the plain text of a type looks like a type parameter: `T`, `TKey`, `T[]`."""
    return _TYPE_PARAMETER.fullmatch(plain.strip("&*[]")) is not None


def list_plain_types(parameters: str, language: str) -> list[str]:
    """Return the types of parameters without qualifiers, type arguments, modifiers and annotations."""
    found = []
    for text in list_types(parameters):
        plain = text
        while (shorter := _ASIDE.sub("", plain)) != plain:
            plain = shorter
        plain = _SPACES.sub("", plain).replace("...", "[]")
        found.append(_NAMES.get(plain, plain) if language == "csharp" else plain)
    return found
