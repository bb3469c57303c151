"""Functions with titles, found by lines."""

from __future__ import annotations

import pytest

from index_format import compute_fingerprint
from repo_mcp.languages.patterns.declared_spans import list_declared_spans
from repo_mcp.languages.patterns.enclosing import find_declarations
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.titled_names import find_test_kind, is_titled, name_titled, read_title, split_qualified
from tests.growth import assert_linear

SHOP = b"""import { router } from "./core";

// Pays.
router.post(
  "carts.pay",
  auth({ role: Role.Member, check: (one) => one }),
  async (ctx) => {
    pay(ctx);
  }
);

allow(User, ["read", "list"], Cart, (user, cart) =>
  user.owns(cart)
);
on("exit", () => log());

describe("cart", () => {
  const make = () => {
    return 1;
  };
  it("adds", async () => {
    stream.on("end", () => {
      done();
    });
    add(1);
  });
  before("all", () => {
    make();
  });
});

function build(app) {
  app.get("/carts", (request) => {
    list();
  });
  app.on("open", (request) => {
    list();
  });
}
const text = `
test("in a text", () => {
  no();
});
`;
const value =
  choose("one", () => {
    no();
  });
choose("options", {
  make: () => 1,
});
"""


def list_spans(path: str, text: bytes) -> list[tuple[str, int, int]]:
    spans = list_declared_spans(find_language(path), text)
    return [(one.qualified_name, one.start_line, one.end_line) for one in spans]


@pytest.mark.parametrize("path", ["shop.ts", "shop.js"])
def test_statements_that_hand_over_functions_are_declarations(path: str) -> None:
    assert [one for one in list_spans(path, SHOP) if one[1] < 40] == [
        ('post("carts.pay")', 3, 10),
        ('allow("read", "list")', 12, 14),
        ('describe("cart")', 17, 30),
        ('describe("cart").make', 18, 20),
        ('describe("cart").it("adds")', 21, 26),
        ('describe("cart").before("all")', 27, 29),
        ("build", 32, 39),
        ('build.get("/carts")', 33, 35),
    ]
    assert not any(is_titled(name) for name, first, _ in list_spans(path, SHOP) if first >= 40)


def test_a_text_without_any_other_declaration_has_them() -> None:
    text = b'it("adds", () => {\n  add(1);\n});\n'
    assert list_spans("a.test.ts", text) == [('it("adds")', 1, 3)]
    found = find_declarations(find_language("a.test.ts"), text, compute_fingerprint(text))
    assert [one.name for one in found.list_all()] == ['it("adds")']
    assert list_spans("a.rb", text) == []


def test_names_are_read_back() -> None:
    name = name_titled("get", ["a.b", 'say "no"'])
    assert name == 'get("a.b", "say "no"")'
    assert [one for one in (name, "get", "get()") if is_titled(one)] == [name]
    assert read_title(name) == "a.b"
    assert name_titled("get", ["x" * 201]) == name_titled("get", []) == name_titled("", ["a"]) == ""
    assert split_qualified(f"Box.{name}.make") == ["Box", name, "make"]
    assert split_qualified("a.b") == ["a", "b"]
    assert [find_test_kind(one) for one in ('it("a")', 'describe("a")', 'get("a")')] == [
        "test",
        "suite",
        None,
    ]


def test_a_function_is_looked_for_in_its_own_statement() -> None:
    text = b'on("a",\n  b\non("b", () => {\n  c();\n});\n'
    assert list_spans("a.ts", text) == [('on("b")', 3, 5)]
    unit = b'on("a",\n' + b" b" * 200 + b"\n"
    assert_linear(lambda count: unit * count, lambda text: list_spans("a.ts", text), 40)


def test_qualified_names_are_split_in_linear_time() -> None:
    name = name_titled("allow", ["a"] * 200)
    assert split_qualified(f"{name}.make") == [name, "make"]
    assert_linear(lambda count: '("a.' * count, split_qualified, 500)


def test_time_is_linear() -> None:
    unit = b'on("a", {\n' + b"  b: [1, 2],\n" * 20 + b"}, () => {\n  c();\n});\n"
    assert len(list_spans("a.ts", unit * 3)) == 3
    assert_linear(lambda count: unit * count, lambda text: list_spans("a.ts", text), 100)
