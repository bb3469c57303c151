"""How files are cut into the blocks of bundles."""

from __future__ import annotations

from itertools import pairwise

from repo_mcp.blocks.blocks import MAX_NESTED, cut_blocks, is_whole
from repo_mcp.languages.patterns.declared_spans import SymbolSpan


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
