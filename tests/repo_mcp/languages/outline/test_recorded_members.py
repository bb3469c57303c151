"""Outlines by line patterns that the symbol record of the same text completes."""

from __future__ import annotations

import pytest

from repo_mcp.languages.adapter_registry import MAX_COMPLETED_BYTES, AdapterRegistry
from repo_mcp.languages.outline.adapter import ParserFailed, ParserFault
from repo_mcp.languages.symbol_parsers import run_parser_task
from repo_mcp.model import Outline
from tests.growth import assert_linear


def complete(path: str, text: str) -> Outline:
    registry = AdapterRegistry(run_parser_task, ())
    return registry.complete(registry.outline(path, text), text.encode())


def rows(path: str, text: str) -> list[tuple[str, str, int, int]]:
    """Return kind, qualified name and lines of each symbol."""
    return [
        (one.kind, f"{one.parent_symbol or ''}.{one.name}".lstrip("."), one.start_line, one.end_line)
        for one in complete(path, text).symbols
    ]


CSHARP = """namespace N;
public interface IShape {
  string Name { get; }
  event EventHandler Changed;
}
public class Circle {
  private readonly int _x;
  public string Mark = "\\"{";
  public int Wide
  {
     get { return 1; }
  }
  public Circle(int x) { _x = x; }
  public static Circle operator +(Circle a, Circle b) => a;
  public const int K = 1;
}
public enum Edge {
  Round,
  Flat = 3,
}
"""
SWIFT = """struct Pair: Bar {
    let a: Int
    // Makes it.
    @objc
    init(a: Int) { self.a = a }
    deinit {
    }
    subscript(i: Int) -> Int {
        get { 1 }
    }
    enum Side: String {
        case left, right
    }
}
extension Pair {
    var both: Int {
        return 3
    }
}
"""
GO = """package a

type Runner interface {
\t// Run it
\tRun(ctx context.Context) error
}
type Box struct {
\tA, B int
\t*Inner
}
const (
\tX Kind = iota
\tY
)
var (
\tfree int
)
func f() {
\ttype local struct { inner int }
}
"""
CPP = """namespace n {
class Foo : Bar {
 public:
  Foo();
  virtual ~Foo();
  bool operator==(const Foo& o) const { return true; }
  int x_, y_;
};
enum class Side : int {
  kLeft,
  kRight,
};
TEST(Foo, works) {
  EXPECT_EQ(a(), b());
}
}
"""
TYPESCRIPT = """export interface Options {
  name: string
  inner?: {
    deep: number
  }
  run(): void
}
export class Held {
  private count = 0
  static readonly all: string[]
}
export enum Side {
  Left = 1,
  Right,
}
const table = {
  key: 1,
}
"""


def test_csharp_has_fields_properties_of_interfaces_events_operators_and_values() -> None:
    found = rows("a.cs", CSHARP)
    assert [one for one in found if one[0] == "property"] == [
        ("property", "IShape.Name", 3, 3),
        ("property", "Circle._x", 7, 7),
        ("property", "Circle.Mark", 8, 8),
        ("property", "Circle.Wide", 9, 12),
    ]
    assert ("event", "IShape.Changed", 4, 4) in found
    assert ("method", "Circle.Circle", 13, 13) in found
    assert ("constant", "Circle.K", 15, 15) in found
    assert [one[1] for one in found if one[0] == "enum_member"] == ["Edge.Round", "Edge.Flat"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.java", "record Pair(String name,\n    int order) {\n    int twice() { return order * 2; }\n}\n"),
        ("a.cs", "record Pair(\n  string Name,\n  int Order)\n{\n  public int Twice { get; set; }\n}\n"),
    ],
)
def test_what_the_head_of_a_record_declares_is_in_its_signature(path: str, text: str) -> None:
    assert [name for _, name, _, _ in rows(path, text)] in (["Pair", "Pair.twice"], ["Pair", "Pair.Twice"])


def test_swift_has_initialisers_subscripts_cases_and_properties() -> None:
    assert rows("a.swift", SWIFT) == [
        ("struct", "Pair", 1, 14),
        ("property", "Pair.a", 2, 2),
        ("method", "Pair.init", 4, 5),
        ("method", "Pair.deinit", 6, 7),
        ("method", "Pair.subscript", 8, 10),
        ("enum", "Pair.Side", 11, 13),
        ("enum_member", "Pair.Side.left", 12, 12),
        ("enum_member", "Pair.Side.right", 12, 12),
        ("extension", "Pair", 15, 19),
        ("property", "Pair.both", 16, 18),
    ]
    made = next(one for one in complete("a.swift", SWIFT).symbols if one.name == "init")
    assert (made.signature, made.doc) == ("init(a: Int) { self.a = a }", "Makes it.")


def test_go_has_methods_of_interfaces_fields_and_what_groups_declare() -> None:
    assert rows("a.go", GO) == [
        ("interface", "Runner", 3, 6),
        ("method", "Runner.Run", 5, 5),
        ("struct", "Box", 7, 10),
        ("property", "Box.A", 8, 8),
        ("property", "Box.B", 8, 8),
        ("property", "Box.Inner", 9, 9),
        ("variable", "X", 12, 12),
        ("constant", "Y", 13, 13),
        ("variable", "free", 16, 16),
        ("function", "f", 18, 20),
    ]


def test_cpp_has_destructors_operators_and_values_but_no_calls() -> None:
    found = rows("a.cc", CPP)
    for name in ("Foo.Foo", "Foo.~Foo", "Foo.operator==", "Foo.x_", "Foo.y_", "Side.kLeft", "Side.kRight"):
        assert name in [one[1] for one in found]
    assert [one[1] for one in found if one[2] in (4, 5)] == ["Foo.Foo", "Foo.~Foo"]
    assert ("method", "Foo.works", 13, 15) in found  # a test of the fixture Foo
    assert "EXPECT_EQ" not in [one[1] for one in found]


