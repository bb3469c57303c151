"""TOON: documents as its specification shows them, and every JSON value through a strict reader and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.toolsets.toon import encode_toon
from tests.repo_mcp.toolsets.toon_reader import read_toon

CASES: list[tuple[object, str]] = [
    ({}, ""),
    ([], "[]"),
    (None, "null"),
    ("hello", "hello"),
    ({"a": {}, "b": []}, "a:\nb: []"),
    ({"id": 1, "user": {"name": "Ada"}}, "id: 1\nuser:\n  name: Ada"),
    ({"tags": ["a", "b,c", ""]}, 'tags[3]: a,"b,c",""'),
    ({"rows": [{"a": 1, "b": "x"}, {"b": "y", "a": 2}]}, "rows[2]{a,b}:\n  1,x\n  2,y"),
    (
        {
            "orders": [
                {"id": 1, "by": {"name": "Ada", "at": "UK"}},
                {"id": 2, "by": {"name": "Al", "at": "US"}},
            ]
        },
        "orders[2]{id,by{name,at}}:\n  1,Ada,UK\n  2,Al,US",
    ),
    ({"users": {"ada": {"age": 1}, "bob-2": {"age": 2}}}, 'users[2:]{age}:\n  ada: 1\n  "bob-2": 2'),
    ({"ada": {"age": 1}, "bob": {"age": 2}}, "[2:]{age}:\n  ada: 1\n  bob: 2"),
    ({"one": {"ada": {"age": 1}}}, "one:\n  ada:\n    age: 1"),
    ({"m": [1, {"a": 1}, "x"]}, "m[3]:\n  - 1\n  - a: 1\n  - x"),
    ({"p": [[1, 2], []]}, "p[2]:\n  - [2]: 1,2\n  - [0]:"),
    ({"p": [[{"a": 1}, {"a": 2}]]}, "p[1]:\n  - [2]:\n    - a: 1\n    - a: 2"),
    (
        {"items": [{"rows": [{"a": 1}, {"a": 2}], "n": 1}, {"n": 2}, {}]},
        "items[3]:\n  - rows[2]{a}:\n      1\n      2\n    n: 1\n  - n: 2\n  -",
    ),
    ({"items": [{"in": {"x": 1}, "y": [1]}]}, "items[1]:\n  - in:\n      x: 1\n    y[1]: 1"),
    ([{"a": 1}, {"a": 2}], "[2]{a}:\n  1\n  2"),
    ({"a b": 1, "2x": 2, "d.e": 3}, '"a b": 1\n"2x": 2\nd.e: 3'),
]
QUOTED = [
    "", " x", "x ", "\tx", "true", "false", "null", "42", "-3.14", "05", "+1", "1e-6", "a: b", 'say "hi"',
    "back\\slash",
    "a[0]", "{x}", "line\nbreak", "tab\tinside", "a\rb", "\x00", "\x1b[0m", "a,b", "-", "-x", "#", "#x",
]  # fmt: skip
PLAIN = ["x", "a b", "ünï", "0x10", "1_000", "True", "a-b", "a#b", "é  e", "\u00a0x", "3 apples", "."]
NUMBERS: list[tuple[float, str]] = [
    (0, "0"), (-0.0, "0"), (1.5, "1.5"), (1e6, "1000000"), (1e-6, "0.000001"), (1e15, "1000000000000000"),
    (0.1, "0.1"), (123456.789, "123456.789"), (1e-7, "1e-07"), (1e22, "1e+22"), (-2.0, "-2"), (98.6, "98.6"),
]  # fmt: skip

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "a": st.text(max_size=4),
            "b": st.fixed_dictionaries({"c": st.none() | st.integers(), "d e": st.booleans()}),
        }
    ),
    max_size=4,
)


@pytest.mark.parametrize(("value", "text"), CASES)
def test_documents_are_those_of_the_specification(value: object, text: str) -> None:
    assert encode_toon(value) == text
    assert read_toon(text) == value


@pytest.mark.parametrize("text", QUOTED)
def test_strings_that_could_be_taken_for_something_else_are_quoted(text: str) -> None:
    written = encode_toon({"key": text})
    assert written.startswith('key: "')
    assert written.isprintable()
    assert read_toon(written) == {"key": text}


@pytest.mark.parametrize("text", PLAIN)
def test_other_strings_stand_as_they_are(text: str) -> None:
    assert encode_toon({"key": text}) == f"key: {text}"


@pytest.mark.parametrize(("number", "text"), NUMBERS)
def test_numbers_have_their_canonical_form(number: float, text: str) -> None:
    assert encode_toon([number]) == f"[1]: {text}"


def test_what_json_cannot_hold_is_refused() -> None:
    for value in (float("nan"), float("inf"), object(), {"a": {1, 2}}, b"x"):
        with pytest.raises(ValueError, match="not a JSON value"):
            encode_toon(value)


@given(JSON)
def test_every_value_comes_back(value: Any) -> None:
    assert read_toon(encode_toon(value)) == json.loads(json.dumps(value))


@given(
    ROWS, st.dictionaries(st.text(max_size=3), st.fixed_dictionaries({"x": st.text(max_size=3)}), max_size=3)
)
def test_every_table_comes_back(rows: list[dict[str, Any]], entries: dict[str, dict[str, Any]]) -> None:
    value = {"rows": rows, "entries": entries, "more": [{"rows": rows}, rows]}
    assert read_toon(encode_toon(value)) == value
