"""TypeScript and JavaScript: members of what every program has, and of every function."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository
from tests.repo_mcp.languages.described import list_references, read

CALL = ReferenceRole.CALL
FACTORY = "class Factory { create(a) {} assignAll() {} apply(a) {} }\nmodule.exports = Factory;\n"
USES = """
const made = Object.create(null);
const all = Object.assignAll({});
new Map().create();
function load(a) {}
load.apply(null, [1]);
function given(Object) { Object.assignAll(); }
"""


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ("const made", "create", ["-> Object.create"]),
        ("const all", "assignAll", ["-> Object.assignAll"]),
        ("new Map()", "create", ["-> Map.create"]),
        ("load.apply", "apply", ["-> Function.apply"]),
        ("function given", "assignAll", ["factory.js:1 assignAll probable"]),  # a parameter of that name
    ],
)
def test_a_member_of_a_global_is_none_of_the_repository(line: str, name: str, means: list[str]) -> None:
    found = Repository.build({"factory.js": FACTORY, "use.js": USES})
    assert found.ask("use.js", line, name, CALL) == means


def test_a_global_that_the_repository_declares_is_not_outside() -> None:
    texts = {
        "globals.d.ts": "declare var process: { assignAll(): void };",
        "factory.js": FACTORY,
        "use.ts": "process.assignAll();",
    }
    assert Repository.build(texts).ask("use.ts", "process", "assignAll", CALL) != ["-> process.assignAll"]
    texts["globals.d.ts"] = "export class Options { process(): void; }"  # a member of that name is another
    assert Repository.build(texts).ask("use.ts", "process", "assignAll", CALL) == ["-> process.assignAll"]


def test_apply_with_the_own_object_is_a_member_of_functions() -> None:
    found = read(
        "a.js",
        """
        queue.push.apply(queue, items);
        Store.prototype.load.call(this, 1);
        template.apply(given, items);
        """,
    )
    assert list_references(found, CALL) == [
        ": CALL queue|push 1 as ()",
        ": CALL Store.prototype|load 2 as ()",
        ": CALL template|apply 3 n=3",
        ": CALL |template 3 as ()",
    ]
