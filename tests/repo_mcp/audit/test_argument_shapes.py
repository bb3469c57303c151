"""What is said of arguments: types, lengths and digests; values only where they cannot hold a secret."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.audit.call_recorder import PathClass, ShapeRules, describe_arguments
from repo_mcp.audit.log import drop_values

SECRET = "canary-secret"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "mode": {"type": "string", "enum": ["bm25", "literal"]},
        "path": {"type": "string"},
        "top_k": {"type": "integer"},
        "since": {"type": ["string", "number"]},
        "tests": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}},
        "spans": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "symbol": {"type": "string"}},
                "additionalProperties": False,
            },
        },
        "budget": {
            "type": "object",
            "properties": {"max_files": {"type": "integer"}},
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}


def name_path(path: str) -> str | PathClass:
    return PathClass.DENIED if path.endswith(".env") else path


RULES = ShapeRules(lambda text: f"<{len(text)}>", name_path, frozenset({"path"}))


def describe(rules: ShapeRules = RULES, **arguments: object) -> dict[str, Any]:
    return dict(describe_arguments(SCHEMA, arguments, rules))


def test_texts_are_lengths_and_digests() -> None:
    assert describe(query=SECRET) == {"query": {"type": "string", "chars": 13, "digest": "<13>"}}


def test_objects_in_a_list_are_described_one_by_one() -> None:
    spans = [{"path": "a.py", "symbol": SECRET}, {"path": "b/.env"}, {SECRET: 1}, SECRET]
    assert describe(spans=spans)["spans"] == {
        "type": "array",
        "length": 4,
        "items": [
            {
                "path": {"type": "path", "value": "a.py"},
                "symbol": {"type": "string", "chars": 13, "digest": "<13>"},
            },
            {"path": {"type": "path", "class": "denied"}},
            {"unknown": {"type": "unknown", "count": 1}},
        ],
    }
    many = describe(spans=[{"path": "a.py"}] * 50)
    assert (many["spans"]["length"], len(many["spans"]["items"])) == (50, 20)
    assert drop_values(many) == {"spans": {"type": "array", "length": 50}}


def test_listed_words_numbers_and_switches_are_said() -> None:
    assert describe(mode="literal", top_k=5, since=1.5, tests=True) == {
        "mode": {"type": "string", "value": "literal"},
        "top_k": {"type": "integer", "value": 5},
        "since": {"type": "number", "value": 1.5},
        "tests": {"type": "boolean", "value": True},
    }
    assert describe(since=7) == {"since": {"type": "integer", "value": 7}}
    assert describe(since="x") == {"since": {"type": "string", "chars": 1, "digest": "<1>"}}
    assert describe(mode=SECRET)["mode"] == {"type": "string", "chars": 13, "digest": "<13>"}


def test_paths_are_said_when_they_may_be() -> None:
    assert describe(path="src/a.py") == {"path": {"type": "path", "value": "src/a.py"}}
    assert describe(path="a/.env") == {"path": {"type": "path", "class": "denied"}}
    assert describe(path="a\u202eb")["path"]["value"] == "a\\u202eb"
    assert describe(path=3) == {"path": {"type": "integer"}}
    long = describe(path="d/" * 300)["path"]
    assert (len(long["value"]), long["chars"], long["digest"]) == (200, 600, "<600>")


def test_what_has_the_wrong_type_is_said_by_type_alone() -> None:
    found = describe(query=123456, top_k="7", tests=1, names={"a": SECRET}, budget=[SECRET])
    assert found == {
        "query": {"type": "integer"},
        "top_k": {"type": "string", "chars": 1, "digest": "<1>"},
        "tests": {"type": "integer"},
        "names": {"type": "object"},
        "budget": {"type": "array", "length": 1},
    }
    assert describe(top_k=1 << 60, since=None, tests=float("nan")) == {
        "top_k": {"type": "integer"},
        "since": {"type": "null"},
        "tests": {"type": "number"},
    }


def test_names_that_the_client_made_up_are_counted() -> None:
    assert describe(**{SECRET: 1, "x": 2, "top_k": 3}) == {
        "top_k": {"type": "integer", "value": 3},
        "unknown": {"type": "unknown", "count": 2},
    }


def test_inner_arguments_are_described_alike() -> None:
    assert describe(budget={"max_files": 3, SECRET: SECRET}) == {
        "budget": {
            "type": "object",
            "properties": {
                "max_files": {"type": "integer", "value": 3},
                "unknown": {"type": "unknown", "count": 1},
            },
        }
    }


def test_the_operator_may_keep_texts_but_not_denied_paths() -> None:
    rules = replace(RULES, keep_text=True)
    assert describe(rules, query="a\nb" + "c" * 300)["query"]["text"] == "a\\u000ab" + "c" * 237
    assert describe(rules, path="x/.env") == {"path": {"type": "path", "class": "denied"}}


def test_without_values_nothing_but_types_and_lengths_is_left() -> None:
    shapes = describe(replace(RULES, keep_text=True), query=SECRET, path="a", budget={"max_files": 1})
    assert drop_values(shapes) == {
        "query": {"type": "string", "chars": 13, "digest": "<13>"},
        "path": {"type": "path"},
        "budget": {"type": "object"},
    }


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.just(SECRET)
    | st.text("ab\n\u202e").map(lambda text: text + SECRET),
    lambda inner: st.lists(inner) | st.dictionaries(st.just(SECRET) | st.text("ab"), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*SCHEMA["properties"], SECRET, "other"]), _JSON))
def test_no_text_ever_gets_through(arguments: dict[str, object]) -> None:
    arguments.pop("path", None)
    assert SECRET not in json.dumps(describe(**arguments), allow_nan=False)
