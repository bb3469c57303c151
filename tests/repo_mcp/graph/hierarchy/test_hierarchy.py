"""Types above and below a type, parts of one type, and members that override: cycles and diamonds too."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.hierarchy import hierarchy as limits
from repo_mcp.graph.hierarchy import overrides_by_name
from repo_mcp.graph.program import Resolution
from repo_mcp.graph.resolution import Resolvers
from repo_mcp.graph.vocabulary import IMPLEMENTATIONS, EdgeType, SymbolFilter
from repo_mcp.languages.treesitter.parameter_types import list_types
from repo_mcp.symbols.symbol_record import SymbolRecord
from tests.counted_calls import count_calls
from tests.repo_mcp.graph.memory_index import MemoryIndex, find_node, list_incoming, list_outgoing, make_graph


def list_names(graph: Graph, name: str, edge_type: EdgeType, *, up: bool) -> list[str]:
    follow = list_outgoing if up else list_incoming
    return [end for _, _, end, _ in follow(graph, name, edge_type)]


DIAMOND = {
    "top.py": "class Top:\n    def go(self): ...\n    def stay(self): ...\n",
    "mid.py": """from top import Top


class Left(Top):
    def go(self): ...


class Right(Top):
    pass
""",
    "low.py": """from mid import Left, Right


class Low(Left, Right):
    def go(self): ...
    def stay(self): ...
