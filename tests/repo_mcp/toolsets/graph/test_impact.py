"""`get_impact`: what a diff changes and what that reaches, over Python, TypeScript and C# of a small shop."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.graph.edges import Bounds
from repo_mcp.impact import changed_symbols, reach
from repo_mcp.impact import impact as impact_module
from repo_mcp.toolsets.graph.impact_calls import SHOWN_SYMBOLS
from tests.repo_mcp.toolsets.graph.graph_roots import CANARY, TREE, Served
from tests.written_trees import write_tree

HEADER = {
    "native/pool.h": "struct pool;\nint pool_take(struct pool *p);\n",
    "native/pool.c": '#include "pool.h"\nint pool_take(struct pool *p) {\n  return 1;\n}\n',
    "native/use.c": '#include "pool.h"\nint main(void) {\n  return pool_take(0);\n}\n',
    "native/gate.hpp": "class Gate {\n public:\n  virtual void lift(int load);\n};\n",
    "native/gate.cpp": '#include "gate.hpp"\nvoid Gate::lift(int load) {\n}\n',
    "native/iron.hpp": '#include "gate.hpp"\nclass Iron : Gate {\n  void lift(int load) override;\n};\n',
    "native/iron.cpp": '#include "iron.hpp"\nvoid Iron::lift(int load) {\n}\n',
    "lib/shelf.rb": "class Shelf\n  def put_aside(thing)\n    thing\n  end\nend\n",
    "lib/cart.rb": "class Cart\n  def keep(thing)\n    Shelf.new.put_aside(thing)\n  end\nend\n",
    "spec/shelf_spec.rb": "describe Shelf do\n  it { }\nend\n",
}
FILES = TREE | HEADER


@pytest.fixture
def changing(tmp_path: Path) -> Iterator[Served]:
    """Yield a tree of one's own."""
    with Served(write_tree(tmp_path / "shop", FILES), tmp_path / "data") as served:
        yield served


def _text(path: str) -> str:
    text = FILES[path]
    assert isinstance(text, str)
    return text


def _diff(path: str, *edits: tuple[str, str]) -> str:
    """Return the diff of a file of the tree, each text replaced by another."""
    old = new = _text(path)
    for before, after in edits:
        assert before in new
        new = new.replace(before, after)
    return _compare(path, old, new)


def _compare(path: str, old: str, new: str) -> str:
    sides = (f"a/{path}" if old else "/dev/null", f"b/{path}" if new else "/dev/null")
    return "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), *sides))


def _apply(served: Served, path: str, *edits: tuple[str, str]) -> str:
    """Change a file of the tree; return the diff."""
    diff = _diff(path, *edits)
    new = _text(path)
    for before, after in edits:
        new = new.replace(before, after)
    (served.root / path).write_text(new)
    served.index()
    return diff


def _changed(found: dict[str, Any]) -> list[tuple[str, str, bool]]:
    return [(row["name"], row["change"], row["new_signature"]) for row in found["changed"]]


def _edges(found: dict[str, Any], field: str = "result") -> set[tuple[str, str, str, int, str]]:
    """Return (type, confidence, symbol, distance, by way of) of each edge."""
    return {
        (one["edge_type"], one["confidence"], one["name"], one["distance"], one["via"])
        for row in found[field]
        for one in row["symbols"]
    }


def _find(found: dict[str, Any], path: str, field: str = "result") -> dict[str, Any]:
    (row,) = [row for row in found[field] if row["file_path"] == path]
    assert isinstance(row, dict)
    return row


def test_a_new_signature_reaches_the_declarations_in_headers(served: Served) -> None:
    found = served.call("get_impact", diff=_diff("native/gate.cpp", ("(int load)", "(long load)")))
    assert _changed(found) == [("Gate.lift", "changed", True)]
    assert _edges(found) == {
        ("references", "exact", "Gate.lift", 1, "Gate.lift"),
        ("overrides", "exact", "Iron.lift", 1, "Gate.lift"),
    }
    places = {(row["file_path"], row["symbols"][0]["lines"].partition("\t")[0]) for row in found["result"]}
    assert places == {("native/gate.hpp", "3"), ("native/iron.hpp", "3"), ("native/iron.cpp", "2")}
    body = served.call("get_impact", diff=_diff("native/gate.cpp", ("{\n}", "{\n  load++;\n}")))
    assert ("references", "exact", "Gate.lift", 1, "Gate.lift") not in _edges(body)


