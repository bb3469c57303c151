"""Extension blocks of C# 14: their members are declared, called and resolved as extension methods."""

from __future__ import annotations

import pytest

from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.languages.csharp.extension_blocks import write_extension_methods
from tests.repo_mcp.graph.memory_index import find_node, make_graph

WRITTEN = [
    (
        "extension(Client c) { public Uri Build(Request r) => c.Make(r); }",
        "  public static Uri Build(this Client c, Request r) => c.Make(r);  ",
    ),
    (
        "extension<T>(List<T> all) where T : class {\n  internal async Task<(int a, T b)> Go<U>( ) { } }",
        "  internal async static Task<(int a, T b)> Go<T, U>(this List<T> all ) { }  ",
    ),
    ("extension(Point) { public static Point Zero() => new(); }", "  public static Point Zero() => new();  "),
    (
        'extension(A a) { [Old("}")] public int Size => 1; public int F() { return "{"[0] /* } */; } }',
        '  [Old("}")] public int Size => 1; public static int F(this A a) { return "{"[0] /* } */; }  ',
    ),
]
SAME = [
    "class A { extension(B b) { public void F() {",
    "x.extension(b) { }",
    "class A { void extensions(int a) { F(a); } }",
]


@pytest.mark.parametrize(("block", "methods"), WRITTEN, ids=range(len(WRITTEN)))
def test_a_block_is_written_as_methods(block: str, methods: str) -> None:
    written = write_extension_methods(f"static class X {{\n{block}\n}}\n".encode()).decode()
    assert written.split() == f"static class X {{\n{methods}\n}}\n".split()
    assert written.count("\n") == block.count("\n") + 3


@pytest.mark.parametrize("text", SAME, ids=range(len(SAME)))
def test_whatever_else_is_left_alone(text: str) -> None:
    assert write_extension_methods(text.encode()) == text.encode()


def test_members_of_a_block_have_callers_and_callees() -> None:
    graph = make_graph(
        {
            "Client.cs": "public class Client { public int Send(int a) { return a; } }\n",
            "ClientExtensions.cs": (
                "public static class ClientExtensions {\n"
                "    extension(Client client) {\n"
                "        /// <summary>Sends twice.</summary>\n"
                "        public int SendTwice(int a) => client.Send(client.Send(a));\n"
                "    }\n"
                "}\n"
            ),
            "Use.cs": "class Use { int Go(Client client) { return client.SendTwice(1); } }\n",
        }
    )
    node = find_node(graph, "ClientExtensions.SendTwice")
    assert (node.symbol.start_line, node.symbol.parameters) == (4, "(this Client client, int a)")
    callers = graph.find_incoming(node, CALLS).edges
    assert [(graph.get_node(edge.other).qualified_name, edge.confidence) for edge in callers] == [
        ("Use.Go", "exact")
    ]
    callees = graph.find_outgoing(node, CALLS).edges
    assert [(graph.get_node(edge.other).qualified_name, edge.confidence) for edge in callees] == [
        ("Client.Send", "exact")
    ]
