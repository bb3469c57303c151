"""Functions that a call gets under a title, as TypeScript and JavaScript declare them."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.deep.sizes import choose
from tests.growth import assert_linear
from tests.repo_mcp.languages.described import list_references, list_symbols, read

CALL = ReferenceRole.CALL
SHOP = """
import { router, auth, pay, log } from "./core";

/** Pays. */
router.post(
  "carts.pay",
  auth(),
  async (ctx: Context) => {
    const total = sum(ctx);
    function sum(given: Context) { return given.size; }
    await pay(total);
  }
);
allow(User, ["read", 'list'], Cart, (user, cart) =>
  user.owns(cart)
);
process.on("exit", () => log());
io.on(`open`, (socket) => {
  socket.on("message", function (one) {
    log(one);
  });
});
"""


def test_handlers_are_declared_under_the_literals_of_their_calls() -> None:
    assert list_symbols(read("shop.ts", SHOP)) == [
        'post("carts.pay") FUNCTION 4-12 ASYNC DOCUMENTED (ctx: Context)/1',
        'post("carts.pay").sum FUNCTION 9-9 (given: Context)/1',
        'allow("read", "list") FUNCTION 13-15 (user, cart)/2',
        'on("exit") FUNCTION 16-16',
        'on("open") FUNCTION 17-21 (socket)/1',
        'on("open").on("message") FUNCTION 18-20 (one)/1',
    ]


def test_arguments_belong_to_the_handler_and_the_called_name_does_not() -> None:
    assert list_references(read("shop.ts", SHOP), CALL)[:5] == [
        ": CALL router|post 4 n=4",
        'post("carts.pay"): CALL |auth 6 n=1',
        'post("carts.pay"): CALL |sum 8 n=2',
        'post("carts.pay"): CALL |pay 10 n=2',
        ": CALL |allow 13 n=5",
    ]


def test_tests_are_declared_wherever_they_are_called() -> None:
    text = """
    describe("cart", () => {
      it.skip("adds", async () => {
        stream.on("end", () => done());
        expect(add(1)).toBe(2);
      });
      test.each([[1, () => 2]])("takes %s", (one) => {
        take(one);
      });
    });
    function behaves(name) {
      for (const one of two) {
        it("behaves", () => check(one));
      }
    }
    test("outer", async (t) => { await t.test("inner", () => run()); });
    """
    assert [one.split(" FUNCTION")[0] for one in list_symbols(read("a.test.js", text))] == [
        'describe("cart")',
        'describe("cart").it("adds")',
        'describe("cart").test("takes %s")',
        "behaves",
        'behaves.it("behaves")',
        'test("outer")',
        'test("outer").test("inner")',
    ]


def test_what_answers_at_a_path_is_declared_in_a_function_and_other_handlers_are_not() -> None:
    text = """
    function build(app, stream) {
      app.get("/carts", (request, reply) => reply.send(list()));
      stream.on("data", (one) => list(one));
      time("build", () => list());
    }
    """
    assert list_symbols(read("a.js", text)) == [
        "build FUNCTION 1-5 (app, stream)/2",
        'build.get("/carts") FUNCTION 2-2 (request, reply)/2',
    ]


@pytest.mark.parametrize(
    "text",
    [
        'const stop = on("exit", () => log());',
        'on("exit", log);',
        "on(name, () => log());",
        "on(`exit ${code}`, () => log());",
        'on(make(), "exit", () => log());',
        'on("exit", () => code);',
        'on("", () => log());',
        f'on("{"x" * 201}", () => log());',
        'load("a").then(() => log());',
    ],
)
def test_what_declares_nothing(text: str) -> None:
    assert [one for one in list_symbols(read("a.ts", text)) if "(" in one.split(" ")[0]] == []


def test_an_element_makes_no_component_of_a_test() -> None:
    text = 'Deno.test("draws", () => {\n  draw(<Box />);\n});\n'
    assert list_symbols(read("a.tsx", text)) == ['test("draws") FUNCTION 1-3']


@pytest.mark.sized
def test_nested_tests_take_linear_time() -> None:
    unit = 'describe("a", () => {\n  it("b", () => {\n    c();\n  });\n});\n'
    assert_linear(lambda count: unit * count, lambda text: read("a.ts", text), choose(100, 400))
