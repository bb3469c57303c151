"""A small shop in Python, TypeScript and C#, and the `graph` tools over it, shared by several tests."""

from __future__ import annotations

import json
from typing import Any

from repo_mcp.protocol.tool_model import Tool, ToolAnswer
from repo_mcp.toolsets.graph import bind_toolset
from tests.repo_mcp.lean_answers import read_answer
from tests.repo_mcp.toolsets import served_toolset

CANARY = "canary-7f3a9c51-never-served"
PYTHON = {
    "pyproject.toml": '[project]\nname = "shop"\n',
    "shop/__init__.py": "from shop.orders import OrderStore as OrderStore\n",
    "shop/base.py": '''"""What every store is."""

from abc import ABC, abstractmethod


class Store(ABC):
    """Keeps items."""

    @abstractmethod
    def save(self, item: object) -> bool:
        """Keep one."""

    def check(self, item: object) -> None:
        if item is None:
            raise ValueError("nothing")


class Audited:
    @staticmethod
    def note(text: str) -> None:
        print(text)
''',
    "shop/money.py": """class Money:
    def __init__(self, amount: int, currency: str = "EUR") -> None:
        self.amount = amount
        self.currency = currency


def add(one: Money, other: Money) -> Money:
    return Money(one.amount + other.amount, one.currency)
""",
    "shop/orders.py": """import os.path

from shop.base import Audited, Store
from .money import Money, add as plus

LIMIT = 10


class OrderStore(Store, Audited):
    def save(self, item: object) -> bool:
        self.check(item)
        self.note("saved")
        return os.path.exists("orders")


class CachedStore(OrderStore):
    def save(self, item: object) -> bool:
        return super().save(item)


async def place_order(store: Store, price: Money) -> bool:
    total = plus(price, Money(LIMIT))
    return store.save(total)


def place_many(store: OrderStore, prices: list[Money]) -> int:
    placed = 0
    for price in prices:
        if store.save(plus(price, Money(2))):
            placed += 1
    return placed


def store_many(archive: OrderStore, amounts: list[Money]) -> int:
    stored = 0
    for amount in amounts:
        if archive.save(plus(amount, Money(7))):
            stored += 1
    return stored
""",
    "shop/api.py": """from shop import OrderStore
from shop.orders import place_order


async def post_order(price):
    return await place_order(OrderStore(), price)
""",
    "tests/test_orders.py": """from shop.api import post_order


def test_post_order():
    assert post_order(1)
""",
}
TYPESCRIPT = {
    "web/package.json": '{"name": "web"}\n',
    "web/tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@lib/*": ["src/lib/*"]}}}\n',
    "web/src/lib/basket.ts": """export interface Basket {
  add(name: string): void;
}

export class MemoryBasket implements Basket {
  private names: string[] = [];

  constructor(private readonly owner: string) {}

  add(name: string): void {
    this.names.push(name);
  }
}

export default function createBasket(owner: string): Basket {
  return new MemoryBasket(owner);
}
""",
    "web/src/lib/index.ts": 'export { MemoryBasket as Memory } from "./basket";\nexport * from "./basket";\n',
    "web/src/shop.ts": """import createBasket, { Basket } from "@lib/basket";
import { Memory } from "./lib";
import { useState } from "react";

export function fill(basket: Basket, names: string[]): void {
  names.forEach((name) => basket.add(name));
}

export function start(): Basket {
  const basket = createBasket("me");
  fill(basket, ["tea"]);
  useState(basket);
  return new Memory("you");
}
""",
}
CSHARP = {
    "server/Shop.csproj": "<Project />\n",
    "server/IStore.cs": """namespace Shop.Data;

/// <summary>Keeps items.</summary>
public interface IStore
{
    bool Save(object item);
}
""",
    "server/OrderStore.cs": """using System;
using Shop.Data;

namespace Shop.Orders
{
    public partial class OrderStore : IStore
    {
        public bool Save(object item)
        {
            Check(item);
            Console.WriteLine("saved");
            return true;
        }
    }
}
""",
    "server/OrderStore.Checks.cs": """namespace Shop.Orders
{
    public partial class OrderStore
    {
        private static void Check(object item)
        {
            if (item == null) throw new System.ArgumentNullException();
        }

        public void Check(object item, int times)
        {
            for (var n = 0; n < times; n++) Check(item);
        }
    }
}
""",
    "server/Controller.cs": """using Shop.Data;
using Shop.Orders;

namespace Shop.Web;

public class Controller
{
    private readonly IStore store = new OrderStore();

    public bool Post(object item) => store.Save(item);
}
""",
}
NEVER_SERVED = {
    ".gitignore": "build/\n*.log\n",
    ".env": f"SECRET={CANARY}\n",
    "build/made.py": f"def made():\n    return '{CANARY}'\n",
    "run.log": f"{CANARY}\n",
}
TREE = PYTHON | TYPESCRIPT | CSHARP | NEVER_SERVED | {"README.md": "# The shop\n"}
EDGE_TOOLS = frozenset(
    {
        "get_callers",
        "get_callees",
        "get_implementations",
        "get_references",
        "get_dependencies",
        "get_dependents",
    }
)
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


