"""TypeScript and JavaScript: names through modules, scopes and written types, in small repositories."""

from __future__ import annotations

import json

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.deep.sizes import choose
from tests.repo_mcp.graph.resolved import Repository

IMPORT, CALL, USE = ReferenceRole.IMPORT, ReferenceRole.CALL, ReferenceRole.USE


def test_relative_modules_in_all_spellings() -> None:
    found = Repository.build(
        {
            "src/a.ts": """
                import { one } from "./b";
                import { two } from "./c.js";
                import { three } from "../lib";
                import { four } from "./d/index";
                import { five } from "./missing";
                import e from "./e.jsx";
                one(); two(); three(); four(); five(); e();
            """,
            "src/b.tsx": "export const one = () => 1;\n",
            "src/c.ts": "export function two() {}\n",
            "lib/index.ts": "export function three() {}\n",
            "src/d/index.js": "exports.four = function () {};\n",
            "src/e.tsx": "export default function () {}\n",
        }
    )
    line = "one(); two();"
    assert found.ask("src/a.ts", line, "one", CALL) == ["src/b.tsx:1 one exact"]
    assert found.ask("src/a.ts", line, "two", CALL) == ["src/c.ts:1 two exact"]
    assert found.ask("src/a.ts", line, "three", CALL) == ["lib/index.ts:1 three exact"]
    assert found.ask("src/a.ts", line, "four", CALL) == ["src/d/index.js:1 four exact"]
    assert found.ask("src/a.ts", line, "five", CALL) == ["-> ./missing.five"]
    assert found.ask("src/a.ts", line, "e", CALL) == ["src/e.tsx:1 e exact"]


def test_barrels_and_names_given_on() -> None:
    found = Repository.build(
        {
            "index.ts": """
                export * from "./deep";
                export { helper as renamed, default as Main } from "./helper";
                export * as tools from "./tools";
            """,
            "deep/index.ts": 'export * from "./one";\nexport * from "./two";\nexport * from "..";\n',
            "deep/one.ts": "export class One { go() {} }\n",
            "deep/two.ts": "export interface Two { go(): void }\n",
            "helper.ts": "export function helper() {}\nexport default class Main2 {}\n",
            "tools.ts": "export const hammer = () => 1;\n",
            "use.ts": """
                import { One, renamed, Main, tools, Missing } from ".";
                import * as all from "./index";
                new One().go();
                renamed();
                new Main();
                tools.hammer();
                all.tools.hammer(1);
                all.renamed(2);
                Missing();
            """,
        }
    )
    assert found.ask("use.ts", "new One()", "One") == ["deep/one.ts:1 One exact"]
    assert found.ask("use.ts", "new One()", "go") == ["deep/one.ts:1 go exact"]
    assert found.ask("use.ts", "renamed();", "renamed") == ["helper.ts:1 helper exact"]
    assert found.ask("use.ts", "new Main", "Main") == ["helper.ts:2 Main2 exact"]
    assert found.ask("use.ts", "tools.hammer();", "hammer") == ["tools.ts:1 hammer exact"]
    assert found.ask("use.ts", "all.tools.hammer", "hammer") == ["tools.ts:1 hammer exact"]
    assert found.ask("use.ts", "all.renamed", "renamed") == ["helper.ts:1 helper exact"]
    assert found.ask("use.ts", "Missing();", "Missing") == []
    assert found.ask("use.ts", "import * as all", "all", IMPORT) == ["index.ts:1 index.ts exact"]


