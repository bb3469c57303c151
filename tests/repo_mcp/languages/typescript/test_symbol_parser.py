"""What TypeScript, TSX and JavaScript files declare and use: one small text for each thing."""

from __future__ import annotations

from functools import partial

import pytest

from repo_mcp.languages.typescript import tagged_templates
from repo_mcp.languages.typescript.symbol_parser import (
    is_minified,
    parse_javascript,
    parse_tsx,
    parse_typescript,
)
from repo_mcp.languages.typescript.tagged_templates import blank_type_arguments
from repo_mcp.symbols.model import KEYLESS
from repo_mcp.symbols.symbol_record import ParseStatus, ReferenceRole, SymbolKind, decode_symbol_record
from tests.growth import assert_linear
from tests.repo_mcp.languages.described import list_references, list_symbols, read

CALL, USE, BIND = ReferenceRole.CALL, ReferenceRole.USE, ReferenceRole.BIND
IMPORT, EXPORT = ReferenceRole.IMPORT, ReferenceRole.EXPORT


def test_members_that_may_be_missing() -> None:
    found = read(
        "a.ts",
        """
        interface Options { name?: string; readonly size ?: number; run?(): void; all: string }
        type Shape = { area?: number; own: number };
        class Own { left?: number; constructor(public made?: string, private kept: string) {} go?(): void }
        """,
    )
    optional = [one.split()[0] for one in list_symbols(found) if "OPTIONAL" in one]
    assert optional == [
        *("Options.name", "Options.size", "Options.run", "Shape.area"),
        *("Own.left", "Own.made", "Own.go"),
    ]


def test_what_a_type_has_without_a_name() -> None:
    text = "interface A { [key: string]: T; new (a: A): B; (b: B): void }\n"
    text += "interface C { b: { [key: string]: T } }\n"
    found = decode_symbol_record(parse_typescript("a.ts", text.encode()))
    rows = [found.get_reference(row) for row in range(found.reference_count)]
    assert [(one.symbol, one.name) for one in rows if one.alias == KEYLESS] == [
        (1, ":T"),
        (1, "new"),
        (3, ":T"),
    ]


def test_type_arguments_of_a_tagged_template() -> None:
    text = """
const Row = styled(Flex)<{ $size?: number; on: () => void } & Pick<Props, "Wide">>`
  color: ${(props) => (props.wide ? blue : red)};
`;
const Box = styled.div<Size>`a`;
const more = a < b && b > c && `d`;
"""
    found = decode_symbol_record(parse_tsx("a.tsx", text.encode()))
    rows = [found.get_reference(row) for row in range(found.reference_count)]
    assert found.status is ParseStatus.FULL
    assert [(one.line, one.name) for one in rows if one.role is ReferenceRole.TYPE] == [
        *((2, "Pick"), (2, "Props"), (5, "Size")),
    ]
    assert [(one.line, one.name) for one in rows if one.role is CALL] == [(2, "styled"), (5, "div")]


@pytest.mark.parametrize("text", ["`List<${name}>`", '`${a<b ? "one" : name}>`', "`${a < b}>`"])
def test_a_template_that_ends_with_an_angle_has_no_type_arguments(text: str) -> None:
    assert blank_type_arguments(text.encode()) == text.encode()


@pytest.mark.parametrize("unit", ["a<b>`c` ", "<", "`>`", "a>`", ">`"])
def test_templates_take_linear_time(unit: str) -> None:
    assert_linear(lambda size: unit.encode() * size, blank_type_arguments, 2_000)


def test_many_ends_of_templates_are_each_searched_back_to_the_last_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched = []
    monkeypatch.setattr(tagged_templates, "_find_start", lambda _, least, end: searched.append(end - least))
    blank_type_arguments(b"a>`" * 1_000)
    assert searched == [1] * 1_000


