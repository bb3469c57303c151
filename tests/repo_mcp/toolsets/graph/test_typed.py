"""The `graph` tools over Go, Java, C, Rust and others: what implements an interface, and what is `exact`."""

from __future__ import annotations

from pathlib import Path

from tests.repo_mcp.toolsets.graph.graph_roots import Served
from tests.written_trees import write_tree

FILES = {
    "lock/lock_js.go": "//go:build js && wasm\n\npackage lock\n\nfunc hold() {}\n",
    "lock/lock_linux.go": "package lock\n\nfunc hold() {}\n",
    "lock/use.go": "package lock\n\nfunc Use() { hold() }\n",
    "go.mod": "module example.org/app\n",
    "render.go": (
        "package app\n"
        "type Render interface {\n\tRender(int) error\n}\n"
        "type JSON struct{}\n"
        "func (j JSON) Render(n int) (err error) { return nil }\n"
        "type Text struct{}\n"
        "func (t Text) Render(n string) error { return nil }\n"
        "func run(one Render) { one.Render(1) }\n"
    ),
    "a/Adapter.java": "package a;\npublic interface Adapter { Object read(); }\n",
    "a/Use.java": (
        "package a;\n"
        "class Use {\n"
        "  Adapter made = new Adapter() {\n"
        "    public Object read() { return null; }\n"
        "  };\n"
        "  Adapter told = () -> null;\n"
        "}\n"
    ),
    "c/pool.h": "#define POOL_FIELDS int size; int left;\nstruct pool {\n  POOL_FIELDS\n  int own;\n};\n",
    "c/pool.c": (
        '#include "pool.h"\n'
        "int use(struct pool *p) {\n"
        "  struct pool q = { .own = 1 };\n"
        "  p->own = p->size;\n"
        "  return p->size + q.left;\n"
        "}\n"
    ),
    "loop/loop.h": "int loop_run(int n);\n",
    "loop/unix/core.c": '#include "loop.h"\nint loop_run(int n) { return n; }\n',
    "loop/win/core.c": '#include "loop.h"\nint loop_run(int n) { return n + 1; }\n',
    "loop/test.c": '#include "loop.h"\nint run(void) { return loop_run(1); }\n',
    "loop/win/tty.c": '#include "loop.h"\nint tty(void) { return loop_run(2); }\n',
    "text/text.h": "typedef char *text;\ntext make(void);\n",
    "text/compat.h": "#define text other_text\n",
    "text/tool.c": '#include <compat.h>\n#include "text.h"\nint tool(text one) { return 1; }\n',
    "text/main.c": (
        '#include "text.h"\n#ifdef _WIN32\n#define unlink _unlink\n#endif\n'
        "int plain(text one) { return unlink(one); }\n"
    ),
    "box/box.ts": (
        "export interface Closable { close(): void }\n"
        "export interface Open { open(): void }\n"
        "export interface Sized { size: number }\n"
        "export class Lid { close() {} }\n"
        "export class Door implements Open { open() {} }\n"
    ),
    "box/Box.cs": (
        "namespace Boxes {\n"
        "class Box {\n  public Box(int n) { }\n  public Box(string s) { }\n}\n"
        "class Use { void Make() { var b = new Box(Other.Get()); } }\n"
        "}\n"
    ),
    "box/box.swift": (
        "class Crate { init(first: Int = 1) {}\n init(second: Int = 2) {} }\n"
        "func pack() { let one = Crate() }\n"
    ),
    "unit/checks.c": (
        "#ifndef _WIN32\n"
        "TEST(one) {\n  int taken = 1;\n  return taken;\n}\n"
        "TEST(two) {\n  int taken = 2;\n  return taken;\n}\n"
        "#endif\n"
    ),
    "unit/checks.ts": (
        'it("one", () => {\n  type Seen = { a: 1 };\n  const run = (seen: Seen) => seen.a;\n});\n'
        'it("two", () => {\n  type Seen = { b: 2 };\n  const run = (seen: Seen) => seen.b;\n});\n'
    ),
    "swift/Session.swift": (
        "class Session {\n"
        "  var url: Int { return 1 }\n"
        "  func request(for one: Int) {}\n"
        "  func request(with one: Int) {}\n"
        "  func run(one: Reason) {\n"
        "    request(for: 1)\n"
        "    switch one {\n    case let .missing(url): print(url)\n    }\n"
        "  }\n"
        "}\n"
        "enum Reason { case missing(Int) }\n"
    ),
    "csharp/Json.cs": (
        "using System;\nclass JsonProperty {}\nclass JsonPropertyAttribute : Attribute {}\n"
        "class Row {\n  [JsonProperty] public int Size;\n}\n"
    ),
    "Cargo.toml": '[package]\nname = "app"\n[dependencies]\nfacade = { path = "facade" }\n',
    "src/main.rs": "fn main() { facade::inner::open(); }\n",
    "facade/Cargo.toml": '[package]\nname = "facade"\n[dependencies]\ninner_one = { path = "../inner" }\n',
    "facade/src/lib.rs": "pub extern crate inner_one as inner;\n",
    "inner/Cargo.toml": '[package]\nname = "inner_one"\n',
    "inner/src/lib.rs": "pub fn open() {}\n",
}