CHECK = ("shop/base.py", ('raise ValueError("nothing")', 'raise ValueError("no item")'))


@pytest.mark.parametrize("is_applied", [False, True])
def test_a_change_reaches_callers_and_theirs(changing: Served, is_applied: bool) -> None:
    diff = _apply(changing, *CHECK) if is_applied else _diff(*CHECK)
    found = changing.call("get_impact", diff=diff)
    assert _changed(found) == [("Store.check", "changed", False)]
    assert _edges(found) == {
        ("calls", "exact", "OrderStore.save", 1, "Store.check"),
        ("calls", "exact", "CachedStore.save", 2, "OrderStore.save"),
        ("calls", "exact", "place_many", 2, "OrderStore.save"),
        ("calls", "exact", "store_many", 2, "OrderStore.save"),
    }
    first = found["result"][0]
    assert (first["file_path"], first["confidence"], first["reasons"]) == ("shop/orders.py", "exact", [])
    assert first["symbols"][0]["lines"] == "11\tself.check(item)"
    assert found["warnings"] == ["No test is known to reach what changes."]


def test_depth_says_how_many_edges_are_followed(served: Served) -> None:
    near = _edges(served.call("get_impact", diff=_diff(*CHECK), depth=1))
    far = _edges(served.call("get_impact", diff=_diff(*CHECK), depth=4))
    assert {one[3] for one in near} == {1}
    assert near < far


def test_the_nearest_tests_stand_first(served: Served) -> None:
    diff = _diff("shop/api.py", ("OrderStore(), price", "OrderStore(), price or 1"))
    found = served.call("get_impact", diff=diff)
    (row,) = found["tests"]
    assert (row["file_path"], row["confidence"]) == ("tests/test_orders.py", "exact")
    assert _edges(found, "tests") >= {("calls", "exact", "test_post_order", 1, "post_order")}
    assert all(not one["file_path"].startswith("tests/") for one in found["result"])
    assert found["tests_total"] == 1


def test_a_changed_test_stands_before_all_others(served: Served) -> None:
    diff = _diff("tests/test_orders.py", ("assert post", "assert not post")) + _diff(
        "shop/api.py", ("from shop import OrderStore", "from shop.orders import OrderStore")
    )
    found = served.call("get_impact", diff=diff)
    assert _changed(found) == [("test_post_order", "changed", False), ("api.py", "imports", False)]
    assert found["tests"] == [
        {
            "file_path": "tests/test_orders.py", "confidence": "exact", "symbols": [],
            "reasons": ["changed by the diff"],
        }
    ]  # fmt: skip


def test_implementers_overriders_and_subclasses_are_reached(served: Served) -> None:
    diff = _diff(
        "shop/base.py", ("def save(self, item: object) -> bool", "def save(self, item: str) -> bool")
    )
    found = served.call("get_impact", diff=diff)
    assert _changed(found) == [("Store.save", "changed", True)]
    assert _edges(found) >= {
        ("overrides", "exact", "OrderStore.save", 1, "Store.save"),
        ("overrides", "exact", "CachedStore.save", 1, "Store.save"),
        ("calls", "exact", "place_order", 1, "Store.save"),
    }
    diff = _diff("server/IStore.cs", ("public interface IStore", "public interface IStore : IAudited"))
    found = served.call("get_impact", diff=diff)
    assert ("implements", "exact", "OrderStore", 1, "IStore") in _edges(found)
    assert _find(found, "server/OrderStore.cs")["confidence"] == "exact"


def test_a_call_of_what_a_method_overrides_may_reach_it(served: Served) -> None:
    diff = _diff("shop/orders.py", ('self.note("saved")', 'self.note("kept")'))
    found = served.call("get_impact", diff=diff)
    assert ("calls", "possible", "place_order", 1, "Store.save") in _edges(found)


