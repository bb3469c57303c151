"""Swift: what a call is given decides members, closures and overloads; a manifest names modules."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
enum Kind { case short; case long(size: Item, Int); static var usual: Kind { .short } }
struct Item { var kind: Kind; var `default`: Int }
struct Wrapped<Value> { var inner: Value; func read(_ body: (Value) -> Int) -> Int { body(inner) } }
protocol Shape { func area(_ at: Int) -> Int }
extension Shape { func area(_ at: Int) -> Int { 0 }; func area(_ at: String) -> Int { 1 } }
struct Square: Shape { func area(_ at: Int) -> Int { 2 } }
class Work {
  let wrapped: Wrapped<Item>
  var items: [Item] = []
  var handler: (any Shape)?
  func use(kind: Kind, then: (Item) -> Void) {}
  func pick(_ one: Item) {}
  func pick(_ one: Kind) {}
  func state() -> Int { 0 }
  func run(item: Item, kind: Kind, square: Square) {
    use(kind: .short) { one in print(one.kind) }
    use(kind: true ? .usual : .long(size: item, 1), then: { $0.default })
    if case let .long(size: found, _) = kind { print(found.kind) }
    switch (kind, item.kind) { case (.short, .long(let last, _)): last.kind; default: break }
    pick(item)
    pick(.short)
    wrapped.inner.kind
    wrapped.read { $0.kind }
    handler?.area(1)
    square.area("text")
    let next: Item = .init(kind: .usual, default: 1)
    items.filter { $0.kind == .short }.map { $0.default }
  }
}
struct Maker { init(_ run: (Work) -> Void) {} }
extension Maker {
  static var plain: Self { .init { $0.state() } }
  var second: Maker { get { .init { one in one.state() } } set {} }
}
"""


A = "Sources/A/a.swift"


TEXTS = {A: TEXT}


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("in print(one.kind)", "short", ["1 short probable"]),  # by the parameter of its label
        ("in print(one.kind)", "kind", ["2 kind probable"]),  # a closure's parameter, by the function's
        ("static var plain", "state", ["14 state probable"]),  # the only expression of a computed property
        ("var second", "state", ["14 state probable"]),
        ("true ? .usual", "usual", ["1 usual probable"]),
        ("true ? .usual", "long", ["1 long probable"]),
        ("true ? .usual", "default", ["2 default probable"]),  # declared in backticks
        ("print(found.kind)", "long", ["1 long exact"]),
        ("print(found.kind)", "kind", ["2 kind probable"]),
        ("switch (kind, item.kind)", "short", ["1 short exact"]),
        ("pick(item)", "pick", ["12 pick probable", "13 pick possible"]),  # by the argument's type
        ("pick(.short)", "pick", ["12 pick possible", "13 pick probable"]),
        ("wrapped.inner.kind", "kind", ["2 kind probable"]),  # of what the type parameter stands for
        ("wrapped.read {", "kind", ["2 kind probable"]),
        ('square.area("text")', "area", ["5 area probable"]),
        ("let next: Item", "default", ["2 default exact"]),
        ("let next: Item", "usual", ["1 usual probable"]),
    ],
)
def test_what_is_given_decides(repository: Repository, line: str, name: str, expected: list[str]) -> None:
    said = repository.ask(A, line, name)
    assert sorted(one.partition(":")[2] for one in said) == expected


def test_two_closures_on_a_line_have_a_first_value_each(repository: Repository) -> None:
    for name, line in (("kind", 2), ("default", 2), ("short", 1)):
        assert repository.ask(A, "items.filter", name) == [f"{A}:{line} {name} probable"]


def test_a_manifest_names_the_module_of_a_folder() -> None:
    manifest = """
    let package = Package(name: "App", targets: [
      .target(name: "App", path: "Source"),
      .testTarget(name: "AppTests", dependencies: ["App"], path: "Tests"),
    ])
    """
    texts = {
        "Package.swift": manifest,
        "Source/Core/a.swift": "public struct Item { public init(at: Int) {} }",
        "Tests/t.swift": "import App\nlet one = Item(at: 1)",
    }
    repository = Repository.build(texts)
    assert "Source/Core/a.swift:1 Item exact" in repository.ask("Tests/t.swift", "let one", "Item")


def test_what_a_file_keeps_to_itself_is_not_meant_elsewhere() -> None:
    texts = {
        "Sources/A/a.swift": "private struct Book { enum Keys { case one } }\nlet a = Book.Keys.one",
        "Sources/A/b.swift": "private struct Book { enum Keys { case one } }\nlet b = Book.Keys.one",
    }
    repository = Repository.build(texts)
    assert repository.ask("Sources/A/b.swift", "let b", "Keys") == ["Sources/A/b.swift:1 Keys exact"]


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        # A type parameter that has a type's name.
        (
            "class Inner { var x = 1 }\nclass Outer<Inner> { let one: Inner\nfunc f() { one.x } }",
            "one.x",
            "x",
        ),
        # The element of a list that the extension is for.
        (
            "struct Element {}\nextension Array where Element: Equatable { func f(_ a: Element) {} }",
            "func",
            "Element",
        ),
        # An alias of a list has no member of its items.
        (
            "struct Item { var x = 1 }\ntypealias List = [Item]\nlet list = List()\nlet a = list.x",
            "let a",
            "x",
        ),
        # A literal that a type is made of may be the type itself.
        ('struct T { init(_ a: String) {}\ninit(stringLiteral a: String) {} }\nlet a = T("b")', "let a", "T"),
    ],
)
def test_what_is_undecided_is_never_exact(text: str, line: str, name: str) -> None:
    said = Repository.build({A: text}).ask(A, line, name)
    assert not [one for one in said if one.endswith("exact")]


def test_aliases_of_each_other_end() -> None:
    names = "T, U, V, W"
    text = "".join(
        f"typealias A{at}<{names}> = A{(at + 1) % 3}<{', '.join([f'A{at}<{names}>'] * 4)}>\n"
        for at in range(3)
    )
    repository = Repository.build({A: text + "func f(one: A0<Int, Int, Int, Int>) { one.x }"})
    assert repository.ask(A, "func f", "x") == []
