"""C#: `out var x` has the type of the parameter, or of an item of what a library's member takes it from."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
using System.Collections.Generic;
class Other { public int Code() => 1; }
class Item { public int Code() => 2; }
class A {
  Dictionary<string, Item> byName; Queue<Item> queue;
  bool Find(string name, out Item item) { item = null; return true; }
  bool Find(int at, out Other other) { other = null; return true; }
  bool Make<T>(out T made) { made = default; return true; }
  void Run() {
    if (byName.TryGetValue("a", out var first)) first.Code();
    if (queue.TryDequeue(out var second)) second.Code();
    if (Find("a", out var third)) third.Code();
    Find(1, out var fourth);
    fourth.Code();
    Find("b", out Item fifth);
    fifth.Code();
    Make<Item>(out var sixth);
    sixth.Code();
  }
}
"""
ITEM, OTHER = ["a.cs:3 Code exact"], ["a.cs:2 Code exact"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("first.Code()", ITEM),
        ("second.Code()", ITEM),
        ("third.Code()", ITEM),
        ("fourth.Code()", OTHER),
        ("fifth.Code()", ITEM),
        ("sixth.Code()", ITEM),
    ],
)
def test_members(line: str, expected: list[str]) -> None:
    assert Repository.build({"a.cs": TEXT}).ask("a.cs", line, "Code") == expected