def list_rows(served: Served, tool: str, symbol: str) -> list[tuple[str, str, list[int]]]:
    rows = served.rows(tool, symbol=symbol)
    return [(row["name"], row["confidence"], row["reference_lines"]) for row in rows]


def test_types_of_go_implement_what_their_methods_satisfy(served: Served) -> None:
    assert list_rows(served, "get_implementations", "app.Render") == [("JSON", "exact", [5])]
    assert list_rows(served, "get_implementations", "app.Render.Render") == [("JSON.Render", "exact", [6])]


def test_calls_through_an_interface_of_go_reach_what_satisfies_it(served: Served) -> None:
    rows = served.rows("get_callers", symbol="app.JSON.Render")
    assert [(row["name"], row["confidence"]) for row in rows] == [("run", "possible")]
    assert served.rows("get_callers", symbol="app.Text.Render") == []
    names = [row["name"] for row in served.rows("get_callees", symbol="app.run")]
    assert names == ["Render.Render", "JSON.Render"]


def test_anonymous_classes_and_lambdas_of_java_implement_interfaces(served: Served) -> None:
    answer = served.call("get_implementations", symbol="a.Adapter")
    assert [(row["name"], row["confidence"]) for row in answer["result"]] == [
        ("Use.made.new Adapter", "exact"),
        ("Use.told", "possible"),
    ]
    assert list_rows(served, "get_implementations", "Adapter.read") == [
        ("Use.made.new Adapter.read", "exact", [4])
    ]


def test_fields_of_c_are_used_where_they_are_read_and_written(served: Served) -> None:
    assert list_rows(served, "get_references", "pool.own") == [("use", "exact", [3, 4])]
    assert list_rows(served, "get_references", "POOL_FIELDS.size") == [("use", "exact", [4, 5])]
    assert list_rows(served, "get_references", "POOL_FIELDS.left") == [("use", "exact", [5])]
    assert "warnings" not in served.call("get_references", symbol="pool.own")


def test_a_facade_of_rust_leads_to_the_crate(served: Served) -> None:
    assert list_rows(served, "get_callers", "inner/src/lib.rs:open") == [("main", "exact", [1])]


def test_twins_of_platforms_are_called_alike_and_so_is_their_prototype(served: Served) -> None:
    assert list_rows(served, "get_callers", "loop/unix/core.c:loop_run") == [("run", "probable", [2])]
    for path in ("loop/win/core.c", "loop/loop.h"):
        assert list_rows(served, "get_callers", f"{path}:loop_run") == [
            ("tty", "exact", [2]),
            ("run", "probable", [2]),
        ]


def test_a_type_is_surely_made_where_its_constructor_is_undecided(served: Served) -> None:
    for symbol, maker, line in (("Boxes.Box", "Use.Make", 6), ("Crate", "pack", 3)):
        for tool in ("get_callers", "get_references"):
            assert list_rows(served, tool, symbol) == [(maker, "exact", [line])]
    for line in (3, 4):
        assert list_rows(served, "get_callers", f"box/Box.cs:{line}") == [("Use.Make", "possible", [6])]


def test_a_class_that_has_what_an_interface_requires_may_implement_it(served: Served) -> None:
    answer = served.call("get_implementations", symbol="Closable")
    assert [(row["name"], row["confidence"]) for row in answer["result"]] == [("Lid", "possible")]
    assert (answer["total"], answer["possible"]) == (1, 1)
    assert "warnings" not in answer
    named = served.call("get_implementations", symbol="Open")
    assert [row["name"] for row in named["result"]] == ["Door"]
    assert "warnings" not in named


def test_an_interface_that_requires_no_method_is_not_asked_for_by_shape(served: Served) -> None:
    answer = served.call("get_implementations", symbol="Sized")
    assert answer["result"] == []
    assert "total" not in answer  # nobody knows
    assert answer["warnings"][0].startswith("Only what names this interface is listed")


def test_an_outline_says_a_name_once(served: Served) -> None:
    rows = {row["name"]: row for row in served.rows("get_file_outline", path="c/pool.h")}
    assert [*rows] == ["POOL_FIELDS", "size", "left", "pool", "own"]
    assert not any("qualified_name" in rows[name] for name in ("POOL_FIELDS", "size", "pool", "own"))


