"""What all answers have in common: as many rows as fit, and nothing of a file in what is said of a defect."""

from __future__ import annotations

import json
import math
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.errors import CHECK_PLACE, ErrorCode, RepoError
from repo_mcp.toolsets.answers import Call, Draft, Form, Part, answer_call, build_answer, fit_rows, log_defect
from repo_mcp.toolsets.failure_hints import HINTS
from repo_mcp.toolsets.graph.answers import FORM as GRAPH
from repo_mcp.toolsets.repo.answers import describe_error
from repo_mcp.toolsets.research.answers import FORM as RESEARCH
from repo_mcp.toolsets.research.answers import ResearchToolError
from tests.log_collector import collect_logs


@given(
    st.integers(0, 300).flatmap(lambda rows: st.lists(st.integers(0, 500), min_size=rows, max_size=rows)),
    st.integers(-1, 99_999),
)
def test_as_many_rows_as_fit_are_given_and_few_numbers_are_tried(sizes: list[int], most: int) -> None:
    """The sizes of all numbers of rows are 1 and those before, as an answer without rows has a size, too."""
    sums = [1, *(1 + sum(sizes[:count]) for count in range(1, len(sizes) + 1))]
    tried: list[int] = []

    def build(count: int) -> tuple[str, float]:
        tried.append(count)
        return "x" * count, sums[count] / most if most > 0 else math.inf

    found = fit_rows(len(sizes), build)
    best = max((count for count, size in enumerate(sums) if size <= most), default=-1)
    assert found == (None if best < 0 else ("x" * best, best))
    assert len(tried) == len(set(tried)) <= 30


def test_of_equal_rows_a_handful_of_numbers_is_tried() -> None:
    tried: list[int] = []

    def build(count: int) -> tuple[int, float]:
        tried.append(count)
        return count, (200 + 80 * count) / 64_000

    assert fit_rows(100_000, build) == (797, 797)
    assert len(tried) <= 5


@pytest.mark.parametrize(
    ("longer", "shown"),
    [
        (lambda rows, room: Part({"rows": ["x" * 40] * rows + ["x" * (room - 3)]}), [40, 40, 12]),
        (lambda rows, room: Part({"rows": ["x" * 40] * rows + ["x" * room]}), [40, 40, 12]),  # tried again
        (  # cut by pieces that are longer than what is too much
            lambda rows, room: Part({"rows": ["x" * 40] * rows + ["x" * (40 if room > 9 else 1)]}),
            [40, 40, 1],
        ),
        (lambda rows, room: Part({"rows": ["x" * 40] * rows + ["x" * 40]}), [40, 40]),  # it never fits
        (lambda rows, room: None, [40, 40]),
        (None, [40, 40]),
    ],
)
def test_room_for_a_part_of_a_row_is_used(longer: Any, shown: list[int]) -> None:
    def run() -> Draft:
        return Draft(lambda rows: Part({"rows": ["x" * 40] * rows}), 3, add_lines=longer)

    whole = len(build_answer({"rows": ["x" * 40] * 2}).text) + 15 + RESEARCH.reserved_bytes
    answer = answer_call(RESEARCH, Call("tool", {}, cast(Any, None), run, None), max_bytes=whole)
    assert [len(row) for row in cast(list[str], answer.structured["rows"])] == shown


def test_json_is_compact_and_keeps_every_character() -> None:
    value = {"a": ["ü", "\u2028", 1.5, None], "b": {"c": "x\ny"}}
    answer = build_answer(value)
    assert answer.text == '{"a":["ü","\u2028",1.5,null],"b":{"c":"x\\ny"}}'
    assert answer.json is answer.text
    assert json.loads(answer.text) == value
    with pytest.raises(ValueError, match="not JSON compliant"):
        build_answer({"a": float("nan")})


def test_a_defect_is_named_by_its_place_alone() -> None:
    def break_down() -> None:
        raise LookupError("a line of a file")

    with collect_logs() as logged:
        for request_id in ("", "r-1"):
            try:
                break_down()
            except LookupError as error:
                log_defect("graph", "get_symbol", error, request_id)
        log_defect("graph", "get_symbol", ValueError("never raised"))
    first, second, third = logged.messages
    assert first.startswith("get_symbol failed: LookupError in break_down:")
    assert second == f"{first}, request r-1"
    assert third == "get_symbol failed: ValueError in ?"
    assert {record.name for record in logged.records} == {"repo_mcp.toolsets.graph"}


def fail(form: Form[Any], error: RepoError) -> dict[str, str]:
    """Return the error of a call that fails in this way, as clients see it."""

    def run() -> Draft:
        raise error

    answer = answer_call(form, Call("tool", {}, None, run, None), max_bytes=10_000)
    return cast(dict[str, str], answer.structured["error"])


@pytest.mark.parametrize("code", ErrorCode)
def test_every_failure_says_what_to_do_in_every_toolset(code: ErrorCode) -> None:
    """A failure that comes without a hint gets that of its code."""
    bare = RepoError(code, "It failed.")
    assert describe_error(bare)["hint"].endswith(".")
    assert fail(GRAPH, bare)["hint"].endswith(".")
    assert fail(RESEARCH, bare)["message"].removeprefix("It failed. ").endswith(".")
    worded = fail(RESEARCH, ResearchToolError(code, "As it is written"))
    assert worded["message"] == "As it is written"
    assert worded["hint"].endswith(".")
    assert HINTS[code]


def test_what_cannot_be_written_is_not_to_be_waited_for_in_any_toolset() -> None:
    full = RepoError(ErrorCode.INDEX_UNAVAILABLE, "It is full.", CHECK_PLACE)
    assert describe_error(full)["hint"] == CHECK_PLACE
    assert fail(GRAPH, full)["hint"] == CHECK_PLACE
    assert fail(RESEARCH, full)["message"] == f"It is full. {CHECK_PLACE}"
