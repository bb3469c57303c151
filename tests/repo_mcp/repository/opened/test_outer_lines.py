"""Of a long function of which no line was asked for, the head and the outermost lines."""

from __future__ import annotations

from repo_mcp.repository.opened.lines_near import HEAD_LINES, LONG_CHARS
from repo_mcp.repository.opened.outer_lines import ROOM_CHARS, choose_outer

HEAD = ["def pay(", "    amount,", "):", '    """Pay."""']
BLOCK = ["", "    # next", "    for one in amount:", *["        one = one - 1"] * 20, "    )"]


def test_the_head_and_the_outermost_lines_of_code_with_words() -> None:
    lines = HEAD + BLOCK * 30
    chosen = choose_outer(lines, 11)
    assert chosen is not None
    assert chosen[:HEAD_LINES] == (11, 12, 13, 14)
    shown = [lines[number - 11] for number in chosen[HEAD_LINES:]]
    assert shown.count("    for one in amount:") == 30
    assert {*shown} == {"    for one in amount:", "        one = one - 1"}
    assert ROOM_CHARS - 100 < sum(map(len, shown)) <= ROOM_CHARS


def test_deeper_lines_are_shown_from_the_first_where_there_is_room() -> None:
    chosen = choose_outer(HEAD + BLOCK * 30, 1)
    assert chosen is not None
    deeper = [number for number in chosen[HEAD_LINES:] if (number - HEAD_LINES - 1) % len(BLOCK) > 2]
    assert deeper[0] == HEAD_LINES + 4
    assert deeper[-1] < chosen[-1]


def test_a_flat_function_shows_its_first_lines() -> None:
    lines = HEAD + ["    amount = amount - 1"] * 500
    chosen = choose_outer(lines, 1)
    assert chosen is not None
    assert chosen == tuple(range(1, len(chosen) + 1))


def test_what_is_short_is_whole() -> None:
    assert choose_outer(["x" * 10] * (LONG_CHARS // 10), 1) is None
