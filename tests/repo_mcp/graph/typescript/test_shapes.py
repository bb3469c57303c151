"""Interfaces of TypeScript that classes satisfy by their shape: which, and what follows for calls."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.hierarchy.structural_types import MAX_ALIKE
from repo_mcp.graph.vocabulary import CALLS, NAMED, EdgeType
from tests.counted_calls import count_calls
from tests.growth import assert_linear
from tests.repo_mcp.graph.memory_index import MemoryIndex, find_node, list_incoming, list_outgoing, make_graph

SHAPES = {
    "shape.ts": (
        "export interface Named { name: string }\n"
        "export interface Shape extends Named {\n"
        "  area(scale: number, unit?: string): number;\n"
        "  draw?(): void;\n"
        "}\n"
        "export type Closable = { close(): void };\n"
        "export abstract class Drawn { abstract draw(): void; }\n"
        "export function sum(all: Shape[], one: Closable) {\n"
        "  for (const each of all) each.area(1);\n"
        "  one.close();\n"
        "}\n"
    ),
    "classes.ts": (
        "import { Drawn, Shape } from './shape';\n"
        "export class Square { name = ''; area(scale: number) { return scale; } close() {} }\n"
        "export class Small extends Square { area(scale: number) { return 0; } }\n"
        "export class Circle implements Shape { name = ''; area() { return 1; } }\n"
        "export class Base { name = ''; }\n"
        "export class Disc extends Base { area = (scale: number) => 3; }\n"
        "export class Box extends Base { constructor(public area: () => number) { super(); } }\n"
        "export class Greedy extends Base { area(a: number, b: string, c: string) { return 1; } }\n"
        "export class Worded extends Base { area(scale: number): string { return ''; } }\n"
        "export class Hidden extends Base { private area(scale: number) { return 1; } }\n"
        "export class Static extends Base { static area(scale: number) { return 1; } }\n"
        "export class Maybe extends Base { area?: () => number; }\n"
        "export class Sized extends Base { area: number = 1; }\n"
        "export class Undrawn extends Base { area() { return 1; } draw: string = ''; }\n"
    ),
}


@pytest.fixture(scope="module")
def shapes() -> Graph:
    return make_graph(SHAPES)


def list_satisfying(graph: Graph, name: str) -> list[str]:
    found = list_incoming(graph, name, EdgeType.IMPLEMENTS)
    return [other for _, confidence, other, _ in found if confidence == "possible"]


def test_classes_that_have_what_an_interface_requires_satisfy_it(shapes: Graph) -> None:
    assert list_satisfying(shapes, "Shape") == ["Square", "Disc", "Box"]
    assert ("implements", "exact", "Circle", (4,)) in list_incoming(shapes, "Shape", EdgeType.IMPLEMENTS)


def test_a_base_without_a_base_may_have_the_rarest_member() -> None:
    text = (
        "export interface Pump { fill(): void; level: number; }\n"
        "export class Tank { fill() {} }\n"
        "export class Gauge extends Tank { level = 1; }\n"
    )
    assert list_satisfying(make_graph({"pump.ts": text}), "Pump") == ["Gauge"]


def test_thousands_of_classes_with_one_of_two_members_are_examined_once() -> None:
    def write(count: int) -> str:
        tanks = "".join(
            f"class Tank{at} {{ fill() {{ new Tank{(at + 1) % count}(); }} }}\n" for at in range(count)
        )
        pump = "export interface Pump { fill(): void; level: number; }\n"
        return f"{pump}{tanks}class Gauge extends Tank1 {{ level = 1; }}\n"

    assert_linear(write, list_pumps, 100)


def test_classes_with_many_members_are_examined_once() -> None:
    def write(count: int) -> str:
        pump = "".join(f"m{at}(): void; " for at in range(count))
        gauge = "".join(f"m{at}() {{}} " for at in range(1, count))
        gauges = "".join(f"class Gauge{at} extends Tank {{ {gauge}}}\n" for at in range(20))
        return f"export interface Pump {{ {pump}}}\nclass Tank {{ m0() {{}} }}\n{gauges}"

    assert_linear(write, list_pumps, 20)


@pytest.mark.parametrize("alike", [0, MAX_ALIKE])
def test_what_declares_the_other_members_is_looked_up_once_for_a_class(
    monkeypatch: pytest.MonkeyPatch, alike: int
) -> None:
    called = count_calls(monkeypatch, MemoryIndex, "list_declaring")
    members = "".join(f"m{at}() {{}} " for at in range(50))
    others = {f"other{at}.ts": "class Other { m1() {} m2() {} m3() {} }\n" for at in range(alike)}
    graph = make_graph({"tank.ts": f"export class Tank {{ {members}}}\n", **others})
    for name in ("Tank.m1", "Tank.m2", "Tank.m3"):
        node = find_node(graph, name)
        called.clear()
        graph.find_outgoing(node, (EdgeType.OVERRIDES,))
        asked = [name for _, name in called]
        is_first = name == "Tank.m1" and alike
        assert (asked.count("m40"), len(asked) > 50) == ((1, True) if is_first else (0, False))


def list_pumps(text: str) -> list[str]:
    """Answer from a graph that knows nothing yet."""
    return list_satisfying(make_graph({"pump.ts": text}), "Pump")


def test_a_name_of_an_object_type_is_satisfied_as_an_interface_is(shapes: Graph) -> None:
    assert list_satisfying(shapes, "Closable") == ["Square"]


@pytest.mark.parametrize(
    "head",
    [
        "interface Wanted extends Called",
        "interface Wanted extends Outside",
        "interface Wanted extends Omit<Base, 'x'>",
        "interface Wanted { new (): Wanted } interface Wanted",
        "interface Wanted { [key: string]: Base } interface Wanted",
        "interface Wanted { (): void } interface Wanted",
    ],
)
def test_what_no_class_has_in_full_is_not_satisfied(head: str) -> None:
    plain = "class Own { run() {} }\ninterface Base { x: string }\ntype Called = () => void;\n"
    graph = make_graph({"a.ts": f"{plain}import {{ Outside }} from 'outside';\n{head} {{ run(): void }}\n"})
    shown = [row for row in graph.outline("a.ts") if row.qualified_name == "Own"]
    edges = graph.find_outgoing(shown[0], [EdgeType.IMPLEMENTS]).edges
    assert edges == ()


def test_a_class_with_the_same_base_outside_satisfies_an_interface_with_it() -> None:
    text = (
        "import { Emitter } from 'outside';\n"
        "interface Source extends Emitter { read(): void }\n"
        "class File extends Emitter { read() {} }\n"
        "class Plain { read() {} }\n"
    )
    assert list_satisfying(make_graph({"a.ts": text}), "Source") == ["File"]


def test_a_single_method_of_a_common_name_tells_too_little() -> None:
    texts = {f"c{at}.ts": "export class C { dispose() {} }\n" for at in range(MAX_ALIKE)}
    few = make_graph(texts | {"c0.ts": "export interface Disposable { dispose(): void }\n"})
    assert len(list_satisfying(few, "Disposable")) == MAX_ALIKE - 1
    many = make_graph(texts | {"d.ts": "export interface Disposable { dispose(): void }\n"})
    assert list_satisfying(many, "Disposable") == []
    assert not many.edge_lists.is_distinctive(find_node(many, "Disposable").declaration)


def test_an_interface_without_methods_is_met_by_any_data(shapes: Graph) -> None:
    assert list_satisfying(shapes, "Named") == []
    assert not shapes.edge_lists.is_distinctive(find_node(shapes, "Named").declaration)
    assert shapes.edge_lists.is_distinctive(find_node(shapes, "Shape").declaration)


def test_a_class_satisfies_an_interface_and_does_not_name_it(shapes: Graph) -> None:
    assert list_outgoing(shapes, "Disc", EdgeType.IMPLEMENTS) == [
        ("implements", "possible", "Shape", (6,)),
    ]
    assert not any(other == "Disc" for _, _, other, _ in list_incoming(shapes, "Shape", *NAMED))


def test_a_method_overrides_that_of_the_interface(shapes: Graph) -> None:
    found = list_incoming(shapes, "Shape.area", EdgeType.OVERRIDES)
    assert [(other, confidence) for _, confidence, other, _ in found] == [
        ("Circle.area", "exact"),
        ("Square.area", "possible"),
        ("Small.area", "possible"),
        ("Disc.area", "possible"),
        ("Box.area", "possible"),
    ]
    assert list_outgoing(shapes, "Square.area", EdgeType.OVERRIDES) == [
        ("overrides", "possible", "Shape.area", (2,)),
    ]


@pytest.mark.parametrize(
    ("member", "via", "line"), [("Square.area", "Shape.area", 9), ("Square.close", "Closable.close", 10)]
)
def test_a_call_through_an_interface_may_run_it(shapes: Graph, member: str, via: str, line: int) -> None:
    node = find_node(shapes, member)
    edges = shapes.find_incoming(node, CALLS, dispatches=True).edges
    reported = [
        (shapes.get_node(one.other).qualified_name, one.confidence, one.lines) for one in edges if one.via
    ]
    assert reported == [("sum", "possible", (line,))]
    assert [shapes.get_node(one.via).qualified_name for one in edges if one.via] == [via]
    called = shapes.find_outgoing(find_node(shapes, "sum"), CALLS, dispatches=True).edges
    assert member in [shapes.get_node(one.other).qualified_name for one in called if one.via]


def test_a_class_may_replace_an_optional_member_that_its_base_hides() -> None:
    text = (
        "interface Wanted { note?: string; run(): void }\n"
        "class Base { private note = 1; run() {} }\n"
        "class Plain extends Base { }\n"
        "class Open extends Base { note = ''; }\n"
    )
    assert list_satisfying(make_graph({"a.ts": text}), "Wanted") == ["Open"]
