"""Java: the parameters of a lambda have the types that what takes the lambda passes."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
package p;
import java.util.*;
import java.util.function.*;
class Item { int size() { return 1; } }
class Other { int size() { return 2; } }
interface Visit { void visit(Item item, Other other); default void more() {} }
interface Each<T> { void each(T one); }
class Task { Task(int count, Consumer<Item> step) {} }
class A {
  List<Item> items; Map<String, Item> byName;
  void run(Consumer<Item> given) {}
  void run(Visit visit) {}
  void pair(BiFunction<Other, ? super Item, String> given) {}
  void each(Each<Other> given) {}
  void text(Function<String, String> given) {}
  <T> void open(Consumer<T> given) {}
  void f(A outer, Optional<Item> maybe, java.util.concurrent.CompletableFuture<Item> later) {
    maybe.map(t -> t.size());
    later.whenComplete((u, error) -> u.size());
    later.whenComplete((value, v) -> v.size());
    outer.run(a -> a.size());
    run((b, c) -> { c.size(); });
    outer.pair((d, e) -> "" + e.size());
    outer.each(g -> g.size());
    items.stream().filter(h -> true).forEach(i -> i.size());
    byName.forEach((j, k) -> k.size());
    byName.forEach((l, m) -> l.size());
    outer.text(n -> "" + n.size());
    outer.open(q -> q.size());
    new Task(1, r -> r.size());
    Consumer<Other> held = s -> s.size();
  }
  Consumer<Other> give() { return w -> w.size(); }
  Each<Item> choose(boolean known) {
    if (known) {
      return (x) -> {
        Consumer<Other> inner = y -> y.size();
        x.size();
      };
    }
    return z -> z.size();
  }
  Visit twice() {
    return (a1, b1) -> {
      b1.size();
      items.forEach(c1 -> c1.size());
    };
  }
  Object unknown() { return d1 -> d1.size(); }
}
"""
ITEM = ["p/A.java:4 size probable"]
OTHER = ["p/A.java:5 size probable"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a -> a.size()", ITEM),
        ("c.size()", OTHER),
        ("e.size()", ITEM),
        ("g.size()", OTHER),
        ("i.size()", ITEM),
        ("k.size()", ITEM),
        ("l.size()", []),
        ("n.size()", ["-> String.size"]),
        ("q.size()", []),
        ("r.size()", ITEM),
        ("s.size()", OTHER),
        ("t.size()", ITEM),
        ("u.size()", ITEM),
        ("v.size()", []),
        ("w.size()", OTHER),
        ("x.size()", ITEM),
        ("y.size()", OTHER),
        ("z.size()", ITEM),
        ("b1.size()", OTHER),
        ("c1.size()", ITEM),
        ("d1.size()", []),
    ],
)
def test_members_of_parameters(line: str, expected: list[str]) -> None:
    assert Repository.build({"p/A.java": TEXT}).ask("p/A.java", line, "size") == expected


def test_a_method_with_too_many_overloads() -> None:
    overloads = "\n".join(f"  void run(Task task, T{at} other) {{}}" for at in range(100))
    text = f"""
interface Task {{ void go(Item item); }}
class Item {{ int size() {{ return 2; }} }}
class A {{
{overloads}
  void f() {{ run(a -> a.size(), null); }}
}}
"""
    assert Repository.build({"A.java": text}).ask("A.java", "a.size()", "size") == []
