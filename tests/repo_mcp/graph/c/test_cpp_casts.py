"""C and C++: members of values that are cast, and of variables that a condition declares."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "a.cpp": """
        struct Other { int code() const; };
        namespace space { struct Item { int code() const; Item *next; Item &self(); }; }
        using space::Item;
        void run(void *p, Item *q, std::vector<Item> *list) {
          static_cast<Item *>(p)->code();
          ((space::Item *)p)->code();
          reinterpret_cast<Item *>(p)->next->code();
          dynamic_cast<const Item &>(*q).self().code();
          if (auto z = dynamic_cast<Item *>(q)) z->code();
          static_cast<std::vector<Item> *>(p)->code();
          if (auto held = std::get_if<Item>(p)) held->code();
          own_cast<Other>(p)->code();
          auto other = static_cast<Owner *>(p)->get(); other->code(); // result
        }
        struct Owner { Other *get(); };
        template <class Item> int make(void *q) { return static_cast<Item *>(q)->code(); } // parameter
        """,
    "a.c": """
        struct other { int code; };
        struct item { int code; struct item *next; };
        int run(void *p) {
          return ((struct item *)p)->next->code;
        }
        """,
}


@pytest.mark.parametrize(
    ("path", "line", "expected"),
    [
        ("a.cpp", "static_cast<Item *>(p)", ["a.cpp:2 code exact"]),
        ("a.cpp", "((space::Item *)p)", ["a.cpp:2 code exact"]),
        ("a.cpp", "next->code()", ["a.cpp:2 code exact"]),
        ("a.cpp", "self().code()", ["a.cpp:2 code exact"]),
        ("a.cpp", "z->code()", ["a.cpp:2 code exact"]),
        ("a.cpp", "static_cast<std::vector", ["a.cpp:1 code possible", "a.cpp:2 code possible"]),
        ("a.cpp", "held->code()", ["a.cpp:2 code exact"]),
        ("a.cpp", "own_cast<Other>", ["a.cpp:1 code possible", "a.cpp:2 code possible"]),
        ("a.cpp", "// result", ["a.cpp:1 code exact"]),
        ("a.cpp", "// parameter", ["a.cpp:1 code possible", "a.cpp:2 code possible"]),
        ("a.c", "next->code", ["a.c:2 code exact"]),
    ],
)
def test_members(path: str, line: str, expected: list[str]) -> None:
    assert Repository.build(TEXTS).ask(path, line, "code") == expected
