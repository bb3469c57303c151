"""Prototypes and their definitions: one symbol in two places, asked for by either."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, SymbolFilter
from tests.repo_mcp.graph.memory_index import make_graph

C = {
    "include/math.h": "int twice(int x);\nextern int counter;\n",
    "src/math.c": '#include "math.h"\nint counter;\nint twice(int x)\n{\n\treturn 2 * x;\n}\n',
    "src/use.c": '#include "math.h"\nint main(void)\n{\n\tcounter++;\n\treturn twice(1);\n}\n',
}


def find(graph: Graph, path: str, name: str) -> Node:
    (node,) = [one for one in graph.outline(path) if one.symbol.name == name]
    return node


def list_places(graph: Graph, node: Node) -> list[tuple[str, int, bool]]:
    return [(span.path, span.start_line, span.is_primary) for span in graph.list_spans(node)]


def list_callers(graph: Graph, node: Node) -> list[str]:
    return [graph.get_node(one.other).symbol.name for one in graph.find_incoming(node, CALLS).edges]


@pytest.mark.parametrize("path", ["include/math.h", "src/math.c"])
def test_either_leads_to_both_places_and_to_the_callers(path: str) -> None:
    graph = make_graph(C)
    function = find(graph, path, "twice")
    assert list_places(graph, function) == [("src/math.c", 3, True), ("include/math.h", 1, False)]
    assert list_callers(graph, function) == ["main"]
    variable = find(graph, path, "counter")
    assert list_places(graph, variable) == [("src/math.c", 2, True), ("include/math.h", 2, False)]


def test_a_method_of_cpp_is_one_in_its_class_and_in_its_source() -> None:
    files = {
        "b.hpp": "namespace n { class B { public: void run(int); void run(int, int); }; }\n",
        "b.cpp": '#include "b.hpp"\nvoid n::B::run(int x) { }\n',
        "u.cpp": '#include "b.hpp"\nvoid go() { n::B b; b.run(1); }\n',
    }
    graph = make_graph(files)
    one, two = [node for node in graph.outline("b.hpp") if node.symbol.name == "run"]
    assert list_places(graph, one) == [("b.cpp", 2, True), ("b.hpp", 1, False)]
    assert list_callers(graph, one) == ["go"]
    assert list_places(graph, two) == [("b.hpp", 1, True)]  # another overload, without a definition


def test_of_several_definitions_the_one_in_the_file_of_that_name_counts_or_none() -> None:
    files = {f"arch/{one}/setup.c": "int setup(void)\n{\n\treturn 1;\n}\n" for one in ("arm", "x86")}
    files |= {"setup2.h": "int setup(void);\n", "irq.h": "int irq(void);\n"}
    files |= dict.fromkeys(("irq.c", "other.c"), "int irq(void)\n{\n\treturn 1;\n}\n")
    graph = make_graph(files)
    assert list_places(graph, find(graph, "setup2.h", "setup")) == [("setup2.h", 1, True)]
    assert list_places(graph, find(graph, "arch/arm/setup.c", "setup")) == [("arch/arm/setup.c", 1, True)]
    assert list_places(graph, find(graph, "irq.h", "irq")) == [("irq.c", 1, True), ("irq.h", 1, False)]
    assert list_places(graph, find(graph, "other.c", "irq")) == [("other.c", 1, True)]


def test_a_lookup_names_definitions_before_prototypes() -> None:
    nodes, *_ = make_graph(C).look_up("twice", SymbolFilter())
    assert [node.path for node in nodes] == ["src/math.c", "include/math.h"]


def test_the_signatures_of_an_overloaded_function_are_called_where_it_is() -> None:
    files = {
        "a.ts": "export function f(x: number): void;\nexport function f(x: string, y: string): void;\n"
        "export function f(x: any, y?: any): void {}\n",
        "u.ts": 'import { f } from "./a";\nexport function go() { f(1); }\n',
    }
    graph = make_graph(files)
    for node in graph.outline("a.ts"):
        assert list_callers(graph, node) == ["go"]
        assert [line for _, line, _ in list_places(graph, node)] == [3, 1, 2]


def test_calls_of_what_each_platform_defines_may_mean_its_prototype() -> None:
    graph = make_graph(
        {
            "include/loop.h": "int loop_run(int n);\n",
            "src/unix/core.c": '#include "loop.h"\nint loop_run(int n) { return n; }\n',
            "src/win/core.c": '#include "loop.h"\nint loop_run(int n) { return n + 1; }\n',
            "test/own.c": "static int loop_run(int n) { return n; }\nint own(void) { return loop_run(2); }\n",
            "src/use.c": '#include "loop.h"\nint use(void) { return loop_run(1); }\n',
        }
    )
    (prototype,) = graph.outline("include/loop.h")
    found = graph.find_incoming(prototype, CALLS)
    assert [(edge.other.path, edge.confidence) for edge in found.edges] == [("src/use.c", "probable")]


def test_the_definition_is_in_a_file_that_includes_the_prototype() -> None:
    """The file of another program has the header's base name, and a macro hides a prototype in its file."""
    files = {
        "include/slab.h": "void kfree(const void *p);\n",
        "mm/common.c": "#include <slab.h>\nvoid kfree(const void *p) { }\n",
        "tools/lib/slab.c": "void kfree(const void *p) { }\n",
        "lib/unpack.c": "#include <slab.h>\n#define kfree(p) free(p)\n",
    }
    graph = make_graph(files)
    assert list_places(graph, find(graph, "include/slab.h", "kfree")) == [
        ("mm/common.c", 2, True),
        ("include/slab.h", 1, False),
    ]
    assert list_places(graph, find(graph, "tools/lib/slab.c", "kfree")) == [("tools/lib/slab.c", 1, True)]


