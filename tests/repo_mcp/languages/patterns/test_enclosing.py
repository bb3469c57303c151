"""The declaration around a line: innermost, from its decorators to its end, whatever stands between."""

from __future__ import annotations

import ast
import random
import re
import sys
from collections import OrderedDict
from collections.abc import Sequence
from types import FrameType
from typing import Any

import pytest

from index_format import compute_fingerprint
from repo_mcp.languages.patterns import enclosing
from repo_mcp.languages.patterns.declared_spans import SymbolSpan, list_declared_spans
from repo_mcp.languages.patterns.enclosing import (
    COMMENTS_A_SPAN,
    OUTSIDE,
    RECENT_SHARE,
    Declarations,
    find_declarations,
)
from repo_mcp.languages.patterns.language_registry import find_language
from tests.architecture.source_tree import list_files, load_module
from tests.deep.sizes import choose
from tests.repo_mcp.symbol_spans import store_spans

PYTHON = b'''import os

class Ledger:
    LIMIT = 3

    # Not part of it.
    @cache(
        size=1,
    )
    def post(self, amount):
        """Add.

at the margin
        """
        text = (
    "dedented"
        )
# a comment at the margin
        return text + \\
  "more"
    # after it

    def short(self): pass

x = "def no():"
'''
POST = ("Ledger.post", 7, 20)
DECLARES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
LEDGER = ("Ledger", 3, 23)


def find_in(path: str, text: bytes) -> Declarations:
    return find_declarations(find_language(path), text, compute_fingerprint(text))


@pytest.mark.parametrize(
    ("line", "around"),
    [(1, None), (4, ("Ledger.LIMIT", 4, 4)), (6, LEDGER), (7, POST), (8, POST), (13, POST), (16, POST),
     (18, POST), (20, POST), (21, LEDGER), (23, ("Ledger.short", 23, 23)), (24, None), (25, None)],
)  # fmt: skip
def test_the_innermost_declaration(line: int, around: tuple[str, int, int] | None) -> None:
    found = find_in("a.py", PYTHON).find_innermost(line)
    assert (found and (found.qualified_name, found.head_line, found.end_line)) == around


C = b"""/* The first. */
static int first(int a)
{
\treturn a;
}

int second(void)
{
#ifdef DEBUG
\tdump();
#endif
\treturn first(2);
}
"""


@pytest.mark.parametrize(
    ("line", "around"),
    [(1, None), (2, ("first", 2, 5)), (5, ("first", 2, 5)), (6, None), (7, ("second", 7, 13)),
     (12, ("second", 7, 13))],
)  # fmt: skip
def test_declarations_with_braces(line: int, around: tuple[str, int, int] | None) -> None:
    found = find_in("a.c", C).find_innermost(line)
    assert (found and (found.name, found.head_line, found.end_line)) == around


def test_declarations_of_one_line_can_be_passed_over() -> None:
    declarations = find_in("a.py", PYTHON)
    found = [declarations.find_innermost(line, 2) for line in (4, 23, 25)]
    assert [one and one.qualified_name for one in found] == ["Ledger", "Ledger", None]


def test_brackets_that_do_not_balance_are_none() -> None:
    """A file that is being written: what stands after the open bracket is still found."""
    text = b"def first(:\n    return 1\n\ndef second():\n    return 2\n"
    declarations = find_in("a.py", text)
    found = [declarations.find_innermost(line) for line in (2, 5)]
    assert [one and (one.name, one.end_line) for one in found] == [("first", 2), ("second", 5)]


@pytest.mark.sized
def test_every_line_of_our_own_files_lies_where_the_parser_says() -> None:
    files = list_files()
    for module in map(load_module, random.sample(files, choose(50, len(files)))):
        innermost: dict[int, tuple[str, int, int]] = {}
        nodes = [node for node in ast.walk(module.tree) if isinstance(node, DECLARES)]
        for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            end = node.end_lineno or first
            innermost |= dict.fromkeys(range(first, end + 1), (node.name, first, end))
        declarations = find_in("a.py", module.text.encode())
        texts = module.text.split("\n")
        for line in range(1, len(texts)):
            span = declarations.find_innermost(line)
            named = None if span is None else (span.name, span.head_line, span.end_line)
            if span is None or re.match(r"\s*(async |)(def|class) ", texts[span.name_line - 1]):
                assert named == innermost.get(line), (module.path, line)


def find_innermost_clearly(spans: Sequence[SymbolSpan], line: int, least_lines: int) -> SymbolSpan | None:
    for span in reversed(spans):
        if span.head_line <= line <= span.end_line and span.end_line - span.head_line >= least_lines - 1:
            return span
    return None


@pytest.mark.parametrize("path", ["a.py", "a.c", "a.rs"])
def test_declarations_in_arrays_are_those_of_the_list(path: str) -> None:
    text = {"a.py": PYTHON, "a.c": C, "a.rs": "impl Ä {\n    fn ö() {\n        a()\n    }\n}\n".encode()}[
        path
    ]
    spans = list_declared_spans(find_language(path), text)
    declarations = store_spans(spans)
    assert declarations.list_all() == tuple(spans)
    lines = range(1, text.count(b"\n") + 2)
    assert len(declarations) == len(spans)
    assert declarations.find_between(1, lines[-1]) == list(spans)
    for line in lines:
        assert declarations.find_between(line, line + 3) == [
            span for span in spans if line <= span.name_line <= line + 3
        ]
        for least_lines in (1, 2, 5):
            expected = find_innermost_clearly(spans, line, least_lines)
            assert declarations.find_innermost(line, least_lines) == expected
    marks = [line % 3 for line in lines]
    grouped = declarations.group_innermost(1, marks)
    found = {
        place: None if number == OUTSIDE else declarations.get(number)
        for number, places in grouped.items()
        for place in places
    }
    assert found == {line - 1: declarations.find_innermost(line) for line in lines if line % 3}
    numbers = [*range(len(spans))]
    assert declarations.list_name_lines(numbers) == [span.name_line for span in spans]
    names, outer = declarations.list_names(numbers)
    assert names == [span.name for span in spans]
    assert [*map(str.__add__, outer, names)] == [span.qualified_name for span in spans]


