"""The `repo` toolset over a stand-in for the repository: shapes, cuts, codes, and what never leaks.

What the repository itself answers is tested with the repository; here each answer is given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from repo_mcp.config.server_config import Config, Limits
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import (
    FileListing,
    Hit,
    IndexProgress,
    IndexStatus,
    ListedFile,
    OpenedText,
    RefreshReport,
    SearchAnswer,
    SearchRequest,
)
from repo_mcp.protocol.tool_model import CallContext, Progress, Tool, ToolAnswer
from repo_mcp.toolsets.repo import build_toolset
from repo_mcp.toolsets.repo.answers import ERROR_CODES
from repo_mcp.toolsets.repo.schemas import DEFAULT_LIST_RESULTS, MOST_FOLDERS
from tests.log_collector import collect_logs
from tests.repo_mcp.lean_answers import read_answer

ROOT = Path(__file__).resolve().parents[4]

CODES = {
    "invalid_argument",
    "not_found",
    "path_escape",
    "path_denied",
    "file_too_large",
    "binary_file",
    "limit_exceeded",
    "index_unavailable",
    "internal",
    "busy",
    "timeout",
}
STATUS = IndexStatus(
    state="ready",
    snapshot="abc",
    generation=3,
    indexed_files=12,
    segments=2,
    index_bytes=4_096,
    skipped={"too_large": 1, "binary": 2},
    stale=0,
    last_refresh=1_700_000_000.25,
    progress=None,
    languages={"python": 4, "c": 2},
    warnings=("a warning",),
)


class StandIn:
    """Gives the answers that it was given, and remembers what it was asked."""

    outliner = SimpleNamespace(adapters=SimpleNamespace(names=("python",)))
    warnings: tuple[str, ...] = ()

    def __init__(self, limits: Limits | None = None) -> None:
        self.config = replace(Config(root="/srv/code"), limits=limits or Limits())
        self.asked: list[Any] = []
        self.error: Exception | None = None
        self.status_now = STATUS
        self.listing = FileListing((ListedFile("a.py", 3, 1_700_000_000.0),), 1, 0)
        self.opened = OpenedText("a.py", 1, 2, 2, ("x = 1", ""), False)
        hit = Hit("a.py", 1, 2, "1\tx = 1\n", 2.5, ("x",), None, (("text", 2.0), ("file name", 0.5)))
        self.found = SearchAnswer((hit,), 1, False, "abc")
        self.steps: list[IndexProgress] = []

    def status(self) -> IndexStatus:
        return self._answer(self.status_now, "status")

    def list_files(
        self, glob: str | None, max_results: int, include_hidden: bool, most_folders: int
    ) -> FileListing:
        return self._answer(self.listing, (glob, max_results, include_hidden, most_folders))

    def open_file(
        self, path: str, start_line: int | None, end_line: int | None, *, about: str | None
    ) -> OpenedText:
        return self._answer(self.opened, (path, start_line, end_line))

    def search(self, request: SearchRequest, _count_copies: object = None) -> SearchAnswer:
        return self._answer(self.found, request)

    def refresh(
        self, *, force: bool, progress: Callable[[IndexProgress], None] | None, cancelled: Callable[[], bool]
    ) -> RefreshReport:
        for step in self.steps if progress is not None else ():
            assert progress is not None
            progress(step)
        report = RefreshReport(1, 2, 3, 4, {"binary": 5}, 6, 1_700_000_000.0, 7, ("careful",), "abd")
        return self._answer(report, (force, cancelled()))

    def _answer(self, answer: Any, asked: Any) -> Any:
        self.asked.append(asked)
        if self.error is not None:
            raise self.error
        return answer


def _tools(repository: StandIn) -> dict[str, Tool]:
    return {tool.name: tool for tool in build_toolset(cast(Any, repository)).tools}


def _call(repository: StandIn, name: str, arguments: Mapping[str, object] | None = None) -> dict[str, Any]:
    tool = _tools(repository)[name]
    answer = tool.call(arguments or {}, CallContext(lambda: False))
    return _check(tool, answer)


def _check(tool: Tool, answer: ToolAnswer) -> dict[str, Any]:
    """Check what holds for every answer: the schema, the text, the flags."""
    envelope = json.loads(answer.text)
    assert envelope == answer.structured
    assert json.dumps(envelope, ensure_ascii=False, separators=(",", ":")) == answer.text == answer.json
    whole: dict[str, Any] = read_answer(tool.output_schema, envelope)
    assert answer.is_error == (not envelope["ok"])
    assert isinstance(envelope, dict)
    if not envelope["ok"]:
        assert envelope["result"] is None
        assert envelope["error"]["code"] in CODES
        assert envelope["error"]["hint"]
    return whole


def test_the_tools_in_the_order_clients_see_them() -> None:
    toolset = build_toolset(cast(Any, StandIn()))
    assert [tool.name for tool in toolset.tools] == [
        "repo.status",
        "repo.list_files",
        "repo.open_file",
        "repo.outline",
        "repo.search",
        "repo.refresh_index",
        "repo.build_context_bundle",
        "repo.audit_log",
    ]
    assert [tool.name for tool in toolset.tools if not tool.annotations.read_only] == ["repo.refresh_index"]
    for tool in toolset.tools:
        assert not tool.annotations.destructive
        assert not tool.annotations.open_world
        assert tool.annotations.idempotent
        assert tool.title
        assert tool.description


def test_names_stay_different_as_clients_rewrite_them() -> None:
    names = [re.sub("[^A-Za-z0-9_]", "_", name) for name in _tools(StandIn())]
    assert len(names) == len(set(names)) > 5


def test_descriptions_of_the_repo_tools_say_limits_and_defaults_in_words() -> None:
    tools = _tools(StandIn(replace(Limits(), max_search_hits=33, default_search_hits=7)))
    top_k = cast(Any, tools["repo.search"].input_schema)["properties"]["top_k"]
    assert top_k["maximum"] == 33
    assert "1 to 33. Default 7" in top_k["description"]
    for tool in tools.values():
        for name, schema in cast(Any, tool.input_schema)["properties"].items():
            assert schema.get("description") or "enum" in schema or name == "cursor", name
            if "default" in schema and "description" in schema:
                assert "default" in schema["description"].lower(), name


def test_every_request_has_its_own_id() -> None:
    repository = StandIn()
    ids = {_call(repository, "repo.status")["request_id"] for _ in range(10)}
    assert len(ids) == 10
    assert all(len(one) == 36 for one in ids)


def test_status() -> None:
    envelope = _call(StandIn(), "repo.status")
    result = envelope["result"]
    assert result["repo_root"] == "/srv/code"
    assert result["last_refresh"] == "2023-11-14T22:13:20.250Z"
    assert result["coverage"] == {"indexed": 12, "skipped": {"binary": 2, "too_large": 1}}
    assert result["limits"]["max_search_hits"] == 50
    assert result["toolsets"] == ["repo"]
    assert envelope["warnings"] == ["a warning"]


def test_status_while_the_first_index_is_built() -> None:
    repository = StandIn()
    progress = IndexProgress("index", 3, 10, 30, 100)
    repository.status_now = replace(
        STATUS, state="building", snapshot=None, stale=None, last_refresh=None, progress=progress
    )
    result = _call(repository, "repo.status")["result"]
    assert (result["snapshot"], result["stale"], result["last_refresh"]) == (None, None, None)
    assert result["progress"]["files_done"] == 3


def test_list_files() -> None:
    repository = StandIn()
    envelope = _call(
        repository, "repo.list_files", {"glob": "*.py", "max_results": 5, "include_hidden": True}
    )
    assert repository.asked == [("*.py", 5, True, 0)]
    row = {"path": "a.py", "size": 3, "mtime": 1_700_000_000}
    assert envelope["result"] == {"files": [row], "total": 1, "truncated": False, "folders": {}}
    _call(repository, "repo.list_files")
    assert repository.asked[1] == (None, DEFAULT_LIST_RESULTS, False, MOST_FOLDERS)


def test_a_cut_listing_counts_all_files_by_folder() -> None:
    repository = StandIn()
    rows = (ListedFile("a.py", 3, 1.5),)
    repository.listing = FileListing(rows, 3, 0, folders={"a\u200b/**": 2, "/*": 1})
    assert _call(repository, "repo.list_files")["result"]["folders"] == {"a\\u200b/**": 2, "/*": 1}


def test_denied_entries_are_counted_never_named() -> None:
    repository = StandIn()
    for denied, expected in (
        (2, "2 denied names of the repository are"),
        (1, "1 denied name of the repository is"),
    ):
        repository.listing = replace(repository.listing, denied=denied)
        assert _call(repository, "repo.list_files")["warnings"] == [f"{expected} not listed."]
        assert _call(repository, "repo.list_files", {"glob": "*.py"})["warnings"] == []
    repository.listing = FileListing((), 0, 1)
    assert _call(repository, "repo.list_files", {"glob": "*.py"})["warnings"] == [f"{expected} not listed."]


def test_a_long_listing_is_cut_to_an_ordinary_answer_unless_an_amount_is_asked_for() -> None:
    repository = StandIn()
    rows = tuple(ListedFile(f"directory/of/some/length/file_{n:04}.py", n, 1.5) for n in range(900))
    repository.listing = FileListing(rows, 900, 0)
    ordinary = _call(repository, "repo.list_files")
    assert ordinary["result"]["truncated"]
    assert ordinary["result"]["total"] == 900
    assert 100 < len(ordinary["result"]["files"]) < 300
    assert "cursor" in ordinary["warnings"][0]
    asked = _call(repository, "repo.list_files", {"max_results": 900})
    assert len(asked["result"]["files"]) > len(ordinary["result"]["files"])


@pytest.mark.parametrize("cap", [1_500, 4_000, 65_536])
@pytest.mark.parametrize("char", ["x", "é", "\u0001", "🙂", '"'])
def test_an_answer_never_has_more_bytes_than_its_cap_and_as_many_rows_as_fit(cap: int, char: str) -> None:
    repository = StandIn(replace(Limits(), max_total_bytes_per_response=cap))
    repository.opened = OpenedText("a.py", 1, 1_000, 1_000, (char * 200,) * 1_000, False)
    tool = _tools(repository)["repo.open_file"]
    answer = tool.call({"path": "a.py", "end_line": 1_000}, CallContext(lambda: False))
    result = _check(tool, answer)["result"]
    assert len(answer.text.encode()) <= cap
    assert result["truncated"]
    assert result["content"].count("\n") == result["end_line"]
    per_line = len(json.dumps(char * 200, ensure_ascii=False).encode()) + 8
    assert len(answer.text.encode()) > cap - 2 * per_line  # one more would not have fitted


def test_a_cap_below_every_answer_is_an_error_not_a_silence() -> None:
    repository = StandIn(replace(Limits(), max_total_bytes_per_response=100))
    assert _call(repository, "repo.status")["error"]["code"] == "limit_exceeded"
    assert _call(repository, "repo.open_file", {"path": "a.py"})["error"]["code"] == "limit_exceeded"


def test_open_file_numbers_its_lines() -> None:
    repository = StandIn()
    repository.opened = OpenedText("a.py", 9, 11, 40, ("def f():", "", "\treturn 1"), True)
    result = _call(repository, "repo.open_file", {"path": "a.py", "start_line": 9, "end_line": 50})["result"]
    assert repository.asked == [("a.py", 9, 50)]
    assert result == {
        "path": "a.py",
        "start_line": 9,
        "end_line": 11,
        "total_lines": 40,
        "content": "9\tdef f():\n10\t\n11\t\treturn 1\n",
        "truncated": True,
        "spans": [],
    }


def test_open_file_without_an_end_stays_ordinary_and_says_how_to_go_on() -> None:
    repository = StandIn()
    repository.opened = OpenedText("a.py", 1, 200, 200, ("x" * 150,) * 200, False)
    tool = _tools(repository)["repo.open_file"]
    answer = tool.call({"path": "a.py"}, CallContext(lambda: False))
    envelope = _check(tool, answer)
    assert len(answer.text) <= 19_000
    assert envelope["result"]["truncated"]
    assert envelope["warnings"] == [
        f"The answer was cut to keep it short; continue with start_line {envelope['result']['end_line'] + 1}."
    ]
    asked = _call(repository, "repo.open_file", {"path": "a.py", "end_line": 200})
    assert asked["result"]["end_line"] == 200
    assert not asked["result"]["truncated"]


def test_an_empty_file_has_no_lines() -> None:
    repository = StandIn()
    repository.opened = OpenedText("empty", 1, 0, 0, (), False)
    result = _call(repository, "repo.open_file", {"path": "empty"})["result"]
    assert (result["start_line"], result["end_line"], result["content"]) == (1, 0, "")


def test_a_long_line_is_cut_and_said() -> None:
    repository = StandIn()
    repository.opened = OpenedText("a.js", 1, 3, 3, ("a", "b" * 2_001, "c" * 2_000), False)
    envelope = _call(repository, "repo.open_file", {"path": "a.js", "end_line": 3})
    second = envelope["result"]["content"].split("\n")[1]
    assert second == "2\t" + "b" * 2_000 + "… [cut: the line has 2,001 characters]"
    assert envelope["result"]["truncated"]
    assert envelope["warnings"] == ["Lines are cut at 2,000 characters: line 2."]


def test_content_is_faithful_and_what_may_hide_text_is_said() -> None:
    repository = StandIn()
    line = "if admin: \u202e# \u2066comment"
    repository.opened = OpenedText("a.py", 1, 3, 3, ("\ttab", line, "\x1b[31m"), False)
    envelope = _call(repository, "repo.open_file", {"path": "a.py"})
    assert line in envelope["result"]["content"]
    assert envelope["warnings"] == ["Control or bidirectional characters may hide text: lines 2, 3."]


def test_names_are_shown_escaped() -> None:
    repository = StandIn()
    repository.listing = FileListing((ListedFile("a\u202ecod.exe", 1, 1.0),), 1, 0)
    envelope = _call(repository, "repo.list_files")
    assert envelope["result"]["files"][0]["path"] == "a\\u202ecod.exe"
    assert "\\uXXXX" in envelope["warnings"][0]


def test_search() -> None:
    repository = StandIn()
    envelope = _call(
        repository,
        "repo.search",
        {
            "query": "x y",
            "mode": "bm25",
            "top_k": 3,
            "file_glob": "*.py",
            "language": "python",
            "include_tests": False,
        },
    )
    assert repository.asked == [SearchRequest("x y", 3, "*.py", "python", False, names_alone=True)]
    (hit,) = envelope["result"]["hits"]
    assert {name: value for name, value in hit.items() if value} == {
        "path": "a.py",
        "start_line": 1,
        "end_line": 2,
        "snippet": "1\tx = 1\n",
        "score": 2.5,
        "matched_terms": ["x"],
    }
    assert envelope["result"]["snapshot"] == "abc"
    _call(repository, "repo.search", {"query": "x"})
    assert repository.asked[1] == SearchRequest("x", 10, names_alone=True, ends_early=True)
    _call(repository, "repo.search", {"query": "x", "detail": "text"})
    assert repository.asked[2] == SearchRequest("x", 10, names_alone=True, shows_whole=False, ends_early=True)


def test_search_explains_scores_when_asked_to() -> None:
    envelope = _call(StandIn(), "repo.search", {"query": "x", "explain": True})
    assert envelope["result"]["hits"][0]["explanation"] == {"text": 2, "file name": 0.5}


@pytest.mark.parametrize(
    "query",
    [
        'foo(bar) && "unclosed',
        "std::vector<int>",
        "word " * 10_000,
        "a\0b",
        "🙂",
        "AND OR NOT",
        "*",
        "\u202e",
        "a:b",
    ],
)
def test_no_query_is_refused_for_what_it_holds(query: str) -> None:
    assert _call(StandIn(), "repo.search", {"query": query})["ok"]


@pytest.mark.parametrize("query", ["", " ", "\t\n", "\0", "\ud800", 5, None, ["a", 5], "x" * 131_073])
def test_an_empty_or_impossible_query_is_an_error_that_names_it(query: object) -> None:
    repository = StandIn()
    error = _call(repository, "repo.search", {"query": query})["error"]
    assert error["code"] == "invalid_argument"
    assert "query" in error["message"]
    assert repository.asked == []


def test_search_hits_are_cut_from_the_end() -> None:
    repository = StandIn()
    hits = tuple(Hit(f"f{n}.py", 1, 9, f"1\t{n:x>2900}\n", 9.0 - n / 10, ("x",), "f") for n in range(20))
    repository.found = SearchAnswer(hits, 400, True, "abc")
    envelope = _call(repository, "repo.search", {"query": "x"})
    shown = [hit["path"] for hit in envelope["result"]["hits"]]
    assert shown == ["f0.py", "f1.py", "f2.py", "f3.py", "f4.py", "f5.py"]  # of 3,000 characters each
    assert envelope["result"]["truncated"]
    assert envelope["result"]["total"] == 400
    assert envelope["result"]["hits"][0]["score"] == 9
    assert len(_call(repository, "repo.search", {"query": "x", "top_k": 20})["result"]["hits"]) == 20


def test_refresh() -> None:
    repository = StandIn()
    envelope = _call(repository, "repo.refresh_index", {"force": True})
    assert repository.asked == [(True, False)]
    assert envelope["warnings"] == ["careful"]
    assert envelope["result"] == {
        "added": 1,
        "updated": 2,
        "removed": 3,
        "unchanged": 4,
        "skipped": {"binary": 5},
        "duration_ms": 6,
        "timestamp": "2023-11-14T22:13:20.000Z",
        "snapshot": "abd",
    }


def test_refresh_reports_progress_that_never_falls_and_sees_a_cancellation() -> None:
    repository = StandIn()
    phases = [
        ("walk", 0, 0),
        ("walk", 5, 5),
        ("index", 3, 0),
        ("index", 3, 8),
        ("index", 8, 8),
        ("merge", 1, 2),
        ("commit", 1, 1),
    ]
    repository.steps = [IndexProgress(phase, done, total, 0, 0) for phase, done, total in phases]
    seen: list[Progress] = []
    _tools(repository)["repo.refresh_index"].call({}, CallContext(lambda: True, seen.append))
    assert [step.done for step in seen] == [0, 5, 5, 36.9, 90, 94, 100]
    assert [step.message for step in seen[2:5]] == [
        "index: 3 of ? files",
        "index: 3 of 8 files",
        "index: 8 of 8 files",
    ]
    assert repository.asked == [(False, True)]


def test_the_page_of_errors_lists_every_code() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    section = page.split("\n## The toolset `repo`\n")[1].split("\n## ")[0]
    assert sorted(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == list(ERROR_CODES)


@pytest.mark.parametrize("code", list(ErrorCode))
def test_every_failure_has_a_code_of_the_specification(code: ErrorCode) -> None:
    repository = StandIn()
    repository.error = RepoError(code, "said \x1b why")
    envelope = _call(repository, "repo.open_file", {"path": "a.py"})
    assert envelope["error"]["message"] == "said \\u001b why"
    blocked = code in (ErrorCode.PATH_DENIED, ErrorCode.PATH_ESCAPE, ErrorCode.FILE_TOO_LARGE)
    assert envelope["blocked"] is blocked
    assert ("reason" in envelope) is blocked
    if blocked:
        assert envelope["reason"] == envelope["error"]["message"]
        assert envelope["hint"] == envelope["error"]["hint"]


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("repo.status", {"verbose": True}, ["verbose", "Unknown argument"]),
        ("repo.list_files", {"max_results": 0}, ["max_results", "from 1 to 1,000"]),
        ("repo.list_files", {"max_results": 1.5}, ["max_results", "from 1 to 1,000"]),
        ("repo.list_files", {"glob": "x" * 513}, ["glob", "513", "to 512"]),
        ("repo.list_files", {"include_hidden": 1}, ["include_hidden", "an integer", "a boolean"]),
        ("repo.open_file", {}, ["path", "missing"]),
        ("repo.open_file", {"path": "a\0"}, ["path", "NUL"]),
        ("repo.open_file", {"path": "a", "start_line": 0}, ["start_line", "from 1"]),
        ("repo.open_file", {"path": None}, ["path", "missing"]),
        ("repo.search", {"query": "a", "top_k": True}, ["top_k", "a boolean", "from 1 to 50"]),
        ("repo.search", {"query": "a", "mode": "fuzzy"}, ["mode", '"bm25"', '"regex"']),
        ("repo.search", {"query": "a", "detail": "lines"}, ["detail", '"count"']),
        ("repo.refresh_index", {"force": "yes"}, ["force", "a string", "a boolean"]),
    ],
)
def test_bad_arguments_are_errors_that_name_them_and_reach_nothing(
    name: str, arguments: dict[str, object], words: list[str]
) -> None:
    repository = StandIn()
    envelope = _call(repository, name, arguments)
    assert envelope["error"]["code"] == "invalid_argument"
    for word in words:
        assert word in envelope["error"]["message"]
    assert repository.asked == []


def test_a_defect_becomes_a_neutral_error_and_one_line_without_contents() -> None:
    repository = StandIn()
    repository.error = KeyError("canary-secret /srv/code/private.py")
    with collect_logs() as logged:
        envelope = _call(repository, "repo.open_file", {"path": "a.py"})
    assert envelope["error"]["code"] == "internal"
    for text in (json.dumps(envelope), logged.text):
        assert "canary" not in text
        assert "/srv" not in text
    assert "KeyError" in logged.text
    assert envelope["request_id"] in logged.text
