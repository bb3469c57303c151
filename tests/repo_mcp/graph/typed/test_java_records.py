"""Java: a component of a record is called by its name, unless the record declares that method."""

from __future__ import annotations

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
