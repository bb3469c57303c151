"""Java: what a list, a map or a stream returns is one of its items."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
package p;
import java.util.*;
class Item { Item child; int size() { return 1; } }
class Other { int size() { return 2; } }
class A {
  List<Item> items; Map<String, Item> byName;
  void f() {
    items.get(1).size();
    byName.get("a").child.size();
    items.stream().filter(x -> true).findFirst().get().size();
    items.subList(1, 2).size();
  }
}
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("items.get(1)", ["p/A.java:3 size probable"]),
        ("child.size()", ["p/A.java:3 size probable"]),
        ("findFirst()", ["p/A.java:3 size probable"]),
        ("subList(1, 2)", []),  # the list's own
    ],
)
def test_members_of_items(line: str, expected: list[str]) -> None:
    assert Repository.build({"p/A.java": TEXT}).ask("p/A.java", line, "size") == expected
