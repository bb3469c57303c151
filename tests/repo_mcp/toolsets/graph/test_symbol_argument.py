"""Symbols asked for by a name or a place: each tool that takes a node_id takes these, too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.repository import Repository
from repo_mcp.toolsets.graph import bind_toolset
from repo_mcp.toolsets.graph.symbol_calls import RENAMED
from tests.repo_mcp.toolsets.graph.graph_roots import TREE, Served
from tests.repo_mcp.toolsets.graph.test_toolset import OF_NODES
from tests.written_trees import write_tree

HEADERS = {
    "lib/twice.h": "int twice(int n);\n",
    "lib/twice.c": '#include "twice.h"\nint twice(int n) { return n + n; }\n',
    "lib/slab.c": "void kfree(void *p) { }\nvoid drop(void *p) { kfree(p); }\n",
    "tools/slab.c": "void kfree(void *p) { }\n",
    "lib/pair.rs": "macro_rules! pair { () => {} }\n",
    "lib/Shape.java": "public class Shape {\n  public Shape(int n) { }\n}\n",
    "web/src/renamed/index.ts": "export { addUp as totalOf } from './own';\n",
    "web/src/renamed/own.ts": "export function addUp(n: number) { return n; }\n",
    "web/src/renamed/use.ts": "import { totalOf } from './index';\nimport { addUp as joined } from './own';\n"
    "export const both = () => totalOf(1) + joined(2);\n",
    "web/src/calc.ts": "export function sum() {}\nexport class Calc { sum() {} }\n",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("named")
    with Served(write_tree(place / "shop", TREE | HEADERS), place / "data") as served:
        yield served


def test_a_type_without_the_asked_member_is_named_with_those_that_it_has(served: Served) -> None:
    error = served.error("get_callers", symbol="Calc::add")
    assert error["hint"] == "Calc (web/src/calc.ts:2) has no add. Its members are sum."


def test_the_nearest_symbols_of_a_line_are_named_with_their_lines(served: Served) -> None:
    error = served.error("get_callers", symbol="shop/orders.py:7")
    assert "shop.orders.OrderStore (lines 9-" in error["hint"]


def name(served: Served, symbol: str, tool: str = "get_symbol") -> tuple[str, str]:
    """Return the qualified name and the file of what a text means."""
    found = served.call(tool, symbol=symbol)
    return found["qualified_name"], found["file_path"]


@pytest.mark.parametrize(
    ("symbol", "qualified_name", "path"),
    [
        ("shop.orders.OrderStore.save", "shop.orders.OrderStore.save", "shop/orders.py"),
        ("OrderStore.save", "shop.orders.OrderStore.save", "shop/orders.py"),
        ("shop.orders.OrderStore#save", "shop.orders.OrderStore.save", "shop/orders.py"),
        ("place_order", "shop.orders.place_order", "shop/orders.py"),
        ("MemoryBasket::add", "MemoryBasket.add", "web/src/lib/basket.ts"),
        ("shop/orders.py:11", "shop.orders.OrderStore.save", "shop/orders.py"),
        ("shop/orders.py:11:9", "shop.orders.OrderStore.save", "shop/orders.py"),
        ("./shop/orders.py:9", "shop.orders.OrderStore", "shop/orders.py"),
        ("orders.py:11", "shop.orders.OrderStore.save", "shop/orders.py"),
        ("shop/orders.py:CachedStore.save", "shop.orders.CachedStore.save", "shop/orders.py"),
        ("shop/orders.py::CachedStore", "shop.orders.CachedStore", "shop/orders.py"),
        ("shop/orders.py", "shop/orders.py", "shop/orders.py"),
        ("pair!", "pair", "lib/pair.rs"),
        ("money.py", "shop/money.py", "shop/money.py"),
        ("shop.money", "shop/money.py", "shop/money.py"),
        ("totalOf", "addUp", "web/src/renamed/own.ts"),  # only imported and exported under this name
        ("web/src/renamed/use.ts:totalOf", "addUp", "web/src/renamed/own.ts"),
        ("web/src/renamed/use.ts:joined", "addUp", "web/src/renamed/own.ts"),
        ("shop", "shop/__init__.py", "shop/__init__.py"),
        ("twice", "twice", "lib/twice.c"),  # not its prototype
        ("lib/twice.h:twice", "twice", "lib/twice.c"),
        ("Shape", "Shape", "lib/Shape.java"),  # not its constructor
        ("Shop.Orders.OrderStore", "Shop.Orders.OrderStore", "server/OrderStore.Checks.cs"),  # of both parts
        ("Shop.Data", "Shop.Data", "server/IStore.cs"),
        ("tools/slab.c:kfree", "kfree", "tools/slab.c"),
        ("web/src/calc.ts:sum", "sum", "web/src/calc.ts"),  # not Calc.sum
    ],
)  # fmt: skip
def test_names_and_places_mean_one_symbol(
    served: Served, symbol: str, qualified_name: str, path: str
) -> None:
    assert name(served, symbol) == (qualified_name, path)


def test_a_path_may_be_absolute(served: Served) -> None:
    assert name(served, f"{served.root}/shop/orders.py:11")[0] == "shop.orders.OrderStore.save"


def test_every_tool_of_a_node_id_takes_a_symbol_and_says_which(served: Served) -> None:
    node = served.find("shop.orders.OrderStore.save")
    for tool in OF_NODES:
        by_id = served.call(tool, node_id=node)
        by_name = served.call(tool, symbol="OrderStore.save")
        chosen = by_name.pop("symbol", None)
        by_node = served.call(tool, symbol=node)
        for one in (by_id, by_name, by_node):
            one.pop("cursor", None)  # of its call
        if tool != "get_symbol":  # it is the answer
            assert chosen == {
                "node_id": node, "qualified_name": "shop.orders.OrderStore.save", "node_type": "method",
                "file_path": "shop/orders.py", "line_start": 10,
                "parameter_signature": "(self, item: object)", "definitions": [],
            }  # fmt: skip
        assert by_name == by_id, tool
        assert by_node == by_id
        assert served.call(tool, node_id="OrderStore.save")["result" if "result" in by_id else "node_id"]


def list_candidates(error: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(row["qualified_name"], row["file_path"], row["line_start"]) for row in error["candidates"]]


def test_what_is_ambiguous_is_refused_with_all_that_a_next_call_needs(served: Served) -> None:
    error = served.error("get_callers", symbol="kfree")
    assert (error["code"], error["message"]) == ("invalid_parameter", "2 symbols match 'kfree'.")
    assert list_candidates(error) == [("kfree", "lib/slab.c", 1), ("kfree", "tools/slab.c", 1)]
    ids = [row["node_id"] for row in error["candidates"]]
    callers = [[row["name"] for row in served.rows("get_callers", symbol=one)] for one in ids]
    assert callers[0] == ["drop"]
    saves = served.error("get_callers", symbol="OrderStore.check")
    assert saves["code"] == "not_found"
    overloads = served.error("get_symbol", symbol="Shop.Orders.OrderStore.Check")["candidates"]
    assert [row["parameter_signature"] for row in overloads] == ["(object item)", "(object item, int times)"]


def test_a_plain_name_may_mean_a_member_too(served: Served) -> None:
    error = served.error("get_callers", symbol="sum")
    assert list_candidates(error) == [("sum", "web/src/calc.ts", 1), ("Calc.sum", "web/src/calc.ts", 2)]


def test_a_getter_and_its_setter_are_one_symbol(tmp_path: Path) -> None:
    text = """class P:
    @property
    def x(self): return 1
    @x.setter
    def x(self, v): pass


