"""Outlines of files whose functions are handed to calls under titles."""

from __future__ import annotations

from repo_mcp.languages.outline.lexical_adapter import outline_lexically
from repo_mcp.languages.outline.symbol_lookup import choose_span, qualify
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import Outline
from tests.repo_mcp.languages.outline.test_recorded_members import complete

SHOP = """router.post(
  "carts.pay",
  auth(),
  async (ctx: Context) => {
    const sum = async () => {
      return 1;
    };
    pay(ctx);
  }
);
allow(User, "read", Cart, (user, cart) =>
  user.owns(cart)
);
describe("cart", () => {
  it.each([
    1,
  ])("takes %s", (one) => {
    take(one);
  });
  class Fake {
    size = 1;
  }
  // Adds.
  it("adds", async () => {
    add(1);
  });
  it("is short", () => add(1));
});
"""


def list_entries(found: Outline) -> list[tuple[str, str, str, int, int]]:
    return [(one.kind, qualify(one), one.signature, one.start_line, one.end_line) for one in found.symbols]


def test_they_are_listed_with_what_their_calls_get_before_them() -> None:
    found = complete("shop.test.ts", SHOP)
    assert list_entries(found) == [
        ("function", 'post("carts.pay")', 'post("carts.pay")', 1, 10),
        ("function", 'post("carts.pay").sum', "const sum = async () =>", 5, 7),
        ("function", 'allow("read")', 'allow(User, "read", Cart)', 11, 13),
        ("suite", 'describe("cart")', 'describe("cart")', 14, 28),
        ("test", 'describe("cart").it("takes %s")', 'it("takes %s")', 15, 19),
        ("class", 'describe("cart").Fake', "class Fake", 20, 22),
        ("property", 'describe("cart").Fake.size', "size = 1;", 21, 21),
        ("test", 'describe("cart").it("adds")', 'it("adds")', 24, 26),
    ]
    assert found.symbols[-1].doc == "Adds."


def test_a_line_in_one_opens_it_without_a_parser() -> None:
    found = outline_lexically("shop.ts", find_language("shop.ts"), SHOP)
    span = choose_span(found, SHOP.encode(), None, 8)
    assert (span.symbol, span.start_line, span.end_line) == ('post("carts.pay")', 1, 10)
    span = choose_span(found, SHOP.encode(), 'post("carts.pay")', None)
    assert (span.start_line, span.end_line) == (1, 10)
