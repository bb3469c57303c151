"""TypeScript and JavaScript: what is not decided is not exact."""

from __future__ import annotations

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

CALL, USE = ReferenceRole.CALL, ReferenceRole.USE


def test_overloads_with_different_results_are_not_exact() -> None:
    found = Repository.build(
        {
            "a.ts": """
            interface Left { remarkable: number; shared: number }
            interface Right { notable: number }
            interface Make { (one: string): Left; (one: number): Right }
            declare const make: Make;
            declare function build(one: string): Left;
            declare function build(one: number): Right;
            declare function same(one: string): Left;
            declare function same(one: number): Left;
            export function first() { make("").remarkable; }
            export function second() { build("").remarkable; }
            export function third() { same("").remarkable; }
            """
        }
    )
    assert found.ask("a.ts", "function first", "remarkable", USE) == ["a.ts:1 remarkable probable"]
    assert found.ask("a.ts", "function second", "remarkable", USE) == ["a.ts:1 remarkable probable"]
    assert found.ask("a.ts", "function third", "remarkable", USE) == ["a.ts:1 remarkable exact"]


def test_the_key_of_an_object_is_not_exact_where_it_chooses_its_type() -> None:
    found = Repository.build(
        {
            "a.ts": """
            type Query = (one: string) => { remarkable: number };
            interface Options<Q> { query: Q }
            declare function create<Q extends Query>(options: Options<Q>): void;
            create({ query: (one) => ({ remarkable: 1 }) });
            """
        }
    )
    assert all("exact" not in one for one in found.ask("a.ts", "create({ query", "remarkable", USE))


def test_the_members_of_an_object_within_a_function_are_not_its_own() -> None:
    found = Repository.build(
        {
            "a.js": """
            function Cache() {
              Object.defineProperty((this.cache = {}), 0, { remarkable: function () { return {}; } });
            }
            Cache.notable = function () {};
            const cache = new Cache();
            function first() { return cache.remarkable(); }
            function second() { return Cache.notable(); }
            """
        }
    )
    assert found.ask("a.js", "function first", "remarkable", CALL) == ["a.js:2 remarkable possible"]
    assert found.ask("a.js", "function second", "notable", CALL) == ["a.js:4 notable exact"]


def test_a_name_that_a_callback_imports_is_not_that_of_the_file_for_sure() -> None:
    found = Repository.build(
        {
            "b.js": "export function init() {}",
            "a.ts": """
            async function init() {}
            export function before() { init(); }
            test("", async () => {
              const { init } = await import("./b.js");
              await init();
            });
            """,
        }
    )
    assert found.ask("a.ts", "function before", "init", CALL) == ["a.ts:1 init exact"]
    assert all("exact" not in one for one in found.ask("a.ts", "await init()", "init", CALL))


def test_a_variable_of_a_wrapper_is_not_a_function_of_its_name_when_it_is_exported() -> None:
    found = Repository.build(
        {
            "a.js": """
            (function (module, exports) {
              var Atom = (function () {
                function Atom() {}
                return Atom;
              })();
              exports.Atom = Atom;
            })(0, {});
            """
        }
    )
    record = found.program.find_record("a.js")
    assert record is not None
    assert not list(record.list_role(ReferenceRole.EXPORT))


def test_a_union_with_anything_is_not_exact() -> None:
    found = Repository.build(
        {
            "a.ts": """
            interface Point { remarkable: number }
            type Maybe = unknown | Point;
            export function first(one: any | Point) { one.remarkable; }
            export function second(one: Maybe) { one.remarkable; }
            """
        }
    )
    for line in ("function first", "function second"):
        assert found.ask("a.ts", line, "remarkable", USE) == ["a.ts:1 remarkable probable"], line


def test_one_of_two_values_may_be_of_another_type() -> None:
    found = Repository.build(
        {
            "a.ts": """
            class Memory { remarkable() {} }
            export function first(options: any) {
              const store = options.store || new Memory();
              store.remarkable();
            }
            export function second() {
              const other = new Memory();
              other.remarkable();
            }
            """
        }
    )
    assert found.ask("a.ts", "store.remarkable", "remarkable", CALL) == ["a.ts:1 remarkable probable"]
    assert found.ask("a.ts", "other.remarkable", "remarkable", CALL) == ["a.ts:1 remarkable exact"]


def test_what_is_awaited_has_not_the_members_beside_its_promise() -> None:
    found = Repository.build(
        {
            "a.ts": """
            interface Answer { notable: string }
            type Sent = { remarkable: string } & Promise<Answer>;
            declare function send(): Sent;
            export async function use() { const one = await send(); one.remarkable; }
            """
        }
    )
    assert found.ask("a.ts", "async function", "remarkable", USE) == ["a.ts:2 remarkable probable"]


