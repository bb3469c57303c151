"""Methods of a block `extension(T one) { ... }` are extension methods of T, in the class around the block."""

from __future__ import annotations

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.vocabulary import CALLS
from tests.repo_mcp.graph.memory_index import make_graph

TEXT = """public static class Uris {
    extension(IRest client) {
        public string Build(Request request) {
            return client.Make(request);
        }
        public string Short(int a) => client.Build(new Request(a));
        public static int Zero() => 0;
    }
}
public interface IRest { string Make(Request r); }
public class Request { public Request(int a) { } }
class User { void Go(IRest rest) { rest.Build(new Request(1)); Uris.Zero(); } }
"""
OLD = "class extension { extension(int a) { int Inner() { return a; } Inner(); } }\n"


def test_what_an_extension_block_declares_and_who_calls_it() -> None:
    graph = make_graph({"Uris.cs": TEXT})
    nodes = {node.qualified_name: node for node in graph.outline("Uris.cs")}
    assert "Uris.extension" not in nodes
    assert nodes["Uris.Build"].kind == "method"
    assert nodes["Uris.Build"].symbol.parameters == "(this IRest client, Request request)"
    assert nodes["Uris.Zero"].symbol.parameters == "()"
    callers = {
        name: {
            (graph.get_node(edge.other).qualified_name, edge.confidence.value)
            for edge in graph.find_incoming(nodes[name], CALLS, Bounds(20, 50)).edges
        }
        for name in ("Uris.Build", "Uris.Zero", "IRest.Make")
    }
    assert callers == {
        "Uris.Build": {("Uris.Short", "exact"), ("User.Go", "exact")},
        "Uris.Zero": {("User.Go", "exact")},
        "IRest.Make": {("Uris.Build", "exact")},
    }


def test_a_constructor_of_a_type_of_that_name_is_one() -> None:
    kinds = {node.qualified_name: node.kind for node in make_graph({"Old.cs": OLD}).outline("Old.cs")}
    assert kinds["extension.extension"] == "constructor"
    assert kinds["extension.extension.Inner"] == "function"
