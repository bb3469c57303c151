"""Java: what extends a type without a name of its own, and labels that name constants of an enum."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from tests.repo_mcp.graph.memory_index import list_incoming, list_outgoing, make_graph

JAVA = {
    "a/Adapter.java": (
        "package a;\n"
        "public abstract class Adapter<T> {\n"
        "  public abstract T read(Reader in);\n"
        "  public final Adapter<T> safe() { return this; }\n"
        "}\n"
        "interface Reader { Token peek(); }\n"
        "interface Policy { String name(String field); }\n"
        "enum Token { BEGIN, END }\n"
    ),
    "a/Adapters.java": (
        "package a;\n"
        "class Adapters {\n"
        "  static final int END = 1;\n"
        "  static final Adapter<Number> NUMBER = new Adapter<Number>() {\n"
        "    @Override public Number read(Reader in) {\n"
        "      switch (in.peek()) {\n"
        "        case BEGIN: return own();\n"
        "        case END:\n"
        "          return null;\n"
        "      }\n"
        "    }\n"
        "    private Number own() { safe(); return outer(); }\n"
        "  };\n"
        "  Runnable later() {\n"
        "    return new Runnable() {\n"
        "      public void run() { outer(); }\n"
        "    };\n"
        "  }\n"
        "  static Number outer() { return switch (END) { case END -> 1; default -> 2; }; }\n"
        "  void lambdas() {\n"
        "    Policy plain = field -> field;\n"
        "    use((Policy) String::trim);\n"
        "  }\n"
        "  private final Policy kept = field -> field;\n"
        "}\n"
    ),
    "a/Naming.java": (
        "package a;\n"
        "public enum Naming implements Policy {\n"
        "  SAME() {\n"
        "    @Override public String name(String field) { return field; }\n"
        "  },\n"
        "  UPPER() {\n"
        "    @Override public String name(String field) { return join(field); }\n"
        "  };\n"
        "  static String join(String field) { return field; }\n"
        "}\n"
    ),
}


@pytest.fixture(scope="module")
def java() -> Graph:
    return make_graph(JAVA)


def test_an_anonymous_class_extends_its_base(java: Graph) -> None:
    anonymous = "a.Adapters.NUMBER.new Adapter"
    assert list_incoming(java, "a.Adapter", EdgeType.INHERITS) == [("inherits", "exact", anonymous, (4,))]
    assert list_incoming(java, "a.Adapter.read", EdgeType.OVERRIDES) == [
        ("overrides", "exact", f"{anonymous}.read", (5,))
    ]


def test_members_in_an_anonymous_class_are_found_from_the_inside_outward(java: Graph) -> None:
    anonymous = "a.Adapters.NUMBER.new Adapter"
    assert list_incoming(java, f"{anonymous}.own", *CALLS) == [("calls", "exact", f"{anonymous}.read", (7,))]
    assert list_incoming(java, "a.Adapter.safe", *CALLS) == [("calls", "exact", f"{anonymous}.own", (12,))]


def test_what_a_base_of_elsewhere_may_hide_is_not_certain(java: Graph) -> None:
    assert list_incoming(java, "a.Adapters.outer", *CALLS) == [
        ("calls", "exact", "a.Adapters.NUMBER.new Adapter.own", (12,)),
        ("calls", "probable", "a.Adapters.later.new Runnable.run", (16,)),
    ]


def test_labels_name_constants_of_what_is_compared(java: Graph) -> None:
    read = "a.Adapters.NUMBER.new Adapter.read"
    assert list_incoming(java, "a.Token.BEGIN", EdgeType.REFERENCES) == [("references", "exact", read, (7,))]
    assert list_incoming(java, "a.Token.END", EdgeType.REFERENCES) == [("references", "exact", read, (8,))]
    assert list_incoming(java, "a.Adapters.END", EdgeType.REFERENCES) == [
        ("references", "exact", "a.Adapters.outer", (19,))
    ]


def test_constants_with_bodies_extend_their_enum(java: Graph) -> None:
    constants = [
        ("inherits", "exact", "a.Naming.SAME", (3,)),
        ("inherits", "exact", "a.Naming.UPPER", (6,)),
    ]
    assert list_incoming(java, "a.Naming", EdgeType.INHERITS) == constants
    assert list_incoming(java, "a.Policy.name", EdgeType.OVERRIDES) == [
        ("overrides", "exact", "a.Naming.SAME.name", (4,)),
        ("overrides", "exact", "a.Naming.UPPER.name", (7,)),
    ]
    assert list_outgoing(java, "a.Naming.UPPER.name", EdgeType.OVERRIDES) == [
        ("overrides", "exact", "a.Policy.name", (7,))
    ]
    assert list_incoming(java, "a.Naming.join", *CALLS) == [("calls", "exact", "a.Naming.UPPER.name", (7,))]


def test_lambdas_possibly_implement_the_type_that_they_are_given(java: Graph) -> None:
    found = list_incoming(java, "a.Policy", EdgeType.IMPLEMENTS)
    assert found == [
        ("implements", "exact", "a.Naming", (2,)),
        ("implements", "possible", "a.Adapters.lambdas", (21, 22)),
        ("implements", "possible", "a.Adapters.kept", (24,)),
    ]
