"""C++: types that a class declares and another file defines, `struct Door::Impl {`, each of its own class."""

from __future__ import annotations

import pytest

from repo_mcp.graph.vocabulary import EdgeType
from tests.repo_mcp.graph.memory_index import list_incoming, make_graph
from tests.repo_mcp.graph.resolved import Repository


def write_header(name: str) -> str:
    return f"""
namespace house {{
class {name} {{
 public:
  enum class State {{ Open, Shut }};
  void shut();
 private:
  struct Impl;
  Impl* impl_;
}};
}}
"""


def write_source(name: str) -> str:
    return f"""
#include "{name.lower()}.h"
namespace house {{
struct {name}::Impl {{
  void turn() {{ state = State::Shut; }}
  State state;
}};
void {name}::shut() {{ impl_->turn(); }}
}}
"""


TREE = {
    f"{name.lower()}.{suffix}": write(name)
    for name in ("Door", "Window")
    for suffix, write in (("h", write_header), ("cc", write_source))
}


@pytest.mark.parametrize("name", ["door", "window"])
@pytest.mark.parametrize(
    ("suffix", "line", "used", "means"),
    [
        ("h", "Impl* impl_", "Impl", "{}.cc:3 Impl probable"),
        ("cc", "State state;", "State", "{}.h:4 State exact"),
        ("cc", "impl_->turn()", "turn", "{}.cc:4 turn probable"),
    ],
)
def test_a_type_defined_elsewhere_belongs_to_its_class(
    name: str, suffix: str, line: str, used: str, means: str
) -> None:
    found = Repository.build(TREE).ask(f"{name}.{suffix}", line, used)
    assert found == [means.format(name)]


def test_a_type_defined_elsewhere_is_named_with_its_class() -> None:
    graph = make_graph(TREE)
    callers = list_incoming(graph, "house.Door.Impl.turn", EdgeType.CALLS)
    assert callers == [("calls", "probable", "house.Door.shut", (8,))]


@pytest.mark.parametrize("namespace", ["std", "House"])
def test_a_specialisation_extends_no_namespace(namespace: str) -> None:
    text = f"struct Key {{}};\ntemplate <> struct {namespace}::hash<Key> {{ int operator()(Key key); }};\n"
    record = Repository.build({"key.cc": text}).program.find_record("key.cc")
    assert record is not None
    assert record.find_symbols(namespace) == []


def test_a_member_of_one_specialisation_is_none_of_another() -> None:
    texts = {
        "house.h": "namespace House { template <typename T> struct size_of; }\n",
        "key.cc": """
        #include "house.h"
        struct Key {};
        struct Lock {};
        template <> struct House::size_of<Key> { int read(); };
        template <> struct House::size_of<Lock> { int read(); };
        int use() { House::size_of<Lock> size; return size.read(); }
        """,
    }
    assert "key.cc:4 read probable" not in Repository.build(texts).ask("key.cc", "int use()", "read")