def test_interfaces_of_two_callbacks_are_two_types() -> None:
    found = Repository.build(
        {
            "a.ts": """
            declare function held<T>(): { get(one: (item: T) => void): void };
            run(() => {
              interface Item { remarkable: number }
              const first = held<Item>();
              first.get((item) => { item.remarkable; });
            });
            run(() => {
              interface Item { remarkable: number }
            });
            """
        }
    )
    said = found.ask("a.ts", "first.get", "remarkable", USE)
    assert said == ["a.ts:3 remarkable probable", "a.ts:8 remarkable probable"]


def test_a_component_is_no_type() -> None:
    found = Repository.build(
        {
            "page.tsx": """
            interface Props { doc: Doc }
            export default function Doc({ doc }: Props) { return <p>{doc}</p>; }
            """,
            "types.d.ts": "interface Doc { title: string }\n",
        }
    )
    said = found.ask("page.tsx", "interface Props", "Doc", ReferenceRole.TYPE)
    assert said == ["types.d.ts:1 Doc probable"]


def test_a_member_of_exports_is_no_name_of_its_module() -> None:
    found = Repository.build(
        {
            "a.js": """
            const remarkable = require("./b");
            exports.notable = function () {};
            function other() { return notable(); }
            exports.fetched = function () { return fetched(); };
            exports.Made = class Made { make() { return new Made(); } };
            module.exports = { remarkable: remarkable ? remarkable.go : 1, more: remarkable };
            """,
            "b.js": "exports.go = function () {};\n",
        }
    )
    assert found.ask("a.js", "more:", "remarkable", USE) == ["b.js:1 b.js exact"]
    assert found.ask("a.js", "function other", "notable", CALL) == ["-> notable"]
    assert found.ask("a.js", "exports.fetched", "fetched", CALL) == ["-> fetched"]
    assert found.ask("a.js", "exports.Made", "Made", CALL) == ["a.js:5 Made exact"]


def test_a_variable_that_holds_the_exported_object_has_its_members() -> None:
    found = Repository.build(
        {
            "common.js": """
            var Common = module.exports;
            Common.say = function (a) {};
            Common.tell = function () { Common.say(1); }; // inside
            """,
            "short.js": """
            var short = exports;
            short.cut = function (a) {};
            """,
            "never.js": """
            var old = module.exports;
            old.cut = function (a) {};
            module.exports = { fresh: function () {} };
            """,
            "use.js": """
            var Common = require("./common"), short = require("./short"), never = require("./never");
            Common.say(2); // of the module
            short.cut(1); // of exports
            never.cut(1); // of what is exported no more
            """,
        }
    )
    assert found.ask("common.js", "// inside", "say") == ["common.js:2 say exact"]
    assert found.ask("use.js", "// of the module", "say") == ["common.js:2 say exact"]
    assert found.ask("use.js", "// of exports", "cut") == ["short.js:2 cut exact"]
    assert found.ask("use.js", "// of what is exported no more", "cut") == []


def test_a_declared_module_is_sure_in_typescript_alone() -> None:
    use = """
        import { Emitter } from "events";
        new Emitter().fire(); // its member
        """
    found = Repository.build(
        {
            "node.d.ts": """
            declare module "events" { export class Emitter { fire(): void; } }
            """,
            "a.ts": use,
            "a.js": use,
        }
    )
    assert found.ask("a.ts", "import", "Emitter") == ["node.d.ts:1 Emitter exact"]
    assert found.ask("a.ts", "// its member", "fire") == ["node.d.ts:1 fire exact"]
    assert found.ask("a.js", "import", "Emitter") == ["node.d.ts:1 Emitter probable"]
    assert found.ask("a.js", "// its member", "fire") == ["node.d.ts:1 fire probable"]


def test_a_global_value_is_not_the_interface_of_its_name() -> None:
    found = Repository.build(
        {
            "lib.d.ts": """
            interface Store { unusual(): void }
            declare const Store: StoreConstructor;
            """,
            "a.ts": """
            const made = Store.of(); // a value
            function take(one: Store) {} // a type
            """,
        }
    )
    assert found.ask("a.ts", "// a value", "Store") == ["lib.d.ts:2 Store probable"]
    assert found.ask("a.ts", "// a type", "Store") == ["lib.d.ts:1 Store probable"]


def test_a_member_of_another_test_is_only_possible() -> None:
    found = Repository.build(
        {
            "test/helper.js": """
            const shapes = { remarkable: 1 };
            """,
            "src/a.js": """
            const own = { notable() {}, field: 1 };
            """,
            "test/b.js": """
            function f(x) { x.remarkable; } // of a test
            function g(x) { x.notable(); } // of the program
            function h(x) { x.field; } // of anything
            """,
        }
    )
    assert found.ask("test/b.js", "// of a test", "remarkable") == ["test/helper.js:1 remarkable possible"]
    assert found.ask("test/b.js", "// of the program", "notable") == ["src/a.js:1 notable probable"]
    assert found.ask("test/b.js", "// of anything", "field") == ["src/a.js:1 field possible"]
