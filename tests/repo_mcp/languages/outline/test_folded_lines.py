"""Which lines of a long type are shown when it is opened."""

from __future__ import annotations

import pytest

from repo_mcp.languages.outline.folded_lines import LONG_LINES, NEAR_LINES, choose_folded
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


@pytest.mark.parametrize(
    "line", ["    (*free_fn)(void *);", "  * b;", "# define SIZE 3", "#", " * Of b.", "// x;"]
)
def test_what_only_looks_like_a_comment_is_shown(line: str) -> None:
    count = LONG_LINES + 1
    lines = [*HEAD, *["        y"] * (count - len(HEAD) - 1), line]
    chosen = choose_folded(lines, 11, _symbols(10 + count))
    assert chosen is not None
    assert (10 + count in chosen) == line.endswith((");", " b;", " 3"))


def test_a_short_type_is_shown_whole() -> None:
    assert _fold(LONG_LINES) is None


def test_functions_and_types_without_any_are_shown_whole() -> None:
    last = 11 + LONG_LINES
    assert _fold(LONG_LINES + 1, [Symbol("function", "f", "", 11, last), *_symbols(last)[1:]]) is None
    assert _fold(LONG_LINES + 1, _symbols(last)[:2]) is None


@pytest.mark.parametrize(
    ("name", "signature", "lines", "head"),
    [
        (
            "users",
            "public List<User> users(int a)",
            ['@GetMapping("/users")', "public List<User> users(int a) {"],
            [1],
        ),
        ("run", "public void run()", ["@Override public void run() {"], [0]),
        (
            "get",
            "get( a: number, ): void",
            ["@target('get')", "get(", "  a: number,", "): void {"],
            [1, 2, 3],
        ),
        (
            "name",
            "@app.get('/name') def name(self, b: str='x') -> int",
            ['@app.get("/name")', "def name(", "    self,", "    # name", '    b: str = "x",', ") -> int:"],
            [1, 2, 4, 5],
        ),
        ("Name", "public Name Name", ['[Get("Name")]', "public Name Name", "{"], [1]),
        ("get", "int get(int a, int b) const", ["int", "get(int a,", "    int b) const", "{"], [1, 2]),
        ("join", "def join(a, b: 1)", ["def join(a, # first", "         b: 1) # second", "  a"], [0, 1]),
        ("odd", "", ["#[inline(odd)]", "fn odd() {"], [1]),
        ("lost", "", ["#[inline]", "fn found() {"], [0]),
    ],
)
def test_of_a_function_the_lines_of_its_signature_are_shown(
    name: str, signature: str, lines: list[str], head: list[int]
) -> None:
    body = ["x = 1"] * LONG_LINES
    last = len(lines) + len(body) + 1
    symbols = [Symbol("class", "All", "", 1, last), Symbol("method", name, signature, 2, last)]
    assert choose_folded(["class All", *lines, *body], 1, symbols) == (1, *(2 + at for at in head))


def test_a_comment_that_begins_like_a_directive_is_left_out_without_a_preprocessor() -> None:
    lines = ["class All", "# if one of them is gone", "def f(", *["x = 1"] * LONG_LINES]
    symbols = [Symbol("class", "All", "", 1, len(lines)), Symbol("method", "f", "def f(", 3, len(lines))]
    assert choose_folded(lines, 1, symbols) == (1, 2, 3)
    assert choose_folded(lines, 1, symbols, has_directives=False) == (1, 3)


@pytest.mark.parametrize("around", [14, 16, 100])
def test_the_line_asked_for_is_shown_with_those_next_to_it(around: int) -> None:
    count = LONG_LINES + 1
    lines = HEAD + ["        y"] * (count - len(HEAD))
    chosen = choose_folded(lines, 11, _symbols(10 + count), around)
    near = set(range(around - NEAR_LINES, around + NEAR_LINES + 1))
    assert chosen is not None
    assert set(chosen) == near | {11, 13, 16, 10 + count}


def test_bodies_of_properties_are_left_out() -> None:
    count = LONG_LINES + 1
    total = Symbol("property", "total", "", 15, 9 + count)
    symbols = [total if one.name == "total" else one for one in _symbols(10 + count)[:3]]
    assert _fold(count, symbols) == (11, 13, 16, 10 + count)


@pytest.mark.parametrize(("bodies", "is_folded"), [(66, False), (67, True)])
def test_what_would_save_little_is_shown_whole(bodies: int, is_folded: bool) -> None:
    count = LONG_LINES + 1
    lines = ["def f():"] + ["    y"] * bodies + ["x = 1"] * (count - bodies - 1)
    symbols = [Symbol("module", "m", "", 1, count), Symbol("function", "f", "def f()", 1, bodies + 1)]
    assert (choose_folded(lines, 1, symbols) is not None) == is_folded
