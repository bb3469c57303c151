"""Protocols of Python that classes satisfy by their methods, without naming them."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.module_protocols import say_may_run
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from tests.repo_mcp.graph.memory_index import find_node, list_incoming, list_outgoing, make_graph

PROTOCOLS = {
    "shape.py": (
        "from abc import ABC\n"
        "from typing import Protocol\n"
        "class Shape(Protocol):\n"
        "    name: str\n"
        "    def area(self, scale: int, *, unit: str = 'm') -> float: ...\n"
        "class Loader(Protocol):\n"
        "    async def load(self): ...\n"
        "class Plain(ABC):\n"
        "    def area(self, scale): ...\n"
        "def add(shapes: list[Shape], one: Shape):\n"
        "    return one.area(2)\n"
    ),
    "classes.py": (
        "from shape import Shape\n"
        "class Named:\n"
        "    def __init__(self): self.name = 'a'\n"
        "class Square(Named):\n"
        "    def area(self, scale, unit='m'): return 1\n"
        "class Small(Square):\n"
        "    def area(self, scale, unit='m'): return 0\n"
        "class Told(Shape):\n"
        "    def area(self, scale, **rest): return 1\n"
        "class Unnamed:\n"
        "    def area(self, scale, **rest): return 1\n"
        "class Greedy(Named):\n"
        "    def area(self, one, two, three, unit): return 1\n"
        "class Few(Named):\n"
        "    def area(self, *, unit): return 1\n"
        "class Worded(Named):\n"
        "    def area(self, scale, **rest) -> str: return ''\n"
        "class Counted(Named):\n"
        "    def area(self, *given, unit=1) -> int: return 1\n"
        "class Waiting:\n"
        "    async def load(self): ...\n"
        "class Ready:\n"
        "    def load(self): ...\n"
    ),
}


@pytest.fixture(scope="module")
def graph() -> Graph:
    return make_graph(PROTOCOLS)


def list_satisfying(graph: Graph, name: str) -> list[str]:
    found = list_incoming(graph, name, EdgeType.IMPLEMENTS)
    return [other for _, confidence, other, _ in found if confidence == "possible"]


def test_classes_with_the_members_of_a_protocol_satisfy_it(graph: Graph) -> None:
    assert list_satisfying(graph, "shape.Shape") == ["classes.Square", "classes.Counted"]
    assert list_satisfying(graph, "shape.Loader") == ["classes.Waiting"]
    assert list_satisfying(graph, "shape.Plain") == []


@pytest.mark.parametrize(
    ("wanted", "own", "satisfies"),
    [
        ("(self, a, b=1)", "(self, a, b)", True),
        ("(self, a, b=1)", "(self, x, y=2)", False),
        ("(self, a, /, b)", "(self, x, b)", True),
        ("(self, a)", "(self, *rest)", True),
        ("(self, a, b)", "(self, a)", False),
        ("(self, *rest, **others)", "(self, a)", True),
        ("(self, a, *, k)", "(self, a, **others)", True),
        ("(self, a)", "(self, a, *, k)", False),
        ("(self, a: str)", "(self, a: bytes)", False),
        ("(self, a: int = 1)", "(self, a: int | None)", True),
        ("(self, a) -> int", "(self, a) -> bool", True),
        ("(self, a) -> int", "(self, a) -> int | None", False),
    ],
)
def test_calls_take_what_the_protocol_gives(wanted: str, own: str, satisfies: bool) -> None:
    text = (
        "from typing import Protocol\n"
        f"class Called(Protocol):\n    def __call__{wanted}: ...\n"
        f"class Own:\n    def __call__{own}: ...\n"
    )
    assert list_satisfying(make_graph({"a.py": text}), "a.Called") == ["a.Own"] * satisfies


def test_a_class_leads_to_the_protocol(graph: Graph) -> None:
    assert list_outgoing(graph, "classes.Waiting", EdgeType.IMPLEMENTS) == [
        ("implements", "possible", "shape.Loader", (20,))
    ]


def test_a_call_through_a_protocol_may_run_the_methods(graph: Graph) -> None:
    node = find_node(graph, "classes.Square.area")
    edges = graph.find_incoming(node, CALLS, dispatches=True).edges
    assert [(graph.get_node(one.other).qualified_name, one.confidence) for one in edges if one.via] == [
        ("shape.add", "possible")
    ]
    called = graph.find_outgoing(find_node(graph, "shape.add"), CALLS, dispatches=True).edges
    assert sorted(graph.get_node(one.other).qualified_name for one in called if one.via) == [
        "classes.Counted.area",
        "classes.Small.area",
        "classes.Square.area",
        "classes.Told.area",
    ]


def test_a_function_of_a_module_may_stand_for_a_member_of_a_protocol() -> None:
    files = {
        "load.py": "from typing import Protocol\nclass Part(Protocol):\n    def set_up(self, hub): ...\n"
        "class Plain:\n    def close(self): ...\n",
        "lamp.py": "def set_up(hub): ...\ndef close(): ...\n",
        "fan.py": "def set_up(hub, more): ...\n",
    }
    graph = make_graph(files)
    find = graph.name_uses.list_protocol_members
    (member,) = find(find_node(graph, "lamp.set_up"))
    assert [find(find_node(graph, name)) for name in ("fan.set_up", "lamp.close")] == [[], []]
    may_run = "Calls of Part.set_up (load.py:3) may run this, if its module is used as that protocol."
    assert say_may_run(graph.get_node(member)) == may_run
