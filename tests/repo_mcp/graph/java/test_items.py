"""Java: what a list, a map, a stream or another holder returns is one of its items."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
package p;
import java.util.*; import java.util.concurrent.atomic.AtomicReference;
class Item { Item child; int size() { return 1; } }
class Other { int size() { return 2; } }
class A {
  List<Item> items; Map<String, Item> byName; Optional<Item> maybe; Map.Entry<String, Item> entry;
  void f(AtomicReference<Item> held) {
    maybe.get().size(); // maybe
    entry.getValue().size();
    entry.getKey().size();
    held.get().size(); // held
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
        ("// maybe", ["p/A.java:3 size probable"]),
        ("entry.getValue()", ["p/A.java:3 size probable"]),
        ("entry.getKey()", ["-> java.util.Map.Entry.getKey.size"]),
        ("// held", ["p/A.java:3 size probable"]),
    ],
)
def test_members_of_items(line: str, expected: list[str]) -> None:
    assert Repository.build({"p/A.java": TEXT}).ask("p/A.java", line, "size") == expected


def test_the_last_call_of_a_long_chain_of_builders() -> None:
    one = '      .part(new Part("a part of a whole that has many parts"))\n'
    parts = one * 30
    text = (
        "class Part { Part(String text) {} }\n"
        "class Whole { Whole part(Part one) { return this; }\n  void close() {} }\n"
        "class Other { void close() {} }\n"
        f"class A {{\n  void f(Whole whole) {{\n    whole\n{parts}      .close();\n  }}\n}}\n"
    )
    assert len(parts) > 1_500
    assert Repository.build({"A.java": text}).ask("A.java", ".close();", "close") == ["A.java:3 close exact"]
