"""Java: a component of a record is called by its name, unless the record declares that method."""

from __future__ import annotations

from repo_mcp.graph.vocabulary import EdgeType
from tests.repo_mcp.graph.memory_index import list_incoming, make_graph
from tests.repo_mcp.graph.resolved import Repository

TEXT = """
    package p;
    record Range(Part low, int high) {
        static int high(int one) { return one; }
        int span() {
            return high(); // itself
        }
    }
    record Named(String name) {
        public String name() { return ""; }
    }
    class Part { int size() { return 1; } }
    class Use {
        int use(Range range, Named named) {
            int high = range.high(); // a parameter
            named.name(); // its own method
            return range.low().size(); // a chain
        }
    }
"""


def test_a_component_is_called() -> None:
    found = Repository.build({"p/Range.java": TEXT})
    path = "p/Range.java"
    assert found.ask(path, "// a parameter", "high") == [f"{path}:2 high exact"]
    assert found.ask(path, "// its own method", "name") == [f"{path}:9 name exact"]
    assert found.ask(path, "// a chain", "low") == [f"{path}:2 low exact"]
    assert found.ask(path, "// a chain", "size") == [f"{path}:11 size exact"]
    assert found.ask(path, "// itself", "high") == [f"{path}:2 high exact"]


def test_a_component_implements_a_method_of_an_interface() -> None:
    text = "interface Sized { int size(); int rank(); }\nrecord Box(int size, int rank) implements Sized {\n"
    graph = make_graph({"Box.java": text + "  public int rank() { return 1; }\n}\n"})
    size = list_incoming(graph, "Sized.size", EdgeType.OVERRIDES)
    rank = list_incoming(graph, "Sized.rank", EdgeType.OVERRIDES)
    assert [(end, lines) for _, _, end, lines in (*size, *rank)] == [("Box.size", (2,)), ("Box.rank", (3,))]