def test_classes_and_members() -> None:
    found = read(
        "a.ts",
        """
        /** A store. */
        @Injectable()
        export abstract class Store<T> extends Base<T> implements Keeper {
          static readonly limit: number = 3;
          #secret = 1;
          protected items: Map<string, T>;
          handle = async (event: Event): Promise<void> => { event.go(); };
          constructor(private svc: Service, plain = 1, ...rest: string[]) { super(); svc.go(); }
          get size(): number { return 1; }
          abstract load(): void;
          override async save(key: string): Promise<T> {}
          /** @deprecated use save */
          put(key: string): void;
          put(key: unknown) {}
        }
        """,
    )
    assert list_symbols(found) == [
        "Store CLASS 2-15 PUBLIC ABSTRACT DOCUMENTED PUBLIC_API",
        "Store.limit PROPERTY 4-4 PUBLIC PUBLIC_API STATIC -> number",
        "Store.#secret PROPERTY 5-5 PRIVATE",
        "Store.items PROPERTY 6-6 PROTECTED PUBLIC_API -> Map<string, T>",
        "Store.handle METHOD 7-7 PUBLIC ASYNC PUBLIC_API (event: Event)/1 -> Promise<void>",
        "Store.constructor CONSTRUCTOR 8-8 PUBLIC PUBLIC_API VARIADIC "
        "(private svc: Service, plain = 1, ...rest: string[])/3",
        "Store.svc PROPERTY 8-8 PRIVATE -> Service",
        "Store.size PROPERTY 9-9 PUBLIC PUBLIC_API ()/0 -> number",
        "Store.load METHOD 10-10 PUBLIC ABSTRACT PUBLIC_API ()/0 -> void",
        "Store.save METHOD 11-11 PUBLIC ASYNC OVERRIDE PUBLIC_API (key: string)/1 -> Promise<T>",
        "Store.put METHOD 13-13 PUBLIC DEPRECATED DOCUMENTED FORWARD PUBLIC_API (key: string)/1 -> void",
        "Store.put METHOD 14-14 PUBLIC PUBLIC_API (key: unknown)/1",
    ]
    roles = (ReferenceRole.INHERIT, ReferenceRole.IMPLEMENT, ReferenceRole.ACCEPT, BIND)
    assert list_references(found, *roles) == [
        "Store: BIND |: 3 as <T n=8",  # a type parameter without a bound
        "Store: BIND |<T> 3 as =Base n=8",  # what the base is given
        "Store: INHERIT |Base 3",
        "Store: IMPLEMENT |Keeper 3",
        "Store: BIND |:Map<string, T> 6 as this.items",
        "handle: BIND |Event 7 as event",
        "handle: ACCEPT |Event 7",
        "constructor: BIND |Service 8 as svc",
        "Store: BIND |Service 8 as this.svc",
        "constructor: ACCEPT |Service 8",
    ]


def test_types() -> None:
    found = read(
        "a.ts",
        """
        export interface Named extends Base, ns.Other<Item> { name: string; rename(to: Name): void }
        type Pair<A> = { left: A; right: Right } & Named;
        export enum Color { Red, Green = "g" }
        namespace Deep.Inner { export const one = 1; const two = 2; }
        declare module "lib" { export function given(a: number): void; }
        function over(a: string): void;
        function over(a: any): void {}
        """,
    )
    assert list_symbols(found) == [
        "Named INTERFACE 1-1 PUBLIC PUBLIC_API",
        "Named.name PROPERTY 1-1 PUBLIC PUBLIC_API -> string",
        "Named.rename METHOD 1-1 PUBLIC PUBLIC_API (to: Name)/1 -> void",
        "Pair TYPE 2-2 -> { left: A; right: Right } & Named",
        "Pair.left PROPERTY 2-2 PUBLIC -> A",
        "Pair.right PROPERTY 2-2 PUBLIC -> Right",
        "Color ENUM 3-3 PUBLIC PUBLIC_API",
        "Color.Red ENUM_MEMBER 3-3 PUBLIC PUBLIC_API",
        "Color.Green ENUM_MEMBER 3-3 PUBLIC PUBLIC_API",
        "Deep.Inner MODULE 4-4",
        "Deep.Inner.one CONSTANT 4-4 PUBLIC",
        "Deep.Inner.two CONSTANT 4-4",
        "lib MODULE 5-5",
        "lib.given FUNCTION 5-5 PUBLIC FORWARD (a: number)/1 -> void",
        "over FUNCTION 6-6 FORWARD (a: string)/1 -> void",
        "over FUNCTION 7-7 (a: any)/1 -> void",
    ]
    roles = (ReferenceRole.EXTEND, ReferenceRole.TYPE)
    assert list_references(found, *roles) == [
        "Named: EXTEND |Base 1",
        "Named: EXTEND ns|Other 1",
        "Named: TYPE |Item 1",
        "right: TYPE |Right 2",
        "Pair: TYPE |Named 2",
    ]