""",
}


def test_a_diamond_is_walked_once() -> None:
    graph = make_graph(DIAMOND)
    assert list_names(graph, "low.Low", EdgeType.INHERITS, up=True) == ["mid.Left", "mid.Right"]
    assert list_names(graph, "top.Top", EdgeType.INHERITS, up=False) == ["mid.Left", "mid.Right"]
    assert list_names(graph, "top.Top.go", EdgeType.OVERRIDES, up=False) == ["low.Low.go", "mid.Left.go"]
    # On the way through Left the nearest is Left's; on the way through Right it is Top's.
    assert list_names(graph, "low.Low.go", EdgeType.OVERRIDES, up=True) == ["mid.Left.go", "top.Top.go"]
    assert list_names(graph, "low.Low.stay", EdgeType.OVERRIDES, up=True) == ["top.Top.stay"]
    assert list_names(graph, "top.Top.go", EdgeType.OVERRIDES, up=True) == []


def test_what_is_defined_outside_of_its_class_does_not_override_itself() -> None:
    graph = make_graph(
        {
            "base.hpp": "class Base {\n public:\n  virtual void go();\n};\n",
            "low.hpp": '#include "base.hpp"\nclass Low : Base {\n public:\n  void go() override;\n};\n',
            "low.cpp": '#include "low.hpp"\nvoid Low::go() {}\n',
        }
    )
    overriding = graph.find_incoming(find_node(graph, "Base.go"), (EdgeType.OVERRIDES,)).edges
    assert [graph.get_node(edge.other).path for edge in overriding] == [
        "low.cpp"
    ]  # once, where it is defined
    both, *_ = graph.look_up("Low.go", SymbolFilter())
    assert len(both) == 2
    for one in both:
        edges = [
            *graph.find_outgoing(one, (EdgeType.OVERRIDES,)).edges,
            *graph.find_incoming(one, (EdgeType.OVERRIDES,)).edges,
        ]
        assert [graph.get_node(edge.other).qualified_name for edge in edges] == ["Base.go"]


BASE_OUTSIDE = {
    "base.hpp": "namespace n {\nclass Base {\n public:\n  virtual void go(int);\n};\n}\n",
    "base.cpp": '#include "base.hpp"\nnamespace n {\nvoid Base::go(int speed) {}\n}\n',
    "low.hpp": '#include "base.hpp"\nclass Low : public n::Base {\n public:\n  void go(int) override;\n};\n',
    "use.cpp": '#include "base.hpp"\nvoid use(n::Base* any) { any->go(1); }\n',
}


def test_what_is_defined_outside_of_its_class_is_overridden_as_its_declaration_is() -> None:
    graph = make_graph(BASE_OUTSIDE)
    both, *_ = graph.look_up("n.Base.go", SymbolFilter())
    assert sorted(one.path for one in both) == ["base.cpp", "base.hpp"]
    for one in both:
        edges = graph.find_incoming(one, (EdgeType.OVERRIDES,)).edges
        assert [graph.get_node(edge.other).qualified_name for edge in edges] == ["Low.go"]


def test_a_call_of_what_is_defined_outside_of_its_class_may_run_an_override() -> None:
    graph = make_graph(BASE_OUTSIDE)
    edges = graph.find_incoming(find_node(graph, "Low.go"), (EdgeType.CALLS,), dispatches=True).edges
    assert [graph.get_node(edge.other).qualified_name for edge in edges] == ["use"]


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "class A(A):\n    def f(self): ...\n"},
        {"a.py": "class A(B):\n    def f(self): ...\n\n\nclass B(A):\n    def f(self): ...\n"},
        {
            "a.py": "from b import B\nclass A(B):\n    def f(self): ...\n",
            "b.py": "from c import C\nclass B(C):\n    def f(self): ...\n",
            "c.py": "from a import A\nclass C(A):\n    def f(self): ...\n",
        },
        {"a.ts": "export interface A extends B { f(): void }\nexport interface B extends A { f(): void }\n"},
    ],
    ids=["itself", "two", "three files", "interfaces"],
)
def test_cycles_end(files: dict[str, str]) -> None:
    graph = make_graph(files)
    for path in files:
        for node in graph.outline(path):
            for find in (graph.find_incoming, graph.find_outgoing):
                found = find(node, tuple(EdgeType))
                assert len(found.edges) < 20


def test_a_long_chain_is_followed_up_to_a_number_of_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_TYPES", 10)
    monkeypatch.setattr(overrides_by_name, "MAX_WALKED", 9)
    chain = "class C0:\n    def f(self): ...\n" + "".join(
        f"class C{number}(C{number - 1}):\n    def f(self): ...\n" for number in range(1, 30)
    )
    graph = make_graph({"a.py": chain})
    found = graph.find_incoming(find_node(graph, "a.C0.f"), (EdgeType.OVERRIDES,))
    assert (len(found.edges), found.cut) == (9, True)
    found = graph.find_incoming(find_node(graph, "a.C25.f"), (EdgeType.OVERRIDES,))
    assert (len(found.edges), found.cut) == (4, False)
    overriding = list_names(graph, "a.C0.f", EdgeType.OVERRIDES, up=False)
    assert overriding == [f"a.C{number}.f" for number in range(1, 10)]
    assert list_names(graph, "a.C20.f", EdgeType.OVERRIDES, up=True) == ["a.C19.f"]


def test_all_that_declare_a_name_share_one_walk_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_FILES", 2)  # so that overrides are looked for by name
    called = count_calls(monkeypatch, overrides_by_name, "take_weaker")
    counts = []
    for size in (40, 80):
        chain = "class C0:\n    def f(self): ...\n" + "".join(
            f"class C{number}(C{number - 1}):\n    def f(self): ...\n" for number in range(1, size)
        )
        graph = make_graph({"a.py": chain})
        assert len(list_names(graph, "a.C0.f", EdgeType.OVERRIDES, up=False)) == size - 1
        counts.append(len(called))
        called.clear()
    assert counts == [78, 158]  # two for each class below the first


def test_overrides_below_a_type_that_too_many_files_name_are_all_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {"base.py": "class Base:\n    def show(self): ...\n"}
    for number in range(9):
        files[f"mid{number}.py"] = f"from base import Base\nclass Mid{number}(Base): ...\n"
        files[f"use{number}.py"] = (
            f"from mid{number} import Mid{number}\nclass Use{number}(Mid{number}):\n    def show(self): ...\n"
        )
    files["other.py"] = "class Other:\n    def show(self): ...\n"
    monkeypatch.setattr(limits, "MAX_FILES", 3)
    found = make_graph(files)
    edges = found.find_incoming(find_node(found, "base.Base.show"), (EdgeType.OVERRIDES,))
    names = [found.get_node(edge.other).qualified_name for edge in edges.edges]
    assert (names, edges.cut) == ([f"use{number}.Use{number}.show" for number in range(9)], False)


def test_bases_that_are_imported_under_another_name_are_found() -> None:
    files = {
        "lib/__init__.py": "from lib.base import Base as Root\n",
        "lib/base.py": "class Base: ...\n",
        "use.py": "from lib import Root as Top\n\n\nclass Mine(Top): ...\n",
        "web/base.ts": "export default class Base {}\n",
        "web/use.ts": 'import Own from "./base";\nclass Mine extends Own {}\n',
    }
    graph = make_graph(files)
    assert list_names(graph, "use.Mine", EdgeType.INHERITS, up=True) == ["lib.base.Base"]
    assert list_names(graph, "lib.base.Base", EdgeType.INHERITS, up=False) == ["use.Mine"]
    assert list_names(graph, "Base", EdgeType.INHERITS, up=False) == ["Mine"]


def test_an_interface_is_implemented_by_types_and_extended_by_interfaces() -> None:
    files = {
        "a.ts": """export interface Shape { area(): number }
