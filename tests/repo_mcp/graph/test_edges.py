"""Edges: in both directions, through aliases and re-exports, in order, and bounded."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.graph import edge_finder as limits
from repo_mcp.graph import references
from repo_mcp.graph.edge_finder import EdgeFinder
from repo_mcp.graph.edges import Unresolved
from repo_mcp.graph.live_graph import RESOLVERS
from repo_mcp.graph.program import Declaration, order_by_nearness
from repo_mcp.graph.resolution import Resolvers
from repo_mcp.graph.typescript.modules import may_lead_to
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from tests.repo_mcp.graph.memory_index import (
    MemoryIndex,
    Row,
    find_node,
    list_incoming,
    list_outgoing,
    make_graph,
)


def ends(rows: Sequence[Row]) -> list[str]:
    return [end for _, _, end, _ in rows]


SHAPES = {
    "pkg/__init__.py": "from pkg.shapes import Circle as Round\nfrom .shapes import area\n",
    "pkg/shapes.py": """class Shape:
    def area(self): ...


class Circle(Shape):
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return helper(self.radius) + helper(2)


def helper(x):
    return x


def area(shape: Shape):
    return shape.area()
""",
    "use.py": """from pkg import Round, area as measure


def main():
    one = Round(1)
    measure(one)
    return one.area()
""",
}


def test_the_edges_of_a_symbol_in_both_directions() -> None:
    graph = make_graph(SHAPES)
    assert list_outgoing(graph, "use.main") == [
        ("calls", "exact", "pkg.shapes.Circle", (5,)),
        ("calls", "exact", "pkg.shapes.Circle.area", (7,)),
        ("calls", "exact", "pkg.shapes.area", (6,)),
    ]
    assert list_incoming(graph, "pkg.shapes.area", EdgeType.CALLS) == [("calls", "exact", "use.main", (6,))]
    assert list_incoming(graph, "pkg.shapes.Circle.area") == [("calls", "exact", "use.main", (7,))]
    assert list_incoming(graph, "pkg.shapes.helper") == [
        ("calls", "exact", "pkg.shapes.Circle.area", (10,)),
    ]


def test_a_re_export_under_another_name_is_followed_by_that_name() -> None:
    graph = make_graph(SHAPES)
    assert list_incoming(graph, "pkg.shapes.Circle") == [
        ("imports", "exact", "pkg/__init__.py", (1,)),
        ("imports", "exact", "use.py", (1,)),
        ("calls", "exact", "use.main", (5,)),
    ]


def test_the_constructor_of_a_type_is_called_where_the_type_is() -> None:
    graph = make_graph(SHAPES)
    assert list_incoming(graph, "pkg.shapes.Circle.__init__") == [("calls", "exact", "use.main", (5,))]


def test_every_edge_out_is_an_edge_in_and_the_other_way_round() -> None:
    graph = make_graph(SHAPES)
    declared = [node for path in SHAPES for node in graph.outline(path)]
    wanted = [one for one in EdgeType if one is not EdgeType.CONTAINS]
    out = {
        (one.type, node.declaration, one.other)
        for node in declared
        if node.symbol.kind.name not in ("CLASS",)  # whose edges are those of its members as well
        for one in graph.find_outgoing(node, wanted).edges
    }
    back = {
        (one.type, one.other, node.declaration)
        for node in declared
        for one in graph.find_incoming(node, wanted).edges
    }
    circle, constructor = (find_node(graph, f"pkg.shapes.Circle{end}") for end in ("", ".__init__"))
    main = find_node(graph, "use.main").declaration
    assert out <= back
    assert (EdgeType.CALLS, main, constructor.declaration) in back  # stands for its type
    assert (EdgeType.CALLS, main, circle.declaration) in out
    files = {one.declaration for one in (find_node(graph, path) for path in SHAPES)}
    shape = find_node(graph, "pkg.shapes.Shape").declaration
    assert {(kind, source, target) for kind, source, target in back - out if source not in files} == {
        (EdgeType.CALLS, main, constructor.declaration),
        (EdgeType.INHERITS, circle.declaration, shape),
    }


def test_lines_are_those_of_the_references_each_once() -> None:
    text = "def f(): ...\n\n\ndef g():\n    f()\n    f(); f()\n    f\n"
    graph = make_graph({"a.py": text})
    assert list_incoming(graph, "a.f") == [
        ("calls", "exact", "a.g", (5, 6)),
        ("references", "exact", "a.g", (7,)),
    ]


def test_all_lines_are_named() -> None:
    text = "def f(): ...\n\n\ndef g():\n" + "    f()\n" * 30
    graph = make_graph({"a.py": text})
    (edge,) = graph.find_incoming(find_node(graph, "a.f"), CALLS).edges
    assert (edge.lines, edge.count) == (tuple(range(5, 35)), 30)


def test_the_surest_come_first_then_by_path_and_place() -> None:
    files = {
        "z.py": "class Z:\n    def unfold(self): ...\n",
        "a.py": "def use(x):\n    x.unfold()\n",
        "b.py": "from z import Z\ndef use2():\n    Z().unfold()\n\ndef use1():\n    Z().unfold()\n",
    }
    graph = make_graph(files)
    assert list_incoming(graph, "z.Z.unfold") == [
        ("calls", "exact", "b.use2", (3,)),
        ("calls", "exact", "b.use1", (6,)),
        ("calls", "probable", "a.use", (2,)),
    ]


def test_what_is_outside_is_named_and_what_is_unknown_counted() -> None:
    graph = make_graph(
        {"a.py": "import os\n\n\ndef f(x):\n    os.getcwd()\n    x.zzz_unknown()\n    os.getcwd()\n"}
    )
    found = graph.find_outgoing(find_node(graph, "a.f"), CALLS)
    (external,) = found.externals
    assert (external.name, external.type, external.lines, external.count) == (
        "os.getcwd", EdgeType.CALLS, (5, 7), 2,
    )  # fmt: skip
    assert (found.edges, found.unresolved, found.cut) == ((), (Unresolved("a.py", (6,), 1),), False)


CACHES = {
    "pkg/__init__.py": "",
    "pkg/cache.py": """class Cache:
    def __init__(self, size): ...

    def get(self, key):
        return key


