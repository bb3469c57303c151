"""The quick check of answers by their schemas, against `jsonschema`."""

from __future__ import annotations

from typing import Any, cast

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.config.server_config import Limits
from repo_mcp.toolsets import graph, repo, research, retrieval
from tests.repo_mcp.schema_check import compile_schema, validate

NAMES = st.sampled_from(["a", "b", "c"])
TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"]
LEAVES = st.sampled_from(["a", "b", "", None, True, False, 0, 1, -3, 1.0, 2.5, 10**400])
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner))


def extend(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, unique=True),
            "enum": st.lists(st.sampled_from(["a", "b", None]), min_size=1, unique=True),
            "required": st.lists(NAMES, unique=True),
            "properties": st.dictionaries(NAMES, inner),
            "additionalProperties": st.booleans() | inner,
            "items": inner,
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(0, 2),
            "description": st.just("says nothing"),
        },
    )


SCHEMAS = st.recursive(st.fixed_dictionaries({}), extend, max_leaves=6).flatmap(
    lambda one: extend(st.just(one))
)


@given(extend(SCHEMAS), st.lists(VALUES, min_size=1))
def test_any_schema_and_value(schema: dict[str, Any], values: list[Any]) -> None:
    check = compile_schema(schema)
    assert check is not None
    reference = jsonschema.Draft202012Validator(schema)
    for value in values:
        assert check(value) == reference.is_valid(value)


@pytest.mark.parametrize(
    "schema",
    [
        {"minimum": 1},
        {"items": {"pattern": "a"}},
        {"properties": {"a": {"maxLength": 1}}},
        {"additionalProperties": {"anyOf": []}},
        {"enum": [1]},
        {"items": True},
    ],
)
def test_what_is_not_known_is_left_to_jsonschema(schema: dict[str, Any]) -> None:
    assert compile_schema(schema) is None


def test_a_value_that_is_not_valid_is_reported_as_jsonschema_does() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
    validate(schema, {"a": 1})
    with pytest.raises(jsonschema.ValidationError, match="'x' is not of type 'integer'"):
        validate(schema, {"a": "x"})
    with pytest.raises(jsonschema.ValidationError, match="was unexpected"):
        validate(schema, {"b": 1})
    with pytest.raises(jsonschema.SchemaError):
        validate({"type": "word"}, 1)


@pytest.mark.parametrize("toolset", [repo, retrieval, graph, research])
def test_every_keyword_of_the_tools_is_known(toolset: Any) -> None:
    for tool in toolset.bind_toolset(Limits(), cast(Any, None)).tools:
        assert compile_schema(tool.output_schema) is not None, tool.name
