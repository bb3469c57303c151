"""TypeScript: which of several types a value has behind a condition that tells them apart."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

CALL = ReferenceRole.CALL
CAT, DOG = "pets.ts:1 purr", "pets.ts:2 purr"
PETS = """\
export class Cat { purr() { return 1 } kind = "cat" as const }
export class Dog { purr() { return 2 } kind = "dog" as const }
"""


def ask(body: str, given: str = "x: Cat | Dog") -> list[str]:
    """Return what `x.purr()` in the line marked with HERE means."""
    text = f'import {{ Cat, Dog }} from "./pets"\nexport function run({given}) {{\n{body}\n}}\n'
    found = Repository.build({"pets.ts": PETS, "use.ts": text})
    return found.ask("use.ts", "HERE", "purr", CALL)


@pytest.mark.parametrize(
    "body",
    [
        "if (x instanceof Cat) {\n  x.purr() // HERE\n}",
        "if (ready && (x instanceof Cat)) {\n  run(() => x.purr()) // HERE\n}",
        "if (x instanceof Dog) return\nif (x instanceof Cat) {\n  x.purr() // HERE\n}",
    ],
)
def test_instanceof_tells_the_class_in_its_branch(body: str) -> None:
    assert ask(body) == [f"{CAT} exact"]


def test_instanceof_tells_the_class_of_a_member() -> None:
    assert ask("if (x.pet instanceof Cat) {\n  x.pet.purr() // HERE\n}", "x: { pet: Cat | Dog }") == [
        f"{CAT} exact"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "if (x instanceof Cat) {\n} else {\n  x.purr() // HERE\n}",
        "if (!(x instanceof Cat)) {\n  x.purr() // HERE\n}",
        "if (x instanceof Cat || ready) {\n  x.purr() // HERE\n}",
        "if (x instanceof Cat) {\n  x = new Dog()\n  x.purr() // HERE\n}",
        "if (x instanceof Cat) {\n  items.map((x, at) => at)\n  x.purr() // HERE\n}",
        'if (x.kind === "cat") {\n  x.purr() // HERE\n}',
        'if ("cat" !== x.kind) {\n  x.purr() // HERE\n}',
        'if ("tail" in x) {\n  x.purr() // HERE\n}',
        'switch (x.kind) {\n  case "cat":\n    x.purr() // HERE\n}',
    ],
)
def test_what_else_tells_types_apart_leaves_them_unsure(body: str) -> None:
    assert ask(body) == [f"{CAT} probable", f"{DOG} probable"]


@pytest.mark.parametrize(
    "body",
    [
        "x.purr() // HERE",
        "x.purr() // HERE\nif (x instanceof Cat) return",
        "if (y.kind === 1) {\n  x.purr() // HERE\n}",
        "if (x.kind === undefined) {\n  x.purr() // HERE\n}",
    ],
)
def test_no_condition_about_a_value_leaves_all_its_types(body: str) -> None:
    assert ask(body) == [f"{CAT} exact", f"{DOG} exact"]


def test_an_imported_type_stands_beside_a_namespace() -> None:
    found = Repository.build(
        {
            "types.ts": "export type Options = { depth: number }\n",
            "use.ts": """
            import { Options } from "./types"
            namespace Options {
              export function flatten(given: Options) { return given }
            }
            const made = Options.flatten({ depth: 1 })
            """,
        }
    )
    assert found.ask("use.ts", "function flatten", "Options", ReferenceRole.ACCEPT) == [
        "types.ts:1 Options exact"
    ]
    assert found.ask("use.ts", "const made", "flatten", CALL) == ["use.ts:3 flatten exact"]