def test_a_deleted_symbol_is_named_with_what_still_uses_it(changing: Served) -> None:
    diff = _apply(changing, "shop/money.py", ("def add(one: Money, other", "def total(one: Money, other"))
    found = changing.call("get_impact", diff=diff)
    assert _changed(found) == [("total", "added", False), ("add", "deleted", False)]
    assert "node_id" not in json.loads(changing.ask("get_impact", {"diff": diff}).text)["changed"][1]
    assert _edges(found) == {
        ("calls", "probable", "place_order", 1, "add"),
        ("calls", "probable", "place_many", 1, "add"),
        ("calls", "probable", "store_many", 1, "add"),
        ("calls", "probable", "post_order", 2, "place_order"),
    }


def test_a_deleted_function_and_a_comment_leave_the_rest_of_the_file_as_it_was(changing: Served) -> None:
    gone = (
        "def place_many"
        + _text("shop/orders.py").partition("def place_many")[2].partition("def store_many")[0]
    )
    diff = _apply(changing, "shop/orders.py", (gone, ""), ("LIMIT = 10\n", "# as the till\nLIMIT = 10\n"))
    found = changing.call("get_impact", diff=diff)
    assert _changed(found) == [("place_many", "deleted", False)]
    assert all(row["file_path"] != "shop/api.py" or not row["symbols"] for row in found["result"])


def test_one_row_has_all_that_a_symbol_uses(served: Served) -> None:
    diff = _diff(
        "shop/money.py",
        ('= "EUR"', '= "USD"'),
        ("return Money(", "return  Money("),
    )
    found = served.call("get_impact", diff=diff, depth=1)
    assert [name for name, _, _ in _changed(found)] == ["Money.__init__", "add"]
    assert ("calls", "exact", "place_many", 1, "Money.__init__, add") in _edges(found)
    (row,) = [one for one in _find(found, "shop/orders.py")["symbols"] if one["name"] == "place_many"]
    assert row["lines"] == "29\tif store.save(plus(price, Money(2))):"


def test_symbols_with_one_name_are_distinguished_by_their_files(changing: Served) -> None:
    (changing.root / "shop" / "cents.py").write_text("def add(one, other):\n    return one\n")
    (changing.root / "shop" / "till.py").write_text(
        "from shop.cents import add\n\n\ndef sum_up():\n    return add(1, 2)\n"
    )
    changing.index()
    other = _compare(
        "shop/cents.py", "def add(one, other):\n    return 0\n", "def add(one, other):\n    return one\n"
    )
    diff = other + _diff("shop/money.py", ("one.amount + other.amount", "other.amount + one.amount"))
    edges = _edges(changing.call("get_impact", diff=diff, depth=1))
    assert ("calls", "exact", "sum_up", 1, "cents.py:add") in edges
    assert ("calls", "exact", "place_order", 1, "money.py:add") in edges


@pytest.mark.parametrize("is_applied", [False, True])
def test_a_member_on_one_side_alone_is_added(changing: Served, is_applied: bool) -> None:
    edits = ("private names: string[] = [];", "private names: string[] = [];\n  private size = 0;")
    diff = _diff("web/src/lib/basket.ts", edits)
    if is_applied:
        _apply(changing, "web/src/lib/basket.ts", edits)
    found = _changed(changing.call("get_impact", diff=diff))
    assert found == (
        [("MemoryBasket.size", "added", False)] if is_applied else [("MemoryBasket", "changed", False)]
    )
    other = _apply(changing, "server/Controller.cs", ("IStore store = new", "IStore kept = new"))
    assert ("Controller.kept", "added", False) in _changed(changing.call("get_impact", diff=other))


def test_what_changes_anyway_does_not_depend_on_the_rest(served: Served) -> None:
    diff = _diff(*CHECK) + _diff("shop/orders.py", ('self.note("saved")', 'self.note("kept")'))
    found = served.call("get_impact", diff=diff)
    assert _changed(found) == [("Store.check", "changed", False), ("OrderStore.save", "changed", False)]
    assert "OrderStore.save" not in {name for _, _, name, _, _ in _edges(found)}
    assert ("calls", "exact", "place_many", 1, "OrderStore.save") in _edges(found)


