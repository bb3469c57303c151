"""The parts of JSON schemas that all toolsets use: arguments of tools, and fields of results.

Several clients drop `default`, `minimum` and `maximum` before a model sees a schema, so each description says
its limits in words. Left out on purpose: the envelope of an answer, as each toolset's specification has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Schema = dict[str, object]


def build_object(properties: Mapping[str, object], required: Iterable[str] = ()) -> Schema:
    """Return an object with these properties and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def build_record(properties: Mapping[str, object]) -> Schema:
    """Return an object that has all of these properties, and no others."""
    return build_object(properties, properties)


def build_text(description: str, max_chars: int, least: int = 1) -> Schema:
    """Return a string argument; `least` and `max_chars` are characters."""
    return {"type": "string", "description": description, "minLength": least, "maxLength": max_chars}


def build_count(description: str, maximum: int, default: int | None = None) -> Schema:
    """Return a number argument, 1 at least."""
    schema: Schema = {"type": "integer", "description": description, "minimum": 1, "maximum": maximum}
    return schema if default is None else schema | {"default": default}


def build_limited(description: str, default: int, most: int, least: int = 1) -> Schema:
    """Return a number argument whose description gives its limits."""
    said = f"{description}, {least} to {most}"
    return {"type": "integer", "description": said, "default": default, "minimum": least, "maximum": most}


def build_switch(description: str, default: bool | None = None) -> Schema:
    """Return a boolean argument, off where nothing else is said."""
    schema: Schema = {"type": "boolean", "description": description}
    return schema if default is None else schema | {"default": default}


def build_choice(description: str, values: Sequence[str]) -> Schema:
    """Return an argument that is one of these words."""
    return {"type": "string", "description": description, "enum": list(values)}


def build_field(kind: str | list[str], description: str = "") -> Schema:
    """Return a field of a result."""
    return {"type": kind, "description": description} if description else {"type": kind}


def keep(schema: Schema) -> Schema:
    """Return a field that results always have, even if it is empty, but that errors lack.

    The schema cannot require it, since it describes errors too. A field with a default is left out only if it
    has that value; the default is null, which no result has here.
    """
    return schema | {"default": None}


def build_list(items: Schema, description: str = "") -> Schema:
    """Return a list in a result."""
    return build_field("array", description) | {"items": items}
