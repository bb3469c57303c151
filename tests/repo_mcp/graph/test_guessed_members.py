"""What a name alone leads to: only what the language lets the file name, and what runs."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "go.mod": "module example.org/app\n",
    "a/a.go": """
        package a
        type Box struct { size int; Width int }
        func (b Box) weigh() {}
        """,
    "a/near.go": """
        package a
        func near() { load().weigh() } // of its own package
        """,
    "b/b.go": """
        package b
        func use() {
            for _, one := range []struct{ size int }{{1}} {
                _ = one.size // of no type with a name
            }
            load().weigh() // a method of another package
            _ = load().Width // for all packages
        }
        """,
    "cmd/main.go": """
        package main
        type Writer struct { Height int }
        """,
    "b/c.go": """
        package b
        func other() { _ = load().Height } // of a program
        """,
    "A.java": """
        package p;
        class A { private int inner; private void hide() {} int seen; }
        """,
    "B.java": """
        package p;
        class B { void use() {
            load().inner = 1; // a private field
            load().hide(); // a private method
            load().seen = 1; // of the package
        } }
        """,
    "web/user.ts": "export class User { isLocked = 1; }\n",
    "web/team.ts": "export class Team { isLocked = 1; }\n",
    "server/user.ts": "export class User { isLocked = 1; }\n",
    "server/base.ts": "export class Plan { isPaid = 1; }\n",
    "server/plan.ts": """
        import { Plan as Base } from "./base";
        export class Plan extends Base {}
        """,
    "web/use.ts": """
        import { User } from "./user";
        load().isLocked; // not of the other User
        """,
    "web/other.ts": "load().isLocked; // of any\n",
    "server/use.ts": """
        import { Plan } from "./plan";
        load().isPaid; // of the base of that name
        """,
}
CASES = {
    "go: in its package": ("a/near.go", "// of its own package", "weigh", ["a/a.go:3 weigh probable"]),
    "go: an unnamed type": ("b/b.go", "// of no type with a name", "size", ["b/b.go:3 size exact"]),
    "go: elsewhere": ("b/b.go", "// a method of another package", "weigh", []),
    "go: exported": ("b/b.go", "// for all packages", "Width", ["a/a.go:2 Width probable"]),
    "go: a program": ("b/c.go", "// of a program", "Height", []),
    "java: a private field": ("B.java", "// a private field", "inner", []),
    "java: a private method": ("B.java", "// a private method", "hide", []),
    "typescript: another type of that name": (
        "web/use.ts",
        "// not of the other User",
        "isLocked",
        ["web/team.ts:1 isLocked possible", "web/user.ts:1 isLocked possible"],
    ),
    "typescript: any type": (
        "web/other.ts",
        "// of any",
        "isLocked",
        [f"{one}.ts:1 isLocked possible" for one in ("server/user", "web/team", "web/user")],
    ),
    "typescript: a base of the same name": (
        "server/use.ts",
        "// of the base of that name",
        "isPaid",
        ["server/base.ts:1 isPaid probable"],
    ),
    "java: not private": ("B.java", "// of the package", "seen", ["A.java:2 seen probable"]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_name_alone_means_only_what_the_file_can_name(case: str, repository: Repository) -> None:
    path, line, name, meant = CASES[case]
    assert repository.ask(path, line, name) == meant