def test_configured_paths_and_packages_of_the_repository() -> None:
    found = Repository.build(
        {
            "tsconfig.base.json": """
                {
                  // comments are allowed
                  "compilerOptions": {
                    "baseUrl": ".",
                    "paths": { "@app/*": ["src/app/*"], "exact": ["src/x"] },
                  },
                }
            """,
            "tsconfig.json": '{"extends": "./tsconfig.base.json"}',
            "package.json": json.dumps({"workspaces": ["packages/*"]}),
            "packages/core/package.json": json.dumps(
                {
                    "name": "@my/core",
                    "exports": {
                        ".": {"types": "./dist/index.d.ts", "default": "./dist/index.js"},
                        "./sub/*": "./dist/sub/*.js",
                    },
                    "imports": {"#own": "./src/own.ts"},
                }
            ),
            "packages/core/src/index.ts": "export function core() {}\n",
            "packages/core/src/sub/part.ts": "export function part() {}\n",
            "packages/core/src/own.ts": "export function own() {}\n",
            "packages/core/src/inner.ts": 'import { own } from "#own";\nown();\n',
            "src/app/view.ts": "export function view() {}\n",
            "src/x.ts": "export function x() {}\n",
            "src/main.ts": """
                import { view } from "@app/view";
                import { x } from "exact";
                import { core } from "@my/core";
                import { part } from "@my/core/sub/part";
                import { based } from "src/based";
                import { useState } from "react";
                import fs from "node:fs";
                view(1); x(1); core(1); part(1); based(1); useState(1); fs.read(1);
            """,
            "src/based.ts": "export function based() {}\n",
        }
    )
    line = "view(1)"
    assert found.ask("src/main.ts", line, "view", CALL) == ["src/app/view.ts:1 view exact"]
    assert found.ask("src/main.ts", line, "x", CALL) == ["src/x.ts:1 x exact"]
    assert found.ask("src/main.ts", line, "core", CALL) == ["packages/core/src/index.ts:1 core exact"]
    assert found.ask("src/main.ts", line, "part", CALL) == ["packages/core/src/sub/part.ts:1 part exact"]
    assert found.ask("src/main.ts", line, "based", CALL) == ["src/based.ts:1 based exact"]
    assert found.ask("src/main.ts", line, "useState", CALL) == ["-> react.useState"]
    assert found.ask("src/main.ts", line, "read", CALL) == ["-> node:fs.read"]
    assert found.ask("packages/core/src/inner.ts", "own();", "own", CALL) == [
        "packages/core/src/own.ts:1 own exact"
    ]


def test_a_package_named_by_itself_leads_to_the_folder_that_its_built_file_mirrors() -> None:
    names = {
        "packages/kit/package.json": json.dumps(
            {"name": "kit", "exports": {".": "./dist/node/index.js", "./web": "./dist/browser/web.js"}}
        ),
        "packages/kit/src/node/index.ts": "export { join } from './join'\n",
        "packages/kit/src/node/join.ts": "export function join() {}\n",
        "packages/kit/src/web.ts": "export function paint() {}\n",
        "play/main.ts": "import { join } from 'kit'\nimport { paint } from 'kit/web'\njoin(1); paint(1)\n",
    }
    found = Repository.build({**names, "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n"})
    assert found.ask("play/main.ts", "join(1)", "join", CALL) == [
        "packages/kit/src/node/join.ts:1 join exact"
    ]
    assert found.ask("play/main.ts", "join(1)", "paint", CALL) == ["packages/kit/src/web.ts:1 paint exact"]


CLASSES = {
    "base.ts": """
        export interface Runner { run(): Result; }
        export class Result { value = 1; report() {} }
        export class Base implements Runner {
          protected result: Result;
          run(): Result { return this.result; }
          shared() { return this; }
        }
    """,
    "child.ts": """
        import { Base, Result, type Runner } from "./base";
        class Child extends Base {
          own = new Result();
          handlers: Result[] = [];
          constructor(private given: Runner, plain: Runner) { super(); plain.run(1); }
          go() {
            this.run(2).report(2);
            this.own.report(3);
            this.given.run(4);
            super.shared(5);
            this.handlers[0].report(6);
            const made = make();
            made.go(7);
            const later = async () => { const x = await fetchOne(); x.report(8); };
            this.shared().missing(9);
            for (const one of this.handlers) one.report(10);
          }
          static create() { return new Child(null!, null!); }
        }
        function make(): Child { return Child.create(); }
        async function fetchOne(): Promise<Result> { return new Result(); }
        const created = Child.create();
        created.go(11);
        const untyped = factory();
        function factory() { return new Result(); }
        untyped.report(12);
        (created as Child).go(13);
    """,
}


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("plain.run(1)", "run", ["base.ts:1 run exact"]),
        ("this.run(2)", "run", ["base.ts:5 run exact"]),
        ("this.run(2)", "report", ["base.ts:2 report exact"]),
        ("this.own.report(3)", "report", ["base.ts:2 report exact"]),
        ("this.own.report(3)", "own", ["child.ts:3 own exact"]),
        ("this.given.run(4)", "run", ["base.ts:1 run exact"]),
        ("this.given.run(4)", "given", ["child.ts:5 given exact"]),
        ("super.shared(5)", "shared", ["base.ts:6 shared exact"]),
        ("this.handlers[0].report(6)", "report", ["base.ts:2 report exact"]),
        ("made.go(7)", "go", ["child.ts:6 go exact"]),
        ("x.report(8)", "report", ["base.ts:2 report exact"]),
        ("x.report(8)", "fetchOne", ["child.ts:21 fetchOne exact"]),
        ("this.shared().missing(9)", "missing", []),
        ("one.report(10)", "report", ["base.ts:2 report exact"]),
        ("created.go(11)", "go", ["child.ts:6 go exact"]),
        ("untyped.report(12)", "report", ["base.ts:2 report exact"]),
        ("class Child extends Base", "Base", ["base.ts:3 Base exact"]),
        ("{ super(); plain", "constructor", ["base.ts:3 Base exact"]),
        ("return new Child(", "Child", ["child.ts:5 constructor exact", "child.ts:2 Child exact"]),
    ],
)
def test_members_through_types(line: str, name: str, expected: list[str]) -> None:
    found = Repository.build(CLASSES)
    assert found.ask("child.ts", line, name) == expected


