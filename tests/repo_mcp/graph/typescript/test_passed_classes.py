"""TypeScript: type parameters that passed classes or functions determine, and what held classes make."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "models.ts": """
        export class Item {}
        export class User extends Item { star() {} }
        export class Team extends Item { star() {} }
        """,
    "use.ts": """
        import { Item, Team, User } from "./models";
        type Maker = new (...args: any[]) => unknown;
        type Rule<T extends Maker, P extends Maker> = (
          one: InstanceType<P>, other: InstanceType<T> | null
        ) => boolean;
        class Rules {
          allow = <T extends Maker, P extends Maker>(
            kind: P, target: T | T[], rule?: Rule<T, P> | object
          ) => {};
        }
        export const { allow } = new Rules();
        allow(User, Team, (one, other) => {
          one.star(/* performer */);
          other?.star(/* target */);
        });
        allow(User, Team, (one) => true);
        allow(given, Team, (one) => one.star(/* unknown */));
        type Kind<T> = new () => T;
        interface Context {
          pick<T extends Item>(kind: Kind<T>): T | undefined;
          held: <T extends Item>(kind: new (...args: never[]) => T) => T[];
        }
        async function batch<T extends Item>(kind: Kind<T>, run: (one: T) => void) {}
        batch(User, (one) => one.star(/* batch */));
        function perform(context: Context) {
          const team = context.pick(Team);
          team.star(/* member */);
          context.pick(User);
          const held = context.held(Team);
          held.forEach((one) => one.star(/* typed */));
          const { pick } = context;
          const user = pick(User);
          user.star(/* local */);
        }
        const kinds: Record<string, typeof User> = {};
        function make(name: string, Given: typeof Team) {
          const Held = kinds[name];
          const made = new Held();
          made.star(/* keyed */);
          new Given().star(/* given */);
        }
        """,
}
OF_USER, OF_TEAM = "models.ts:2 star", "models.ts:3 star"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("performer", f"{OF_USER} probable"),
        ("target", f"{OF_TEAM} probable"),
        ("batch", f"{OF_USER} probable"),
        ("member", f"{OF_TEAM} probable"),
        ("local", f"{OF_USER} probable"),
        ("typed", f"{OF_TEAM} probable"),
        ("keyed", f"{OF_USER} exact"),
        ("given", f"{OF_TEAM} exact"),
    ],
)
def test_a_class_that_is_passed_or_held_tells_the_type(
    repository: Repository, word: str, expected: str
) -> None:
    assert repository.ask("use.ts", f"/* {word} */", "star") == [expected]


def test_what_is_no_class_tells_nothing(repository: Repository) -> None:
    assert repository.ask("use.ts", "/* unknown */", "star") == []


def test_what_a_passed_function_gives_tells_the_type() -> None:
    found = Repository.build(
        {
            "a.ts": """
            class User { star() {} }
            class Team { star() {} }
            function lazy<T>(load: () => Record<string, T>): Record<string, T> {}
            async function retry<T>(run: (count: number) => Promise<T>): Promise<T> {}
            const kinds = lazy(() => {
              const kinds: Record<string, typeof User> = {};
              return kinds;
            });
            async function use(name: string, load: () => Promise<Team>) {
              const Held = kinds[name];
              const made = new Held();
              made.star(/* keyed */);
              const fresh = await retry(() => new Team());
              fresh.star(/* new */);
              const loaded = await retry(async (count) => {
                return load();
              });
              loaded.star(/* awaited */);
              const other = await retry(given);
              other.star(/* unknown */);
            }
            """
        }
    )
    assert found.ask("a.ts", "/* keyed */", "star") == ["a.ts:1 star probable"]
    assert found.ask("a.ts", "/* new */", "star") == ["a.ts:2 star probable"]
    assert found.ask("a.ts", "/* awaited */", "star") == ["a.ts:2 star probable"]
    assert all("probable" not in one for one in found.ask("a.ts", "/* unknown */", "star"))
