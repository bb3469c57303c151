"""C++: members of nested classes that are defined outside of them have the whole name of their class."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.vocabulary import EdgeType
from tests.repo_mcp.graph.memory_index import make_graph

TEXTS = {
    "sock.h": """#pragma once
namespace n {
class Socket {
 public:
  struct Read { Read(); void send(int one); struct Deep { void go(); }; };
  class Impl;
};
class Other { class Impl; };
}
""",
    "sock.cpp": """#include "sock.h"
namespace n {
class Socket::Impl { void run(); };
class Other::Impl { void run(); };
Socket::Read::Read() { send(1); }
void Socket::Read::send(int one) {}
void Socket::Read::Deep::go() {}
void Socket::Impl::run() {}
void Other::Impl::run() { Socket::Read::Deep deep; deep.go(); }
}
""",
}


@pytest.mark.parametrize(
    ("asked", "name", "line", "declared"),
    [
        ("n::Socket::Read::send", "n.Socket.Read.send", 6, "sock.h:5"),
        ("Read::send", "n.Socket.Read.send", 6, "sock.h:5"),
        ("Socket::Read::Deep::go", "n.Socket.Read.Deep.go", 7, "sock.h:5"),
        ("Socket::Impl::run", "n.Socket.Impl.run", 8, "sock.cpp:3"),
        ("Other::Impl::run", "n.Other.Impl.run", 9, "sock.cpp:4"),
    ],
)
def test_a_member_is_one_symbol(graph: Graph, asked: str, name: str, line: int, declared: str) -> None:
    node = graph.choose(asked)
    assert (node.path, node.symbol.start_line, node.qualified_name) == ("sock.cpp", line, name)
    others = [f"{one.path}:{one.start_line}" for one in graph.list_spans(node) if not one.is_primary]
    assert others == [declared]


def test_calls_lead_to_members_of_nested_classes(graph: Graph) -> None:
    for name, caller in (("Socket::Read::send", "n.Socket.Read.Read"), ("Deep::go", "n.Other.Impl.run")):
        edges = graph.find_incoming(graph.choose(name), (EdgeType.CALLS,)).edges
        found = [(graph.get_node(one.other).qualified_name, one.confidence.value) for one in edges]
        assert found == [(caller, "exact")]


def test_a_namespace_before_a_class_holds_no_part_of_it() -> None:
    text = "namespace Net { struct Item { void run(); }; }\nvoid Net::Item::run() {}\n"
    found = {one.qualified_name for one in make_graph({"a.cpp": text}).outline("a.cpp")}
    assert found == {"Net", "Net.Item", "Net.Item.run"}


def test_a_name_of_too_many_parts_keeps_its_last_ones() -> None:
    text = f"void {'A::' * 3_000}run() {{}}\n"
    assert [one.symbol.name for one in make_graph({"a.cpp": text}).outline("a.cpp")] == [*"A" * 11, "run"]
