"""JavaScript: the types that JSDoc comments say of parameters, results, variables and values."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

CALL, USE, TYPE, ACCEPT = ReferenceRole.CALL, ReferenceRole.USE, ReferenceRole.TYPE, ReferenceRole.ACCEPT
STORE = """
/** @typedef {import("./item").Item} Item */
/** @typedef {(item: Item, store: Store) => boolean} Test tells items apart */
/**
 * What a store takes.
 * @typedef {object} Options
 * @property {Item=} first the first item
 * @property {Store[]} others
 */
/**
 * @callback Visit
 * @param {Item} item
 * @returns {Store}
 */
class Store {
  /** @param {Options} options */
  constructor(options) {
    /** @type {Item | undefined} */
    this.last = undefined;
    options.first.weigh();
  }
  load() {}
  /**
   * @template T
   * @param {string} name
   * @param {Test=} test
   * @returns {Item}
   */
  find(name, test) { return this.all[name]; }
}
module.exports = Store;
"""
OTHER = "exports.Other = class Other { load() {} weigh() {} find() {} };"
ITEM = "class Item { weigh() {} halve() {} }\nexports.Item = Item;\n"
USES = """
/** @import Store, { Options, Visit } from "./store" */
/** @import * as every from "./item" */
/**
 * @param {Store} store a store
 * @param {...import("./item").Item} items
 */
function given(store, ...items) {
  store.find("a").weigh();
  for (const item of items) item.halve();
  store.last.halve();
}
// eslint-disable-next-line
/** @type {Map<string, Store>} */
const stores = new Map();
const one = stores.get("a"); one.load();
const held = /** @type {import("./store")} */ (globalThis.held);
held.find();
const cast = (value) => /** @type {Store} */ (value.store).load();
/** @param {Options} options */
module.exports.taken = ({ first, others }) => { first.halve(); others[0].load(); };
list.map(/** @param {every.Item} entry */ (entry) => entry.weigh());
/** @type {Visit} */
const visit = (visited) => visited.weigh();
/**
 * @param {object} settings
 * @param {Store} settings.store
 */
function nested({ store }) { store.load(); }
function each(all) { for (const it of /** @type {Iterable<Store>} */ (all.values())) it.load(); }
/** @param {Object} thing @param {Unknown} other */
function vague(thing, other) { thing.halve(); }
"""


TEXTS = {"store.js": STORE, "other.js": OTHER, "item.js": ITEM, "use.js": USES}


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ('find("a").weigh', "find", "store.js:28 find exact"),
        ('find("a").weigh', "weigh", "item.js:1 weigh exact"),
        ("of items", "halve", "item.js:1 halve exact"),
        ("store.last", "halve", "item.js:1 halve exact"),
        ("const one", "load", "store.js:21 load exact"),
        ("held.find", "find", "store.js:28 find exact"),
        ("const cast", "load", "store.js:21 load exact"),
        ("exports.taken", "halve", "item.js:1 halve exact"),
        ("exports.taken", "load", "store.js:21 load exact"),
        ("list.map", "weigh", "item.js:1 weigh exact"),
        ("const visit", "weigh", "item.js:1 weigh exact"),
        ("function nested", "load", "store.js:21 load exact"),
        ("function each", "load", "store.js:21 load exact"),
        ("function vague", "halve", "item.js:1 halve probable"),  # `Object` says nothing
    ],
)
def test_a_comment_says_the_type_of_a_receiver(
    repository: Repository, line: str, name: str, means: str
) -> None:
    assert repository.ask("use.js", line, name, CALL) == [means]


def test_a_property_of_a_documented_type_has_its_type(repository: Repository) -> None:
    assert repository.ask("store.js", "options.first.weigh", "weigh", CALL) == ["item.js:1 weigh exact"]


def test_names_in_tags_are_uses_of_types(repository: Repository) -> None:
    assert repository.ask("use.js", "@param {Store} store", "Store", ACCEPT) == ["store.js:14 Store exact"]
    assert repository.ask("use.js", '@param {...import("./item")', "Item", ACCEPT) == ["item.js:1 Item exact"]
    assert repository.ask("use.js", "@type {Visit}", "Visit", TYPE) == ["store.js:9 Visit exact"]
    assert repository.ask("store.js", "@param {Options}", "Options", ACCEPT) == ["store.js:3 Options exact"]
    assert repository.ask("store.js", "@typedef {(item", "Item", TYPE) == ["item.js:1 Item exact"]
    record = repository.program.find_record("store.js")
    assert record is not None
    rows = [record.get_reference(row) for row in range(record.reference_count)]
    users = {record.get_symbol(one.symbol).name for one in rows if one.name == "Test" and one.role == ACCEPT}
    assert users == {"find"}


def test_importers_see_an_imported_type_under_its_name() -> None:
    found = Repository.build(
        {
            "store.js": STORE,
            "item.js": ITEM,
            "use.js": '/** @type {import("./store").Item} */\nlet item;\nitem.weigh();\n',
        }
    )
    assert found.ask("use.js", "item.weigh", "weigh", CALL) == ["item.js:1 weigh exact"]


def test_a_type_that_typescript_imports_where_it_stands() -> None:
    found = Repository.build(
        {
            "item.ts": "export class Item { weigh() {} }",
            "other.ts": "export class Other { weigh() {} }",
            "use.ts": 'export function use(item: import("./item").Item) { item.weigh(); }',
        }
    )
    assert found.ask("use.ts", "item.weigh", "weigh", CALL) == ["item.ts:1 weigh exact"]


def test_a_type_without_import_may_be_one_of_the_repository() -> None:
    texts = {
        "a.js": "class Store { unload() {} }",
        "use.js": "/** @param {Store} s */\nfunction f(s) { s.unload(); }\n",
    }
    assert Repository.build(texts).ask("use.js", "s.unload", "unload", CALL) == ["a.js:1 unload probable"]
    texts["a.js"] = "class Shop { unload() {} Store() {} }"  # no type of that name
    assert Repository.build(texts).ask("use.js", "s.unload", "unload", CALL) == ["-> Store.unload"]


def test_a_variable_may_hold_an_item_of_a_map() -> None:
    found = Repository.build(
        {
            "store.ts": "export class Store { load() {} }\nclass Other { load() {} }",
            "use.ts": """
            import { Store } from "./store";
            function use(stores: Map<string, Store>) {
              const one = stores.get("a");
              one.load();
            }
            """,
        }
    )
    assert found.ask("use.ts", "one.load", "load", CALL) == ["store.ts:1 load exact"]
