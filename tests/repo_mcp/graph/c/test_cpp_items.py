"""C++: what a container returns is one of its items, and an iterator is read like the item."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
#include <vector>
struct Other { int code() const; };
struct Item { int code() const; Item *next; Item pair(); };
struct Owner {
  std::vector<Item *> blocks;
  std::map<int, Item> byId;
  std::optional<Item> maybe;
  std::vector<Item *> made();
  int run();
};
int Owner::run() {
  for (auto it = blocks.begin(); it != blocks.end(); ++it) {
    (*it)->code(); // iterator
  }
  auto two = blocks.front();
  two->code(); // variable
  if (auto found = byId.find(1); found != byId.end()) found->second.code();
  blocks.at(0)->code();
  blocks.back()->next->code();
  made().front()->code();
  maybe->code();
  blocks.size().code(); // none
  for (auto &[key, item] : byId) key.code(); // first of two
  auto [first, last] = blocks.at(2)->pair(); first.code(); // part of a result
  return 0;
}
"""
PROBABLE = ["a.cpp:3 code probable"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("// iterator", PROBABLE),
        ("// variable", PROBABLE),
        ("found->second", PROBABLE),
        ("blocks.at(0)", PROBABLE),
        ("back()->next", PROBABLE),
        ("made().front()", PROBABLE),
        ("maybe->code()", ["a.cpp:3 code exact"]),
        ("// first of two", ["a.cpp:2 code possible", "a.cpp:3 code possible"]),
        ("// part of a result", ["a.cpp:2 code possible", "a.cpp:3 code possible"]),
        ("// none", ["a.cpp:2 code possible", "a.cpp:3 code possible"]),
    ],
)
def test_members_of_items(line: str, expected: list[str]) -> None:
    assert Repository.build({"a.cpp": TEXT}).ask("a.cpp", line, "code") == expected
