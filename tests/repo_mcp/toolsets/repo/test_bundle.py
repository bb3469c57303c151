"""`repo.build_context_bundle` as a client meets it: its schema, how it is cut, and over a real server."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from repo_mcp.bundler.audit import MAX_SEARCH_CHARS
from repo_mcp.bundler.bundle_warnings import MAX_NEXT
from repo_mcp.bundler.limits import NOTHING_FITS
from repo_mcp.bundler.records import Bundle, BundleRequest
from repo_mcp.config.server_config import Limits, load_config
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.tool_model import CallContext, Tool
from repo_mcp.repository import Repository
from repo_mcp.toolsets.repo import build_toolset
from repo_mcp.toolsets.shown_text import ORDINARY_CHARS
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.lean_answers import read_answer
from tests.repo_mcp.stdio.test_server import PATIENCE_SECONDS, Process

PROJECT = Path(__file__).parents[4]
CORPUS = PROJECT / "tests" / "corpus" / "tiny_repo"
PROMPT = "How does transfer_funds post to an Account?"
WIDE = "search index file path line term query chunk segment"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    root = tmp_path_factory.mktemp("project") / "repo_mcp"
    shutil.copytree(PROJECT / "repo_mcp", root, ignore=shutil.ignore_patterns("__pycache__"))
    with open_indexed(root) as repository:
        yield repository


def find_tool(repository: object) -> Tool:
    tools = build_toolset(cast(Any, repository)).tools
    return next(tool for tool in tools if tool.name == "repo.build_context_bundle")


def call(repository: object, **arguments: object) -> dict[str, Any]:
    """Return the envelope, checked against the schema that clients see."""
    tool = find_tool(repository)
    answer = tool.call(arguments, CallContext(lambda: False))
    envelope = json.loads(answer.text)
    assert isinstance(envelope, dict)
    assert envelope == answer.structured
    whole: dict[str, Any] = read_answer(tool.output_schema, envelope)
    return whole | {"bytes": len(answer.text.encode()), "chars": len(answer.text)}


def check_totals(result: Mapping[str, Any]) -> None:
    selections = result["selections"]
    assert result["totals"]["files"] == len({one["path"] for one in selections})
    assert result["totals"]["lines"] == sum(len(one["content"].split("\n")) - 1 for one in selections)


def test_an_answer_without_a_budget_is_what_every_client_takes_whole(project: Repository) -> None:
    envelope = call(project, prompt=WIDE, audit=True)
    assert envelope["chars"] <= ORDINARY_CHARS
    assert envelope["warnings"] == []  # built to fit, not cut
    assert envelope["result"]["audit"]["budget"]["max_files"] == 8
    assert envelope["result"]["audit"]["budget"]["max_total_lines"] == 400
    assert envelope["result"]["totals"]["lines"] > 150
    check_totals(envelope["result"])


def test_the_audit_of_a_word_that_is_longer_than_an_answer_is_cut(project: Repository) -> None:
    result = call(project, prompt="x" * 70_000, audit=True)["result"]
    longest = max(len(one["query"]) for one in result["audit"]["searches"])
    assert longest == MAX_SEARCH_CHARS + len("...")


def test_a_budget_that_is_given_may_take_what_the_server_allows(project: Repository) -> None:
    envelope = call(project, prompt=WIDE, budget={"max_files": 20, "max_total_lines": 1_000})
    assert envelope["chars"] > ORDINARY_CHARS
    assert envelope["bytes"] <= project.config.limits.max_total_bytes_per_response
    assert envelope["result"]["totals"]["lines"] <= 1_000
    check_totals(envelope["result"])


def test_lines_for_which_there_is_no_room_in_an_answer_are_said(project: Repository) -> None:
    envelope = call(project, prompt=WIDE, budget={"max_total_lines": 2_000})
    lines = envelope["result"]["totals"]["lines"]
    (warning,) = envelope["warnings"]
    assert warning.startswith(
        f"{lines:,} of 2,000 lines are shown: the text of others does not fit (excerpts: "
    )
    named = re.findall(r"([\w/]+\.py):(\d+)-(\d+)", warning)
    assert len(named) == MAX_NEXT
    assert call(project, prompt=WIDE, budget={"max_total_lines": 100})["warnings"] == []


def test_tokens_can_be_limited(project: Repository) -> None:
    result = call(project, prompt=WIDE, budget={"max_tokens": 500}, audit=True)["result"]
    assert 0 < result["totals"]["tokens"] <= 500
    assert result["audit"]["budget"]["max_tokens"] == 500


@pytest.mark.parametrize("budget", [{"max_tokens": 1}, {"max_tokens": 3, "max_files": 20}])
def test_a_budget_for_less_than_a_line_is_said(project: Repository, budget: dict[str, int]) -> None:
    envelope = call(project, prompt=WIDE, budget=budget)
    assert envelope["result"]["selections"] == []
    assert envelope["warnings"] == [NOTHING_FITS]


@pytest.mark.parametrize("lines", [1, 5, 12])
def test_fewer_lines_than_files_are_a_budget(project: Repository, lines: int) -> None:
    result = call(project, prompt=WIDE, budget={"max_files": 20, "max_total_lines": lines})["result"]
    assert 0 < result["totals"]["lines"] <= lines


def test_an_answer_is_code_with_its_numbers_before_all(project: Repository) -> None:
    envelope = call(project, prompt=WIDE)
    contents = [one["content"] for one in envelope["result"]["selections"]]
    code = sum(len(encode_json(content).encode()) - 2 for content in contents)  # without the quotes
    assert code >= 0.85 * envelope["bytes"]


TITLE = "Bundle leaves lines of the budget empty"
REPORT = f"{TITLE}\n\nThe packer refuses a selection that would fit into the lines that are left.\n"


def test_of_a_report_less_is_shown_and_what_comes_next_is_named(project: Repository) -> None:
    budget = {"max_total_lines": 1_000}
    asked, reported = (call(project, prompt=prompt, budget=budget) for prompt in (TITLE, REPORT))
    assert asked["warnings"] == []
    assert reported["result"]["totals"]["lines"] < asked["result"]["totals"]["lines"] * 2 / 3
    (warning,) = reported["warnings"]
    named = re.findall(r"([\w/]+\.py):(\d+)-(\d+) \w+", warning)
    assert 0 < len(named) <= MAX_NEXT
    shown = {
        (one["path"], line)
        for one in reported["result"]["selections"]
        for line in range(one["start_line"], one["end_line"] + 1)
    }
    assert not any((path, int(first)) in shown for path, first, _ in named)


class Fixed:
    """A repository that gives one bundle, whatever is asked."""

    def __init__(self, bundle: Bundle, limits: Limits) -> None:
        self.config = replace(load_config("/srv/repo"), limits=Limits(max_total_bytes_per_response=12_000))
        self.engines = SimpleNamespace(bundles=SimpleNamespace(build=self._build))
        self._bundle = bundle
        self.asked: list[BundleRequest] = []

    def _build(self, request: BundleRequest) -> Bundle:
        self.asked.append(request)
        return self._bundle


def test_what_does_not_fit_is_cut_from_the_end_and_said(project: Repository) -> None:
    whole = project.engines.bundles.build(BundleRequest(WIDE, 8, 400))
    fixed = Fixed(whole, Limits())
    envelope = call(fixed, prompt="x", budget={"max_files": 8})
    kept = envelope["result"]["selections"]
    assert 0 < len(kept) < len(whole.selections)
    assert [one["citation"] for one in kept] == [one.citation for one in whole.selections[: len(kept)]]
    assert any(
        f"The answer was cut to {len(kept)} of {len(whole.selections)} excerpts" in one
        for one in envelope["warnings"]
    )
    check_totals(envelope["result"])
    assert fixed.asked[0].max_tokens == 1_600


def test_a_bundle_is_built_to_fit_whatever_is_asked(project: Repository) -> None:
    whole = project.engines.bundles.build(BundleRequest(WIDE, 8, 400))
    fixed = Fixed(whole, Limits())
    envelope = call(fixed, prompt="x", budget={"max_tokens": 5_000})
    assert fixed.asked[0].max_tokens == 1_600
    assert "budget.max_tokens is above what one answer holds: 1,600 is used." in envelope["warnings"]
    call(fixed, prompt="x", budget={"max_tokens": 1_599})
    assert fixed.asked[1].max_tokens == 1_599


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "prompt"),
        ({"prompt": ""}, "prompt"),
        ({"prompt": " "}, "prompt"),
        ({"prompt": 5}, "prompt"),
        ({"prompt": "x", "budget": 5}, "budget"),
        ({"prompt": "x", "budget": {"max_files": 0}}, "budget.max_files"),
        ({"prompt": "x", "budget": {"max_total_lines": -1}}, "budget.max_total_lines"),
        ({"prompt": "x", "budget": {"max_total_lines": 2.5}}, "budget.max_total_lines"),
        ({"prompt": "x", "budget": {"max_tokens": 0}}, "budget.max_tokens"),
        ({"prompt": "x", "budget": {"lines": 8}}, "budget.lines"),
        ({"prompt": "x", "strategy": "llm"}, "strategy"),
        ({"prompt": "x", "include_tests": "no"}, "include_tests"),
    ],
)
def test_a_wrong_argument_is_named(project: Repository, arguments: dict[str, object], named: str) -> None:
    envelope = call(project, **arguments)
    assert envelope["error"]["code"] == "invalid_argument"
    assert named in envelope["error"]["message"]


def test_a_budget_above_the_limits_is_cut_to_them_and_it_is_said(project: Repository) -> None:
    envelope = call(
        project, prompt="searcher", budget={"max_files": 10**9, "max_total_lines": None}, audit=True
    )
    assert envelope["result"]["audit"]["budget"]["max_files"] == 20
    assert "budget.max_files is above its maximum: 20 is used." in envelope["warnings"]


def test_a_prompt_may_hold_anything_but_says_nothing_of_itself(project: Repository) -> None:
    envelope = call(project, prompt="searcher\0 \x1b[31m red `\u202e`")
    assert envelope["ok"]
    assert "\x1b" not in json.dumps(envelope["result"]["audit"], ensure_ascii=False)
    assert "\u202e" not in json.dumps(envelope["result"]["audit"], ensure_ascii=False)


def test_text_that_may_hide_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("frobnicate = 'a\u202eb'\n", encoding="utf-8")
    with open_indexed(tmp_path) as repository:
        warnings = call(repository, prompt="frobnicate")["warnings"]
    assert warnings == ["Control or bidirectional characters may hide text: a.py:1-1."]


def test_over_a_real_server(tmp_path: Path) -> None:
    shutil.copytree(CORPUS, tmp_path / "root")
    server = Process(tmp_path / "root")
    try:
        server.handshake()
        server.call("refresh", "repo.refresh_index")
        assert server.read()["result"]["structuredContent"]["ok"]
        server.send({"id": "list", "method": "tools/list"})
        names = [tool["name"] for tool in server.read()["result"]["tools"]]
        assert names.index("repo.build_context_bundle") == names.index("repo.refresh_index") + 1
        documents = []
        for number in range(2):
            server.call(number, "repo.build_context_bundle", {"prompt": PROMPT, "budget": {"max_files": 2}})
            answer = server.read()["result"]
            assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"]
            documents.append(answer["structuredContent"]["result"])
        assert documents[0] == documents[1]
        assert documents[0]["selections"][0]["path"] == "src/ledger/accounts.py"
        assert documents[0]["totals"]["files"] <= 2
        assert (tmp_path / "root" / ".repo_mcp" / "last_bundle.md").read_text().startswith("# Context bundle")
    finally:
        server.stdin.close()
        server.popen.wait(PATIENCE_SECONDS)
        for thread in server.threads:
            thread.join(PATIENCE_SECONDS)
        for pipe in (server.popen.stdout, server.popen.stderr):
            assert pipe is not None
            pipe.close()
