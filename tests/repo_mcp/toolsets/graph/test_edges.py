"""The seven tools of the `graph` toolset that follow edges, over Python and TypeScript of a small shop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.graph import edge_finder
from repo_mcp.graph.unnamed_uses import NO_INDEXERS, RUN_UNNAMED
from repo_mcp.symbol_index.partly_parsed import ONE, SEVERAL
from repo_mcp.toolsets.graph.edge_calls import OF_ANOTHER
from repo_mcp.toolsets.graph.edge_notes import BY_MACRO, ONLY_NUMBERS
from repo_mcp.toolsets.graph.found_edges import TEXT_ROWS
from repo_mcp.toolsets.graph.no_edges import READ_INSTEAD
from repo_mcp.toolsets.graph.rows import MAX_LINE_CHARS
from tests.repo_mcp.toolsets.graph.graph_roots import TREE, Served
from tests.written_trees import write_tree


def follow(served: Served, tool: str, name: str, **arguments: object) -> set[tuple[str, str, str]]:
    """Return (type, confidence, other end) of each edge."""
    rows = served.rows(tool, node_id=served.find(name), **arguments)
    return {(row["edge_type"], row["confidence"], row["qualified_name"]) for row in rows}


def ends(served: Served, tool: str, name: str, **arguments: object) -> list[str]:
    return [row["qualified_name"] for row in served.rows(tool, node_id=served.find(name), **arguments)]


def externals(answer: dict[str, Any]) -> set[tuple[str, str]]:
    return {(row["edge_type"], row["qualified_name"]) for row in answer["external"]}


# Callers and callees


def test_callers_have_the_fields_of_the_specification_and_say_where(served: Served) -> None:
    node = served.find("shop.orders.place_order")
    (row,) = served.answer("get_callers", node_id=node)["result"]
    assert row == {
        "node_id": served.find("shop.api.post_order"), "name": "post_order", "file_path": "shop/api.py",
        "line_start": None, "edge_type": "calls", "direction": "incoming", "confidence": "exact",
        "lines": "6\treturn await place_order(OrderStore(), price)", "overloads": [],
    }  # fmt: skip
    sent = json.loads(served.ask("get_callers", {"node_id": node}).text)["result"]
    assert [list(one) for one in sent] == [["node_id", "name", "file_path", "lines"]]


def _list_via(served: Served, tool: str, name: str) -> list[tuple[str, str, str]]:
    """Return (symbol, confidence, by way of) of each edge of all pages that leads by an overridden one."""
    arguments: dict[str, Any] = {"node_id": served.find(name)}
    pages = [served.call(tool, **arguments)]
    while "cursor" in pages[-1]:
        pages.append(served.call(tool, **arguments, cursor=pages[-1]["cursor"]))
    return [
        (row["qualified_name"], row["confidence"], row["via"])
        for page in pages
        for row in page["result"]
        if "via" in row
    ]


def test_calls_through_a_base_may_run_what_overrides_it_and_stand_last(served: Served) -> None:
    through = [("shop.orders.place_order", "possible", "shop.base.Store.save")]
    assert _list_via(served, "get_callers", "shop.orders.OrderStore.save") == through
    first = served.call("get_callers", node_id=served.find("shop.orders.OrderStore.save"))
    assert ["via" in row for row in first["result"]] == [False, False, False, True]
    assert (first["possible"], first["total"]) == (1, 4)
    grandchild = _list_via(served, "get_callers", "shop.orders.CachedStore.save")
    assert [(one[0], one[2]) for one in grandchild] == [
        ("shop.orders.place_order", "shop.base.Store.save"),
        ("shop.orders.place_many", "shop.orders.OrderStore.save"),
        ("shop.orders.store_many", "shop.orders.OrderStore.save"),
    ]  # but not itself, which runs the base's by super()
    assert _list_via(served, "get_callers", "shop.base.Store.save") == []


def test_calls_of_an_interface_may_run_each_implementation(served: Served) -> None:
    assert _list_via(served, "get_callees", "shop.orders.place_order") == [
        ("shop.orders.OrderStore.save", "possible", "shop.base.Store.save"),
        ("shop.orders.CachedStore.save", "possible", "shop.base.Store.save"),
    ]
    assert _list_via(served, "get_callees", "fill") == [("MemoryBasket.add", "possible", "Basket.add")]
    assert _list_via(served, "get_callers", "MemoryBasket.add") == [("fill", "possible", "Basket.add")]
    save = "Shop.Orders.OrderStore.Save"
    assert _list_via(served, "get_callers", save) == [
        ("Shop.Web.Controller.Post", "possible", "Shop.Data.IStore.Save")
    ]
    assert _list_via(served, "get_callees", "Shop.Web.Controller.Post") == [
        (save, "possible", "Shop.Data.IStore.Save")
    ]
    assert _list_via(served, "get_callees", "shop.orders.place_many") == []  # a class that can be made


def test_callers_are_found_through_aliases_types_and_super(served: Served) -> None:
    assert ends(served, "get_callers", "shop.money.add") == [  # imported as plus
        "shop.orders.place_order", "shop.orders.place_many", "shop.orders.store_many",
    ]  # fmt: skip
    assert ends(served, "get_callers", "shop.base.Store.save") == ["shop.orders.place_order"]  # by annotation
    assert ends(served, "get_callers", "shop.orders.OrderStore.save") == [
        "shop.orders.CachedStore.save", "shop.orders.place_many", "shop.orders.store_many",
        "shop.orders.place_order",
    ]  # fmt: skip
    assert ends(served, "get_callers", "shop.base.Audited.note") == ["shop.orders.OrderStore.save"]
    assert ends(served, "get_callers", "shop.orders.OrderStore") == ["shop.api.post_order"]  # re-exported


def test_callers_of_a_constructor_are_those_who_make_one(served: Served) -> None:
    makers = {"shop.money.add", "shop.orders.place_order", "shop.orders.place_many", "shop.orders.store_many"}
    assert set(ends(served, "get_callers", "shop.money.Money.__init__")) == makers
    assert set(ends(served, "get_callers", "shop.money.Money")) == makers
    named = follow(served, "get_dependents", "shop.money.Money.__init__")
    assert {kind for kind, _, _ in named} == {"calls", "contains"}  # who only names the type does not call it


def test_callees_lead_inside_and_outside(served: Served) -> None:
    answer = served.call("get_callees", node_id=served.find("shop.orders.OrderStore.save"))
    assert [
        (row["qualified_name"], row["direction"], row["reference_lines"]) for row in answer["result"]
    ] == [
        ("shop.base.Store.check", "outgoing", [11]),
        ("shop.base.Audited.note", "outgoing", [12]),
    ]
    (external,) = answer["external"]
    assert (external["qualified_name"], external["edge_type"]) == ("os.path.exists", "calls")
    assert external["reference_lines"] == [13]
    assert (answer["total"], answer["external_total"], answer["unresolved"]) == (2, 1, 0)


def test_callees_of_a_class_are_those_of_its_members(served: Served) -> None:
    assert ends(served, "get_callees", "shop.orders.OrderStore") == [
        "shop.base.Store.check", "shop.base.Audited.note",
    ]  # fmt: skip


def test_of_many_unresolved_calls_in_one_file_the_text_of_the_first_is_shown(tmp_path: Path) -> None:
    tree = {
        "pkg/__init__.py": "",
        "pkg/cache.py": "class Cache:\n    def get(self, key):\n        return key\n",
    }
    tree["pkg/use.py"] = "def use(x):\n" + "    x.get(1)\n" * 9
    with Served(write_tree(tmp_path / "r", tree), tmp_path / "data") as served:
        (row,) = served.call("get_callers", node_id=served.find("pkg.cache.Cache.get"))["unresolved_in"]
        assert row["lines"].split("\n") == [f"{one}\tx.get(1)" for one in range(2, 7)] + ["7", "8", "9", "10"]


def test_calls_of_the_name_that_nobody_could_resolve_are_reported_by_the_nearest_files(
    tmp_path: Path,
) -> None:
    tree = {"pkg/__init__.py": "", "far/__init__.py": ""}
    tree |= {"pkg/cache.py": "class Cache:\n    def get(self, key):\n        return key\n"}
    tree |= {f"pkg/use{one:02}.py": "def use(x):\n    return x.get(1)\n" for one in range(9)}
    tree |= {f"far/use{one:02}.py": "def use(x):\n    x.get(1)\n    return x.get(2)\n" for one in range(15)}
    with Served(write_tree(tmp_path / "r", tree), tmp_path / "data") as served:
        node = served.find("pkg.cache.Cache.get")
        answer = served.call("get_callers", node_id=node)
        assert (answer["result"], answer["total"], answer["truncated"]) == ([], 0, True)
        assert answer["unresolved"] == 9 + 15 * 2
        places = [(row["file_path"], row["reference_lines"]) for row in answer["unresolved_in"]]
        assert places == [*((f"pkg/use{one:02}.py", [2]) for one in range(9)), ("far/use00.py", [2, 3])]
        assert answer["unresolved_in"][9]["lines"] == "2\tx.get(1)\n3\treturn x.get(2)"
        last = served.call("get_callers", node_id=node, cursor=answer["cursor"])
        assert [row["file_path"] for row in last["unresolved_in"]] == [
            f"far/use{one:02}.py" for one in range(1, 15)
        ]
        assert not last["truncated"]
        answer = served.call("get_callees", node_id=served.find("far.use00.use"))
        assert (answer["unresolved"], answer["unresolved_in"][0]["file_path"]) == (2, "far/use00.py")
        assert answer["unresolved_in"][0]["lines"] == "2\tx.get(1)\n3\treturn x.get(2)"


# Implementations


def test_implementations_are_types_below_and_members_that_override(served: Served) -> None:
    assert follow(served, "get_implementations", "shop.base.Store") == {
        ("inherits", "exact", "shop.orders.OrderStore")
    }
    assert follow(served, "get_implementations", "shop.base.Store.save") == {
        ("overrides", "exact", "shop.orders.OrderStore.save"),
        ("overrides", "exact", "shop.orders.CachedStore.save"),
    }
    assert follow(served, "get_implementations", "Basket") == {("implements", "exact", "MemoryBasket")}
    assert ends(served, "get_implementations", "Basket.add") == ["MemoryBasket.add"]
    assert ends(served, "get_implementations", "shop.orders.place_order") == []


# References, dependencies, dependents


def test_references_are_broader_than_callers(served: Served) -> None:
    assert follow(served, "get_references", "shop.orders.OrderStore") == {
        ("imports", "exact", "shop/__init__.py"),
        ("imports", "exact", "shop/api.py"),
        ("calls", "exact", "shop.api.post_order"),
        ("inherits", "exact", "shop.orders.CachedStore"),
        ("accepts", "exact", "shop.orders.place_many"),
        ("accepts", "exact", "shop.orders.store_many"),
    }
    assert follow(served, "get_references", "shop.orders.LIMIT") == {
        ("references", "exact", "shop.orders.place_order")
    }
    count = served.call("get_symbol", node_id=served.find("shop.orders.OrderStore"))["reference_count"]
    assert count == 6


# One edge of each type, seen from both of its ends.
EDGES = [
    ("calls", "shop.api.post_order", "shop.orders.place_order"),
    ("inherits", "shop.orders.OrderStore", "shop.base.Store"),
    ("implements", "MemoryBasket", "Basket"),
    ("imports", "shop/orders.py", "shop.money.add"),
    ("overrides", "shop.orders.OrderStore.save", "shop.base.Store.save"),
    ("references", "shop.orders.place_order", "shop.orders.LIMIT"),
    ("contains", "shop.base.Store", "shop.base.Store.check"),
    ("accepts", "shop.orders.place_order", "shop.base.Store"),
    ("extends", "WideBasket", "Basket"),
]


def test_every_type_of_edge_is_seen_from_both_ends(tmp_path: Path) -> None:
    wide = 'import { Basket } from "./basket";\nexport interface WideBasket extends Basket {}\n'
    tree = TREE | {"web/src/lib/wide.ts": wide}
    with Served(write_tree(tmp_path / "shop", tree), tmp_path / "data") as served:
        for kind, source, target in EDGES:
            for edge_type in ({}, {"edge_type": kind}):
                found = follow(served, "get_dependencies", source, **edge_type)
                assert (kind, "exact", target) in found
                assert not edge_type or {one for one, _, _ in found} == {kind}
                found = follow(served, "get_dependents", target, **edge_type)
                assert (kind, "exact", source) in found
                assert not edge_type or {one for one, _, _ in found} == {kind}
        assert {kind for kind, _, _ in EDGES} == {
            "calls", "inherits", "implements", "imports", "overrides", "references", "contains", "accepts",
            "extends",
        }  # fmt: skip


def test_what_is_outside_of_the_repository_is_named_as_such(served: Served) -> None:
    answer = served.call("get_dependencies", node_id=served.find("shop.base.Store"))
    assert externals(answer) == {("inherits", "abc.ABC"), ("calls", "abc.abstractmethod")}
    answer = served.call("get_dependencies", node_id=served.find("start"))
    assert ("calls", "react.useState") in externals(answer)
    answer = served.call("get_dependencies", node_id=served.find("shop.base.Store"), edge_type="inherits")
    assert externals(answer) == {("inherits", "abc.ABC")}
    assert answer["result"] == []


def test_bases_outside_are_named_by_their_relation(tmp_path: Path) -> None:
    text = 'import { A, B } from "lib";\nexport class C extends A implements B {}\n'
    with Served(write_tree(tmp_path / "r", {"a.ts": text}), tmp_path / "data") as served:
        node = served.find("C")
        answer = served.call("get_dependencies", node_id=node, edge_type="implements")
        assert externals(answer) == {("implements", "lib.B")}
        answer = served.call("get_dependencies", node_id=node)
        assert externals(answer) == {("implements", "lib.B"), ("inherits", "lib.A")}


def test_a_file_depends_on_nothing_inside_itself_but_what_it_contains(served: Served) -> None:
    found = follow(served, "get_dependencies", "shop/orders.py")
    inside = {(kind, end) for kind, _, end in found if end.startswith("shop.orders")}
    assert {kind for kind, _ in inside} == {"contains"}
    assert ("calls", "exact", "shop.money.add") in found


def test_a_file_is_depended_on_by_those_who_import_it(served: Served) -> None:
    assert follow(served, "get_dependents", "shop/money.py") == {("imports", "exact", "shop/orders.py")}
    assert follow(served, "get_dependents", "web/src/lib/basket.ts", edge_type="imports") == {
        ("imports", "exact", "web/src/lib/index.ts"),
        ("imports", "exact", "web/src/shop.ts"),
    }


# TypeScript


def test_default_exports_path_aliases_barrels_and_renames_are_followed(served: Served) -> None:
    assert ends(served, "get_callers", "createBasket") == ["start"]  # by default, through tsconfig's paths
    assert ends(served, "get_callers", "MemoryBasket") == ["createBasket", "start"]  # as Memory, by a barrel
    assert ends(served, "get_callers", "Basket.add") == ["fill"]
    assert ends(served, "get_callees", "start") == [
        "MemoryBasket", "MemoryBasket.constructor", "createBasket", "fill",
    ]  # fmt: skip


# C#


def test_partial_classes_interfaces_and_overloads_of_csharp(served: Served) -> None:
    parts = served.rows("lookup_symbol", qualified_name="Shop.Orders.OrderStore")
    assert [row["file_path"] for row in parts] == ["server/OrderStore.Checks.cs", "server/OrderStore.cs"]
    for part in parts:  # each part leads to all
        assert served.rows("get_source_spans", node_id=part["node_id"]) == [
            {"file_path": "server/OrderStore.Checks.cs", "line_start": 3, "line_end": 14, "is_primary": True},
            {"file_path": "server/OrderStore.cs", "line_start": 6, "line_end": 14, "is_primary": False},
        ]
        callers = served.rows("get_callers", node_id=part["node_id"])
        assert [row["qualified_name"] for row in callers] == ["Shop.Web.Controller.store"]
    assert ends(served, "get_implementations", "Shop.Data.IStore") == ["Shop.Orders.OrderStore"]
    assert ends(served, "get_implementations", "Shop.Data.IStore.Save") == ["Shop.Orders.OrderStore.Save"]
    assert ends(served, "get_callers", "Shop.Data.IStore.Save") == ["Shop.Web.Controller.Post"]
    one, two = served.rows("lookup_symbol", qualified_name="Shop.Orders.OrderStore.Check")
    assert [one["parameter_signature"], two["parameter_signature"]] == [
        "(object item)",
        "(object item, int times)",
    ]
    callers = served.rows("get_callers", node_id=one["node_id"])
    assert {row["node_id"] for row in callers} == {two["node_id"], served.find("Shop.Orders.OrderStore.Save")}
    assert served.rows("get_callers", node_id=two["node_id"]) == []


def test_a_namespace_is_depended_on_by_those_who_use_it(served: Served) -> None:
    assert follow(served, "get_dependents", "Shop.Data", edge_type="imports") == {
        ("imports", "exact", "server/OrderStore.cs"),
        ("imports", "exact", "server/Controller.cs"),
    }
    for part in served.rows("lookup_symbol", qualified_name="Shop.Orders"):
        (row,) = served.rows("get_dependents", node_id=part["node_id"], edge_type="imports")
        assert row["file_path"] == "server/Controller.cs"


def test_a_caller_is_named_without_the_namespace_of_all_its_file(tmp_path: Path) -> None:
    """The namespace of the file took a third of each row, and the path says where the caller is."""
    used = "class {} {{ void Run() {{ Far.Crane.Lift(); }} }}"
    texts = {
        "crane.cs": "namespace Far;\npublic class Crane { public static void Lift() {} }\n",
        "gate.cs": f"namespace Far.Away.Yard;\n{used.format('Gate')}\n",
        "two.cs": f"namespace One {{ {used.format('Ship')} }}\nnamespace Two {{ class Hull {{ }} }}\n",
    }
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        rows = served.rows("get_callers", symbol="Crane.Lift")
        assert [row["name"] for row in rows] == ["Gate.Run", "One.Ship.Run"]
        for row in rows:
            again = served.call("get_symbol", symbol=f"{row['file_path']}:{row['name']}")
            assert again["node_id"] == row["node_id"]


# Confidence and limits


def test_one_of_that_name_is_probable_and_one_of_several_possible(tmp_path: Path) -> None:
    files = {
        "a.py": "class A:\n    def only_here(self): ...\n    def twice_here(self): ...\n",
        "b.py": "class B:\n    def twice_here(self): ...\n",
        "c.py": "def use(x):\n    x.only_here()\n    x.twice_here()\n",
    }
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        answer = served.call("get_callees", symbol="c.use")
        assert [(row["confidence"], row["qualified_name"]) for row in answer["result"]] == [
            ("probable", "a.A.only_here"), ("possible", "a.A.twice_here"), ("possible", "b.B.twice_here"),
        ]  # fmt: skip
        assert (answer["total"], answer["possible"], answer["truncated"]) == (3, 2, False)
        assert follow(served, "get_callers", "b.B.twice_here") == {("calls", "possible", "c.use")}


def test_edges_are_30_at_most_500_and_what_is_cut_is_said(tmp_path: Path) -> None:
    calls = "".join(f"def f{number:03}():\n    target({number})\n\n\n" for number in range(600))
    files = {"a.py": f"def target(x): ...\n\n\n{calls}"}
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        node = served.find("a.target")
        answer = served.call("get_callers", node_id=node)
        assert (len(answer["result"]), answer["total"], answer["truncated"]) == (30, 600, True)
        answer = served.call("get_callers", node_id=node, limit=100)
        assert (len(answer["result"]), answer["total"], answer["truncated"]) == (100, 600, True)
        answer = served.call("get_callers", node_id=node, limit=501)
        assert len(answer["result"]) == 500  # fit, with the numbers of their lines
        assert "limit is above its maximum: 500 is used." in answer["warnings"]
        assert ONLY_NUMBERS.format(TEXT_ROWS) in answer["warnings"]
        assert "lines" in served.call("get_callers", node_id=node, limit=TEXT_ROWS)["result"][0]
        assert served.call("get_symbol", node_id=node)["reference_count"] == 600


def test_edges_that_fit_beside_a_page_are_not_cut_from_it(tmp_path: Path) -> None:
    calls = "".join(f"def f{number:02}():\n    target({number})\n\n\n" for number in range(40))
    with Served(
        write_tree(tmp_path / "r", {"a.py": f"def target(x): ...\n\n\n{calls}"}), tmp_path / "data"
    ) as served:
        answer = served.call("get_callers", symbol="a.target")
        assert (len(answer["result"]), answer.get("cursor")) == (40, None)
        assert len(served.rows("get_callers", symbol="a.target", limit=30)) == 30


def test_uses_come_before_imports_and_those_before_tests(tmp_path: Path) -> None:
    use = "from lib.money import round_up\n\n\ndef {}():\n    return round_up(1)\n"
    files = {
        "lib/__init__.py": "",
        "lib/money.py": "def round_up(x): ...\n",
        "a/tests/test_money.py": use.format("test_it"),
        "a/till.py": use.format("pay"),
        "z/shop.py": use.format("sell"),
    }
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        names = [row["name"] for row in served.rows("get_references", symbol="lib.money.round_up")]
        assert names == ["pay", "sell", "till.py", "shop.py", "test_it", "test_money.py"]
        importers = [row["name"] for row in served.rows("get_dependents", symbol="lib/money.py")]
        assert importers[:2] == ["till.py", "shop.py"]  # of a file, imports are uses


def read_pages(served: Served, tool: str, **arguments: object) -> list[dict[str, Any]]:
    """Return all pages of a list."""
    pages = [served.call(tool, **arguments)]
    while "cursor" in pages[-1]:
        assert pages[-1]["truncated"]
        pages.append(served.call(tool, **arguments, cursor=pages[-1]["cursor"]))
    assert not pages[-1]["truncated"]
    return pages


def test_every_caller_of_hundreds_is_reached_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_finder, "MAX_INCOMING", 160)  # a window
    files = {f"m{n}.py": "from a import target\n" for n in range(4)} | {"a.py": "def target(x): ...\n"}
    for path in list(files):
        calls = "".join(f"def f{number:03}():\n    target({number})\n" for number in range(120))
        files[path] += calls
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        pages = read_pages(served, "get_callers", symbol="target", limit=80)
        found = [row["qualified_name"] for page in pages for row in page["result"]]
        assert len(found) == len(set(found)) == 600
        assert [page["total_is_lower_bound"] for page in pages[:-1]] != [False] * (len(pages) - 1)
        first, last = pages[0], pages[-1]
        assert 149 <= first["total"] <= 151  # of a small window
        assert any("continue with cursor" in warning for warning in first["warnings"])
        assert (last["total"], last["reference_total"], last["total_is_lower_bound"]) == (600, 600, False)
        totals = [page["total"] for page in pages]
        assert totals == sorted(totals)
        assert read_pages(served, "get_callers", symbol="target", limit=80) == pages  # whatever was read
        again = read_pages(served, "get_callers", symbol="target", limit=60)
        assert [row["qualified_name"] for page in again for row in page["result"]] == found


def test_all_lines_of_an_edge_are_reached(tmp_path: Path) -> None:
    text = "def f(): ...\n\n\ndef g():\n" + "    f()\n" * 50
    with Served(write_tree(tmp_path / "r", {"a.py": text}), tmp_path / "data") as served:
        pages = read_pages(served, "get_callers", symbol="a.f", limit=1)
        lines = [line for page in pages for row in page["result"] for line in row["reference_lines"]]
        assert lines == list(range(5, 55))
        assert {(page["total"], page["reference_total"]) for page in pages} == {(1, 50)}
        assert served.call("get_symbol", symbol="a.f")["reference_count"] == 50


def test_confidence_is_of_a_line(tmp_path: Path) -> None:
    files = {
        "a.py": "class A:\n    def unfold(self): ...\n",
        "b.py": "class B:\n    def unfold(self): ...\n",
        "c.py": "from a import A\n\n\ndef use(x):\n    A().unfold()\n    x.unfold()\n",
    }
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        pages = read_pages(served, "get_callers", symbol="a.A.unfold")
        assert [(row["confidence"], row["reference_lines"]) for page in pages for row in page["result"]] == [
            ("exact", [5]), ("possible", [6]),
        ]  # fmt: skip
        assert [(page["total"], page["possible"], page["reference_total"]) for page in pages] == [(1, 0, 2)]
        (page,) = read_pages(served, "get_callers", symbol="b.B.unfold")  # there is nothing better
        assert [(row["confidence"], row["reference_lines"]) for row in page["result"]] == [("possible", [6])]


def test_the_text_of_a_line_is_that_of_the_version_that_was_read(tmp_path: Path) -> None:
    text = "def f(): ...\n\n\ndef g():\n    return f() + " + "1 + " * 40 + "1\n"
    root = write_tree(tmp_path / "r", {"a.py": text})
    with Served(root, tmp_path / "data") as served:
        (row,) = served.rows("get_callers", symbol="a.f")
        assert row["lines"].startswith("5\treturn f() + 1 +")
        assert row["lines"].endswith("…")
        assert len(row["lines"]) == 2 + MAX_LINE_CHARS
        write_tree(root, {"a.py": "\n" + text})  # and nobody noticed yet
        (row,) = served.rows("get_callers", symbol="a.f")
        assert row["lines"] == "5"


def test_hundreds_of_outside_names_leave_room_for_edges_and_are_counted(tmp_path: Path) -> None:
    used = "".join(
        f"    outside.a_very_long_name_of_a_function_that_is_declared_elsewhere_{n}()\n" for n in range(400)
    )
    text = f"import outside\n\n\ndef near(): ...\n\n\ndef user():\n    near()\n{used}"
    with Served(write_tree(tmp_path / "r", {"a.py": text}), tmp_path / "data") as served:
        node = served.find("a.user")
        for arguments in ({}, {"limit": 500}):
            answer = served.call("get_callees", node_id=node, **arguments)
            assert [row["qualified_name"] for row in answer["result"]] == ["a.near"]
            assert answer["external_total"] == 400
            assert 30 <= len(answer["external"]) <= 400
            assert answer["truncated"] is (len(answer["external"]) < 400)


def test_cycles_of_imports_and_bases_end(tmp_path: Path) -> None:
    files = {
        "a.py": "from b import B\nclass A(B):\n    def run(self): self.run_b()\n",
        "b.py": "from a import A\nclass B(A):\n    def run(self): self.run_a()\n    def run_b(self): ...\n",
        "c.py": "from d import x\n",
        "d.py": "from c import x\n\ndef use():\n    x()\n",
        "e.py": "class Own(Own):\n    def go(self): self.go()\n",
    }
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        for path in files:
            for row in served.rows("get_file_outline", path=path):
                for tool in ("get_dependencies", "get_dependents", "get_implementations", "get_symbol"):
                    served.call(tool, node_id=row["node_id"])
        assert ends(served, "get_callers", "b.B.run_b") == ["a.A.run"]
        assert ends(served, "get_callees", "d.use") == []


def test_who_gets_a_declaration_from_a_package_depends_on_its_file(tmp_path: Path) -> None:
    texts = {
        "pkg/__init__.py": "from pkg.inner import Store\n",
        "pkg/inner.py": "class Store:\n    def save(self): ...\n\n\ndef own():\n    return Store()\n",
        "near.py": "from pkg.inner import Store\n\n\ndef near():\n    return Store()\n",
        "far.py": "import pkg\n\n\ndef far():\n    return pkg.Store().save()\n",
        "not.py": "class Store: ...\n\n\ndef other():\n    return Store()\n",
    }
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        answer = served.call("get_dependents", symbol="pkg/inner.py")
        imports = served.call("get_dependents", symbol="pkg/inner.py", edge_type="imports")
    found = {(row.get("edge_type", "calls"), row["name"]) for row in answer["result"]}
    assert found == {("imports", "__init__.py"), ("imports", "near.py"), ("calls", "far")}
    assert answer["total"] == 3
    assert {row["name"] for row in imports["result"]} == {"__init__.py", "near.py"}


def test_of_two_symbols_of_one_name_the_one_that_a_tool_is_about_is_meant(tmp_path: Path) -> None:
    text = (
        "export const Store = makeDecorator('store');\n"
        "export interface Store { save(): void; }\n"
        "export class Disk implements Store { save() {} }\n"
        "export class Job { run = 1; }\n"
        "export function run() { return 1; }\n"
        "export function go() { return run(); }\n"
    )
    with Served(write_tree(tmp_path / "r", {"a.ts": text}), tmp_path / "data") as served:
        implementing = served.call("get_implementations", symbol="Store")
        callers = served.call("get_callers", symbol="run")
        refused = served.error("get_references", symbol="Store")
    assert implementing["symbol"]["node_type"] == "interface"
    assert [row["name"] for row in implementing["result"]] == ["Disk"]
    assert callers["symbol"]["node_type"] == "function"
    assert [row["name"] for row in callers["result"]] == ["go"]
    assert len(refused["candidates"]) == 2


def test_that_a_file_was_parsed_only_in_part_is_said_where_nothing_is_found(tmp_path: Path) -> None:
    text = "def good():\n    return bad()\n\n\ndef bad():\n    return good( ]\n"
    served = Served(write_tree(tmp_path / "r", {"a.py": text}), tmp_path / "data")
    said = "This file was parsed only in part: what the rest of it leads to is not known."
    try:
        bad = served.call("get_callees", symbol="bad")
        good = served.call("get_callees", symbol="good")
    finally:
        served.close()
    assert (bad["result"], bad["warnings"]) == ([], [said])
    assert "total" not in bad
    assert good["total"] == 1
    assert "warnings" not in good


def test_files_parsed_in_part_are_named_where_they_have_the_name(tmp_path: Path) -> None:
    broken = "\n{{\n#if A\n    if (a)\n#else\n    if (b)\n#endif\n    {{\n    }}\n}}\n"
    texts = {
        "a.py": "def unused(): ...\ndef used(): ...\nused()\n",
        "b.c": f"int rare(int a);\nint often(int a);\nint f(int a){broken}/* rare often */\n",
        "c.c": f"int g(int a){broken}/* often */\n",
        "d.c": f"int h(int a){broken}/* often unused */\n",
    }
    with Served(write_tree(tmp_path / "root", texts), tmp_path / "data") as served:
        said = {
            one: served.answer("get_callers", symbol=one).get("warnings", [])
            for one in ("unused", "used", "rare", "often")
        }
    assert said["unused"] == []  # no file of its language
    assert said["used"] == []
    assert said["rare"] == [ONE.format("'b.c'", "'rare'")]
    assert said["often"] == [SEVERAL.format("3", "'often'", "'b.c', 'c.c', 'd.c'")]


def test_callers_of_a_value_say_how_often_it_is_read(tmp_path: Path) -> None:
    texts = {
        "a.cs": "class Store {\n  public int Size { get; set; }\n  public int Lost { get; set; }\n"
        "  int Twice() { return Size + Size; }\n  int Once() { return this.Size; }\n"
        "  public int this[int at] => at;\n  ~Store() {}\n}\n",
    }
    with Served(write_tree(tmp_path / "root", texts), tmp_path / "data") as served:
        asked = ("Store.Size", "Store.Lost", "a.cs:6", "a.cs:7")
        said = {one: served.answer("get_callers", symbol=one) for one in asked}
    assert said["Store.Size"]["warnings"] == [READ_INSTEAD.format("a property", "2")]
    assert said["Store.Lost"]["total"] == 0
    assert "warnings" not in said["Store.Lost"]
    assert said["a.cs:6"]["warnings"] == [NO_INDEXERS]
    assert said["a.cs:7"]["warnings"] == [RUN_UNNAMED.format("~Store")]
    assert not any("total" in said[one] for one in asked[2:])


def test_files_that_no_parser_reads_are_named_where_they_have_the_name(tmp_path: Path) -> None:
    texts = {
        "Store.java": "interface Store { void save(); void load(); }\nclass Disk implements Store {}\n",
        "Memory.kt": "class Memory : Store { override fun save() {} }\n",
        "Late.scala": "class Late extends Store\nclass Stored\n",
        "store.py": "Store = 1\n",
    }
    said = (
        "No parser reads kotlin and scala: 2 files with the word 'Store' may use it,"
        " such as 'Late.scala', 'Memory.kt'."
    )
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        implementing = served.call("get_implementations", symbol="Store.java:Store")
        unused = served.call("get_callers", symbol="Store.java:Store.load")
        saved = served.call("get_callers", symbol="Store.java:Store.save")
        outgoing = served.call("get_dependencies", symbol="Disk")
        other = served.call("get_references", symbol="store.py:Store")
    assert [row["name"] for row in implementing["result"]] == ["Disk"]
    assert implementing["warnings"] == [said]
    assert saved["warnings"] == [
        "No parser reads kotlin: 1 file with the word 'save' may use it, such as 'Memory.kt'."
    ]
    assert "total" not in saved  # it is not known
    assert not {"warnings"} & {*unused, *outgoing, *other}


def test_assembly_is_named_where_it_has_a_function_of_go_as_a_symbol(tmp_path: Path) -> None:
    texts = {
        "go.mod": "module example.org/app\n",
        "find.go": (
            "package app\nfunc Find(n int) int\nfunc Copy() {}\nfunc use() { Find(1) }\n"
            "type Box struct{}\nfunc (b Box) Find() {}\n"
        ),
        "find_arm.s": "// Copy nothing, Find it\nTEXT ·Find<ABIInternal>(SB), $0-8\n\tRET\n",
    }
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        names = ("Find", "Copy", "Box.Find")
        found, copied, method = (served.call("get_callers", symbol=f"app.{name}") for name in names)
    assert found["warnings"] == [
        "No parser reads assembly: 1 file with '·Find(SB)' may define or use it, such as 'find_arm.s'."
    ]
    assert not {"warnings"} & {*copied, *method}


def test_implementations_that_have_subtypes_are_named(tmp_path: Path) -> None:
    text = (
        "class Base: ...\nclass Near(Base): ...\nclass Other(Base): ...\nclass Leaf(Near): ...\n"
        "class Last(Leaf): ...\n"
    )
    with Served(write_tree(tmp_path / "r", {"a.py": text}), tmp_path / "data") as served:
        direct, below = (served.call("get_implementations", symbol=name) for name in ("Base", "Leaf"))
    assert [row["name"] for row in direct["result"]] == ["Near", "Other"]
    assert direct["warnings"] == ["Near has subtypes that are not listed: ask for theirs."]
    assert "warnings" not in below


def test_overrides_that_are_called_by_their_own_types_are_named(tmp_path: Path) -> None:
    names = ("Near", "Far", "Third", "Fourth", "Silent")
    text = "class Base:\n    def run(self): ...\n\n\n"
    text += "".join(f"class {one}(Base):\n    def run(self): ...\n\n\n" for one in names)
    text += "class Unlike:\n    def run(self): ...\n\n\ndef use(x):\n    Unlike().run()\n    Far().run()\n"
    text += "".join(f"    {one}().run()\n" for one in names[:4])
    with Served(write_tree(tmp_path / "r", {"a.py": text}), tmp_path / "data") as served:
        above, below = (served.call("get_callers", symbol=name) for name in ("Base.run", "Silent.run"))
        listed = served.call("get_references", symbol="Base.run")
    (said,) = above["warnings"]
    assert said == (
        "4 overrides have calls of their own: Far.run (2), Near.run (1), Third.run (1) and 1 more:"
        " ask for theirs."
    )
    assert "warnings" not in below
    assert "warnings" not in listed


def test_overrides_that_only_tests_call_by_their_own_types_are_said_to_be(tmp_path: Path) -> None:
    text = "class Base:\n    def run(self): ...\n\n\nclass Near(Base):\n    def run(self): ...\n"
    used = "from a import Near\n\n\ndef test_near():\n    Near().run()\n"
    with Served(
        write_tree(tmp_path / "r", {"a.py": text, "tests/test_a.py": used}), tmp_path / "data"
    ) as served:
        above = served.call("get_callers", symbol="Base.run")
    assert above["warnings"] == [
        "1 override has calls of its own, all in tests: Near.run (1): ask for theirs."
    ]


def test_types_of_rust_without_a_name_implement_traits_and_derives_are_counted(tmp_path: Path) -> None:
    text = (
        "trait Size {\n    fn columns(&self) -> usize;\n"
        "    fn last(&self) -> usize { self.columns() - 1 }\n}\n"
        "impl Size for (usize, usize) {\n    fn columns(&self) -> usize { self.last() + self.1 }\n}\n"
        "impl Size for () {\n    fn columns(&self) -> usize { 0 }\n}\n"
        "#[derive(Size)]\nstruct One;\n\n#[derive(Debug, Size)]\npub struct Two {\n    a: u8,\n}\n"
    )
    with Served(write_tree(tmp_path / "r", {"src/lib.rs": text}), tmp_path / "data") as served:
        types, members = (served.call("get_implementations", symbol=one) for one in ("Size", "Size.columns"))
        (caller,) = served.call("get_callers", symbol="Size.last")["result"]
    assert [row["name"] for row in types["result"]] == ["(usize, usize)", "()"]
    assert [row["name"] for row in members["result"]] == ["(usize, usize).columns", "().columns"]
    assert caller["name"] == "(usize, usize).columns"
    assert types["warnings"] == [BY_MACRO.format(2, "src/lib.rs:11")]
    assert "warnings" not in members


def test_the_types_of_an_external_base_are_named_where_it_is_asked_for(tmp_path: Path) -> None:
    text = "import lib\n\n\nclass {}(lib.Handler): ...\n"
    texts = {"test_a.py": text.format("InTest"), "a.py": text.format("Own"), "b.py": text.format("Other")}
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        page, other = (served.call("get_implementations", symbol="lib.Handler", limit=one) for one in (2, 1))
        hint = served.error("get_callers", symbol="Handler")["hint"]
        last = served.call("get_implementations", symbol="lib.Handler", limit=1, cursor=other["cursor"])
    assert [(row["name"], row["lines"]) for row in page["result"]] == [
        ("Own", "4\tclass Own(lib.Handler): ..."),
        ("Other", "4\tclass Other(lib.Handler): ..."),
    ]
    assert (page["total"], page["truncated"]) == (3, True)
    assert page["warnings"] == [OF_ANOTHER.format("lib.Handler")]
    assert [row["name"] for row in last["result"]] == ["Other"]
    extending = "Own (a.py:4), Other (b.py:4), InTest (test_a.py:4)"
    assert hint == f"It is declared outside this repository; these extend it: {extending}."


def test_a_hint_with_other_names_says_too_which_languages_no_parser_reads(tmp_path: Path) -> None:
    texts = {
        "Own.java": "class Own implements Handler {\n  void handle() {}\n}\n",
        "Store.kt": "interface Store {\n  fun handling()\n}\n",
    }
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        base, near = (served.error("get_callers", symbol=name)["hint"] for name in ("Handler", "handled"))
    unread = "No parser reads kotlin (1 file): a search for text finds names in these files."
    extending = "It is declared outside this repository; these extend it: Own (Own.java:1)."
    assert base == f"{extending} {unread}"
    assert near.startswith("Nearest: Own.handle ")
    assert near.endswith(unread)


def test_a_call_that_may_mean_several_overloads_is_listed_once(tmp_path: Path) -> None:
    text = (
        "struct Point { }\nstruct Mark { }\n"
        "struct Shape {\n  func move(_ to: Mark) {}\n  func move(_ to: Point) {}\n}\n"
        "func go(shape: Shape, to: Point) { shape.move(to) }\n"
    )
    with Served(write_tree(tmp_path / "root", {"shape.swift": text}), tmp_path / "data") as served:
        (row,) = served.call("get_callers", symbol="Shape.move")["result"]
        assert (row["name"], row["confidence"], row["overloads"]) == ("go", "probable", [5, 4])


def test_overloads_share_a_page(tmp_path: Path) -> None:
    """Each had a page of its own in one answer: of four, a method of an interface had 19 KB."""
    store = "class Store {\n  void put(int key) {}\n  void put(String key) {}\n  void put() {}\n}\n"
    calls = [("1", "a", 40), ('"k"', "b", 40), ("", "c", 3)]
    uses = "".join(
        f"  void {name}{at}(Store s) {{ s.put({key}); }}\n" for key, name, most in calls for at in range(most)
    )
    texts = {"Store.java": store, "Use.java": f"class Use {{\n{uses}}}\n"}
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        found = served.call("get_callers", symbol="Store.put")
        few = served.call("get_callers", symbol="Store.put", limit=5)
    assert [one["total"] for one in found["overloads"]] == [40, 40, 3]
    lines = [line for row in found["result"] for line in row["overloads"]]
    assert [lines.count(line) for line in (2, 3, 4)] == [13, 14, 3]
    assert found["truncated"]
    assert len(few["result"]) == 5
    assert (
        "Not all edges of these overloads are shown: ask for one of them by its node_id." in found["warnings"]
    )


def test_edges_of_overloads_are_listed_together(tmp_path: Path) -> None:
    store = """class Store {
  void put(int key) {}
  void put(String key, int times) { put(times); }
  void get() {}
}
"""
    use = """class Use {
  void one(Store s) { s.put(1); s.put(2); }
  void two(Store s) { s.put("a", 2); }
}
"""
    with Served(
        write_tree(tmp_path / "r", {"Store.java": store, "Use.java": use}), tmp_path / "data"
    ) as served:
        found = served.call("get_callers", symbol="Store.put")
        first, second = found["overloads"]
        assert [(one["line_start"], one["total"]) for one in (first, second)] == [(2, 2), (3, 1)]
        assert second["parameter_signature"] == "(String key, int times)"
        assert found["symbol"]["node_id"] == first["node_id"]
        assert [(one["name"], one["overloads"]) for one in found["result"]] == [
            *(("Store.put", [2]), ("Use.one", [2]), ("Use.two", [3])),
        ]
        assert served.call("get_callers", node_id=first["node_id"])["overloads"] == []
        cut = served.call("get_callers", symbol="Store.put", limit=1)
        assert cut["truncated"] is True
        assert cut["warnings"] == [
            "Not all edges of these overloads are shown: ask for one of them by its node_id."
        ]
        assert len(served.error("get_symbol", symbol="Store.put")["candidates"]) == 2
