"""A diff over the file as it is: which side it has, where its hunks lie, what it touches."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.impact.applied import AppliedFile, Side, TouchedLines, apply_hunks
from repo_mcp.text.unified_diff import parse_diff
from tests.deep.sizes import examples

OLD = [f"line {number}" for number in range(1, 31)]
NEW = [*OLD[:4], "inserted", *OLD[4:19], "twenty", *OLD[20:24], *OLD[26:]]  # 5 added, 20 changed, 25-26 gone


def _diff(old: list[str], new: list[str], context: int = 3) -> str:
    return "\n".join(difflib.unified_diff(old, new, "a/f", "b/f", n=context, lineterm=""))


def _lay(lines: list[str], diff: str) -> AppliedFile:
    return apply_hunks(lines, parse_diff(diff).files[0].hunks)


@pytest.mark.parametrize("context", [0, 3])
@pytest.mark.parametrize(("lines", "side", "other"), [(NEW, Side.NEW, OLD), (OLD, Side.OLD, NEW)])
def test_both_sides_are_distinguished_and_give_each_other(
    lines: list[str], side: Side, other: list[str], context: int
) -> None:
    applied = _lay(lines, _diff(OLD, NEW, context))
    assert (applied.side, list(applied.other), applied.misplaced) == (side, other, 0)
    new, old = (applied.here, applied.there) if side is Side.NEW else (applied.there, applied.here)
    assert new == TouchedLines((5, 21), (25,), ((25, 26),))
    assert old == TouchedLines((20, 25, 26), (4,), ((5,),))


@pytest.mark.parametrize("before", [1, 40])
def test_a_hunk_is_found_where_its_lines_have_moved_to(before: int) -> None:
    added = [f"other {number}" for number in range(before)]
    applied = _lay([*added, *NEW], _diff(OLD, NEW))
    assert (applied.side, applied.misplaced) == (Side.NEW, 0)
    assert applied.here.lines == (5 + before, 21 + before)
    assert list(applied.other) == [*added, *OLD]


def test_a_hunk_that_fits_nowhere_is_counted() -> None:
    spoilt = [*NEW[:18], "edited since", *NEW[19:]]
    applied = _lay(spoilt, _diff(OLD, NEW))
    assert (applied.side, applied.misplaced, applied.here.lines) == (Side.NEW, 1, (5,))


def test_lines_count_by_their_numbers_where_no_hunk_fits() -> None:
    applied = _lay(["something"] * 10, _diff(OLD, NEW))
    assert applied == AppliedFile(Side.NEITHER, TouchedLines((5,), ()), TouchedLines((), ()), (), 2)


_LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=14)


@pytest.mark.sized
@given(old=_LINES, new=_LINES, context=st.integers(1, 3))
@settings(max_examples=examples(500), deadline=None)
def test_every_diff_gives_one_side_from_the_other(old: list[str], new: list[str], context: int) -> None:
    if old == new:
        return
    diff = _diff(old, new, context)
    for lines, others in ((old, new), (new, old)):
        applied = _lay(lines, diff)
        if applied.side is (Side.OLD if lines is old else Side.NEW) and not applied.misplaced:
            assert list(applied.other) == others
            assert [lines[one - 1] for one in applied.here.lines] == [
                line[1:]
                for hunk in parse_diff(diff).files[0].hunks
                for line in hunk.lines
                if line[0] == ("-" if lines is old else "+")
            ]
