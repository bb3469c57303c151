"""Tools of the `graph` toolset about symbols: finding them, what is known of one, outlines, ids, likeness."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import replace
from repo_mcp.toolsets.graph import symbol_calls
from tests.deep.sizes import choose
from tests.growth import assert_linear
from tests.repo_mcp.toolsets.graph.graph_roots import PYTHON, TREE, Served
from tests.written_trees import write_tree

SYMBOL_FIELDS = [
    "node_id", "name", "qualified_name", "node_type", "language", "file_path", "line_start", "line_end",
    "access_modifier", "parameter_signature", "return_type",
]  # fmt: skip


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["qualified_name"] for row in rows]


# search_symbols


def test_a_search_gives_the_fields_of_the_specification(served: Served) -> None:
    row = served.rows("search_symbols", query="place_order")[0]
    assert list(row) == [*SYMBOL_FIELDS, "project_id", "rank"]
    assert {name: row[name] for name in SYMBOL_FIELDS[1:]} == {
        "name": "place_order", "qualified_name": "shop.orders.place_order", "node_type": "function",
        "language": "python", "file_path": "shop/orders.py", "line_start": 21, "line_end": 23,
        "access_modifier": "public", "parameter_signature": "(store: Store, price: Money)",
        "return_type": "bool",
    }  # fmt: skip
    assert row["project_id"] == "."
    assert row["rank"] < 0


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("place_order", "shop.orders.place_order"),
        ("PLACE_ORDER", "shop.orders.place_order"),
        ("place_o*", "shop.orders.place_order"),
        ("OrderStore.save", "shop.orders.OrderStore.save"),
        ("shop::orders::OrderStore#save", "shop.orders.OrderStore.save"),
        ("cB", "createBasket"),
        ("MB", "MemoryBasket"),
        ("crBa", "createBasket"),
        ("memory basket", "MemoryBasket"),
        ("basket memory", "MemoryBasket"),
        ("cached store save", "shop.orders.CachedStore.save"),
        ("MemBas", "MemoryBasket"),
    ],
)
def test_each_form_of_a_query_finds_what_a_person_means(served: Served, query: str, best: str) -> None:
    assert names(served.rows("search_symbols", query=query))[0] == best


def test_a_search_is_ranked_and_limited(served: Served) -> None:
    answer = served.call("search_symbols", query="store")
    ranks = [row["rank"] for row in answer["result"]]
    assert ranks == sorted(ranks)
    assert answer["truncated"] is False
    cut = served.call("search_symbols", query="store", limit=2)
    assert (cut["result"], cut["truncated"]) == (answer["result"][:2], True)
    exactly = served.call("search_symbols", query="store", limit=len(ranks))
    assert (exactly["result"], exactly["truncated"]) == (answer["result"], False)


def test_a_coding_line_is_honoured(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "shop", TREE)
    (root / "latin.py").write_bytes("# coding: latin-1\ndef gar\xe7on(): pass\n".encode("latin-1"))
    with Served(root, tmp_path / "data") as served:
        assert names(served.rows("search_symbols", query="gar\xe7on")) == ["latin.gar\xe7on"]


def test_a_search_gives_20_results_and_at_most_50(tmp_path: Path) -> None:
    files = {"a.py": "".join(f"def part_{number:02}(): ...\n" for number in range(60))}
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        for limit, count in ((None, 20), (1, 1), (50, 50)):
            answer = served.call(
                "search_symbols", query="part*", **({} if limit is None else {"limit": limit})
            )
            assert (len(answer["result"]), answer["truncated"]) == (count, True)


def test_a_search_can_be_limited_to_a_type_a_language_and_a_project(served: Served) -> None:
    def kinds(**scope: str) -> set[tuple[str, str, str]]:
        rows = served.rows("search_symbols", query="add", **scope)
        return {(row["node_type"], row["language"], row["project_id"]) for row in rows}

    assert kinds() >= {("function", "python", "."), ("method", "typescript", "web")}
    assert kinds(node_type="function") == {("function", "python", ".")}
    assert kinds(language="typescript") == {("method", "typescript", "web")}
    assert kinds(project_id="web") == {("method", "typescript", "web")}
    assert kinds(project_id="web", language="python") == set()
    hint = served.error("search_symbols", query="add", project_id="wep")["hint"]
    assert "web" in hint
    hint = served.error("search_symbols", query="add", language="py")["hint"]
    assert "python" in hint
    assert "typescript" in hint


def test_operators_are_those_of_fts5_and_mistakes_are_said(served: Served) -> None:
    def list_names(query: str) -> set[str]:
        return {row["qualified_name"] for row in served.rows("search_symbols", query=query)}

    assert list_names("save AND cached") == {"shop.orders.CachedStore.save"}
    assert "shop.orders.CachedStore.save" not in list_names("save NOT cached")
    assert list_names('"place order"') == {"shop.orders.place_order"}
    answer = served.call("search_symbols", query="save AND")
    assert answer["result"]
    assert answer["warnings"] == [
        "The query was taken as plain words: AND, OR and NOT must be between words,"
        " and quotes and parentheses must be paired."
    ]


def test_a_query_without_a_word_finds_nothing_and_says_so(served: Served) -> None:
    for query in ("*", " ", "\0", "???", "OR"):
        answer = served.call("search_symbols", query=query)
        assert answer["result"] == []
        assert answer["warnings"] == ["The query has no name or word to search for."]
    assert "warnings" not in served.call("search_symbols", query="nosuchname")


# lookup_symbol


def test_a_lookup_takes_exactly_this_name(served: Served) -> None:
    (row,) = served.rows("lookup_symbol", qualified_name="shop.orders.OrderStore.save")
    assert list(row) == [*SYMBOL_FIELDS, "project_id"]
    assert row["file_path"] == "shop/orders.py"
    for name in ("shop.orders.OrderStore.sav", "shop.orders.orderstore.save"):
        answer = served.call("lookup_symbol", qualified_name=name)
        assert answer["result"] == []
        (said,) = answer["warnings"]
        assert said.startswith("No symbol has this qualified name; similar: ")
        assert "shop.orders.OrderStore.save" in said
    answer = served.call("lookup_symbol", qualified_name="zzqx")
    assert answer["warnings"] == ["No symbol has this qualified name."]


def test_a_lookup_without_an_exact_match_gives_names_that_end_so_and_says_it(served: Served) -> None:
    answer = served.call("lookup_symbol", qualified_name="OrderStore.save")
    assert names(answer["result"]) == ["shop.orders.OrderStore.save"]
    assert answer["warnings"] == ["No symbol has exactly this qualified name; these end with it."]


def test_a_lookup_by_the_name_that_a_package_gives_again_finds_the_declaration(served: Served) -> None:
    answer = served.call("lookup_symbol", qualified_name="shop.OrderStore")  # shop/__init__.py imports it
    assert names(answer["result"]) == ["shop.orders.OrderStore"]
    assert answer["warnings"] == [
        "No symbol has exactly this qualified name; these have its parts in this order."
    ]


def test_a_lookup_of_a_path_gives_the_file_within_its_scope(served: Served) -> None:
    (row,) = served.rows("lookup_symbol", qualified_name="shop/money.py")
    assert (row["node_type"], row["qualified_name"]) == ("file", "shop/money.py")
    answer = served.call("lookup_symbol", qualified_name="shop/money.py", language="typescript")
    assert answer["result"] == []
    said = "Symbols have this name, but none in the language or project that was asked for."
    assert answer["warnings"] == [said]
    assert served.rows("lookup_symbol", qualified_name="shop/money.py", project_id="web") == []


def test_a_lookup_of_a_name_that_many_declare_has_pages_with_tests_last(tmp_path: Path) -> None:
    files = {
        f"{place}/part{number}.py": "class Props: ...\n"
        for place in ("lib", "a/tests")
        for number in range(25)
    }
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        first = served.call("lookup_symbol", qualified_name="Props")
        rest = served.call("lookup_symbol", qualified_name="Props", cursor=first["cursor"])
        last = served.call("lookup_symbol", qualified_name="Props", cursor=rest["cursor"])
    pages = [first, rest, last]
    paths = [[row["file_path"] for row in answer["result"]] for answer in pages]
    assert [len(one) for one in paths] == [20, 20, 10]
    assert [answer.get("total") for answer in pages] == [50, 50, None]
    listed = [path for own in paths for path in own]
    assert [path.startswith("lib/") for path in listed] == [True] * 25 + [False] * 25
    assert set(listed) == set(files)


def test_a_lookup_gives_every_overload_in_order(tmp_path: Path) -> None:
    files = {"a.py": "def f(): ...\n\n\ndef f(x): ...\n\n\ndef f(x, y): ...\n"}
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        rows = served.rows("lookup_symbol", qualified_name="a.f")
        assert [row["parameter_signature"] for row in rows] == ["()", "(x)", "(x, y)"]
        assert len({row["node_id"] for row in rows}) == 3


# get_symbol, get_source_spans, get_file_outline


def test_a_symbol_has_the_fields_of_the_specification(served: Served) -> None:
    symbol = served.call("get_symbol", node_id=served.find("shop.orders.place_order"))
    flags = ["public_api", "static", "abstract", "async", "override", "deprecated"]
    assert list(symbol) == [
        *SYMBOL_FIELDS, "project_id", *(f"is_{flag}" for flag in flags), "has_doc_comment", "parse_status",
        "parameter_count", "reference_count", "reference_count_is_lower_bound",
    ]  # fmt: skip
    assert [symbol[f"is_{flag}"] for flag in flags] == [True, False, False, True, False, False]
    assert (symbol["parse_status"], symbol["parameter_count"]) == ("full", 2)
    assert symbol["reference_count"] == 2  # the import and the call in shop/api.py
    assert symbol["reference_count_is_lower_bound"] is False


def test_modifiers_and_comments_are_shown(served: Served) -> None:
    abstract = served.call("get_symbol", node_id=served.find("shop.base.Store.save"))
    assert (abstract["is_abstract"], abstract["has_doc_comment"]) == (True, True)
    static = served.call("get_symbol", node_id=served.find("shop.base.Audited.note"))
    assert (static["is_static"], static["is_abstract"], static["has_doc_comment"]) == (True, False, False)
    (private,) = served.rows("lookup_symbol", qualified_name="MemoryBasket.owner")
    assert private["access_modifier"] == "private"


def test_spans_say_where_to_read(served: Served) -> None:
    (span,) = served.rows("get_source_spans", node_id=served.find("shop.orders.place_order"))
    assert span == {"file_path": "shop/orders.py", "line_start": 21, "line_end": 23, "is_primary": True}
    text = served.call(
        "read_file", path=span["file_path"], line_start=span["line_start"], line_end=span["line_end"]
    )["content"]
    assert text.startswith("async def place_order")
    assert text.endswith("return store.save(total)\n")


def test_an_outline_has_every_symbol_in_order_of_line(served: Served) -> None:
    answer = served.call("get_file_outline", path="shop/base.py")
    assert [
        (row["name"], row["node_type"], row["line_start"], row["line_end"]) for row in answer["result"]
    ] == [
        ("Store", "class", 6, 15),
        ("save", "method", 9, 11),
        ("check", "method", 13, 15),
        ("Audited", "class", 18, 21),
        ("note", "method", 19, 21),
    ]
    assert list(answer["result"][0]) == [
        "node_id", "name", "qualified_name", "node_type", "line_start", "line_end", "access_modifier",
        "parameter_signature", "return_type",
    ]  # fmt: skip
    assert [row.get("qualified_name") for row in answer["result"]] == [
        "shop.base.Store", None, None, "shop.base.Audited", None
    ]  # fmt: skip
    assert answer["parse_status"] == "full"


def test_members_that_one_line_declares_are_named_as_briefly_as_others(tmp_path: Path) -> None:
    """The second stood in an outline with its whole name, as if it were in the first."""
    text = "struct page {\n\tlong\n\t\tleft,\n\t\ttop;\n\tint kind;\n};\n"
    with Served(write_tree(tmp_path / "root", {"page.h": text}), tmp_path / "data") as served:
        rows = served.rows("get_file_outline", path="page.h")
    assert [(row["name"], row.get("qualified_name")) for row in rows] == [
        ("page", None), ("left", None), ("top", None), ("kind", None)
    ]  # fmt: skip


def test_a_long_outline_is_cut_and_the_next_page_names_what_it_continues(tmp_path: Path) -> None:
    lines = ["class Wide:\n", *(f"    def method_{number}(self): ...\n" for number in range(200))]
    with Served(write_tree(tmp_path / "root", {"wide.py": "".join(lines)}), tmp_path / "data") as served:
        first = served.call("get_file_outline", path="wide.py")
        second = served.call("get_file_outline", path="wide.py", cursor=first["cursor"])
    assert first["truncated"]
    assert [row["qualified_name"] for row in first["result"] if row.get("qualified_name")] == ["wide.Wide"]
    assert all(row["qualified_name"] == f"wide.Wide.{row['name']}" for row in second["result"])
    assert len(first["result"]) + len(second["result"]) == 201


def test_the_names_of_thousands_of_symbols_on_one_line_are_shortened_in_time(tmp_path: Path) -> None:
    """The outline of an enumeration of 100 KB on one line took two seconds, most of them for this."""
    kinds = {".ts": "enum Big { %s }", "s.java": "class Big { void a() {} int %s; }"}
    for suffix, text in kinds.items():
        names = ", ".join(f"N{number}" for number in range(4_000))
        write_tree(tmp_path / "root", {f"big{suffix}": text % names})
    with Served(tmp_path / "root", tmp_path / "data") as served:
        for suffix in kinds:
            nodes, _ = served.repository.engines.graph.outline(f"big{suffix}")
            assert len(nodes) > 4_000

            def shorten(some: list[Node]) -> None:
                symbol_calls._shorten_names(some, [{"qualified_name": one.qualified_name} for one in some])

            assert_linear(lambda size, all_=nodes: all_[:size], shorten, 1_000)


def test_a_mistyped_path_names_the_one_that_is_meant(served: Served) -> None:
    error = served.error("get_file_outline", path="shop/ordesr.py")
    assert error["hint"] == "Similar paths: 'shop/orders.py'."


def test_an_outline_of_what_has_no_parser_says_so(served: Served) -> None:
    for path, why in (
        ("README.md", "no parser here reads it (markdown)."),
        ("build/made.py", "it is not indexed."),
    ):
        answer = served.call("get_file_outline", path=path)
        assert (answer["result"], answer["parse_status"]) == ([], None)
        assert why in answer["warnings"][0]


def test_an_outline_of_what_has_no_parser_names_the_tool_that_knows_it(tmp_path: Path) -> None:
    files = {"a.py": "x = 1\n", "a.rb": "class Shop\nend\n", "empty.rb": "\n"}
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        named = "repo.outline lists what its lines declare."
        assert named not in served.call("get_file_outline", path="a.rb")["warnings"]
        served.repository.config = replace(served.repository.config, toolsets=("repo", "graph"))
        assert named in served.call("get_file_outline", path="a.rb")["warnings"]
        assert named not in served.call("get_file_outline", path="empty.rb")["warnings"]


def test_an_outline_of_a_file_with_errors_has_what_could_be_had(tmp_path: Path) -> None:
    files = {"bad.py": "def broken(:\n    x = = 2\n\n\ndef good(a): ...\n"}
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        answer = served.call("get_file_outline", path="bad.py")
        assert answer["parse_status"] == "partial"
        assert "good" in [row["name"] for row in answer["result"]]
        assert served.call("get_status")["structure"]["partial"] == 1


def test_an_outline_follows_a_link_inside_and_none_outside(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "r", {"a.py": "def f(): ...\n"})
    write_tree(tmp_path, {"outside.py": "def secret(): ...\n"})
    (root / "link.py").symlink_to("a.py")
    (root / "out.py").symlink_to("../outside.py")
    with Served(root, tmp_path / "data") as served:
        assert served.call("get_file_outline", path="link.py") == served.call("get_file_outline", path="a.py")
        assert served.error("get_file_outline", path="out.py")["code"] == "path_escape"
        assert served.rows("search_symbols", query="secret") == []


# node_id


def test_ids_are_those_of_any_machine_and_outlive_edits_above(served: Served, tmp_path: Path) -> None:
    before = {row["node_id"]: row for row in served.rows("get_file_outline", path="shop/orders.py")}
    text = PYTHON["shop/orders.py"].replace(
        "LIMIT = 10\n", '"""Doc."""\n\n\ndef added(): ...\n\n\nLIMIT = 11\n'
    )
    root = write_tree(tmp_path / "another machine", PYTHON | {"shop/orders.py": text})
    with Served(root, tmp_path / "data") as other:
        rows = other.rows("get_file_outline", path="shop/orders.py")
        after = {row["node_id"]: row for row in rows}
        assert len(after) == len(rows)
        (added,) = after.keys() - before.keys()
        assert after[added]["qualified_name"] == "shop.orders.added"
        for node_id, row in before.items():
            assert re.fullmatch("[0-9a-f]{24}", node_id)
            assert after[node_id]["name"] == row["name"]
            assert row["name"] == "LIMIT" or after[node_id]["line_start"] == row["line_start"] + 6


# find_similar


def test_a_near_clone_comes_first_with_the_names_in_common(served: Served) -> None:
    answer = served.call("find_similar", node_id=served.find("shop.orders.place_many"))
    best = answer["result"][0]
    assert best["qualified_name"] == "shop.orders.store_many"
    assert list(best) == [*SYMBOL_FIELDS, "similarity", "shared_names"]
    assert best["similarity"] > 0.8
    assert "Money" in best["shared_names"]
    assert [row["similarity"] for row in answer["result"]] == sorted(
        (row["similarity"] for row in answer["result"]), reverse=True
    )


def test_similar_symbols_are_10_and_at_most_50(tmp_path: Path) -> None:
    body = "    total = compute_total(rows)\n    return send_report(total, {0})\n\n\n"
    files = {"a.py": "".join(f"def report_{n:02}(rows):\n" + body.format(n) for n in range(60))}
    with Served(write_tree(tmp_path / "r", files), tmp_path / "data") as served:
        node = served.find("a.report_07")
        for limit, count in ((None, 10), (3, 3), (50, 50)):
            answer = served.call("find_similar", node_id=node, **({} if limit is None else {"limit": limit}))
            assert (len(answer["result"]), answer["truncated"]) == (count, True)
            assert node not in [row["node_id"] for row in answer["result"]]
        assert len(served.rows("find_similar", node_id=node, limit=51)) == 50


@pytest.mark.sized
def test_thousands_of_overloads_are_bounded_and_said(tmp_path: Path) -> None:
    count = choose(2_000, 10_000)
    text = "".join(f"def f(a{number}): ...\n" for number in range(count)) + "def g():\n    f(1)\n"
    with Served(write_tree(tmp_path / "r", {"a.py": text}), tmp_path / "data") as served:
        answer = served.call("lookup_symbol", qualified_name="a.f")
        assert (len(answer["result"]), answer["total"], answer["truncated"]) == (20, count, True)
        assert served.call("search_symbols", query="f", limit=50)["truncated"] is True
        outline = served.call("get_file_outline", path="a.py")
        assert (len(outline["result"]) > 100, outline["truncated"]) == (True, True)
        node = answer["result"][0]["node_id"]
        for tool in ("get_symbol", "get_source_spans", "get_callers", "get_dependents", "find_similar"):
            served.call(tool, node_id=node)


def test_that_no_parser_reads_a_language_is_said_where_nothing_is_found(tmp_path: Path) -> None:
    texts = {"a.rb": "class Base; end\n", "b.rb": "Base.new\n", "c.lua": "x = 1\n", "d.md": "# Stem\n"}
    said = "No parser reads ruby (2 files) and lua (1 file): a search for text finds names in these files."
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        assert served.call("search_symbols", query="Stem")["warnings"] == [said]
        unknown = served.call("lookup_symbol", qualified_name="Stem")
        refused = served.error("get_callers", symbol="Stem")
        of_a_file = served.error("get_dependents", symbol="a.rb")
    assert unknown["warnings"] == ["No symbol has this qualified name.", said]
    assert refused["hint"] == f"Find the symbol with search_symbols. {said}"
    assert of_a_file["hint"] == "Search its text for the name instead."


def test_where_a_language_without_a_parser_declares_a_name(tmp_path: Path) -> None:
    texts = {
        "app/Base.php": "<?php\nnamespace App;\nclass Base\n{\n    public function run() {}\n}\n",
        "app/Other.php": "<?php\nclass Other\n{\n    public function run() {}\n}\n",
        "Base.md": "# Base\n",
        **{f"a{number}.py": f"def f{number}(): ...\n" for number in range(30)},
    }
    told = "which no parser reads (php): a search for this name as text finds what uses it."
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        assert served.call("search_symbols", query="Base")["warnings"] == [
            f"'Base' is declared at app/Base.php:3-6, {told}"
        ]
        for name in ("Base.run", "App\\Base::run", "\\App\\Base::run"):
            hint = served.error("get_callers", symbol=name)["hint"]
            assert hint == f"'run' is declared at app/Base.php:5, {told}"
        both = served.call("lookup_symbol", qualified_name="run")["warnings"]
        assert both[1:] == [f"'run' is declared at app/Other.php:4, app/Base.php:5, {told}"]
        assert "php" not in served.error("get_callers", symbol="Unknown.run")["hint"]


def test_where_a_file_that_was_parsed_in_part_declares_a_name(tmp_path: Path) -> None:
    texts = {
        "a.ts": "class A {\n  m( { return 1; }\n  late(x) { return x; }\n}\n",
        "b.ts": "let other = 1;\n",
    }
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        hint = served.error("get_callers", symbol="late")["hint"]
        assert hint.startswith(
            "'late' is declared at a.ts:3, in a file that was parsed only in part: a search "
        )
        assert "a.ts" not in served.error("get_callers", symbol="missing")["hint"]


def test_that_few_files_are_not_read_is_not_said(tmp_path: Path) -> None:
    texts = {f"a{number}.py": f"def f{number}(): ...\n" for number in range(10)} | {
        "b.rb": "class Base; end\n"
    }
    with Served(write_tree(tmp_path / "r", texts), tmp_path / "data") as served:
        assert "warnings" not in served.call("search_symbols", query="Stem")
        assert served.error("get_callers", symbol="Stem")["hint"] == "Find the symbol with search_symbols."
