"""TypeScript: types that are said where a value stands: of parameters, keys, patterns, casts and results."""

from __future__ import annotations

import pytest

from repo_mcp.languages.typescript.types import TypeName, list_function_parameters, read_function, read_types
from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

CALL, USE = ReferenceRole.CALL, ReferenceRole.USE
TYPES = """
export interface Context { helper(): void; deep: Deep }
export interface Deep { level: number }
export interface First { shared: number; one: string }
export interface Second { shared: number; two: string }
export type Either = First | Second;
export type Handler = (node: Either, context: Context) => void;
export type Base = Required<Omit<Context, "deep">>;
export interface Extended extends Required<Omit<Context, "deep">> { own: number }
export interface Ref<T> { value: T; stop(): void }
class RefImpl<T> { value: T; constructor(given: T) { this.value = given } stop() {} }
export function ref<T>(given: T): Ref<T>;
export function ref(given?: unknown) { return new RefImpl(given) }
export function register(name: string, handler: Handler, options?: { quiet: boolean }): void {}
export function configure(settings: Context): Context { return settings }
type Listener = (context: Context) => void;
export class Server { constructor(handler: Listener) {} on(handler: (context: Context) => void) {} }
"""
USES = """
import { Context, Either, Extended, First, Handler, Server, configure, ref, register } from "./types";
export const plain: Handler = (node, context) => { context.helper(); node.shared; };
export const taken: Handler = ({ shared }, { deep: { level } }) => {};
register("a", (node, context) => { context.deep.level; node.two; });
new Server(context => { context.deep; });
new Server(() => {}).on(function (it) { it.helper(); });
export function make(): Handler { return (_, given) => { given.helper(); }; }
export function both(either: First | null | Either) { either.shared; }
export function each(list: Array<Either>) { for (const item of list) item.one; }
export const settings: Context = { helper() {}, deep: { level: 1 } };
configure({ helper: () => {}, deep: { level: 2 } });
const cell = ref(1); cell.value = 2; cell.stop();
export function cast(what: unknown) { (what as Context).deep; const { helper } = what as Context; }
export function inherited(it: Extended) { it.helper(); it.own; }
"""


TEXTS = {"types.ts": TYPES, "use.ts": USES}


@pytest.mark.parametrize(
    ("line", "name", "role", "lines"),
    [
        ("const plain", "helper", CALL, [1]),
        ("const plain", "shared", USE, [3, 4]),  # all members of a union
        ("const taken", "shared", USE, [3, 4]),
        ("const taken", "deep", USE, [1]),
        ("const taken", "level", USE, [2]),
        ('register("a"', "deep", USE, [1]),
        ('register("a"', "level", USE, [2]),
        ('register("a"', "two", USE, [4]),  # only one of the union has it
        ("new Server(context", "deep", USE, [1]),
        (".on(function", "helper", CALL, [1]),
        ("function make", "helper", CALL, [1]),
        ("function both", "shared", USE, [3, 4]),
        ("function each", "one", USE, [3]),
        ("const settings", "deep", USE, [1]),  # a key
        ("configure({", "deep", USE, [1]),
        ("configure({", "helper", USE, [1]),
        ("cell.value", "value", USE, [9]),  # what the signature says, not what its body makes
        ("cell.value", "stop", CALL, [9]),
        ("function cast", "deep", USE, [1]),
        ("function cast", "helper", USE, [1]),
        ("function inherited", "helper", CALL, [1]),
        ("function inherited", "own", USE, [8]),
    ],
)
def test_a_type_is_that_which_is_said(
    repository: Repository, line: str, name: str, role: ReferenceRole, lines: list[int]
) -> None:
    assert repository.ask("use.ts", line, name, role) == [f"types.ts:{one} {name} exact" for one in lines]


FLOWS = """
export class Table {
  name = "";
  columns: Column[] = [];
  get first() { return this.columns[0]; }
  clone(): Table { return this; }
}
export class Column { title = ""; at: Point = { x: 1, next: { x: 2, next: { x: 3 } } }; }
export interface Point {
  x: number; next?: Point; each?: Point[]; on?: (column: Column) => void; take?(it: Column): void }
declare function findTable(name: string): Table;
declare function make(at: Point): void;
export function choose(given: Table | string, maybe?: Table) {
  const chosen = typeof given === "string" ? findTable(given) : given;
  const kept = maybe ?? findTable("kept");
  const summed = maybe + kept;
  chosen.clone();
  kept.name;
  summed.name;
  chosen.columns.push({ title: "pushed" });
  chosen.first.title;
}
make({ x: 1, on: column => column.title, take: (it) => it.at });
make({ x: 2, each: [{ x: 4 }], next: { x: 5 } });
const byName: Map<string, Column> = new Map();
byName.get("one").title;
const record: Record<string, Column> = { a: { title: "b" } };
record["two"].title;
"""


