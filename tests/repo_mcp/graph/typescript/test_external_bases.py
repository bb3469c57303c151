"""TypeScript: what the static methods of an external base give, and what else comes from outside."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "models.ts": """
        import { Model } from "orm";
        type Kind<T> = { new (): T };
        export class Base extends Model {
          saveWith(context) {}
          static createWith(context) { return this.create(context); }
          static load<M extends Base>(this: Kind<M>): Promise<M> {}
        }
        export class Share extends Base {
          revoke() {}
          static async first() { const found = await this.findOne({}); found.revoke(); /* own */ }
        }
        """,
    "use.ts": """
        import express from "express";
        import { Share } from "./models";
        async function use() {
          const built = Share.build({});
          built.saveWith(/* built */);
          (await Share.findByPk(1)).revoke(/* found */);
          const all = await Share.findAll();
          for (const one of all) { one.revoke(/* each */); }
          all.map((one) => one.revoke(/* passed */));
          all.filter((one) => !one.old).forEach((one) => one.revoke(/* kept */));
          all[0].revoke(/* item */);
          const [made] = await Share.findOrCreate({});
          made.revoke(/* pair */);
          (await Share.scope("a").findOne()).revoke(/* scoped */);
          (await Share.createWith({})).revoke(/* through */);
          (await Share.load()).revoke(/* typed */);
          new Share().save(/* saved */);
          const copy = await new Share().copy();
          copy.revoke(/* copied */);
          const app = express();
          app.revoke(/* result */);
          app.listen(/* listen */);
          app.get("x", (request, response) => { response.revoke(/* given */); });
        }
        """,
}


def test_an_external_static_method_called_in_its_class_gives_an_object(repository: Repository) -> None:
    assert repository.ask("models.ts", "/* own */", "revoke") == ["models.ts:9 revoke probable"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("built", "models.ts:4 saveWith probable"),
        ("found", "models.ts:9 revoke probable"),
        ("each", "models.ts:9 revoke probable"),
        ("passed", "models.ts:9 revoke probable"),
        ("kept", "models.ts:9 revoke probable"),
        ("item", "models.ts:9 revoke probable"),
        ("pair", "models.ts:9 revoke probable"),
        ("scoped", "models.ts:9 revoke possible"),
        ("through", "models.ts:9 revoke probable"),
        ("typed", "models.ts:9 revoke exact"),
    ],
)
def test_an_external_static_method_gives_an_object_of_its_class(
    repository: Repository, word: str, expected: str
) -> None:
    name = "saveWith" if word == "built" else "revoke"
    assert repository.ask("use.ts", f"/* {word} */", name) == [expected]


@pytest.mark.parametrize("word", ["copied", "result", "given"])
def test_a_declared_member_of_what_comes_from_outside_is_left_open(repository: Repository, word: str) -> None:
    assert repository.ask("use.ts", f"/* {word} */", "revoke") == []


def test_any_other_member_of_what_comes_from_outside_is_external(repository: Repository) -> None:
    assert repository.ask("use.ts", "/* saved */", "save") == ["-> orm.Model.save"]
    assert repository.ask("use.ts", "/* listen */", "listen") == ["-> express.listen"]


def test_an_inherited_method_that_gives_its_object_gives_one_of_the_class_that_inherits_it() -> None:
    found = Repository.build(
        {
            "a.ts": """
            class Base { tag() { return this; } label(): this { return this; } }
            class Sub extends Base { own() {} }
            new Sub().tag().own(/* tagged */);
            const made = new Sub().label();
            made.own(/* labelled */);
            """
        }
    )
    assert found.ask("a.ts", "/* tagged */", "own") == ["a.ts:2 own exact"]
    assert found.ask("a.ts", "/* labelled */", "own") == ["a.ts:2 own exact"]


def test_a_wrapper_of_a_package_has_the_members_of_its_first_argument() -> None:
    found = Repository.build(
        {
            "a.ts": """
            import type { Optional } from "wrappers";
            interface Store { abilities(): void }
            interface Action { visible: (context: { store: Store }) => boolean; kind: string }
            function create(definition: Optional<Omit<Action, "kind">, "visible">) {}
            create({ visible: ({ store }) => store.abilities(/* wrapped */) });
            """
        }
    )
    assert found.ask("a.ts", "/* wrapped */", "abilities") == ["a.ts:2 abilities exact"]


def test_no_name_of_something_external_has_the_mark_of_a_value_without_a_name() -> None:
    found = Repository.build(
        {
            "a.ts": """
            import { define, load } from "tool";
            define({ run: ({ stores }) => stores.list(/* given */) });
            function first() { const Kind = load()[0]; new Kind().begin(/* made */); }
            function second() { const Kind = load()[1]; return Kind; }
            """
        }
    )
    assert found.ask("a.ts", "/* given */", "list") == ["-> tool.define.run.stores.list"]
    assert found.ask("a.ts", "/* made */", "begin") == []
