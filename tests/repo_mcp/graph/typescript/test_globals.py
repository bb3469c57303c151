"""TypeScript: what `declare global` declares is seen in every file, and merged with what the language has."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "src/poly.ts": """
        export {};
        declare global {
          interface Sub<T> { next(value: T): void; }
          var Sub: { readonly prototype: Sub<any> };
          interface Maker { from(value: any): Sub<any>; }
          var Made: Maker;
          interface Window { own: Sub<any>; }
          interface Promise<T> { later(): void }
          function helper(): Sub<any>;
        }
        function inside(sub: Sub<any>) { sub.next(2); }
        """,
    "src/more.ts": """
        export interface Other {}
        declare global { interface Sub<T> { other(): void } }
        """,
    "src/use.ts": """
        import "./poly";
        export function one(sub: Sub<number>) { sub.next(1); sub.other(); sub.strange(); }
        export function two() { Made.from(1).next(2); helper().next(4); }
        export function three() { window.own.next(3); }
        export function four(given: Promise<any>) { given.later(); }
        export function five() { Promise.resolve(4); }
        export function six(Made: string) { Made.from(); }
        """,
}
NEXT = "src/poly.ts:3 next"


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("function one", "Sub", ["src/more.ts:2 Sub probable", "src/poly.ts:3 Sub probable"]),
        ("function one", "next", [f"{NEXT} probable"]),
        ("function one", "other", ["src/more.ts:2 other probable"]),
        ("function one", "strange", ["-> Sub.strange"]),
        ("function two", "Made", ["src/poly.ts:6 Made probable"]),
        ("function two", "from", ["src/poly.ts:5 from probable"]),
        ("function two", "helper", ["src/poly.ts:9 helper probable"]),
        ("function two", "next", [f"{NEXT} probable"]),
        ("function three", "next", [f"{NEXT} exact"]),
        ("function four", "later", ["src/poly.ts:8 later probable"]),
        ("function five", "resolve", ["-> Promise.resolve"]),
        ("function six", "from", []),
    ],
)
def test_what_a_file_sees_of_what_is_global(line: str, name: str, said: list[str]) -> None:
    assert Repository.build(TEXTS).ask("src/use.ts", line, name) == said


def test_the_file_of_a_global_declaration_sees_it_too() -> None:
    assert Repository.build(TEXTS).ask("src/poly.ts", "function inside", "next") == [f"{NEXT} probable"]