def test_components() -> None:
    found = read(
        "a.tsx",
        """
        export function App(props: Props) { return <Panel title={text}><ui.Box/><div/></Panel>; }
        const Card = ({ a }) => <p>{a}</p>;
        const Kept = memo(() => <i/>);
        class Old extends React.Component { render() { return <b/>; } }
        const lower = () => <p/>;
        const Plain = () => 1;
        """,
    )
    kinds = {symbol.name: symbol.kind for symbol in map(found.get_symbol, range(1, found.symbol_count))}
    assert [name for name, kind in kinds.items() if kind is SymbolKind.COMPONENT] == [
        "App",
        "Card",
        "Kept",
        "Old",
    ]
    assert kinds["lower"] is kinds["Plain"] is SymbolKind.FUNCTION
    assert list_references(found, CALL) == [
        "App: CALL |Panel 1",
        "App: CALL ui|Box 1",
        "Kept: CALL |memo 3 n=2",
    ]


def test_names_bound_in_functions_and_blocks_are_no_references() -> None:
    found = read(
        "a.ts",
        """
        import { shadowed, used } from "./b";
        export function run(shadowed: number, { a, b: [c] }, ...rest) {
          const local = shadowed + a + c + rest;
          for (const item of rest) { try { local(item); } catch (error) { error; } }
          if (a) { var hoisted = 1; }
          hoisted; used; later();
          const helper = () => helper2(x => x + y);
          function later() { return local; }
          return helper;
        }
        type F = (inType: string) => void; inType;
        """,
    )
    names = [line.split("|")[1] for line in list_references(found, CALL, USE)]
    assert names == ["used 6", "later 6 n=1", "helper2 7 n=2", "y 7", "helper 9", "inType 11"]
    nested = [line for line in list_symbols(found) if line.startswith("run.")]
    assert nested == ["run.helper FUNCTION 7-7 ()/0", "run.later FUNCTION 8-8 ()/0"]


def test_calls_and_what_stands_before_them() -> None:
    found = read(
        "a.ts",
        """
        plain(1, two);
        a.b.c(...all);
        make().then(x);
        (await load()).use();
        new Thing(1).go();
        new ns.Thing;
        list[0].run();
        maybe?.deep!.call();
        this.x.y();
        (function () {})();
        tag`text`;
        (a as B).odd();
        import("./lazy").then();
        """,
    )
    assert list_references(found, CALL) == [
        ": CALL |plain 1 n=3",
        ": CALL a.b|c 2",
        ": CALL make()|then 3 n=2",
        ": CALL |make 3 n=1",
        ": CALL load()|use 4 n=1",
        ": CALL |load 4 n=1",
        ": CALL Thing()|go 5 n=1",
        ": CALL |Thing 5 n=2",
        ": CALL ns|Thing 6 n=1",
        ": CALL list[]|run 7 n=1",
        ": CALL maybe.deep|call 8 n=1",
        ": CALL this.x|y 9 n=1",
        ": CALL |tag 11",
        ": CALL ^B|odd 12 n=1",
        ": CALL import()|then 13 n=1",
    ]


