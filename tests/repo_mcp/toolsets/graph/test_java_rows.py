"""What answers say of symbols of Java."""

from __future__ import annotations

import pytest

from repo_mcp.graph.unnamed_uses import IMPLICIT, describe_plain_type, describe_unnamed_uses
from repo_mcp.toolsets.graph.rows import render_symbol
from tests.repo_mcp.graph.memory_index import find_node, make_graph

GRAPH = make_graph(
    {
        "java/lang/Object.java": "package java.lang;\npublic class Object { Object() {} }\n",
        "java/lang/Thread.java": "package java.lang;\npublic class Thread { void start() {} }\n",
        "app/Object.java": "package app;\nclass Object {}\n",
    }
)


def test_what_only_its_package_sees_has_that_access() -> None:
    assert render_symbol(find_node(GRAPH, "java.lang.Thread.start"))["access_modifier"] == "package"
    assert render_symbol(find_node(GRAPH, "java.lang.Thread"))["access_modifier"] == "public"


@pytest.mark.parametrize(
    ("name", "is_plain"),
    [
        ("java.lang.Object", True),
        ("java.lang.Object.Object", True),
        ("java.lang.Thread", False),
        ("app.Object", False),
    ],
)
def test_a_type_on_nearly_every_line_is_not_said_to_have_no_uses(name: str, is_plain: bool) -> None:
    assert bool(describe_plain_type(find_node(GRAPH, name))) is is_plain


def test_a_constructor_without_parameters_is_run_without_its_name() -> None:
    graph = make_graph({"Box.java": "class Box {\n  Box() {}\n  Box(int one) {}\n}\n"})
    said = {
        node.symbol.start_line: describe_unnamed_uses(node)
        for node in graph.outline("Box.java")
        if node.symbol.name == "Box" and node.symbol.start_line > 1
    }
    assert said == {2: IMPLICIT, 3: ""}
