"""Around a conversation with a real client: where the index lies, other toolsets, giving up, and the end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.clients.drivers import DRIVERS, Driver
from tests.clients.model_backend import ModelBackend
from tests.clients.script import Answer, Call, Request, Script, Step
from tests.clients.stage import Stage

pytestmark = pytest.mark.clients

# one of each program: what the model is offered plays no part here
PROGRAMS = {driver.program: name for name, driver in reversed(DRIVERS.items())}
one_of_each = pytest.mark.parametrize("driver", [DRIVERS[name] for name in PROGRAMS.values()], ids=PROGRAMS)
GIVE_UP = {
    "codex": ("args = ", "tool_timeout_sec = 2\nargs = ", {}),
    "claude": ("", "", {"MCP_TOOL_TIMEOUT": "2000"}),
    "copilot": ('"args"', '"timeout": 2000, "args"', {}),
    "gemini": ('"args"', '"timeout": 2000, "args"', {}),
}


class Silence(Script):
    """A model that never answers, until it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = threading.Event()
        self.go_on = threading.Event()

    def answer(self, request: Request) -> Answer:
        self.asked.set()
        self.go_on.wait(60)
        return super().answer(request)


@one_of_each
def test_the_index_lies_where_the_entry_says(driver: Driver, tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.set_up(*driver.setup)
    place = tmp_path / "elsewhere"
    place.mkdir()
    stage.change_setup(driver.file, '"--repo-root"', f'"--data-dir", "{place}", "--repo-root"')
    played = driver.play(stage, Script(Step(Call("repo.refresh_index")), Step(Call("repo.status"))))
    assert json.loads(driver.unwrap(played.seen["call_1"]))["result"]["state"] == "ready"
    assert len(list(place.glob("*/CACHEDIR.TAG"))) == 1  # one directory for each root
    assert not (stage.tree / ".repo_mcp").exists()


@one_of_each
def test_one_setup_serves_whichever_repository_the_client_is_opened_in(
    driver: Driver, tmp_path: Path
) -> None:
    stage = Stage(tmp_path)
    stage.set_up(*driver.setup)
    shutil.copytree(stage.tree, tmp_path / "second")  # with the project's file, as if that was committed
    for tree in (stage.tree, tmp_path / "second"):
        stage.tree = tree
        played = driver.play(stage, Script(Step(Call("repo.status"))))
        status = json.loads(driver.unwrap(played.seen["call_0"]))["result"]
        assert status["repo_root"] == str(tree)
        assert (tree / ".repo_mcp").is_dir()


@pytest.mark.parametrize("driver", DRIVERS.values(), ids=DRIVERS)
def test_symbols_and_research(driver: Driver, tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.set_up(*driver.setup, "--toolsets", "graph,research")
    played = driver.play(
        stage,
        Script(
            Step(Call("index_codebase", {"path": "."})),
            Step(Call("search_symbols", {"query": "Account"})),
            Step(Call("code_research", {"query": "how is the balance of an account computed"})),
        ),
    )
    for call, tool in enumerate(("index_codebase", "search_symbols", "code_research")):
        sent = stage.find_answer(tool)
        assert driver.unwrap(played.seen[f"call_{call}"]) == sent["content"][0]["text"]
        assert not sent["isError"], sent
    assert "Account" in played.seen["call_1"]
    assert "accounts.py" in played.seen["call_2"]
    assert stage.wait_until_alone() == []


@one_of_each
def test_a_client_that_gives_up_on_a_call_goes_on_with_the_next(driver: Driver, tmp_path: Path) -> None:
    stage = Stage(tmp_path, hold="repo.outline")
    stage.set_up(*driver.setup)
    stage.index()
    before, after, variables = GIVE_UP[driver.program]
    if before:
        stage.change_setup(driver.file, before, after)
    path = {"path": "src/ledger/accounts.py"}
    script = Script(Step(Call("repo.outline", path)), Step(Call("repo.open_file", path)))
    played = driver.play(stage, script, **variables)
    assert "timed out" in played.seen["call_0"]
    assert driver.unwrap(played.seen["call_1"]) == stage.find_answer("repo.open_file")["content"][0]["text"]
    sent = [frame.message for frame in stage.read_frames() if frame.what == "client"]
    (asked,) = [message["id"] for message in sent if message.get("params", {}).get("name") == "repo.outline"]
    given_up = [message for message in sent if message.get("method") == "notifications/cancelled"]
    assert [message["params"]["requestId"] for message in given_up] == [asked]
    assert stage.wait_until_alone() == []


@one_of_each
def test_nothing_is_left_of_a_client_that_ends(driver: Driver, tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.set_up(*driver.setup, recorded=False)
    played = driver.play(stage, Script(Step(Call("repo.status"))))
    assert json.loads(driver.unwrap(played.seen["call_0"]))["ok"]
    assert stage.wait_until_alone() == []


@one_of_each
def test_nothing_is_left_of_a_client_that_is_killed(driver: Driver, tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.set_up(*driver.setup, recorded=False)
    script = Silence()
    with ModelBackend(driver.dialect(), script) as backend, driver.start(stage, backend) as client:
        try:
            assert script.asked.wait(60)
            deadline = time.monotonic() + 60
            while not any("repo-mcp-server" in words for _, words in stage.iter_processes()):
                assert time.monotonic() < deadline, "the server was not started"
                time.sleep(0.02)
        finally:
            os.killpg(client.pid, signal.SIGKILL)
            client.communicate()
            script.go_on.set()
    assert stage.wait_until_alone() == []
