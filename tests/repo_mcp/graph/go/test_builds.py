"""Go: build constraints, and declarations of which each build has one, which are variants of one symbol."""

from __future__ import annotations

import pytest

from repo_mcp.graph.go.builds import Builds
from repo_mcp.graph.lookup.ambiguous_symbols import AmbiguousSymbolError
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import EdgeType, SymbolFilter
from tests.repo_mcp.graph.memory_index import MemoryIndex, find_node, list_outgoing, make_graph

MODULE = {"go.mod": "module example.org/a\n"}
BAG = "package bag\n\ntype Bag struct{{ {0} int }}\n\nfunc (b Bag) Hash() int {{ return b.{0} }}\n"
BAGS = MODULE | {
    "bag/bag_big.go": "//go:build big\n\n" + BAG.format("many"),
    "bag/bag_plain.go": "//go:build !big && !tiny\n\n" + BAG.format("some"),
    "bag/bag_tiny.go": "// +build tiny\n\n" + BAG.format("few"),
    "bag/common.go": "package bag\n\nfunc (b Bag) Twice() int { return 2 * b.Hash() }\n",
    "use.go": """package a

import "example.org/a/bag"

func sum(b bag.Bag) int { return b.Hash() }
""",
    "use_big.go": """//go:build big

package a

import "example.org/a/bag"

func most(b bag.Bag) int { return b.Hash() }
""",
}

EXCLUDING = [
    ("//go:build a", "x.go", "//go:build !a", "y.go", True),
    ("//go:build a && b", "x.go", "//go:build !a || !b", "y.go", True),
    ("//go:build a || b", "x.go", "//go:build !a", "y.go", False),
    ("", "x_linux.go", "", "x_windows.go", True),
    ("", "x_android.go", "//go:build linux", "y.go", False),
    ("//go:build unix", "x.go", "", "x_windows.go", True),
    ("//go:build !windows && !js", "x.go", "", "x_darwin.go", False),
    ("", "x_amd64.go", "//go:build !amd64", "y.go", True),
    ("// +build linux,!cgo darwin", "x.go", "//go:build cgo && linux", "y.go", True),
    ("// +build linux,!cgo darwin", "x.go", "//go:build cgo", "y.go", False),
    ("//go:build ignore", "x.go", "//go:build ignore", "y.go", False),
    ("//go:build a && (", "x.go", "//go:build !a", "y.go", False),
    ("", "x.go", "//go:build !a", "y.go", False),
]


@pytest.mark.parametrize(("one", "path", "other", "beside", "expected"), EXCLUDING)
def test_files_exclude_each_other_if_no_build_has_both(
    one: str, path: str, other: str, beside: str, expected: bool
) -> None:
    texts = {path: f"// Licence\n{one}\n\npackage a\n", beside: f"{other}\n\npackage a\n"}
    assert Builds(MemoryIndex(texts)).exclude(path, beside) is expected


@pytest.mark.parametrize(
    ("path", "written", "constraint"),
    [
        ("lock_js.go", "js && wasm", "js && wasm"),
        ("sys_aix_ppc64.go", "aix && ppc64", "aix && ppc64"),
        ("lock_js.go", "a && b", "a && b && js"),
        ("lock_js.go", "js || a && wasm", "(js || a && wasm) && js"),
        ("lock.go", "(a && b) && !(a && c)", "(a && b) && !(a && c)"),
    ],
)
def test_a_tag_in_the_name_and_in_the_text_of_a_file_is_written_once(
    path: str, written: str, constraint: str
) -> None:
    texts = {path: f"//go:build {written}\n\npackage a\n"}
    assert Builds(MemoryIndex(texts)).read_constraint(path) == constraint


def test_variants_share_their_callers_and_that_of_a_plain_build_stands_for_them() -> None:
    graph = make_graph(BAGS)
    chosen = graph.choose("bag.Bag.Hash")
    assert chosen.path == "bag/bag_plain.go"
    spans = graph.list_spans(chosen)
    assert [(one.path, one.is_primary, one.constraint) for one in spans] == [
        ("bag/bag_plain.go", True, "!big && !tiny"),
        ("bag/bag_big.go", False, "big"),
        ("bag/bag_tiny.go", False, "(tiny)"),
    ]
    for place in ("bag/bag_plain.go", "bag/bag_big.go", "bag/bag_tiny.go"):
        node = graph.choose(f"{place}:Bag.Hash")
        assert node.path == place
        edges = graph.find_incoming(node, (EdgeType.CALLS,)).edges
        found = [(graph.get_node(one.other).qualified_name, one.confidence.value) for one in edges]
        assert found == [("bag.Bag.Twice", "exact"), ("a.sum", "exact"), ("a.most", "exact")]


def test_a_file_of_one_build_uses_the_variant_of_that_build() -> None:
    graph = make_graph(BAGS)
    edges = graph.find_outgoing(find_node(graph, "a.most"), (EdgeType.CALLS,)).edges
    assert [one.other.path for one in edges] == ["bag/bag_big.go"]
    edges = graph.find_outgoing(find_node(graph, "a.sum"), (EdgeType.CALLS,)).edges
    assert [one.other.path for one in edges] == ["bag/bag_big.go", "bag/bag_plain.go", "bag/bag_tiny.go"]


def test_declarations_that_one_build_may_have_together_are_no_variants() -> None:
    texts = MODULE | {
        "one.go": "//go:build ignore\n\npackage main\n\nfunc main() {}\n",
        "two.go": "//go:build ignore\n\npackage main\n\nfunc main() {}\n",
    }
    graph = make_graph(texts)
    with pytest.raises(AmbiguousSymbolError):
        graph.choose("main.main")
    assert Builds(MemoryIndex(texts)).list_variants(Declaration("one.go", 2)) == (Declaration("one.go", 2),)


def test_of_declarations_between_which_an_unknown_choice_is_made_none_is_sure() -> None:
    texts = MODULE | {
        "full.go": "package a\n\nfunc open() {}\n",
        "small.go": "package a\n\nfunc open() {}\n",
        "use.go": "package a\n\nfunc use() { open() }\n",
    }
    found = list_outgoing(make_graph(texts), "a.use", EdgeType.CALLS)
    assert {confidence for _, confidence, *_ in found} == {"probable"}


def test_methods_outside_the_file_of_their_type_are_in_no_extension() -> None:
    graph = make_graph(BAGS)
    nodes, _, _ = graph.look_up("bag.Bag", SymbolFilter())
    assert {node.kind for node in nodes} == {"struct"}
    assert [node.kind for node in graph.outline("bag/common.go")] == ["module", "method"]
    found, _ = graph.search("Bag", SymbolFilter(), 10)
    assert "extension" not in {node.kind for node, _ in found}
    edges = graph.find_incoming(graph.choose("bag.Bag"), (EdgeType.EXTENDS, EdgeType.ACCEPTS)).edges
    assert [graph.get_node(one.other).qualified_name for one in edges] == ["a.sum", "a.most"]
