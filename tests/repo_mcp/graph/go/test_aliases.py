"""Aliases of Go: `type A = B` is B under another name, and `type A B` is a type of its own."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.vocabulary import EdgeType
from tests.repo_mcp.graph.memory_index import find_node, list_incoming, list_outgoing, make_graph

ALERT = {
    "go.mod": "module example.org/app\n",
    "alert/alert.go": "package alert\ntype Alert struct{}\nfunc (a *Alert) Resolved() bool { return true }\n",
    "types/types.go": (
        "package types\n"
        'import (\n\t"example.org/app/alert"\n\t"example.org/other/outer"\n)\n'
        "type Alert = alert.Alert\n"
        "type Own alert.Alert\n"
        "type Outer = outer.Thing\n"
        "type Sent = map[string]*Alert\n"
        "type Handler = func(a *Alert, n int) error\n"
        "type List[T any] = []T\n"
    ),
    "again/again.go": 'package again\nimport "example.org/app/types"\ntype Alert = types.Alert\n',
}


def list_implementers(takes: str, **types: str) -> list[tuple[str, str]]:
    """Return the types that satisfy an interface with a method `Send` that takes some type.

    Each of the other types takes another one in its own method `Send`.
    """
    imports = (
        "import (\n"
        '\t"example.org/app/again"\n\t"example.org/app/alert"\n\t"example.org/app/types"\n'
        '\t"example.org/other/outer"\n)\n'
    )
    declared = "".join(
        f"type {name} struct{{}}\nfunc (s {name}) Send(a {one}) {{}}\n" for name, one in types.items()
    )
    text = f"package send\n{imports}type Sender interface {{\n\tSend({takes})\n}}\n{declared}"
    found = list_incoming(make_graph(ALERT | {"send/send.go": text}), "send.Sender", EdgeType.IMPLEMENTS)
    return [(name, sureness) for _, sureness, name, _ in found]


def test_an_alias_in_a_signature_is_the_type_for_which_it_stands() -> None:
    found = list_implementers(
        "*alert.Alert", Alias="*types.Alert", Chain="*again.Alert", Own="*types.Own", Value="types.Alert"
    )
    assert found == [("send.Alias", "exact"), ("send.Chain", "exact")]


def test_an_alias_of_an_external_type_has_its_name_outside() -> None:
    found = list_implementers("outer.Thing", Alias="types.Outer", Other="outer.Other")
    assert found == [("send.Alias", "exact")]


def test_an_alias_may_stand_for_a_type_without_a_name() -> None:
    assert list_implementers("map[string]*alert.Alert", A="types.Sent") == [("send.A", "exact")]
    found = list_implementers("types.Handler", Same="func(*alert.Alert, int) error", Other="func(int) error")
    assert found == [("send.Same", "exact")]


def test_a_generic_alias_may_be_any_type() -> None:
    found = list_implementers("types.List[*alert.Alert]", A="[]*types.Alert", B="[]map[string]int")
    assert found == [("send.A", "possible"), ("send.B", "possible")]


MEMBERS = {
    "go.mod": "module example.org/app\n",
    "store/store.go": (
        "package store\n"
        "type Store interface {\n\tGet() int\n\tPut()\n}\n"
        "type Memory struct{}\n"
        "type Cache = Memory\n"
        "func (m *Memory) Get() int { return 1 }\n"
    ),
    "store/put.go": (
        "package store\nfunc (c *Cache) Put() {}\nfunc run(c *Cache, m *Memory) { c.Get(); m.Put() }\n"
    ),
    "use/use.go": (
        "package use\n"
        'import "example.org/app/store"\n'
        "type Keeper = store.Store\n"
        "type Kept = store.Memory\n"
        "type wrapped struct{ *Kept }\n"
        "type held struct{ Keeper }\n"
        "func run(k *Kept) { k.Get() }\n"
        "func inner() { type Kept = store.Store; var k Kept; k.Put() }\n"
    ),
}


@pytest.fixture(scope="module")
def members() -> Graph:
    return make_graph(MEMBERS)


def test_a_method_of_an_alias_is_one_of_its_type(members: Graph) -> None:
    found = list_incoming(members, "store.Store", EdgeType.IMPLEMENTS)
    assert [(sureness, name) for _, sureness, name, _ in found] == [
        ("exact", "store.Memory"),
        ("exact", "use.wrapped"),
        ("exact", "use.held"),
    ]
    overrides = list_incoming(members, "store.Store.Put", EdgeType.OVERRIDES)
    assert [name for _, _, name, _ in overrides] == ["store.Cache.Put"]


def test_types_satisfy_an_interface_under_each_of_its_names(members: Graph) -> None:
    found = list_incoming(members, "use.Keeper", EdgeType.IMPLEMENTS)
    assert "store.Memory" in [name for _, _, name, _ in found]
    satisfied = [name for _, _, name, _ in list_outgoing(members, "use.Kept", EdgeType.IMPLEMENTS)]
    assert satisfied == ["store.Store"]


def test_members_are_called_through_every_name_of_their_type(members: Graph) -> None:
    def list_callers(name: str) -> list[tuple[str, str]]:
        return [(one, sureness) for _, sureness, one, _ in list_incoming(members, name, EdgeType.CALLS)]

    assert list_callers("store.Memory.Get") == [("store.run", "exact"), ("use.run", "exact")]
    assert list_callers("store.Store.Put") == [("use.inner", "probable")]
    assert list_callers("store.Cache.Put") == [("store.run", "exact")]


def test_aliases_of_each_other_end() -> None:
    text = (
        "package a\ntype A = B\ntype B = A\n"
        "type I interface{ M(A) }\ntype C struct{ B }\nfunc (c C) M(b B) {}\n"
    )
    found = list_incoming(make_graph({"a/a.go": text}), "a.I", EdgeType.IMPLEMENTS)
    assert len(found) <= 1


def test_a_type_and_its_alias_have_the_same_references() -> None:
    text = """package a

type Config struct{}
type Old = Config

func (*Old) Name() string { return "" }

func use(c Config) { _ = Old{} }
"""
    graph = make_graph({"go.mod": "module example.org/a\n", "a.go": text})
    found = [list_incoming(graph, name, EdgeType.ACCEPTS, EdgeType.CALLS) for name in ("a.Config", "a.Old")]
    assert found[0] == found[1]
    assert [(edge, end, lines) for edge, _, end, lines in found[0]] == [
        ("accepts", "a.use", (8,)),
        ("calls", "a.use", (8,)),
    ]
    assert find_node(graph, "a.Old").kind == "alias"
