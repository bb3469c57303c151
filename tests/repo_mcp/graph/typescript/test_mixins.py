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
