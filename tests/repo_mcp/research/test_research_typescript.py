"""What reading the reports on TypeScript repositories beside their source brought to light."""

from __future__ import annotations

from repo_mcp.research.findings.records import Focus
from tests.repo_mcp.research.asking import Asked, find_one, list_edges, list_found

CALLED = {
    "src/core.ts": "export function build(x: string) {\n  return x\n}\n",
    "src/a.ts": "import { build } from './core'\nexport function handle() {\n  return build('a')\n}\n",
    "src/b.ts": "import { build } from './core'\nexport function handle() {\n  return build('b')\n}\n",
    "src/core.test.ts": "import { build } from './core'\n" + "build('x')\n" * 24,
}


def test_how_many_lines_call_is_said_where_not_all_are_shown() -> None:
    report = Asked(CALLED).ask("what calls build", depth=1)
    test = find_one(report, "src/core.test.ts")
    assert "on 24 lines" in test.why
    assert len(test.lines) == 5
    assert (test.start_line, test.end_line) == (2, 25)
    assert [edge.count for edge in report.map_edges] == [1, 1, 24]


def test_callers_of_one_name_have_chains_of_their_own() -> None:
    report = Asked(CALLED).ask("what calls build", depth=1)
    assert [(one.symbols, one.citations) for one in report.chains if one.symbols[0] == "handle"] == [
        (("handle", "build"), ("src/a.ts:3",)),
        (("handle", "build"), ("src/b.ts:3",)),
    ]


def test_a_chain_says_why_it_ends() -> None:
    report = Asked(CALLED).ask("what calls build", depth=3)
    ends = {one.symbols[0]: one.ends for one in report.chains}
    assert ends == {"handle": "no call of it was found in the repository"}


OVERRIDDEN = {
    "src/router.ts": """export interface Router {
  name: string
  match(path: string): string
}
export class TrieRouter implements Router {
  name = 'trie'
  match(path: string): string {
    return path
  }
}
export function dispatch(router: Router) {
  return router.match('/')
}
""",
}


def test_what_calls_an_open_method_leads_to_those_that_fill_it_in() -> None:
    report = Asked(OVERRIDDEN).ask("what does dispatch call", depth=2)
    assert list_found(report) == ["dispatch", "Router.match", "TrieRouter.match"]
    assert find_one(report, "TrieRouter.match").why == "overrides Router.match (probable)"
    assert ("Router.match", "overridden_by", "TrieRouter.match") in list_edges(report)


EXPORTED = {
    "src/core.ts": "export function callProcedure() {}\n",
    "src/index.ts": "export { callProcedure as callPublicly } from './core'\n",
    "src/ws.ts": "import { callPublicly } from './index'\nexport function serve() {\n  callPublicly()\n}\n",
}


def test_the_name_that_something_is_exported_by_means_it() -> None:
    report = Asked(EXPORTED).ask("what calls callPublicly")
    assert report.reading.subjects[0].taken_as == "declared_otherwise"
    assert list_found(report)[:2] == ["callProcedure", "serve"]
    assert '"callPublicly" itself is not declared' in report.reading.text


SET = {
    "src/resolve.ts": "export function resolve(c: any) {\n  c.retries ??= c.ci ? 3 : 1\n  return c\n}\n",
    "src/read.ts": "export const seen = [1].map(retries => each(retries))\n",
}


def test_a_default_that_is_set_only_where_none_is_there_is_found() -> None:
    report = Asked(SET).ask("where is retries configured")
    assert find_one(report, "resolve").why.startswith("sets retries")
    assert not [one for one in report.findings if one.path == "src/read.ts" and one.hop == 1]


MEMBERS = {
    "src/matchers.ts": """export class RouteMatchers {
  buildMatchers(routes: string[]) {
    return joinRoutes(routes)
  }
}
function joinRoutes(parts: string[]) {
  return parts.join('|')
}
"""
}


