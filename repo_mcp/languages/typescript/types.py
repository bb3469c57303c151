"""Written TypeScript types, reduced to the one type whose members a value, or each of its items, has.

Wrappers that pass members on (`Promise`, `Readonly`, ...) are treated as their type argument: the members of
an awaited value are used more often than those of the promise. Unions of more than one type, literals and
functions name no type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

_NAME = re.compile(
    r"(?:typeof\s+)?((?:import\(\s*[\"'][^\"'\n]+[\"']\s*\)|[A-Za-z_$][\w$]*)(?:\.[A-Za-z_$][\w$]*)*)\s*"
)
WHOLE = "export="  # the module itself, in CommonJS
SEEN_THROUGH = frozenset(
    re.findall(
        r"\w+",
        "Promise PromiseLike Awaited Readonly Partial Required NonNullable DeepPartial Mutable"
        " Writable Omit Pick Exclude Extract NoInfer",
    )
)
_CONTAINERS = frozenset(
    re.findall(
        r"\w+",
        "Array ReadonlyArray Set ReadonlySet Iterable AsyncIterable IterableIterator Iterator"
        " Generator AsyncGenerator ArrayLike",
    )
)
# types whose items are of their second type argument
_KEYED = frozenset({"Map", "ReadonlyMap", "WeakMap", "Record"})
_NOTHING = frozenset(
    re.findall(
        r"\w+",
        "any unknown never void null undefined string number boolean bigint symbol object true false this",
    )
)
ANYTHING = frozenset({"any", "unknown"})  # in a union, these stand for the whole of it
MAX_MEMBERS = 24  # of a union
_MEMBER_PART = re.compile(r"\[[\"']([\w$]+)[\"']\]")
_MEMBER_TYPE = re.compile(r"([A-Za-z_$][\w$.]*(?:\[[\"'][\w$]+[\"']\])*)\[[\"']([\w$]+)[\"']\]")
# `{ [key: string]: T }` and `{ [K in Keys]: T }`; and `{ [K in keyof T]?: T[K] }`, with the members of T.
_INDEXED = re.compile(r"\{ (?:[-+]?readonly )?\[[^\]]+\](?:[-+]?\?)?: ([^;{}]*(?:\{[^{}]*\}[^;{}]*)*);? \}")
_SAME_KEYS = re.compile(r"\{ (?:[-+]?readonly )?\[(\w+) in keyof ([\w$]+)\](?:[-+]?\?)?: \2\[\1\];? \}")
# A union as an intersection:
# `(U extends any ? (x: U) => void : never) extends (x: infer I) => void ? I : never`.
_JOINED = re.compile(
    r"\(?\(\s*(\w+) extends (?:any|unknown|\1) \? \(\w+: \1\) => (?:void|any|unknown) : never\s*\)"
    r"\s*extends \(?\(\w+: infer (\w+)\) => (?:void|any|unknown)\)? \? \2"
    r"(?: extends [^?:]+ \? \2 : never)? : never\)?"
)
# At the beginning of a member in the text of an object type: `name:`, `name?:`, `name(` or `name<`.
_MEMBER_START = re.compile(r"(?:(?<=[\s;,])|^)(?:readonly )?([\w$]+)\??(?::|(?=[(<]))")
CUT = "…"  # at the end of a text that was too long for a record
_KEY = re.compile(r"\s*[\"'`]([^\"'`$]*)[\"'`]\s*")
_REST = re.compile(r"(.+)\[\]|(?:Readonly)?Array<(.+)>")  # the type of a parameter that takes the rest
_LABEL = re.compile(r"^[A-Za-z_$][\w$]*\??: ")  # before the type of an item of a tuple
_MAKES = re.compile(r"(?:abstract\s+)?new\b\s*(?=[<(])")  # before a function type: that of a constructor
_LAST_WORD = re.compile(r"[\w$.]*…$")
_BRACKET = re.compile(r"[<>(){}\[\]]")
_BRACKET_OR_SEPARATOR = re.compile(r"[<>(){}\[\]|&,:?]")
_CLOSERS = {"<": ">", "(": ")", "[": "]", "{": "}"}
MAX_STEPS = 6
MAX_CACHED = 4_096  # texts of types


class Limit(NamedTuple):
    """The members that `Pick` keeps, or `Omit` leaves out."""

    keys: tuple[str, ...]
    is_kept: bool


class TypeName(NamedTuple):
    """A type that has members: `qualifier.name`."""

    name: str = ""  # empty: the type is not known
    qualifier: str = ""
    is_items: bool = False  # the value is a list, and this is the type of its items
    type_arguments: tuple[str, ...] = ()
    is_result: bool = False  # the value is the result of a function of this type
    is_open: bool = False  # a condition chooses between this and other types
    is_member: bool = False  # the value is one of the members of this type
    is_keyed: bool = False  # the items are members of any name
    limits: tuple[Limit, ...] = ()  # which members are kept or left out


def read_types(text: str, *, is_items: bool = False, steps: int = 0) -> list[TypeName]:
    """Return the types that a text names.

    These are all members of a union or an intersection, both results of a conditional type, and the item
    types of a list."""
    return list(_read_types(text, is_items, steps))


@lru_cache(maxsize=MAX_CACHED)
def _read_types(text: str, is_items: bool, steps: int) -> Sequence[TypeName]:
    if steps > MAX_STEPS:
        return []
    if text.endswith(CUT):
        return _mark_open(read_types(_close(text), is_items=is_items, steps=steps + 1))
    text = strip_outer(text)
    joined = _JOINED.fullmatch(text) if " infer " in text else None
    if joined is not None:
        return [TypeName(joined[1], "", is_items)]
    several = _read_several(text, is_items, steps)
    if several is not None:
        return several
    if text.endswith("]") and not text.endswith("[]") and (some := _read_indexed(text, is_items, steps)):
        return some
    if text.endswith("[]"):
        return [] if is_items else read_types(text[:-2], is_items=True, steps=steps + 1)
    member = _MEMBER_TYPE.fullmatch(text)
    if member is not None:
        return [TypeName(member[2], _MEMBER_PART.sub(r".\1", member[1]), is_items)]
    keyed = _INDEXED.fullmatch(text) if text.startswith("{") else None
    if keyed is not None and not is_items and _find_close(text) == len(text) - 1:
        same = _SAME_KEYS.fullmatch(text)
        return read_types(same[2], steps=steps + 1) if same else _read_keyed(keyed[1], True, steps)
    return _read_named(text, is_items, steps)


def _read_several(text: str, is_items: bool, steps: int) -> Sequence[TypeName] | None:
    """Return the types of a conditional type, a union or an intersection; None for any other text."""
    if " ? " in text and len(outcomes := split_type(text, "?")) > 1:
        text = "?".join(outcomes[1:])
        return _mark_open(_read_each(split_type(text, ":"), is_items, steps))
    for separator in "|&":
        parts = split_type(text, separator)
        if len(parts) > 1:
            return [] if "=>" in parts[0] else _read_each(parts, is_items, steps)
    return None


def _mark_open(types: Iterable[TypeName]) -> list[TypeName]:
    return [one._replace(is_open=True) for one in types]


def _read_named(text: str, is_items: bool, steps: int) -> Sequence[TypeName]:
    """Return the types that a name with its type arguments means."""
    found = _NAME.match(text)
    if found is None or found[1] in _NOTHING:
        return []
    name, rest = found[1], text[found.end() :]
    has_arguments = rest.startswith("<") and rest.endswith(">")
    if has_arguments and "." not in name:
        return _read_generic(name, split_type(rest[1:-1], ","), is_items, steps)
    if rest and not has_arguments:
        return []
    if name.endswith(")"):
        return [TypeName(WHOLE, name, is_items)]
    type_arguments = tuple(one.strip() for one in split_type(rest[1:-1], ",")) if rest else ()
    qualifier, _, name = name.rpartition(".")
    return [TypeName(name, qualifier, is_items, type_arguments)]


def _read_generic(name: str, type_arguments: list[str], is_items: bool, steps: int) -> Sequence[TypeName]:
    """Return the types that `name<type_arguments>` names: for a wrapper or a list, those inside."""
    if name in SEEN_THROUGH and type_arguments:
        through = read_types(type_arguments[0], is_items=is_items, steps=steps + 1)
        limit = _read_limit(name, type_arguments)
        return through if limit is None else [one._replace(limits=(*one.limits, limit)) for one in through]
    if name == "ReturnType" and type_arguments:
        called = read_types(type_arguments[0], steps=steps + 1)
        return [one._replace(is_result=True, is_items=is_items) for one in called if not one.is_result]
    if name in _CONTAINERS and type_arguments and not is_items:
        return read_types(type_arguments[0], is_items=True, steps=steps + 1)
    if name in _KEYED and len(type_arguments) == 2 and not is_items:
        return _read_keyed(type_arguments[1], name == "Record", steps)
    return [TypeName(name, "", is_items, tuple(one.strip() for one in type_arguments))]


def _read_limit(name: str, type_arguments: list[str]) -> Limit | None:
    """Return what `Pick<T, "a" | "b">` or `Omit<T, "a">` keeps or leaves out; None without written keys."""
    if name not in {"Pick", "Omit"} or len(type_arguments) != 2:
        return None
    keys = [_KEY.fullmatch(one) for one in split_type(type_arguments[1], "|") if one.strip()]
    written = [one[1] for one in keys if one is not None]
    return Limit(tuple(written), name == "Pick") if len(written) == len(keys) else None


def _read_keyed(text: str, is_keyed: bool, steps: int) -> list[TypeName]:
    """Return the types of the values of a map, or of an object with keys of any name."""
    return [one._replace(is_keyed=is_keyed) for one in read_types(text, is_items=True, steps=steps + 1)]


def _read_indexed(text: str, is_items: bool, steps: int) -> list[TypeName]:
    """Return what `T[number]` and `T[K]` name: the items of a list, or some members of T."""
    depth = 0
    for at in range(len(text) - 1, 0, -1):
        depth += (text[at] == "]") - (text[at] == "[")
        if not depth:
            break
    key = text[at + 1 : -1].strip()
    if key[:1] in {"'", '"'} or not key:
        return []
    each = read_types(text[:at], steps=steps + 1)
    if key == "number":
        return [one._replace(is_items=is_items) for one in each if one.is_items]
    return [one._replace(is_items=is_items, is_member=True, is_open=True) for one in each if not one.is_items]


def _read_each(parts: list[str], is_items: bool, steps: int) -> list[TypeName]:
    found = [
        one for part in parts[:MAX_MEMBERS] for one in read_types(part, is_items=is_items, steps=steps + 1)
    ]
    if ANYTHING & {part.strip() for part in parts}:
        found = [one._replace(is_open=True) for one in found]
    return list(dict.fromkeys(found))


def _close(text: str) -> str:
    """Return a text that was cut: without its last word, and with its open brackets closed."""
    text = _LAST_WORD.sub("", text)
    waiting = []
    for at, char in enumerate(text):
        if char in _CLOSERS:
            waiting.append(_CLOSERS[char])
        elif waiting and char == waiting[-1] and text[at - 1 : at + 1] != "=>":
            waiting.pop()
    return text + "".join(reversed(waiting))


def read_type(text: str) -> TypeName:
    """Return the only type that a text names, after ":" or without it; empty if it names none or several."""
    found = read_types(text)
    return found[0] if len(found) == 1 else TypeName()


def strip_outer(text: str) -> str:
    """Return a type without ":" and "readonly" before it, "|" before its first member, and parentheses."""
    text = text.strip().removeprefix(":").strip().removeprefix("readonly ").removeprefix("|").strip()
    while text.startswith("(") and _find_close(text) == len(text) - 1:
        text = text[1:-1].strip()
    return text


def read_function(text: str) -> tuple[list[str], str] | None:
    """Return the types of the parameters of a function type, "" for none, and of its result; else None."""
    for part in split_type(text, "|") if text.startswith("(") else [text]:
        found = split_function(part)
        if found is not None:
            parameters, result, is_bare = found
            if is_bare:
                result = text[text.find(result) :]  # a union that is the result
            return split_parameters(parameters), result.strip()
    return None


def list_function_parameters(text: str) -> list[str]:
    """Return the type parameters of a function type: A and B of `<A, B extends C>(one: A) => B`."""
    text = text.strip()
    text = text[made.end() :] if (made := _MAKES.match(text)) is not None else text
    listed = split_type(text[1 : _find_close(text)], ",") if text.startswith("<") else []
    return [one.strip().removeprefix("const ").split()[0] for one in listed if one.strip()]


@lru_cache(maxsize=MAX_CACHED)
def split_function(text: str) -> tuple[str, str, bool] | None:
    """Return the parameters of a function type in parentheses, its result, and whether the type is bare.

    It is bare if it has no parentheses around it, and neither `new` nor type parameters before it. Returns
    None for other types.
    """
    kept = text.strip()
    while kept.startswith("(") and _find_close(kept) == len(kept) - 1:
        kept = kept[1:-1].strip()
    made = _MAKES.match(kept)
    kept = kept[made.end() :] if made is not None else kept
    if kept.startswith("<"):
        kept = kept[_find_close(kept) + 1 :].strip()
    end = _find_close(kept) if kept.startswith("(") else -1
    if end <= 0 or not kept[end + 1 :].lstrip().startswith("=>"):
        return None
    return kept[: end + 1], kept[end + 1 :].lstrip()[2:], kept == text.strip()


def split_condition(text: str) -> tuple[str, str, str, str] | None:
    """Return A, B, C and D of `A extends B ? C : D`; None for other types."""
    text = strip_outer(text)
    tested, *outcomes = split_type(text, "?")
    name, extends, target = tested.partition(" extends ")
    if not outcomes or not extends:
        return None
    nested = 0  # conditions inside C whose ":" is still to come
    parts = [part for outcome in outcomes for part in (*split_type(outcome, ":"), "?")][:-1]
    for at, part in enumerate(parts[1:], 1):
        if part == "?":
            nested += 1
        elif parts[at - 1] != "?":
            if not nested:
                return name.strip(), target.strip(), _write(parts[:at]), _write(parts[at:])
            nested -= 1
    return None


def _write(parts: list[str]) -> str:
    """Return the text of parts that are separated by "?" or ":"."""
    text = parts[0]
    for before, part in pairwise(parts):
        text += part if "?" in (before, part) else ":" + part
    return text.strip()


def holds_object(part: str) -> bool:
    """Return whether an object type is a type argument, so that the type may lack its members."""
    head, angle, inside = part.strip().partition("<")
    return bool(angle) and "{" in inside and "{" not in head and head not in SEEN_THROUGH


def is_object_type(text: str) -> bool:
    """Return True for the text of one object type: `{ a: A }`."""
    is_whole = text.startswith("{") and text.endswith("}") and _find_close(text) == len(text) - 1
    return is_whole and not _INDEXED.fullmatch(text)


def is_tuple_type(text: str) -> bool:
    """Return True for the text of a list whose items have types of their own: `[A, b: B]`."""
    return text.startswith("[") and _find_close(text) == len(text) - 1


def read_member(text: str, name: str) -> str:
    """Return the type of a member in a text "{ a: A; b?(c: C): B }" or "[A, b: B]"; "" for none.

    Separators may be missing, where a record has joined lines.
    """
    if text.startswith("["):
        items = split_type(text[1:-1], ",") if name.isdigit() else []
        item = items[int(name)].strip() if name.isdigit() and int(name) < len(items) else ""
        return "" if item.startswith("...") else _LABEL.sub("", item)
    return next((written for found, written in list_members(text) if found == name), "")


def list_members(text: str) -> list[tuple[str, str]]:
    """Return the name and the type of each member in a text "{ a: A; b?(c: C): B }"."""
    depth, plain = 0, [" "]
    for at, char in enumerate(text[1:-1], 1):
        closes = char in ")]}" or (char == ">" and text[at - 1] != "=")
        depth += (char in _CLOSERS) - closes
        plain.append(char if not depth or (depth == 1 and char in _CLOSERS) else "_")
    outer = "".join(plain)  # a name in brackets is no member
    starts = [
        one
        for one in _MEMBER_START.finditer(outer)
        if one[0].endswith(":") or not outer[: one.start()].rstrip().endswith((":", "|", "&", "?", "=>"))
    ]
    ends = [*(one.start() for one in starts), len(outer)][1:]
    return [
        (one[1], _write_member(one, text[one.end() : end])) for one, end in zip(starts, ends, strict=True)
    ]


def _write_member(found: re.Match[str], written: str) -> str:
    """Return the type of a member that begins with a match; of a method, as that of a function."""
    written = written.strip(" ;,")
    if found[0].endswith(":"):
        return written
    parameters, separator, result = _split_method(written)
    return f"{parameters} => {result or 'unknown'}" if separator or parameters else ""


def _split_method(written: str) -> tuple[str, str, str]:
    """Return the parameters in "<T>(a: A): B", ":" and the result."""
    start = _find_close(written) + 1 if written.startswith("<") else 0
    end = start + _find_close(written[start:]) + 1
    parameters, rest = written[start:end], written[end:].strip()
    return parameters, rest[:1], rest[1:].strip()


def split_parameters(text: str) -> list[str]:
    """Return the types written for the parameters in "(a: A, b?: B = c)", "" for one without a type."""
    return list(_split_parameters(text))


@lru_cache(maxsize=MAX_CACHED)
def _split_parameters(text: str) -> Sequence[str]:
    parts = [part.strip() for part in split_type(text.strip()[1:-1], ",")]
    return [_read_annotation(part) for part in parts if part and not re.match(r"this\b", part)]


def _read_annotation(parameter: str) -> str:
    _, *written = split_type(parameter, ":")
    text = re.split(r"\s=\s", ":".join(written))[0].strip()
    return f"...{text}" if parameter.startswith("...") else text


def take_parameter(types: Sequence[str], position: int) -> str:
    """Return the type of the parameter at a position, from 0; the last one may take all further arguments."""
    rest = types[-1] if types and types[-1].startswith("...") else ""
    if not rest or position < len(types) - 1:
        return types[position] if position < len(types) else ""
    text = rest.removeprefix("...").removeprefix("readonly ")
    text = _close(text) if text.endswith(CUT) else text
    if is_tuple_type(text):
        return read_member(text, str(position - len(types) + 1))
    listed = _REST.fullmatch(text)
    return (listed[1] or listed[2]) if listed is not None else ""


def _find_close(text: str) -> int:
    """Return the offset of the bracket that closes the first one of a text; -1 if there is none."""
    depth = 0
    for found in _BRACKET.finditer(text):
        char, at = found[0], found.start()
        if char in _CLOSERS:
            depth += 1
        elif char != ">" or text[at - 1 : at] != "=":
            depth -= 1
            if not depth:
                return at
    return -1


def split_type(text: str, separator: str) -> list[str]:
    """Return the parts between separators outside brackets."""
    if separator not in text:
        return [text]
    parts, start, depth = [], 0, 0
    for found in _BRACKET_OR_SEPARATOR.finditer(text):
        char, at = found[0], found.start()
        if char in _CLOSERS:
            depth += 1
        elif char in ")]}" or (char == ">" and text[at - 1 : at] != "="):
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
