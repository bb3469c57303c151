"""CommonJS: values that only their file names, modules required late, and class expressions."""

from __future__ import annotations

import pytest

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import EdgeType, SymbolFilter
from tests.repo_mcp.graph.memory_index import list_incoming, list_outgoing

CALLS, INHERITS = EdgeType.CALLS, EdgeType.INHERITS
TEXTS = {
    "lib/read-file.js": """\
const { readFile } = require("fs");
module.exports = (path) => readFile(path);
""",
    "lib/Shape.js": """\
module.exports = class Form {
  constructor(size) {}
  draw() {}
  static make() {}
};
""",
    "lib/drawers.js": """\
class Plan {}
Plan.Drawer = class PlanDrawer { run() {} };
exports.run = function runAll() {};
""",
    "lib/use.js": """\
const readFile = require("./read-file");
const load = require("./read-file");
const Figure = require("./Shape");
function one() { readFile("a"); }
function two() { return load("b"); }
function three() { return new Figure(1); }
class Square extends Figure {}
""",
    "lib/lazy.js": """\
const memoize = require("./memoize");
const getShape = memoize(() => require("./Shape"));
const getAgain = () => require("./Shape");
function getLate() { return require("./Shape"); }
function four() { throw new (getShape())(1); }
function five() { return new (getAgain())(
  2); }
function six() { getLate().make(); }
""",
    "lib/index.js": """\
module.exports = join({
  get Shape() { return require("./Shape"); },
  get readFile() {
    return require("./read-file");
  },
});
""",
    "test/use.js": """\
const lib = require("../lib");
function seven() { return new lib.Shape(1); }
function eight() { lib.readFile("x"); }
""",
    "package.json": '{"main": "lib/index.js", "types": "types.d.ts"}',
    "types.d.ts": "export class Vessel { constructor(size: number) }\n",
    "lib/vessels.js": "exports.Vessel = class Vessel { constructor(size) { this.size = size; } };\n",
    "test/main.js": """\
const all = require("..");
function eleven() { return new all.Vessel(1); }
""",
    "lib/Circle.js": """\
const Shape = require("./Shape");
class Circle extends (
  Shape
) {}
Circle.Maker = class CircleMaker {
  make() {}
};
module.exports = Circle;
""",
    "lib/Disc.js": """\
const Circle = require("./Circle");
class Disc extends Circle {}
Disc.Maker = class DiscMaker extends (
  Circle.Maker
) {
  make() {}
};
module.exports = Disc;
""",
    "lib/Plate.js": """\
const Disc = require("./Disc");
class Plate extends Disc {}
class Other extends (Plate.Maker) {}
""",
    "Shape.js": 'module.exports = require("./lib/Shape");\n',
    "test/ten.js": """\
const Again = require("../Shape");
function ten() { return new Again(1); }
""",
    "lib/apply.js": """\
const Shape = require("./Shape");
function nine(options) {
  new Shape({
    name: `${options.name} (of a longer kind, whose name needs more than one short line)`,
    // comments (and brackets
    size: /** @type {number} */ (options.size),
    color: options.colors.map((one) => one.replace(/[()]/g, "")).join(", "),
  }).draw(options);
}
""",
}


def list_callers(graph: Graph, name: str) -> list[str]:
    return [f"{end}:{lines[0]}" for _, _, end, lines in list_incoming(graph, name, CALLS)]


def test_what_a_file_exports_without_a_name_is_called_as_its_file_and_found_by_any_name(graph: Graph) -> None:
    assert {"one:4", "two:5"} < {*list_callers(graph, "readFile")}


def test_an_exported_class_is_found_by_the_names_that_importers_choose(graph: Graph) -> None:
    assert "three:6" in list_callers(graph, "Form")
    assert "Square" in [end for _, _, end, _ in list_incoming(graph, "Form", INHERITS)]


def test_an_exported_class_is_found_behind_a_module_that_gives_it_on(graph: Graph) -> None:
    assert "ten:2" in list_callers(graph, "Form")


def test_a_name_that_only_the_file_gives_is_none_in_it(graph: Graph) -> None:
    assert list_outgoing(graph, "readFile") == []


def test_a_function_that_only_requires_stands_for_the_module(graph: Graph) -> None:
    assert {"four:5", "five:6"} < {*list_callers(graph, "Form")}
    assert list_callers(graph, "Form.make") == ["six:8"]


def test_a_getter_that_only_requires_stands_for_the_module(graph: Graph) -> None:
    assert "seven:2" in list_callers(graph, "Form")
    assert "eight:3" in list_callers(graph, "readFile")


def test_declared_types_of_the_main_file_lead_to_what_runs(graph: Graph) -> None:
    body = graph.get_node(Declaration("lib/vessels.js", 1))
    found = graph.find_incoming(body, (CALLS,), Bounds(9, 9)).edges
    assert [graph.get_node(edge.other).name_inside for edge in found] == ["eleven"]


def test_a_base_in_parentheses_and_one_that_a_base_has(graph: Graph) -> None:
    assert [end for _, _, end, _ in list_incoming(graph, "Circle.Maker", INHERITS)] == ["Disc.Maker"]
    assert [end for _, _, end, _ in list_incoming(graph, "Disc.Maker", INHERITS)] == ["Other"]
    assert "Circle" in [end for _, _, end, _ in list_incoming(graph, "Form", INHERITS)]


def test_a_method_of_a_new_object_is_called_where_that_is_made(graph: Graph) -> None:
    assert list_callers(graph, "Form.draw") == ["nine:3"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("PlanDrawer", "Plan.Drawer"),
        ("PlanDrawer.run", "Plan.Drawer.run"),
        ("lib/Disc.js:DiscMaker", "Disc.Maker"),
        ("DiscMaker.make", "Disc.Maker.make"),
        ("runAll", "run"),
    ],
)
def test_the_own_name_of_a_class_or_function_finds_it(graph: Graph, text: str, name: str) -> None:
    assert graph.choose(text).name_inside == name


def test_symbols_are_searched_by_their_own_names(graph: Graph) -> None:
    found, _ = graph.search("DiscMaker", SymbolFilter(), 5)
    assert found[0][0].name_inside == "Disc.Maker"