def test_types_and_values_of_one_name_are_distinguished() -> None:
    found = Repository.build(
        {
            "a.ts": "export interface Thing { x: number }\nexport const Thing = { make() {} };\n",
            "b.ts": 'import { Thing } from "./a";\nlet t: Thing;\nThing.make();\n',
        }
    )
    assert found.ask("b.ts", "let t", "Thing") == ["a.ts:1 Thing exact"]
    assert found.ask("b.ts", "Thing.make", "Thing") == ["a.ts:2 Thing exact"]
    assert found.ask("b.ts", "Thing.make", "make") == ["a.ts:2 make exact"]


def test_the_implementation_of_overloads_is_called() -> None:
    found = Repository.build(
        {"a.ts": "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) {}\nf(1);\n"}
    )
    assert found.ask("a.ts", "f(1)", "f") == ["a.ts:3 f exact"]


def test_enums_namespaces_and_objects() -> None:
    found = Repository.build(
        {
            "a.ts": """
                export enum Color { Red }
                export namespace Deep { export function inner() {} }
                export const api = { get: () => 1, nested: { post() {} } };
            """,
            "b.ts": """
                import { Color, Deep, api } from "./a";
                Color.Red; Deep.inner(); api.get(); api.nested.post();
            """,
        }
    )
    line = "Color.Red;"
    assert found.ask("b.ts", line, "Red") == ["a.ts:1 Red exact"]
    assert found.ask("b.ts", line, "inner") == ["a.ts:2 inner exact"]
    assert found.ask("b.ts", line, "get") == ["a.ts:3 get exact"]
    assert found.ask("b.ts", line, "post") == ["a.ts:3 post exact"]


def test_common_js() -> None:
    found = Repository.build(
        {
            "application.js": "var app = exports = module.exports = {};\napp.handle = function () {};\n",
            "whole.js": "class Whole { run() {} }\nmodule.exports = Whole;\n",
            "some.js": "function a() {}\nmodule.exports = { a, b: a, c() {} };\n",
            "main.js": """
                const app = require("./application");
                const Whole = require("./whole");
                const { a, b } = require("./some");
                const some = require("./some");
                app.handle(1);
                new Whole().run(2);
                a(3); b(4); some.a(5);
            """,
        }
    )
    assert found.ask("main.js", "app.handle", "handle") == ["application.js:2 handle exact"]
    assert found.ask("main.js", "new Whole", "Whole", CALL) == ["whole.js:1 Whole exact"]
    assert found.ask("main.js", "new Whole", "run") == ["whole.js:1 run exact"]
    assert found.ask("main.js", "a(3)", "b") == ["some.js:1 a exact"]
    assert found.ask("main.js", "a(3)", "a", CALL) == ["some.js:1 a exact"]


