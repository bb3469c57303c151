"""The `research` toolset as a whole: its tools and schemas, its errors, its forms of answers, its log."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from repo_mcp.audit.log import AuditLog
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import Audio, CallContext, ResourceLink, ToolAnswer
from repo_mcp.toolsets.answers import Call, Draft, Part, Result, answer_call
from repo_mcp.toolsets.research.answers import ERROR_CODES, FORM, ResearchToolError
from tests.architecture.source_tree import ROOT
from tests.log_collector import collect_logs
from tests.repo_mcp.toolsets.research.research_roots import TREE, Served
from tests.written_trees import write_tree

IN_ORDER = ["index_codebase", "search_code", "search_docs", "code_research"]
LONG = ["index_codebase", "code_research"]


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Served]:
    """Yield the tools over a root that was never indexed."""
    with Served(write_tree(tmp_path / "service", TREE), tmp_path / "data", index=False) as served:
        yield served


def test_the_tools_stand_in_the_order_of_the_specification(served: Served) -> None:
    names = [tool.name for tool in served.toolset.tools]
    assert names == [name for name in IN_ORDER if name in names]
    assert "index_codebase" in names


def test_every_tool_says_what_a_client_may_assume(served: Served) -> None:
    for tool in served.toolset.tools:
        hints = tool.annotations
        assert hints.read_only is (tool.name != "index_codebase")
        assert (hints.destructive, hints.idempotent, hints.open_world) == (False, True, False)
        assert tool.title
        assert tool.description
        assert tool.may_be_task is (tool.name in LONG)
    assert served.toolset.instructions


def ask(
    run: Callable[[], Draft], *, max_bytes: int, arguments: Mapping[str, object] | None = None
) -> ToolAnswer:
    """Return the answer of a call that nobody logs."""
    call = Call("search_code", arguments or {}, cast(Any, None), run, None)
    return answer_call(FORM, call, max_bytes=max_bytes)


def test_listing_the_tools_loads_no_engine() -> None:
    """Clients wait for the list: what searches is loaded by the first call."""
    engines = ("numpy", "whoosh", "msgpack", "xxhash")
    rooms = tuple(
        f"repo_mcp.{room}"
        for room in (
            "code_search",
            "exact",
            "graph",
            "indexing",
            "languages",
            "live",
            "ranking",
            "symbol_index",
        )
    )
    code = (
        "import sys\nfrom repo_mcp.config.server_config import Limits\n"
        "from repo_mcp.toolsets.research import bind_toolset\n"
        "bind_toolset(Limits(), lambda: None)\n"
        f"print([name for name in sys.modules if name in {engines} or name.startswith({rooms})])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


# Errors


def test_a_path_that_is_no_folder_is_named_as_the_client_wrote_it(served: Served) -> None:
    for name in served.tools:
        query = {} if name == "index_codebase" else {"query": "anything"}
        for path in ("nowhere", "service/auth.py", str(served.root / "gone"), "service/../nowhere"):
            said = served.error(name, path=path, **query)
            assert said == f"Path does not exist or is not a directory: {path}"


def test_a_path_outside_and_a_denied_one_are_refused_in_words_of_their_own(served: Served) -> None:
    (served.root / "out").symlink_to("/etc")
    (served.root / ".git").mkdir()
    for path in ("..", "/etc", "service/../../x", "out"):
        said = served.error("index_codebase", path=path)
        assert said.startswith(f"Path is outside the served repository: {path}.")
    said = served.error("index_codebase", path=".git")
    assert said.startswith("Path is never served: .git. ")
    assert said.endswith(" Ask for files of the work tree.")


def test_what_is_missing_is_named(served: Served) -> None:
    for name, tool in served.tools.items():
        missing = "path" if name == "index_codebase" else "query"
        answer = tool.call({}, CallContext(lambda: False))
        assert answer.is_error
        assert answer.text == f"Missing required argument: {missing}"
        error = cast(Any, answer.structured["error"])
        assert (error["code"], error["message"]) == ("invalid_argument", answer.text)
        assert error["hint"].startswith("Give ")


def test_other_arguments_are_refused_clearly(served: Served) -> None:
    said = served.error("index_codebase", path=".", force="yes")
    assert said == "Argument force is a string: it must be a boolean. Give force as a boolean."
    said = served.error("index_codebase", path=".", colour="red")
    assert said.startswith('Unknown argument "colour". Arguments are: path, force')
    assert "NUL" in served.error("index_codebase", path="a\0b")
    assert served.error("index_codebase", path=None) == "Missing required argument: path"


def test_a_defect_is_reported_without_its_words() -> None:
    def run() -> Draft:
        raise KeyError("secret of a file")

    with collect_logs() as logged:
        answer = ask(run, max_bytes=1_000)
    assert answer.is_error
    assert answer.text.startswith("The server failed on this call.")
    assert "secret" not in answer.text + logged.text
    assert "KeyError in run" in logged.text


def test_hints_name_no_tool_of_another_toolset() -> None:
    def fail(error: RepoError) -> str:
        def run() -> Draft:
            raise error

        return ask(run, max_bytes=10_000).text

    for code in ErrorCode:
        said = fail(RepoError(code, "It failed.", "Ask repo.status."))
        assert "repo." not in said or code not in (ErrorCode.BUSY, ErrorCode.INDEX_UNAVAILABLE)
        assert fail(ResearchToolError(code, "As it is written", "Do this.")) == "As it is written"


def test_the_page_of_errors_lists_every_code_and_the_texts_of_the_specification() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    section = page.split("\n## The toolset `research`\n")[1].split("\n## ")[0]
    codes = section.split("\n| code | when |\n")[1]
    assert sorted(re.findall(r"`(\w+)`(?=, `| \|)", codes)) == list(ERROR_CODES)
    specification = [
        "No index found for path: {path}. Run 'index_codebase' tool first.",
        "Missing required argument: {name}",
        "Path does not exist or is not a directory: {path}",
        "Query cannot be empty",
    ]
    assert re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)[:4] == specification


# Answers


def draft(rows: int, **more: Any) -> Draft:
    def build(count: int) -> Part:
        results = [{"path": f"file-{place}.py", "line": place} for place in range(count)]
        return Part({"results": results, "truncated": count < rows}, ["a note"])

    return Draft(build, rows, render=lambda result: f"{len(cast(Any, result['results']))} results", **more)


def test_json_is_the_structured_content_byte_for_byte() -> None:
    answer = ask(lambda: draft(2), max_bytes=10_000)
    assert json.loads(answer.text) == answer.structured
    assert answer.text.startswith('{"results":[{"path":"file-0.py","line":0},')
    assert ask(lambda: draft(2), max_bytes=10_000, arguments={"format": "json"}) == answer


def test_other_forms_stand_in_text_and_structured_content_alike() -> None:
    human = ask(lambda: draft(2), max_bytes=10_000, arguments={"format": "human"})
    assert human.text == "2 results\n\nNote: a note"
    assert human.structured == {"format": "human", "text": human.text}
    toon = ask(lambda: draft(2), max_bytes=10_000, arguments={"format": "toon"})
    assert toon.text == (
        "results[2]{path,line}:\n  file-0.py,0\n  file-1.py,1\ntruncated: false\nwarnings[1]: a note"
    )
    assert toon.structured == {"format": "toon", "text": toon.text}


@pytest.mark.parametrize("form", ["json", "human", "toon"])
def test_rows_are_left_out_until_an_answer_fits(form: str) -> None:
    def cut(count: int, most: int) -> int:
        answer = ask(lambda: draft(count), max_bytes=most, arguments={"format": form})
        assert not answer.is_error
        assert len(answer.text.encode()) <= most
        return answer.text.count("file-")

    if form != "human":
        assert 0 < cut(1_000, 5_000) < 400
        assert cut(1_000, 5_000) < cut(1_000, 6_000)
    assert ask(lambda: draft(5), max_bytes=70, arguments={"format": form}).is_error


def test_an_ordinary_answer_stays_short() -> None:
    assert len(ask(lambda: draft(5_000, ordinary=True), max_bytes=200_000).text) <= 19_000
    assert len(ask(lambda: draft(5_000), max_bytes=500_000).text) > 100_000


def test_blocks_follow_the_rows_that_are_left_and_count() -> None:
    def link(result: Result) -> tuple[ResourceLink, ...]:
        rows = cast(Any, result["results"])
        return tuple(ResourceLink(f"repo:///{row['path']}", row["path"], "text/plain") for row in rows)

    answer = ask(lambda: draft(100, find_blocks=link), max_bytes=3_000)
    assert len(answer.blocks) == len(cast(Any, answer.structured["results"])) < 60
    sound = Audio("A" * 2_500, "audio/wav")
    answer = ask(lambda: draft(100, find_blocks=lambda _: (sound,)), max_bytes=3_000)
    assert answer.blocks == (sound,)
    assert len(answer.text) < 500


# The log


def test_every_call_is_written_to_the_log(bare: Served) -> None:
    bare.error("index_codebase", path="/etc")
    bare.error("index_codebase")
    bare.call("index_codebase", path="service")
    entries = list(bare.audit.read(None, 10).entries)
    assert [entry["tool"] for entry in entries] == ["index_codebase"] * 3
    by_code = {entry["error_code"]: entry for entry in entries}
    assert set(by_code) == {None, "path_escape", "invalid_argument"}
    assert by_code["path_escape"]["blocked"]
    assert "/etc" not in json.dumps(entries)


def test_an_answer_that_cannot_be_logged_says_so(bare: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AuditLog, "write", lambda self, call: False)
    assert bare.call("index_codebase", path=".")["warnings"] == ["audit_unavailable"]


def test_a_call_that_never_began_is_logged_as_cancelled(bare: Served) -> None:
    drop = bare.tools["index_codebase"].drop
    assert drop is not None
    drop({"path": "."}, CallContext(lambda: True))
    (entry,) = bare.audit.read(None, 10).entries
    assert (entry["ok"], entry["error_code"]) == (False, "cancelled")