export interface Solid extends Shape { volume(): number }
export class Cube implements Solid { area() { return 6; } volume() { return 1; } }
export class Die extends Cube { area() { return 5; } }
"""
    }
    graph = make_graph(files)
    assert list_incoming(graph, "Shape", EdgeType.EXTENDS) == [("extends", "exact", "Solid", (2,))]
    assert list_incoming(graph, "Solid", EdgeType.IMPLEMENTS) == [("implements", "exact", "Cube", (3,))]
    assert list_incoming(graph, "Cube", EdgeType.INHERITS) == [("inherits", "exact", "Die", (4,))]
    assert list_names(graph, "Shape.area", EdgeType.OVERRIDES, up=False) == ["Cube.area", "Die.area"]
    assert list_names(graph, "Cube.volume", EdgeType.OVERRIDES, up=True) == ["Solid.volume"]


def test_an_override_is_sure_although_some_parts_of_its_base_are_conditional() -> None:
    graph = make_graph(
        {
            "Base.Async.cs": "#if ASYNC\npublic partial class Base { void Wait() { } }\n#endif\n",
            "Base.cs": "public abstract partial class Base { public abstract void Go(); }\n",
            "Low.cs": "public class Low : Base { public override void Go() { } }\n",
        }
    )
    expected = [("overrides", "exact", "Low.Go", (1,))]
    assert list_incoming(graph, "Base.Go", EdgeType.OVERRIDES) == expected


def test_the_parts_of_a_partial_class_are_one_type() -> None:
    files = {
        "A.cs": "namespace N { public partial class P : IA { public void F() { } } }\n",
        "B.cs": "namespace N { public partial class P { public void G() { F(); } } }\n",
        "Other.cs": "namespace M { public partial class P { } }\n",
        "Typed.cs": "namespace N { public partial class P<T> { } }\n",
        "IA.cs": "namespace N { public interface IA { void G(); } }\n",
    }
    graph = make_graph(files)
    nodes = [node for path in ("A.cs", "B.cs") for node in graph.outline(path) if node.symbol.name == "P"]
    for node in nodes:
        assert [(span.path, span.is_primary) for span in graph.list_spans(node)] == [
            ("A.cs", True),
            ("B.cs", False),
        ]
    assert list_names(graph, "N.IA.G", EdgeType.OVERRIDES, up=False) == ["N.P.G"]  # bases of the other part
    assert [end for _, _, end, _ in list_incoming(graph, "N.P.F", EdgeType.CALLS)] == ["N.P.G"]


def test_a_member_overrides_the_overload_with_the_same_parameters() -> None:
    files = {
        "A.cs": """namespace N {
    public class A {
        public virtual void F(int x) { }
        public virtual void F(string x) { }
        public virtual void F(int x, Dictionary<int, string> y) { }
        public virtual void G(int x) { }
    }
    public class B : A {
        public override void F(string text) { }
        public override void F(int x, Dictionary<int, string> z) { }
        public void G(int x, int y) { }
    }
}
"""
    }
    graph = make_graph(files)
    lines = {
        (node.symbol.start_line, graph.get_node(edge.other).symbol.start_line)
        for node in graph.outline("A.cs")
        for edge in graph.find_outgoing(node, (EdgeType.OVERRIDES,)).edges
    }
    assert lines == {(9, 4), (10, 5)}  # G has another number of parameters: it is another member


def test_a_method_of_python_overrides_whatever_its_parameters_are() -> None:
    files = {"a.py": "class A:\n    def f(self): ...\n\n\nclass B(A):\n    def f(self, x, y): ...\n"}
    assert list_names(make_graph(files), "a.B.f", EdgeType.OVERRIDES, up=True) == ["a.A.f"]


@pytest.mark.parametrize(
    ("parameters", "types"),
    [
        ("", []),
        ("()", []),
        ('(int x, string y = "a")', ["int", "string"]),
        ("(Dictionary<int, string> map, params int[] rest)", ["Dictionary<int, string>", "params int[]"]),
        ("(a: number, b?: Map<string, X>)", ["number", "Map<string, X>"]),
        ("(self, x: int = 1, *rest)", ["", "int", "*"]),
        ("(((((", ["(((("]),
        (")))>>,a", []),
        ("<T>(List<T> items)", ["List<T>"]),
        ("[int index]", ["int"]),
        ("(const std::string& text)", ["const std::string&"]),
    ],
)
def test_the_types_of_parameters_are_read_from_their_text(parameters: str, types: list[str]) -> None:
    assert list_types(parameters) == types


def test_types_below_are_found_once_and_a_limit_is_reported_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "MAX_FILES", 1)
    monkeypatch.setattr(limits, "MAX_TYPES", 2)
    monkeypatch.setattr(overrides_by_name, "MAX_WALKED", 2)
    graph = make_graph(DIAMOND | {"other.py": "from top import Top\n"})
    asked: list[str] = []
    find = MemoryIndex.list_using

    def count(self: MemoryIndex, name: str) -> Sequence[str]:
        asked.append(name)
        return find(self, name)

    monkeypatch.setattr(MemoryIndex, "list_using", count)
    go = find_node(graph, "top.Top.go")
    first = graph.find_incoming(go, (EdgeType.OVERRIDES,))
    assert "Top" in asked
    asked.clear()
    again = graph.find_incoming(go, (EdgeType.OVERRIDES,))
    assert not asked
    assert (again, again.cut) == (first, True)


def test_definitions_outside_of_a_class_of_cpp_do_not_implement_it() -> None:
    graph = make_graph(
        {
            "shape.h": "namespace n {\nclass Shape { public: virtual void run(); };\n"
            "class Square : public Shape { public: void run() override; };\n}\n",
            "shape.cpp": '#include "shape.h"\nvoid n::Shape::run() {}\nvoid n::Square::run() {}\n',
        }
    )
    assert list_names(graph, "n.Shape", EdgeType.INHERITS, up=False) == ["n.Square"]
    assert list_names(graph, "n.Shape", EdgeType.EXTENDS, up=False) == []
    assert list_names(graph, "n.Shape", EdgeType.REFERENCES, up=False) == ["Shape"]


def test_an_extension_of_a_protocol_does_not_implement_it() -> None:
    graph = make_graph(
        {
            "a.swift": "protocol P {}\nclass Shape {}\n",
            "b.swift": "extension P { func more() {} }\nextension Shape: P {}\n",
        }
    )
    found = list_outgoing(graph, "b.swift", EdgeType.IMPLEMENTS, EdgeType.EXTENDS)
    assert sorted((edge_type, lines) for edge_type, _, _, lines in found) == [
        ("extends", (1,)),
        ("extends", (2,)),
        ("implements", (2,)),
    ]
    (protocol,) = (one for one in graph.look_up("P", SymbolFilter())[0] if one.path == "a.swift")
    below = graph.find_incoming(protocol, IMPLEMENTATIONS).edges
    assert [graph.get_node(one.other).symbol.name for one in below] == ["Shape"]


OVERRIDING = {
    "a.cs": """
