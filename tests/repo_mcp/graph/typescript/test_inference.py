"""TypeScript: what objects that calls are given say of types, and what the text of a long type says."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

CALL, USE, TYPE = ReferenceRole.CALL, ReferenceRole.USE, ReferenceRole.TYPE
TYPES = """
export interface Query<R> { kind: "query"; result: R }
export interface Mutation<R> { kind: "mutation"; result: R }
export interface Asked { start(): void }
export interface Changed { start(): void; undo(): void }
export interface Builder { query<R>(what: Source<R>): Query<R>; mutation<R>(what: Source<R>): Mutation<R> }
export interface Source<R> { read: () => R }
export type Made<D> = {
  ends: {
    [K in keyof D]: D[K] extends Query<any> ? Asked
      : D[K] extends infer One ? One extends Mutation<any> ? Changed : never : never
  }
  add<N>(more: { ends: (build: Builder) => N; quiet?: boolean }): Made<D & N>
}
export interface Options<D> { title: string; ends: (build: Builder) => D; log?: Log }
export interface Log { lines: number }
export declare function make<D>(options: Options<D>): Made<D>;
export interface Shape { side: number; area: number }
export declare function open(): Log;
export type Kept<L> = { log: L };
export declare function keep<L>(options: { log: L; title: string }): Kept<L>;
"""
USES = """
import { keep, make, open } from "./types";
const api = make({
  title: "a",
  ends: (build) => ({
    one: build.query({ read: () => 1 }),
    two: build.mutation({ read: () => 2 }),
  }),
});
export function first() { api.ends.one.start(); }
export function second() { api.ends.two.undo(); }
const more = api.add({ ends: (build) => ({ three: build.mutation({ read: () => 3 }) }) });
export function third() { more.ends.three.undo(); }
export function fourth() { more.ends.one.start(); }
export function local() {
  const kept = keep({ title: "", log: open() });
  return kept.log.lines;
}
"""


TEXTS = {"types.ts": TYPES, "use.ts": USES}


@pytest.mark.parametrize(
    ("line", "name", "role", "declared"),
    [
        ("function first", "start", CALL, 3),
        ("function second", "undo", CALL, 4),
        ("function third", "undo", CALL, 4),
        ("function fourth", "start", CALL, 3),
        ("return kept", "lines", USE, 15),
    ],
)
def test_members_of_an_object_choose_types(
    repository: Repository, line: str, name: str, role: ReferenceRole, declared: int
) -> None:
    assert repository.ask("use.ts", line, name, role) == [f"types.ts:{declared} {name} probable"]


def test_a_type_or_parameters_beyond_one_string_of_a_record_are_whole() -> None:
    parts = " & ".join(f"{{ member{at}: number }}" for at in range(15))
    pattern = ", ".join(f"option{at} = (one) => one" for at in range(15))
    types = f"""
        export interface Last {{ end: number }}
        export type Long = {parts} & Last;
        export function take({{ {pattern} }}: Last = {{}}) {{}}
    """
    uses = """
        import { Long, take } from "./types";
        export function long(one: Long) { return one.end; }
        take({ end: 1 });
    """
    repository = Repository.build({"types.ts": types, "use.ts": uses})
    assert repository.ask("use.ts", "return one.end", "end", USE) == ["types.ts:1 end exact"]
    assert repository.ask("use.ts", "take({", "end", USE) == ["types.ts:1 end exact"]


def test_a_function_called_where_it_is_written_gives_what_it_casts_to() -> None:
    text = """
        interface Maker { run(): void }
        export const maker = (() => {
          function maker() {}
          return maker as Maker;
        })();
        export function use() { maker.run(); }
    """
    assert Repository.build({"a.ts": text}).ask("a.ts", "maker.run", "run", CALL) == ["a.ts:1 run exact"]


def test_members_that_a_type_leaves_out_are_another_ones() -> None:
    text = """
        import { Outside } from "outside";
        interface Base { kept: number; gone: string }
        interface Own { gone: number }
        type Less = Omit<Base, "gone"> & Own;
        type Few = Outside & Pick<Base, "kept">;
        export function omitted(one: Less) { one.gone; }
        export function picked(one: Few) { one.kept; }
        export function outside(one: Few) { one.gone; }
        export function twice(one: Pick<Required<Base>, "kept"> & Pick<Base, "gone">) { one.kept; one.gone; }
        export function both(one: Omit<Base, "gone"> & Base) { one.gone; }
    """
    repository = Repository.build({"a.ts": text})
    assert repository.ask("a.ts", "function omitted", "gone", USE) == ["a.ts:3 gone exact"]
    assert repository.ask("a.ts", "function picked", "kept", USE) == ["a.ts:2 kept exact"]
    assert repository.ask("a.ts", "function twice", "kept", USE) == ["a.ts:2 kept exact"]
    assert repository.ask("a.ts", "function twice", "gone", USE) == ["a.ts:2 gone exact"]
    assert "exact" not in str(repository.ask("a.ts", "function outside", "gone", USE))
    assert repository.ask("a.ts", "function both", "gone", USE) == ["a.ts:2 gone exact"]


def test_what_satisfies_a_type_need_not_be_of_it() -> None:
    text = """
        interface Wide { size?: number }
        export function use() {
          const value = { size: 1 } satisfies Wide;
          return value.size;
        }
    """
    assert "exact" not in str(Repository.build({"a.ts": text}).ask("a.ts", "return value.size", "size", USE))


def test_a_base_from_outside_may_have_what_an_interface_promises() -> None:
    text = """
        interface Said { message: string }
        class Failure extends Error implements Said {}
        export function use(one: Failure) { return one.message; }
    """
    assert Repository.build({"a.ts": text}).ask("a.ts", "one.message", "message", USE) == [
        "a.ts:1 message probable"
    ]


def test_a_type_is_not_a_function_of_its_name() -> None:
    texts = {
        "types.ts": "export type Provider = (one: number) => void;",
        "a.tsx": """
            import type { Provider } from "./types";
            export function make() {
              const Provider: Provider = (props) => <div />;
              return Provider;
            }
        """,
    }
    assert Repository.build(texts).ask("a.tsx", "const Provider", "Provider", TYPE) == [
        "types.ts:1 Provider exact"
    ]


def test_a_module_of_typescript_is_what_it_exports() -> None:
    texts = {
        "a.ts": """
            export default function start() {}
            export function stop() {}
            if (typeof module !== "undefined") { module.exports = Object.assign(start, module.exports); }
        """,
        "b.ts": 'import * as whole from "./a";\nwhole.stop();\n',
    }
    repository = Repository.build(texts)
    assert repository.ask("b.ts", "whole.stop", "whole", USE) == ["a.ts:1 a.ts exact"]
    assert repository.ask("b.ts", "whole.stop", "stop", CALL) == ["a.ts:2 stop exact"]


def test_modules_that_are_declared_by_name_or_suffix() -> None:
    texts = {
        "types.d.ts": """
            declare module "*.module.css" { const classes: Record<string, string>; export default classes; }
            declare module "plain" { export function run(): void; }
        """,
        "a.ts": """
            import styles from "./a.module.css";
            import { run } from "plain";
            styles.root;
            run();
        """,
    }
    repository = Repository.build(texts)
    assert repository.ask("a.ts", "styles.root", "styles", USE) == ["types.d.ts:1 classes exact"]
    assert repository.ask("a.ts", "run();", "run", CALL) == ["types.d.ts:2 run exact"]


def test_packages_in_folders_of_other_names() -> None:
    texts = {
        "package.json": '{"workspaces": ["packages/*/*", "libs/**"]}',
        "packages/react/popper/package.json": '{"name": "@kit/react-popper", "main": "./src/index.ts"}',
        "packages/react/popper/src/index.ts": "export function place() {}",
        "libs/deep/er/tool/package.json": '{"name": "tool-kit", "main": "./src/index.ts"}',
        "libs/deep/er/tool/src/index.ts": "export function work() {}",
        "apps/a.ts": """
            import { place } from "@kit/react-popper";
            import { work } from "tool-kit";
            place();
            work();
        """,
    }
    repository = Repository.build(texts)
    assert repository.ask("apps/a.ts", "place();", "place", CALL) == [
        "packages/react/popper/src/index.ts:1 place exact"
    ]
    assert repository.ask("apps/a.ts", "work();", "work", CALL) == [
        "libs/deep/er/tool/src/index.ts:1 work exact"
    ]


def test_packages_that_export_only_what_is_below_them() -> None:
    texts = {
        "pnpm-workspace.yaml": "packages:\n  - packages/**\n",
        "packages/1-base/utils/package.json": """
            {"name": "@kit/utils", "exports": {"./casts": "./dist/casts.mjs", "./json": "./dist/json.mjs"}}
        """,
        "packages/1-base/utils/tsdown.config.ts": "export default { entry: ['src/exports/json.ts'] };",
        "packages/1-base/utils/src/casts.ts": "export function cast() {}",
        "packages/1-base/utils/src/exports/json.ts": "export { parse } from '../core/text';",
        "packages/1-base/utils/src/core/text.ts": "export function parse() {}",
        "packages/2-top/app/a.ts": """
            import { cast } from "@kit/utils/casts";
            import { parse } from "@kit/utils/json";
            cast();
            parse();
        """,
    }
    repository = Repository.build(texts)
    assert repository.ask("packages/2-top/app/a.ts", "cast();", "cast", CALL) == [
        "packages/1-base/utils/src/casts.ts:1 cast exact"
    ]
    assert repository.ask("packages/2-top/app/a.ts", "parse();", "parse", CALL) == [
        "packages/1-base/utils/src/core/text.ts:1 parse exact"
    ]


def test_paths_of_the_configurations_that_one_refers_to() -> None:
    texts = {
        "web/tsconfig.json": """
            {"files": [], "references": [{"path": "./tsconfig.node.json"}, {"path": "./tsconfig.app.json"}]}
        """,
        "web/tsconfig.node.json": '{"include": ["vite.config.ts"]}',
        "web/tsconfig.app.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
        "web/src/lib/draw.ts": "export function draw() {}",
        "web/src/view/a.ts": 'import { draw } from "@/lib/draw";\ndraw();\n',
    }
    repository = Repository.build(texts)
    assert repository.ask("web/src/view/a.ts", "draw();", "draw", CALL) == [
        "web/src/lib/draw.ts:1 draw exact"
    ]


def test_workspaces_that_begin_in_a_folder() -> None:
    texts = {
        "web/pnpm-workspace.yaml": "packages:\n  - 'libs/*'\n",
        "web/libs/kit/package.json": '{"name": "@web/kit", "exports": {".": "./dist/index.js"}}',
        "web/libs/kit/src/index.ts": "export function draw() {}",
        "web/libs/a/package.json": '{"name": "other-name", "main": "./src/index.ts"}',
        "web/libs/a/src/index.ts": "export function work() {}",
        "server/package.json": '{"workspaces": ["parts/*"]}',
        "server/parts/kit/package.json": '{"name": "@web/kit", "main": "./src/index.ts"}',
        "server/parts/kit/src/index.ts": "export function draw() {}",
        "web/app/view.ts": """
            import { draw } from "@web/kit";
            import { work } from "other-name";
            draw();
            work();
        """,
        "server/main.ts": 'import { draw } from "@web/kit";\ndraw();\n',
        "tool.ts": 'import { draw } from "@web/kit";\ndraw();\n',
    }
    repository = Repository.build(texts)
    assert repository.ask("web/app/view.ts", "draw();", "draw", CALL) == [
        "web/libs/kit/src/index.ts:1 draw exact"
    ]
    assert repository.ask("web/app/view.ts", "work();", "work", CALL) == [
        "web/libs/a/src/index.ts:1 work exact"
    ]
    assert repository.ask("server/main.ts", "draw();", "draw", CALL) == [
        "server/parts/kit/src/index.ts:1 draw exact"
    ]
    assert repository.ask("tool.ts", "draw();", "draw", CALL) == ["-> @web/kit.draw"]


def test_what_another_file_adds_to_an_interface() -> None:
    texts = {
        "core.ts": "export interface Options<T> { size: number }",
        "other.ts": "export interface Options { hidden: number }",
        "more.ts": """
            export interface Point { x: number }
            declare module "./core" { interface Options<T> { value: T } }
        """,
        "use.ts": """
            import { Options } from "./core";
            import { Point } from "./more";
            export function use(one: Options<Point>) { one.value.x; one.size; }
        """,
    }
    repository = Repository.build(texts)
    assert repository.ask("use.ts", "function use", "value", USE) == ["more.ts:2 value exact"]
    assert repository.ask("use.ts", "function use", "x", USE) == ["more.ts:1 x exact"]
    assert repository.ask("use.ts", "function use", "size", USE) == ["core.ts:1 size exact"]


def test_what_this_is_in_the_field_of_a_class_is_not_sure() -> None:
    text = """
        class Counter {
          total = 1;
          run = function* () { this.total = 2; };
          walk = () => { this.total = 3; };
        }
    """
    repository = Repository.build({"a.js": text})
    assert repository.ask("a.js", "run =", "total", USE) == ["a.js:2 total possible"]
    assert repository.ask("a.js", "walk =", "total", USE) == ["a.js:2 total exact"]


def test_items_of_a_list_of_known_types() -> None:
    text = """
        interface Point { x: number }
        interface Reader<T> { (name: string): T }
        interface Maker { <T>(name: string): readonly [first: string, read: Reader<T>] }
        declare function start(): readonly [Maker, number];
        const [make, , none] = start();
        const [, read] = make<Point>("");
        export function written() { return read("").x; }
        export function pair() {
          function own(): Point { throw 1 }
          return [1, own] as const;
        }
        export function returned() { const [, own] = pair(); return own().x; }
        export function typed() { const [{ x }]: [Point, Point] = null!; }
        export function open() { const [first] = [1, 2]; return first.x; }
    """
    repository = Repository.build({"a.ts": text})
    for line in ("function written", "function returned", "function typed"):
        assert repository.ask("a.ts", line, "x", USE) == ["a.ts:1 x exact"]
    assert "exact" not in str(repository.ask("a.ts", "function open", "x", USE))


def test_members_beside_those_of_any_name() -> None:
    text = """
        interface Own { start(): void }
        interface Item { x: number }
        type Both<A, B> = keyof A & keyof B extends never ? A & B : never;
        type All<T> = { [K in keyof T]: T[K] extends infer V ? V extends string ? Item : Item : never };
        export function use<T>(one: Both<Own, All<T>>) { one.start(); }
    """
    assert Repository.build({"a.ts": text}).ask("a.ts", "function use", "start", CALL) == [
        "a.ts:1 start probable"
    ]
