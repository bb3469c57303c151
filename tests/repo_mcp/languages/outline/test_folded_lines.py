"""Which lines of a long type are shown when it is opened."""

from __future__ import annotations

from repo_mcp.languages.outline.folded_lines import LONG_LINES, choose_folded
from repo_mcp.model import Symbol

HEAD = [
    "class Ledger:",
    "    # Of one year.",
    "    size = 4",
    "",
    "    @cached",
    "    def total(self):",
    "        x",
]


def _symbols(last: int) -> list[Symbol]:
    return [
        Symbol("class", "Ledger", "", 11, last),
        Symbol("constant", "size", "", 13, 13),
        Symbol("method", "total", "", 15, last - 1),
        Symbol("function", "inner", "", 20, last - 2),
    ]


def _fold(count: int, symbols: list[Symbol] | None = None) -> tuple[int, ...] | None:
    lines = HEAD + ["        y"] * (count - len(HEAD) - 1) + ["    name: str"]
    return choose_folded(lines, 11, _symbols(10 + count) if symbols is None else symbols)


def test_a_long_type_has_its_own_lines_and_the_names_of_its_functions() -> None:
    count = LONG_LINES + 1
    assert _fold(count) == (11, 13, 16, 10 + count)


def test_a_short_type_is_shown_whole() -> None:
    assert _fold(LONG_LINES) is None


def test_functions_and_types_without_any_are_shown_whole() -> None:
    last = 11 + LONG_LINES
    assert _fold(LONG_LINES + 1, [Symbol("function", "f", "", 11, last), *_symbols(last)[1:]]) is None
    assert _fold(LONG_LINES + 1, _symbols(last)[:2]) is None
