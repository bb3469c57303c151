"""TypeScript: members of classes whose base is made by functions."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "src/types.ts": """
        export type Constructor<T> = new (...args: any[]) => T
        export type Given<B = object> = abstract new (...args: any[]) => B
        export type Returned<B, M = object> = (abstract new (...args: any[]) => M) & B
        """,
    "src/base.ts": """
        export class Base { plain(): void {} both(): void {} }
        export class Other { plain(): void {} }
        """,
    "src/mixins.ts": """
        import { Constructor, Given, Returned } from "./types"
        import { Base, Other } from "./base"
        export interface Named { named(): string }
        export function Named<T extends Constructor<Base>>(Outer: T): Constructor<Named> & T {
          return class extends Outer implements Named {
            named() { this.plain(); return "" }
            hidden() {}
          }
        }
        export interface Aged { aged(): number; both(): void }
        export function Aged<T extends Given<Base>>(base: T): Returned<T, Aged> {
          abstract class AgedImpl extends base implements Aged {
            aged() { return 1 }
            both() { super.both() }
          }
          return AgedImpl
        }
        export const Untyped = <T extends Given<Base>>(base: T) => class extends base {
          untyped() {}
        }
        export function makeOther(options: object): Constructor<Other> { return Other }
        """,
    "src/use.ts": """
        import { outside } from "somewhere"
        import { Aged, Named, Untyped, makeOther } from "./mixins"
        import { Base } from "./base"
        const createBase = <T extends typeof Base>(ctor: T) => Named(Aged(ctor))
        export const MadeBase = createBase(Base)
        const heldBase = Untyped(Named(Base))
        class Direct extends Named(Aged(Base)) {
          constructor() { super() }
          first() {
            this.named() // direct
            this.plain() // direct
            this.both() // direct
            this.missing()
          }
        }
        class Held extends heldBase {
          second() {
            this.untyped()
            this.named() // held
            this.plain() // held
          }
        }
        class Made extends MadeBase {
          third() {
            this.aged() // made
            this.plain() // made
          }
        }
        class Factory extends makeOther(Base) {
          fourth() {
            this.plain() // factory
          }
        }
        class Unknown extends outside(Base) {
          fifth() {
            this.plain() // outside
          }
        }
        function use(held: Held) {
          held.named() // value
        }
        """,
}
TEXTS |= {
    "src/plain.js": """
        export class Plain { plain() {} }
        export class Options { wanted() {} }
        export const Loud = (superclass) => class extends superclass { shout() {} }
        export function Soft(superclass) {
          class SoftOne extends superclass { hush() {} }
          return SoftOne
        }
        export const Deep = (superclass) => class extends Soft(superclass) { dig() { this.hush() } }
        export function make(options) {
          const parent = options.parent
          class Made extends parent { made() {} }
          return Made
        }
        """,
    "src/other.js": """
        import { Deep, Loud, Options, Plain, make } from "./plain"
        class A extends Loud(Deep(Plain)) {
          go() {
            this.shout()
            this.hush()
            this.dig()
            this.plain()
          }
        }
        class B extends make(Options) {
          go() {
            this.wanted()
          }
        }
        """,
}
NAMED = ["src/mixins.ts:3 named exact"]
PLAIN = ["src/base.ts:1 plain exact"]


@pytest.fixture(scope="module")
def repository() -> Repository:
    return Repository.build(TEXTS)


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("this.named() // direct", "named", NAMED),
        ("this.plain() // direct", "plain", PLAIN),
        ("this.both() // direct", "both", ["src/mixins.ts:10 both exact"]),
        ("this.missing()", "missing", []),
        ("super()", "constructor", ["src/base.ts:1 Base exact"]),
        ("this.untyped()", "untyped", ["src/mixins.ts:19 untyped exact"]),
        ("this.named() // held", "named", NAMED),
        ("this.plain() // held", "plain", PLAIN),
        ("this.aged() // made", "aged", ["src/mixins.ts:10 aged exact"]),
        ("this.plain() // made", "plain", PLAIN),
        ("this.plain() // factory", "plain", ["src/base.ts:2 plain exact"]),
        ("this.plain() // outside", "plain", ["src/base.ts:1 plain probable"]),
        ("held.named() // value", "named", NAMED),
    ],
)
def test_members_of_made_classes(repository: Repository, line: str, name: str, expected: list[str]) -> None:
    assert repository.ask("src/use.ts", line, name) == expected


def test_members_that_a_mixin_needs(repository: Repository) -> None:
    assert repository.ask("src/mixins.ts", "named() { this.plain()", "plain") == PLAIN
    assert repository.ask("src/mixins.ts", "both() { super.both() }", "both") == ["src/base.ts:1 both exact"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("shout", ["src/plain.js:3 shout exact"]),
        ("hush", ["src/plain.js:5 hush exact"]),
        ("dig", ["src/plain.js:8 dig exact"]),
        ("plain", ["src/plain.js:1 plain exact"]),
        ("wanted", []),  # what is given to a function is no base of what it makes
    ],
)
def test_mixins_without_types(repository: Repository, name: str, expected: list[str]) -> None:
    assert repository.ask("src/other.js", f"this.{name}()", name) == expected


DOUBTFUL = """
    type Made<T = object> = new (...args: any[]) => T
    class Base { go() {} plain() {} }
    class Other { go() {} }
    function One<T extends Made<Base>>(base: T) { return class extends base { go() {} } }
    function Two<T extends Made<Base>>(base: T) { return class extends base { go() {} } }
    function Helped<T extends Made<Base>>(base: T) {
      class Unused extends base { plain() {} }
      class Used extends base { go() {} }
      return Used
    }
    function Ignored<T extends Made<Base>>(base: T) {
      class Unused extends base { go() {} }
      return Other
    }
    function Either<T extends Made<Base>>(base: T, first: boolean) {
      if (first) {
        return class First extends base { go() {} }
      }
      return class Second extends base { go() {} }
    }
    function Over(base: Made<Base>): Made<Base>
    function Over(base: Made<Other>): Made<Other>
    function Over(base: any): any { return base }
    class A extends One(Two(Base)) { run() { super.go() } } // first
    class B extends Helped(Base) { run() { this.plain() } } // unused
    class C extends Ignored(Base) { run() { this.go() } } // ignored
    class D extends Either(Base, true) { run() { this.go() } } // either
    class E extends Over(Other) { run() { this.go() } } // overloads
    function use(One: any) {
      class F extends One(Base) { run() { this.go() } } // parameter
    }
    """


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("// first", "go", ["a.ts:4 go exact"]),  # each mixin and the class have one
        ("// unused", "plain", ["a.ts:2 plain exact"]),
        ("// ignored", "go", []),
        ("// either", "go", ["a.ts:17 go probable"]),
        ("// overloads", "go", ["a.ts:2 go probable"]),
        ("// parameter", "go", []),
    ],
)
def test_what_a_function_may_not_return(line: str, name: str, expected: list[str]) -> None:
    assert Repository.build({"a.ts": DOUBTFUL}).ask("a.ts", line, name) == expected


def test_functions_that_apply_one_another_often() -> None:
    levels = [
        f"function F{at}<T>(base: T) {{ return {f'F{at + 1}(' * 20}base{')' * 20} }}" for at in range(8)
    ]
    text = "\n".join(
        [
            "class Base { go() {} }",
            *levels,
            "function F8<T>(base: T) { return class extends base { last() {} } }",
            "class A extends F0(Base) { run() { this.last() } } // asked",
        ]
    )
    assert Repository.build({"a.ts": text}).ask("a.ts", "// asked", "last") == ["a.ts:10 last exact"]
