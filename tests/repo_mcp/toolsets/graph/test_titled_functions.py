"""Functions with titles in the tools of the graph: they call, are found by words, and are no near names."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked
from tests.repo_mcp.toolsets.graph.graph_roots import Served

FILES = {
    "server/pay.ts": "export function pay(total: number) {\n  return total;\n}\n",
    "server/carts.ts": """\
import { pay } from "./pay";
import { router } from "./router";

router.post("carts.payNow", async (ctx) => {
  pay(ctx.total);
});
""",
    "server/index.ts": 'import "./carts";\n',
    "server/router.ts": "export const router = make();\n",
    "server/pay.test.ts": """\
import { pay } from "./pay";

describe("pay", () => {
  it("gives the total", () => {
    expect(pay(1)).toBe(1);
  });
});
""",
}
DIFF = """--- a/server/carts.ts
+++ b/server/carts.ts
@@ -4,3 +4,3 @@
 router.post("carts.payNow", async (ctx) => {
-  paid(ctx.total);
+  pay(ctx.total);
 });
"""


def test_a_call_in_one_is_its_own(served: Served) -> None:
    found = served.call("get_callers", symbol="server/pay.ts:pay")["result"]
    assert [one["name"] for one in found] == ['post("carts.payNow")', 'describe("pay").it("gives the total")']


def test_its_name_and_a_line_lead_to_it_and_nothing_else_means_it(served: Served) -> None:
    for symbol in ('post("carts.payNow")', "server/carts.ts:5", 'server/carts.ts:post("carts.payNow")'):
        found = served.call("get_callees", symbol=symbol)
        assert found["symbol"]["qualified_name"] == 'post("carts.payNow")'
        assert [one["name"] for one in found["result"]] == ["pay"]
    assert served.call("get_references", symbol='post("carts.payNow")')["result"] == []


@pytest.mark.parametrize("query", ["carts.payNow", "carts pay now", "pay now post"])
def test_words_of_the_title_find_it(served: Served, query: str) -> None:
    found = served.call("search_symbols", query=query)["result"]
    assert found[0]["qualified_name"] == 'post("carts.payNow")'


def test_it_is_no_name_like_an_unknown_one(served: Served) -> None:
    error = served.error("get_callers", symbol="cartsPayNow")
    assert "post(" not in str(error)


def test_who_loads_the_file_runs_what_changed_in_it(served: Served) -> None:
    found = served.call("get_impact", diff=DIFF)
    assert [one["name"] for one in found["changed"]] == ['post("carts.payNow")']
    assert [one["file_path"] for one in found["result"] if "symbols" in one] == ["server/index.ts"]


def test_research_cites_it_and_knows_tests() -> None:
    asked = Asked(FILES)
    report = asked.ask("what calls pay in server/pay.ts?")
    assert 'post("carts.payNow") (server/carts.ts:4-6)' in report.claim
    tests = asked.ask("which tests cover pay in server/pay.ts?")
    assert 'describe("pay").it("gives the total") (server/pay.test.ts:4-6)' in tests.claim