def test_words_that_are_no_names_are_not_reported(changing: Served) -> None:
    (changing.root / "shop" / "note.rb").write_text("def note\n  gift_wrap.with.for.this\nend\n")
    (changing.root / "web" / "src" / "note.ts").write_text("export const n = giftWrap().with.for.this;\n")
    changing.index()
    new = _compare("web/src/gift.ts", "", "// with this or for that\nexport const gift = giftWrap();\n")
    row = _find(changing.call("get_impact", diff=new), "web/src/note.ts")
    assert row["reasons"] == ["names in common: `giftWrap`"]


def test_code_is_not_named_like_a_document_elsewhere(changing: Served) -> None:
    for path in ("docs/money.md", "shop/money.md"):
        (changing.root / path).parent.mkdir(exist_ok=True)
        (changing.root / path).write_text("# Of money\n\nAbout the amount of money.\n")
    changing.index()
    diff = _diff("shop/money.py", ("one.amount + other.amount", "other.amount + one.amount"))
    found = changing.call("get_impact", diff=diff)
    assert "docs/money.md" not in {row["file_path"] for row in found["result"]}
    assert _find(found, "shop/money.md")["reasons"][0] == "named like `money.py`"


def test_a_common_name_says_nothing_of_what_is_gone(changing: Served) -> None:
    for number in range(9):
        (changing.root / "shop" / f"other{number}.py").write_text("def add(one, other):\n    return one\n")
    diff = _apply(changing, "shop/money.py", ("def add(one: Money, other", "def total(one: Money, other"))
    assert _edges(changing.call("get_impact", diff=diff)) == set()


def test_a_diff_that_is_not_applied_has_the_edges_of_what_it_deletes(served: Served) -> None:
    diff = _diff("shop/money.py", ("def add(one: Money, other", "def total(one: Money, other"))
    found = served.call("get_impact", diff=diff)
    assert _changed(found) == [("add", "deleted", False), ("total", "added", False)]
    assert ("calls", "exact", "place_order", 1, "add") in _edges(found)
    assert "The diff is not applied: nothing uses yet what it adds to shop/money.py." in found["warnings"]


def test_files_go_with_their_namesakes(served: Served) -> None:
    diff = _diff("native/pool.c", ("return 1", "return 2"))
    found = served.call("get_impact", diff=diff)
    assert _find(found, "native/use.c")["confidence"] == "exact"
    assert _find(found, "native/pool.h")["reasons"][0] == "named like `pool.c`"
    assert found["possible"] == sum(row["confidence"] == "possible" for row in found["result"])


def test_words_in_common_are_no_evidence_where_edges_are_known(changing: Served) -> None:
    for number in range(9):
        path = changing.root / "shop" / f"part{number}.py"
        path.write_text(
            f"def count_part{number}(one, other):\n    # the amount of money\n    return one.amount\n"
        )
    changing.index()
    diff = _diff("shop/money.py", ("one.amount + other.amount", "other.amount + one.amount"))
    found = changing.call("get_impact", diff=diff)
    assert not [row for row in (*found["result"], *found["tests"]) if row["reasons"] == ["words in common"]]
    assert "shop/part1.py" not in {row["file_path"] for row in found["result"]}


def test_a_name_of_one_word_and_names_in_another_language_are_no_evidence(changing: Served) -> None:
    (changing.root / "web" / "src" / "note.ts").write_text("export const n = giftWrap(shared);\n")
    (changing.root / "shop" / "note.py").write_text("n = giftWrap(shared)\n")
    (changing.root / "shop" / "share.py").write_text("n = wrap(shared)\n")
    changing.index()
    new = _compare("shop/gift.py", "", "def wrap_gift():\n    return giftWrap(shared)\n")
    found = changing.call("get_impact", diff=new)
    assert _find(found, "shop/note.py")["reasons"] == ["names in common: `giftWrap`"]
    assert {"web/src/note.ts", "shop/share.py"}.isdisjoint(row["file_path"] for row in found["result"])


