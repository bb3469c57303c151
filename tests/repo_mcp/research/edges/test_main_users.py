"""What a relation shows first: users that call by a local name, and callees by what they do for the call."""

from __future__ import annotations

from repo_mcp.research.findings.records import Report, ResearchRequest
from repo_mcp.toolsets.research.shown_findings import choose_all
from tests.repo_mcp.research.asking import Asked, find_one, list_found

KEYS = {
    "packages/core/src/keys.ts": (
        "export function hashKey(key: string): string {\n  return key.trim()\n}\n\n"
        "export function hashOf(key: string, options?: { hash?: (key: string) => string }): string {\n"
        "  const hash = options?.hash || hashKey\n  return hash(key)\n}\n\n"
        "export function keep(register: (one: unknown) => void) {\n  register(hashKey)\n}\n"
    ),
    "packages/core/src/cache.ts": (
        "import { hashOf, hashKey } from './keys'\n\n"
        "export class Cache {\n  build(key: string) {\n    return this.get(hashOf(key))\n  }\n\n"
        "  get(hash: string) {\n    return hash\n  }\n\n"
        "  setDefaults(key: string) {\n    return hashKey(key)\n  }\n}\n"
    ),
    "packages/facade/src/cache.ts": (
        "import { Cache as Core } from '../../core/src/cache'\n\n"
        "export class Cache extends Core {\n  setDefaults(key: string) {\n"
        "    return super.setDefaults(key.trim())\n  }\n}\n"
    ),
    "packages/facade/src/app.ts": (
        "import { Cache } from '../../core/src/cache'\n\n"
        "export function start(cache: Cache) {\n  return cache.setDefaults('all')\n}\n"
    ),
}
QUERY = {
    "src/query.ts": (
        "import { batch } from './batch'\n\n"
        "export class Query {\n  state: any\n\n"
        "  invalidate(): void {\n    batch(() => this.apply({ type: 'invalidate' }))\n  }\n\n"
        "  apply(action: any): any {\n    switch (action.type) {\n"
        + "".join(f"      case 'other{at}':\n        return {{ at: {at} }}\n" for at in range(20))
        + "      case 'invalidate':\n        return { isInvalidated: true }\n    }\n  }\n\n"
        "  isStale(): boolean {\n    return this.state.isInvalidated\n  }\n}\n"
    ),
    "src/batch.ts": "let depth = 0\n"
    "export function batch(run: () => void) {\n  depth++\n  run()\n  depth--\n}\n",
    **{
        f"src/user{at}.ts": "import { batch } from './batch'\n\n"
        "export function use() {\n  batch(() => 1)\n}\n"
        for at in range(9)
    },
}


def list_shown(report: Report) -> list[str]:
    return [one.symbol for one in choose_all(report, 3)[0][0]]


def test_who_calls_a_function_by_a_local_name_counts_as_a_caller() -> None:
    report = Asked(KEYS).ask("what breaks if I change hashKey?")
    assert find_one(report, "hashOf").why == "calls hashKey by a local name"
    assert find_one(report, "keep").why == "mentions hashKey as a value, and may cause it to be called"
    assert list_found(report, 1).index("hashOf") < list_found(report, 1).index("Cache.setDefaults")
    assert find_one(report, "Cache.build").hop == 2


def test_what_wraps_a_user_in_a_sister_package_comes_after_other_users() -> None:
    report = Asked(KEYS).ask("what breaks if I change hashKey?")
    places = [(one.path, one.symbol) for one in report.findings if one.hop == 2]
    app, wrapper = (
        ("packages/facade/src/app.ts", "start"),
        ("packages/facade/src/cache.ts", "Cache.setDefaults"),
    )
    assert places.index(app) < places.index(wrapper)


def test_a_subject_that_wraps_another_is_noted_behind_what_this_calls() -> None:
    report = Asked(KEYS).ask("what happens when I call setDefaults?")
    assert [one.path for one in report.findings if not one.hop] == ["packages/core/src/cache.ts"]
    wrapper = report.findings[-1]
    assert wrapper.why == "overrides Cache.setDefaults and calls it"
    assert wrapper.path == "packages/facade/src/cache.ts"


