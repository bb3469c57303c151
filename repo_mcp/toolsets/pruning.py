"""Leave out of an answer the fields that say nothing, by the output schema of its tool.

A field that the schema does not require is left out when it has the value that its absence stands for: its
`default` or, if none is declared, null, "", [], {} or false. So builders simply give values. A field that
must be seen even when it is empty is required, or has a default that it never takes.

    {"hits": [{"path": "a.py", "symbol": null}], "truncated": false}  ->  {"hits": [{"path": "a.py"}]}

Left out on purpose: objects whose schema names no properties, such as counts by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import cast

from repo_mcp.protocol.tool_model import JsonSchema

Prune = Callable[[dict[str, object]], dict[str, object]]
_Shorten = Callable[[object], object]
_Fields = Mapping[str, tuple[bool, object, "_Shorten | None"]]  # required; its default; how to shorten it
_EMPTY = object()  # the default of a field that declares none: any empty value that is not a number
_UNKNOWN = (True, None, None)


def compile_pruner(schema: JsonSchema) -> Prune:
    """Return a function that drops the fields of an object of `schema` that say nothing.

    Its input is not changed.
    """
    return cast(Prune, partial(_shorten_object, _compile_fields(schema)))


def _compile_fields(schema: JsonSchema) -> _Fields:
    properties, required = schema.get("properties"), schema.get("required")
    names = required if isinstance(required, list) else ()
    return {
        name: (name in names, inner.get("default", _EMPTY), _compile(inner))
        for name, inner in (properties.items() if isinstance(properties, Mapping) else ())
    }


def _compile(schema: JsonSchema) -> _Shorten | None:
    """Return a function that shortens a value of `schema`; None if nothing can be dropped."""
    items = schema.get("items")
    if isinstance(items, Mapping):
        shorten = _compile(items)
        return None if shorten is None else partial(_shorten_items, shorten)
    fields = _compile_fields(schema)
    return partial(_shorten_object, fields) if fields else None


def _shorten_items(shorten: _Shorten, value: object) -> object:
    return [*map(shorten, value)] if isinstance(value, list) else value


def _shorten_object(fields: _Fields, value: object) -> object:
    """Return an object without the fields that say nothing; one Python call per object of an answer."""
    if not isinstance(value, dict):
        return value
    kept: dict[str, object] = {}
    for name, given in value.items():
        is_required, default, shorten = fields.get(name, _UNKNOWN)
        short = given if shorten is None else shorten(given)
        if is_required:
            kept[name] = short
        elif default is not _EMPTY:
            if short != default or type(short) is not type(default):
                kept[name] = short
        elif short or (short is not False and isinstance(short, int | float)):
            kept[name] = short
    return kept
