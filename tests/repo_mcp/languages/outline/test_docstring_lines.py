"""Long docstrings, and strings that only look like them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from repo_mcp.languages.outline.docstring_lines import FIRST_LINES, LONG_LINES, iter_long_docstrings
from tests.growth import assert_linear

ROOT = Path(__file__).resolve().parents[4]
LONG = "row\n" * 20
Q = '"""'


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (f"def f():\n    {Q}Sell.\n{LONG}    {Q}\n    pass\n", [range(3, 22)]),
        (
            f"def f(a: str = ':', #\n    b='{Q}') -> int: # '\n\n    # c\n    r{Q}a\n{LONG}'{Q}\n",
            [range(6, 25)],
        ),
        (f'def f():\n    {Q}A \\{Q} ""\n{LONG}    {Q}\n', [range(3, 22)]),
        (f"def f():\n    {Q}Never closed\n{LONG}", []),
        (f'def f():\n    rows = {{\n        "a":\n            {Q}\n{LONG}            {Q},\n    }}\n', []),
        # What closes a string does not begin a docstring.
        (f"def f():\n    usage = {Q}\nOptions:\n{Q}\n{LONG}    other = {Q}x{Q}\n", []),
        (f"def f():\n    usage = '''\nOptions:\n{Q}\n{LONG}{Q}\n'''\n", []),
    ],
)
def test_only_a_string_below_the_head_of_a_block_is_a_docstring(text: str, hidden: list[range]) -> None:
    assert list(iter_long_docstrings(text.split("\n"))) == hidden


def test_those_that_a_parser_finds_are_found() -> None:
    """The tests of this room have strings of many forms, and code in strings."""
    for path in sorted((ROOT / "tests/repo_mcp/languages").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        wanted = []
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
                first, last = node.body[0].lineno, node.body[0].end_lineno or 0
                wanted += [range(first - 1 + FIRST_LINES, last - 1)] if last - first >= LONG_LINES else []
        assert list(iter_long_docstrings(text.split("\n"))) == wanted, path


@pytest.mark.parametrize("part", ['"', "'\\", "[:", '"""a', "\\'''\n", '"""\n'])
def test_long_lines_and_many_quotes_take_linear_time(part: str) -> None:
    def run(lines: list[str]) -> list[range]:
        return list(iter_long_docstrings(lines))

    assert_linear(lambda size: [f"def f():\n{Q}", *(part * size).split("\n")], run, 2_000)
