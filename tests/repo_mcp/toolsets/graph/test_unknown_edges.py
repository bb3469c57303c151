"""What the edge tools say of edges that they do not know, and why there may be some."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.toolsets.graph import handed_values
from tests.repo_mcp.toolsets.graph.graph_roots import Served
from tests.written_trees import write_tree

USERS_OF_FILES = [  # a tree, a file in it, and the symbols that depend on that file
    (
        {"a.cs": "class A { int one; A() { A a = this; } }\n", "b.cs": "class B { A a; }\n"},
        "a.cs",
        {("references", "B")},
    ),
    (
        {
            "n/A.java": "package n;\npublic class A { public static void run() {} }\n",
            "n/Near.java": "package n;\nclass Near { A a; }\n",
            "Far.java": "import n.A;\nclass Far { void go() { A.run(); } }\n",
            "Other.java": "class Other { void run() {} void go() { run(); } }\n",
        },
        "n/A.java",
        {
            ("references", "Near.a"),
            ("references", "Far.go"),
            ("imports", "Far.java"),
            ("calls", "Far.go"),
        },
    ),
    (
        {
            "go.mod": "module example.org/m\n",
            "m.go": "package m\n\nfunc Open() {}\n",
            "more.go": "package m\n\nfunc again() { Open() }\n",
            "cmd/main.go": 'package main\n\nimport "example.org/m"\n\nfunc main() { m.Open() }\n',
        },
        "m.go",
        {("calls", "again"), ("calls", "main"), ("imports", "main")},
    ),
    (
        {"a.swift": "struct A {}\n", "b.swift": "func b() { let a = A() }\n"},
        "a.swift",
        {("calls", "b")},
    ),
]


@pytest.mark.parametrize(("texts", "path", "wanted"), USERS_OF_FILES, ids=["csharp", "java", "go", "swift"])
def test_what_uses_its_declarations_depends_on_a_file_that_no_other_names(
    tmp_path: Path, texts: dict[str, str], path: str, wanted: set[tuple[str, str]]
) -> None:
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        answer = served.call("get_dependents", symbol=path)
        callers = served.call("get_callers", symbol=path)
    found = {(row.get("edge_type", "calls"), row["name"]) for row in answer["result"]}
    assert found == wanted
    assert answer["total"] == len(wanted)
    assert "warnings" not in answer
    assert {("calls", row["name"]) for row in callers["result"]} == {
        one for one in wanted if one[0] == "calls"
    }


@pytest.mark.parametrize(
    ("tool", "symbol", "said"),
    [
        (
            "get_callers",
            "Runner",
            "This is an interface, which nothing calls: get_references lists what uses it.",
        ),
        (
            "get_callees",
            "Runner",
            "This is an interface, which calls nothing itself: "
            "get_dependencies lists what it uses and contains.",
        ),
        (
            "get_implementations",
            "make",
            "Only a type, or a member of one, has implementations: this is a function.",
        ),
        ("get_callers", "make", None),
        ("get_callers", "a.go", "This is a file, which nothing calls: get_references lists what uses it."),
    ],
)
def test_an_empty_answer_says_why_a_kind_has_no_edges(
    tmp_path: Path, tool: str, symbol: str, said: str | None
) -> None:
    text = "package a\n\ntype Runner interface { Run() }\n\nfunc make() {}\n"
    with Served(write_tree(tmp_path / "r", {"a.go": text}), tmp_path / "data") as served:
        answer = served.call(tool, symbol=symbol)
    assert answer["result"] == []
    assert answer.get("warnings", [None])[0] == said


@pytest.mark.parametrize(
    ("path", "text", "callers"),
    [
        (
            "a.rs",
            "pub struct Shop;\nimpl Shop { pub fn open() -> Shop { Shop } }\n"
            "fn run() { let each = Shop::open(); each.go(); given().each(1); }\n",
            ["run"],
        ),
        (
            "a.py",
            "class Shop:\n    def open(self):\n        return Shop()\n\n\n"
            "def run(shop: Shop, all):\n    each = shop.open()\n    each.go()\n    all.each(1)\n",
            ["run"],
        ),
    ],
)
def test_a_variable_that_holds_what_a_function_returns_is_no_name_of_it(
    tmp_path: Path, path: str, text: str, callers: list[str]
) -> None:
    with Served(write_tree(tmp_path / "r", {path: text}), tmp_path / "data") as served:
        answer = served.call("get_callers", symbol="open")
    assert [row["name"] for row in answer["result"]] == callers
    assert answer["unresolved"] == 0


def test_a_member_named_like_a_parameter_of_a_callback_is_no_call_of_it(tmp_path: Path) -> None:
    text = """