class Top<T> {
    public virtual int Run(System.String a, int? b = null) => 1;
    public virtual int Take(T a) => 1;
    public int Plain(int a) => 1;
    public int Other(int a) => 1;
}
interface IPlain { int Say(long a); int Tell(long a); int Mark(string a, global::N.Item b); }
class Low : Top<int>, IPlain {
    public override int Run(string a, int? b) => 1;
    public override int Take(int a) => 1;
    private int Plain(int a) => 1;
    public int Other(string a) => 1;
    public int Say(long a) => 1;
    public int Tell(string a) => 1;
    public int Mark([Named("x", Used = true)] string b, scoped in Item c) => 1;
}
""",
    "Top.java": """
class Top<T> {
    void take(T a) {}
    void plain(final java.util.List<T> a, int... b) {}
    void other(Integer a) {}
    void odd(Item a) {}
    void mark(String a, Item b) {}
    private void hide(int a) {}
    static void fixed(int a) {}
}
class Below extends Top<String> {
    @Override void take(String a) {}
    @Override void plain(List<String> a, int[] b) {}
    void other(String a) {}
    @Override void odd(String a) {}
    void mark(@Named(value = "x") String b, @Given.Plain final Item c) {}
    void hide(int a) {}
    static void fixed(int a) {}
}
""",
    "a.swift": """
