"""TypeScript: members of a class itself and of its objects, and names of classes that are values."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "base.ts": """
        export class Base {
          static make() { return 1; }
          make() { return 2; }
        }
        """,
    "use.ts": """
        import * as ns from "./base";
        import { Base } from "./base";
        class Sub extends Base {
          static one() { super.make(); /* 4 */ }
          two() { super.make(); /* 5 */ }
          static three = () => { this.make(); };
          four = () => { this.make(); };
        }
        function f(given: Base) {
          given.make();
          /* 10 */ Base.make();
          new Base().make();
          /* 12 */ ns.Base.make();
          new ns.Base().make();
          const Held = Base;
          Held.make();
          const made = new Base();
          made.make();
        }
        """,
    "values.ts": """
        export const Outer = class Box { make() { return new Box(); } };
        export class Box { size = 1 }
        export const same = new Box();
        """,
}
STATIC, OF_OBJECTS = ["base.ts:2 make exact"], ["base.ts:3 make exact"]


@pytest.mark.parametrize("line", ["4 */", "three =", "10 */", "12 */", "Held.make()"])
def test_a_class_has_its_static_member(repository: Repository, line: str) -> None:
    assert repository.ask("use.ts", line, "make") == STATIC


@pytest.mark.parametrize(
    "line", ["5 */", "four =", "given.make()", "new Base().make()", "new ns.Base().make()", "made.make()"]
)
def test_an_object_has_the_other_one(repository: Repository, line: str) -> None:
    assert repository.ask("use.ts", line, "make") == OF_OBJECTS


def test_the_name_of_a_class_that_is_a_value_hides_others_in_it(repository: Repository) -> None:
    assert repository.ask("values.ts", "same =", "Box") == ["values.ts:2 Box exact"]
    assert repository.ask("values.ts", "Outer =", "Box") == []
