"""TypeScript: types that are given to types, what calls return, and what arguments are expected to be."""

from __future__ import annotations

import pytest

from repo_mcp.graph.typescript.declared_owners import DeclaredOwners
from repo_mcp.graph.typescript.owners import Bound, Owners
from repo_mcp.graph.typescript.script_file import ScriptFile
from repo_mcp.symbols.symbol_record import DeclaredSymbol, ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

CALL, USE = ReferenceRole.CALL, ReferenceRole.USE
TYPES = """
export interface Point { x: number }
export interface Box<T> { value: T; list: T[]; map(with_: (one: T) => void): Box<T> }
export interface Named<N extends { id: string } = Point> extends Box<N> { own: N }
export interface Maker { <T>(settings: Settings): Box<Point>; name: string }
export type Caller = { (settings: Settings): Point };
export interface Settings {
  title: string;
  build: (tools: Tools) => Settings;
  each: () => Point[];
  curry: (first: Point) => (second: Point) => void;
}
export interface Tools { make(settings: Settings): Point; pick: Maker }
export type Same<T> = { [K in keyof T]: T[K] } & {};
export type Joined<U> = (U extends any ? (k: U) => void : never) extends (k: infer I) => void ? I : never;
export interface Parts { [first]: { left: Point }; second: { right: Point } }
export type Whole<K extends keyof Parts> = Joined<Parts[K]>;
export declare function start(): Caller;
export function make(count: number) { return function inner(settings: Settings): Point { throw count } }
export function hold<T extends Point>(one: T): T { one.x; return one }
"""
USES = """
import { Box, Caller, Maker, Named, Point, Same, Settings, Tools, Whole, hold, make, start } from "./types";
export function given(box: Box<Point>) { box.value.x; }
export function listed(box: Box<Point>) { box.list[0].x; }
export function mapped(box: Box<Point>) { box.map((one) => one.x); }
export function nested(box: Box<Box<Point>>) { box.value.value.x; }
export function inherited(named: Named) { named.value.x; }
export function own(named: Named<Point>) { named.own.x; }
export function bounded<T extends Point>(one: T) { one.x; }
export function called(maker: Maker) { maker({ title: "" }).value.x; }
export function literal(caller: Caller) { caller({ title: "" }).x; }
export function twice() { start()({ title: "" }).x; }
export const made = make(1);
made({ title: "made" }).x;
declare function take(settings: Settings): void;
take({ build: (tools) => ({ title: "built" }), each: () => [{ x: 1 }] });
take({ build(tools) { return { title: tools.pick.name }; } });
take({ curry: (first) => (second) => { second.x; } });
export function result(one: ReturnType<typeof start>) { one({ title: "" }); }
export function returned(one: ReturnType<Caller>) { one.x; }
export function same(one: Same<Point>) { one.x; }
export function whole(one: Whole<"second">) { one.right; }
export function chosen(one: Point) { hold(one).x; }
export function promised(later: Promise<Point>) { later.then((one) => one.x); }
export function sorted(all: Point[]) { all.sort((one, other) => other.x); }
export function patterned(all: Point[]) { all.map(({ x }) => 1); for (const { x } of all) {} }
export function typed() { const made = hold<Point>(null!); made.x; }
export class Keeper { private all = new Map<string, Point>(); read() { return this.all.get("a").x; } }
type Linked = (given: { op: Point; next: (one: { at: Point }) => void }) => void;
export const link: Linked = ({ op, next }) => { op.x; };
export function shaped(one: { first: string; at: Point, made(): { deep: Point } }) { one.at.x; }
export function deep(one: { first: string; at: Point, made(): { deep: Point } }) { one.made().deep.x; }
export function keyed(all: { [name: string]: Point }) { all["a"].x; }
"""


TEXTS = {"types.ts": TYPES, "use.ts": USES}


@pytest.mark.parametrize(
    ("line", "name", "role", "lines"),
    [
        ("function given", "x", USE, [1]),
        ("function listed", "x", USE, [1]),
        ("function mapped", "x", USE, [1]),
        ("function nested", "x", USE, [1]),
        ("function inherited", "x", USE, [1]),  # by the default of the base's parameter
        ("function own", "x", USE, [1]),
        ("function bounded", "x", USE, [1]),
        ("function called", "title", USE, [7]),
        ("function called", "x", USE, [1]),
        ("function literal", "x", USE, [1]),
        ("function twice", "title", USE, [7]),
        ("function twice", "x", USE, [1]),
        ('made({ title: "made"', "title", USE, [7]),  # a function that a function returns
        ('made({ title: "made"', "x", USE, [1]),
        ("take({ build: (tools)", "title", USE, [7]),  # an object that a function returns
        ("take({ build: (tools)", "x", USE, [1]),  # one in a list that it returns
        ("take({ build(tools)", "build", USE, [8]),
        ("take({ build(tools)", "pick", USE, [12]),  # the parameter of a method
        ("take({ build(tools)", "name", USE, [4]),
        ("take({ curry", "x", USE, [1]),
        ("function result", "title", USE, [7]),
        ("function returned", "x", USE, [1]),
        ("function same", "x", USE, [1]),
        ("function promised", "x", USE, [1]),
        ("function sorted", "x", USE, [1]),
        ("function patterned", "x", USE, [1]),
        ("function keyed", "x", USE, [1]),
        ("const link", "x", USE, [1]),
        ("function shaped", "x", USE, [1]),
        ("function deep", "x", USE, [1]),
        ("function typed", "x", USE, [1]),
        ("class Keeper", "x", USE, [1]),
    ],
)
def test_a_type_is_known_with_what_it_is_given(
    repository: Repository, line: str, name: str, role: ReferenceRole, lines: list[int]
) -> None:
    assert repository.ask("use.ts", line, name, role) == [f"types.ts:{one} {name} exact" for one in lines]


