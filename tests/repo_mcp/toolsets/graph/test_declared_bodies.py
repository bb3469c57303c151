"""A class and its declaration in a `.d.ts` file are one symbol: the body first."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked
from tests.repo_mcp.toolsets.graph.graph_roots import Served

FILES = {
    "lib/Oven.js": """\
class Oven {
  bake(bread) { return this.heat(bread); }
  heat(bread) { return bread; }
}
module.exports = Oven;
""",
    "lib/GasOven.js": """\
const Oven = require("./Oven");
class GasOven extends Oven {
  heat(bread) { return bread; }
}
module.exports = GasOven;
""",
    "lib/shop.js": "function sell(any) { return any.bake(1); }\nfunction tell(any) { return any.oven(); }\n",
    "lib/knead.js": "exports.knead = function knead(dough) { return dough; };\nfunction roll() {}\n",
    "lib/knead.d.ts": "export function knead(dough: string): string;\n",
    "types.d.ts": """\
export declare class Oven {
  bake(bread: string): string;
  heat(bread: string): string;
  oven: number;
}
export declare class GasOven extends Oven {
  heat(bread: string): string;
}
export declare interface Shop {
  bread: Oven;
}
declare function roll(): void;
""",
    "src/use.ts": """\
import { Oven } from '../types';
export function use(oven: Oven) { return oven.bake('rye'); }
""",
    "test/Oven.js": "class Oven {}\n",
}


def test_a_name_means_the_body_and_its_spans_the_declaration_too(served: Served) -> None:
    found = served.call("get_symbol", symbol="Oven.bake")
    assert (found["file_path"], found["line_start"]) == ("lib/Oven.js", 2)
    spans = served.call("get_source_spans", symbol="Oven.bake")["result"]
    assert [one["file_path"] for one in spans] == ["lib/Oven.js", "types.d.ts"]
    assert served.call("get_symbol", symbol="GasOven")["file_path"] == "lib/GasOven.js"
    assert served.call("get_symbol", symbol="knead")["file_path"] == "lib/knead.js"
    assert (
        len(served.error("get_symbol", symbol="roll")["candidates"]) == 2
    )  # nothing says that it is the same


def test_calls_through_declared_types_are_calls_of_the_body(served: Served) -> None:
    for symbol in ("Oven.bake", "types.d.ts:2"):
        found = served.call("get_callers", symbol=symbol)["result"]
        assert [one["name"] for one in found] == ["use", "sell"]
    found = served.call("get_callees", symbol="sell")["result"]
    assert [one["file_path"] for one in found] == ["lib/Oven.js"]


def test_what_is_declared_as_a_number_is_not_called(served: Served) -> None:
    assert served.call("get_callees", symbol="tell")["result"] == []


def test_declarations_repeat_no_implementations(served: Served) -> None:
    found = served.call("get_implementations", symbol="lib/Oven.js:Oven")["result"]
    assert [(one["name"], one["file_path"]) for one in found] == [("GasOven", "lib/GasOven.js")]
    found = served.call("get_implementations", symbol="Oven.heat")["result"]
    assert [one["file_path"] for one in found] == ["lib/GasOven.js"]
    found = served.call("get_references", symbol="lib/Oven.js:Oven")["result"]
    assert "Shop.bread" in [one["name"] for one in found]


def test_research_names_the_bodies() -> None:
    claim = Asked(FILES).ask("what is the difference between Oven and GasOven?").claim
    assert "lib/Oven.js:1-4" in claim
    assert "types.d.ts" not in claim