def get(key):
    return key
""",
    "pkg/use.py": """from pkg.cache import Cache, get


def known(cache: Cache, other):
    cache.get(1)
    other.get(2)
    return get(3), other.get, other.get(4)
""",
    "far/use.py": "def unknown(x):\n    super(x).__init__()\n    return x.get(1)\n",
}


def test_references_that_lead_nowhere_are_reported_beside_those_that_lead_to_the_target() -> None:
    graph = make_graph(CACHES)
    found = graph.find_incoming(find_node(graph, "pkg.cache.Cache.get"), CALLS)
    assert [edge.lines for edge in found.edges] == [(5,)]
    assert found.unresolved == (Unresolved("pkg/use.py", (6, 7), 2), Unresolved("far/use.py", (3,), 1))
    named = graph.find_incoming(find_node(graph, "pkg.cache.Cache.get"), tuple(EdgeType))
    assert named.unresolved == (Unresolved("pkg/use.py", (6, 7), 3), Unresolved("far/use.py", (3,), 1))


def test_what_is_no_member_is_not_meant_where_there_is_a_receiver() -> None:
    graph = make_graph(CACHES)
    found = graph.find_incoming(find_node(graph, "pkg.cache.get"), CALLS)
    assert ([edge.lines for edge in found.edges], found.unresolved) == ([(7,)], ())


def test_a_constructor_is_not_meant_by_its_own_name() -> None:
    found = make_graph(CACHES)
    node = find_node(found, "pkg.cache.Cache.__init__")
    assert found.find_incoming(node, CALLS).unresolved == ()


def test_the_edges_of_a_type_or_a_file_are_those_of_all_in_it_that_lead_out_of_it() -> None:
    graph = make_graph(SHAPES)
    assert ends(list_outgoing(graph, "pkg.shapes.Circle", EdgeType.CALLS)) == ["pkg.shapes.helper"]
    assert ends(list_outgoing(graph, "pkg/shapes.py", EdgeType.CALLS)) == []
    assert ends(list_outgoing(graph, "use.py", EdgeType.CALLS)) == [
        "pkg.shapes.Circle", "pkg.shapes.Circle.area", "pkg.shapes.area",
    ]  # fmt: skip


def test_a_function_that_calls_itself_is_its_own_caller() -> None:
    graph = make_graph({"a.py": "def f(n):\n    return f(n - 1)\n"})
    assert ends(list_incoming(graph, "a.f")) == ["a.f"]
    assert ends(list_outgoing(graph, "a.f")) == ["a.f"]


def test_contains_leads_down_and_up() -> None:
    graph = make_graph(SHAPES)
    assert ends(list_outgoing(graph, "pkg.shapes.Shape", EdgeType.CONTAINS)) == ["pkg.shapes.Shape.area"]
    assert ends(list_incoming(graph, "pkg.shapes.Shape.area", EdgeType.CONTAINS)) == ["pkg.shapes.Shape"]
    assert ends(list_incoming(graph, "pkg.shapes.Shape", EdgeType.CONTAINS)) == ["pkg/shapes.py"]
    assert list_incoming(graph, "pkg/shapes.py", EdgeType.CONTAINS) == []


# Limits


def test_a_search_stops_at_a_number_of_references_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_INCOMING", 10)
    for callers, cut in ((10, False), (11, True)):
        calls = "".join(f"def g{number}():\n    f()\n" for number in range(callers))
        graph = make_graph({"a.py": f"def f(): ...\n{calls}"})
        found = graph.find_incoming(find_node(graph, "a.f"), CALLS)
        assert (len(found.edges), found.cut) == (10, cut)


def test_a_search_stops_at_a_number_of_files_and_looks_at_the_nearest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "MAX_FILES", 3)
    files = {f"d{number}/u.py": "from m.a import f\n\ndef u():\n    f()\n" for number in range(5)}
    near = {f"m/u{number}.py": "from m.a import f\n\ndef u():\n    f()\n" for number in range(2)}
    graph = make_graph(files | near | {"m/a.py": "def f(): ...\n", "m/__init__.py": ""})
    found = graph.find_incoming(find_node(graph, "m.a.f"), CALLS)
    assert found.cut is True
    assert {edge.other.path for edge in found.edges} >= {"m/u0.py", "m/u1.py"}


def test_a_default_export_is_looked_for_in_the_files_that_import_its_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (limits, references):
        monkeypatch.setattr(module, "MAX_FILES", 3)
    files = {"lib/widget.ts": "export default class Widget {\n  constructor(x: number) {}\n}\n"}
    files |= {f"lib/other{number}.ts": 'import X from "elsewhere";\nnew X();\n' for number in range(9)}
    files["far/away/use.ts"] = 'import Own from "../../lib/widget";\nexport function use() { new Own(1); }\n'
    graph = make_graph(files)
    for name in ("Widget", "Widget.constructor"):
        found = graph.find_incoming(find_node(graph, name), CALLS)
        assert [graph.get_node(edge.other).symbol.name for edge in found.edges] == ["use"], name
        assert found.cut is False


def test_a_file_that_is_a_candidate_by_several_names_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (limits, references):
        monkeypatch.setattr(module, "MAX_FILES", 3)
    files = {"lib/widget.ts": "export default class Widget {}\n"}
    files |= {f"{at}.ts": 'import Widget from "./lib/widget";\nnew Widget();\n' for at in range(2)}
    graph = make_graph(files)
    found = graph.find_incoming(find_node(graph, "Widget"), CALLS)
    assert (len(found.edges), found.cut) == (2, False)


def test_an_edge_out_stops_at_a_number_of_references_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_OUTGOING", 5)
    for calls, cut in ((5, False), (6, True)):
        text = "def f(): ...\n\n\ndef g():\n" + "    f()\n" * calls
        graph = make_graph({"a.py": text})
        found = graph.find_outgoing(find_node(graph, "a.g"), CALLS)
        assert (found.edges[0].count, found.cut) == (5, cut)


# Nearness


def test_the_nearest_paths_come_first() -> None:
    paths = ["a.py", "b/a.py", "b/c/a.py", "b/c/d.py", "b/c/e/f.py", "b/z.py", "c.py"]
    assert order_by_nearness(paths, "b/c/d.py") == [
        "b/c/d.py", "b/c/a.py", "b/c/e/f.py", "b/a.py", "b/z.py", "a.py", "c.py",
    ]  # fmt: skip


folders = st.lists(st.sampled_from(["a", "b", "b0", "b-", "é"]), max_size=3)
paths = st.lists(st.builds(lambda parts, name: "/".join([*parts, name]), folders, st.sampled_from("xyz")))


@given(paths, st.builds(lambda parts, name: "/".join([*parts, name]), folders, st.sampled_from("xyz")))
def test_nearness_is_a_permutation_by_the_folders_that_are_shared(found: list[str], near: str) -> None:
    def count_shared(path: str) -> int:
        shared = 0
        for one, two in zip(path.split("/")[:-1], near.split("/")[:-1], strict=False):
            if one != two:
                break
            shared += 1
        return shared

    ascending = sorted(set(found))
    wanted = sorted(ascending, key=lambda path: (path != near, -count_shared(path), path))
    assert order_by_nearness(ascending, near) == wanted


def test_an_included_file_without_a_parser_is_no_edge_and_its_line_is_named() -> None:
    texts = {"a.c": '#include "t.inc"\n#include "b.h"\nint f(void) { return g(); }\n'}
    graph = make_graph({**texts, "t.inc": "1, 2\n", "b.h": "int g(void);\n"})
    assert ends(list_outgoing(graph, "a.c", EdgeType.IMPORTS)) == ["b.h"]
    found = graph.find_outgoing(find_node(graph, "a.c"), [EdgeType.IMPORTS])
    assert found.unresolved == (Unresolved("a.c", (1,), 1),)


def test_the_main_file_of_a_package_is_imported_by_its_name_and_as_a_folder() -> None:
    texts = {
        "package.json": '{"workspaces": ["packages/*"]}',
        "packages/kit-core/package.json": '{"name": "@kit/core", "exports": {".": "./dist/index.js"}}',
        "packages/kit-core/src/index.ts": "export const one = 1;\n",
        "packages/kit-core/src/deep/inner.ts": "import { one } from '..';\none;\n",
        "packages/kit-core/src/deep/index.ts": "export const two = 2;\n",
        "packages/app/package.json": '{"name": "app"}',
        "packages/app/src/main.ts": "import { one } from '@kit/core';\none;\n",
        "packages/app/src/core.ts": "export const other = 1;\n",
        "packages/app/src/use.ts": "import { other } from './core';\nother;\n",
    }
    graph = make_graph(texts)
    assert [one[2] for one in list_incoming(graph, "packages/kit-core/src/index.ts", EdgeType.IMPORTS)] == [
        "packages/app/src/main.ts",
        "packages/kit-core/src/deep/inner.ts",
    ]
    assert list_incoming(graph, "packages/kit-core/src/deep/index.ts", EdgeType.IMPORTS) == []


def test_files_whose_relative_imports_lead_elsewhere_are_not_read_for_a_file() -> None:
    texts = {
        "lib/utils/index.ts": "export const one = 1;\n",
        "lib/use.ts": "import { one } from './utils';\n",
        "lib/utils/part.ts": "import { one } from '.';\n",
        "lib/deep/use.ts": "import { one } from '../utils/index.js';\n",
        **{f"app/{number}/utils.ts": "export const own = 1;\n" for number in range(9)},
        **{
            f"app/{number}/use.ts": "import { own } from './utils';\nconst utils = own;\n"
            for number in range(9)
        },
    }
    index = MemoryIndex(texts)
    edges = EdgeFinder(index, Resolvers(index, RESOLVERS))
    path = "lib/utils/index.ts"
    record = index.find_record(path)
    assert record is not None
    names = edges.list_names(Declaration(path, 0), record)
    read = [one for name in names for one in edges.importers.list_paths(name, path)]
    assert sorted(read) == ["lib/deep/use.ts", "lib/use.ts", "lib/utils/part.ts"]


@pytest.mark.parametrize(
    ("path", "module", "leads"),
    [
        ("a/b.ts", "./utils", True),
        ("a/b.ts", "./utils.js", True),
        ("a/utils/c.ts", "./index", True),
        ("a/utils/deep/c.ts", "..", True),
        ("a/b.ts", "./utilsy", False),
        ("a/b.ts", "./util", False),
        ("b.ts", "./utils", False),
        ("a/b.ts", "../../utils", False),
        ("b/c.ts", "@kit/utils", True),
    ],
)
def test_a_relative_import_leads_to_one_file_or_folder(path: str, module: str, leads: bool) -> None:
    assert may_lead_to("a/utils/index.ts", path, module) == leads
