"""The `retrieval` toolset over two real roots: shapes, order, limits, and what never leaks."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import ExactAnswer, ExactMatch, ExactRequest
from repo_mcp.protocol.tool_model import CallContext
from tests.deep.sizes import choose
from tests.log_collector import collect_logs
from tests.repo_mcp.toolsets.retrieval.retrieval_roots import (
    CANARY,
    DOCS,
    Served,
    check,
    make_config,
    make_trees,
)
from tests.written_trees import write_tree

TOOLS = ["search", "open_file", "get_snippet", "list_dir"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("retrieval")
    served = Served(*make_trees(place), place / "data")
    yield served
    served.close()


@pytest.fixture
def changing(tmp_path: Path) -> Iterator[Served]:
    """Yield roots of one's own."""
    served = Served(*make_trees(tmp_path), tmp_path / "data")
    yield served
    served.close()


def places(result: Any) -> list[tuple[str, str, int]]:
    return [(row["repo"], row["path"], row["line"]) for row in result["matches"]]


# Tools and schemas


def test_the_four_tools_in_their_order(served: Served) -> None:
    assert [tool.name for tool in served.toolset.tools] == TOOLS
    for tool in served.toolset.tools:
        hints = tool.annotations
        assert (hints.read_only, hints.destructive, hints.idempotent, hints.open_world) == (
            True, False, True, False,
        )  # fmt: skip
        assert tool.title
        assert tool.description
    assert served.toolset.instructions


@pytest.mark.sized
def test_arguments_that_the_schema_takes_are_taken_and_others_are_not(served: Served) -> None:
    """The schema and the check say the same by another validator, but for null and too large integers."""
    values: list[object] = ["docs", "both", "x", "", " a", 0, 1, 1_000, True, 1.0, 1.5, [], {}, "a\0"]
    for tool in served.toolset.tools:
        properties = cast(Any, tool.input_schema)["properties"]
        good = {"repo": "docs", "query": "x", "path": "README.md", "start_line": 1, "end_line": 1}
        good = {name: value for name, value in good.items() if name in properties}
        for name in [*properties, "unknown"]:
            for value in random.sample(values, choose(3, len(values))):
                arguments = good | {name: value}
                taken = jsonschema.Draft202012Validator(cast(Any, tool.input_schema)).is_valid(arguments)
                failed = served.call(tool.name, **arguments).get("error", {}).get("details", {})
                refused = failed.get("reason") in ("argument", "unknown_argument", "missing_argument")
                # No schema can say that a string holds no NUL.
                assert (not taken) == refused or value == "a\0", (tool.name, name, value)


# The envelope


def test_every_answer_has_the_shared_envelope(served: Served) -> None:
    calls: list[tuple[str, dict[str, object], str | None]] = [
        ("search", {"query": "mount", "repo": "docs"}, "docs"),
        ("search", {"query": "mount"}, "both"),
        ("open_file", {"repo": "code", "path": "lib/a.c"}, "code"),
        ("get_snippet", {"repo": "code", "path": "lib/a.c", "start_line": 1, "end_line": 2}, "code"),
        ("list_dir", {"repo": "docs"}, "docs"),
        ("list_dir", {"repo": "nonsense"}, None),
        ("open_file", {"repo": "both", "path": "x"}, None),
        ("open_file", {"repo": "docs", "path": "none"}, "docs"),
    ]
    for name, arguments, repo in calls:
        envelope = served.call(name, **arguments)
        assert envelope["meta"]["repo"] == repo
        assert envelope["meta"]["duration_ms"] >= 0
        assert envelope["meta"]["truncated"] is False
        assert ("error" in envelope) == (repo is None or arguments.get("path") == "none")


# search


def test_search_gives_path_line_and_preview_in_order_of_repo_path_and_line(served: Served) -> None:
    result = served.result("search", query="mount")
    assert result == {
        "matches": [
            {"repo": "docs", "path": "README.md", "line": 3, "preview": "How to mount a volume."},
            {"repo": "docs", "path": "README.md", "line": 4, "preview": "Mount options follow."},
            {"repo": "docs", "path": "guide/mount.md", "line": 1, "preview": "Mount"},
            {"repo": "docs", "path": "guide/mount.md", "line": 4, "preview": "Use `mount_volume` to mount."},
            {"repo": "code", "path": "lib/a.c", "line": 1, "preview": "int mount_volume(void)"},
            {"repo": "code", "path": "src/Zeta.py", "line": 1, "preview": "mount = None"},
            {"repo": "code", "path": "src/volume.py", "line": 4, "preview": "def mount_volume(path):"},
            {"repo": "code", "path": "src/volume.py", "line": 5, "preview": "return os.path.ismount(path)"},
        ]
    }