def test_what_a_method_calls_is_called_by_it_and_not_by_its_type() -> None:
    report = Asked(MEMBERS).ask("how are the matchers of routes built")
    assert {source for source, kind, _ in list_edges(report) if kind == "calls"} == {
        "RouteMatchers.buildMatchers"
    }


GUESSED = {
    "src/base.ts": "export class Base {\n  route() {\n    return leaf()\n  }\n}\nfunction leaf() {}\n",
    "src/more.test.ts": """import { Base } from '../src/base'
class Extended extends Base {
  route() {
    super.route()
  }
}
new Extended().route()
""",
    "src/use.test.ts": """import { Base } from '../src/base'
new Base().route()
unknown().route()
""",
}


def test_where_it_is_known_which_is_meant_nothing_is_guessed() -> None:
    report = Asked(GUESSED).ask("what calls leaf", depth=3)
    assert ("src/use.test.ts", "calls", "Base.route") in list_edges(report)
    assert ("src/use.test.ts", "calls", "Extended.route") not in list_edges(report)


PASSED_ON = {
    "src/types.ts": "export class Type {\n  parse() {}\n}\n",
    "src/index.ts": "export * from './types'\n",
    "src/error.ts": "import { Type } from './index'\nexport const one = new Type()\n",
    "src/main.ts": "import { one } from './error'\none.parse()\n",
}


def test_what_is_imported_for_what_it_passes_on_is_no_beginning() -> None:
    report = Asked(PASSED_ON).ask("architecture", focus=Focus.ARCHITECTURE)
    assert [one.symbol for one in report.entry_points] == ["src/main.ts"]


LISTED = {
    "lib/errors.js": "function buildHandler (one) {\n  return one\n}\n\nmodule.exports = { buildHandler }\n",
    "lib/main.js": "const { buildHandler } = require('./errors')\n\nfunction setup (app) {\n"
    "  app.handler = buildHandler(app)\n}\n\nmodule.exports = setup\n",
}


def test_a_list_of_what_a_file_exports_does_not_use_it() -> None:
    report = Asked(LISTED).ask("what uses buildHandler?")
    assert "lib/errors.js" not in list_found(report)
    assert "setup" in list_found(report)
    assert "lib/main.js" not in list_found(report)  # which imports it for that


MADE = {
    "src/slice.ts": "export function make() {\n  return () => 1\n}\nexport const slice = make()\n",
    "src/use.ts": "import { slice } from './slice'\nexport function use() {\n  return slice()\n}\n",
    "old/app.ts": "import * as kit from 'kit'\nimport slice = kit.slice\nexport const one = slice()\n",
}


def test_what_calls_a_value_is_answered_beside_an_import_alias_of_its_name() -> None:
    report = Asked(MADE).ask("what calls slice?", depth=1)
    assert list_found(report) == ["slice", "use"]
    assert ("use", "calls", "slice") in list_edges(report)


def test_what_implements_a_function_type_are_the_functions_of_it() -> None:
    links = {
        "src/links.ts": "export type Link = (given: string) => void;\nexport function take(link: Link) {}\n",
        "src/batch.ts": "import type { Link } from './links';\n"
        "export function batchLink(): Link {\n  return () => {};\n}\n",
    }
    report = Asked(links).ask("what implements Link?")
    assert report.claim == (
        "Link (src/links.ts:1) is a function type, which nothing implements by name:"
        " these return it or are declared as it: batchLink (src/batch.ts:2)."
    )


def test_a_default_export_without_a_name_is_called_so() -> None:
    texts = {
        "src/core.ts": "export function build(x: string) {\n  return x\n}\n",
        "src/a/index.ts": "import { build } from '../core'\nexport default join(build('a'))\n",
        "src/b/index.ts": "import { build } from '../core'\nexport default { made: build('a') }\n",
    }
    claim = Asked(texts).ask("what calls build", depth=1).claim
    assert "is called by the default export (src/a/index.ts:2) and made (src/b/index.ts:2)" in claim