def test_a_call_of_a_quoted_member() -> None:
    found = read("a.ts", "client['_end'](true); this[\"run\"](); timers[name](); table['two words']();\n")
    assert list_references(found, CALL) == [": CALL client|_end 1 n=2", ": CALL this|run 1 n=1"]


def test_types_of_variables() -> None:
    found = read(
        "a.ts",
        """
        function f(a: Foo, b: Bar[], c?: ns.Baz | null, d, e: string) {
          const made = new Foo();
          const given = await load();
          const cast = x as Foo;
          const same = a.inner;
          made.x(); given.x(); cast.x(); same.x(); a.x(); b.x(); c.x(); d.x(); e.x();
          return made;
        }
        """,
    )
    assert list_references(found, BIND) == [
        "f: BIND |Foo 1 as a",
        "f: BIND |Bar 1 as b n=2",
        "f: BIND ns|Baz 1 as c",
        "f: BIND |Foo 2 as made",
        "f: BIND |load 3 as given n=1",
        "f: BIND |Foo 4 as cast",
        "f: BIND a|inner 5 as same n=3",
        "f: BIND |made 7 as () n=3",
    ]
    before = [line.split()[2] for line in list_references(found, CALL) if "|x " in line]
    assert before == ["made|x", "given|x", "cast|x", "same|x", "a|x", "b|x", "c|x", "?|x"]


def test_modules() -> None:
    found = read(
        "a.ts",
        """
        import def, { one, two as deux } from "./m";
        import * as ns from "ns";
        import type { T } from './t';
        import "side";
        import old = require("old");
        const lazy = await import("./lazy");
        export { one as uno } from "./m";
        export * from "./all";
        export * as sub from "./sub";
        export { deux, local as default };
        export default ns;
        """,
    )
    assert list_references(found, IMPORT, EXPORT) == [
        ": IMPORT ./m|default 1 as def",
        ": IMPORT ./m|one 1 as one",
        ": IMPORT ./m|two 1 as deux",
        ": IMPORT ns| 2 as ns",
        ": IMPORT ./t|T 3 as T",
        ": IMPORT side| 4",
        ": IMPORT old| 5 as old",
        ": IMPORT ./lazy| 6 as lazy n=1",
        ": EXPORT ./m|one 7 as uno",
        ": EXPORT ./all|* 8",
        ": EXPORT ./sub| 9 as sub",
        ": EXPORT |deux 10 as deux",
        ": EXPORT |local 10 as default",
        ": EXPORT |ns 11 as default",
    ]


@pytest.mark.parametrize(
    ("file_name", "above", "name"),
    [
        ("a.ts", "", "a"),
        ("read-file.ts", "", "readFile"),
        ("index.ts", "", "default"),
        ("vite.config.ts", "", "default"),
        ("a.ts", "const a = 1; ", "default"),
        ("a.ts", "const a = require('a'); ", "a"),
    ],
)
def test_a_default_export_without_a_name_is_called_as_its_file(file_name: str, above: str, name: str) -> None:
    assert list_symbols(read(file_name, f"{above}export default function () {{}}"))[-1] == (
        f"{name} FUNCTION 1-1 PUBLIC DEFAULT_EXPORT PUBLIC_API ()/0"
    )


def test_an_exported_object_is_not_called_as_what_may_be_in_it() -> None:
    found = read("a.ts", "import a from 'a'; export default join(a)")
    assert list_symbols(found) == ["default CONSTANT 1-1 PUBLIC DEFAULT_EXPORT PUBLIC_API"]