class Top { func run(a: Int) {}; func stay() {} }
protocol Plain { func say(); func tell(a: Int, b: Int); static func mark(); static func drop() }
class Low: Top, Plain {
  override func run(a: Int) {}
  func stay() {}
  func say() {}
  func tell(a: Int, for b: Int) {}
  func mark() {}
  class func drop() {}
}
""",
    "a.cpp": """
class Top { public: virtual void run(const int& a); virtual void stay(int a);
  virtual void say(const std::string& text, std::vector<T>); virtual void mark(int, const n::Item*) = 0;
  virtual void quit(State& state); };
class Low : public Top { public: void run(const int &a); void stay(long a);
  void say(const std::string& other, std::vector<int> all); void mark(int size, const Item* item);
  void quit(State& /*state*/); };
""",
    "a.h": """
class Top { public: virtual void run(); virtual void stay(int a); };
class Low : public Top { public: void run(int a); void stay(int b); };
""",
}
OVERRIDDEN = {
    "a.cs": {"Top.Run": "exact", "Top.Take": "exact", "Top.Plain": "", "Top.Other": "", "IPlain.Say": "exact"}
    | {"IPlain.Tell": "", "IPlain.Mark": "exact"},
    "Top.java": {"Top.take": "exact", "Top.plain": "exact", "Top.other": "", "Top.odd": "possible"}
    | {"Top.mark": "exact", "Top.hide": "", "Top.fixed": ""},
    "a.swift": {"Top.run": "exact", "Top.stay": "", "Plain.say": "exact"}
    | {"Plain.tell": "", "Plain.mark": "", "Plain.drop": "exact"},
    "a.cpp": {"Top.run": "exact", "Top.stay": "possible", "Top.say": "exact", "Top.mark": "exact"}
    | {"Top.quit": "exact"},
    "a.h": {"Top.run": "", "Top.stay": "exact"},
}


@pytest.mark.parametrize("path", OVERRIDING)
def test_what_is_hidden_or_takes_other_types_is_not_overridden(path: str) -> None:
    graph = make_graph({path: OVERRIDING[path]})
    found = {name: list_incoming(graph, name, EdgeType.OVERRIDES) for name in OVERRIDDEN[path]}
    assert {name: "".join(row[1] for row in rows) for name, rows in found.items()} == OVERRIDDEN[path]


def test_of_overloads_the_one_with_its_types_is_overridden() -> None:
    top = "class Top { void run(long a) {} void run(Item a) {} }\n"
    graph = make_graph(
        {"Top.java": f"{top}class Low extends Top {{ @Override void run(final long b) {{}} }}\n"}
    )
    rows = list_outgoing(graph, "Low.run", EdgeType.OVERRIDES)
    assert [(sure, name) for _, sure, name, _ in rows] == [("exact", "Top.run")]


def test_above_a_doubtful_override_the_sure_one_is_found() -> None:
    graph = make_graph(
        {
            "Top.java": "class Top { void run(long a) {} }\n"
            "class Middle extends Top { void run(Item a) {} }\n"
            "class Low extends Middle { @Override void run(long a) {} }\n"
        }
    )
    rows = list_outgoing(graph, "Low.run", EdgeType.OVERRIDES)
    assert sorted((name, sure) for _, sure, name, _ in rows) == [
        ("Middle.run", "possible"),
        ("Top.run", "exact"),
    ]


def test_the_nearest_sure_override_hides_those_above() -> None:
    graph = make_graph(
        {
            "Top.java": "class Top { void run(long a) {} }\n"
            "class Middle extends Top { @Override void run(long a) {} }\n"
            "class Low extends Middle { @Override void run(long a) {} }\n"
        }
    )
    rows = list_outgoing(graph, "Low.run", EdgeType.OVERRIDES)
    assert [(name, sure) for _, sure, name, _ in rows] == [("Middle.run", "exact")]


WRITTEN_PARAMETERS = {
    "a.cs": """
class Top<Key, in Value> {
    public virtual void Take(Key a) { }
    public virtual void Give<Other>(Other[] a, Value b) { }
    public virtual void Find(URL a) { }
    public virtual void Pair((int a, String b) c, String[] d) { }
}
class Low : Top<int, long> {
    public override void Take(int a) { }
    public override void Give<Item>(Item[] a, long b) { }
    public override void Find(Uri a) { }
    public override void Pair((int, string) e, string[] f) { }
}
""",
    "Top.java": """
