"""What an answer leaves out, and that a client that reads the schema loses nothing by it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.toolsets.pruning import compile_pruner
from repo_mcp.toolsets.schema_parts import build_field, build_list, build_object, keep
from tests.repo_mcp.lean_answers import find_idle, read_answer

ROW = build_object(
    {
        "path": build_field("string"),
        "symbol": build_field(["string", "null"]),
        "lines": build_list(build_field("integer")),
        "count": build_field("integer") | {"default": 1},
        "is_exact": build_field("boolean") | {"default": True},
        "score": build_field("number"),
    },
    ["path"],
)
SCHEMA = build_object(
    {
        "rows": build_list(ROW),
        "kept": keep(build_list(build_field("string"))),
        "skipped": {"type": "object", "additionalProperties": {"type": "integer"}},
        "truncated": build_field("boolean"),
        "inner": build_object({"rows": build_list(ROW)}),
        "progress": ROW | {"type": ["object", "null"]},
    },
    ["rows"],
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "path": st.sampled_from(["", "a.py"]),
            "symbol": st.sampled_from([None, "f"]),
            "lines": st.lists(st.integers(0, 3), max_size=2),
            "count": st.integers(0, 2),
            "is_exact": st.booleans(),
            "score": st.sampled_from([0, 0.0, 1, 1.5]),
        }
    ),
    max_size=2,
)
VALUES = st.fixed_dictionaries(
    {
        "rows": ROWS,
        "kept": st.lists(st.sampled_from(["", "a"]), max_size=2),
        "skipped": st.dictionaries(st.sampled_from(["binary", "large"]), st.integers(0, 1)),
        "truncated": st.booleans(),
        "progress": st.none(),
    }
)


@given(VALUES)
def test_who_reads_the_schema_has_every_field_again(value: dict[str, Any]) -> None:
    before = copy.deepcopy(value)
    pruned = compile_pruner(SCHEMA)(value)
    assert value == before
    assert list(find_idle(SCHEMA, pruned)) == []
    read = read_answer(SCHEMA, pruned)
    assert {name: read[name] for name in ("rows", "kept", "skipped", "truncated")} == {
        name: value[name] for name in ("rows", "kept", "skipped", "truncated")
    }


@pytest.mark.parametrize(
    ("value", "pruned"),
    [
        ({"rows": [], "kept": [], "truncated": False, "skipped": {}}, {"rows": [], "kept": []}),
        ({"rows": [{"path": "", "symbol": ""}]}, {"rows": [{"path": ""}]}),
        ({"rows": [{"path": "a", "score": 0}]}, {"rows": [{"path": "a", "score": 0}]}),
        ({"rows": [{"path": "a", "count": 1, "is_exact": True}]}, {"rows": [{"path": "a"}]}),
        ({"rows": [{"path": "a", "count": 0, "is_exact": False}]}, None),
        ({"rows": [{"path": "a", "count": True}]}, None),
        ({"rows": [], "inner": {"rows": []}}, {"rows": []}),
        ({"rows": [], "progress": None}, {"rows": []}),
        ({"rows": [], "skipped": {"binary": 0}, "unknown": None}, None),
    ],
)
def test_what_is_left_out(value: dict[str, Any], pruned: dict[str, Any] | None) -> None:
    assert compile_pruner(SCHEMA)(value) == (value if pruned is None else pruned)