@pytest.mark.parametrize(
    ("file_name", "text", "name"),
    [
        ("a.tsx", "function Page() {}\nexport default observer(Page);", "Page"),
        ("a.tsx", "export default memo(Page, isSame);\nfunction Page() {}\nfunction isSame() {}", "Page"),
        (
            "a.tsx",
            "const Page = forwardRef<A, B>((p, r) => 1);\nexport default connect(pick)(memo(Page));",
            "Page",
        ),
        ("a.js", "class Page {}\nmodule.exports = wrap(Page);", "Page"),
        ("a.ts", "async function move() {}\nexport default traced({ a: 1 })(move);", "move"),
        ("move-item.ts", "const moveItem = () => 1;\nexport default throttled(moveItem, 10);", "moveItem"),
        ("a.ts", "function move() {}\nexport default sum(move);", "a"),
        ("a.ts", "function App() {}\nexport default createApp(App);", "a"),
        ("a.ts", "const Config = { a: 1 };\nexport default check(Config);", "default"),
        ("a.ts", "function a1() {}\nfunction b1() {}\nexport default curry()(a1, b1);", "default"),
    ],
)
def test_what_a_call_wraps_is_exported(file_name: str, text: str, name: str) -> None:
    found = list_references(read(file_name, text), EXPORT)
    assert [one.partition("|")[2].split()[0] for one in found] == [name]


def test_default_exports_without_a_name() -> None:
    assert list_symbols(read("index.ts", "export default { name: 'x', run() {} }")) == [
        "default CONSTANT 1-1 PUBLIC DEFAULT_EXPORT PUBLIC_API",
        "default.name PROPERTY 1-1 PUBLIC_API",
        "default.run METHOD 1-1 PUBLIC PUBLIC_API ()/0",
    ]


def test_names_in_an_object_exported_by_default() -> None:
    found = read("a.ts", "function a() {}\nfunction d() {}\nexport default { a, c: d, e: 1 };\n")
    assert list_symbols(found)[:2] == [
        "a FUNCTION 1-1 PUBLIC PUBLIC_API ()/0",
        "d FUNCTION 2-2 PUBLIC PUBLIC_API ()/0",
    ]
    assert list_references(found, EXPORT, BIND) == [
        ": EXPORT |a 3 as a",
        ": EXPORT |d 3 as c",
        ": EXPORT |default 3 as default",
        "default: BIND |a 3 as this.a n=3",
        "default: BIND |d 3 as this.c n=3",
    ]


def test_common_js() -> None:
    found = read(
        "a.js",
        """
        var express = require("express");
        const { Router, static: files } = require("./router");
        var app = exports = module.exports = {};
        app.handle = function handle(req, res) {};
        function View() {}
        View.prototype.render = function () {};
        exports.View = View;
        exports.parse = (text) => text;
        exports.other = require("./other");
        module.exports.version = "1";
        """,
    )
    assert list_references(found, IMPORT, EXPORT) == [
        ": IMPORT express| 1 as express",
        ": IMPORT ./router|Router 2 as Router",
        ": IMPORT ./router|static 2 as files",
        ": EXPORT |app 3 as export=",
        ": EXPORT |View 7 as View",
        ": EXPORT |parse 8 as parse",
        ": EXPORT ./other| 9 as other",
        ": EXPORT |version 10 as version",
    ]
    assert list_symbols(found) == [
        "app VARIABLE 3-3 PUBLIC PUBLIC_API",
        "app.handle METHOD 4-4 PUBLIC_API (req, res)/2",
        "View FUNCTION 5-5 PUBLIC PUBLIC_API ()/0",
        "View.render METHOD 6-6 ()/0",
        "parse FUNCTION 8-8 PUBLIC PUBLIC_API (text)/1",
        "version CONSTANT 10-10 PUBLIC PUBLIC_API",
    ]


def test_a_class_of_javascript_has_what_it_gives_to_this() -> None:
    found = read("a.js", "class A { constructor() { this.store = new Store(); this.store.go(); } }")
    assert "A.store PROPERTY 1-1" in list_symbols(found)
    assert "A: BIND |Store 1 as this.store" in list_references(found, BIND)


@pytest.mark.parametrize(
    "text", ["function f( {", "class { ", "const = ;", "<<<<<<< HEAD\nlet a = 1;\n======="]
)
def test_errors_make_it_partial(text: str) -> None:
    assert read("a.ts", text).status is ParseStatus.PARTIAL