class Served(served_toolset.ServedToolset):
    """The tools over one root. Checks of every answer what holds for all."""

    name = "graph"
    bind_toolset = staticmethod(bind_toolset)

    def answer(self, name: str, /, **arguments: object) -> dict[str, Any]:
        return check(self.tools[name], self.ask(name, arguments))

    def call(self, name: str, /, **arguments: object) -> dict[str, Any]:
        found = self.answer(name, **arguments)
        assert "error" not in found, found
        if name in EDGE_TOOLS:
            self._complete(found)
        return found

    def _complete(self, found: dict[str, Any]) -> None:
        """Complete rows as a client can: with the path of the row before, and what follows from it."""
        if rows := found["result"]:
            with self.repository.engines.graph.open_at(rows[0]["node_id"]) as (graph, _):
                nodes = [graph.choose(row["node_id"], "node_id") for row in rows]
            path = ""
            for row, node in zip(rows, nodes, strict=True):
                path = row["file_path"] = row.get("file_path") or path
                row["qualified_name"] = node.qualified_name
                assert (node.path, node.name_in_package) == (path, row["name"])
        for row in [*found["result"], *found.get("external", []), *found["unresolved_in"]]:
            row["reference_lines"] = [int(one.partition("\t")[0]) for one in row["lines"].split("\n")]

    def rows(self, name: str, /, **arguments: object) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.call(name, **arguments)["result"]
        return rows

    def error(self, name: str, /, **arguments: object) -> dict[str, Any]:
        found = self.answer(name, **arguments)
        assert "error" in found, found
        error: dict[str, Any] = found["error"]
        return error

    def find(self, qualified_name: str, **scope: object) -> str:
        """Return the node_id of the one symbol with a qualified name."""
        rows = self.rows("lookup_symbol", qualified_name=qualified_name, **scope)
        assert len(rows) == 1, rows
        return str(rows[0]["node_id"])


def check(tool: Tool, answer: ToolAnswer) -> dict[str, Any]:
    """Check what holds for every answer: schema, text, flag, one of result and error, no secret."""
    found = json.loads(answer.text)
    assert found == answer.structured
    assert json.dumps(found, ensure_ascii=False, separators=(",", ":")) == answer.text == answer.json
    whole: dict[str, Any] = read_answer(tool.output_schema, found)
    assert answer.is_error == ("error" in found)
    assert CANARY not in answer.text
    if answer.is_error:
        assert set(found) <= {"error", "warnings"}
        assert set(found["error"]) - {"candidates"} == {"code", "message", "hint"}
    assert isinstance(found, dict)
    return whole
