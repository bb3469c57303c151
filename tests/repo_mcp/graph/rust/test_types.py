"""Rust: the types of receivers by several bounds, associated types, types called as libraries' lists are, and
traits in the brackets of a macro.
"""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.vocabulary import CALLS, NAMED, EdgeType
from tests.repo_mcp.graph.memory_index import make_graph

RUST = {
    "Cargo.toml": '[package]\nname = "app"\n',
    "src/lib.rs": (
        "mod error;\nmod lists;\nmod walk;\nmod traits;\n"
        "pub fn all() {}\n"
        "pub fn size() {}\n"
        "pub trait Tools: Iterator {\n"
        "    fn same(&mut self) -> bool { self.all(|one| one) }\n"  # 8: of Iterator
        "    fn told(&self) { assert!(self::size() > 1); }\n"  # 9
        "}\n"
    ),
    "src/error.rs": (
        "pub struct Error;\n"
        "pub type Result<T> = std::result::Result<T, Error>;\n"
        "pub fn run() -> Result<u8> { Ok(1) }\n"  # 3
        "pub enum Kind { Bad }\n"
    ),
    "src/lists.rs": (
        "use crate::error;\n"
        "pub struct Bucket { key: u8 }\n"
        "impl Bucket { fn size(&self) {} }\n"
        "pub struct IndexMap<K, V> { at: K, of: V }\n"
        "impl<K, V> IndexMap<K, V> { fn grow(&self) {} }\n"
        "pub struct Set { map: IndexMap<u8, ()>, rows: Vec<Vec<Bucket>> }\n"
        "pub trait Entries { type Entry; fn entries(&self) -> &[Self::Entry]; }\n"
        "impl Entries for Set { type Entry = Bucket; fn entries(&self) -> &[Self::Entry] { &[] } }\n"
        "impl Set {\n"
        "    fn work(&self) {\n"
        "        self.map.grow();\n"  # 11
        "        let row = &self.rows[0];\n"
        "        row.size();\n"  # 13: of a list
        "        self.rows[0][1].size();\n"  # 14
        "        let one = &self.entries()[0];\n"
        "        one.size();\n"  # 16
        "    }\n"
        "    fn size(&self) {}\n"
        "    fn shadow(set: Set, other: Bucket) {\n"
        "        let other = set.make(other.size());\n"  # 20: of Bucket still
        "        let error = error::Kind::Bad;\n"
        "        error.show(error::Kind::Bad);\n"  # 22
        "    }\n"
        "    fn make(&self, by: ()) -> Set { todo!() }\n"
        "}\n"
    ),
    "src/traits.rs": (
        "\ntemplate! {\n"
        "/// What has nodes.\n"
        "pub trait Counted : Sized {\n"
        "    @section type\n"
        "    type Node;\n"
        "    @section self\n"
        "    fn count_nodes(self: &Self) -> usize;\n"
        "}\n"
        "}\n"
        "pub trait Joined { fn join_edges(&self); }\n"
    ),
    "src/walk.rs": (
        "use crate::traits::{Counted, Joined};\n"
        "pub fn walk<G>(graph: G) where G: Joined + Counted {\n"
        "    graph.join_edges();\n"  # 3
        "    graph.count_nodes();\n"  # 4
        "}\n"
        "pub struct Reversed<G>(pub G);\n"
        "impl<G: Counted> Reversed<G> { fn one(&self) {} }\n"
        "impl<G: Joined> Reversed<G> { fn two(&self) { self.0.join_edges(); } }\n"  # 8
        "pub struct Sparse;\n"
        "impl Sparse { fn count_nodes(&self) -> usize { 0 } fn plain(&self) { self.count_nodes(); } }\n"  # 10
        "impl<'a> Joined for &'a Sparse { fn join_edges(&self) { self.count_nodes(); } }\n"  # 11
    ),
}


@pytest.fixture(scope="module")
def rust() -> Graph:
    return make_graph(RUST)


@pytest.mark.parametrize(
    ("name", "path", "types", "expected"),
    [
        ("all", "src/lib.rs", CALLS, []),
        ("size", "src/lib.rs", CALLS, [("src/lib.rs", 9, "exact")]),
        ("Result", "src/error.rs", NAMED, [("src/error.rs", 3, "exact")]),
        ("Kind", "src/error.rs", NAMED, [("src/lists.rs", 21, "exact"), ("src/lists.rs", 22, "exact")]),
        ("IndexMap.grow", "src/lists.rs", CALLS, [("src/lists.rs", 11, "exact")]),
        (
            "Bucket.size",
            "src/lists.rs",
            CALLS,
            [("src/lists.rs", 14, "exact"), ("src/lists.rs", 16, "exact"), ("src/lists.rs", 20, "exact")],
        ),
        ("Set.size", "src/lists.rs", CALLS, []),
        ("Counted.count_nodes", "src/traits.rs", CALLS, [("src/walk.rs", 4, "exact")]),
        (
            "Joined.join_edges",
            "src/traits.rs",
            CALLS,
            [("src/walk.rs", 3, "exact"), ("src/walk.rs", 8, "probable")],
        ),
        (
            "Sparse.count_nodes",
            "src/walk.rs",
            CALLS,
            [("src/walk.rs", 10, "exact"), ("src/walk.rs", 11, "probable")],
        ),
    ],
)
def test_types_of_receivers(
    rust: Graph, name: str, path: str, types: frozenset[EdgeType], expected: list[tuple[str, int, str]]
) -> None:
    (node,) = (one for one in rust.outline(path) if one.name_inside == name)
    edges = rust.find_incoming(node, types).edges
    found = [
        (rust.get_node(one.other).path, line, one.confidence.value) for one in edges for line in one.lines
    ]
    assert sorted(one for one in found if one[2] != "possible") == sorted(expected)


def test_what_is_given_on_twice_is_a_choice_of_the_build() -> None:
    graph = make_graph(
        {
            "Cargo.toml": '[package]\nname = "app"\n',
            "src/lib.rs": "mod find;\nmod take;\n",
            "src/find/mod.rs": (
                "pub use self::plain::Finder;\n"
                "#[cfg(simd)]\npub use self::simd::Finder;\n"
                "mod plain;\nmod simd;\n"
            ),
            "src/find/plain.rs": "pub struct Finder;\n",
            "src/find/simd.rs": "pub struct Finder;\n",
            "src/take.rs": "use crate::find::Finder;\nfn take(one: Finder) {}\n",
        }
    )
    for path in ("src/find/plain.rs", "src/find/simd.rs"):
        (node,) = (one for one in graph.outline(path) if one.name_inside == "Finder")
        edges = graph.find_incoming(node, {EdgeType.ACCEPTS}).edges
        assert [(one.confidence.value, one.lines) for one in edges] == [("probable", (2,))]
