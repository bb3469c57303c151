"""`repo.outline`: what of an outline is given, and what is left out first."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.config.server_config import Config, Limits, load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import Outline, Symbol
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.repository import Repository
from repo_mcp.toolsets.repo import build_toolset
from repo_mcp.toolsets.repo.outline_calls import shorten_signature
from tests.repo_mcp.lean_answers import read_answer


class StandIn:
    """Gives the outline that it was given."""

    adapters = ("python",)
    warnings: tuple[str, ...] = ()

    def __init__(self, *symbols: Symbol, limits: Limits | None = None, **fields: Any) -> None:
        self.config = replace(Config(root="/srv/code"), limits=limits or Limits())
        self.given = replace(Outline("a.py", "python", symbols, "ast"), **fields)
        self.asked: list[str] = []

    def outline(self, path: str) -> Outline:
        self.asked.append(path)
        if path == "no.py":
            raise RepoError(ErrorCode.NOT_FOUND, "There is no file.")
        return self.given


def call(repository: StandIn, **arguments: Any) -> dict[str, Any]:
    toolset = build_toolset(cast(Any, repository))
    tool = next(tool for tool in toolset.tools if tool.name == "repo.outline")
    answer = tool.call(arguments, CallContext(lambda: False))
    envelope = json.loads(answer.text)
    assert answer.is_error == (not envelope["ok"])
    read_answer(tool.output_schema, envelope)
    return cast(dict[str, Any], envelope)


def symbol(kind: str, name: str, line: int, parent: str | None = None) -> Symbol:
    return Symbol(kind, name, f"def {name}()", line, line, None, parent, "module", False, None)


TREE = (
    symbol("class", "A", 1),
    symbol("method", "m", 2, "A"),
    symbol("function", "inner", 3, "A.m"),
    symbol("class", "B", 4),
    symbol("method", "n", 5, "B"),
)


def rows(envelope: dict[str, Any]) -> list[Any]:
    return cast(list[Any], envelope["result"]["symbols"])


def names(envelope: dict[str, Any]) -> list[str]:
    return [one["name"] for one in rows(envelope)]


ONE = Symbol("method", "m", "@cached def m(self) -> int", 3, 9, "Does.", "A", "class", True, "if x")
LEAN = {
    "kind": "method",
    "name": "m",
    "signature": "@cached () -> int",
    "start_line": 3,
    "end_line": 9,
    "parent_symbol": "A",
    "is_conditional": True,
    "decl_context": "if x",
}


def test_a_symbol_has_the_fields_that_say_something() -> None:
    envelope = call(StandIn(ONE), path="./a.py")
    assert envelope["result"]["symbols"] == [LEAN]
    assert envelope["result"]["path"] == "a.py"
    assert envelope["result"]["language"] == "python"
    assert envelope["warnings"] == []
    plain = call(StandIn(symbol("function", "f", 1)), path="a.py")["result"]["symbols"]
    assert plain == [{"kind": "function", "name": "f", "signature": "()", "start_line": 1, "end_line": 1}]


@pytest.mark.parametrize(
    ("kind", "signature", "short"),
    [
        ("method", "def f(self, a=(1, 2))", "(a=(1, 2))"),
        ("method", "@classmethod def f(cls)", "@classmethod ()"),
        ("property", "@property def f(self) -> int", "@property () -> int"),
        ("method", "def f(selfish, cls)", "(selfish, cls)"),
        ("function", "def f(self, a)", "(self, a)"),
    ],
)
def test_a_method_in_python_does_not_name_its_receiver(kind: str, signature: str, short: str) -> None:
    one = Symbol(kind, "f", signature, 1, 1)
    assert [row["signature"] for row in rows(call(StandIn(one), path="a.py"))] == [short]
    rust = call(StandIn(one, language="rust"), path="a.rs")
    assert [row["signature"] for row in rows(rust)] == [shorten_signature(one)]


def read_parents(found: list[Any]) -> list[str | None]:
    """Return the parents of records as the output schema says that they are read."""
    read: list[tuple[str, int, int]] = []
    parents: list[str | None] = []
    for row in found:
        first, last = row["start_line"], row["end_line"]
        above = [
            name for name, start, end in read if start <= first and last <= end and end - start > last - first
        ]
        parents.append(row.get("parent_symbol", above[-1] if above else None))
        read.append((row["name"] if parents[-1] is None else f"{parents[-1]}.{row['name']}", first, last))
    return parents


ODD = {
    "odd.py": "class A: x = 1; y = 2\nclass B:\n    class C:\n        def m(self): pass\n    def n(self):\n"
    "        def inner(): pass\n    a = b = 1\n\nX = Y = (\n  1)\n\n\ndef f(): pass\n",
    "odd.cpp": "struct S {\n  int a;\n  void n() {\n  }\n};\nvoid S::m() {\n  n();\n}\n",
    "odd.md": "# A\n\n## B\n\n### C\n\n## D\n\n# E\n",
    "odd.ts": "export class A {\n  b = 1;\n  c() {\n    const d = 2;\n  }\n}\nnamespace N {}\n",
}


@pytest.mark.parametrize("path", ODD)
def test_parents_that_are_left_out_are_those_that_the_lines_tell(tmp_path: Path, path: str) -> None:
    (tmp_path / path).write_text(ODD[path])
    with closing(Repository(load_config(str(tmp_path)))) as repository:
        listed = rows(call(cast(Any, repository), path=path))
        whole = rows(call(cast(Any, repository), path=path, detail="full"))
    assert read_parents(listed) == [row.get("parent_symbol") for row in whole]
    told_by_lines = [row for row in listed if "parent_symbol" not in row]
    assert len(told_by_lines) > len(listed) / 2
    assert any(read_parents(listed))


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 4), st.sampled_from([None, "a", "a.b", "b"]))))
def test_any_parents_can_be_read(drawn: list[tuple[int, int, str | None]]) -> None:
    symbols = [
        Symbol("class", "ab"[number % 2], "class", first, first + more, None, parent)
        for number, (first, more, parent) in enumerate(sorted(drawn, key=lambda one: one[0]))
    ]
    listed = rows(call(StandIn(*symbols), path="a.py"))
    assert read_parents(listed) == [one.parent_symbol for one in symbols]


def test_namespaces_of_cpp_are_in_no_name_and_no_record_says_so() -> None:
    symbols = Symbol("module", "n", "namespace n", 1, 9), Symbol("class", "A", "class A", 2, 8)
    listed = rows(call(StandIn(*symbols, language="cpp"), path="a.cc"))
    assert not any("parent_symbol" in row for row in listed)


SHORT = (
    symbol("enum", "E", 1),
    Symbol("enum_member", "A", "A = 1", 2, 2, None, "E", "class"),
    Symbol("enum_member", "B", "B(x) {", 3, 5, None, "E", "class"),
    Symbol("property", "c", "int c", 6, 6, None, "E", "class"),
    Symbol("property", "d", "int d", 7, 9, None, "E", "class"),
    Symbol("property", "e", "int e", 10, 10),
)


def test_short_members_are_named_in_the_record_of_their_type() -> None:
    envelope = call(StandIn(*SHORT, language="java"), path="a.java")
    assert names(envelope) == ["E", "d", "e"]
    assert [row.get("members") for row in rows(envelope)] == ["A, B, c", None, None]
    lines = rows(call(StandIn(*SHORT), path="a.py", detail="text"))
    assert lines == ["1 def E() { A, B, c }", "7-9   int d", "10 int e"]
    whole = rows(call(StandIn(*SHORT), path="a.py", detail="full"))
    assert [row.get("members") for row in whole] == ["A, B, c", None, None]


def test_short_members_that_are_asked_for_have_records() -> None:
    repository = StandIn(*SHORT)
    assert names(call(repository, path="a.py", parent="E")) == ["A", "B", "c", "d"]
    assert names(call(repository, path="a.py", kinds=["enum_member"])) == ["A", "B"]
    listed = call(repository, path="a.py", kinds=["enum", "property"])
    assert names(listed) == ["E", "c", "d", "e"]
    assert "members" not in rows(listed)[0]


def test_of_many_members_the_first_are_named() -> None:
    values = [
        Symbol("enum_member", f"Value{one}", "", one + 2, one + 2, None, "E", "class") for one in range(900)
    ]
    members = rows(call(StandIn(symbol("enum", "E", 1), *values), path="a.py"))[0]["members"]
    assert members.startswith("Value0, Value1, Value2, ")
    assert len(members) <= 1_020
    count = members.count(", ") + 1
    assert members.endswith(f", Value{count - 1} and {900 - count} more")


def test_a_member_that_no_line_pattern_sees_is_listed_and_opened(tmp_path: Path) -> None:
    (tmp_path / "a.swift").write_text(
        "struct A {\n  let b: Int\n\n  init(b: Int) {\n    self.b = b\n  }\n}\n"
    )
    with closing(Repository(load_config(str(tmp_path)))) as repository:
        listed = rows(call(cast(Any, repository), path="a.swift", detail="text"))
        assert listed == ["1-7 struct A { b }", "4-6   init(b: Int)"]
        opened = repository.open_file("a.swift", None, None, symbol="A.init")
        assert (opened.start_line, opened.end_line, opened.symbol) == (4, 6, "A.init")
        with pytest.raises(RepoError) as error:
            repository.open_file("a.swift", None, None, symbol="A.inti")
        assert error.value.hint == "Similar names: A.init."


def test_what_a_struct_of_go_embeds_is_marked_and_its_methods_stand_at_one_depth(tmp_path: Path) -> None:
    text = (
        'package a\n\nfunc (b *Box) Early() {}\n\ntype Box struct {\n\tsync.RWMutex\n\t*Inner `json:"in"`\n'
        "\tOther *Other\n}\n\nfunc (b *Box) Late() {}\n\nconst (\n\tOne = 1\n)\n"
    )
    (tmp_path / "a.go").write_text(text)
    with closing(Repository(load_config(str(tmp_path)))) as repository:
        assert rows(call(cast(Any, repository), path="a.go", detail="text")) == [
            "3   func (b *Box) Early() {}",
            "5-9 type Box struct { +sync.RWMutex, +Inner, Other }",
            "11   func (b *Box) Late() {}",
            "14 const One = 1",
        ]


def test_docs_are_given_on_request() -> None:
    assert rows(call(StandIn(ONE), path="a.py", docs=True)) == [LEAN | {"doc": "Does."}]
    lines = rows(call(StandIn(ONE), path="a.py", docs=True, detail="text"))
    assert lines == ["3-9   @cached def m(self) -> int  # Does."]


def test_members_of_an_impl_stand_below_it(tmp_path: Path) -> None:
    text = (
        "impl Draw for Arc<Circle> {\n    fn draw(&self) {}\n}\nimpl<T> Unpin for Pair<T> {}\n"
        "#[cfg(test)]\nfn open() {}\n#[cfg(not(test))]\nfn open() {}\n#[cfg(test)]\nfn shut() {}\n"
    )
    (tmp_path / "a.rs").write_text(text)
    with closing(Repository(load_config(str(tmp_path)))) as repository:
        lines = rows(call(cast(Any, repository), path="a.rs", detail="text"))
        listed = rows(call(cast(Any, repository), path="a.rs"))
    assert lines == [
        "1-3 impl Draw for Arc<Circle>",
        "2   fn draw(&self) {}",
        "4 impl<T> Unpin for Pair<T>",
        "5-6 fn open() {} [cfg(test)]",
        "7-8 fn open() {} [cfg(not(test))]",
        "9-10 fn shut() {}",
    ]
    assert [(one["kind"], one.get("parent_symbol")) for one in listed[:2]] == [
        ("impl", None),
        ("method", "Arc"),
    ]
    assert listed[-1]["decl_context"] == "cfg(test)"


def test_in_full_every_field_is_given() -> None:
    whole = {"signature": "@cached def m(self) -> int", "doc": "Does.", "scope_kind": "class"}
    assert rows(call(StandIn(ONE), path="a.py", detail="full")) == [LEAN | whole]


@pytest.mark.parametrize(
    ("name", "signature", "short"),
    [
        ("f", "async def f(a: int) -> str", "(a: int) -> str"),
        ("f", "@f def f()", "@f ()"),
        ("f", "@a(x) @f.setter async def f(self)", "@a(x) @f.setter (self)"),
        ("type", "type = 3", "= 3"),
        ("A", "class A(Base, metaclass=M)", "(Base, metaclass=M)"),
        ("A", "class A", ""),
        ("Pair", "type Pair[T] = tuple[T, T]", "[T] = tuple[T, T]"),
        ("LIMIT", "LIMIT: int = 3", ": int = 3"),
        ("x", "x = y", "= y"),
        ("go", "fn go(a: u8)", "(a: u8)"),
        ("go", "pub fn go(a: u8)", "pub fn go(a: u8)"),
        ("main", "static int main(void)", "static int main(void)"),
        ("f", "def ff()", "def ff()"),
        ("a.b", "a.b: 1", ": 1"),
        ("it opens", 'test "it opens"', ""),
        ("load", "task load: :all", ": :all"),
        ("db:load", 'task "db:load" => :all', "=> :all"),
        ("db", "namespace :db", ""),
    ],
)
def test_a_signature_does_not_repeat_the_name_and_the_kind(name: str, signature: str, short: str) -> None:
    assert shorten_signature(Symbol("x", name, signature, 1, 1)) == short


def test_text_is_a_line_for_each_declaration() -> None:
    envelope = call(StandIn(*TREE), path="a.py", detail="text")
    assert rows(envelope) == ["1 def A()", "2   def m()", "3     def inner()", "4 def B()", "5   def n()"]
    only = call(StandIn(*TREE), path="a.py", detail="text", kinds=["function"])
    assert rows(only) == ["1 def A()", "2   def m()", "3     def inner()"]  # with what is around it


def test_the_members_of_a_parent() -> None:
    repository = StandIn(*TREE)
    assert names(call(repository, path="a.py", parent="A")) == ["m", "inner"]
    assert names(call(repository, path="a.py", parent="A", max_depth=1)) == ["m"]
    assert names(call(repository, path="a.py", parent="m")) == ["inner"]
    assert rows(call(repository, path="a.py", parent="A.m", detail="text")) == [
        "1 def A()",
        "2 def m()",
        "3   def inner()",
    ]
    empty = call(repository, path="a.py", parent="B.n")
    nothing = "The outline has no members of B.n; it may leave out fields, cases and the like."
    assert (names(empty), empty["warnings"]) == ([], [nothing])
    missing = call(repository, path="a.py", parent="N")["error"]
    assert (missing["code"], missing["message"]) == ("not_found", 'The file declares no "N".')
    close = call(repository, path="a.py", parent="iner")["error"]
    assert close["hint"] == "Similar names: A.m.inner."


def test_depth_and_kinds_choose() -> None:
    repository = StandIn(*TREE)
    assert names(call(repository, path="a.py")) == ["A", "m", "inner", "B", "n"]
    assert names(call(repository, path="a.py", max_depth=1)) == ["A", "B"]
    assert names(call(repository, path="a.py", max_depth=2)) == ["A", "m", "B", "n"]
    assert names(call(repository, path="a.py", kinds=["method", "function"])) == ["m", "inner", "n"]
    assert names(call(repository, path="a.py", kinds=["function"], max_depth=2)) == []
    assert repository.asked == ["a.py"] * 5


def test_kinds_may_be_those_of_the_graph() -> None:
    repository = StandIn(symbol("type_alias", "Made", 1), symbol("method", "__init__", 2))
    assert names(call(repository, path="a.py", kinds=["type"])) == ["Made"]
    assert names(call(repository, path="a.py", kinds=["constructor"])) == ["__init__"]


def test_a_choice_that_leaves_nothing_says_what_there_is() -> None:
    envelope = call(StandIn(*TREE), path="a.py", kinds=["heading"])
    assert envelope["warnings"] == [
        "Nothing in this file is of these kinds and depths; its kinds are: class, function, method."
    ]
    assert not envelope["result"].get("truncated")


def build_classes(number: int) -> list[Symbol]:
    tops = [symbol("class", f"Class{one}", 3 * one + 1) for one in range(number)]
    inner = [symbol("method", "m", one.start_line + 1, one.name) for one in tops]
    return sorted((*tops, *inner), key=lambda one: one.start_line)


@pytest.mark.parametrize("detail", ["symbols", "text", "full"])
def test_no_page_is_a_dead_end(detail: str) -> None:
    symbols = build_classes(1_500)
    repository = StandIn(*symbols)
    found: list[Any] = []
    arguments: dict[str, Any] = {"path": "a.py", "detail": detail}
    while True:
        envelope = call(repository, **arguments)
        assert len(json.dumps(envelope, separators=(",", ":"), ensure_ascii=False).encode()) <= 65_536
        page = rows(envelope)
        lines = [read_line(row) for row in page]
        assert page
        assert lines == sorted(lines)
        found += page
        if not envelope["result"].get("cursor"):
            break
        assert envelope["result"]["truncated"]
        assert f" of {len(symbols)} symbols, the most nested left out first" in envelope["warnings"][0]
        arguments["cursor"] = envelope["result"]["cursor"]
    assert not envelope["result"].get("truncated")
    assert {read_line(row) for row in found} == {one.start_line for one in symbols}
    if detail != "text":  # a line of a later page follows what is around it, which stood on an earlier one
        assert len(found) == len(symbols)
        kinds = [row["kind"] for row in found]
        assert kinds[:500] == ["class"] * 500


def read_line(row: Any) -> int:
    return int(row.split(" ")[0]) if isinstance(row, str) else int(row["start_line"])


@pytest.mark.parametrize("cursor", ["", "5", "5-00000000", "-1-00000000", "x" * 65])
def test_a_foreign_cursor_is_refused(cursor: str) -> None:
    error = call(StandIn(*TREE), path="a.py", cursor=cursor)["error"]
    assert error["code"] == "invalid_argument"
    assert "cursor" in error["message"]


def test_a_cursor_belongs_to_the_file_and_the_arguments() -> None:
    symbols = build_classes(1_500)
    cursor = call(StandIn(*symbols), path="a.py")["result"]["cursor"]
    assert "error" not in call(StandIn(*symbols), path="a.py", cursor=cursor)
    assert "error" not in call(StandIn(*symbols), path="a.py", cursor=cursor, detail="text", docs=True)
    lower = [replace(one, start_line=one.start_line + 9, end_line=one.end_line + 9) for one in symbols]
    assert "error" not in call(StandIn(*lower), path="a.py", cursor=cursor)  # an edit above changes nothing
    for repository, arguments, said in (
        (StandIn(*symbols[1:]), {}, "what was listed before it has changed"),
        (StandIn(*symbols[:9]), {}, "what was listed before it has changed"),
        (StandIn(*symbols), {"kinds": ["class"]}, "belongs to another call"),
    ):
        error = call(repository, path="a.py", cursor=cursor, **arguments)["error"]
        assert said in error["message"]


def test_two_thousand_declarations_are_one_answer_as_lines() -> None:
    symbols = [symbol("function", f"function{number}", number) for number in range(1, 2_001)]
    assert len(rows(call(StandIn(*symbols), path="a.py", detail="text"))) == 2_000


def test_an_outline_that_is_itself_cut_says_so() -> None:
    envelope = call(StandIn(*TREE, truncated=True, warnings=("only the first 5",)), path="a.py")
    assert envelope["result"]["truncated"]
    assert envelope["warnings"] == ["only the first 5"]


def test_what_could_hide_is_escaped() -> None:
    hiding = Symbol("class\u202e", "a\u200b", "x\x1b[0m", 1, 1, "\u2066", "\x00", None, None, "\x07")
    row = call(StandIn(hiding), path="a.py", docs=True)["result"]["symbols"][0]
    assert row["name"] == "a\\u200b"
    assert row["signature"] == "x\\u001b[0m"
    assert (row["kind"], row["doc"], row["decl_context"]) == ("class\\u202e", "\\u2066", "\\u0007")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({}, "path"),
        ({"path": ""}, "path"),
        ({"path": "a", "max_depth": 0}, "max_depth"),
        ({"path": "a", "max_depth": True}, "max_depth"),
        ({"path": "a", "kinds": 5}, "kinds"),
        ({"path": "a", "kinds": [1]}, "kinds[0]"),
        ({"path": "a", "kinds": ["x"] * 33}, "kinds"),
        ({"path": "a", "width": 1}, "width"),
        ({"path": "a", "detail": "short"}, "detail"),
        ({"path": "a", "parent": ""}, "parent"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], word: str) -> None:
    envelope = call(StandIn(*TREE), **arguments)
    assert envelope["error"]["code"] == "invalid_argument"
    assert word in envelope["error"]["message"]


def test_failures_are_envelopes() -> None:
    assert call(StandIn(), path="no.py")["error"]["code"] == "not_found"
