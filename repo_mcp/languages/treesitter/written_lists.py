"""Lists as written in source: parameters, type parameters, arguments."""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<skipped>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'|[=-]>)|[(\[{<]|(?P<closing>[)\]}>])|,"""
)

_OPENING = re.compile(r"([^(\[]*)([(\[]?)(.*)", re.DOTALL)


class Signature(NamedTuple):
    """The parameters of a method."""

    type_parameters: list[str]
    parameters: list[str]


def split_list(text: str) -> list[str]:
    """Return the parts between commas outside brackets and strings; an empty list for blank text."""
    parts, depth, start = [], 0, 0
    for found in _TOKEN.finditer(text):
        if found["skipped"]:
            continue
        if found[0] != ",":
            depth += -1 if found["closing"] else 1
        elif depth == 0:
            parts.append(text[start : found.start()].strip())
            start = found.end()
    last = text[start:].strip()
    return [*parts, last] if parts or last else []


def split_signature(text: str) -> Signature:
    """Return the parts of "(int a, int b)", of "<T>(T a)", or of "[int a]"."""
    types, opening, rest = _OPENING.fullmatch(text.strip()).groups()  # type: ignore[union-attr]  # fits all
    parameters = split_list(rest.removesuffix(")" if opening == "(" else "]"))
    return Signature(split_list(types.strip().removeprefix("<").removesuffix(">")), parameters)


def read_only_argument(text: str, name: str) -> str:
    """Return the only type argument, besides lifetimes, that Rust code gives a name; "" for several."""
    _, opening, rest = text.partition(f"{name}<")
    types = [one for one in split_list(rest.rpartition(">")[0]) if not one.startswith("'")] if opening else []
    return types[0] if len(types) == 1 else ""