def test_what_can_be_had_beside_an_error() -> None:
    found = read("a.ts", "export function good() {}\nconst = ;\nexport function fine() {}\n")
    assert found.status is ParseStatus.PARTIAL
    assert [line.split()[0] for line in list_symbols(found)] == ["good", "fine"]


def test_what_the_grammar_does_not_know_but_can_do_without() -> None:
    found = read(
        "a.ts",
        """
        export interface Box<
          // @ts-ignore
          out T = Item,
          in out U = Item> { get(): T; }
        export type * as all from "./all";
        interface Call {
          (x: number): One
          <T>(x: T): Promise<T>
          <T, U>(x: T, y: U): Two
        }
        type Many = Pick<Item, | "a" | "b">;
        """,
    )
    assert found.status is ParseStatus.FULL
    assert [line.split()[0] for line in list_symbols(found)] == ["Box", "Box.get", "Call", "Many"]
    assert ": EXPORT ./all| 5 as all" in list_references(found, EXPORT)


@pytest.mark.parametrize("piece", [b"// ,\n", b"// <,\n"])
def test_commas_before_comments_are_looked_behind_once(piece: bytes) -> None:
    """The first line does not parse, so that syntax which the grammar lacks is looked for."""
    assert_linear(lambda size: b"let x: = [\n" + piece * size, partial(parse_typescript, "a.ts"), 300)


MINIFIED = b'!function(e,t){"use strict";t(e)}(this,function(e){var t=n(1);return t(e)});' * 20  # one line


@pytest.mark.parametrize("before", [b"", b"/*! A library. */\n", b"// a\n" * 300])
def test_minified_code_declares_nothing_and_says_so(before: bytes) -> None:
    found = decode_symbol_record(parse_javascript("a.js", before + MINIFIED))
    assert found.status is ParseStatus.PARTIAL
    assert (found.symbol_count, found.reference_count) == (1, 0)
    assert list(found.spans) == [before.count(b"\n")]
    assert found.strings == ["", "a.js"]


@pytest.mark.parametrize(
    "text",
    [
        MINIFIED[:999],  # a line that people still write
        b"function f() {}\n" * 100 + MINIFIED,  # more is written than minified
        b'function f() { return "' + b"QUJD" * 500 + b'"; }\n',  # data beside code
        b"function f() {} const table = [" + b"[1, 2], " * 500 + b"];\n",
    ],
)
def test_what_is_no_minified_code_is_parsed(text: bytes) -> None:
    assert not is_minified(text)
    found = decode_symbol_record(parse_javascript("a.js", text))
    assert found.symbol_count + found.reference_count > 1


def test_long_lines_of_typescript_are_parsed() -> None:
    text = b"function f(a) { return g(a) } " * 100
    assert decode_symbol_record(parse_typescript("a.ts", text)).symbol_count == 101
    assert decode_symbol_record(parse_javascript("a.js", text)).symbol_count == 1


@pytest.mark.parametrize(
    ("name", "is_empty"), [("a.min.js", True), ("a-min.mjs", True), ("min.js", False), ("admin.js", False)]
)
def test_a_file_that_is_called_minified_declares_nothing(name: str, is_empty: bool) -> None:
    record = decode_symbol_record(parse_javascript(name, b"function a() {\n  b();\n}\n"))
    assert (record.symbol_count == 1) is is_empty


def test_what_a_base_is_given_declares_no_members() -> None:
    text = """
        interface A extends B<{ given: string; made(): void }> { own: number }
        class C implements B<{ given: string; made(): void }> { own = 1 }
        """
    assert [one.split()[0] for one in list_symbols(read("a.ts", text))] == ["A", "A.own", "C", "C.own"]


@pytest.mark.parametrize(
    "text", ["const made = memoize(() => { return; })", 'client[""]()', "const made = (() => { return; })()"]
)
def test_what_is_empty_where_something_is_looked_for(text: str) -> None:
    found = decode_symbol_record(parse_typescript("a.ts", f"{text}\nclass Kept {{}}\n".encode()))
    assert found.find_symbols("Kept")
