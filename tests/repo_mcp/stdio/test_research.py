"""Specification 4 over real pipes: indexing and searching code, errors, progress, cancelling, asking."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from index_format import DiskDirectory, verify_index
from tests.forked import PATIENT, START, popen
from tests.growth import HANG_SECONDS
from tests.repo_mcp.stdio.retrieval_client import PATIENCE_SECONDS, build_environment
from tests.repo_mcp.toolsets.research.research_roots import CANARY, TREE
from tests.written_trees import write_tree

TOOLS = ["index_codebase", "search_code", "search_docs", "code_research"]
FIRST_ERA = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "test", "version": "1"}}
SECOND_ERA = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
}
Frame = dict[str, Any]
Model = Callable[[str], str]  # the system prompt in, an answer out


def say(text: str) -> Frame:
    return {"role": "assistant", "model": "m", "content": {"type": "text", "text": text}}


class Client:
    """One server process and what it sends, in order."""

    def __init__(
        self,
        root: Path,
        *options: str,
        model: Model | None = None,
        ask_first: Frame | None = None,
        second_era: bool = False,
        code: str = START,
    ) -> None:
        """`ask_first` is a call that is sent with the handshake, before any answer. `code` starts it all."""
        home = root.parent / "home"
        home.mkdir(exist_ok=True)
        command = [sys.executable, "-c", code, "--repo-root", str(root), "--toolsets", "research", *options]
        pipe = subprocess.PIPE
        self.process = popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=build_environment(home), cwd=home
        )
        self.killer: threading.Timer | None = None
        self.model = model
        self.notices: list[Frame] = []
        self.questions: list[Frame] = []
        self.count = 0
        self.envelope: Frame = {"_meta": SECOND_ERA} if second_era else {}
        if second_era:  # no handshake: each request says what it speaks
            return
        capabilities = {"sampling": {}} if model is not None else {}
        opening = self.send("initialize", {**FIRST_ERA, "capabilities": capabilities})
        self.notify("notifications/initialized")
        early = None if ask_first is None else self.send("tools/call", ask_first)
        self.opened = self.read(opening)["result"]
        self.early = None if early is None else self.read(early)["result"]

    def restart_killer(self) -> None:
        """Kill the server if its next answer hangs. A module shares it, so all of them may take long."""
        if self.killer is not None:
            self.killer.cancel()
        self.killer = threading.Timer(PATIENCE_SECONDS, self.process.kill)
        self.killer.daemon = True
        self.killer.start()

    def write(self, frame: Frame) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | frame).encode() + b"\n")
        self.process.stdin.flush()

    def send(self, method: str, params: Frame) -> int:
        self.count += 1
        self.write({"id": self.count, "method": method, "params": self.envelope | params})
        return self.count

    def notify(self, method: str, **params: object) -> None:
        self.write({"method": method, "params": params})

    def read(self, number: int) -> Frame:
        """Return the answer to a request; questions on the way are answered by the model, notices kept."""
        assert self.process.stdout is not None
        self.restart_killer()
        for line in self.process.stdout:
            frame: Frame = json.loads(line)
            if frame.get("method") == "sampling/createMessage" and self.model is not None:
                self.questions.append(frame["params"])
                self.write({"id": frame["id"], "result": say(self.model(frame["params"]["systemPrompt"]))})
            elif "method" in frame:
                self.notices.append(frame)
            elif frame.get("id") == number:
                return frame
        raise AssertionError("the server ended")

    def ask(self, method: str, **params: object) -> Frame:
        return self.read(self.send(method, params))

    def call(self, tool: str, /, **arguments: object) -> Frame:
        result: Frame = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert not result["isError"], result
        return result

    def found(self, tool: str, /, **arguments: object) -> Frame:
        structured: Frame = self.call(tool, **arguments)["structuredContent"]
        return structured

    def fails(self, tool: str, /, **arguments: object) -> Frame:
        result: Frame = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert result["isError"], result
        return result

    def close(self) -> None:
        try:
            _, errors = self.process.communicate(timeout=PATIENCE_SECONDS)
            assert self.process.returncode == 0, errors
            assert CANARY not in errors.decode()
        finally:
            if self.killer is not None:
                self.killer.cancel()
            self.process.kill()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "service", TREE)


@pytest.fixture
def client(root: Path) -> Iterator[Client]:
    client = Client(root)
    yield client
    client.close()


def error(text: str) -> list[Frame]:
    return [{"type": "text", "text": text}]


# The server and its tools


def test_the_server_speaks_the_version_of_the_specification_and_offers_tasks(client: Client) -> None:
    assert client.opened["protocolVersion"] == "2025-11-25"
    assert client.opened["capabilities"]["tools"] is not None
    assert client.opened["capabilities"]["tasks"]["requests"] == {"tools": {"call": {}}}


def test_the_tools_are_listed_in_their_order_with_all_that_describes_them(client: Client) -> None:
    listed = client.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == TOOLS
    for tool in listed:
        assert tool["title"]
        assert tool["outputSchema"]["type"] == "object"
        assert tool["annotations"]["destructiveHint"] is False
        assert tool["annotations"]["readOnlyHint"] is (tool["name"] != "index_codebase")
        assert tool["icons"][0]["src"].startswith("data:image/svg+xml;base64,")
    assert client.ask("tools/list")["result"]["tools"] == listed
    schema = {tool["name"]: tool["inputSchema"] for tool in listed}
    assert schema["index_codebase"]["required"] == ["path"]
    assert {"path", "force"} <= schema["index_codebase"]["properties"].keys()
    assert schema["search_code"]["required"] == ["query"]
    of_search = schema["search_code"]["properties"]
    assert of_search.keys() == {
        "query", "path", "limit", "semantic_weight", "extensions", "path_filter", "format", "expand_query",
        "synthesize", "cursor",
    }  # fmt: skip
    assert (of_search["path"]["default"], of_search["limit"]["default"]) == (".", 20)
    assert of_search["semantic_weight"]["default"] == 0
    assert sorted(of_search["format"]["enum"]) == ["human", "json", "toon"]
    assert of_search["expand_query"]["default"] is of_search["synthesize"]["default"] is False


# Indexing


def test_a_project_is_indexed_then_changed_then_indexed_anew(client: Client, root: Path) -> None:
    found = client.found("index_codebase", path=str(root))
    assert (found["files"], found["errors"]) == (9, 0)
    assert found["chunks"] > 5
    assert found["symbols"] > 10
    (root / "service/late.py").write_text("def late() -> None: ...\n")
    found = client.found("index_codebase", path=".")
    assert (found["files"], found["unchanged"]) in (
        (10, 9),
        (10, 10),
    )  # the watcher may have been there first
    found = client.found("index_codebase", path=".", force=True)
    assert (found["updated"], found["unchanged"], found["parsed"]["now"]) == (10, 0, 7)


def test_indexing_tells_how_many_files_of_how_many_are_done(root: Path) -> None:
    client = Client(root, "--no-watch")
    params = {
        "name": "index_codebase",
        "arguments": {"path": ".", "force": True},
        "_meta": {"progressToken": "p"},
    }
    assert not client.read(client.send("tools/call", params))["result"]["isError"]
    reported = [one["params"] for one in client.notices if one["method"] == "notifications/progress"]
    assert reported
    assert all(one["progressToken"] == "p" for one in reported)
    done = [one["progress"] for one in reported]
    assert done == sorted(set(done))
    assert done[-1] <= reported[-1]["total"] == 100
    assert all(" of " in one["message"] and one["message"].endswith(" files") for one in reported)
    client.close()


def test_indexing_can_be_cancelled_and_the_index_stays_whole(tmp_path: Path) -> None:
    files = {
        f"pkg{number % 20}/m{number}.py": f"def run_{number}():\n    return {number}\n" * 40
        for number in range(400)
    }
    root = write_tree(tmp_path / "many", files)
    client = Client(root, "--no-watch", "--data-dir", str(tmp_path / "data"))
    number = client.send("tools/call", {"name": "index_codebase", "arguments": {"path": ".", "force": True}})
    time.sleep(0.2)
    client.notify("notifications/cancelled", requestId=number)
    started = time.monotonic()
    client.ask("ping")
    assert time.monotonic() - started < HANG_SECONDS
    client.close()
    for directory in [*(tmp_path / "data").glob("index-*"), *(tmp_path / "data").glob("structure-*")]:
        assert verify_index(DiskDirectory(str(directory))) in ([], ["manifest: missing"])
    client = Client(root, "--no-watch", "--data-dir", str(tmp_path / "data"))
    assert client.found("index_codebase", path=".")["files"] == 400
    client.close()


def test_indexing_as_a_task_gives_an_id_at_once_and_the_result_later(client: Client) -> None:
    params = {"name": "index_codebase", "arguments": {"path": "."}, "task": {"ttl": 60_000}}
    task = client.read(client.send("tools/call", params))["result"]["task"]
    assert task["status"] in ("working", "completed")
    assert task["taskId"] in [one["taskId"] for one in client.ask("tasks/list")["result"]["tasks"]]
    result = client.ask("tasks/result", taskId=task["taskId"])["result"]
    assert result["structuredContent"]["files"] == 9
    assert client.ask("tasks/get", taskId=task["taskId"])["result"]["status"] == "completed"


def test_a_task_can_be_cancelled(tmp_path: Path) -> None:
    files = {f"m{number}.py": f"def run_{number}():\n    return {number}\n" * 40 for number in range(1_500)}
    client = Client(write_tree(tmp_path / "many", files), "--no-watch")
    params = {"name": "index_codebase", "arguments": {"path": ".", "force": True}, "task": {}}
    task = client.read(client.send("tools/call", params))["result"]["task"]
    cancelled = client.ask("tasks/cancel", taskId=task["taskId"])["result"]
    assert cancelled["status"] == "cancelled"
    assert client.ask("tasks/get", taskId=task["taskId"])["result"]["status"] == "cancelled"
    client.close()


# Searching


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    root = write_tree(tmp_path_factory.mktemp("ready") / "service", TREE)
    client = Client(root, "--no-watch")
    client.call("index_codebase", path=".")
    yield client
    client.close()


def test_a_search_gives_chunks_with_every_field(ready: Client) -> None:
    result = ready.call("search_code", query="authentication")
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    rows = result["structuredContent"]["results"]
    assert rows[0]["path"] == "service/auth.py"
    for row in rows:
        assert {
            "content",
            "path",
            "start_line",
            "end_line",
            "relevance_percent",
            "kind",
            "symbols",
        } <= row.keys()
    row = ready.found("search_code", query="hash password digest")["results"][0]
    assert row["content"].startswith("def hash_password(password: str) -> str:\n")
    row = ready.found("search_code", query="authenticate: check a password of a user")["results"][0]
    assert row["breadcrumb"] == "Authenticator > authenticate"


def test_a_search_keeps_to_its_limit_and_its_filters(ready: Client) -> None:
    assert len(ready.found("search_code", query="session password", limit=2)["results"]) == 2
    rows = ready.found("search_code", query="password session", path_filter="service/**")["results"]
    assert {row["path"].split("/")[0] for row in rows} == {"service"}
    rows = ready.found("search_code", query="password", extensions="ts")["results"]
    assert {row["path"] for row in rows} == {"web/login.ts"}


def test_a_search_comes_in_the_form_that_was_asked_for(ready: Client) -> None:
    for form in ("human", "toon"):
        result = ready.call("search_code", query="password", format=form)
        assert result["structuredContent"] == {"format": form, "text": result["content"][0]["text"]}
    assert result["content"][0]["text"].startswith("results[")


def test_a_search_is_widened_and_summed_up_without_a_model(ready: Client) -> None:
    found = ready.found("search_code", query="password of a user", expand_query=True, synthesize=True)
    assert found["expansion"]["by"] == found["summary"]["by"] == "index"
    assert found["summary"]["citations"]
    assert found["summary"]["follow_ups"]
    assert sum("without a model" in one or "no model" in one for one in found["warnings"]) == 2


def answer_as_a_model(system: str) -> str:
    return "digest\nopen_session" if "widen" in system else "Passwords are hashed [1]."


def test_the_clients_model_widens_and_sums_up_in_the_first_era(root: Path) -> None:
    client = Client(root, model=answer_as_a_model)
    client.call("index_codebase", path=".")
    found = client.found("search_code", query="password of a user", expand_query=True, synthesize=True)
    assert [one["word"] for one in found["expansion"]["terms"]] == ["digest", "open_session"]
    assert found["expansion"]["by"] == found["summary"]["by"] == "client"
    first = found["results"][0]
    assert found["summary"]["text"] == f"Passwords are hashed ({first['path']}:{first['start_line']})."
    assert len(client.questions) == 2
    assert CANARY not in json.dumps(client.questions)
    client.close()


def test_the_clients_model_widens_and_sums_up_in_the_second_era(root: Path) -> None:
    """Each question is a result; the call is made again with its answer, until it is through."""
    client = Client(root, second_era=True)
    client.call("index_codebase", path=".")
    params: Frame = {
        "name": "search_code",
        "arguments": {"query": "password of a user", "expand_query": True, "synthesize": True},
    }
    asked: list[str] = []
    result = client.read(client.send("tools/call", params))["result"]
    while result["resultType"] == "input_required":
        ((key, request),) = result["inputRequests"].items()
        asked.append(key)
        answer = say(answer_as_a_model(request["params"]["systemPrompt"]))
        again = params | {"inputResponses": {key: answer}, "requestState": result["requestState"]}
        result = client.read(client.send("tools/call", again))["result"]
    assert asked == ["expansion", "summary"]
    found = result["structuredContent"]
    assert found["expansion"]["by"] == found["summary"]["by"] == "client"
    client.close()
    log = (root / ".repo_mcp" / "audit.jsonl").read_text().splitlines()
    rounds = [line for line in map(json.loads, log) if line["tool"] == "search_code"]
    assert [line["counts"].get("questions", 0) for line in rounds] == [1, 1, 0]
    assert all(line["ok"] and line["error_code"] is None for line in rounds)
    assert len({line["request_id"] for line in rounds}) == 3
    assert [bool(line["counts"]["rows"]) for line in rounds] == [False, False, True]


# Errors


def test_a_first_search_waits_for_the_index_that_is_being_built(root: Path) -> None:
    """It comes before the server has begun to index by itself, and may end before all files are parsed."""
    first = {"name": "search_code", "arguments": {"query": "password", "path": str(root)}}
    client = Client(root, ask_first=first, code=PATIENT)
    assert client.early is not None
    assert not client.early.get("isError")
    found = client.found("search_code", query="password")["results"]
    early = client.early["structuredContent"]["results"]
    assert [(row["path"], row["start_line"]) for row in early] == [
        (row["path"], row["start_line"]) for row in found
    ]
    assert found
    client.close()


def test_errors_are_results_in_the_words_of_the_specification(ready: Client) -> None:
    gone = "/nowhere/at/all"
    assert ready.fails("search_code", query="x", path="nowhere")["content"] == error(
        "Path does not exist or is not a directory: nowhere"
    )
    assert ready.fails("index_codebase", path="README.md")["content"] == error(
        "Path does not exist or is not a directory: README.md"
    )
    assert ready.fails("search_code")["content"] == error("Missing required argument: query")
    assert ready.fails("index_codebase")["content"] == error("Missing required argument: path")
    assert ready.fails("search_code", query="  ")["content"] == error("Query cannot be empty")
    said = ready.fails("search_code", query="x", path=gone)["content"][0]["text"]
    assert said.startswith(f"Path is outside the served repository: {gone}.")
    for tool in TOOLS[1:]:
        assert ready.fails(tool)["content"] == error("Missing required argument: query")
        assert ready.fails(tool, query="")["content"] == error("Query cannot be empty")


def test_the_hint_of_an_error_in_the_words_of_the_specification_stands_beside_it(ready: Client) -> None:
    whole = "Give '.' for the whole repository, or a folder in it."
    hints = {
        "nowhere": whole,
        "README.md": f"This is a file. {whole}",
    }
    for path, hint in hints.items():
        error = ready.fails("search_code", query="x", path=path)["structuredContent"]["error"]
        assert error == {
            "code": "not_found" if hint == whole else "not_a_directory",
            "message": f"Path does not exist or is not a directory: {path}",
            "hint": hint,
        }
    asked = "Give query as a question, or as names or words to look for."
    for arguments in ({}, {"query": " "}):
        assert ready.fails("search_docs", **arguments)["structuredContent"]["error"]["hint"] == asked
    assert ready.fails("index_codebase")["structuredContent"]["error"]["hint"] == whole


def test_errors_fit_the_schemas_too(ready: Client) -> None:
    listed = {tool["name"]: tool for tool in ready.ask("tools/list")["result"]["tools"]}
    for tool in TOOLS:
        result = ready.fails(tool)
        jsonschema.validate(result["structuredContent"], listed[tool]["outputSchema"])


def test_nothing_secret_and_nothing_of_this_machine_is_said(ready: Client) -> None:
    for query in ("SECRET", CANARY, ".env"):
        text = json.dumps(ready.call("search_code", query=query, synthesize=True, expand_query=True))
        assert CANARY not in text.replace(json.dumps(query)[1:-1], "")
        assert os.path.expanduser("~") not in text
