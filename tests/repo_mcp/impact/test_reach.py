"""What a change of a method reaches: its callers, and its overrides if they have to change with it."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.impact.local_names import list_local_names
from repo_mcp.impact.reach import Follower
from repo_mcp.impact.records import Change, ChangedSymbol
from tests.counted_calls import count_calls
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


def test_the_names_that_a_file_declares_are_read_once_for_all_functions_that_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = make_graph(
        {"a.py": "".join(f"def f{one}(x):\n    y = x\n" for one in range(9)), "b.py": "y = 1\n"}
    )
    nodes = [node for node in graph.outline("a.py") if node.qualified_name.startswith("a.f")]
    changed = [
        ChangedSymbol(
            "a.py", node.qualified_name, "function", node.symbol.start_line, Change.CHANGED, False, node
        )
        for node in nodes
    ]
    outlined = count_calls(monkeypatch, Graph, "outline")
    assert list_local_names(graph, changed, ["    let z = f1;"]) == {"z"}
    assert len(outlined) == 1
