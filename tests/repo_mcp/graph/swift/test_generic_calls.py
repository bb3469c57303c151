"""Swift: calls of types with type arguments, and members of string literals."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
struct Made<T> { init(literal: String) {}; init(value: T) {}; func show() {} }
class Held<T> { init(_ run: (Int) -> T) {} }
extension String { func wrap() -> Made<Int> { return other } }
func f(text: String) {
  let list: [Made<Int>?] = [ Made<Int>(literal: "a") ] // list
  let made = Made<Int>(value: 1) // value
  Made<Int>(literal: "b").show() // chain
  let held = Held<Int>({ x in x }) // closure
  text.wrap() // variable
  ",".wrap().show() // literal
}
"""


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("// list", "Made", ["a.swift:1 Made exact", "a.swift:1 init exact"]),
        ("// value", "Made", ["a.swift:1 Made exact", "a.swift:1 init exact"]),
        ("// chain", "Made", ["a.swift:1 Made exact", "a.swift:1 init exact"]),
        ("// chain", "show", ["a.swift:1 show exact"]),
        ("// closure", "Held", ["a.swift:2 Held exact", "a.swift:2 init exact"]),
        ("// variable", "wrap", ["a.swift:3 wrap probable"]),
        ("// literal", "wrap", ["a.swift:3 wrap probable"]),
        ("// literal", "show", ["a.swift:1 show probable"]),
    ],
)
def test_meanings(line: str, name: str, expected: list[str]) -> None:
    assert sorted(Repository.build({"a.swift": TEXT}).ask("a.swift", line, name)) == expected
