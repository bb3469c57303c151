"""Nodes: ids that outlive edits, qualified names, and finding the one by the other."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.live_graph import RESOLVERS
from repo_mcp.graph.nodes import MAX_DEPTH, Node, ProgramNodes, list_names, normalise_name
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import SymbolFilter
from repo_mcp.symbols.record_builder import SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import SymbolKind, decode_symbol_record
from tests.deep.sizes import choose, examples
from tests.growth import assert_linear
from tests.repo_mcp.graph.memory_index import MemoryIndex, make_graph

TEXT = "class A:\n    def f(self): ...\n\n    def f(self, x): ...\n\n\ndef f(): ...\n\n\nA = A\n"


def list_nodes(text: str, path: str = "pkg/a.py") -> list[Node]:
    program = ProgramNodes(MemoryIndex({path: text}))
    return [program.get(one) for one in [Declaration(path, 0), *program.list_file(path)]]


def test_an_id_is_24_digits_and_each_symbol_has_its_own() -> None:
    ids = [node.node_id for node in list_nodes(TEXT)]
    assert all(re.fullmatch("[0-9a-f]{24}", one) for one in ids)
    assert len(set(ids)) == len(ids) == 6
    assert len({one[:8] for one in ids}) == 1


def test_ids_are_fixed() -> None:
    """Clients keep them: another id for the same symbol is another format."""
    ids = {(node.qualified_name, node.kind): node.node_id for node in list_nodes(TEXT)}
    assert ids["pkg/a.py", "file"] == "a10c9a33eac4308e087b3a8b"
    assert ids["a.A", "class"] == "a10c9a338a8df63fa94bb2cd"
    assert ids["a.A", "constant"] == "a10c9a332866e79a6df2202c"


def test_edits_above_and_inside_change_no_id() -> None:
    edited = "import os\n\nX = 1\n\n" + TEXT.replace("def f(self): ...", "def f(self):\n        return os")
    before = {(node.qualified_name, node.symbol.parameters): node.node_id for node in list_nodes(TEXT)}
    after = {(node.qualified_name, node.symbol.parameters): node.node_id for node in list_nodes(edited)}
    assert {name: after[name] for name in before} == before


def test_path_name_kind_and_ordinal_are_what_an_id_is_of() -> None:
    def find(text: str, path: str = "pkg/a.py", ordinal: int = 1) -> str:
        return list_nodes(text, path)[ordinal].node_id

    plain = find("def f(): ...\n")
    assert find("def g(): ...\n") != plain
    assert find("def f(): ...\n", "pkg/b.py") != plain
    assert find("class f: ...\n") != plain
    assert find("def f(x, y): return x\n") == plain
    assert find("def f(): ...\n\ndef f(): ...\n", ordinal=2) != plain


@pytest.mark.sized
def test_the_nodes_of_a_file_with_very_many_symbols_take_a_moment() -> None:
    """All of one name: where each is compared with those before it the time is quadratic."""

    def prepare(count: int) -> MemoryIndex:
        builder = SymbolRecordBuilder("a.py", count)
        for line in range(1, count + 1):
            builder.add_symbol("same", SymbolKind.FUNCTION, 0, line, line)
        index = MemoryIndex({"a.py": ""})
        index._structures["a.py"] = decode_symbol_record(builder.encode())
        return index

    assert_linear(prepare, lambda index: ProgramNodes(index).list_nodes("a.py"), 2_000)
    count = choose(8_000, 40_000)
    index = prepare(count)
    nodes = ProgramNodes(index).list_nodes("a.py")
    assert len({node.node_id for node in nodes}) == count
    program = ProgramNodes(index)
    some = [1, 2, 30, 31, 32, 33, 34, count]
    assert [program.get(Declaration("a.py", ordinal)).node_id for ordinal in some] == [
        nodes[ordinal - 1].node_id for ordinal in some
    ]


def test_an_id_leads_back_to_its_symbol() -> None:
    texts = {f"d{number}/a.py": f"class A{number}:\n    def f(self): ...\n" for number in range(50)}
    program = ProgramNodes(MemoryIndex(texts))
    for path in texts:
        for declaration in program.list_file(path):
            node = program.get(declaration)
            assert program.find(node.node_id) == declaration
            assert program.find_paths(node.node_id) == [path]
            assert program.find(node.node_id[:-1] + ("0" if node.node_id[-1] != "0" else "1")) is None


@given(st.text(max_size=30))
@settings(max_examples=examples(200))
def test_no_text_is_an_id_by_accident(text: str) -> None:
    assert ProgramNodes(MemoryIndex({"a.py": TEXT})).find(text) is None


def test_a_declaration_that_is_not_there_is_refused() -> None:
    program = ProgramNodes(MemoryIndex({"a.py": "x = 1\n"}))
    for declaration in (Declaration("a.py", 9), Declaration("b.py", 0)):
        with pytest.raises(KeyError):
            program.get(declaration)
        with pytest.raises(KeyError):
            program.name(declaration)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("pkg/mod.py", "pkg.mod.C.f"),
        ("pkg/__init__.py", "pkg.C.f"),
        ("top.py", "top.C.f"),
        ("a b/mod.py", "mod.C.f"),
    ],
)
def test_a_python_name_begins_with_its_module(path: str, name: str) -> None:
    package = {"pkg/__init__.py": ""} if path.startswith("pkg/mod") else {}
    program = ProgramNodes(MemoryIndex({**package, path: "class C:\n    def f(self): ...\n"}))
    assert program.get(Declaration(path, 2)).qualified_name == name


def test_names_of_other_languages_are_those_inside_the_file() -> None:
    program = ProgramNodes(MemoryIndex({"src/a.ts": "export class C {\n  f() {}\n}\n"}))
    assert [program.get(one).qualified_name for one in program.list_file("src/a.ts")] == ["C", "C.f"]


@pytest.mark.parametrize(
    "text", ["a.b.c", "a::b::c", "a#b.c", "a/b/c", "a->b.c", " a.b.c ", ".a.b.c.", "a\\b\\c"]
)
def test_a_name_may_be_written_as_in_any_language(text: str) -> None:
    assert normalise_name(text) == "a.b.c"


def test_names_stop_growing_with_depth() -> None:
    builder = SymbolRecordBuilder("a", 1)
    parent = 0
    for _ in range(5_000):
        parent = builder.add_symbol("n", SymbolKind.FUNCTION, parent, 1, 1)
    names = list_names(decode_symbol_record(builder.encode()))
    assert max(map(len, names)) < 2 * MAX_DEPTH + 2


# Looking symbols up by their qualified names


def look_up(texts: dict[str, str], name: str, **scope: str) -> tuple[list[str], str]:
    nodes, match, _ = make_graph(texts).look_up(name, SymbolFilter(**scope))
    return [f"{node.path}:{node.symbol.start_line}" for node in nodes], match.name


def test_a_namespace_with_dots_in_its_name_is_found() -> None:
    texts = {
        "a.cs": "namespace A.B.C;\nclass D { void E() { } }\n",
        "b.cs": "namespace A { namespace B.C { } }\n",
    }
    assert look_up(texts, "A.B.C") == (["a.cs:1", "b.cs:1"], "EXACT")
    assert look_up(texts, "A.B.C.D.E") == (["a.cs:2"], "EXACT")
    assert look_up(texts, "C.D") == (["a.cs:2"], "ENDING")


def test_of_very_many_namesakes_those_are_looked_at_that_stand_in_what_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("repo_mcp.graph.lookup.qualified_names.MAX_LOOKED_UP", 2)
    monkeypatch.setattr("repo_mcp.graph.lookup.qualified_names.FEW_FILES", 2)
    texts = {f"m{number}.py": f"class C{number}:\n    def run(self): ...\n" for number in range(9)}
    texts["z.py"] = "def run(): ...\n"
    assert look_up(texts, "m7.C7.run") == (["m7.py:2"], "EXACT")
    assert look_up(texts, "C8.run") == (["m8.py:2"], "ENDING")
    assert look_up(texts, "z.run") == (["z.py:1"], "EXACT")


def test_a_name_without_the_module_in_between_is_found_when_nothing_else_has_it() -> None:
    texts = {
        "pkg/__init__.py": "from pkg.app import App\n",
        "pkg/app.py": "class App:\n    def run(self): ...\n",
        "other.py": "class App: ...\n",
    }
    assert look_up(texts, "pkg.App") == (["pkg/app.py:1"], "IN_ORDER")
    assert look_up(texts, "pkg.App.run") == (["pkg/app.py:2"], "IN_ORDER")
    assert look_up(texts, "App") == (["other.py:1", "pkg/app.py:1"], "ENDING")
    assert look_up(texts, "App.pkg") == ([], "EXACT")
    assert look_up(texts, "app.pkg.App") == ([], "EXACT")


def test_a_file_is_found_by_its_path_once() -> None:
    texts = {"pkg/app.py": "x = 1\n", "other/app.py": "x = 1\n"}
    assert look_up(texts, "pkg/app.py") == (["pkg/app.py:1"], "EXACT")


@pytest.mark.parametrize("text", ["pkg/a.py", "a.py", "pkg/a.py:run", "a.py:1", "run", "pkg.a"])
def test_a_removed_file_that_the_symbol_index_still_lists_is_not_found(text: str) -> None:
    program = MemoryIndex({"pkg/a.py": "def run(): ...\n", "pkg/b.py": "def walk(): ...\n"})
    del program._texts["pkg/a.py"], program._structures["pkg/a.py"]
    graph = Graph(program, RESOLVERS)
    assert program.list_declaring("a.py") == ["pkg/a.py"]
    with pytest.raises(RepoError) as refused:
        graph.choose(text)
    assert refused.value.code is ErrorCode.NOT_FOUND
    assert graph.look_up(text, SymbolFilter())[0] == []
    assert graph.search(text.partition(":")[0], SymbolFilter(), 10) == ([], False)


WRITTEN = {
    "app/Box.java": (
        "class Box<T> {\n    void put(int n) {}\n    void put(String s, java.util.Map<K, V> m) {}\n"
        "    void drop() {}\n}\n"
    ),
    "app/Bag.java": "class Bag {\n    void put(int n) {}\n    static class Slot { Slot(int n) {} }\n}\n",
    "crates/lint/src/checks/noqa.rs": "pub fn check(n: usize) {}\n",
    "crates/other/src/run.rs": "pub fn check(n: usize) {}\n",
    "serve/serve.go": "package serve\n\ntype Server struct{}\n\nfunc (s *Server) Run() {}\n",
}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Box<T>.put(int)", "app/Box.java:2"),
        ("Box.put(String, Map<String, Integer>)", "app/Box.java:3"),
        ("Box.put(int n)", "app/Box.java:2"),
        ("Box.drop()", "app/Box.java:4"),
        ("app/Box.java:Box<T>.drop()", "app/Box.java:4"),
        ("Bag$Slot", "app/Bag.java:3"),
        ("Bag$Slot.<init>", "app/Bag.java:3"),
        ("lint::checks::noqa::check", "crates/lint/src/checks/noqa.rs:1"),
        ("example.org/app/serve.(*Server).Run(0xc000, 0x2)", "serve/serve.go:5"),
    ],
)
def test_a_symbol_is_meant_by_its_name_as_traces_and_people_write_it(text: str, place: str) -> None:
    node = make_graph(WRITTEN).choose(text)
    assert f"{node.path}:{node.symbol.start_line}" == place


@pytest.mark.parametrize("text", ["Box.put()", "Box.put(long)", "lint::checks::noqa::missing", "far::check"])
def test_what_is_written_so_is_not_guessed(text: str) -> None:
    with pytest.raises(RepoError):
        make_graph(WRITTEN).choose(text)


@pytest.mark.parametrize(
    ("head", "block", "member"),
    [
        ("impl Run for Arc<Motor>", "Arc<Motor>", "Motor.go"),
        ("impl Run for &[u8]", "&[u8]", "u8.go"),
        ("impl<T> Run for &mut T", "&mut T", "T.go"),
        ("impl Run for Vec<u8>", "Vec<u8>", "Vec.go"),
        ("impl<T> Run for Box<T>", "Box", "Box.go"),
        ("impl Run for Box<dyn Motor>", "Box<dyn Motor>", "Box.go"),
        ("impl<'a, K, V> Map<'a, K, V>", "Map", "Map.go"),
    ],
)
def test_an_impl_is_named_by_its_type_as_it_is_written(head: str, block: str, member: str) -> None:
    nodes = list_nodes(f"{head} {{\n    fn go(&self) {{}}\n}}\n", "src/lib.rs")[1:]
    assert [node.qualified_name for node in nodes] == [block, member]