def test_a_root_is_named_once(served: Served) -> None:
    def name_roots(**arguments: object) -> list[str | None]:
        found = json.loads(served.ask("search", {"query": "mount", **arguments}).text)["result"]
        return [row.get("repo") for row in found["matches"]]

    assert name_roots() == ["docs", None, None, None, "code", None, None, None]
    assert name_roots(repo="code") == [None] * 4
    assert name_roots(limit=1) == ["docs"]


@pytest.mark.parametrize("repo", ["docs", "code"])
def test_search_in_one_repository(served: Served, repo: str) -> None:
    both = served.result("search", query="mount", repo="both")["matches"]
    assert served.result("search", query="mount", repo=repo)["matches"] == [
        row for row in both if row["repo"] == repo
    ]


def test_the_same_search_gives_the_same_bytes(changing: Served, tmp_path: Path) -> None:
    """Again and again, after a restart, from an index built anew, and while there is none."""

    def ask(of: Served, **arguments: object) -> str:
        answer = of.ask("search", arguments)
        return json.dumps(answer.structured["result"])

    questions: list[dict[str, object]] = [
        {"query": "mount"},
        {"query": "mount", "limit": 3},
        {"query": "MOUNT_", "case_sensitive": False},
        {"query": r"\bmount\w*", "regex": True, "repo": "code"},
        {"query": "e", "path_glob": "*.md"},
    ]
    first = [ask(changing, **question) for question in questions]
    for _ in range(3):
        assert [ask(changing, **question) for question in questions] == first
    for data_dir, index in ((tmp_path / "data", True), (tmp_path / "other", True), (tmp_path / "new", False)):
        with closing(Served(changing.docs, changing.code, data_dir, index=index)) as again:
            assert [ask(again, **question) for question in questions] == first


def test_a_damaged_index_changes_no_answer(changing: Served, tmp_path: Path) -> None:
    first = changing.result("search", query="mount")
    for segment in (tmp_path / "data").rglob("*.seg"):
        segment.write_bytes(segment.read_bytes()[:100])
    with closing(Served(changing.docs, changing.code, tmp_path / "data", index=False)) as again:
        assert again.result("search", query="mount") == first


def test_without_an_index_files_are_left_out_as_with_one(tmp_path: Path) -> None:
    docs, code = make_trees(tmp_path)
    write_tree(docs, {"large.md": "needle\n" * 200, "small.md": "needle\n", "x.png": "needle\n"})
    (docs / "bin").write_bytes(b"needle\0")
    for index in (True, False):
        with closing(
            Served(docs, code, tmp_path / f"data{index}", index=index, max_file_bytes=1_000)
        ) as served:
            envelope = served.call("search", query="needle")
            assert places(envelope["result"]) == [("docs", "small.md", 1)]
            assert envelope["meta"]["warnings"] == [
                "docs: 1 file larger than max_file_bytes is not searched."
            ]


@pytest.mark.parametrize("index", [True, False])
def test_a_search_that_nobody_waits_for_stops_and_is_logged_as_cancelled(tmp_path: Path, index: bool) -> None:
    docs, code = make_trees(tmp_path)
    with closing(Served(docs, code, tmp_path / "data", index=index)) as served:
        answer = served.tools["search"].call({"query": "mount"}, CallContext(lambda: True))
        error = check(served.tools["search"], answer)["error"]
        assert (error["code"], error["details"]["reason"]) == ("INTERNAL", "cancelled")
        (entry,) = served.audit.read(None, 10).entries
        assert (entry["ok"], entry["error_code"]) == (False, "CANCELLED")


def test_search_leaves_out_hidden_ignored_denied_and_binary_files(served: Served) -> None:
    for query in (CANARY, "hidden", "ELF"):
        assert served.result("search", query=query) == {"matches": []}


def test_case_counts_only_when_asked(served: Served) -> None:
    query = "Mount"
    assert len(served.result("search", query=query)["matches"]) == 8
    assert places(served.result("search", query=query, case_sensitive=True)) == [
        ("docs", "README.md", 4),
        ("docs", "guide/mount.md", 1),
    ]


def test_a_literal_is_taken_as_it_stands_and_a_regex_as_one(served: Served) -> None:
    assert places(served.result("search", query="mount_volume(")) == [
        ("code", "lib/a.c", 1),
        ("code", "src/volume.py", 4),
    ]
    assert served.result("search", query="mount.volume") == {"matches": []}
    assert places(served.result("search", query=r"^def\s+mount.volume\(", regex=True)) == [
        ("code", "src/volume.py", 4)
    ]