def test_typescript_has_fields_and_values_but_no_keys_of_objects() -> None:
    found = rows("a.ts", TYPESCRIPT)
    assert [one[1:3] for one in found if one[0] in ("property", "enum_member")] == [
        ("Options.name", 2),
        ("Options.inner", 3),
        ("Held.count", 9),
        ("Held.all", 10),
        ("Side.Left", 13),
        ("Side.Right", 14),
    ]
    assert ("method", "Options.run", 6, 6) in found


def test_what_macros_make_is_not_listed() -> None:
    text = "macro_rules! make { ($n:ident) => { fn $n() {} fn other() {} } }\nmake!(one);\n"
    text += "struct A {\n  b: u8,\n}\n"
    assert [one[1] for one in rows("a.rs", text)] == ["make", "one", "A", "A.b"]


def test_other_outlines_stay_as_they_are() -> None:
    registry = AdapterRegistry(run_parser_task, ())
    for path, text in (
        ("a.md", "# A\n"),
        ("a.php", "<?php\nclass A {\n  public $b;\n}\n"),
        ("a.h", "@interface A\n@end\n"),
    ):
        found = registry.outline(path, text)
        assert registry.complete(found, text.encode()) is found


@pytest.mark.parametrize("fault", ParserFault)
def test_an_outline_without_its_parser_says_so(fault: ParserFault) -> None:
    def fail(task: str, text: bytes) -> bytes:
        assert task == "structure/go"
        raise ParserFailed(fault)

    registry = AdapterRegistry(fail, ())
    found = registry.outline("a.go", GO)
    said = registry.complete(found, GO.encode())
    assert said.symbols == found.symbols
    assert said.warnings == (
        "The symbol parser did not read the file: fields and other members may be missing.",
    )


def test_a_long_text_is_not_parsed() -> None:
    registry = AdapterRegistry(lambda *_: pytest.fail("parsed"), ())
    text = GO + "// long\n" * (MAX_COMPLETED_BYTES // 8)
    assert registry.complete(registry.outline("a.go", text), text.encode()).warnings


@pytest.mark.parametrize("line", ["  func f() {}\n", "  var f: Int\n", "  case f\n"])
def test_many_members_take_linear_time(line: str) -> None:
    assert_linear(
        lambda size: "enum A {\n" + line * size + "}\n", lambda text: complete("a.swift", text), 300
    )


GO_METHODS = """package a

func (k Kind) Early() {}

type Kind int

func (k Kind) Late() {}

const (
\tOne Kind = iota
\tTwo
)

var (
\tErrNone = errors.New("none")
)
"""


def test_methods_of_go_belong_to_their_type_wherever_they_stand() -> None:
    found = rows("a.go", GO_METHODS)
    assert [name for kind, name, *_ in found if kind == "method"] == ["Kind.Early", "Kind.Late"]


def test_the_word_of_a_group_of_go_stands_before_each_of_its_names() -> None:
    signatures = [one.signature for one in complete("a.go", GO_METHODS).symbols]
    assert signatures[-3:] == ["const One Kind = iota", "const Two", 'var ErrNone = errors.New("none")']


def test_a_value_with_a_name_of_its_own_is_listed_once_by_that_of_its_member() -> None:
    text = "class Shop {}\nShop.Page = class ShopPage extends (\n  Page\n) {\n  show() {}\n};\n"
    found = rows("a.js", text + "Shop.run = function go() {};\n")
    assert [one[1] for one in found] == ["Shop", "Shop.Page", "Shop.Page.show", "Shop.run"]


def test_a_member_named_by_an_expression_is_listed_once() -> None:
    text = "class Ring {\n  [Symbol.iterator]() {\n    return 1;\n  }\n  [kSize]() {\n    return 2;\n  }\n}\n"
    assert [one[2] for one in rows("a.js", text)] == [1, 2, 5]


MARKED = """ANY_NO_WARNING("-Wshadow")

namespace n {

struct Box {
  Any* MAY_BE_NULL find(int key);
  bool operator()(int a) const {
    return a > size_;
  }
  explicit operator bool() const {
    return size_;
  }
  std::array<char, 6 * sizeof(void*)> bytes_;
  int size_;
};

} // namespace n
"""


def test_cpp_macros_are_no_members_each_line_is_listed_once_and_namespaces_end() -> None:
    assert rows("a.h", MARKED) == [
        ("module", "n", 3, 17),
        ("struct", "Box", 5, 15),
        ("method", "Box.find", 6, 6),
        ("method", "Box.operator()", 7, 9),
        ("method", "Box.operator bool", 10, 12),
        ("property", "Box.bytes_", 13, 13),
        ("property", "Box.size_", 14, 14),
    ]


def test_methods_of_a_class_in_a_function_of_cpp_are_no_calls() -> None:
    text = "int f() {\n  struct Local {\n    int get() {\n      return 1;\n    }\n  };\n  use(Local{});\n}\n"
    assert rows("a.cc", text) == [
        ("function", "f", 1, 8),
        ("struct", "f.Local", 2, 6),
        ("method", "f.Local.get", 3, 5),
    ]


def test_an_outline_of_a_text_that_was_parsed_in_part_says_so() -> None:
    assert "in part" in " ".join(complete("a.cc", "int f() {\n  return ({;\n}\n").warnings)
    assert not complete("a.cc", "int f() {\n  return 1;\n}\n").warnings
