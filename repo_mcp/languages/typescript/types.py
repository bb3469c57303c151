"""Written TypeScript types, reduced to the one type whose members a value, or each of its items, has.

Wrappers that pass members on (`Promise`, `Readonly`, ...) are looked through: an awaited value's members are
used more often than the promise's. Unions of more than one type, literals and functions name no type.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = re.compile(r"(?:typeof\s+)?([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*")
_SEEN_THROUGH = frozenset(
    re.findall(
        r"\w+",
        "Promise PromiseLike Awaited Readonly Partial Required NonNullable DeepPartial Mutable"
        " Writable Omit Pick Exclude Extract NoInfer Ref ShallowRef ComputedRef MutableRefObject"
        " RefObject",
    )
)
_CONTAINERS = frozenset(
    re.findall(
        r"\w+",
        "Array ReadonlyArray Set ReadonlySet Iterable AsyncIterable IterableIterator Iterator"
        " Generator AsyncGenerator ArrayLike",
    )
)
_NOTHING = frozenset(
    re.findall(
        r"\w+",
        "any unknown never void null undefined string number boolean bigint symbol object true false this",
    )
)
_MEMBER_TYPE = re.compile(r"([A-Za-z_$][\w$.]*)\[[\"']([\w$]+)[\"']\]")
_CLOSERS = {"<": ">", "(": ")", "[": "]", "{": "}"}
MAX_STEPS = 6


class TypeName(NamedTuple):
    """A type that has members: `qualifier.name`."""

    name: str = ""  # empty: the type is not known
    qualifier: str = ""
    is_items: bool = False  # it is the type of the items


def read_type(text: str) -> TypeName:
    """Return the type that a text names, after ":" or without it; empty when it is not known."""
    text = text.strip().removeprefix(":").strip()
    is_items = False
    for _ in range(MAX_STEPS):
        text = _strip_empty(text.removeprefix("readonly "))
        if text.endswith("[]"):
            if is_items:
                return TypeName()
            text, is_items = text[:-2], True
            continue
        member = _MEMBER_TYPE.fullmatch(text)
        if member is not None:
            return TypeName(member[2], member[1], is_items)
        found = _NAME.match(text)
        if found is None or found[1] in _NOTHING:
            return TypeName()
        name, rest = found[1], text[found.end() :]
        if rest.startswith("<") and rest.endswith(">") and "." not in name:
            inner = split_type(rest[1:-1], ",")
            if name in _SEEN_THROUGH and inner:
                text = inner[0]
                continue
            if name in _CONTAINERS and inner and not is_items:
                text, is_items = inner[0], True
                continue
        elif rest:
            return TypeName()
        qualifier, _, name = name.rpartition(".")
        return TypeName(name, qualifier, is_items)
    return TypeName()


def _strip_empty(text: str) -> str:
    """Return a type without outer parentheses; of a union, its type with members if there is only one."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")") and "=>" not in text:
        text = text[1:-1].strip()
    if "|" in text:
        kept = [part.strip() for part in split_type(text, "|") if part.strip()]
        kept = [part for part in kept if part not in _NOTHING]
        text = kept[0] if len(kept) == 1 else text
    return text


def split_type(text: str, separator: str) -> list[str]:
    """Return the parts between separators outside brackets."""
    if separator not in text:
        return [text]
    parts, start, depth = [], 0, 0
    for at, char in enumerate(text):
        if char in _CLOSERS:
            depth += 1
        elif char in ")]}" or (char == ">" and text[at - 1 : at] != "="):
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