def test_of_more_declarations_than_are_kept_some_are_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least recently used would be the next ones to be asked for, so that none would."""
    found: list[int] = []

    def find(*arguments: Any) -> Declarations:
        found.append(1)
        return find_in_part(*arguments)

    find_in_part = enclosing._find_in_part
    monkeypatch.setattr(enclosing, "_find_in_part", find)
    empty = {"_values": OrderedDict(), "_weight": 0, "_limit": 1_500, "_recent": 1_500 * RECENT_SHARE}
    for name, value in empty.items():
        monkeypatch.setattr(enclosing._known, name, value)
    for at in [*range(40)] * 5:  # which weigh 17 to 80, together 1,900
        text = b"def get(self): pass\n" * (1 + at * 9 % 64)
        find_declarations(find_language("a.py"), text, b"one of forty %d" % at)
    assert len(found) < 160


def test_comments_are_counted_with_the_declarations_that_are_kept() -> None:
    """A text may have thousands of comments and no declaration."""
    text = b"# one\n\nx = 1\n" * 1_000
    declarations = find_declarations(find_language("a.py"), text, b"a thousand comments")
    assert (len(declarations), sum(declarations.mark_comments(3_000))) == (0, 1_000)
    assert declarations.weight >= 1_000 // COMMENTS_A_SPAN


def test_lines_below_many_members_are_not_compared_with_each() -> None:
    """Such a table in a class with 5,000 short methods took 1.4 s, with 20,000 methods 23 s."""
    members = b"".join(b"    def get_%d(self): pass\n" % number for number in range(300))
    text = b"class A:\n" + members + b"    table = [\n" + b"        value,\n" * 300 + b"    ]\n"
    declarations = find_declarations(find_language("a.py"), text, b"many members")
    marks = [1] * text.count(b"\n")
    steps = 0

    def count(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal steps
        steps += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        grouped = declarations.group_innermost(1, marks)
    finally:
        sys.settrace(before)
    assert [len(places) for places in grouped.values()] == [303, *[1] * 300]
    assert steps < 20 * len(marks)


@pytest.mark.parametrize("text", ["s", "st", "add", "ledger", "z", "sta"])
def test_names_that_lack_a_text_are_left_out(text: str) -> None:
    spans = list_declared_spans(find_language("a.py"), PYTHON)
    found = store_spans(spans).find_between(5, 23, text)
    between = [span for span in spans if 5 <= span.name_line <= 23]
    assert found == [span for span in between if text in span.qualified_name.lower()]
    other = list_declared_spans(find_language("a.py"), PYTHON.replace(b"Ledger", "Lädger".encode()))
    assert len(store_spans(other).find_between(5, 23, text)) == len(between)


def test_a_text_without_declarations() -> None:
    declarations = store_spans(())
    assert (len(declarations), declarations.find_innermost(1), declarations.find_between(1, 9)) == (
        0,
        None,
        [],
    )


def test_lines_of_comments_and_docstrings_are_marked() -> None:
    marks = find_in("a.py", PYTHON).mark_comments(PYTHON.count(b"\n"))
    assert [line for line, is_comment in enumerate(marks, 1) if is_comment] == [6, 11, 12, 13, 14, 18, 21]
    text = b"int a;\n/* one\n   two */\n// three\nint b; // no line of its own\n"
    assert [*find_in("a.c", text).mark_comments(5)] == [0, 1, 1, 1, 0]
    assert [*find_in("a.c", text).mark_comments(3)] == [0, 1, 1]
    assert [*find_in("a.unknown", b"# one\n").mark_comments(1)] == [0]


def test_declarations_are_listed_by_name() -> None:
    found = find_in("a.py", PYTHON)
    assert [span.qualified_name for span in found.list_named({"short", "post", "gone"})] == [
        "Ledger.post",
        "Ledger.short",
    ]
    assert found.list_named(()) == []


MACROS = "#define GATE_{0}_SHIFT 0x{0}\n#define GATE_{0}_MASK 0x1L\n"
AMONG_MACROS = (
    "struct gate {\n",
    "};\n",
    "int open_gate(void)\n{\n    return 1;\n}\n",
    "// The gates.\n",
    "#define LONG(a) \\\n    (a)\n",
    "\n",
    "#define f(a) void g(void) { a; }\n",
    "#define ouvrir_\u00e9t\u00e9 1\n",
    "typedef int \u00e9t\u00e9;\n",
)


@pytest.mark.parametrize("seed", range(choose(12, 400)))
def test_macros_are_kept_in_the_order_of_all_declarations(seed: int) -> None:
    """Macros that stand apart are found by arrays, others line by line."""
    draw = random.Random(seed)
    pieces = [draw.choice([MACROS.format(at), *AMONG_MACROS]) for at in range(60)]
    text = f"#define FIRST\n{''.join(pieces)}".encode()
    for path in ("a.h", "a.S"):
        language = find_language(path)
        spans = list_declared_spans(language, text)
        assert [span.name_line for span in spans] == sorted(span.name_line for span in spans)
        declarations = find_declarations(language, text, compute_fingerprint(text))
        assert declarations.list_all() == spans
        macros = [span for span in spans if span.name.startswith("GATE_")]
        assert len(macros) == text.count(b"#define GATE_")
        assert all(text.split(b"\n")[one.name_line - 1].split()[1] == one.name.encode() for one in macros)
