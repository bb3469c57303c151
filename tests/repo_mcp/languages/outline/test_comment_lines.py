"""Long comments of several languages, and lines that only look like comments."""

from __future__ import annotations

import pytest

from repo_mcp.languages.outline.comment_lines import iter_long_comments
from repo_mcp.languages.outline.docstring_lines import LONG_LINES
from tests.growth import assert_linear

BLOCK = "/*\n" + "of plain text, also {\n\n" * 10 + "*/\n"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("use a;\n" + "/// said\n" * 20 + "fn f() {}\n", [range(3, 20)]),
        ("/**\n" + " * said\n" * 20 + " */\nint f();\n", [range(2, 21)]),
        (f"int a;\n  {BLOCK}int b;\n// one\n", [range(3, 22)]),
        (" * said\n" * 20 + " */\nint f();\n", [range(2, 20)]),  # it began above
        ("int f();\n/**\n" + " * said\n" * 20, [range(3, 21)]),  # it ends below
        ("# said\n" * (LONG_LINES + 1), [range(2, LONG_LINES)]),
        ("# said\n" * LONG_LINES, []),
        ("# said\n" * 8 + "\n" + "# said\n" * 8, []),
        ("#include <a.h>\n" * 20 + "#define A 1\n" * 20, []),
        ("case $1 in\n  /*) a ;;\n" + "  b) c ;;\n" * 20 + "  */*) d ;;\nesac\n", []),
        ("*a = 1;\n" * 20, []),
        ('/* 1 */ { "stop", stop },\n' * 20, []),  # rows of a table
        ("/*1*/ 0x0f,\n" * 20, []),
        ("/* a */ /* b */ // c\n" * 20, [range(2, 19)]),
        ("/*\n" + "said\n" * 20 + "*/ int a;\n", [range(2, 20)]),
        ("/* never closed\n" + "int a;\n" * 20, []),
        ("int a; /* from here\n" + "on\n" * 20 + "*/\n", []),
    ],
)
def test_lines_of_long_comments_may_be_left_out(text: str, hidden: list[range]) -> None:
    assert list(iter_long_comments(text.removesuffix("\n").split("\n"))) == hidden


@pytest.mark.parametrize("line", ["/* a", "/* a */", "// a", "*/"])
def test_comments_are_found_in_one_pass(line: str) -> None:
    assert_linear(lambda size: [line, "int a;"] * size, lambda lines: list(iter_long_comments(lines)), 2_000)
