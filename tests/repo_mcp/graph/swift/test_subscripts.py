"""Swift: subscripts, initialisers of a type parameter's bound, and the arguments of property wrappers."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

TEXT = """
enum Setting {
  enum Key { case shell, columns }
  static subscript(_ key: Key) -> String? { nil }
}
struct Box { subscript(at: Int) -> Box { self }
  subscript(near at: Int) -> Int { 0 } }
extension Array { subscript(safe at: Int) -> Element? { nil } }
struct Store { var boxes: [Box]; var first: Box?
  func use(box: Box, list: [Int], other: Unknown) {
    print(Setting[.shell])
    Setting[.columns] = nil
    box[1][near: 2]
    first?[3]
    boxes[safe: 4]
    boxes[5]
    list[6]
    other[7]
  }
}
struct Help { static var hidden: Help; static func text(_ text: String) -> Help { hidden } }
struct Other { static var hidden: Other }
@propertyWrapper struct Option<Value> {
  init(name: Int = 0, help: Help? = nil) {}
  init(other: Other) {}
}
let shared = Help.hidden
struct Command {
  @Option(help: .hidden) var one: Int
  @Option(other: .hidden) var two: Int
  @Option(name: 3, help: .text("a")) var three: Int
  @Option(help: shared) var four: Int
  @available(*, deprecated, message: "shared") var five: Int
}
protocol Readable { init(text: String) }
func read<Value: Readable>(from: String) -> Value { Value(text: from) }
"""


TEXTS = {"a.swift": TEXT}


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("print(Setting[.shell])", "subscript", ["3 subscript exact"]),
        ("print(Setting[.shell])", "shell", ["2 shell probable"]),
        ("print(Setting[.shell])", "Setting", ["1 Setting exact"]),
        ("Setting[.columns]", "subscript", ["3 subscript exact"]),
        ("box[1][near: 2]", "subscript", ["6 subscript probable", "5 subscript exact"]),
        ("first?[3]", "subscript", ["5 subscript exact"]),
        ("first?[3]", "first", ["8 first exact"]),
        ("boxes[safe: 4]", "subscript", ["7 subscript probable"]),
        ("boxes[5]", "boxes", ["8 boxes exact"]),
        ("boxes[5]", "subscript", []),  # that of the library
        ("list[6]", "subscript", []),
        ("other[7]", "subscript", []),
        ("@Option(help: .hidden)", "hidden", ["20 hidden probable"]),
        ("@Option(other: .hidden)", "hidden", ["21 hidden probable"]),
        ("@Option(name: 3", "text", ["20 text probable"]),
        ("@Option(help: shared)", "shared", ["26 shared exact"]),
        ("Value(text: from)", "init", ["34 init exact"]),
    ],
)
def test_what_is_meant(repository: Repository, line: str, name: str, said: list[str]) -> None:
    assert [one.partition(":")[2] for one in repository.ask("a.swift", line, name)] == said


def test_a_bound_may_stand_in_a_where_clause() -> None:
    text = """
        protocol Readable { init(text: String); func reread() }
        func read<Value>(from: Value) -> Value where Value: Readable {
          from.reread()
          return Value(text: "")
        }
        """
    found = Repository.build({"a.swift": text})
    assert found.ask("a.swift", "from.reread()", "reread") == ["a.swift:1 reread exact"]
    assert found.ask("a.swift", "return Value", "init") == ["a.swift:1 init exact"]


def test_what_an_operator_stands_before_is_called() -> None:
    text = """
        func made(_ at: Int) -> Box { Box() }
        struct Box {
          var size: Int; var boxes: [Box]
          func is(_ at: Int) -> Bool { true }
          func use(other: Box) -> String {
            if !other.is(1) || !self.is(2) { return "" }
            let sum = 3 + made(4).boxes[5].size
            return "\\n"
              + made(6)
              .rendered()
          }
          func rendered() -> String { "" }
        }
        """
    found = Repository.build({"a.swift": text})
    assert found.ask("a.swift", "!other.is(1)", "is", ReferenceRole.CALL) == ["a.swift:4 is exact"]
    assert found.ask("a.swift", "let sum", "made", ReferenceRole.CALL) == ["a.swift:1 made exact"]
    assert found.ask("a.swift", "let sum", "size") == ["a.swift:3 size exact"]
    assert found.ask("a.swift", "+ made(6)", "made", ReferenceRole.CALL) == ["a.swift:1 made exact"]
    assert found.ask("a.swift", ".rendered()", "rendered") == ["a.swift:12 rendered exact"]
