"""Where the types of a kind are listed: one more has to be named in each such place."""

from __future__ import annotations

from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.kinds.listed_lines import find_groups, find_mentions
from repo_mcp.research.kinds.siblings import spell_key, split_words
from tests.repo_mcp.research.asking import Asked, find_one

KINDS = ("Disk", "FastMail", "Tape", "Wire")
STORES = {
    "src/store/Store.ts": "export interface Store {\n    save(text: string): void\n}\n",
    **{
        f"src/store/{kind}Store.ts": 'import { Store } from "./Store"\n\n'
        f"export class {kind}Store implements Store {{\n    save(text: string): void {{\n"
        f'        check(text)\n        write(text, "{at}")\n    }}\n}}\n'
        for at, kind in enumerate(KINDS)
    },
    "src/store/StoreFactory.ts": "".join(f'import {{ {kind}Store }} from "./{kind}Store"\n' for kind in KINDS)
    + "\nexport class StoreFactory {\n    create(room: Room): Store {\n        switch (room.kind) {\n"
    + "".join(
        f'            case "{text}":\n                return new {kind}Store()\n'
        for text, kind in zip(("disk", "fast-mail", "tape", "wire"), KINDS, strict=True)
    )
    + "        }\n    }\n}\n",
    "src/store/StoreType.ts": 'export type StoreType =\n    | "disk"\n    | "fast-mail"\n    | "tape"\n'
    '    | "wire"\n',
    "src/options.ts": "export type AnyOptions =\n    | DiskStoreOptions\n    | FastMailStoreOptions\n"
    "    | TapeStoreOptions\n    | WireStoreOptions\n",
    "src/room.ts": 'import { StoreFactory } from "./store/StoreFactory"\n\nexport class Room {\n'
    "    open(): void {\n        this.store = new StoreFactory().create(this)\n    }\n}\n",
}


def test_a_switch_and_unions_of_texts_and_of_further_types_all_list_a_kind() -> None:
    report = Asked(STORES).ask("Where would I add a new store?")
    listed = {one.symbol.rpartition(".")[2] for one in report.findings if one.role is Role.LISTS}
    assert listed == {"create", "StoreType", "AnyOptions"}
    assert "list existing ones. Room.open (src/room.ts:4-6) calls StoreFactory.create." in report.claim


def test_a_listing_shows_what_opens_it_and_the_lines_of_the_one_to_copy() -> None:
    report = Asked(STORES).ask("Where would I add a new store?")
    excerpt = find_one(report, "StoreFactory.create").excerpt
    assert "switch (room.kind)" in excerpt
    model = next(one for one in report.findings if one.role is Role.MODEL)
    assert f"new {model.name}()" in excerpt


def test_a_table_of_texts_lists_types_that_share_a_name_by_their_files() -> None:
    names = ("disk", "mail", "tape", "wire")
    texts = {
        "depot/base.py": "class Transport:\n    def carry(self, one):\n        raise NotImplementedError\n",
        **{
            f"depot/{name}.py": "from depot import base\n\n\nclass Transport(base.Transport):\n"
            f"    def carry(self, one):\n        one.move('{name}')\n        return one\n"
            for name in names
        },
        "depot/known.py": "ALIASES = {\n"
        + "".join(f"    '{name}': 'depot.{name}:Transport',\n" for name in names)
        + "}\n\n\ndef find(name):\n    return ALIASES[name]\n",
    }
    claim = Asked(texts).ask("Where would I add a new transport?").claim
    assert "known.ALIASES (depot/known.py:1-6) lists existing ones." in claim
    assert "known.find (depot/known.py:9-10) reads known.ALIASES." in claim


def test_what_makes_some_of_a_kind_for_its_own_use_lists_none() -> None:
    texts = {
        **STORES,
        "src/store/StoreFactory.ts": "",
        "src/desk.ts": "export class Desk {\n    open(): void {\n"
        + "".join(f"        this.own{at} = new {kind}Store()\n" for at, kind in enumerate(KINDS))
        + "    }\n}\n",
    }
    report = Asked(texts).ask("Where would I add a new store?")
    assert all(one.path != "src/desk.ts" for one in report.findings if one.role is Role.LISTS)


def test_lines_that_declare_or_comment_on_a_kind_do_not_mention_it() -> None:
    lines = ("class Disk(Store):", "# Disk and Tape", "TYPES = [Disk, Diskette]")
    assert find_mentions(lines, ("Disk", "Tape")) == {3: {"Disk"}}


def test_a_name_that_occurs_again_begins_another_list() -> None:
    mentions = {at: {name} for at, name in enumerate("abcabc", 1)}
    groups = find_groups([""] * 6, {at * 2: own for at, own in mentions.items() if at * 2 <= 6} | {})
    assert len(groups) == 1
    lines = [""] * 12
    twice = find_groups(lines, {at * 2: own for at, own in mentions.items()})
    assert [(one.first, one.last) for one in twice] == [(2, 6), (8, 12)]


def test_a_name_has_its_words_and_spellings() -> None:
    assert split_words("BetterSqlite3Store") == ("better", "sqlite3", "store")
    assert {"better-sqlite3", "better_sqlite3", "BetterSqlite3", "betterSqlite3"} <= set(
        spell_key(("better", "sqlite3"))
    )


def test_functions_that_return_a_class_are_the_kind_if_few_types_derive_from_it() -> None:
    kinds = ("Above", "Below", "NextTo")
    texts = {
        "src/mark.ts": "export class Mark<T> {\n    constructor(readonly type: MarkType, value: T) {}\n}\n",
        "src/plainMark.ts": 'import { Mark } from "./mark"\n\nexport class PlainMark<T> extends Mark<T> {}\n',
        **{
            f"src/marks/{kind}.ts": 'import { Mark } from "../mark"\n\n'
            f"export function {kind}<T>(value: T): Mark<T> {{\n    check(value)\n"
            f'    return new Mark("{kind[0].lower()}{kind[1:]}", value)\n}}\n'
            for kind in kinds
        },
        "src/markType.ts": 'export type MarkType =\n    | "above"\n    | "below"\n    | "nextTo"\n',
    }
    claim = Asked(texts).ask("Where would I add a new mark?").claim
    assert claim.startswith("Write a function that returns Mark (src/mark.ts:1-3). An example is Above")
    assert "MarkType (src/markType.ts:1-4) lists existing ones." in claim