def test_what_arguments_or_keys_choose_is_not_exact(repository: Repository) -> None:
    assert repository.ask("use.ts", "function chosen", "x", USE) == ["types.ts:1 x probable"]
    assert repository.ask("use.ts", "function whole", "right", USE) == ["types.ts:15 right probable"]


def test_an_object_that_a_call_is_given_does_not_lend_its_members_for_sure() -> None:
    files = {
        "a.ts": """
            import { make, wrap } from "elsewhere";
            const api = make({ remarkable() {}, other: () => 1 });
            const built = () => make({ remarkable() {} });
            const own = () => ({ remarkable: () => 1 });
            export function first() { api.remarkable(); }
            export function second() { built().remarkable(); }
            export function third() { own().remarkable(); }
            function built2() {
                make({ remarkable: () => 2 });
                const local = () => 1;
                return { local, own: () => 3 };
            }
            export function sixth() { const { remarkable, local } = built2(); built2().own(); }
            export const fourth = make()({ remarkable() {} });
            export function fifth() { fourth.remarkable(); }
        """
    }
    found = Repository.build(files)
    for line in ("function first", "function second", "function fifth"):
        assert all("exact" not in one for one in found.ask("a.ts", line, "remarkable", CALL)), line
    assert found.ask("a.ts", "function sixth", "remarkable", USE) == []
    assert found.ask("a.ts", "function sixth", "local", USE) == ["a.ts:10 local exact"]
    assert found.ask("a.ts", "function sixth", "own", CALL) == ["a.ts:11 own exact"]
    assert found.ask("a.ts", "function third", "remarkable", CALL) == ["a.ts:4 remarkable exact"]


def test_a_variable_that_is_given_a_module_is_probable() -> None:
    files = {
        "a.ts": "export function run() {}\n",
        "b.ts": 'export async function late() {\n  const { run } = await import("./a");\n  run();\n}\n',
        "c.js": 'const a = require("./a");\na.run();\n',
        "d.js": '/** @type {any} */\nconst a = require("./a");\na.run;\n',
    }
    found = Repository.build(files)
    assert found.ask("b.ts", "  run();", "run", CALL) == ["a.ts:1 run probable"]
    assert found.ask("c.js", "a.run();", "a", USE) == ["a.ts:1 a.ts exact"]
    assert found.ask("d.js", "a.run;", "a", USE) == ["a.ts:1 a.ts probable"]


def test_this_in_a_function_that_is_given_away_is_not_the_object_around() -> None:
    files = {
        "a.ts": """
            export class Runner {
              remarkable = 1;
              held = wrap(function () { return this.remarkable; });
              arrow = wrap(() => this.remarkable);
            }
        """
    }
    found = Repository.build(files)
    assert found.ask("a.ts", "held =", "remarkable", USE) == ["a.ts:2 remarkable probable"]
    assert found.ask("a.ts", "arrow =", "remarkable", USE) == ["a.ts:2 remarkable exact"]


def test_a_parameter_of_unknown_type_hides_another_of_its_name() -> None:
    files = {
        "a.ts": """
            export interface Job { id: number }
            export function first(jobs: Job[], g: any) {
              g.map(() => 1).sort((a, b) => a.id);
              return jobs.sort((a, b) => b.id);
            }
        """
    }
    found = Repository.build(files)
    assert found.ask("a.ts", "g.map", "id", USE) == []
    assert found.ask("a.ts", "return jobs", "id", USE) == ["a.ts:1 id exact"]


def test_what_using_declares_hides_what_is_around() -> None:
    text = """
        const held = 1;
        export async function first() { await using held = make(); held.run(); }
        test("a", async () => {
            await using held = make();
            held.stop();
        });
        export function second() { using held: Made = make(); held.run(); }
        export function third() { held; }
    """
    for name in ("a.ts", "a.js"):
        found = Repository.build({name: text.replace(": Made", "") if name == "a.js" else text})
        for line in ("function first", "function second", "held.stop"):
            with pytest.raises(AssertionError, match="no reference"):
                found.ask(name, line, "held", USE)
        assert found.ask(name, "function third", "held", USE) == [f"{name}:1 held exact"]