def test_members_of_unknown_values_are_guessed_by_name_alone() -> None:
    found = Repository.build(
        {
            "a.ts": "export class A { launch(x) {} both() {} }\n",
            "b.ts": "export class B { both() {} }\n",
            "c.ts": """
                function f(x) { x.launch(1); x.launch(1, 2); }
                function g(x) { x.both(); x.map(1); }
            """,
        }
    )
    assert found.ask("c.ts", "x.launch(1)", "launch") == ["a.ts:1 launch probable"]
    assert found.ask("c.ts", "x.both()", "both") == ["a.ts:1 both possible", "b.ts:1 both possible"]
    assert found.ask("c.ts", "x.both()", "map") == []


def test_cycles_end() -> None:
    found = Repository.build(
        {
            "a.ts": 'export * from "./b";\nexport { y as x } from "./b";\nimport { x } from "./b";\nx();\n',
            "b.ts": 'export * from "./a";\nexport { x as y } from "./a";\n',
            "c.ts": "class A extends B {}\nclass B extends A {}\nnew A().missing();\n",
            "d.ts": "const p = q; const q = p; p.go(); function f() { return f(); } f().go();\n",
        }
    )
    assert found.ask("a.ts", "x();", "x") == []
    assert found.ask("c.ts", "missing", "missing") == []
    assert found.ask("d.ts", "p.go()", "go") == []


@pytest.mark.sized
def test_types_made_of_each_other_cost_no_more_than_once_each() -> None:
    count = choose(12, 20)
    types = "".join(f"type T{n} = {' & '.join(f'T{m}' for m in range(count))};\n" for n in range(count))
    returns = "; ".join(f"return f{m}()" for m in range(count))
    calls = "".join(f"function f{n}() {{ {returns} }}\n" for n in range(count))
    found = Repository.build({"a.ts": types + calls + "let t: T1;\nt.go(1);\nf1().go(2);\n"})
    assert found.ask("a.ts", "t.go(1)", "go") == []
    assert found.ask("a.ts", "f1().go(2)", "go") == []


@pytest.mark.sized
def test_thousands_of_overloads_are_bounded() -> None:
    count = choose(2_000, 10_000)
    text = "".join(f"export function many(x: T{number}): void;\n" for number in range(count))
    found = Repository.build({"a.ts": text, "b.ts": 'import { many } from "./a";\nmany(1);\n'})
    assert len(found.ask("b.ts", "many(1)", "many")) == 8


def test_configuration_that_is_none_is_passed_over() -> None:
    found = Repository.build(
        {
            "tsconfig.json": json.dumps(
                {"extends": "./tsconfig.json", "compilerOptions": {"paths": {"*": 3}, "baseUrl": 5}}
            ),
            "package.json": '{"workspaces": 3, "name": ["x"], "exports": {"a": [[[]]]}}',
            "lerna.json": "[" * 50_000,
            "a.ts": 'import { x } from "pkg";\nimport { y } from "../../../outside";\nx(); y();\n',
        }
    )
    assert found.ask("a.ts", "x();", "x") == ["-> pkg.x"]
    assert found.ask("a.ts", "x();", "y") == ["-> ../../../outside.y"]


def test_functions_of_one_name_in_callbacks() -> None:
    found = Repository.build(
        {
            "a.ts": """
                it("one", () => { const make = () => 1;
                  make(1); });
                it("two", () => { function make() {}
                  make(2); });
            """,
        }
    )
    assert found.ask("a.ts", "make(1)", "make") == ["a.ts:1 make exact"]
    assert found.ask("a.ts", "make(2)", "make") == ["a.ts:3 make exact"]


def test_a_namespace_beside_a_class() -> None:
    found = Repository.build(
        {
            "a.ts": """
                export namespace Client { export namespace query { export interface Options {} } }
                export class Client { query() {} }
            """,
            "b.ts": """
                import { Client } from "./a";
                const client = new Client();
                client.query();
                let o: Client.query.Options;
            """,
        }
    )
    assert found.ask("b.ts", "client.query();", "query") == ["a.ts:2 query exact"]
    assert found.ask("b.ts", "let o", "Options") == ["a.ts:1 Options exact"]


