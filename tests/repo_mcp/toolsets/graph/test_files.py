"""Tools of the `graph` toolset that need no index: list_directory, read_file, get_directory_tree."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.toolsets.graph import file_calls
from tests.repo_mcp.toolsets.graph.graph_roots import CANARY, PNG, TREE, Served
from tests.written_trees import write_tree

MANY = {f"many/file_{number:04}.txt": "x\n" for number in range(1_200)}
OUTSIDE = "outside-7f3a9c51"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("files")
    root = write_tree(
        place / "shop", TREE | MANY | {"logo.png": PNG, "data": b"\x1f\x8b\0\0", "notes": b"a\0"}
    )
    write_tree(place, {"outside/secret.py": f"x = '{OUTSIDE}'\n"})
    (root / "inside.py").symlink_to("shop/money.py")
    (root / "inside").symlink_to("shop")
    (root / "outside.py").symlink_to("../outside/secret.py")
    (root / "outside").symlink_to("../outside")
    (root / "to_denied").symlink_to(".env")
    with Served(root, place / "data", index=False) as served:
        yield served


def make(tmp_path: Path, files: dict[str, str | bytes], **limits: int) -> Served:
    return Served(write_tree(tmp_path / "r", files), tmp_path / "data", index=False, **limits)


# list_directory


def test_a_folder_lists_its_entries_with_type_and_size_and_counts_what_it_leaves_out(served: Served) -> None:
    root = served.call("list_directory")
    assert root["result"][:2] == [
        {"name": "README.md", "type": "file", "size": 11},
        {"name": "data", "type": "file", "size": 4},
    ]
    assert {"name": "shop", "type": "directory"} in root["result"]
    names = [row["name"] for row in root["result"]]
    assert names == sorted(names)
    assert not {"build", ".env", "run.log", "inside", "outside"} & set(names)
    assert root["left_out"] == {"denied": 1, "hidden": 1, "ignored": 2, "symlink": 5}
    for path in ("", ".", "./"):
        assert served.call("list_directory", path=path) == root
    assert [row["name"] for row in served.rows("list_directory", path="shop/")] == [
        "__init__.py", "api.py", "base.py", "money.py", "orders.py",
    ]  # fmt: skip


def test_a_folder_of_more_than_1000_entries_gives_the_first_1000(served: Served) -> None:
    answer = served.call("list_directory", path="many")
    assert [row["name"] for row in answer["result"]] == [path.rpartition("/")[2] for path in MANY][:1_000]
    assert (answer["total"], answer["truncated"]) == (1_200, True)


def test_1000_entries_with_long_names_are_all_given(tmp_path: Path) -> None:
    with make(tmp_path, {f"d/{number:04}{'x' * 150}": "" for number in range(1_000)}) as served:
        answer = served.call("list_directory", path="d")
        assert (len(answer["result"]), answer["truncated"]) == (1_000, False)
        assert len(served.call("get_directory_tree", path="d")["children"]) == 1_000


def test_an_ignored_folder_is_empty_and_says_why(served: Served) -> None:
    assert served.call("list_directory", path="build")["left_out"] == {"ignored": 1}
    tree = served.call("get_directory_tree", path="build")
    assert tree == {
        "name": "build", "type": "directory", "children": [], "truncated": False,
        "warnings": ["Its entries are left out: 1 ignored."],
    }  # fmt: skip


@pytest.mark.parametrize("tool", ["list_directory", "get_directory_tree"])
def test_a_link_inside_is_followed_when_it_is_named_and_one_outside_never(served: Served, tool: str) -> None:
    answer = served.call(tool, path="inside")
    assert (answer.get("result") or answer["children"])[0]["name"] == "__init__.py"
    assert served.error(tool, path="outside")["code"] == "path_escape"
    assert served.error("read_file", path="outside.py")["code"] == "path_escape"
    assert served.error("read_file", path="outside/secret.py")["code"] == "path_escape"
    assert served.error("get_file_outline", path="outside.py")["code"] in (
        "path_escape",
        "engine_unavailable",
    )
    assert OUTSIDE not in served.ask(tool, {}).text


# read_file


def test_a_file_is_given_whole_or_by_its_lines(served: Served) -> None:
    text = TREE["shop/money.py"]
    whole = served.call("read_file", path="shop/money.py")
    assert whole == {
        "path": "shop/money.py", "content": text, "line_start": 1, "line_end": 8, "total_lines": 8,
        "truncated": False,
    }  # fmt: skip
    lines = text.splitlines(keepends=True)
    part = served.call("read_file", path="shop/money.py", line_start=2, line_end=3)
    assert (part["content"], part["line_start"], part["line_end"]) == ("".join(lines[1:3]), 2, 3)
    rest = served.call("read_file", path="shop/money.py", line_start=7)
    assert (rest["content"], rest["line_end"], rest["truncated"]) == ("".join(lines[6:]), 8, False)
    beyond = served.call("read_file", path="shop/money.py", line_start=7, line_end=2_000)
    assert (beyond["content"], beyond["line_end"]) == (rest["content"], 8)


def test_lines_that_are_not_there_are_refused_in_this_tools_words(served: Served) -> None:
    for lines in ({"line_start": 9}, {"line_start": 3, "line_end": 2}, {"line_start": 0}, {"line_end": -1}):
        error = served.error("read_file", path="shop/money.py", **lines)
        assert error["code"] == "invalid_parameter"
        assert "start_line" not in str(error)
        assert "end_line" not in str(error)


def test_a_file_has_a_last_line_end_only_where_it_has_one(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.txt": "one\ntwo",
        "b.txt": "one\r\ntwo\r\n",
        "c.txt": "\n\n",
        "d.txt": "x",
    }
    with make(tmp_path, files) as served:
        assert [served.call("read_file", path=path)["content"] for path in files] == [
            "one\ntwo", "one\ntwo\n", "\n\n", "x",
        ]  # fmt: skip
        assert served.call("read_file", path="a.txt", line_end=1)["content"] == "one\n"
        assert served.call("read_file", path="a.txt", line_start=2)["content"] == "two"


def test_an_empty_file_is_empty(tmp_path: Path) -> None:
    with make(tmp_path, {"e.txt": ""}) as served:
        answer = served.call("read_file", path="e.txt")
        assert (answer["content"], answer["total_lines"], answer["truncated"]) == ("", 0, False)


def test_10000_lines_are_given_and_more_are_said(tmp_path: Path) -> None:
    with make(tmp_path, {"a.txt": "".join(f"{number}\n" for number in range(1, 20_001))}) as served:
        for lines in ({}, {"line_end": 20_000}):
            answer = served.call("read_file", path="a.txt", **lines)
            assert (answer["line_end"], answer["total_lines"], answer["truncated"]) == (10_000, 20_000, True)
            assert answer["content"].count("\n") == 10_000
            assert answer["warnings"] == [
                "The text was cut after line 10000 of 20000; continue with line_start 10001."
            ]
        answer = served.call("read_file", path="a.txt", line_start=10_001)
        assert answer["content"].startswith("10001\n")
        assert (answer["line_end"], answer["truncated"]) == (20_000, False)
        exact = served.call("read_file", path="a.txt", line_start=1, line_end=10_000)
        assert exact["truncated"] is False


def test_500_kb_are_given_in_whole_lines_and_more_are_said(tmp_path: Path) -> None:
    with closing(
        make(tmp_path, {"a.txt": ("y" * 99 + "\n") * 9_000, "umlaut.txt": ("ü" * 49 + "\n") * 9_000})
    ) as served:
        for path, bytes_per_line in (("a.txt", 100), ("umlaut.txt", 99)):
            answer = served.call("read_file", path=path)
            assert answer["line_end"] == 500_000 // bytes_per_line
            assert len(answer["content"].encode()) == answer["line_end"] * bytes_per_line
            assert answer["truncated"] is True


def test_a_line_that_no_client_passes_on_is_begun_and_said(tmp_path: Path) -> None:
    long, most = "z" * 800_000, "y" * 19_000
    with closing(
        make(tmp_path, {"one.txt": long, "two.txt": f"first\n{long}\nlast\n", "most.txt": most})
    ) as served:
        one = served.call("read_file", path="one.txt")
        assert one["content"] == "z" * 2_000 + "… [cut: the line has 800,000 characters]"
        assert (one["line_end"], one["truncated"]) == (1, True)
        assert one["warnings"] == ["Lines are cut at 2,000 characters: line 1."]
        two = served.call("read_file", path="two.txt", line_end=2)  # all that was asked for, but for its end
        assert (two["line_end"], two["truncated"]) == (2, True)
        assert two["warnings"] == ["Lines are cut at 2,000 characters: line 2."]
        assert served.call("read_file", path="two.txt", line_start=3)["content"] == "last\n"
        assert served.call("read_file", path="most.txt")["content"] == most


def test_the_operator_may_have_long_lines_given_whole(tmp_path: Path) -> None:
    with make(tmp_path, {"one.txt": "z" * 800_000}, max_line_chars=1_000_000) as served:
        one = served.call("read_file", path="one.txt")
        assert (len(one["content"]), one["line_end"], one["truncated"]) == (500_000, 1, True)
        assert one["warnings"] == ["Line 1 is too long: its first 500,000 characters are given."]


def test_control_characters_are_given_said_and_cut_nothing(tmp_path: Path) -> None:
    text = ("\x01" * 99 + "\n") * 4_000
    with make(tmp_path, {"a.txt": text, "one.txt": "\x01" * 19_000}) as served:
        answer = served.call("read_file", path="a.txt")
        assert answer["content"] == text
        assert answer["warnings"] == ["Control or bidirectional characters may hide text."]
        assert len(served.call("read_file", path="one.txt")["content"]) == 19_000


def test_the_operator_may_lower_the_limits_of_reading(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"a.txt": "abc\n" * 20_000, "one.txt": "\x01" * 20_000}
    served = make(tmp_path, files, max_open_lines=100)
    bytes_served = Served(
        tmp_path / "r", tmp_path / "data2", index=False, max_total_bytes_per_response=10_000
    )
    try:
        assert served.call("read_file", path="a.txt")["line_end"] == 100
        for path in files:
            answer = bytes_served.call("read_file", path=path)
            assert answer["truncated"] is True
            assert answer["content"]
            assert 3_000 < len(bytes_served.ask("read_file", {"path": path}).text.encode()) <= 10_000
    finally:
        served.close()
        bytes_served.close()


def test_a_repository_may_lower_its_own_limits(tmp_path: Path) -> None:
    with closing(
        make(tmp_path, {"a.txt": "abc\n" * 500, "repo_mcp.toml": "[limits]\nmax_open_lines = 100\n"})
    ) as served:
        assert served.call("read_file", path="a.txt")["line_end"] == 100


@pytest.mark.parametrize(
    ("path", "media_type"),
    [("logo.png", "image/png"), ("data", "application/gzip"), ("notes", "application/octet-stream")],
)
def test_a_binary_file_is_refused_with_its_media_type(served: Served, path: str, media_type: str) -> None:
    error = served.error("read_file", path=path)
    assert error["code"] == "binary_file"
    assert error["message"] == f"The file is binary: {media_type}."


def test_denied_files_are_never_read_and_ignored_ones_when_they_are_named(served: Served) -> None:
    for path in (".env", "to_denied", "shop/../.env", "./.env"):
        answer = served.ask("read_file", {"path": path})
        assert CANARY not in answer.text
        assert served.error("read_file", path=path)["code"] == "blocked"
    assert "def made()" in served.ask("read_file", {"path": "build/made.py"}).text


@pytest.mark.parametrize(
    "path", ["../x", "shop/../../x", "/etc/passwd", "outside/secret.py", "C:\\x", "\\\\host\\share"]
)
@pytest.mark.parametrize("tool", ["read_file", "list_directory", "get_directory_tree"])
def test_no_path_leads_out(served: Served, tool: str, path: str) -> None:
    assert served.error(tool, path=path)["code"] in ("path_escape", "not_found", "invalid_parameter")


def test_a_path_may_be_absolute_inside_and_comes_back_relative(served: Served) -> None:
    answer = served.call("read_file", path=os.path.join(str(served.root), "shop/money.py"))
    assert answer["path"] == "shop/money.py"


# get_directory_tree


def walk(node: dict[str, Any], depth: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
    yield depth, node
    for child in node.get("children", ()):
        yield from walk(child, depth + 1)


def test_a_tree_has_name_type_and_children(served: Served) -> None:
    tree = served.call("get_directory_tree", path="web")
    assert tree["name"] == "web"
    assert tree["type"] == "directory"
    assert tree["children"] == [
        {"name": "package.json", "type": "file"},
        {
            "name": "src", "type": "directory",
            "children": [
                {
                    "name": "lib", "type": "directory",
                    "children": [{"name": "basket.ts", "type": "file"}, {"name": "index.ts", "type": "file"}],
                },
                {"name": "shop.ts", "type": "file"},
            ],
        },
        {"name": "tsconfig.json", "type": "file"},
    ]  # fmt: skip


def test_a_tree_is_three_levels_deep_unless_depth_says_otherwise(tmp_path: Path) -> None:
    with make(tmp_path, {"/".join(f"d{level}" for level in range(12)) + "/end.txt": ""}) as served:
        asked: list[dict[str, int]] = [{}, {"depth": 1}, {"depth": 3}, {"depth": 10}, {"depth": 11}]
        trees = [served.call("get_directory_tree", **arguments) for arguments in asked]
        deepest = [max(level for level, _ in walk(tree)) for tree in trees]
        assert deepest == [3, 1, 3, 10, 10]
        assert trees[-1]["warnings"] == ["depth is above its maximum: 10 is used."]
        for depth in (0, -1):
            assert served.error("get_directory_tree", depth=depth)["code"] == "invalid_parameter"


def test_a_folder_in_a_tree_gives_its_first_1000_entries(served: Served) -> None:
    for tree in (
        served.call("get_directory_tree", path="many"),
        next(one for _, one in walk(served.call("get_directory_tree")) if one["name"] == "many"),
    ):
        assert len(tree["children"]) == 1_000
        assert tree["truncated"] is True
        assert tree["children"][0] == {"name": "file_0000.txt", "type": "file"}
    assert not served.call("get_directory_tree", path="shop")["truncated"]


def test_a_large_tree_is_kept_short_with_its_upper_folders_whole(tmp_path: Path) -> None:
    with closing(
        make(
            tmp_path,
            {
                f"d{one:02}/e{two:02}/f{three}.txt": ""
                for one in range(10)
                for two in range(20)
                for three in range(5)
            },
        )
    ) as served:
        answer = served.ask("get_directory_tree", {})
        assert len(answer.text) <= 19_000
        tree = served.call("get_directory_tree")
        assert len(tree["children"]) == 10
        assert all(len(child["children"]) == 20 for child in tree["children"])
        cut = [one for _, one in walk(tree) if one.get("truncated")]
        assert cut
        whole = served.call("get_directory_tree", depth=3)
        assert not any(one.get("truncated") for _, one in walk(whole))


def test_a_tree_of_very_many_entries_is_cut_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert file_calls.MAX_TREE_ENTRIES == 5_000
    monkeypatch.setattr(file_calls, "MAX_TREE_ENTRIES", 500)
    with make(tmp_path, {f"d{one}/f{two}": "" for one in range(8) for two in range(90)}) as served:
        tree = served.call("get_directory_tree", depth=2)
        assert sum(1 for _ in walk(tree)) - 1 == 500
        assert tree["warnings"] == [
            "The tree was cut at 500 entries; continue with cursor, or ask for a folder or less depth."
        ]
        assert [len(child["children"]) for child in tree["children"]] == [90] * 5 + [42, 0, 0]
        assert [child.get("truncated") for child in tree["children"]] == [None] * 5 + [True] * 3
        rest = served.call("get_directory_tree", depth=2, cursor=tree["cursor"])
        assert "cursor" not in rest
        assert [child["name"] for child in rest["children"]] == ["d5", "d6", "d7"]
        assert [len(child["children"]) for child in rest["children"]] == [48, 90, 90]
        both = [tree["children"][5]["children"], rest["children"][0]["children"]]
        assert [row["name"] for rows in both for row in rows] == sorted(f"f{one}" for one in range(90))


def test_names_that_could_mislead_are_escaped(tmp_path: Path) -> None:
    with make(tmp_path, {"a\u202egnp.py": "x = 1\n", "b\x07.py": "x = 1\n"}) as served:
        assert [row["name"] for row in served.rows("list_directory")] == ["a\\u202egnp.py", "b\\u0007.py"]
        names = [child["name"] for child in served.call("get_directory_tree")["children"]]
        assert names == ["a\\u202egnp.py", "b\\u0007.py"]
