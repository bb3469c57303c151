"""Java: members of a value that is cast, and of what one of several overloads returns."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
package p;
class Other { int size() { return 1; } }
class Item { Item next; int size() { return 2; } Item following() { return null; } }
class Outer { static class Inner { int size() { return 3; } } }
class A {
  Item find(String name) { return null; }
  Other find(int at) { return null; }
  void f(Object o, boolean is) {
    ((Item) o).size();
    ((Item) this.make(1, o)).following().size();
    ((Item) o).next.size();
    ((Outer.Inner) o).size();
    ((Item) o == null ? new Other() : new Other()).size();
    ((Runnable) o).size();
    find(1).size();
  }
  Object make(int at, Object o) { return o; }
  <Item extends Other> int g(Object p) { return ((Item) p).size(); } // parameter of a method
  static class Own<Item> { int g(Object p) { return ((Item) p).size(); } } // parameter of a class
}
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("((Item) o).size()", ["p/A.java:3 size exact"]),
        ("following().size()", ["p/A.java:3 size exact"]),
        ("next.size()", ["p/A.java:3 size exact"]),
        ("Outer.Inner) o", ["p/A.java:4 size exact"]),
        ("new Other()", []),
        ("((Runnable) o)", ["-> Runnable.size"]),
        ("// parameter of a method", []),
        ("// parameter of a class", []),
        ("find(1)", ["p/A.java:2 size possible", "p/A.java:3 size possible"]),
    ],
)
def test_members(line: str, expected: list[str]) -> None:
    assert sorted(Repository.build({"p/A.java": TEXT}).ask("p/A.java", line, "size")) == expected
