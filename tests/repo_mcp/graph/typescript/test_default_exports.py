"""Default exports: they have the names that importers choose, also behind calls and `import()`."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.hierarchy import hierarchy
from repo_mcp.graph.vocabulary import CALLS, NAMED, EdgeType
from tests.repo_mcp.graph.memory_index import list_incoming, make_graph

TEXTS = {
    "ui/Page.js": """\
import { observer } from "mobx-react";
function Page() { return <p />; }
export default observer(Page);
""",
    "ui/List.js": """\
const List = forwardRef((props, ref) => <ul ref={ref} />);
export default connect(select)(memo(List));
""",
    "ui/Late.js": """\
export default memo(Late, same);
function Late() { return <p />; }
""",
    "lib/move.ts": """\
async function moveItem() {}
export default traced({ name: "move" })(moveItem);
""",
    "lib/store.ts": """\
function reduce(state) {}
export default createStore(reduce);
""",
    "ui/index.ts": """\
export { default } from "./Page";
export { default as Rows } from "./List";
""",
    "lib/again.ts": """\
import go from "./move";
export default go;
""",
    "app/use.js": """\
import Screen from "../ui";
import { Rows } from "../ui";
import moveAgain from "../lib/again";
import * as moving from "../lib/move";
import store from "../lib/store";
import Late from "../ui/Late.js";
function show() { return <Screen><Rows /><Late /></Screen>; }
async function run() {
  moveAgain();
  moving.default();
  store();
  const { default: Loaded } = await import("../ui/Page");
  return <Loaded />;
}
""",
    "app/routes.ts": """\
export const Start = lazy(() => import("../ui/Page"));
export const parts = lazy(() => import("./parts"));
""",
    "app/parts.ts": "export const part = 1;\n",
}


def list_callers(graph: Graph, name: str) -> list[str]:
    return sorted(f"{end}:{lines[0]}" for _, _, end, lines in list_incoming(graph, name, *CALLS))


@pytest.mark.parametrize(
    ("name", "callers"),
    [
        ("Page", ["run:13", "show:7"]),
        ("List", ["show:7"]),
        ("Late", ["show:7"]),
        ("moveItem", ["run:9"]),
    ],
)
def test_what_a_call_wraps_is_the_default_export(graph: Graph, name: str, callers: list[str]) -> None:
    assert set(callers) <= {*list_callers(graph, name)}


def test_a_default_export_is_called_as_a_member_of_its_module(graph: Graph) -> None:
    assert [lines for _, _, end, lines in list_incoming(graph, "moveItem", *CALLS) if end == "run"] == [
        (9, 10)
    ]


def test_what_a_call_makes_of_a_function_is_another_value(graph: Graph) -> None:
    assert list_callers(graph, "reduce") == []


def test_a_function_that_only_imports_takes_the_default(graph: Graph) -> None:
    found = [(end, lines) for kind, _, end, lines in list_incoming(graph, "Page", *NAMED) if end == "Start"]
    assert found == [("Start", (1,))]
    importers = [end for _, _, end, _ in list_incoming(graph, "app/parts.ts", EdgeType.IMPORTS)]
    assert importers == ["parts"]


def test_classes_below_a_default_export_are_found_in_the_files_that_import_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hierarchy, "MAX_FILES", 3)
    files = {"a/base.ts": "export default class Base { run() {} }\n"}
    files |= {f"a/{number}.ts": 'import X from "elsewhere";\nclass Y extends X {}\n' for number in range(9)}
    files["a/index.ts"] = 'import Given from "./base";\nexport default Given;\n'
    files["z/use.ts"] = 'import Own from "../a";\nclass Mine extends Own { run() {} }\n'
    graph = make_graph(files)
    assert [end for _, _, end, _ in list_incoming(graph, "Base.run", EdgeType.OVERRIDES)] == ["Mine.run"]