def test_members_of_objects_that_are_exported_as_a_whole() -> None:
    found = Repository.build(
        {
            "utils.js": """
                function a() {}
                const b = () => 1;
                function d() {}
                export default { a, b, c: d, e() {} };
            """,
            "held.js": "function f() {}\nconst held = { f, g: f };\nexport default held;\nheld.f(1);\n",
            "common.js": "function h() {}\nfunction j() {}\nmodule.exports = { h, i: j };\n",
            "use.js": """
                import utils from './utils';
                import held from './held';
                import common from './common';
                const { h } = require('./common');
                const whole = require('./common');
                utils.a(); utils.b(); utils.c(); utils.e();
                held.f(); held.g();
                common.h(1); common.i(1);
                h(2); whole.i(2);
            """,
        }
    )
    line = "utils.a();"
    assert found.ask("use.js", line, "a", CALL) == ["utils.js:1 a exact"]
    assert found.ask("use.js", line, "b", CALL) == ["utils.js:2 b exact"]
    assert found.ask("use.js", line, "c", CALL) == ["utils.js:3 d exact", "utils.js:4 c exact"]
    assert found.ask("use.js", line, "e", CALL) == ["utils.js:4 e exact"]
    assert found.ask("held.js", "held.f(1)", "f", CALL) == ["held.js:1 f exact"]
    assert found.ask("use.js", "held.f()", "f", CALL) == ["held.js:1 f exact"]
    assert found.ask("use.js", "held.f()", "g", CALL) == ["held.js:1 f exact", "held.js:2 g exact"]
    assert found.ask("use.js", "common.h(1)", "h", CALL) == ["common.js:1 h exact"]
    assert found.ask("use.js", "common.h(1)", "i", CALL) == ["common.js:2 j exact"]
    assert found.ask("use.js", "h(2)", "h", CALL) == ["common.js:1 h exact"]
    assert found.ask("use.js", "h(2)", "i", CALL) == ["common.js:2 j exact"]


def test_this_of_arrow_functions_in_objects() -> None:
    found = Repository.build(
        {
            "a.ts": """
                class Evaluator {
                  handlers = { stop: () => this.check(1) };
                  run() {
                    const proxy = new Proxy({}, {
                      set: (_, p, value) => { this.check(2); return [1].some(() => this.check(3)); },
                      inner: { deep: () => { const later = () => this.check(4); later(); } },
                      own() { this.check(5); this.more(5); },
                      plain: function () { this.more(6); },
                    });
                  }
                  check(n: number) {}
                }
                export const api = {
                  go() { return { then: () => this.more(7) }; },
                  lost: () => this.more(8),
                  more(n: number) {},
                };
            """,
        }
    )
    for number in range(1, 5):
        assert found.ask("a.ts", f"check({number})", "check", CALL) == ["a.ts:11 check exact"]
    assert found.ask("a.ts", "more(7)", "more", CALL) == ["a.ts:16 more exact"]
    assert found.ask("a.ts", "more(8)", "more", CALL) == ["a.ts:16 more probable"]
    assert found.ask("a.ts", "more(6)", "more", CALL) == []


def test_functions_that_are_called_through_their_members() -> None:
    given = Repository.build(
        {
            "a.ts": """
                export function run(x: number) { return x }
                class Box { put(x: number) {} call(x: number) {} }
                const box = new Box()
                run.call(null, 1)
                run.apply(null, [2])
                const later = box.put.bind(box)
                box.call(3)
                """,
        }
    )
    assert given.ask("a.ts", "run.call(", "run", ReferenceRole.CALL) == ["a.ts:1 run exact"]
    assert given.ask("a.ts", "run.apply(", "run", ReferenceRole.CALL) == ["a.ts:1 run exact"]
    assert given.ask("a.ts", "box.put.bind(", "put", ReferenceRole.CALL) == ["a.ts:2 put exact"]
    assert given.ask("a.ts", "box.call(3)", "box", ReferenceRole.CALL) == []
    assert given.ask("a.ts", "box.call(3)", "call") == ["a.ts:2 call exact"]


def test_type_arguments_in_a_chain_keep_the_type() -> None:
    given = Repository.build(
        {
            "a.ts": """
                class Query { where<T>(x: T): Query { return this } then(x: number) {} }
                declare function make(x: number): Query
                make(1).where<{ a: number; b: string }>(make(2)).then(3)
                """,
        }
    )
    assert given.ask("a.ts", ".then(3)", "then") == ["a.ts:1 then exact"]


