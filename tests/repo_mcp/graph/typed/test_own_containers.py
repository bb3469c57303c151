"""Java and C++: types of the repository that are called like containers of a library, and nested ones."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "p/A.java": """
        package p;
        class Item { int size() { return 2; } }
        class ArrayDeque<E> { E pop() { return null; } boolean full() { return true; } }
        class A {
          void f(ArrayDeque<Item> taken, java.util.List<java.util.Map<String, Item>> nested) {
            taken.full();
            ArrayDeque<Item> local = taken;
            local.full();
            nested.get(0).get("").size();
          }
          <T extends Item> void g(java.util.List<T> bounded) { bounded.get(0).size(); }
        }
        """,
    "a.cpp": """
        struct Item { int size(); };
        template <class T> struct list { bool full(); }; template <class T> struct optional { bool full(); };
        void run(optional<Item> taken, std::vector<std::vector<Item>> nested) {
          taken.full();
          nested.front().front().size();
          list<Item> own;
          own[0].size();
          for (auto &each : own) { each.size(); }
        }
        """,
}


@pytest.mark.parametrize(
    ("path", "line", "name", "expected"),
    [
        ("p/A.java", "taken.full()", "full", ["p/A.java:3 full exact"]),
        ("p/A.java", "local.full()", "full", ["p/A.java:3 full exact"]),
        ("p/A.java", "nested.get(0)", "size", ["p/A.java:2 size probable"]),
        ("p/A.java", "bounded.get(0)", "size", ["p/A.java:2 size probable"]),
        ("a.cpp", "taken.full()", "full", ["a.cpp:2 full exact"]),
        ("a.cpp", "own[0]", "size", ["a.cpp:1 size probable"]),
        ("a.cpp", "each.size()", "size", ["a.cpp:1 size probable"]),
        ("a.cpp", "nested.front()", "size", ["a.cpp:1 size probable"]),
    ],
)
def test_members(path: str, line: str, name: str, expected: list[str]) -> None:
    assert Repository.build(TEXTS).ask(path, line, name) == expected
