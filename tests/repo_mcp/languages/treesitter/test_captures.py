"""Captures in order, the depth of trees, and texts read by bytes: the fast ways beside the plain ones."""

from __future__ import annotations

import random

import pytest

from repo_mcp.languages.treesitter.source_text import SourceText
from repo_mcp.languages.typescript.walk import ScriptWalk
from repo_mcp.symbols.record_builder import SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import MAX_REFERENCES, ParseStatus, decode_symbol_record

pytest.importorskip("tree_sitter_javascript")

from repo_mcp.languages.treesitter import parser as tree_sitter_parser
from repo_mcp.languages.treesitter.parser import Captures, find_captures
from repo_mcp.languages.typescript import uses as typescript_uses

QUERIES = ("ecmascript", "javascript", "jsx")
TEXT = """
import { a, b as c } from "./m";
const größe = a.b.c(1, ...d).e[f].g, { h, i: { j = k } } = this.l;
class M extends N.O { p = (q) => q.r; #s() { return super.t?.u; } }
x . y.z; x./* a.b */w; "é".length; ns.größe.v(function (e) { e.f.g = 1.5.h; });
export default { a, b: c, d() {} };
""".encode()
NAMES = ["identifier", "member", "call", "bound", "declarator", "variables", "nothing", "pair", "object"]


def capture(text: bytes) -> Captures:
    found = find_captures("javascript", QUERIES, text)
    assert found is not None
    return found


def test_order_is_that_of_sorted_rows() -> None:
    found = capture(TEXT * 20)
    rows = [
        (node.start_byte, -node.end_byte, rank, node)
        for rank, name in enumerate(NAMES)
        for node in found.nodes.get(name, ())
    ]
    rows.sort(key=lambda row: row[:3])
    wanted = [(start, -end, rank, node) for start, end, rank, node in rows]
    assert list(found.iter_in_order(NAMES)) == wanted
    assert len(wanted) > 900


def test_no_captures_are_in_order() -> None:
    assert list(Captures({}, True).iter_in_order(NAMES)) == []


def nest(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth + b"; a; [[b, c], d]"


@pytest.mark.parametrize("text", [TEXT, nest(40), b"", b"a." * 30 + b"b", b"(" * 25], ids=range(5))
@pytest.mark.parametrize("most", [1, 2, 3, 10, 30, 31, 41, 42, 43, 44, 45, 60])
def test_depth_is_that_of_a_whole_walk(text: bytes, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    language, _ = tree_sitter_parser._load_query("javascript", QUERIES)
    tree = tree_sitter_parser.Parser(language).parse(text)
    deepest, waiting = 0, [(tree.root_node, 0)]
    while waiting:
        node, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(child, depth + 1) for child in node.children]
    monkeypatch.setattr(tree_sitter_parser, "MAX_DEPTH", most)
    assert tree_sitter_parser._bound_search(tree, len(text)) == (deepest > most, len(text))


def test_a_long_row_of_tokens_in_an_error_ends_what_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them costs those after it, wherever one searches: the text before them is read alone."""
    row, holes = b"`${" * 300, b"a = [" + b"," * 600 + b"];\n"
    monkeypatch.setattr(tree_sitter_parser, "MAX_PASSED", 100_000)
    found = capture(TEXT + holes + row + b"; later()")
    assert not found.is_complete
    assert {name: len(nodes) for name, nodes in found.nodes.items()} == {
        name: len(nodes) for name, nodes in capture(TEXT + holes).nodes.items()
    }
    assert capture(TEXT + holes).is_complete


def test_text_and_lines_are_those_of_nodes() -> None:
    text = TEXT + b"\xff\xfe.a;\r\nb\n"
    source = SourceText(text)
    for nodes in capture(text).nodes.values():
        for node in nodes:
            assert source.read(node) == text[node.start_byte : node.end_byte].decode("utf-8", "replace")
            assert source.find_line(node.start_byte) == node.start_point.row + 1
    assert source.read(None) == ""


@pytest.mark.parametrize(("text", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2)])
def test_lines_are_counted_with_or_without_an_end(text: bytes, lines: int) -> None:
    assert SourceText(text).line_count == lines


def list_member_rows(text: bytes, found: Captures, *, by_nodes: bool) -> list[object]:
    walk = ScriptWalk("a.js", text, is_typescript=False)
    walk.is_partial = by_nodes  # then nodes are asked
    for node in found.nodes["member"]:
        typescript_uses.on_member(walk, node)
    return list(walk._rows)


def make_members(seed: int) -> bytes:
    """Return statements of members of members, with what may stand between them."""
    dice = random.Random(seed)
    parts = ["a", "$", "_b1", "größe", "this", "f()", "g[0]", "new.target", '"s.t"', "1.5", "(x.y)"]
    links = [".", "?.", " . ", "./* c.d */", ".#", "\n."]
    lines = []
    for _ in range(200):
        chain = dice.choice(parts)
        for _ in range(dice.randrange(1, 5)):
            chain += dice.choice(links) + dice.choice(["m", "$n", "über", "o" * 90, "length"])
        lines.append(f"{chain};\n")
    return "".join(lines).encode()


@pytest.mark.parametrize("seed", range(8))
def test_members_read_by_characters_are_those_of_nodes(seed: int) -> None:
    for line in make_members(seed).split(b";\n"):
        found = capture(line)
        if found.is_complete and "member" in found.nodes:
            plain = list_member_rows(line, found, by_nodes=True)
            assert list_member_rows(line, found, by_nodes=False) == plain


def test_rows_above_the_limit_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_REFERENCES > 4
    for module in ("record_builder", "symbol_record"):
        monkeypatch.setattr(f"repo_mcp.symbols.{module}.MAX_REFERENCES", 4)
    for count, status in ((4, ParseStatus.FULL), (5, ParseStatus.PARTIAL)):
        builder = SymbolRecordBuilder("a.py", 9)
        builder.add_references((0, 2, f"n{row}", "", "", 1, 0) for row in range(count))
        record = decode_symbol_record(builder.encode())
        assert (record.reference_count, record.status) == (4, status)
        assert "n4" not in record.strings