def test_callees_show_the_branch_for_the_text_that_the_call_gives() -> None:
    report = Asked(QUERY).ask("what happens when I call Query.invalidate?")
    excerpt = find_one(report, "Query.apply").excerpt
    assert "return { isInvalidated: true }" in excerpt
    assert "other3" not in excerpt
    reader = find_one(report, "Query.isStale")
    assert reader.why == "reads the field isInvalidated, which apply sets"


def test_a_branch_is_shown_to_the_last_line_of_its_function() -> None:
    others = "".join(f"    if kind == 'other{at}':\n        return {at}\n" for at in range(20))
    code = (
        "def shut(door):\n    turn(door, 'close')\n\n\n"
        f"def turn(door, kind):\n{others}    if kind == 'close':\n        return door.lock(-7)\n"
    )
    report = Asked({"door.py": code}).ask("what happens when I call shut?")
    assert "return door.lock(-7)" in find_one(report, "door.turn").excerpt


def test_what_helps_everywhere_comes_last_and_is_only_named() -> None:
    report = Asked(QUERY).ask("what happens when I call Query.invalidate?")
    assert list_found(report) == ["Query.invalidate", "Query.apply", "Query.isStale", "batch"]
    assert "batch" not in list_shown(report)


def test_what_stands_below_a_user_does_not_depend_on_the_subject() -> None:
    files = {
        "keys.py": "def hash_key(key):\n    return key.strip()\n\n\n"
        "def match(key, other, exact):\n    if exact:\n        return hash_key(key) == hash_key(other)\n"
        "    return match_part(key, other)\n\n\n"
        "def match_part(key, other):\n    if key == other:\n        return True\n    return key in other\n"
    }
    request = ResearchRequest("what breaks if I change hash_key? (hash_key, match_part)")
    assert "match_part" not in list_found(Asked(files).ask(request.query))


def test_users_in_benchmarks_come_behind_those_of_the_program() -> None:
    use = "import { weigh } from '../src/scale'\n\nexport function NAME() {\n  return weigh(1)\n}\n"
    files = {
        "src/scale.ts": "export function weigh(parcel) {\n  return parcel\n}\n",
        "benchmarks/first.ts": use.replace("NAME", "measureScale"),
        "web/page.ts": use.replace("NAME", "showPage"),
    }
    found = list_found(Asked(files).ask("what breaks if I change weigh?"))
    assert found.index("showPage") < found.index("measureScale")


def test_callers_are_asked_for_of_what_is_overridden_and_not_of_each_override() -> None:
    files = {
        "base.py": "class Base:\n    def start(self):\n        return 1\n",
        "child.py": "from base import Base\n\n\nclass Child(Base):\n    def start(self):\n        return 2\n",
        "run.py": "from base import Base\n\n\ndef run(base: Base):\n    return base.start()\n",
    }
    report = Asked(files).ask("Who calls start?")
    assert report.claim == "Base.start (base.py:2-3) is called by run.run (run.py:4-5)."
    assert list_found(report) == ["base.Base.start", "run.run"]


def test_an_override_that_its_own_type_is_called_by_is_asked_for_too() -> None:
    files = {
        "base.py": "class Base:\n    def start(self):\n        raise NotImplementedError\n",
        "child.py": "from base import Base\n\n\n"
        "class Child(Base):\n    def start(self):\n        return 2\n\n"
        "    def start_twice(self):\n        return self.start() + self.start()\n",
        "run.py": "from base import Base\n\n\ndef run(base: Base):\n    return base.start()\n",
    }
    for question in ("Who calls start?", "What breaks if I change start?"):
        report = Asked(files).ask(question)
        assert list_found(report)[:2] == ["base.Base.start", "child.Child.start"]
        assert "by run.run (run.py:4-5) and Child.start_twice (child.py:8-9)." in report.claim
