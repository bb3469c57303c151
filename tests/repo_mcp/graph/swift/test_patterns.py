"""Swift: what a pattern binds is no property of the type around it, and a case is one of what is compared."""

from __future__ import annotations

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import NAMED
from tests.repo_mcp.graph.memory_index import list_incoming, make_graph

TEXT = """enum Reason {
  case missing(url: Int)
  case broken(Int, Int)
  var url: Int { return 1 }
  var text: Int {
    switch self {
    case let .missing(url): return url
    case .broken(let url, _): return url
    }
  }
  func has() -> Bool {
    if case let .missing(url) = self { return url > 0 }
    guard case .broken(let url, _) = self else { return false }
    for case let .missing(url) in all() { return url > 0 }
    return url > 0
  }
  func other(one: Other) -> Int {
    switch one {
    case .missing: return 1
    case .url(url: let a): return a
    }
  }
  func own() -> Int { return url }
}
enum Other {
  case missing
  case url(url: Int)
}
"""


def tell(graph: Graph, node: Node) -> list[tuple[str, tuple[int, ...]]]:
    """Return the confidence and the lines of what uses a symbol, the surest first."""
    edges = graph.find_incoming(node, NAMED).edges
    return sorted((one.confidence.value, one.lines) for one in edges)


def test_names_that_patterns_bind_are_no_properties() -> None:
    assert list_incoming(make_graph({"a.swift": TEXT}), "Reason.url") == [
        ("references", "exact", "Reason.own", (23,))
    ]


def test_a_case_is_one_of_the_type_that_is_compared() -> None:
    graph = make_graph({"a.swift": TEXT})
    assert ("references", "exact", "Reason.text", (7,)) in list_incoming(graph, "Reason.missing")
    assert ("references", "exact", "Reason.other", (19,)) in list_incoming(graph, "Other.missing")
    assert ("references", "exact", "Reason.other", (20,)) in list_incoming(graph, "Other.url")
    assert ("references", "exact", "Reason.has", (12,)) in list_incoming(graph, "Reason.missing")
    assert ("references", "possible", "Reason.has", (14,)) in list_incoming(graph, "Reason.missing")


def test_of_several_initialisers_one_that_is_only_named_is_possible() -> None:
    text = (
        "struct Box {\n  init() {}\n  init(_ one: Int) {}\n  init(_ one: String) {}\n}\n"
        "func f(all: [Int]) { all.map(Box.init) }\n"
        "func g() -> Box { return Box() }\n"
    )
    graph = make_graph({"a.swift": text})
    assert list_incoming(graph, "Box") == [
        ("references", "exact", "f", (6,)),
        ("calls", "exact", "g", (7,)),
        ("references", "exact", "g", (7,)),
    ]
    made = [node for node in graph.outline("a.swift") if node.symbol.name == "init"]
    found = [tell(graph, node) for node in made]
    assert found == [[("exact", (7,)), ("possible", (6,))], [("possible", (6,))], [("possible", (6,))]]


def test_of_constructors_with_as_many_parameters_none_is_exact() -> None:
    text = (
        "class Box {\n  Box(int one) {}\n  Box(String one) {}\n  Box() {}\n}\n"
        "class Use {\n  Box a(int one) { return new Box(one); }\n  Box b() { return new Box(); }\n}\n"
    )
    graph = make_graph({"Box.java": text})
    made = [node for node in graph.outline("Box.java") if node.symbol.kind.name == "CONSTRUCTOR"]
    assert [tell(graph, node) for node in made] == [
        [("probable", (7,))],
        [],
        [("exact", (8,))],
    ]