class Top<Key, Value extends Comparable<Value>> {
    void take(Key a) {}
    <Other> void give(Other[] a, Value b) {}
    void find(URL a) {}
    void pair(String a[], int b [] []) {}
}
class Low extends Top<Integer, Long> {
    @Override void take(Integer a) {}
    @Override <Item> void give(Item[] a, Long b) {}
    @Override void find(URI a) {}
    @Override void pair(String[] a, int[][] b) {}
}
""",
}


@pytest.mark.parametrize("path", WRITTEN_PARAMETERS)
def test_type_parameters_are_known_by_their_declaration(path: str) -> None:
    graph = make_graph({path: WRITTEN_PARAMETERS[path]})
    names = ("take", "give", "find", "pair")
    names = tuple(one.capitalize() for one in names) if path == "a.cs" else names
    found = [list_incoming(graph, f"Top.{name}", EdgeType.OVERRIDES) for name in names]
    assert [row[1] for rows in found for row in rows] == ["exact", "exact", "possible", "exact"]


def test_base_lists_of_a_name_are_resolved_once_for_all_types_of_the_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {"top.py": "class Top:\n    def go(self): ...\n"}
    for number in range(6):
        files[f"p{number}.py"] = "from top import Top\nclass Same(Top): ...\n" + (
            "class Low(Same):\n    def go(self): ...\n"
        )
    asked: list[tuple[str, int]] = []
    resolve = Resolvers.resolve

    def count(self: Resolvers, path: str, record: SymbolRecord, row: int) -> Resolution:
        asked.append((path, row))
        return resolve(self, path, record, row)

    monkeypatch.setattr(Resolvers, "resolve", count)
    names = list_names(make_graph(files), "top.Top.go", EdgeType.OVERRIDES, up=False)
    assert names == [f"p{number}.Low.go" for number in range(6)]
    assert len(asked) == len(set(asked))


OBJECTS = {
    "types.ts": "export interface Coder { encode(data: string): string; name: string }\n"
    "export type Reader = { read: (text: string) => void };\n",
    "coders.ts": """import type { Coder, Reader } from './types';

export const json: Coder = {
  name: 'json',
  encode: (data) => JSON.stringify(data),
};
const reader = {
  read(text) {},
} satisfies Reader;
const named: Coder = given;
const plain: Coder = { name: 'plain', encode: other };
const table: Record<string, Coder> = { json: { name: '', encode(data) { return data; } } };

export function use(coder: Coder) {
  return coder.encode('');
}
""",
}


def test_an_object_with_functions_implements_the_type_of_its_variable() -> None:
    graph = make_graph(OBJECTS)
    implementing = [EdgeType.IMPLEMENTS, EdgeType.INHERITS, EdgeType.EXTENDS]
    assert list_incoming(graph, "Coder", *implementing) == [("implements", "exact", "json", (3,))]
    assert list_incoming(graph, "Reader", *implementing) == [("implements", "exact", "reader", (9,))]
    encode = [("overrides", "exact", "json.encode", (5,))]
    assert list_incoming(graph, "Coder.encode", EdgeType.OVERRIDES) == encode
    assert list_incoming(graph, "Reader.read", EdgeType.OVERRIDES) == [
        ("overrides", "exact", "reader.read", (8,))
    ]
    assert list_outgoing(graph, "json.encode", EdgeType.OVERRIDES) == [
        ("overrides", "exact", "Coder.encode", (5,))
    ]


def test_calls_through_the_type_may_run_the_functions_of_an_object() -> None:
    graph = make_graph(OBJECTS)
    callers = graph.find_incoming(find_node(graph, "json.encode"), (EdgeType.CALLS,), dispatches=True).edges
    found = [(graph.get_node(one.other).qualified_name, one.confidence.value, one.lines) for one in callers]
    assert found == [("use", "possible", (15,))]


def test_of_a_hot_type_overrides_are_found_by_the_name_of_the_member(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_FILES", 2)
    uses = {f"U{number}.java": f"class U{number} {{ Base base; }}\n" for number in range(3)}
    low = "class Mid extends Base {}\nclass Low extends Mid { void go() {} }\nclass Other { void go() {} }\n"
    base = "class Base {\n void go() {}\n static void make() {}\n void stay() {}\n}\n"
    graph = make_graph({"Base.java": base, "Z.java": low, **uses})
    found = graph.find_incoming(find_node(graph, "Base.go"), (EdgeType.OVERRIDES,))
    assert [graph.get_node(one.other).qualified_name for one in found.edges] == ["Low.go"]
    assert not found.cut
    assert not graph.find_incoming(find_node(graph, "Base.make"), (EdgeType.OVERRIDES,)).cut
