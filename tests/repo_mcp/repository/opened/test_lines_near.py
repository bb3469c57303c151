"""Of a long declaration, the lines near one of them."""

from __future__ import annotations

from repo_mcp.repository.opened.lines_near import HEAD_LINES, LONG_CHARS, ROOM_CHARS, choose_near, list_beside

LONG = [
    "def pay(",
    "    amount,",
    "):",
    '    """Pay."""',
    "    while amount:",
    *("        amount = amount - 1" for _ in range(400)),
]


def test_the_head_the_blocks_around_and_what_is_beside() -> None:
    chosen = choose_near(LONG, 11, 211, 2_000)
    assert chosen is not None
    head, beside = chosen[: HEAD_LINES + 1], chosen[HEAD_LINES + 1 :]
    assert head == (11, 12, 13, 14, 15)
    assert beside == tuple(range(beside[0], beside[-1] + 1))
    assert 211 - beside[0] == beside[-1] - 211
    assert abs(sum(len(LONG[number - 11]) for number in beside) - ROOM_CHARS) < 60


def test_what_is_short_or_asked_for_by_its_head_is_whole() -> None:
    assert choose_near(LONG[: LONG_CHARS // 40], 11, 60, 2_000) is None
    assert choose_near(LONG, 11, 11 + HEAD_LINES - 1, 2_000) is None
    assert choose_near(LONG, 11, 11 + len(LONG), 2_000) is None


def test_where_few_lines_are_allowed_the_one_asked_for_is_among_them() -> None:
    assert choose_near(LONG, 11, 211, 4) == (209, 210, 211, 212)
    last = 10 + len(LONG)
    assert choose_near(LONG, 11, last, 3) == (last - 2, last - 1, last)


def test_room_is_used_on_one_side_where_the_other_ends_and_not_for_blank_lines() -> None:
    lines = ["x" * 10] * 20
    assert list_beside(lines, 19, 100) == range(10, 20)
    assert list_beside(lines, 0, 1_000) == range(20)
    assert list_beside(["aaa", " ", "b", " ", "ccc"], 2, 3) == range(2, 3)
