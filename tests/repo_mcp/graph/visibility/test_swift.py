"""Swift: the files that can name a symbol, and the uses whose labels or receivers rule it out."""

from __future__ import annotations

import pytest

from repo_mcp.graph.edge_finder import EdgeFinder
from repo_mcp.graph.live_graph import RESOLVERS
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.resolution import Resolvers
from repo_mcp.graph.vocabulary import CALLS
from tests.repo_mcp.graph.memory_index import MemoryIndex

OWN = "Sources/App/Keep.swift"
USES = [
    'req.get("a")',
    'outside().get("b")',
    "outside().get()",
    'outside().read(all: "c")',
    'outside().read("d")',
    "outside().run(1)",
    "outside().add { 1 }",
    "outside().add(layer)",
    "outside(.add(layer))",
]
TEXTS = {
    OWN: """
struct Keep {
    static func get(_ name: String) -> String { "" }
    func read(all names: String) {}
    fileprivate func run(_ one: Int) {}
    func add(_ one: any Layer) {}
}
func near() { outside().run(2) }
""",
    "Sources/App/Use.swift": f"func use() {{\n{chr(10).join(USES)}\n}}\n",
}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("get", ['outside().get("b")']),
        ("read", ['outside().read(all: "c")']),
        ("run", ["func near() { outside().run(2) }"]),
        ("add", ["outside().add(layer)"]),
    ],
)
def test_only_what_can_mean_a_member_is_left_open(name: str, wanted: list[str]) -> None:
    index = MemoryIndex(TEXTS)
    finder = EdgeFinder(index, Resolvers(index, RESOLVERS))
    record = index.find_record(OWN)
    assert record is not None
    edges = finder.find_incoming(Declaration(OWN, record.find_symbols(name)[0]), frozenset(CALLS))
    assert not edges.edges
    lines = [index.read_lines(one.path)[line - 1] for one in edges.unresolved for line in one.lines]
    assert lines == wanted