def test_a_glob_narrows_the_paths(served: Served) -> None:
    found = served.result("search", query="mount", path_glob="**/*.{md,c}")
    assert {row["path"] for row in found["matches"]} == {"README.md", "guide/mount.md", "lib/a.c"}
    assert served.result("search", query="mount", path_glob="none/**") == {"matches": []}


def test_the_limit_is_200_when_none_is_given_and_what_is_cut_is_said(tmp_path: Path) -> None:
    docs = write_tree(tmp_path / "docs", {f"f{n}.md": "hit me\n" * 100 for n in range(2)})
    code = write_tree(tmp_path / "code", {"one.py": "hit me\n"})
    with closing(Served(docs, code, tmp_path / "data")) as served:
        for arguments, rows, truncated in (
            ({}, 200, True),  # docs alone has 200, and there is one more
            ({"repo": "docs"}, 200, False),  # all there are
            ({"limit": 201}, 201, False),
            ({"limit": 199}, 199, True),
            ({"limit": 1}, 1, True),
            ({"repo": "code", "limit": 1}, 1, False),
            ({"limit": 1_000}, 201, False),
        ):
            envelope = served.call("search", query="hit", **arguments)
            assert len(envelope["result"]["matches"]) == rows, arguments
            assert envelope["meta"]["truncated"] is truncated, arguments
            assert "warnings" not in envelope["meta"]


def test_an_ordinary_answer_of_200_matches_is_short(tmp_path: Path) -> None:
    line = "    return self.compute_something_of_usual_length(first, second)\n"
    docs = write_tree(tmp_path / "docs", {f"package/module_{n}.py": line * 10 for n in range(30)})
    with closing(Served(docs, docs, tmp_path / "data")) as served:
        answer = served.ask("search", {"query": "compute"})
        assert len(cast(Any, answer.structured)["result"]["matches"]) == 200
        assert len(answer.text) < 30_000


def test_a_repository_may_lower_its_own_limits(tmp_path: Path) -> None:
    docs, code = make_trees(tmp_path)
    (docs / "repo_mcp.toml").write_text("[limits]\nmax_search_hits = 1\nmax_open_lines = 2\n")
    with closing(Served(docs, code, tmp_path / "data")) as served:
        envelope = served.call("search", query="mount_volume")
        assert [row["repo"] for row in envelope["result"]["matches"]] == ["docs", "code", "code"]
        assert envelope["meta"]["truncated"] is False
        envelope = served.call("search", query="mount")
        assert [row["repo"] for row in envelope["result"]["matches"]] == ["docs"]  # the rest of it goes first
        assert envelope["meta"]["truncated"] is True
        assert envelope["result"]["cursor"]
        envelope = served.call("open_file", repo="docs", path="README.md")
        assert envelope["result"]["end_line"] == 2
        assert envelope["meta"]["truncated"] is True
        assert envelope["meta"]["warnings"] == [
            "The answer was cut to keep it short; continue with get_snippet from line 3."
        ]
        assert served.result("open_file", repo="code", path="lib/a.c")["end_line"] == 4


def test_the_operator_may_lower_the_limit(tmp_path: Path) -> None:
    docs, code = make_trees(tmp_path)
    with closing(Served(docs, code, tmp_path / "data", max_search_hits=5)) as served:
        envelope = served.call("search", query="mount")
        assert [row["repo"] for row in envelope["result"]["matches"]] == ["docs"] * 4 + ["code"]
        assert envelope["meta"]["truncated"] is True
        schema = cast(Any, served.tools["search"].input_schema)["properties"]["limit"]
        assert (schema["maximum"], schema["default"]) == (5, 5)
        envelope = served.call("search", query="mount", limit=6.0, repo=None)
        assert len(envelope["result"]["matches"]) == 5
        assert envelope["meta"]["repo"] == "both"
        assert "limit is above its maximum: 5 is used." in envelope["meta"]["warnings"]


def test_a_match_over_several_lines_names_both_ends(served: Served) -> None:
    (row,) = served.result("search", query=r"import os\n\n\ndef", regex=True)["matches"]
    assert (row["line"], row["end_line"], row["preview"]) == (1, 4, "import os")


def test_a_long_line_is_found_and_shown_around_its_match(changing: Served) -> None:
    write_tree(changing.docs, {"long.md": "a " * 5_000 + "needle_x" + " b" * 5_000 + "\n"})
    changing.refresh()
    (row,) = changing.result("search", query="needle_x")["matches"]
    assert "needle_x" in row["preview"]
    assert len(row["preview"]) <= 402