def test_of_a_name_that_many_files_have_the_tests_with_it_most_often_are_shown(changing: Served) -> None:
    for number in range(40):
        (changing.root / "lib" / f"user{number}.rb").write_text("def use\n  thing.put_aside\nend\n")
        times = "  put_aside\n" * (number + 1)
        (changing.root / "spec" / f"user{number}_spec.rb").write_text(f"it 'does' do\n{times}end\n")
    changing.index()
    diff = _diff("lib/shelf.rb", ("    thing\n", "    thing.put_aside\n"))
    found = changing.call("get_impact", diff=diff)
    paths = [row["file_path"] for row in found["tests"]]
    assert paths[0] == "spec/shelf_spec.rb"  # named like the file
    assert {*paths[1:]} == {f"spec/user{number}_spec.rb" for number in range(32, 40)}


def test_a_language_without_a_parser_has_names_and_words(served: Served) -> None:
    diff = _diff("lib/shelf.rb", ("    thing\n", "    thing.put_aside\n"))
    found = served.call("get_impact", diff=diff)
    assert _changed(found) == [("Shelf.put_aside", "changed", False)]
    assert _find(found, "lib/cart.rb") == {
        "file_path": "lib/cart.rb", "confidence": "possible", "symbols": [],
        "reasons": ["names in common: `put_aside`"],
    }  # fmt: skip
    assert _find(found, "spec/shelf_spec.rb", "tests")["reasons"] == ["named like `shelf.rb`"]
    assert found["warnings"] == [
        "No symbols of these files are indexed: uses are found by names alone: lib/shelf.rb."
    ]


def test_a_member_that_only_its_file_names_is_used_through_its_type(changing: Served) -> None:
    """No test was said to reach it, and ten files that share words with it were listed instead."""
    lamp = "class OilLamp\n  def light\n    turn_up\n  end\n\n  def turn_up\n    1\n  end\nend\n"
    more = {
        "lib/oil_lamp.rb": lamp,
        "lib/porch.rb": "class Porch\n  def dusk\n    OilLamp.new.light\n  end\nend\n",
        "lib/turn.rb": "class Turn\n  def up\n    turn 1 if up\n  end\nend\n",
        "spec/night_spec.rb": "describe 'night' do\n  it { OilLamp.new.light }\nend\n",
    }
    write_tree(changing.root, more)
    changing.index()
    diff = _compare("lib/oil_lamp.rb", lamp, lamp.replace("    1\n", "    2\n"))
    found = changing.call("get_impact", diff=diff)
    reached = {row["file_path"]: row["reasons"] for row in found["result"]}
    assert reached == {"lib/porch.rb": ["names in common: `OilLamp`"]}
    (test,) = found["tests"]
    assert (test["file_path"], test["reasons"]) == ("spec/night_spec.rb", ["names in common: `OilLamp`"])


def test_tests_with_words_alone_are_none_of_a_language_without_a_parser(
    changing: Served,
) -> None:
    for number in range(36):
        calls = "".join(f"  thing.put_aside({at})\n" for at in range(1 + number % 12))
        (changing.root / "spec" / f"use{number:02}_spec.rb").write_text(f"it do\n{calls}end\n")
    (changing.root / "spec" / "prose_spec.rb").write_text("it 'is a thing of the shelf' do\n  thing\nend\n")
    changing.index()
    diff = _diff("lib/shelf.rb", ("    thing\n", "    thing.put_aside\n"))
    tests = changing.call("get_impact", diff=diff)["tests"]
    assert {"spec/use11_spec.rb", "spec/use23_spec.rb", "spec/use35_spec.rb"} <= {
        row["file_path"] for row in tests
    }
    assert "spec/use00_spec.rb" not in {row["file_path"] for row in tests}
    assert not [row for row in tests if row["reasons"] == ["words in common"]]