def test_types_of_one_name_in_several_blocks_are_not_merged() -> None:
    found = Repository.build(
        {
            "a.ts": """
                interface State { a: 1 }
                it("one", () => {
                    type State = { b: 2 };
                    interface Other { c: 3 }
                    const read = (one: State, two: Other) => [one.a, one.b, two.c, two.d];
                });
                it("two", () => {
                    interface State { a: 4 }
                    interface Other { d: 5 }
                });
            """,
        }
    )
    said = [found.ask("a.ts", "const read", name, USE) for name in "abcd"]
    assert said == [[], ["a.ts:3 b exact"], ["a.ts:4 c exact"], []]


def test_behind_a_block_a_variable_has_its_own_type_again() -> None:
    found = Repository.build(
        {
            "a.ts": """
                class A { m() {} }
                class B { m() {} }
                it("one", () => {
                    const x: A | undefined = make();
                    each(() => {
                        const x: B = make();
                        x.m(1);
                    });
                    x.m(2);
                    x.m(3);
                    function f() { x.m(4); }
                });
            """,
        }
    )
    called = [found.ask("a.ts", f"x.m({number})", "m", CALL) for number in (1, 2, 3, 4)]
    assert called == [["a.ts:2 m exact"], *[["a.ts:1 m exact"]] * 3]


def test_what_a_block_declares_is_seen_in_its_lines_alone() -> None:
    found = Repository.build(
        {
            "a.ts": """
                type State = { a: 1 };
                it("one", () => {
                    type State = { b: number };
                    const read = (one: State) => one.b;
                    read(1);
                });
                it("two", () => {
                    read(2);
                    interface State { c: number }
                    const read = (two: State) => two.c;
                    if (1) {
                        const read = (three: State) => three.c;
                        read(3);
                    }
                });
                const first: State = read(4);
                export class Box { run() { const read = () => 2; read(5); } }
            """,
        }
    )
    for line, start, member in (
        ("(one: State)", 3, "b"),
        ("(two: State)", 9, "c"),
        ("(three: State)", 9, "c"),
    ):
        assert found.ask("a.ts", line, "State") == [f"a.ts:{start} State exact"]
        assert found.ask("a.ts", line, member, USE) == [f"a.ts:{start} {member} exact"]
    assert found.ask("a.ts", "const first", "State") == ["a.ts:1 State exact"]
    called = [found.ask("a.ts", f"read({number})", "read", CALL) for number in (1, 2, 3, 4, 5)]
    lines = ["a.ts:4 read exact", "a.ts:10 read exact", "a.ts:12 read exact", "-> read", "a.ts:17 read exact"]
    assert called == [[one] for one in lines]


def test_the_name_of_a_class_that_is_a_value_is_seen_in_it_alone() -> None:
    repository = Repository.build(
        {
            "a.ts": """
            const Shown = wrap(
                class Shown {
                    copy() { return Shown }
                }
            )
            see(Shown)
            test(() => {
                const Local = wrap(
                    class Local {
                        clone() { return Local }
                    }
                )
                see(Local)
            })
            """
        }
    )
    assert repository.ask("a.ts", "see(Shown)", "Shown") == ["a.ts:1 Shown exact"]
    assert repository.ask("a.ts", "copy()", "Shown") == ["a.ts:2 Shown exact"]
    assert repository.ask("a.ts", "see(Local)", "Local") == ["-> Local"]
    assert repository.ask("a.ts", "clone()", "Local") == ["a.ts:9 Local exact"]


def test_members_of_two_classes_are_no_overloads_of_each_other() -> None:
    repository = Repository.build(
        {
            "a.ts": """
            declare class Known { register(): void }
            class Own { register() {} }
            const Either = flag ? Known : Own
            const made = new Either()
            made.register()
            """
        }
    )
    found = repository.ask("a.ts", "made.register()", "register")
    assert found == ["a.ts:1 register exact", "a.ts:2 register exact"]


def test_a_call_gives_its_result_and_not_the_object_that_it_is_given() -> None:
    repository = Repository.build(
        {
            "a.ts": """
            interface Api { run(): void }
            declare function make(given: { run: () => void }): Api
            const plain = { run() {} }
            const made = make({ run() {} })
            plain.run()
            made.run()
            """
        }
    )
    assert repository.ask("a.ts", "plain.run()", "run") == ["a.ts:3 run exact"]
    assert repository.ask("a.ts", "made.run()", "run") == ["a.ts:1 run exact"]
