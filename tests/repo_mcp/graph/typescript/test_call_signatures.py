"""TypeScript: types with several call signatures, and parameters that take the rest."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "src/app.ts": """
        export class Context<E> {
          text(value: string): string { return value }
          next = 1
        }
        export class Other { text(): void {} }
        type Handler<E> = (c: Context<E>, next: () => void) => unknown
        export interface Adding<E> {
          (handler: Handler<E>): App<E>
          <P extends string>(path: P, handler: Handler<E>): App<E>
          <P extends string>(path: P, ...handlers: [Handler<E> & P, Handler<E>]): App<E>
          (path: string, ...handlers: Handler<E>[]): App<E>
        }
        export interface Mixed {
          (given: (one: Context<any>) => void): void
          (name: string, given: (one: Context<any>) => void): void
          (name: number, given: (one: Other) => void): void
        }
        export class App<E> {
          get!: Adding<E>
          mixed!: Mixed
          all(...handlers: Handler<E>[]): void {}
          pair(...handlers: [(one: Other) => void, (two: Context<E>) => void]): void {}
          toString(): string { return "" }
        }
        """,
    "src/use.ts": """
        import { App } from "./app"
        const app = new App<{ a: 1 }>()
        app.get((c) => c.text("one"))
        app.get("/two", (c) => c.text("two"))
        app.get("/three", () => 1, (c) => c.text("three"))
        app.get("/a", () => 1, () => 2, () => 3, () => 4, () => 5, () => 6, () => 7, (c) => c.text("nine"))
        app.all(() => 1, (c) => c.text("rest"))
        app.pair((one) => one.text(), (two) => two.text("pair"))
        app.mixed("x", (m) => m.text("mixed"))
        function show(value: string | App<any>) { return value.toString() }
        describe("x", () => {
          let Loader: typeof Base
          before(() => {
            Loader = class Loader extends Base {
              own() { return new Loader() }
            }
          })
        })
        """,
}


@pytest.mark.parametrize("word", ["one", "two", "three", "nine", "rest", "pair"])
def test_a_callback_is_taken_by_the_signatures_that_have_its_place(repository: Repository, word: str) -> None:
    said = repository.ask("src/use.ts", f'text("{word}")', "text")
    assert any(one.startswith("src/app.ts:2 text") and "possible" not in one for one in said)


def test_each_place_of_a_list_has_its_own_type(repository: Repository) -> None:
    said = repository.ask("src/use.ts", 'text("pair")', "text")
    assert sorted(one.rpartition(" ")[0] for one in said) == ["src/app.ts:2 text", "src/app.ts:5 text"]


def test_signatures_that_differ_leave_it_open(repository: Repository) -> None:
    said = repository.ask("src/use.ts", 'm.text("mixed")', "text")
    assert said
    assert not any(one.endswith("exact") for one in said)


def test_what_every_value_has_is_not_sure(repository: Repository) -> None:
    said = repository.ask("src/use.ts", "value.toString", "toString")
    assert [one.rpartition(" ")[2] for one in said] == ["probable"]


def test_the_name_of_a_class_that_is_assigned_is_seen_in_it_alone(repository: Repository) -> None:
    assert repository.ask("src/use.ts", "Loader = class", "Loader") == ["-> Loader"]
    assert "src/use.ts:14 Loader exact" in repository.ask("src/use.ts", "own() { return", "Loader")