class Registry { register(given) {} }
hook.intercept({ register: (tap) => { tap.run(); other.hooks.tap(1); } });
"""
    with Served(write_tree(tmp_path / "r", {"a.js": text}), tmp_path / "data") as served:
        answer = served.call("get_callers", symbol="Registry.register")
    assert (answer["result"], answer["unresolved"]) == ([], 0)


HANDED_ON = {
    "table.go": "package a\n\nvar table = []func(){stop, once}\n\nfunc start() { use(stop); once() }\n",
    "a.go": "package a\n\nfunc stop() {}\n\nfunc once() {}\n\nfunc use(f func()) { f() }\n",
}


@pytest.mark.parametrize(
    ("symbol", "callers", "said"),
    [
        (
            "stop",
            [],
            "2 places use it without a call: table.go:3 `var table = []func(){stop, once}`;"
            " table.go:5 `func start() { use(stop); once() }`.",
        ),
        (
            "once",
            ["start"],
            "One place uses it without a call: table.go:3 `var table = []func(){stop, once}`.",
        ),
        ("use", ["start"], None),
    ],
)
def test_callers_name_the_places_that_hand_a_function_on(
    tmp_path: Path, symbol: str, callers: list[str], said: str | None
) -> None:
    with Served(write_tree(tmp_path / "r", HANDED_ON), tmp_path / "data") as served:
        answer = served.call("get_callers", symbol=symbol)
    assert [row["name"] for row in answer["result"]] == callers
    assert answer.get("warnings", [None])[0] == said


HANDED_OUT = {
    "rules.ts": """\
class Rules {
  can = (one: string) => true;
  cannot() { return false; }
}
const rules = new Rules();
export const { can } = rules;
export const refuse = rules.cannot;
""",
    "use.ts": """\
import { can, refuse } from "./rules";
export function one() { return can("a") && can("b") && refuse(); }
export const Page = lazy(() => import("./page"));
export const other = Page.preload();
""",
    "page.ts": "export default function Page() { return 1; }\n",
}


@pytest.mark.parametrize(
    ("symbol", "said"),
    [
        ("Rules.can", "Handed out as can (rules.ts:6), which one line uses"),
        ("Rules.cannot", "Handed out as refuse (rules.ts:7), which one line uses"),
        ("page.ts:Page", "Handed out as Page (use.ts:3), which one line uses"),
    ],
)
def test_callers_name_the_variable_under_which_others_call_a_function(
    tmp_path: Path, symbol: str, said: str
) -> None:
    with Served(write_tree(tmp_path / "r", HANDED_OUT), tmp_path / "data") as served:
        answer = served.call("get_callers", symbol=symbol)
    assert answer["warnings"] == [f"{said}: ask for the callers of that as well."]


def test_a_function_used_too_often_is_not_looked_for_as_a_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handed_values, "MOST_SOUGHT", 1)
    with Served(write_tree(tmp_path / "r", HANDED_ON), tmp_path / "data") as served:
        answer = served.call("get_callers", symbol="stop")
    assert "warnings" not in answer


def test_a_kind_that_is_not_tracked_has_no_total(tmp_path: Path) -> None:
    text = "namespace p { int x; }\nint g() { return 1; }\nint f() { return p::x + g(); }\n"
    served = Served(write_tree(tmp_path / "r", {"a.cpp": text}), tmp_path / "data")
    said = "Uses of a module are not recorded for cpp: there may be users that are not listed."
    try:
        for tool in ("get_callers", "get_references"):
            answer = served.call(tool, symbol="p")
            assert (answer["result"], answer["warnings"]) == ([], [said])
            assert "total" not in answer
        symbol = served.call("get_symbol", symbol="p")
        assert symbol["warnings"] == [said]
        assert "reference_count" not in symbol
        assert served.call("get_callers", symbol="g")["total"] == 1
        assert "warnings" not in served.call("get_callers", symbol="f")
        assert served.call("get_callers", symbol="f")["total"] == 0
    finally:
        served.close()
