"""Swift: whose member stands behind a bare dot, items in closures, and initialisers that nobody wrote."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
enum Kind { case short; case long(Int); static var usual: Kind { return .short } }
struct Item { var kind: Kind = .short; var other: Kind? = .usual; var inner: Inner.Deep }
enum Inner { struct Deep { var depth: Int } }
protocol Holder { associatedtype Value; func use(_ value: Value) }
struct Box<Value>: Holder {
  var all: [Item] = []
  func take(kind: Kind = .short, type: Holder.Type, value: Value) -> Kind {
    if kind == .usual { }
    for each in all { each.inner }
    let kinds = all.map { $0.kind }
    let deep = all.filter({ $0.inner.depth > 1 })
    let named = all.first { one in one.other == .short }
    self.all[0].kind = .long(1)
    opaque { $0.kind }
    return .long(2)
  }
}
extension Inner.Deep { func half() -> Int { return 0 } }
struct Pair { var left: Int; var right: Int }
let pair = Pair(left: 1, right: 2)
struct Made { var left: Int; init(left given: Int) { left = given } }
let made = Made(left: 3)
struct Extended { var left: Int }
extension Extended { init(both: Int) { self.init(left: both) } }
let extended = Extended(both: 4)
struct Shown {
  var maybe: Item?
  func show() { if let maybe { maybe.inner } }
  func again(maybe: Inner.Deep) {
    let maybe = maybe.half()
  }
}
protocol Named { static func name() -> Int }
struct Other { struct Element { static func name() -> Int { return 1 } } }
func ask<Element: Named>(_ one: Element) -> Int { return Element.name() }
extension Outside: Locking { }
protocol Locking { func lock() }
func guarded(one: Outside) { one.lock() }
#if os(Linux)
typealias Word = Int
#else
typealias Word = Bool
#endif
let word: Word
extension Box { func put(_ one: Value) { } }
struct Lazy { let text: Int = { let text = 1; return text }() }
"""
A = "Sources/A/a.swift"


TEXTS = {A: TEXT}


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("struct Item", "short", ["1 short exact"]),
        ("struct Item", "usual", ["1 usual exact"]),
        ("struct Item", "Inner", ["3 Inner exact"]),  # the types around a type are used, too
        ("func take", "short", ["1 short exact"]),
        ("func take", "Holder", ["4 Holder exact"]),  # `.Type` is no type of the repository
        ("extension Box", "Value", ["-> Value"]),  # the type parameter, not the protocol's
        ("kind == .usual", "usual", ["1 usual exact"]),
        ("each.inner", "inner", ["2 inner probable"]),
        ("all.map", "kind", ["2 kind probable"]),
        ("all.filter", "depth", ["3 depth probable"]),
        ("one in one", "other", ["2 other probable"]),
        ("self.all[0]", "long", ["1 long exact"]),
        ("return .long(2)", "long", ["1 long exact"]),
        ("extension Inner.Deep", "Inner", ["3 Inner exact"]),
        ("let pair", "left", ["19 left exact"]),
        ("let made", "left", []),  # the label of an initialiser that is declared
        ("self.init(left", "init", []),
        ("if let maybe", "maybe", ["27 maybe exact"]),
        ("if let maybe", "inner", ["2 inner exact"]),
        ("let maybe =", "half", ["18 half exact"]),
        ("func ask", "name", ["33 name exact"]),  # of the bound, not of a type with the parameter's name
        ("func guarded", "lock", ["37 lock probable"]),
        ("let word", "Word", ["40 Word probable", "42 Word probable"]),  # the build chooses
    ],
)
def test_swift_values(repository: Repository, line: str, name: str, expected: list[str]) -> None:
    said = [one if one.startswith("->") else f"{A}:{one}" for one in expected]
    assert repository.ask(A, line, name) == said
