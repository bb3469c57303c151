"""What a change of a method reaches: its callers, and its overrides if they have to change with it."""

from __future__ import annotations

import pytest

from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.impact.reach import Follower
from repo_mcp.impact.records import Change, ChangedSymbol
from tests.repo_mcp.graph.memory_index import find_node, make_graph

TEXTS = {
    "a.java": (
        "abstract class List {\n  void cut() {}\n  void clear() { cut(); }\n  abstract void add();\n}\n"
        "class Plain extends List {\n  void cut() {}\n  void clear() {}\n  void add() {}\n}\n"
        "class Chained extends List {\n  void cut() { super.cut(); }\n  void add() {}\n}\n"
    ),
}


@pytest.mark.parametrize(
    ("name", "has_new_signature", "reached"),
    [
        ("List.cut", False, [("List.clear", "calls"), ("Chained.cut", "calls")]),
        (
            "List.cut",
            True,
            [
                ("List.clear", "calls"),
                ("Chained.cut", "calls"),
                ("Plain.cut", "overrides"),
                ("Chained.cut", "overrides"),
            ],
        ),
        ("List.add", False, [("Plain.add", "overrides"), ("Chained.add", "overrides")]),
    ],
)
def test_an_override_depends_on_a_signature_and_not_on_a_body(
    name: str, has_new_signature: bool, reached: list[tuple[str, str]]
) -> None:
    graph = make_graph(TEXTS)
    node = find_node(graph, name)
    changed = ChangedSymbol(
        node.path, name, "method", node.symbol.start_line, Change.CHANGED, has_new_signature, node
    )
    found = Follower(graph, lambda: False).follow([changed], 2).found
    kept = [one for one in found if one.edge_type in (EdgeType.CALLS, EdgeType.OVERRIDES)]
    assert sorted((one.node.qualified_name, one.edge_type.value) for one in kept) == sorted(reached)
