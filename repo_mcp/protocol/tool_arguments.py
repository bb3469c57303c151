"""Checks the arguments of a call against the schema of its tool.

Schemas are in a subset of JSON Schema: `type` (one name, or a list of names of plain values), `properties`,
`required`, `enum`, `minimum`, `maximum`, `minLength`, `maxLength`, `items`, `maxItems`,
`additionalProperties: false`. `check_schema` refuses any other constraint, so that no schema promises what is
not checked. As in JSON Schema a boolean is not an integer, "5" is no number, and 5.0 is the integer 5. Two
things are accepted that a schema refuses, because models send them and mean well: null, as if the argument
was left out; and an integer above its maximum, as that maximum, with a warning. Others are put right before
(`meant_arguments`). Strings that hold a lone surrogate or NUL are refused, except NUL in the arguments that a
tool names as free text: those are only searched for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import SHOWN_CHARS, JsonSchema
from repo_mcp.text.lines import escape_text

_ALWAYS = frozenset({"type", "title", "description", "default"})
_CONSTRAINTS: Mapping[str, frozenset[str]] = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "maxItems"}),
    "string": frozenset({"enum", "minLength", "maxLength"}),
    "integer": frozenset({"minimum", "maximum"}),
    "number": frozenset({"minimum", "maximum"}),
    "boolean": frozenset(),
}
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}
_PLAIN = frozenset({"string", "integer", "number", "boolean"})  # kinds that a list of types may name
_SURROGATE = re.compile("[\ud800-\udfff]")


def check_schema(schema: JsonSchema, where: str = "schema") -> None:
    """Raise ValueError when `schema` holds a constraint that `read_arguments` would not check."""
    kind = schema.get("type")
    kinds = _kinds(kind)
    if not kinds or not kinds <= _CONSTRAINTS.keys() or (len(kinds) > 1 and not kinds <= _PLAIN):
        raise ValueError(f"{where}: type {kind!r} is not one of {', '.join(_CONSTRAINTS)}")
    unknown = set(schema) - frozenset().union(*map(_CONSTRAINTS.__getitem__, kinds)) - _ALWAYS
    if unknown:
        raise ValueError(f"{where}: {', '.join(sorted(unknown))} is not checked for type {kind}")
    if kind == "object" and schema.get("additionalProperties") is not False:
        raise ValueError(f"{where}: an object must have additionalProperties false")
    for name, inner in list_properties(schema).items():
        check_schema(inner, f"{where}.{name}")
    if kind == "array":
        check_schema(_schema(schema["items"]), f"{where}.items")


def read_arguments(
    schema: JsonSchema, given: Mapping[str, object], free_text: frozenset[str] = frozenset()
) -> tuple[dict[str, object], tuple[str, ...]]:
    """Return the arguments that are given, each of the type that an object schema names, and warnings.

    `free_text` names top-level strings that may hold NUL. Raises INVALID_ARGUMENT, which names the first
    that fails.
    """
    warnings: list[str] = []
    arguments = _read_object(schema, given, "", warnings, free_text)
    return arguments, tuple(warnings)


def _read_object(
    schema: JsonSchema,
    given: Mapping[str, object],
    prefix: str,
    warnings: list[str],
    free_text: frozenset[str] = frozenset(),
) -> dict[str, object]:
    properties = list_properties(schema)
    _check_names(schema, properties, given, prefix)
    read = {}
    for name, value in given.items():
        if value is not None:
            read[name] = _read_value(properties[name], value, prefix + name, warnings, name in free_text)
    return read


def _check_names(
    schema: JsonSchema, properties: Mapping[str, JsonSchema], given: Mapping[str, object], prefix: str
) -> None:
    for name in given:
        if name not in properties:
            hint = f"Arguments are: {', '.join(properties)}." if properties else "It takes no arguments."
            raise _invalid(f"Unknown argument {_shown(prefix + name)}", hint, prefix + name)
    required = schema.get("required", ())
    for name in required if isinstance(required, list | tuple) else ():
        if given.get(name) is None:
            limits = describe_limits(properties[name])
            raise _invalid(f"Argument {prefix}{name} is missing", f"Give {name}: {limits}.", prefix + name)


def _read_value(
    schema: JsonSchema, value: object, name: str, warnings: list[str], free_text: bool = False
) -> object:
    if schema["type"] == "integer":
        value = _read_integer(schema, value, name, warnings)
    fault = _find_fault(schema, value, free_text)
    if fault is not None:
        limits = describe_limits(schema)
        raise _invalid(f"Argument {name} {fault}: it must be {limits}", _advise(schema, name, fault), name)
    if isinstance(value, dict):
        return _read_object(schema, value, f"{name}.", warnings)
    if isinstance(value, list):
        items = _schema(schema["items"])
        return [_read_value(items, one, f"{name}[{place}]", warnings) for place, one in enumerate(value)]
    return value


def _read_integer(schema: JsonSchema, value: object, name: str, warnings: list[str]) -> object:
    """Return 5 for 5.0, and the maximum for anything above it; other values unchanged."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    most = schema.get("maximum")
    if not isinstance(most, int) or not isinstance(value, int) or value <= most:
        return value
    warnings.append(f"{name} is above its maximum: {most:,} is used.")
    return most


