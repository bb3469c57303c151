"""Check answers by the schemas of their tools, fast enough for thousands of them.

`jsonschema` walks the schema for every row, which took more time than all tools together. Here a schema is
turned into functions once. `jsonschema` still checks the schemas, explains what is wrong with an answer, and
is used instead in `make deep` and for schemas with a keyword that is unknown here. `test_schema_check.py`
compares the two.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

import jsonschema

from tests.deep.sizes import IS_DEEP

Check = Callable[[Any], bool]
_SAYS_NOTHING = frozenset({"description", "title", "default", "examples", "$schema"})


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: dict[str, Check] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def validate(schema: Mapping[str, object], found: Any) -> None:
    """Raise what `jsonschema` raises for a value that is not valid."""
    check = None if IS_DEEP else _compile_text(json.dumps(schema))
    if check is None or not check(found):
        jsonschema.validate(found, cast(Any, schema), cls=jsonschema.Draft202012Validator)
        assert check is None, "by tests/repo_mcp/schema_check.py alone this is not valid"


@cache
def _compile_text(text: str) -> Check | None:
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    return compile_schema(schema)


def compile_schema(schema: Mapping[str, Any]) -> Check | None:
    """Return a function that tells whether a value is valid; None for a schema with an unknown keyword."""
    if isinstance(schema, bool) or schema.keys() - _KEYWORDS.keys() - _SAYS_NOTHING:
        return None
    makers = dict.fromkeys(make for keyword, make in _KEYWORDS.items() if keyword in schema)
    made = [make(schema) for make in makers]
    if None in made:
        return None
    checks = cast(list[Check], made)
    return checks[0] if len(checks) == 1 else lambda value: all(check(value) for check in checks)


def _check_type(schema: Mapping[str, Any]) -> Check:
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    checks = [_TYPES[name] for name in names]
    return checks[0] if len(checks) == 1 else lambda value: any(check(value) for check in checks)


def _check_enum(schema: Mapping[str, Any]) -> Check | None:
    chosen = schema["enum"]
    if not all(isinstance(one, str | None) for one in chosen):
        return None
    return lambda value: isinstance(value, str | None) and value in chosen


def _check_required(schema: Mapping[str, Any]) -> Check:
    names = frozenset(schema["required"])
    return lambda value: not isinstance(value, dict) or names <= value.keys()


def _check_items(schema: Mapping[str, Any]) -> Check | None:
    check = compile_schema(schema["items"])
    if check is None:
        return None
    return lambda value: not isinstance(value, list) or all(map(check, value))


def _check_length(schema: Mapping[str, Any]) -> Check:
    least, most = schema.get("minItems", 0), schema.get("maxItems", sys.maxsize)
    return lambda value: not isinstance(value, list) or least <= len(value) <= most


def _check_properties(schema: Mapping[str, Any]) -> Check | None:
    """Return the check of `properties` and of `additionalProperties` beside them."""
    checks = {name: compile_schema(one) for name, one in schema.get("properties", {}).items()}
    others = schema.get("additionalProperties", True)
    other = (lambda _: others) if isinstance(others, bool) else compile_schema(others)
    if other is None or None in checks.values():
        return None
    known = cast(dict[str, Check], checks)
    return lambda value: (
        not isinstance(value, dict) or all(known.get(name, other)(one) for name, one in value.items())
    )


_KEYWORDS: dict[str, Callable[[Mapping[str, Any]], Check | None]] = {
    "type": _check_type,
    "enum": _check_enum,
    "required": _check_required,
    "properties": _check_properties,
    "additionalProperties": _check_properties,
    "items": _check_items,
    "minItems": _check_length,
    "maxItems": _check_length,
}
