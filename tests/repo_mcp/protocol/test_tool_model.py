"""The check of arguments: against the reference implementation, and where it is stricter on purpose."""

from __future__ import annotations

import itertools
from typing import Any

import jsonschema
import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.meant_arguments import rename_arguments
from repo_mcp.protocol.tool_arguments import check_schema, describe_limits, read_arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1, "maxLength": 5},
        "mode": {"type": "string", "enum": ["bm25", "literal"]},
        "top_k": {"type": "integer", "minimum": 1, "maximum": 50},
        "weight": {"type": "number", "minimum": 0, "maximum": 1},
        "force": {"type": "boolean"},
        "paths": {"type": "array", "items": {"type": "string", "maxLength": 3}, "maxItems": 2},
        "budget": {
            "type": "object",
            "properties": {"lines": {"type": "integer", "minimum": 1}},
            "required": ["lines"],
            "additionalProperties": False,
        },
    },
    "required": ["query"],
    "additionalProperties": False,
}

VALUES: list[object] = [
    None,
    True,
    False,
    0,
    1,
    50,
    51,
    -1,
    2**70,
    0.5,
    1.0,
    1.5,
    "",
    "a",
    "bm25",
    "12345",
    "123456",
    [],
    ["a", "b"],
    ["a", "b", "c"],
    ["four"],
    [1],
    {},
    {"lines": 1},
    {"lines": 0},
    {"lines": True},
    {"lines": 1, "more": 1},
]


def _refused(arguments: dict[str, object]) -> RepoError | None:
    try:
        read_arguments(SCHEMA, arguments)
    except RepoError as error:
        return error
    return None


@pytest.mark.parametrize("name", SCHEMA["properties"])
def test_every_value_for_every_argument_is_judged_as_the_reference_judges_it(name: str) -> None:
    """But for null, which is as good as nothing, and for integers above the maximum, which are cut."""
    reference = jsonschema.Draft202012Validator(SCHEMA)
    for value in VALUES:
        arguments = {"query": "a"} | {name: value}
        is_milder = (value is None and name != "query") or (name == "top_k" and value in (51, 2**70))
        assert (_refused(arguments) is None) == (reference.is_valid(arguments) or is_milder), value


@pytest.mark.parametrize(
    ("given", "read", "warnings"),
    [
        ({"top_k": 5.0}, {"top_k": 5}, ()),
        ({"top_k": None, "mode": None}, {}, ()),
        ({"top_k": 51}, {"top_k": 50}, ("top_k is above its maximum: 50 is used.",)),
        ({"top_k": 1e30}, {"top_k": 50}, ("top_k is above its maximum: 50 is used.",)),
        ({"weight": 1.0}, {"weight": 1.0}, ()),
        ({"budget": {"lines": 2.0}}, {"budget": {"lines": 2}}, ()),
        ({"spans": [{"line": 9.0}, {"line": None}]}, {"spans": [{"line": 8}, {}]},
         ("spans[0].line is above its maximum: 8 is used.",)),
    ],
)  # fmt: skip
def test_what_models_mean_is_taken(
    given: dict[str, object], read: dict[str, object], warnings: tuple[str, ...]
) -> None:
    line = {"type": "object", "properties": {"line": {"type": "integer", "maximum": 8}}}
    schema = {
        **SCHEMA,
        "properties": {**SCHEMA["properties"], "spans": {"type": "array", "items": line}},
    }
    found, said = read_arguments(schema, {"query": "a", **given})
    assert (found, said) == ({"query": "a", **read}, warnings)
    assert [type(one) for one in found.values()] == [type(one) for one in [*{"query": "a", **read}.values()]]


def test_null_is_no_value_for_what_is_required_and_no_name_for_what_is_unknown() -> None:
    for arguments, words in (
        ({"query": None}, "query is missing"),
        ({"query": "a", "b": None}, "Unknown argument"),
    ):
        error = _refused(dict(arguments))
        assert error is not None
        assert words in error.message
    error = _refused({"query": "a", "budget": {"lines": None}})
    assert error is not None
    assert "budget.lines is missing" in error.message


@pytest.mark.parametrize(
    ("given", "renamed"),
    [
        ({"pattern": "a", "limit": 5}, {"query": "a", "top_k": 5}),
        ({"query": "a", "pattern": "b"}, {"query": "a", "pattern": "b"}),  # which is meant is not clear
        ({"pattern": "b", "query": "a"}, {"pattern": "b", "query": "a"}),
        ({"limit": 5, "max_results": 6}, {"top_k": 5, "max_results": 6}),
        ({"colour": 1, "path": "a"}, {"colour": 1, "path": "a"}),
        ({"spans": [{"file": "a"}, {"path": "b"}, 3]}, {"spans": [{"path": "a"}, {"path": "b"}, 3]}),
        ({"spans": {"file": "a"}}, {"spans": {"file": "a"}}),
    ],
)
def test_names_that_arguments_have_elsewhere_are_taken(
    given: dict[str, object], renamed: dict[str, object]
) -> None:
    span = {"type": "object", "properties": {"path": {"type": "string"}}}
    schema = {"properties": {**SCHEMA["properties"], "spans": {"type": "array", "items": span}}}
    assert rename_arguments(schema, given) == renamed


