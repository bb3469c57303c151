"""How files are cut into the blocks of bundles."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.blocks.blocks import (
    LONG_LINES,
    MAX_LEAD_LINES,
    MAX_NESTED,
    SMALL_CLASS_LINES,
    SMALL_FILE_LINES,
    cut_blocks,
    is_whole,
)
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from tests.repo_mcp.blocks.small_views import FILLING, SOURCE, cut


def test_thousands_of_declarations_inside_of_each_other_are_cut_for_some_levels() -> None:
    count = 3_000
    lines = [*(f"class C{at} {{" for at in range(count)), *"}" * count]
    spans = [SymbolSpan(at + 1, 2 * count - at, at + 1, at + 1, f"C{at}", f"C{at}") for at in range(count)]
    blocks = cut_blocks(lines, spans)
    assert [block.span.name for block in blocks if block.span] == [f"C{at}" for at in range(MAX_NESTED + 1)]
    assert (blocks[0].start_line, blocks[-1].end_line) == (1, 2 * count)
    assert all(one.end_line + 1 == two.start_line for one, two in pairwise(blocks))


def test_lines_of_inner_declarations_are_counted_once() -> None:
    lines = ["def f():"] * 400
    outer = SymbolSpan(1, 400, 1, 1, "f", "f")
    inner = [SymbolSpan(10, 180, 10, 10, "g", "f.g"), SymbolSpan(20, 170, 20, 20, "h", "f.g.h")]
    assert is_whole(lines, outer, inner)
    assert not is_whole(lines, outer, [*inner, SymbolSpan(181, 210, 181, 181, "i", "f.i")])


def test_an_object_of_functions_is_cut_into_them() -> None:
    method = ["    moor(ship) {", *["        tie(ship)"] * 28, "    },"]
    head = "export const harbour: Harbour<Ship> = {"
    lines = [head, *method, *method, "}"]
    spans = [
        SymbolSpan(1, 62, 1, 1, "harbour", "harbour"),
        SymbolSpan(2, 31, 2, 2, "moor", "harbour.moor"),
        SymbolSpan(32, 61, 32, 32, "moor", "harbour.moor"),
    ]
    assert [(one.start_line, one.end_line) for one in cut_blocks(lines, spans)] == [(1, 1), (2, 31), (32, 62)]
    for function in (
        "export const harbour = (fleet) => {",
        "def harbour(fleet: Fleet) = {",
        "def harbour = {",
    ):
        lines[0] = function
        assert [(one.start_line, one.end_line) for one in cut_blocks(lines, spans)] == [(1, 62)]
    lines[0] = head
    assert is_whole(lines, spans[0], [SymbolSpan(2, 31, 2, 2, "moor", "harbour.moor")])  # mostly values


@given(st.integers(0, 120), st.integers(0, 9), st.sampled_from(["a.py", "a.c", "a.rs", "a.txt", "a.md"]))
def test_blocks_are_a_partition(lines: int, inside: int, path: str) -> None:
    text = "class A:\n" + "".join(
        f"{'    ' * (n % (inside + 1) > 0)}def f{n}():\n        return {n}\n\n" for n in range(lines)
    )
    covered = [line for one in cut(text, path) for line in range(one.start_line, one.end_line + 1)]
    assert covered == list(range(1, len(text.splitlines()) + 1))


def test_a_small_file_is_one_block_and_a_small_class_too() -> None:
    assert [(one.start_line, one.end_line) for one in cut(SOURCE)] == [(1, len(SOURCE.splitlines()))]
    names = [one.span.qualified_name for one in cut(SOURCE + FILLING) if one.span]
    assert names[:3] == ["first", "Account", "last"]
    assert len((SOURCE + FILLING).splitlines()) > SMALL_FILE_LINES
    assert cut("") == []


def test_a_long_class_is_cut_into_its_head_and_its_members() -> None:
    members = "".join(f"\n    def m{n}(self):\n        return {n}\n" for n in range(SMALL_CLASS_LINES))
    blocks = cut(f"class Long:\n    size = 1\n{members}")
    assert [one.span.qualified_name for one in blocks[:3] if one.span] == ["Long", "Long.m0", "Long.m1"]
    assert {one.owner.name for one in blocks if one.owner} == {"Long"}


def test_a_module_is_cut_even_if_an_attribute_of_rust_holds_its_name() -> None:
    inner = "".join(f"    fn part{n}() {{\n        hull({n});\n    }}\n" for n in range(20))
    names = [
        one.span.qualified_name for one in cut(f"#[cfg(test)]\nmod test {{\n{inner}}}\n", "a.rs") if one.span
    ]
    assert names[:3] == ["test", "test.part0", "test.part1"]


def test_a_function_is_never_cut_below_its_length_as_a_module() -> None:
    inner = "".join(f"  function part{n}() {{\n    return {n};\n  }}\n" for n in range(40))
    (whole,) = [one for one in cut(f"function outer() {{\n{inner}}}\n", "a.js") if one.span]
    assert (whole.start_line, whole.end_line) == (1, 122)
    inner *= 3
    assert LONG_LINES < 122 * 3
    assert len(cut(f"function outer() {{\n{inner}}}\n", "a.js")) > 100


def test_a_comment_goes_with_its_declaration_unless_it_is_long() -> None:
    text = "// One.\nfn one() {\n}\n" + "// Long.\n" * 30 + "fn two() {\n}\n" + "fn f() {\n}\n" * 20
    blocks = {one.span.name: one.start_line for one in cut(text, "a.rs") if one.span}
    assert blocks["one"] == 1
    assert blocks["two"] == 34
    for lines, start in ((MAX_LEAD_LINES, 4), (MAX_LEAD_LINES + 1, 5 + MAX_LEAD_LINES)):
        text = "fn one() {\n}\n\n" + "// Two.\n" * lines + "fn two() {\n}\n" + "fn f() {\n}\n" * 20
        assert [one.start_line for one in cut(text, "a.rs") if one.span and one.span.name == "two"] == [start]
