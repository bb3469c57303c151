"""Of a long span, the lines that are about some words, and those near them."""

from __future__ import annotations

import pytest

from repo_mcp.repository.opened import lines_about
from repo_mcp.repository.opened.lines_about import (
    BARE_CHARS,
    HEAD_LINES,
    MAX_COMPARED,
    NEAR_LINES,
    ROOM_CHARS,
    choose_asked,
    list_left,
)
from tests.growth import assert_linear

LONG = ["def pay(", "    amount,", *("    total = total + 1" for _ in range(198))]


def test_a_short_span_is_given_whole() -> None:
    assert choose_asked(["def f():", "    return 1"], 7, "what is returned") == (7, 8)


def test_one_long_line_is_given_whole() -> None:
    assert choose_asked(["var fence=1;" * ROOM_CHARS], 1, "fence") == (1,)


def test_nothing_is_chosen_where_no_line_has_a_word() -> None:
    assert choose_asked(LONG, 1, "fence") == ()
    assert choose_asked([], 1, "fence") == ()


def test_the_head_and_lines_near_a_word() -> None:
    lines = [*LONG]
    lines[100] = "    raise PaymentDenied"
    head = set(range(30, 30 + HEAD_LINES))
    near = set(range(130 - NEAR_LINES, 131 + NEAR_LINES))
    assert set(choose_asked(lines, 30, "denied payments")) == head | near


def test_statements_with_the_words_come_before_comments_except_in_prose() -> None:
    lines = [*LONG]
    for at in range(20, 180, 8):
        lines[at] = "    # the limit of polls, and why there is a limit of polls"
    lines[190] = "    if polls >= limit:"
    assert 191 in choose_asked(lines, 1, "polls limit")
    assert 191 not in choose_asked(lines, 1, "polls limit", is_prose=True)


def test_parts_of_a_name_count_only_where_no_line_has_the_whole() -> None:
    lines = [*LONG]
    lines[60], lines[140] = "    amount_due = 3", "    if amount is due:"
    shown = choose_asked(lines, 1, "amount_due")
    assert (61 in shown, 141 in shown) == (True, False)
    assert list_left(lines, 1, "amount_due", set(shown)) == []
    assert {61, 141} <= set(choose_asked(lines, 1, "amount_dues"))


def test_a_condition_of_several_lines_is_shown_whole() -> None:
    lines = [*LONG]
    lines[100:107] = [
        "    if (",
        "        is_denied and",
        *("        not is_paid and" for _ in range(3)),
        "        is_due",
        "    ):",
    ]
    near = set(range(101 + 1 - NEAR_LINES, 108))
    assert set(choose_asked(lines, 1, "denied")) == {1, 2} | near
    lines[106] = "    total = 1"  # not closed within a few lines
    assert 105 not in choose_asked(lines, 1, "denied")


def test_a_link_of_a_chain_of_calls_is_shown_with_its_neighbours() -> None:
    lines = [f"{line}{at}" for at, line in enumerate(LONG)]
    for at in range(10, 190, 6):  # more than are shown with the lines near them
        lines[at : at + 5] = [
            "    let width = rest",
            "        .fences()",
            "        .map(count)",
            "        .sum();",
            "    end();",
        ]
    chosen = {*choose_asked(lines, 0, "fences")}
    links = {at for at in chosen if lines[at].endswith(".fences()")}
    assert links - {at for at in chosen if at - 2 in chosen and at + 2 in chosen}  # without all that is near
    assert {near for at in links for near in (at - 1, at + 1)} <= chosen


def test_blank_lines_at_the_end_of_a_run_are_left_out() -> None:
    lines = [*LONG]
    lines[98:103] = ["", "    x = 1", "    raise PaymentDenied", "", "    y = 2"]
    assert set(choose_asked(lines, 1, "denied")) == {1, 2, 100, 101, 102, 103}


def test_a_rare_word_comes_before_many_lines_with_a_frequent_one() -> None:
    lines = [f"    total = charge({number})" for number in range(300)]
    lines[250] = "    refund = charge(0)"
    chosen = choose_asked(lines, 1, "charge refund")
    assert 251 in chosen
    assert sum(len(lines[number - 1]) for number in chosen) < ROOM_CHARS + BARE_CHARS + 200


def test_every_word_is_shown_before_one_is_shown_again() -> None:
    lines = [*LONG]
    for at in range(40, 180, 5):
        lines[at] = "    alpha()" + " " * 80
    lines[190] = "    beta()"
    assert 191 in choose_asked(lines, 1, "alpha beta")


def test_no_single_line_is_left_out_between_others() -> None:
    lines = [*LONG]
    lines[100] = lines[106] = "    raise PaymentDenied"  # the lines near them leave one between
    assert set(choose_asked(lines, 1, "denied")) == {1, 2, *range(99, 110)}


def test_lines_with_words_that_are_not_shown_are_listed_the_rarest_words_first() -> None:
    lines = [f"    total = charge({number})" for number in range(300)]
    lines[250] = "    refund = charge(0)"
    shown = {*choose_asked(lines, 1, "charge refund")}
    left = list_left(lines, 1, "charge refund", shown)
    assert {*left} == {*range(1, 301)} - shown
    assert left == sorted(left)
    assert list_left(lines, 1, "charge refund", shown - {251})[0] == 251


def test_a_few_lines_are_shown_without_those_near_them() -> None:
    lines = [f"    total{number} = {number}" for number in range(300)]
    for at in range(20, 300, 10):
        lines[at] = f"    denied({at})" + " " * 20
    chosen = {*choose_asked(lines, 1, "denied")}
    shown = [at + 1 for at in range(20, 300, 10) if at + 1 in chosen]
    assert shown == [*range(21, shown[-1] + 1, 10)]
    bare = [number for number in shown if not {number - 1, number + 1} & chosen]
    assert bare == shown[-len(bare) :]
    assert BARE_CHARS - 80 < sum(len(lines[number - 1]) for number in bare) < BARE_CHARS + 80


def test_of_very_many_lines_with_words_only_the_best_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["def pay():", *["  x"] * (3 * MAX_COMPARED), "    x = rare"]
    chosen = choose_asked(lines, 1, "x rare")
    assert len(lines) in chosen
    assert max(number for number in chosen if number < len(lines) - NEAR_LINES) <= MAX_COMPARED
    monkeypatch.setattr(lines_about, "MAX_COMPARED", 200)
    assert_linear(
        lambda size: ["def pay():", *["  x"] * size], lambda some: choose_asked(some, 1, "x"), 3_000
    )


def test_a_span_of_which_few_lines_would_be_left_out_stays_whole() -> None:
    comment = "# and a comment that takes some room, as comments do"
    near = [f"    parcel_{at} = weigh(parcel, {at})  {comment}" for at in range(20)]
    far = [f"    other_{at} = count(other, {at})  {comment}" for at in range(20)]
    lines = ["def settle(parcel, other):", *near[:14], *far[:2], "    return parcel"]
    assert choose_asked(lines, 1, "parcel") == tuple(range(1, len(lines) + 1))
    assert len(choose_asked([*lines, *far, *far], 1, "return")) < len(lines)