def test_search_while_the_engine_says_more_than_rows(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the engine warns of, and that it stopped, reaches the client."""
    match = ExactMatch("a\u202eb.md", 1, 1, 1, "x")

    def search_exact(request: ExactRequest, cancelled: object, *, scan: bool) -> ExactAnswer:
        return ExactAnswer((match,), (), 1, True, True, True, "s", ("stopped after 10 seconds",))

    monkeypatch.setattr(served.roots.get("docs"), "search_exact", search_exact)
    envelope = served.call("search", query="x", repo="docs")
    assert envelope["meta"]["truncated"] is True
    assert envelope["result"]["matches"][0]["path"] == "a\\u202eb.md"
    assert envelope["meta"]["warnings"] == [
        "docs: stopped after 10 seconds",
        "A path has control, bidirectional or zero-width characters, shown as \\uXXXX: give it as shown.",
    ]


# open_file and get_snippet


def test_open_file_gives_every_line_numbered(served: Served) -> None:
    assert served.result("open_file", repo="code", path="lib/a.c") == {
        "path": "lib/a.c",
        "start_line": 1,
        "end_line": 4,
        "total_lines": 4,
        "content": "1\tint mount_volume(void)\n2\t{\n3\t\treturn 0;\n4\t}\n",
    }
    assert served.result("open_file", repo="docs", path="empty.md") == {
        "path": "empty.md", "start_line": 1, "end_line": 0, "total_lines": 0, "content": "",
    }  # fmt: skip


def test_open_file_gives_a_large_file_whole(changing: Served) -> None:
    lines = [f"line {n} " + "x" * (n % 300) for n in range(10_000)]
    lines[5_000] = "y" * 100_000
    write_tree(changing.docs, {"large.md": "\n".join(lines) + "\n"})
    envelope = changing.call("open_file", repo="docs", path="large.md")
    assert envelope["meta"] == {
        "repo": "docs",
        "duration_ms": envelope["meta"]["duration_ms"],
        "truncated": False,
    }
    content = envelope["result"]["content"]
    assert content == "".join(f"{n}\t{line}\n" for n, line in enumerate(lines, 1))


def test_paths_may_be_absolute_inside_and_come_back_relative(served: Served) -> None:
    result = served.result("open_file", repo="docs", path=str(served.docs / "guide" / "mount.md"))
    assert result["path"] == "guide/mount.md"
    assert served.result("open_file", repo="docs", path="guide/../README.md")["path"] == "README.md"


def test_hidden_and_ignored_files_open_when_asked_for_by_name_and_denied_ones_never(served: Served) -> None:
    assert served.result("open_file", repo="docs", path=".hidden.md")["content"] == "1\tmount hidden\n"
    assert served.error("open_file", repo="code", path=".env")["code"] == "PATH_DENIED"


@pytest.mark.parametrize(
    ("start", "end", "numbers"),
    [(1, 1, [1]), (2, 3, [2, 3]), (4, 4, [4]), (3, 99, [3, 4]), (1, 2_147_483_647, [1, 2, 3, 4])],
)
def test_get_snippet_gives_the_range_alone_clamped_to_the_file(
    served: Served, start: int, end: int, numbers: list[int]
) -> None:
    envelope = served.call("get_snippet", repo="docs", path="README.md", start_line=start, end_line=end)
    result = envelope["result"]
    lines = DOCS["README.md"].split("\n")
    assert result["content"] == "".join(f"{number}\t{lines[number - 1]}\n" for number in numbers)
    assert (result["start_line"], result["end_line"], result["total_lines"]) == (numbers[0], numbers[-1], 4)
    assert envelope["meta"]["truncated"] is False  # clamping to the file cuts nothing off


def test_get_snippet_begins_a_line_that_no_client_passes_on(changing: Served) -> None:
    write_tree(changing.docs, {"data.json": "y" * 100_000 + "\n", "wide.md": "y" * 19_000 + "\n"})
    envelope = changing.call("get_snippet", repo="docs", path="data.json", start_line=1, end_line=1)
    assert envelope["result"]["content"] == "1\t" + "y" * 2_000 + "… [cut: the line has 100,000 characters]\n"
    assert envelope["meta"]["truncated"] is True
    cut = "Lines are cut at 2,000 characters: line 1; search shows the text around a match."
    assert envelope["meta"]["warnings"] == [cut]
    wide = changing.result("get_snippet", repo="docs", path="wide.md", start_line=1, end_line=1)
    assert wide["content"] == "1\t" + "y" * 19_000 + "\n"


def test_open_file_gives_a_line_whole_that_fits_into_the_answer(changing: Served) -> None:
    """Once it was cut in half, in case all its characters took six bytes each."""
    write_tree(changing.docs, {"min.md": "y" * 1_900_000 + "\n", "odd.md": "\x01" * 1_900_000 + "\n"})
    envelope = changing.call("open_file", repo="docs", path="min.md")
    assert envelope["result"]["content"] == "1\t" + "y" * 1_900_000 + "\n"
    assert not envelope["meta"]["truncated"]
    envelope = changing.call("open_file", repo="docs", path="odd.md")
    assert envelope["result"]["content"].startswith("1\t" + "\x01" * 1_048_576 + "\u2026")
    assert envelope["meta"]["truncated"]


def test_a_range_of_an_empty_file_is_empty(served: Served) -> None:
    result = served.result("get_snippet", repo="docs", path="empty.md", start_line=1, end_line=5)
    assert (result["start_line"], result["end_line"], result["content"]) == (1, 0, "")


@pytest.mark.parametrize(("start", "end"), [(0, 3), (-1, 3), (3, 2), (5, 9), (1, 0)])
def test_get_snippet_refuses_ranges_that_are_none(served: Served, start: int, end: int) -> None:
    error = served.error("get_snippet", repo="docs", path="README.md", start_line=start, end_line=end)
    assert error["code"] == "RANGE_INVALID"
    assert "_line" in error["message"]


def test_an_answer_never_has_more_bytes_than_the_operator_allows(tmp_path: Path) -> None:
    docs, code = make_trees(tmp_path)
    for char in ("x", "é", "\u0001", "🙂", '"'):
        write_tree(docs, {f"many {ord(char)}.md": (char * 200 + "\n") * 1_000})
        write_tree(docs, {f"long {ord(char)}.md": char * 20_000})
    write_tree(docs, {f"dir/{n:04}.md": "needle\n" for n in range(400)})
    cap = 8_192
    with closing(Served(docs, code, tmp_path / "data", max_total_bytes_per_response=cap)) as served:
        for path in sorted(docs.glob("*.md")):
            answer = served.ask("open_file", {"repo": "docs", "path": path.name})
            assert len(answer.text.encode()) <= cap
            result = cast(Any, answer.structured)["result"]
            cut = path.name.startswith(("many", "long"))
            assert cast(Any, answer.structured)["meta"]["truncated"] is cut
            assert (result["end_line"] >= 1) or path.name == "empty.md"
        for name, arguments in (
            ("list_dir", {"repo": "docs", "path": "dir"}),
            ("search", {"query": "needle", "repo": "docs"}),
        ):
            answer = served.ask(name, arguments)
            assert cap - 200 < len(answer.text.encode()) <= cap
            assert cast(Any, answer.structured)["meta"]["truncated"] is True
            assert "continue with cursor" in cast(Any, answer.structured)["meta"]["warnings"][0]


def test_content_is_faithful_and_what_may_hide_text_is_said(changing: Served) -> None:
    line = "if admin: \u202e# \u2066comment"
    write_tree(changing.code, {"trick.py": f"\ttab\n{line}\n\x1b[31m\n"})
    envelope = changing.call("open_file", repo="code", path="trick.py")
    assert line in envelope["result"]["content"]
    assert envelope["meta"]["warnings"] == ["Control or bidirectional characters may hide text: lines 2, 3."]
    changing.refresh()
    envelope = changing.call("search", query="admin", repo="code")
    assert envelope["result"]["matches"][0]["preview"] == line
    assert envelope["meta"]["warnings"] == ["Control or bidirectional characters may hide text: match 1."]


# list_dir


def test_list_dir_gives_the_entries_of_the_root_and_counts_what_it_leaves_out(served: Served) -> None:
    assert served.result("list_dir", repo="code") == {
        "path": "",
        "entries": [
            {"path": "lib", "type": "directory"},
            {"path": "src", "type": "directory"},
            {"path": "tool.bin", "type": "file", "size": 20},
        ],
        "left_out": {"denied": 1, "hidden": 2, "ignored": 2},
    }
    for path in ("", ".", "src/..", str(served.code)):
        assert served.result("list_dir", repo="code", path=path) == served.result("list_dir", repo="code")


def test_list_dir_gives_the_entries_of_one_directory_alone(served: Served) -> None:
    result = served.result("list_dir", repo="code", path="src/")
    assert [entry["path"] for entry in result["entries"]] == ["src/Zeta.py", "src/native", "src/volume.py"]
    assert result["path"] == "src"
    on_disk = {f"src/{name}" for name in os.listdir(served.code / "src")}
    assert {entry["path"] for entry in result["entries"]} == on_disk


def test_a_hidden_or_ignored_directory_lists_as_empty_and_says_why(served: Served) -> None:
    assert served.result("list_dir", repo="code", path="build") == {
        "path": "build", "entries": [], "left_out": {"ignored": 1},
    }  # fmt: skip
    assert served.result("list_dir", repo="code", path=".idea")["left_out"] == {"hidden": 1}


def test_a_directory_of_thousands_is_listed_page_by_page(tmp_path: Path) -> None:
    names = [f"{n:04}.md" for n in range(2_500)]
    docs = write_tree(tmp_path / "docs", dict.fromkeys(names, "x"))
    served = Served(docs, docs, tmp_path / "data", index=False)
    small = Served(docs, docs, tmp_path / "small", index=False, max_list_results=10)
    try:
        pages = [served.call("list_dir", repo="docs")]
        while (cursor := pages[-1]["result"].get("cursor")) is not None:
            pages.append(served.call("list_dir", repo="docs", cursor=cursor))
        assert [one["path"] for page in pages for one in page["result"]["entries"]] == names
        assert [page["meta"]["truncated"] for page in pages] == [True, True, False]
        assert [page["meta"].get("warnings") for page in pages] == [
            ["These are entries 1 to 1,000 of 2,500; continue with cursor."],
            ["These are entries 1,001 to 2,000 of 2,500; continue with cursor."],
            None,
        ]
        assert len(small.result("list_dir", repo="docs")["entries"]) == 10
    finally:
        served.close()
        small.close()


def test_everything_listed_opens_or_is_binary(served: Served) -> None:
    """Valid inputs succeed: every file that list_dir names is opened, read in part and searched."""
    done = failed = 0
    for repo in ("docs", "code"):
        waiting = [""]
        while waiting:
            for entry in served.result("list_dir", repo=repo, path=waiting.pop())["entries"]:
                if entry["type"] == "directory":
                    waiting.append(entry["path"])
                    continue
                done += 1
                opened = served.call("open_file", repo=repo, path=entry["path"])
                if "error" in opened:
                    assert opened["error"]["code"] == "BINARY_FILE"
                    failed += 1
                    continue
                for line in opened["result"]["content"].splitlines():
                    text = line.partition("\t")[2].strip()
                    if text:
                        found = served.result("search", repo=repo, query=text, case_sensitive=True)
                        assert entry["path"] in {row["path"] for row in found["matches"]}
    assert (done, failed) == (9, 2)  # the two binary files


# Safety


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../docs/README.md", "PATH_OUT_OF_ROOT"),
        ("src/../../docs/README.md", "PATH_OUT_OF_ROOT"),
        ("/etc/passwd", "PATH_OUT_OF_ROOT"),
        ("/no/such/file", "PATH_OUT_OF_ROOT"),
        ("C:\\Windows\\win.ini", "PATH_OUT_OF_ROOT"),
        ("//server/share", "PATH_OUT_OF_ROOT"),
        ("outside", "PATH_OUT_OF_ROOT"),
        ("outside_dir/README.md", "PATH_OUT_OF_ROOT"),
        ("outside_dir", "PATH_OUT_OF_ROOT"),
        ("..\\docs\\README.md", "PATH_INVALID"),
        ("a\0b", "PATH_INVALID"),
        ("x" * 5_000, "PATH_INVALID"),
        ("x" * 300, "PATH_INVALID"),
        ("file:///etc/passwd", "PATH_INVALID"),
        ("\ud800", "PATH_INVALID"),
        (".env", "PATH_DENIED"),
        (".ENV", "PATH_DENIED"),
        (".git/config", "PATH_DENIED"),
        ("id_rsa", "PATH_DENIED"),
        ("to_secret", "PATH_DENIED"),
        ("%2e%2e/docs/README.md", "PATH_NOT_FOUND"),
        ("~/x", "PATH_NOT_FOUND"),
        ("none", "PATH_NOT_FOUND"),
        ("src/volume.py/x", "PATH_NOT_FOUND"),
        ("dangling", "PATH_NOT_FOUND"),
        ("loop", "PATH_UNREADABLE"),
        ("pipe", "PATH_UNREADABLE"),
    ],
)
def test_every_path_that_cannot_be_is_refused_by_each_tool_with_the_reason(
    changing: Served, path: str, code: str
) -> None:
    for link, target in (
        ("outside", changing.docs / "README.md"),
        ("outside_dir", changing.docs),
        ("to_secret", ".env"),
        ("dangling", "nowhere"),
        ("loop", "loop"),
    ):
        os.symlink(target, changing.code / link)
    os.mkfifo(changing.code / "pipe")
    reasons = {
        "PATH_OUT_OF_ROOT": "out_of_root", "PATH_NOT_FOUND": "missing", "PATH_UNREADABLE": "unreadable",
        "PATH_DENIED": "denied",
    }  # fmt: skip
    for name, more in (
        ("open_file", {}),
        ("get_snippet", {"start_line": 1, "end_line": 1}),
        ("list_dir", {}),
    ):
        if (name, path) in (("list_dir", "pipe"), ("open_file", ".")):
            continue
        error = changing.error(name, repo="code", path=path, **more)
        assert error["code"] == code, (name, error)
        assert error["details"]["reason"] == reasons.get(code, error["details"]["reason"])
        assert error["details"]["argument"] == "path"
        text = json.dumps(error)
        assert str(changing.code) not in text
        assert str(changing.docs) not in text


def test_the_wrong_kind_is_said(served: Served) -> None:
    for path in ("src", ".", "src/"):
        error = served.error("open_file", repo="code", path=path)
        assert (error["code"], error["details"]["reason"]) == ("PATH_IS_DIRECTORY", "directory")
    error = served.error("list_dir", repo="code", path="lib/a.c")
    assert (error["code"], error["details"]["reason"]) == ("PATH_INVALID", "not_a_directory")


def test_binary_and_large_files_are_reported_when_they_are_opened(tmp_path: Path) -> None:
    docs, code = make_trees(tmp_path)
    write_tree(docs, {"large.md": "needle\n" * 200})
    with closing(Served(docs, code, tmp_path / "data", max_file_bytes=1_000)) as served:
        error = served.error("open_file", repo="code", path="src/native")
        assert (error["code"], error["details"]["reason"]) == ("BINARY_FILE", "binary")
        error = served.error("get_snippet", repo="docs", path="large.md", start_line=1, end_line=1)
        assert (error["code"], error["details"]["max_bytes"]) == ("FILE_TOO_LARGE", 1_000)
        assert served.result("search", query="needle") == {"matches": []}


def snapshot_tree(root: Path) -> dict[str, tuple[object, ...]]:
    return {
        str(path.relative_to(root)): (
            (status := path.lstat()).st_mtime_ns,
            status.st_ctime_ns,
            status.st_ino,
            status.st_mode,
            path.read_bytes() if stat.S_ISREG(status.st_mode) else b"",
        )
        for path in [root, *sorted(root.rglob("*"))]
    }


def test_the_roots_are_never_written_to(tmp_path: Path) -> None:
    docs, code = make_trees(tmp_path)
    before = snapshot_tree(docs), snapshot_tree(code)
    with closing(Served(docs, code, tmp_path / "data")) as served:
        served.result("search", query="mount")
        served.result("open_file", repo="docs", path="README.md")
        served.result("list_dir", repo="code")
        served.error("open_file", repo="code", path="none")
        served.refresh()
    assert (snapshot_tree(docs), snapshot_tree(code)) == before
    assert {path.name for path in (tmp_path / "data" / "retrieval").iterdir()} >= {
        "docs",
        "code",
        "audit.jsonl",
    }


@pytest.mark.parametrize("inside", ["docs", "docs/deep/er", "code"])
def test_an_index_inside_a_root_is_refused_before_anything_is_made(tmp_path: Path, inside: str) -> None:
    docs, code = make_trees(tmp_path)
    before = snapshot_tree(docs), snapshot_tree(code)
    for data_dir in (tmp_path / inside, tmp_path / "link"):
        if data_dir.name == "link":
            os.symlink(tmp_path / "docs", data_dir)
        with pytest.raises(RepoError) as caught:
            Served(docs, code, data_dir)
        assert caught.value.code is ErrorCode.CONFIG_INVALID
        assert caught.value.message.startswith("CONFIG_INVALID: The directory for the index is inside a root")
    assert (snapshot_tree(docs), snapshot_tree(code)) == before


def test_a_root_that_the_index_would_lie_in_is_refused(tmp_path: Path) -> None:
    """The place itself lies in no root, but a root is where one of the two indexes would lie."""
    docs, code = make_trees(tmp_path)
    shutil.copytree(docs, tmp_path / "data" / "retrieval" / "docs")
    with pytest.raises(RepoError, match="inside a root"):
        Served(tmp_path / "data" / "retrieval" / "docs", code, tmp_path / "data")
    assert sorted(os.listdir(tmp_path / "data" / "retrieval" / "docs")) == sorted(os.listdir(docs))


def test_the_default_place_is_the_users_cache_and_belongs_to_the_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from repo_mcp.toolsets.retrieval import open_roots

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    docs, code = make_trees(tmp_path)
    places = []
    for first, second in ((docs, code), (code, docs), (docs, code)):
        config = replace(make_config(first, second, tmp_path), data_dir=None)
        roots = open_roots(config, lambda warning: None)
        places.append(Path(roots.directory.path))
        for repository in roots.repositories.values():
            repository.close()
    assert places[0] == places[2] != places[1]
    assert {place.parent for place in places} == {tmp_path / "cache" / "repo-mcp"}
    assert stat.S_IMODE(places[0].stat().st_mode) == 0o700


def test_a_root_that_went_away_is_a_configuration_error_at_the_call(changing: Served) -> None:
    changing.code.rename(changing.code.with_name("moved"))
    for name, arguments in (
        ("search", {"query": "mount"}),
        ("search", {"query": "mount", "repo": "code"}),
        ("open_file", {"repo": "code", "path": "lib/a.c"}),
        ("list_dir", {"repo": "code"}),
    ):
        error = changing.error(name, **arguments)
        assert error["code"] == "CONFIG_INVALID"
        assert error["message"] == "The root of code was moved, replaced or deleted."
    assert changing.result("search", query="mount", repo="docs")["matches"]


def test_both_roots_may_be_the_same_directory(tmp_path: Path) -> None:
    docs, _ = make_trees(tmp_path)
    with closing(Served(docs, docs, tmp_path / "data")) as served:
        found = places(served.result("search", query="mount"))
        assert [row[1:] for row in found if row[0] == "docs"] == [
            row[1:] for row in found if row[0] == "code"
        ]
        assert len(found) == 8


# The log


def test_each_call_is_logged_with_tool_repo_duration_and_code_and_no_contents(changing: Served) -> None:
    changing.call("search", query="zebra-canary-query")
    changing.call("open_file", repo="docs", path="README.md")
    changing.call("get_snippet", repo="code", path=".env", start_line=1, end_line=2)
    changing.call("list_dir", repo="code", path="../etc")
    changing.call("open_file", repo="nonsense", path="x")
    entries = changing.audit.read(None, 100).entries
    rows = [(entry["tool"], entry["ok"], entry["blocked"], entry["error_code"]) for entry in entries]
    assert rows == [
        ("search", True, False, None),
        ("open_file", True, False, None),
        ("get_snippet", False, True, "PATH_DENIED"),
        ("list_dir", False, True, "PATH_OUT_OF_ROOT"),
        ("open_file", False, False, "REPO_INVALID"),
    ]
    arguments = [cast(Any, entry["arguments"]) for entry in entries]
    assert arguments[0]["repo"] == {"type": "string", "value": "both"}
    assert arguments[1]["repo"] == {"type": "string", "value": "docs"}
    assert arguments[1]["path"] == {"type": "path", "value": "README.md"}
    assert arguments[2]["path"] == {"type": "path", "class": "denied"}
    assert arguments[3]["path"] == {"type": "path", "class": "escape"}
    assert all(isinstance(entry["duration_ms"], int) for entry in entries)
    text = (Path(changing.roots.directory.path) / "audit.jsonl").read_text()
    assert "zebra" not in text
    assert "Handbook" not in text
    assert CANARY not in text
    assert "nonsense" not in text


def test_a_log_that_cannot_be_written_stops_nobody_and_is_said(changing: Served) -> None:
    (Path(changing.roots.directory.path) / "audit.jsonl").mkdir()
    envelope = changing.call("list_dir", repo="docs")
    assert envelope["meta"]["warnings"] == ["audit_unavailable"]
    assert envelope["result"]["entries"]


def test_a_call_that_never_began_is_logged_as_cancelled(changing: Served) -> None:
    drop = changing.tools["search"].drop
    assert drop is not None
    drop({"query": "x"}, CallContext(lambda: True))
    (entry,) = changing.audit.read(None, 10).entries
    assert (entry["ok"], entry["error_code"]) == (False, "CANCELLED")


def test_a_defect_is_reported_without_what_it_quotes(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: str) -> None:
        raise ValueError(f"{CANARY} in /an/absolute/path")

    monkeypatch.setattr(served.roots.get("docs").tree, "list_directory", fail)
    with collect_logs() as logged:
        error = served.error("list_dir", repo="docs")
    assert (error["code"], error["message"]) == ("INTERNAL", "The server failed on this call.")
    assert CANARY not in logged.text
    assert re.search(r"list_dir failed: ValueError in fail:\d+", logged.text)


def test_a_path_that_leads_nowhere_names_similar_ones(served: Served) -> None:
    error = served.error("get_snippet", repo="code", path="src/volumes.py", start_line=1, end_line=2)
    assert error["details"]["hint"] == "Similar paths: 'src/volume.py'."
    nowhere = served.error("open_file", repo="docs", path="qqq/zzz.md")
    assert nowhere["details"]["hint"] == "Find the path with list_dir or search."