def test_overloads_with_as_many_parameters_are_no_twins() -> None:
    files = {
        "show.h": "void show(int n);\nvoid show(char c);\n",
        "show_int.cc": '#include "show.h"\nvoid show(int n) { }\n',
        "show_char.cc": '#include "show.h"\nvoid show(char c) { }\n',
    }
    graph = make_graph(files)
    first = graph.outline("show.h")[0]
    assert list_places(graph, first) == [("show.h", 1, True)]


def test_members_in_the_bodies_of_two_classes_are_two() -> None:
    files = {
        "port_example.h": "namespace port { class Signal { public: void Wait(); }; }\n",
        "port_real.h": "namespace port { class Signal { public: void Wait() { cv_.wait(); } }; }\n",
        "use.cc": '#include "port_real.h"\nvoid go(port::Signal* s) { s->Wait(); }\n',
    }
    graph = make_graph(files)
    assert list_places(graph, find(graph, "port_example.h", "Wait")) == [("port_example.h", 1, True)]
    assert list_callers(graph, find(graph, "port_example.h", "Wait")) == []
    assert list_callers(graph, find(graph, "port_real.h", "Wait")) == ["go"]


def test_a_prototype_beside_a_stub_stands_for_both_definitions() -> None:
    header = "#ifdef FEATURE\nint start(void);\n#else\nstatic inline int start(void) { return 0; }\n#endif\n"
    files = {
        "lib/internal.h": header,
        "lib/feature.c": '#include "internal.h"\nint start(void)\n{\n\treturn 1;\n}\n',
        "lib/main.c": '#include "internal.h"\nint main(void)\n{\n\treturn start();\n}\n',
    }
    graph = make_graph(files)
    prototype, stub = [node for node in graph.outline("lib/internal.h") if node.symbol.name == "start"]
    for node in (prototype, stub, find(graph, "lib/feature.c", "start")):
        assert list_callers(graph, node) == ["main"]
    assert list_places(graph, prototype)[0] == ("lib/internal.h", 2, True)  # none of them is the only one