def use(p: P):
    p.x = p.x + 1
"""
    with Served(write_tree(tmp_path / "r", {"a.py": text}), tmp_path / "data") as served:
        answer = served.call("get_references", symbol="P.x")
        assert answer["symbol"]["line_start"] == 2
        assert "use" in [row["name"] for row in answer["result"]]


def test_candidates_of_tests_come_last_and_are_counted(tmp_path: Path) -> None:
    tree = {f"tests/test_{n:02}.py": "def setup(): ...\n" for n in range(40)} | {"z.py": "def setup(): ...\n"}
    with Served(write_tree(tmp_path / "r", tree), tmp_path / "data") as served:
        error = served.error("get_callers", symbol="setup")
        assert error["message"] == "41 symbols match 'setup'."
        assert (len(error["candidates"]), error["candidates"][0]["file_path"]) == (10, "z.py")
        assert "lookup_symbol lists all of them" in error["hint"]


@pytest.mark.parametrize(
    ("symbol", "message", "hint"),
    [
        ("plcae_order", "No symbol is named 'plcae_order'.", "shop.orders.place_order ("),
        ("OrderStroe", "No symbol is named 'OrderStroe'.", "shop.orders.OrderStore ("),
        ("kfere", "No symbol is named 'kfere'.", "kfree ("),
        ("shop/orders.py:adds", "No symbol is named 'adds' in 'shop/orders.py'.", "search_symbols"),
        ("shop/orders.py:7", "Line 7 of 'shop/orders.py' is outside every symbol.", "shop.orders.OrderStore"),
        ("shop/nothing.py:7", "No source file has the path 'shop/nothing.py'.", "list_directory"),
        (
            "README.md:1",
            "The symbols of 'README.md' are not known: no parser here reads markdown.",
            "Search its text",
        ),
    ],
)  # fmt: skip
def test_what_is_unknown_is_said_with_what_is_near(
    served: Served, symbol: str, message: str, hint: str
) -> None:
    error = served.error("get_callers", symbol=symbol)
    assert (error["code"], error["message"]) == ("not_found", message)
    assert hint in error["hint"]


def test_a_path_outside_and_a_denied_one_are_refused(served: Served) -> None:
    assert served.error("get_callers", symbol="../x.py:1")["code"] == "path_escape"
    assert served.error("get_callers", symbol="./.env:1")["code"] == "blocked"
    assert served.error("get_callers", symbol=".env:1")["code"] == "not_found"


def test_one_symbol_is_given_once(served: Served) -> None:
    for arguments in ({}, {"symbol": "place_order", "node_id": served.find("shop.money.add")}):
        error = served.error("get_callers", **arguments)
        assert error["code"] == "invalid_parameter"
        assert "Give symbol" in error["hint"]
    same = served.find("shop.money.add")
    assert served.rows("get_callers", symbol=same, node_id=same)


def test_a_name_that_is_only_imported_is_looked_up(served: Served) -> None:
    answer = served.call("lookup_symbol", qualified_name="totalOf")
    assert [row["qualified_name"] for row in answer["result"]] == ["addUp"]
    assert answer["warnings"] == [RENAMED]


def test_a_plain_name_means_what_nearly_all_uses_mean_although_members_have_it(tmp_path: Path) -> None:
    texts = {
        "rules.ts": "class Rules { allow() {} }\nexport const allow = new Rules().allow;\n",
        "gate.ts": "export class Gate { allow() {} }\n",
        **{f"use{at}.ts": 'import { allow } from "./rules";\nallow();\n' for at in range(12)},
    }
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        answer = served.call("get_callers", symbol="allow")
    assert answer["total"] == 12
    assert answer["warnings"][0].startswith("3 symbols have this name. Taken: rules.ts:2, which ")


def test_who_misses_a_symbol_is_told_to_refresh_where_nothing_watches(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.py": "def post(): pass\n"})
    config = load_config(str(root), data_dir=str(tmp_path / "data"), watch=False)
    with closing(Repository(config)) as repository:
        repository.refresh()
        repository.symbol_index.build()
        (root / "b.py").write_text("def switched(): pass\n")
        tools = bind_toolset(config.limits, lambda: (repository, None)).tools
        tool = next(tool for tool in tools if tool.name == "get_callers")
        error = json.loads(tool.call({"symbol": "switched"}, CallContext(lambda: False)).text)["error"]
        assert "1 file changed and is not indexed yet" in error["message"]
        assert error["hint"].startswith("Refresh the index and ask again.")