def test_new_renamed_and_deleted_files(served: Served) -> None:
    new = _compare("shop/gift.py", "", "def wrap(item):\n    return plus(item)\n")
    found = served.call("get_impact", diff=new)
    assert _changed(found) == [("wrap", "added", False)]
    gone = _compare("shop/gone.py", "def add_gone():\n    pass\n", "")
    assert _changed(served.call("get_impact", diff=gone)) == [("add_gone", "deleted", False)]
    moved = "diff --git a/shop/money.py b/shop/cash.py\nrename from shop/money.py\nrename to shop/cash.py\n"
    found = served.call("get_impact", diff=moved)
    assert _changed(found) == [("money.py", "changed", False)]
    assert ("imports", "exact", "orders.py", 1, "money.py") in _edges(found)
    mode = "diff --git a/shop/money.py b/shop/money.py\nold mode 100644\nnew mode 100755\n"
    assert served.call("get_impact", diff=mode)["changed"] == []


def test_what_is_not_known_is_said(served: Served) -> None:
    diff = "".join(
        [
            f"--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-SECRET={CANARY}\n+SECRET=place_order {CANARY}\n",
            "--- a/../out.py\n+++ b/../out.py\n@@ -1 +1 @@\n-a\n+b\n",
            "diff --git a/.env b/env.txt\nrename from .env\nrename to env.txt\n",
            "diff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\n",
            "--- a/shop/nowhere.py\n+++ b/shop/nowhere.py\n@@ -1 +1 @@\n-a\n+b\n",
            "--- a/shop/money.py\n+++ b/shop/money.py\n@@ -2,2 +2,2 @@\n-what was never here\n+x\n y\n",
            "@@ -x +y @@\n",
        ]
    )
    found = served.call("get_impact", diff=diff)
    assert [(row["file_path"], row["reason"].partition(":")[0]) for row in found["left_out"]] == [
        (".env", "denied"), ("../out.py", "outside the root"), ("env.txt", "denied"),
        ("logo.png", "binary"), ("shop/nowhere.py", "not in the tree"),
    ]  # fmt: skip
    assert [row["name"] for row in found["changed"]] == ["Money.__init__"]
    reported = " ".join(found["warnings"])
    assert "Neither side of the diff matches these files as they are" in reported
    assert "a hunk's header is not understood" in reported
    assert all(row["file_path"] != "shop/orders.py" or "place_order" not in str(row["reasons"])
               for row in found["result"])  # fmt: skip


def test_what_is_no_diff_is_an_error_and_nothing_is_no_impact(served: Served) -> None:
    error = served.error("get_impact", diff="please change the store")
    assert error["code"] == "invalid_parameter"
    assert "git diff" in error["hint"]
    found = served.call("get_impact", diff="")
    assert (found["result"], found["warnings"]) == ([], ["The diff is empty: nothing changes."])


def test_pages_go_on_in_all_lists(served: Served) -> None:
    diff = _diff(*CHECK) + _diff("shop/api.py", ("await", "await "))
    diff += _diff("shop/money.py", ("one.amount + other.amount", "other.amount + one.amount"))
    whole = served.call("get_impact", diff=diff, limit=100)
    arguments: dict[str, Any] = {"diff": diff, "limit": 1}
    pages = [served.call("get_impact", **arguments)]
    while "cursor" in pages[-1]:
        pages.append(served.call("get_impact", **arguments, cursor=pages[-1]["cursor"]))
    assert len(pages) > 2
    assert not whole["truncated"]
    for field in ("changed", "result", "tests"):
        assert [row for page in pages for row in page[field]] == whole[field]
    other = served.error("get_impact", diff=_diff(*CHECK), cursor=pages[0]["cursor"])
    assert "belongs to another call" in other["message"]


def test_a_file_with_many_symbols_says_how_many(changing: Served) -> None:
    many = "".join(f"def use_{number}():\n    return add({number}, 1)\n\n\n" for number in range(30))
    (changing.root / "shop" / "many.py").write_text(f"from shop.money import add\n\n\n{many}")
    changing.index()
    diff = _diff("shop/money.py", ("one.amount + other.amount", "other.amount + one.amount"))
    row = _find(changing.call("get_impact", diff=diff), "shop/many.py")
    assert (len(row["symbols"]), row["symbols_total"]) == (SHOWN_SYMBOLS, 30)


