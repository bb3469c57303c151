"""Describes a call's arguments for the log: names, types, lengths and keyed digests, not their text.

    {"query": {"type": "string", "chars": 14, "digest": "5f0c…"}, "top_k": {"type": "integer", "value": 5},
     "path": {"type": "path", "value": "src/a.py"}, "unknown": {"type": "unknown", "count": 1}}

A value is logged only where it cannot hold a secret: a number or a switch that the schema declares as one,
a word that the schema lists, a path inside the root that is not denied. For everything else the log has the
length, and a digest by which equal texts are recognised but nothing can be guessed without the key. Names
that the client made up are counted, never repeated.

Left out on purpose: the digest's key and the rules of denial; both are given by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from repo_mcp.protocol.tool_model import JsonSchema
from repo_mcp.text.lines import escape_text

MAX_PATH_CHARS = 200  # characters of a path in the log; a longer one is cut
MAX_TEXT_CHARS = 240  # characters of a text that the operator asked to log: at most 2,880 bytes as ASCII JSON
MAX_OBJECTS = 20  # of a list in the log
_VALUES = frozenset({"value", "text", "properties", "items"})
_MAX_NUMBER = 1 << 53  # a larger number may be text in disguise

Shape = Mapping[str, object]


class PathClass(StrEnum):
    """The reason why a path argument is not logged."""

    DENIED = "denied"
    ESCAPE = "escape"  # outside the root
    INVALID = "invalid"  # no file can have this path


@dataclass(frozen=True, slots=True)
class ShapeRules:
    """All that is needed to describe the arguments of one call."""

    digest: Callable[[str], str]
    name_path: Callable[[str], str | PathClass]  # a path as it may be logged, or why it may not
    paths: frozenset[str]  # names of the arguments that are paths
    keep_text: bool = False  # the operator's choice: log the text of queries and the like too
    contents: frozenset[str] = frozenset()  # names of the arguments whose text is never logged


def describe_arguments(
    schema: JsonSchema, arguments: Mapping[str, object], rules: ShapeRules
) -> dict[str, Shape]:
    """Return the shapes of `arguments` in the order of the schema, whether they are valid or not."""
    declared = schema.get("properties")
    properties: Mapping[str, object] = declared if isinstance(declared, Mapping) else {}
    shapes: dict[str, Shape] = {}
    for name, inner in properties.items():
        if name in arguments and isinstance(inner, Mapping):
            is_path = name in rules.paths
            value = arguments[name]
            kept = replace(rules, keep_text=False) if name in rules.contents else rules
            shapes[name] = _describe_path(value, rules) if is_path else _describe(inner, value, kept)
    unknown = len(arguments.keys() - properties.keys())
    if unknown:
        shapes["unknown"] = {"type": "unknown", "count": unknown}
    return shapes


def drop_values(shapes: Mapping[str, Shape]) -> dict[str, Shape]:
    """Return the shapes without values or texts, for a line that would be too long."""
    return {
        name: {key: value for key, value in shape.items() if key not in _VALUES}
        for name, shape in shapes.items()
    }


def _describe_path(value: object, rules: ShapeRules) -> Shape:
    if not isinstance(value, str):
        return {"type": _kind_of(value)}
    named = rules.name_path(value)
    if isinstance(named, PathClass):
        return {"type": "path", "class": named.value}
    shown = escape_text(named)
    if len(shown) <= MAX_PATH_CHARS:
        return {"type": "path", "value": shown}
    shown = shown[:MAX_PATH_CHARS]
    return {
        "type": "path",
        "value": shown[:MAX_PATH_CHARS],
        "chars": len(named),
        "digest": rules.digest(named),
    }


def _describe(schema: JsonSchema, value: object, rules: ShapeRules) -> Shape:
    kind = _kind_of(value)
    declared = schema.get("type")
    kinds = declared if isinstance(declared, list | tuple) else (declared,)
    match value:
        case str():
            return _describe_text(schema, value, rules)
        case bool() if kind in kinds:
            return {"type": kind, "value": value}
        case int() | float() if (kind in kinds or "number" in kinds) and abs(value) < _MAX_NUMBER:
            return {"type": kind, "value": value}
        case list():
            return {"type": kind, "length": len(value)} | _describe_objects(schema, value, rules)
        case dict() if kind in kinds:
            return {"type": kind, "properties": describe_arguments(schema, value, rules)}
    return {"type": kind}


def _describe_objects(schema: JsonSchema, value: list[object], rules: ShapeRules) -> dict[str, object]:
    """Return the shapes of the objects in a list that is declared to hold objects."""
    inner = schema.get("items")
    if not isinstance(inner, Mapping) or inner.get("type") != "object":
        return {}
    given = [one for one in value[:MAX_OBJECTS] if isinstance(one, Mapping)]
    return {"items": [describe_arguments(inner, one, rules) for one in given]}


def _describe_text(schema: JsonSchema, value: str, rules: ShapeRules) -> Shape:
    choices = schema.get("enum")
    if isinstance(choices, list | tuple) and value in choices:
        return {"type": "string", "value": value}
    shape = {"type": "string", "chars": len(value), "digest": rules.digest(value)}
    return shape | {"text": escape_text(value[:MAX_TEXT_CHARS])} if rules.keep_text else shape


def _kind_of(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"