def test_missing_and_unknown_arguments_are_judged_as_the_reference_judges_them() -> None:
    reference = jsonschema.Draft202012Validator(SCHEMA)
    names = ["query", "force", "unknown"]
    for count in range(len(names) + 1):
        for chosen in itertools.combinations(names, count):
            arguments = {name: "a" if name == "query" else True for name in chosen}
            assert (_refused(arguments) is None) == reference.is_valid(arguments), chosen


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"query": "a", "top_k": True}, ["top_k", "a boolean", "an integer from 1 to 50"]),
        ({"query": "a", "top_k": 5.5}, ["top_k", "a fractional number", "from 1 to 50"]),
        ({"query": "a", "top_k": "5"}, ["top_k", "a string"]),
        ({"query": "a", "top_k": -(10**30)}, ["top_k", "too small", "from 1 to 50"]),
        ({"query": "a", "weight": 70}, ["weight", "too large", "from 0 to 1"]),
        ({"query": ["a"]}, ["query", "an array", "of 1 to 5 characters"]),
        ({"query": ""}, ["query", "empty"]),
        ({"query": "a" * 6}, ["query", "6 characters", "to 5"]),
        ({"query": "\ud800"}, ["query", "surrogate"]),
        ({"query": "a\0"}, ["query", "NUL"]),
        ({"query": "a", "mode": "fuzzy"}, ["mode", '"fuzzy"', '"bm25", "literal"']),
        ({"query": "a", "topk": 1}, ["topk", "Unknown argument"]),
        ({}, ["query", "missing"]),
        ({"query": "a", "budget": {"lines": "x"}}, ["budget.lines", "a string"]),
        ({"query": "a", "budget": {}}, ["budget.lines", "missing"]),
        ({"query": "a", "paths": ["a", 1]}, ["paths[1]", "an integer"]),
    ],
)
def test_a_refusal_names_the_argument_what_was_found_and_the_limits(
    arguments: dict[str, object], words: list[str]
) -> None:
    error = _refused(arguments)
    assert error is not None
    assert error.code is ErrorCode.INVALID_ARGUMENT
    for word in words:
        assert word in error.message


def test_an_unknown_argument_is_answered_with_those_that_there_are() -> None:
    error = _refused({"query": "a", "limit": 5})
    assert error is not None
    assert "query, mode, top_k" in error.hint


def test_what_a_client_made_up_is_repeated_cut_and_harmless() -> None:
    error = _refused({"query": "a", "\x1b[31m\u202e" + "x" * 500: 1})
    assert error is not None
    assert "\\u001b[31m\\u202e" in error.message
    assert len(error.message) < 120
    error = _refused({"query": "a", "mode": "\ud800" * 500})
    assert error is not None
    error.message.encode("utf-8")


def test_free_text_may_hold_nul_but_never_a_lone_surrogate() -> None:
    read_arguments(SCHEMA, {"query": "a\0b"}, frozenset({"query"}))
    with pytest.raises(RepoError):
        read_arguments(SCHEMA, {"query": "\udfff"}, frozenset({"query"}))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": "a+"},
        {"type": ["string", "null"]},
        {"type": "integer", "multipleOf": 2},
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": False},
        {"type": "array", "items": {"type": "string", "format": "uri"}},
        {"enum": [1]},
    ],
)
def test_a_schema_cannot_promise_what_is_not_checked(schema: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="schema"):
        check_schema(schema)


def test_the_schema_of_these_tests_is_allowed() -> None:
    check_schema(SCHEMA)


def test_limits_in_words() -> None:
    properties = SCHEMA["properties"]
    assert describe_limits(properties["query"]) == "a string of 1 to 5 characters"
    assert describe_limits(properties["mode"]) == 'one of "bm25", "literal"'
    assert describe_limits(properties["force"]) == "a boolean"
    assert describe_limits(properties["paths"]) == "an array of at most 2 entries"
    assert describe_limits({"type": "integer", "maximum": 2_000}) == "an integer up to 2,000"
    assert describe_limits({"type": "integer"}) == "an integer"


def test_a_type_may_be_a_list_of_plain_ones() -> None:
    either = {"type": ["string", "number"], "minLength": 1, "maxLength": 3}
    schema = {"type": "object", "properties": {"since": either}, "additionalProperties": False}
    check_schema(schema)
    for value in ("abc", 5, 5.5):
        read_arguments(schema, {"since": value})
    for value in ("", "abcd", True, [], {}):
        with pytest.raises(RepoError) as caught:
            read_arguments(schema, {"since": value})
        assert "since" in caught.value.message
        assert "a string of 1 to 3 characters or a number" in caught.value.message
    for kind in (["string", "object"], ["string", "nonsense"], [], ["array", "integer"]):
        with pytest.raises(ValueError, match="is not one of"):
            check_schema({"type": kind})