def test_a_file_with_many_tests_shows_the_nearest(changing: Served) -> None:
    many = "".join(f"def test_{number}():\n    add({number}, 1)\n\n\n" for number in range(9))
    (changing.root / "tests" / "test_many.py").write_text(f"from shop.money import add\n\n\n{many}")
    changing.index()
    diff = _diff("shop/money.py", ("one.amount + other.amount", "other.amount + one.amount"))
    rows = changing.call("get_impact", diff=diff)["tests"]
    (row,) = [one for one in rows if one["file_path"] == "tests/test_many.py"]
    assert [one["name"] for one in row["symbols"]] == ["test_0", "test_1", "test_2"]
    assert row["symbols_total"] == 9


def test_files_beyond_a_limit_are_named(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(impact_module, "MAX_FILES", 1)
    diff = _diff(*CHECK) + _diff("shop/api.py", ("await", "await "))
    found = served.call("get_impact", diff=diff)
    assert found["left_out"] == [
        {"file_path": "shop/api.py", "reason": "beyond the first 1 files of the diff"}
    ]


def test_texts_beyond_a_limit_are_not_looked_at(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changed_symbols, "MAX_CHARS", 100)
    found = served.call("get_impact", diff=_diff(*CHECK) + _diff("shop/api.py", ("await", "await ")))
    assert [row["name"] for row in found["changed"]] == ["Store.check"]
    assert [row["file_path"] for row in found["left_out"]] == ["shop/api.py"]


def test_a_text_that_is_too_large_is_compared_with_none(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = _text("shop/base.py")
    monkeypatch.setattr(changed_symbols, "MAX_OUTLINED", len(old) - 1)
    found = served.call("get_impact", diff=_compare("shop/base.py", old, old[: len(old) // 2]))
    assert found["changed"]
    assert (
        "What is added to and deleted from 1 of the files is not known: they are too large."
        in found["warnings"]
    )


def test_a_limit_of_the_search_is_said(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "LEAST", Bounds(files=1, references=1))
    monkeypatch.setattr(reach, "FIRST_FILES", 1)
    monkeypatch.setattr(reach, "FIRST_REFERENCES", 1)
    text = _text("shop/money.py")
    found = served.call("get_impact", diff=_compare("shop/money.py", text, text.replace("return", "yield")))
    assert impact_module.NOT_ALL_FOLLOWED in found["warnings"]


def test_the_log_has_no_line_of_a_diff(served: Served) -> None:
    served.audit.keep_text = True
    try:
        served.call("get_impact", diff=_diff(*CHECK))
    finally:
        served.audit.keep_text = False
    logged = (Path(served.repository.data_dir.path) / "audit.jsonl").read_text()
    assert '"get_impact"' in logged
    assert "b/shop/base.py" not in logged


def test_equal_diffs_have_equal_answers(served: Served) -> None:
    diff = _diff(*CHECK)
    assert served.ask("get_impact", {"diff": diff}).text == served.ask("get_impact", {"diff": diff}).text


def test_lines_beyond_the_first_are_numbered(tmp_path: Path) -> None:
    old = "def pay(x):\n    return x\n"
    tree = {"a.py": old, "b.py": "from a import pay\n\n\ndef use():\n" + "    pay(1)\n" * 12}
    with Served(write_tree(tmp_path / "r", tree), tmp_path / "data") as served:
        found = served.call("get_impact", diff=_compare("a.py", old, old.replace("(x)", "(x, y)")))
    ((symbol,),) = [one["symbols"] for one in found["result"]]
    assert symbol["lines"].split("\n") == [
        *(f"{line}\tpay(1)" for line in (5, 6, 7)), *map(str, range(8, 15)), "and 2 more"
    ]  # fmt: skip


FIXTURES = {
    "src/shape.ts": "export interface Shape { area(size: unknown): number }\n"
    "export function measure(shape: Shape, size: unknown) {\n\n  return shape.area(size);\n}\n",
    "src/page.ts": "import { measure } from './shape';\n"
    "export function draw(s: any) { return measure(s, 1); }\n",
    "src/app.ts": "import { draw } from './page';\nexport function start() { return draw(null); }\n",
    "src/words.ts": "export const size = 1;\nexport const area = 2; // measure a shape, area, size\n",
    "test/square.ts": "import { measure } from '../src/shape';\n"
    "export const square = (x: unknown) => measure(x, 2);\n",
    "test/data.ts": "export const shape: unknown = { measure: 1, area: 2, size: 3 };\n",
    "test/runs.ts": "import { draw } from '../src/page';\ntest('draws', () => { draw(null); });\n",
}


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("fixtures")
    with Served(write_tree(place / "r", FIXTURES), place / "data") as served:
        yield served


def test_only_what_declares_a_test_is_a_test_to_run(fixtures: Served) -> None:
    new = FIXTURES["src/shape.ts"].replace("shape: Shape, size: unknown", "shape: Shape, size?: unknown")
    found = fixtures.call("get_impact", diff=_compare("src/shape.ts", FIXTURES["src/shape.ts"], new))
    assert [row["file_path"] for row in found["tests"]] == ["test/runs.ts"]
    paths = [row["file_path"] for row in found["result"]]
    assert {"src/page.ts", "test/square.ts", "src/app.ts"} <= {*paths}  # what helps tests depends on it, too
    sure = [row["file_path"] for row in found["result"] if row["confidence"] != "possible"]
    assert paths[: len(sure)] == sure  # no file with words in common stands before them


def test_words_of_languages_are_no_names_in_common(fixtures: Served) -> None:
    new = FIXTURES["test/data.ts"].replace("const shape: unknown", "const shape: any")
    found = fixtures.call("get_impact", diff=_compare("test/data.ts", FIXTURES["test/data.ts"], new))
    assert "`unknown`" not in json.dumps(found)


def test_a_hunk_located_by_number_changes_what_is_there_even_a_blank_line(fixtures: Served) -> None:
    diff = """--- a/src/shape.ts
+++ b/src/shape.ts
@@ -2,2 +2,3 @@
 export function gauge(shape: Shape) {
+  check(shape);
   return shape.area(2);
"""
    found = fixtures.call("get_impact", diff=diff)
    assert [row["name"] for row in found["changed"]] == ["measure"]
    beyond = fixtures.call("get_impact", diff=diff.replace("-2,2 +2,3", "-92,2 +92,3"))
    assert beyond["changed"] == []
    assert "what changes there is not known: src/shape.ts." in beyond["warnings"][0]


SHELVES = {
    "fs/shelf.h": "struct shelf;\nint shelf_count(struct shelf *shelf);\n",
    "fs/count.c": '#include "shelf.h"\n\nint shelf_count(struct shelf *shelf)\n{\n\tint *group_info = 0;\n\n'
    "\treturn !group_info;\n}\n",
    "fs/use.c": '#include "shelf.h"\n\nint shelf_use(struct shelf *shelf)\n{\n'
    "\treturn shelf_count(shelf);\n}\n",
    "net/count.c": "int net_count(void)\n{\n\treturn 2;\n}\n",
    "net/bus.h": "struct bus {\n\tint group_info;\n};\n",
    "fs/shelf-test.c": "static void check_nothing(void)\n{\n}\n",
}


def test_local_names_and_namesakes_elsewhere_are_no_evidence_beside_sure_users(tmp_path: Path) -> None:
    served = Served(write_tree(tmp_path / "shelves", SHELVES), tmp_path / "data")
    old = SHELVES["fs/count.c"]
    diff = _compare("fs/count.c", old, old.replace("int *group_info", "long *group_info"))
    found = served.call("get_impact", diff=diff)
    served.close()
    assert [row["file_path"] for row in found["result"]] == ["fs/use.c"]
    assert found["warnings"] == [
        "No test is known to reach what changes, though fs/shelf-test.c is in its folder."
    ]
