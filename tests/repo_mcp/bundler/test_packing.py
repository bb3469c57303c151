"""No limit of a budget is passed, nothing is shown twice, and excerpts that touch are one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.bundler.packing import MAX_LINE_CHARS, Packer, cut_line, order_selections
from repo_mcp.bundler.records import Budget, Selection, count_totals


def excerpt(path: str, start: int, lines: list[str], score: float = 1.0) -> Selection:
    end = start + len(lines) - 1
    return Selection(path, start, end, None, (), score, (), tuple(lines), "00")


def numbered(count: int, word: str = "line") -> list[str]:
    return [f"{word} {number}" for number in range(count)]


@given(
    st.integers(1, 6),
    st.integers(1, 60),
    st.none() | st.integers(1, 200),
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(1, 30)), max_size=12),
)
def test_no_limit_is_ever_passed(
    files: int, lines: int, tokens: int | None, wanted: list[tuple[str, int]]
) -> None:
    packer = Packer(Budget(files, lines, tokens))
    for number, (path, count) in enumerate(wanted):
        packer.add(excerpt(path, 1 + 100 * number, numbered(count, f"{path}{number}")))
    totals = count_totals(packer.selections)
    assert len({one.path for one in packer.selections}) == totals.files <= files
    assert sum(len(one.lines) for one in packer.selections) == totals.lines <= lines
    assert tokens is None or totals.tokens <= tokens
    assert len(packer.selections) + len(packer.dropped) == len(wanted)
    for one in packer.selections:
        assert one.end_line - one.start_line + 1 == len(one.lines) > 0


def test_nearly_the_same_lines_are_refused_with_the_reason() -> None:
    packer = Packer(Budget(9, 99, None))
    assert packer.add(excerpt("a", 1, numbered(10)))
    assert packer.add(excerpt("b", 1, [*numbered(9), "other"])) is None
    assert packer.dropped[0].reason == "almost the same lines as a:1-10"
    assert packer.add(excerpt("c", 1, ["}", "return"]))  # too short to be distinguished
    assert packer.add(excerpt("d", 1, ["}", "return"]))


def test_alike_declarations_of_one_file_are_different_ones() -> None:
    packer = Packer(Budget(9, 99, None))
    assert packer.add(excerpt("a", 1, numbered(10)))
    assert packer.add(excerpt("a", 40, [*numbered(9), "other"]))


def test_touching_excerpts_are_one() -> None:
    found = [excerpt("b", 1, ["z"]), excerpt("a", 6, ["y"]), excerpt("a", 5, ["x"])]
    joined = order_selections(found, {"a": 0, "b": 1})
    assert [(one.citation, one.lines) for one in joined] == [("a:5-6", ("x", "y")), ("b:1-1", ("z",))]


def test_long_excerpts_that_touch_keep_their_own_names() -> None:
    found = [excerpt("a", 1, numbered(80)), excerpt("a", 81, numbered(80)), excerpt("a", 161, numbered(40))]
    ordered = order_selections(found, {"a": 0})
    assert [one.citation for one in ordered] == ["a:1-80", "a:81-200"]


def test_what_is_asked_for_is_an_excerpt_of_its_own() -> None:
    found = [excerpt("a", 1, ["x"]), excerpt("a", 2, ["y"]), excerpt("a", 3, ["z"]), excerpt("a", 4, ["w"])]
    ordered = order_selections(found, {"a": 0}, is_asked=lambda one: one.start_line == 2)
    assert [one.citation for one in ordered] == ["a:1-1", "a:2-2", "a:3-4"]


def test_an_excerpt_neither_begins_nor_ends_with_empty_lines() -> None:
    found = [excerpt("a", 1, ["", "x", " "]), excerpt("a", 4, ["y", "", "z", "", ""]), excerpt("b", 1, [""])]
    ordered = order_selections(found, {"a": 0, "b": 1})
    assert [(one.citation, one.lines) for one in ordered] == [
        ("a:2-6", ("x", " ", "y", "", "z")),
        ("b:1-1", ("",)),
    ]


def test_a_long_line_is_cut() -> None:
    assert cut_line("x" * MAX_LINE_CHARS) == "x" * MAX_LINE_CHARS
    assert cut_line("x" * (MAX_LINE_CHARS + 1)) == "x" * MAX_LINE_CHARS + "…"
