"""Read a lean answer by its output schema, as a client does: a field that is left out has its default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.repo_mcp.schema_check import validate

_FORMS = frozenset({"error", "warnings", "format", "text"})  # which of the kinds of answers it is


def read_answer(schema: Mapping[str, object], found: Any) -> Any:
    """Return an answer with its missing fields; it must be valid, and have none that it could leave out."""
    validate(schema, found)
    assert list(find_idle(schema, found)) == []
    return fill_in(schema, found)


def find_idle(schema: Mapping[str, Any], value: Any, where: str = "") -> Iterator[str]:
    """Yield the places of fields that could have been left out."""
    if isinstance(value, list):
        for one in value:
            yield from find_idle(schema.get("items", {}), one, f"{where}[]")
    if not isinstance(value, dict):
        return
    for name, one in value.items():
        inner = schema.get("properties", {}).get(name, {})
        yield from find_idle(inner, one, f"{where}.{name}")
        if inner and name not in schema.get("required", ()):
            absent = [inner["default"]] if "default" in inner else [None, "", [], {}, False]
            if any(type(one) is type(other) and one == other for other in absent):
                yield f"{where}.{name}"


def fill_in(schema: Mapping[str, Any], value: Any) -> Any:
    """Return a value with the fields that it leaves out, in the order of its schema.

    Texts, and objects with fields of their own, are not filled in: they have no default.
    """
    if isinstance(value, list):
        return [fill_in(schema.get("items", {}), one) for one in value]
    properties = schema.get("properties")
    if not isinstance(value, dict) or properties is None or value.keys() & {"error", "format"}:
        return value
    whole = {}
    for name, inner in properties.items():
        if name in value:
            whole[name] = fill_in(inner, value[name])
        elif name not in _FORMS:
            whole.update((name, one) for one in _list_absent(inner))
    return whole


def _list_absent(schema: Mapping[str, Any]) -> Iterator[Any]:
    kind = schema.get("type")
    if schema.get("default") is not None:
        yield schema["default"]
    elif "default" in schema:
        return
    elif isinstance(kind, list):
        yield None
    elif schema.get("additionalProperties") == {"type": "integer"}:
        yield {}
    elif kind in ("boolean", "array"):
        yield {"boolean": False, "array": []}[kind]
