"""The lines of C from which on conditions of the preprocessor hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.languages.c.conditions import MAX_DEPTH, list_conditions
from tests.deep.sizes import examples
from tests.growth import BOUND, measure_growth

TEXT = b"""/* #if 1 */
#ifndef X_H
# define X_H
#ifdef _WIN32
a
#elif defined ( __linux__ ) && \\
   (B > 1 || C)  /* text; */
b
#else
#if defined A || D
#endif
#endif
#endif
#endif
"""


def test_conditions_hold_from_the_line_after_a_directive() -> None:
    linux = "defined(__linux__)"
    assert list_conditions(TEXT, is_header=True) == [
        (3, ""),
        (5, "defined(_WIN32)"),
        (8, f"!defined(_WIN32);{linux};(B > 1 || C)"),
        (10, f"!defined(_WIN32);!({linux} && (B > 1 || C))"),
        (11, f"!defined(_WIN32);!({linux} && (B > 1 || C));defined(A) || D"),
        (12, f"!defined(_WIN32);!({linux} && (B > 1 || C))"),
        (13, ""),
        (14, ""),
    ]


def test_only_the_first_condition_of_a_header_may_be_its_guard() -> None:
    text = b"#ifndef A\n#define A\n#endif\n"
    assert list_conditions(text, is_header=True)[0] == (2, "")
    assert list_conditions(text, is_header=False)[0] == (2, "!defined(A)")
    assert list_conditions(b"#ifdef B\n#endif\n" + text, is_header=True)[2] == (4, "!defined(A)")
    assert list_conditions(text.replace(b"#define A", b"#define A 1"), is_header=True)[0] == (
        2,
        "!defined(A)",
    )


def test_conditions_deep_within_each_other_are_not_recorded() -> None:
    rows = list_conditions(b"#if A\n" * 40 + b"#ifdef B\n" * 40, is_header=False)
    assert rows[-1] == (81, "A")
    last = list_conditions(b"#ifdef B%d\n" * 30 % tuple(range(30)), is_header=False)[-1][1]
    assert last.count(";") == MAX_DEPTH - 1


LINES = ("#if A", "#ifdef B", "#ifndef C", "#elif D", "#else", "#endif", "x", "/*", "*/", "#if \\", "")


def list_plainly(lines: list[str]) -> list[bool]:
    """Return whether any condition holds at each line, counted without a look at what the conditions are."""
    depth, found = 0, []
    for line in lines:
        found.append(depth > 0)
        depth += line.startswith("#if")
        depth -= line == "#endif" and depth > 0
    return found


def tell(rows: list[tuple[int, str]], line: int) -> bool:
    """Return whether rows say that a condition holds at a line."""
    return next((bool(held) for at, held in reversed(rows) if at <= line), False)


@settings(max_examples=examples(2_000))
@given(st.lists(st.sampled_from([one for one in LINES if "*" not in one and "\\" not in one]), max_size=40))
def test_a_line_has_conditions_where_a_plain_count_says_so(lines: list[str]) -> None:
    rows = list_conditions("\n".join(lines).encode(), is_header=False)
    assert [at for at, _ in rows] == sorted(at for at, _ in rows)
    assert [tell(rows, number) for number in range(1, len(lines) + 1)] == list_plainly(lines)


@settings(max_examples=examples(2_000))
@given(st.lists(st.sampled_from(LINES), max_size=40))
def test_any_lines_can_be_read(lines: list[str]) -> None:
    for _, held in list_conditions("\n".join(lines).encode(), is_header=True):
        assert "\n" not in held


@pytest.mark.parametrize(
    "piece", [b"#if (((((\n", b"/*", b"#if A\\\n", b"#if A /*\n", b"#ifndef A\n/* */ //\n"]
)
def test_a_text_takes_time_by_its_size(piece: bytes) -> None:
    ratio = measure_growth(
        lambda size: piece * size, lambda text: list_conditions(text, is_header=True), 2_000
    )
    assert ratio < BOUND