def _advise(schema: JsonSchema, name: str, fault: str) -> str:
    """Return what to give in the place of a value with a fault."""
    limits, inner = describe_limits(schema), ", ".join(list_properties(schema))
    if fault.startswith("contains"):
        return f"Give {name} without it."
    if isinstance(schema.get("enum"), list | tuple):
        return f"Use {limits.replace('one of', 'one of:', 1)}."
    return f"Give {name} as an object with any of {inner}." if inner else f"Give {name} as {limits}."


def _find_fault(schema: JsonSchema, value: object, free_text: bool) -> str | None:
    if not _has_type(value, schema["type"]):
        return f"is {_kind_of(value)}"
    if isinstance(value, str):
        return _find_text_fault(schema, value, free_text)
    if isinstance(value, list) and len(value) > _number(schema, "maxItems", len(value)):
        return f"has {len(value)} entries"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < _number(schema, "minimum", value):
            return "is too small"
        if value > _number(schema, "maximum", value):
            return "is too large"
    return None


def _find_text_fault(schema: JsonSchema, value: str, free_text: bool) -> str | None:
    choices = schema.get("enum")
    if isinstance(choices, list | tuple) and value not in choices:
        return f"is {_shown(value)}"
    least, most = schema.get("minLength"), schema.get("maxLength")
    if isinstance(least, int) and len(value) < least:
        return "is empty" if not value else "is too short"
    if isinstance(most, int) and len(value) > most:
        return f"has {len(value):,} characters"
    if _SURROGATE.search(value):
        return "contains a lone surrogate"
    if "\0" in value and not free_text:
        return "contains a NUL character"
    return None


def _kinds(kind: object) -> frozenset[str]:
    """Return the names in a `type`; none when it is not one."""
    names = kind if isinstance(kind, list | tuple) else [kind]
    return frozenset(name for name in names if isinstance(name, str))


def _has_type(value: object, kind: object) -> bool:
    if isinstance(kind, list | tuple):
        return any(_has_type(value, one) for one in kind)
    return isinstance(value, _TYPES[str(kind)]) and (kind == "boolean" or not isinstance(value, bool))


def _kind_of(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "an integer"
        case float():
            return "a fractional number"
        case str():
            return "a string"
        case list():
            return "an array"
    return "an object"


def describe_limits(schema: JsonSchema) -> str:
    """Return in words what a value of `schema` must be: "an integer from 1 to 50"."""
    kind = schema["type"]
    if isinstance(kind, list | tuple):
        return " or ".join(describe_limits({**schema, "type": one}) for one in kind)
    choices = schema.get("enum")
    if isinstance(choices, list | tuple):
        return ("one of " if len(choices) > 1 else "") + ", ".join(f'"{choice}"' for choice in choices)
    if kind in ("integer", "number"):
        return f"{'an integer' if kind == 'integer' else 'a number'}{_bounds(schema, 'minimum', 'maximum')}"
    if kind == "string":
        most = _bounds(schema, "minLength", "maxLength").removeprefix(" from")
        return f"a string of{most} characters" if most else "a string"
    if kind == "array":
        limit = f" of at most {schema['maxItems']} entries" if "maxItems" in schema else ""
        return f"an array{limit}"
    return f"{'an' if kind == 'object' else 'a'} {kind}"


def _bounds(schema: JsonSchema, lowest: str, highest: str) -> str:
    parts = []
    if lowest in schema:
        parts.append(f"from {_number(schema, lowest, 0):,}")
    if highest in schema:
        parts.append(
            f"to {_number(schema, highest, 0):,}" if parts else f"up to {_number(schema, highest, 0):,}"
        )
    return "".join(f" {part}" for part in parts)


def list_properties(schema: JsonSchema) -> Mapping[str, JsonSchema]:
    """Return the schemas of the properties of an object, by name; none of anything else."""
    properties = schema.get("properties", {})
    return properties if isinstance(properties, Mapping) else {}


def _schema(value: object) -> JsonSchema:
    if not isinstance(value, Mapping):
        raise ValueError("a schema must be an object")
    return value


def _number(schema: JsonSchema, keyword: str, otherwise: int | float) -> int | float:
    value = schema.get(keyword)
    return value if isinstance(value, int | float) else otherwise


def _shown(name: str) -> str:
    """Return a word of the client's, cut and made harmless for a message."""
    cut = name if len(name) <= SHOWN_CHARS else name[:SHOWN_CHARS] + "…"
    return f'"{escape_text(cut)}"'


def _invalid(message: str, hint: str, argument: str) -> RepoError:
    return RepoError(ErrorCode.INVALID_ARGUMENT, message, hint, {"argument": argument[:SHOWN_CHARS]})