@pytest.mark.parametrize(
    ("line", "name", "role", "lines"),
    [
        ("title =", "x", USE, [9]),  # keys of objects in objects
        ("chosen.clone", "clone", CALL, [5]),  # both values of a condition
        ("kept.name", "name", USE, [2]),
        ("summed.name", "name", USE, []),  # neither has the type of a sum
        ('"pushed"', "title", USE, [7]),  # an item of the list that takes it
        ("chosen.first", "title", USE, [7]),  # what a getter returns
        ("on: column", "title", USE, [7]),  # parameters of functions that are values of keys
        ("on: column", "at", USE, [7]),
        ("make({ x: 2", "x", USE, [9]),
        ('byName.get("one")', "title", USE, [7]),
        ("const record", "title", USE, [7]),
        ('record["two"]', "title", USE, [7]),
    ],
)
def test_a_type_is_followed_through_values(
    line: str, name: str, role: ReferenceRole, lines: list[int]
) -> None:
    found = Repository.build({"a.ts": FLOWS})
    assert found.ask("a.ts", line, name, role) == [f"a.ts:{one} {name} exact" for one in lines]


def test_what_another_rule_may_decide_is_not_exact() -> None:
    files = {
        "a.ts": """
            export interface Runner { isActive: boolean }
            export class Base { isActive = false }
            export class Middle extends Base {}
            export class Last extends Middle implements Runner { run() { return this.isActive } }
            export interface Named { name: string }
            export function ask(target: Named | Function) { return target.name }
            export function whole(target: Named & Function) { return target.name }
            export function sure(target: Named | null) { return target.name }
            const Text: unique symbol = Symbol();
            export function read(node: unknown) { return node as Text }
            export function typed(node: typeof Text) { return node }
            export class Made { constructor() {} what() { return this.constructor } }
            export interface Job { id: number }
            function first() { const job: Job = make(); job.id }
            test(() => { const job: Job = take(); run(job) });
            test(() => { const job = () => {}; job.id = 1 });
        """
    }
    found = Repository.build(files)
    assert found.ask("a.ts", "class Last", "isActive", USE) == [
        "a.ts:2 isActive exact"
    ]  # not what is promised
    assert found.ask("a.ts", "function ask", "name", USE) == ["a.ts:5 name probable"]  # or that of a function
    assert found.ask("a.ts", "function whole", "name", USE) == ["a.ts:5 name exact"]
    assert found.ask("a.ts", "function sure", "name", USE) == ["a.ts:5 name exact"]
    assert found.ask("a.ts", "function read", "Text") == ["-> Text"]  # a constant is no type
    assert found.ask("a.ts", "function typed", "Text") == ["a.ts:9 Text exact"]
    assert found.ask("a.ts", "class Made", "constructor") == ["-> Object.constructor"]
    assert found.ask("a.ts", "job.id = 1", "id") == []


def test_a_key_of_an_object_of_no_known_type_is_not_guessed() -> None:
    files = {
        "a.ts": "export interface Only { remarkable: number }\n",
        "b.ts": 'import { take } from "elsewhere";\ntake({ remarkable: 1 });\nother({ remarkable: 2 });\n',
    }
    found = Repository.build(files)
    assert found.ask("b.ts", "take({", "remarkable", USE) == []
    assert found.ask("b.ts", "other({", "remarkable", USE) == []


def test_parameters_that_repeat_each_other_end() -> None:
    files = {
        "a.ts": "export type A = B;\nexport type B = A;\nexport const f: A = (x) => { x.y.z; };\n"
        "export function g(h: (x: typeof g) => void) { g((x) => { x.call; }); }\n"
    }
    found = Repository.build(files)
    assert found.ask("a.ts", "const f", "z", USE) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (": A | null | b.B[]", [TypeName("A"), TypeName("B", "b", True)]),
        ("(A & Partial<B>) | undefined", [TypeName("A"), TypeName("B")]),
        ("Array<A | B>", [TypeName("A", "", True), TypeName("B", "", True)]),
        (
            "[T] extends [A] ? B : C<A>",
            [TypeName("B", is_open=True), TypeName("C", type_arguments=("A",), is_open=True)],
        ),
        ("(a: A) => B", []),
        ("readonly A[]", [TypeName("A", "", True)]),
        ("((((((((((A))))))))))", [TypeName("A")]),
        ("string | 1", []),
    ],
)
def test_every_type_that_a_text_names_is_read(text: str, expected: list[TypeName]) -> None:
    assert read_types(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a: A, b?: B | C) => void", ["A", "B | C"]),
        (
            "<T extends A>(this: T, a: Map<string, A>, ...more: B[]) => (c: C) => D",
            ["Map<string, A>", "...B[]"],
        ),
        ("((a: A) => void) | null", ["A"]),
        ("({ a, b }: A, c) => void", ["A", ""]),
        ("() => void", []),
        ("A", None),
        ("(A)", None),
        ("(", None),
    ],
)
def test_the_parameters_of_a_function_type_are_read(text: str, expected: list[str] | None) -> None:
    found = read_function(text)
    assert (None if found is None else found[0]) == expected


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("<A, B extends C<D>>(one: A) => B", ["A", "B"]),
        ("<const A>(one: A) => A", ["A"]),
        ("(one: A) => B", []),
    ],
)
def test_the_type_parameters_of_a_function_type(text: str, parameters: list[str]) -> None:
    assert list_function_parameters(text) == parameters
