"""What JSDoc comments of JavaScript declare, import and name."""

from __future__ import annotations

from functools import partial

import pytest

from repo_mcp.languages.typescript.doc_tags import list_tags, list_uses, write_type
from repo_mcp.languages.typescript.symbol_parser import parse_javascript
from repo_mcp.languages.typescript.unnamed_exports import name_unnamed
from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.growth import assert_linear
from tests.repo_mcp.languages.described import list_references, list_symbols, read

IMPORT, EXPORT, ACCEPT, TYPE = (
    ReferenceRole.IMPORT,
    ReferenceRole.EXPORT,
    ReferenceRole.ACCEPT,
    ReferenceRole.TYPE,
)


def test_typedefs_and_callbacks_are_types() -> None:
    found = read(
        "a.js",
        """
        /** @typedef {string | Item} Key */
        /**
         * Options of a store.
         * @typedef {object} Options
         * @property {Item=} first
         * @property {{ a: A }} [second]
         */
        /**
         * @callback Visit
         * @param {Item} item
         * @returns {boolean}
         *
         * @typedef {{ left: A, right?: Map<string, B> }} Pair
         */
        """,
    )
    assert list_symbols(found) == [
        "Key TYPE 1-1 PUBLIC PUBLIC_API -> string | Item",
        "Options TYPE 2-7 PUBLIC PUBLIC_API",
        "Options.first PROPERTY 5-5 PUBLIC PUBLIC_API -> Item",
        "Options.second PROPERTY 6-6 PUBLIC PUBLIC_API -> { a: A }",
        "Visit TYPE 8-12 PUBLIC PUBLIC_API -> (item: Item) => boolean",
        "Pair TYPE 13-14 PUBLIC PUBLIC_API -> { left: A, right?: Map<string, B> }",
        "Pair.left PROPERTY 13-13 PUBLIC PUBLIC_API -> A",
        "Pair.right PROPERTY 13-13 PUBLIC PUBLIC_API -> Map<string, B>",
    ]


def test_typescript_reads_no_tags() -> None:
    assert list_symbols(read("a.ts", "/** @typedef {string} Key */\nlet a;\n")) == [
        "a VARIABLE 2-2 DOCUMENTED"
    ]


def test_imports_in_comments() -> None:
    found = read(
        "a.js",
        """
        /** @import Store, { A, B as C } from "./store" */
        /** @import * as all from "./all" */
        /** @typedef {import("./item").Item} Thing */
        /** @typedef {import("./whole")} Whole */
        """,
    )
    assert list_references(found, IMPORT, EXPORT) == [
        ": IMPORT ./store|default 1 as Store",
        ": IMPORT ./store|A 1 as A",
        ": IMPORT ./store|B 1 as C",
        ": IMPORT ./all| 2 as all",
        ": IMPORT ./item|Item 3 as Thing",
        ": EXPORT ./item|Item 3 as Thing",
        ": IMPORT ./whole| 4 as Whole",
        ": EXPORT ./whole| 4 as Whole",
    ]


def test_the_function_after_a_comment_uses_its_types() -> None:
    found = read(
        "a.js",
        """
        /**
         * @template {Base} T, U
         * @param {T | Item} item
         * @param {string} [name="{}"] a {@link Other}
         * @returns {Promise<typeof Store>}
         */
        const load = async (item, name) => {};
        /** @type {Item} */
        let current;
        """,
    )
    assert list_references(found, ACCEPT, TYPE) == [
        "load: TYPE |Base 2",
        "load: ACCEPT |Item 3",
        "load: TYPE |Promise 5",
        ": TYPE |Item 8",
    ]
    assert "Promise<typeof Store>" in " ".join(list_symbols(found))


def test_types_are_written_as_typescript_writes_them() -> None:
    text = b"""/**
     * @param {Array.<Item>=} a
     * @param {?Item} b
     * @param {...(Item|Other)} c
     * @param {Object<string, Item>} d
     * @param {Object} e
     * @param {(a: Item,
     *   b: Other) => void} f
     */"""
    assert [(tag.name, tag.type) for tag in list_tags(text, 0, len(text))] == [
        ("a", "Array<Item>"),
        ("b", "Item"),
        ("c", "(Item|Other)[]"),
        ("d", "Record<string, Item>"),
        ("e", ""),
        ("f", "(a: Item, b: Other) => void"),
    ]


def test_names_in_types_are_not_those_of_members() -> None:
    text = b"/** @type {(first: Item, b?: import('./x').Deep) => { c: 'Text' | typeof made }} */"
    (tag,) = list_tags(text, 0, len(text))
    assert [(one.name, one.module, one.is_value) for one in list_uses(tag)] == [
        ("Item", "", False),
        ("Deep", "./x", False),
        ("made", "", True),
    ]


def test_many_tags_take_time_in_proportion() -> None:
    assert_linear(
        lambda size: b"/**\n" + b" * @param {{ a: {\n" * size, partial(parse_javascript, "a.js"), 300
    )


@pytest.mark.parametrize("text", [b"/**\n%b. */", b"/** @param %b. */", b"/** @type {A%b. */"])
def test_many_blanks_take_time_in_proportion(text: bytes) -> None:
    assert_linear(lambda size: text % (b" " * size), lambda one: list_tags(one, 0, len(one)), 2_000)


def test_a_long_type_takes_time_in_proportion() -> None:
    def read_names(text: bytes) -> int:
        (tag,) = list_tags(text, 0, len(text))
        return len(list(list_uses(tag)))

    for piece in (b"a", b" "):
        assert_linear(
            lambda size, piece=piece: b"/** @type {{ a%b: b }} */" % (piece * size), read_names, 400
        )
        assert_linear(lambda size, piece=piece: b"/** @type {a%b|b} */" % (piece * size), read_names, 400)
    assert_linear(lambda size: b"a" + b" " * size + b"b", write_type.__wrapped__, 2_000)


def test_a_name_before_a_colon_is_no_type_in_any_alphabet() -> None:
    text = "/** @type {{ naïve: Item, größe?: Größe }} */".encode()
    (tag,) = list_tags(text, 0, len(text))
    assert [one.name for one in list_uses(tag)] == ["Item", "Größe"]


def test_the_name_of_a_file_is_looked_for_in_proportion() -> None:
    assert_linear(lambda size: b"function" + b" " * size + b"bar", partial(name_unnamed, "foo.js"), 2_000)