PATTERNS = """
interface Point { first: number; second: number; other: number }
interface Box<T> { value: T; other: number }
interface Left { left: number; both: number }
interface Right { right: number; both: number }
declare const points: Record<string, Point>;
declare const parts: { [K in keyof Point]: Point[K] extends string ? Left : Right };
declare const given: Point | undefined;
export function keyed() { points.home.first; }
export function taken() { const { home } = points; home.first; }
export function rest(point: Point) { const { first, ...others } = point; others.second; }
export function fallback() { const { first } = given || {}; const { second } = given ?? {}; }
export function unnamed({ box: { value } }: { box: Box<Point> }) {}
export function bound({ value }: Box<Point>) { value.first; }
export function chosen() { parts.first.left; parts.first.both; }
"""


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("function keyed", "first", ["a.ts:1 first exact"]),
        ("function taken", "first", ["a.ts:1 first exact"]),
        ("function rest", "second", ["a.ts:1 second exact"]),
        ("function fallback", "first", ["a.ts:1 first exact"]),
        ("function fallback", "second", ["a.ts:1 second exact"]),
        ("function unnamed", "value", ["a.ts:2 value exact"]),
        ("function bound", "value", ["a.ts:2 value exact"]),
        ("function bound", "first", ["a.ts:1 first exact"]),
        ("function chosen", "left", ["a.ts:3 left probable"]),
        ("function chosen", "both", ["a.ts:3 both possible", "a.ts:4 both possible"]),
    ],
)
def test_members_of_keyed_objects_and_of_patterns(line: str, name: str, said: list[str]) -> None:
    found = Repository.build({"a.ts": PATTERNS})
    assert found.ask("a.ts", line, name, USE) == said


BARE = """
export interface Ref<T> { value: T }
export type Bare<T> = T extends Ref<infer V> ? Plain<V> : Plain<T>;
export type Plain<T> = T extends Map<infer K, infer V>
  ? Map<K, Plain<V>> & Bare<Omit<T, keyof Map<any, any>>>
  : T extends Set<infer V>
    ? Set<Plain<V>> & Bare<Omit<T, keyof Set<any>>>
    : T extends WeakSet<infer V>
      ? WeakSet<Plain<V>> & Bare<Omit<T, keyof WeakSet<any>>>
      : T extends object ? { [P in keyof T]: Bare<T[P]> } : T;
export interface Deep { left: Deep; right: Deep; name: string }
export declare function strip<T>(one: T): Bare<T>;
export function use(one: Ref<Deep>) { return strip(one).left.name; }
export function reads(one: Bare<Ref<Deep>>) { one.name; }
"""


def test_an_alias_given_to_itself_is_followed_for_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole = DeclaredOwners._get_alias

    def count(
        self: DeclaredOwners, file: ScriptFile, symbol: DeclaredSymbol, steps: int, bound: Bound
    ) -> Owners:
        read.append(symbol.name)
        return whole(self, file, symbol, steps, bound)

    monkeypatch.setattr(DeclaredOwners, "_get_alias", count)
    found = Repository.build({"bare.ts": BARE})
    found.ask("bare.ts", "function use", "name", USE)
    found.ask("bare.ts", "function reads", "name", USE)
    assert {"Bare", "Plain"} == set(read)
    assert len(read) < 1_000  # 398; without a limit 4,290


AWAITED = """
    export class Box { open(): void {} }
    export class Client { async query<T>(given: T): Promise<Box> { return new Box(); } }
    export async function load<T>(path: string): Promise<Box> { return new Box(); }
    export function check<T>(given: T): boolean { return true; }
    async function run(client: Client) {
        const made = await client.query<any>({ at: 1 }); // awaited
        made.open();
        const { open } = await load<Box>("a");
        void client.query<any>({ at: 2 }); // nothing
        if (!check<Box>(made) || check<Box>(made)) return;
    }
    """


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("// awaited", "query", ["a.ts:2 query exact"]),
        ("made.open()", "open", ["a.ts:1 open exact"]),
        ("await load", "load", ["a.ts:3 load exact"]),
        ("await load", "open", ["a.ts:1 open exact"]),
        ("// nothing", "query", ["a.ts:2 query exact"]),
        ("!check", "check", ["a.ts:4 check exact"]),
    ],
)
def test_a_call_with_type_arguments_behind_an_operator(line: str, name: str, said: list[str]) -> None:
    found = Repository.build({"a.ts": AWAITED})
    roles = () if name == "open" else (CALL,)
    assert found.ask("a.ts", line, name, *roles) == said