def test_what_a_method_assigns_is_in_its_type_by_an_outline(tmp_path: Path) -> None:
    text = "class Till:\n    def __init__(self):\n        self.open = True\n\n"
    text += "    def fill(self):\n        def count(): ...\n"
    with Served(write_tree(tmp_path / "r", {"shop/till.py": text}), tmp_path / "data") as served:
        rows = served.rows("get_file_outline", path="shop/till.py")
        reported = {row["name"]: row.get("qualified_name") for row in rows}
        assert reported.pop("Till") == "till.Till"
        assert reported == dict.fromkeys(("__init__", "open", "fill", "count"))


def test_a_prototype_stands_for_the_definitions_of_all_platforms(served: Served) -> None:
    answer = served.call("get_callers", symbol="loop_run")
    assert answer["symbol"]["file_path"] == "loop/loop.h"
    assert answer["symbol"]["definitions"] == ["loop/unix/core.c:2", "loop/win/core.c:2"]
    assert [row["name"] for row in answer["result"]] == ["tty", "run"]
    spans = served.rows("get_source_spans", symbol="loop_run")
    assert [(row["file_path"], row["is_primary"]) for row in spans] == [
        ("loop/loop.h", True),
        ("loop/unix/core.c", False),
        ("loop/win/core.c", False),
    ]


def test_an_answer_says_which_builds_have_the_variant_that_it_is_about(served: Served) -> None:
    answer = served.call("get_callers", symbol="lock.hold")
    assert answer["symbol"]["constraint"] == "linux"
    assert answer["symbol"]["definitions"] == ["lock/lock_js.go:5 (js && wasm)"]


def test_what_a_function_calls_is_asked_of_one_of_its_definitions(served: Served) -> None:
    for symbol in ("loop_run", "loop/loop.h:loop_run"):
        error = served.error("get_callees", symbol=symbol)
        assert [row["file_path"] for row in error["candidates"]] == ["loop/unix/core.c", "loop/win/core.c"]


def test_a_name_that_a_macro_may_rename_is_not_exact(served: Served) -> None:
    first = served.call("get_references", symbol="text/text.h:text")
    assert {(row["name"], row["confidence"]) for row in first["result"]} == {
        ("make", "exact"),
        ("plain", "exact"),
        ("tool", "possible"),
    }
    assert first["possible"] == 1
    rows = served.rows("get_references", symbol="text/main.c:unlink")
    assert [(row["confidence"], row["reference_lines"]) for row in rows] == [("possible", [5])]


def test_labels_and_patterns_of_swift_decide(served: Served) -> None:
    rows = served.rows("get_callees", symbol="Session.run")
    called = [(row["name"], row["line_start"], row["confidence"]) for row in rows]
    assert called == [("Session.request", 3, "exact")]
    assert list_rows(served, "get_references", "Session.url") == []
    assert list_rows(served, "get_references", "Reason.missing") == [("Session.run", "exact", [8])]


def test_an_attribute_of_csharp_is_no_class_of_its_short_name(served: Served) -> None:
    assert list_rows(served, "get_references", "JsonProperty") == []
    assert list_rows(served, "get_references", "JsonPropertyAttribute") == [("Row", "exact", [5])]


def test_what_a_block_declares_means_nothing_outside_of_it(served: Served) -> None:
    assert served.rows("get_file_outline", path="unit/checks.c") == []
    for start in (2, 6):
        found = list_rows(served, "get_references", f"unit/checks.ts:{start}")
        assert [row[1:] for row in found] == [("exact", [start + 1])]


def test_a_function_type_has_functions_in_place_of_implementations(tmp_path: Path) -> None:
    files = {
        "links.ts": "export type Link<T> = (given: T) => void;\nexport type Box = { open(): void };\n"
        "export const plain: Link<string> = (given) => {};\n"
        "export function make(): Link<number> {\n  return () => {};\n}\n"
        "export function take(link: Link<string>): void {}\nexport const all: Link<string>[] = [];\n",
        "test/links.test.ts": "import { Link } from '../links';\nconst tried: Link<string> = () => {};\n",
        "Sums.cs": "public delegate int Sum(int a);\nclass Q { Sum Make() { return null; } }\n"
        "public delegate int Idle();\n",
    }
    served = Served(write_tree(tmp_path / "r", files), tmp_path / "data")
    said = "{}, which nothing implements by name: these return it or are declared as it: {}."
    try:
        found = served.call("get_implementations", symbol="Link")
        named = "plain (links.ts:3), make (links.ts:4), tried (test/links.test.ts:2)"
        assert found["warnings"] == [f"This is {said.format('a function type', named)}"]
        found = served.call("get_implementations", symbol="Sum")
        assert found["warnings"] == [f"This is {said.format('a delegate', 'Q.Make (Sums.cs:2)')}"]
        found = served.call("get_implementations", symbol="Idle")
        assert found["warnings"][0].endswith("no function is known that returns it or is declared as it.")
        assert not served.call("get_implementations", symbol="Box").get("warnings")
    finally:
        served.close()
