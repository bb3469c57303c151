"""TypeScript: members of values that a condition narrows, of merged types, and of classes themselves."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "src/types.ts": """
        export interface Shape { items: number; side: number }
        export interface Box { items: string; lid: number }
        export type Merged<A, B> = { [K in keyof A]: K extends keyof B ? B[K] : A[K] }
        export type Result = Merged<Shape, { items: () => void }> & { added: number }
        export type Some = Partial<{ part: number }>
        export function isBox(value: unknown): value is Box { return true }
        export function isGood(value: unknown): boolean { return true }
        """,
    "src/use.ts": """
        import { Box, Result, Shape, Some, isBox, isGood } from "./types"
        function narrowed(value: Shape) {
          if (!isBox(value) || !value.items) return
          return value.lid
        }
        function asked(shape: Shape) {
          if (isGood(shape)) return shape.items
          return shape.side
        }
        function merged(result: Result, some: Some) {
          result.items()
          some.part
        }
        class Fault extends Error {
          name = "fault"
          static kind = 1
        }
        function told(error: Fault) { return error.name }
        const own = Fault.name
        namespace Geo {
          export function draw() {}
          export namespace Inner { export const area = 1 }
        }
        import paint = Geo.draw
        import area = Geo.Inner.area
        paint()
        console.log(area)
        """,
}


@pytest.mark.parametrize(
    ("line", "name", "meant"),
    [
        ("!value.items", "items", ["src/types.ts:1 items probable", "src/types.ts:2 items probable"]),
        ("shape.items", "items", ["src/types.ts:1 items exact"]),
        ("shape.side", "side", ["src/types.ts:1 side exact"]),
        ("some.part", "part", ["src/types.ts:5 part exact"]),
        ("error.name", "name", ["src/use.ts:15 name exact"]),
        ("Fault.name", "name", ["-> Function.name"]),
        ("    paint()".strip(), "paint", ["src/use.ts:21 draw exact"]),
        ("log(area)", "area", ["src/use.ts:22 area exact"]),
    ],
)
def test_a_member_is_as_sure_as_what_decides_it(
    repository: Repository, line: str, name: str, meant: list[str]
) -> None:
    assert sorted(repository.ask("src/use.ts", line, name)) == meant


def test_what_a_type_is_given_need_not_be_its_own(repository: Repository) -> None:
    said = repository.ask("src/use.ts", "result.items", "items")
    assert {one.rpartition(" ")[2] for one in said} == {"probable"}
