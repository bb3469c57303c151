"""Java: `super(...)` and `this(...)` call constructors, and are found as their callers."""

from __future__ import annotations

from repo_mcp.graph.vocabulary import EdgeType
from tests.repo_mcp.graph.memory_index import list_incoming, make_graph
from tests.repo_mcp.graph.resolved import Repository

BASE = """
    package p;
    public class Base<T> {
        public Base(Object one) {}
        protected Base() { this(null); }
    }
"""
PART = """
    package q;
    import p.Base;
    import other.Outside;
    class Part extends Base<String> {
        Part(int one) { super("a" + one); }
        Part() { this(1); }
    }
    class Apart extends Outside {
        Apart() { super(1); }
    }
"""


def test_calls_of_the_constructors_above_and_beside_are_callers() -> None:
    texts = Repository.build({"p/Base.java": BASE, "q/Part.java": PART}).texts
    graph = make_graph(texts)
    found = list_incoming(graph, "p.Base", EdgeType.CALLS)
    assert [(end, lines) for _, _, end, lines in found] == [("p.Base.Base", (4,)), ("q.Part.Part", (5,))]


def test_a_constructor_of_another_repository_is_none_of_this_one() -> None:
    found = Repository.build({"p/Base.java": BASE, "q/Part.java": PART})
    assert found.ask("q/Part.java", "super(1)", "Outside") == ["-> other.Outside"]
    assert found.ask("q/Part.java", "+ one)", "Base")[0] == "p/Base.java:3 Base exact"
    assert found.ask("q/Part.java", "this(1)", "Part")[0] == "q/Part.java:5 Part exact"
