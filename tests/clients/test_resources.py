"""Resources as real clients use them: listed and read by the model's own tools, or behind `@`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clients.drivers import DRIVERS
from tests.clients.script import Call, Script, Step
from tests.clients.stage import SECRET, Stage
from tests.clients.test_endings import PROGRAMS

pytestmark = pytest.mark.clients

GUIDE, DENIED = "repo:///docs/format.md", "repo:///.env"
# The model's own tools that list and read, and what the second takes beside a URI.
_USUAL = ("list_mcp_resources", "read_mcp_resource")
THROUGH = {
    "codex": (*_USUAL, {"server": "repo"}),
    "claude": ("ListMcpResourcesTool", "ReadMcpResourceTool", {"server": "repo"}),
    "gemini": (*_USUAL, {}),
}
FETCH_THE_LIST = ("claude", "gemini")  # at their start


def _list_requests(stage: Stage) -> list[str]:
    sent = [frame.message for frame in stage.read_frames() if frame.what == "client"]
    return [method for method in (message.get("method", "") for message in sent) if "resources/" in method]


@pytest.mark.parametrize("program", THROUGH)
def test_the_model_lists_and_reads_resources(program: str, tmp_path: Path) -> None:
    driver = DRIVERS[PROGRAMS[program]]
    lists, reads, more = THROUGH[program]
    stage = Stage(tmp_path)
    stage.set_up(*driver.setup)
    script = Script(
        Step(Call("repo.status")),  # by its answer the repository is open
        Step(Call(lists)),
        Step(Call(reads, {**more, "uri": GUIDE})),
        Step(Call(reads, {**more, "uri": DENIED})),
    )
    played = driver.play(stage, script)
    assert GUIDE in played.seen["call_1"]
    text = (stage.tree / "docs" / "format.md").read_text(encoding="utf-8")
    assert text.strip() in played.seen["call_2"] or json.dumps(text) in played.seen["call_2"]
    refused = played.seen["call_3"]
    assert "is denied by the rule .env" in refused or "Resource not found" in refused  # Gemini knows the list
    assert SECRET not in json.dumps([request.body for request in played.requests])
    assert _list_requests(stage).count("resources/read") == (1 if program == "gemini" else 2)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_list_that_a_client_fetches_at_its_start_keeps_no_tool_waiting(
    program: str, tmp_path: Path
) -> None:
    driver = DRIVERS[PROGRAMS[program]]
    stage = Stage(tmp_path)
    stage.set_up(*driver.setup)
    # Gemini fetches the list again when it is told that there are files: by the third call it has done so.
    later = (Step(Call("repo.search", {"query": "format"})), Step(Call("repo.list_files")))
    played = driver.play(stage, Script(Step(Call("repo.status")), *later * (program == "gemini")))
    assert json.loads(driver.unwrap(played.seen["call_0"]))["ok"]
    assert set(_list_requests(stage)) == ({"resources/list"} if program in FETCH_THE_LIST else set())
    listed = [result["resources"] for result in stage.iter_answers() if "resources" in result]
    assert bool(listed) == (program in FETCH_THE_LIST)
    if program == "gemini":
        assert [one["name"] for one in listed[-1]] == ["README.md", "docs/format.md", "assets/logo.png"]
