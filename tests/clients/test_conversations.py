"""Whole conversations with real clients: what their models are offered, and what they see of answers.

Each client plays one script once. The tests look at what was written down of it, at both ends: what went over
the wire, and what the model was asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from repo_mcp.protocol.instructions import REPO
from tests.clients.drivers import DRIVERS, Driver, Played
from tests.clients.script import LAST_WORD, Call, Script, Step
from tests.clients.stage import SECRET, Stage

pytestmark = pytest.mark.clients

LINES = "".join(f'value_{number:04} = "{"x" * 60}"  # line\n' for number in range(3_000))
SCRIPT = Script(
    Step(Call("repo.search", {"query": "balance of an account"})),
    Step(Call("repo.open_file", {"path": ".env"})),
    Step(
        Call("repo.open_file", {"path": "no/such/file.py"}),
        Call("repo.search", {"query": "(", "mode": "regex"}),
    ),
    Step(Call("repo.open_file", {"path": "src/long.py"})),
    Step(Call("repo.open_file", {"path": "src/long.py", "start_line": 1, "end_line": 2_000})),
    Step(Call("repo.refresh_index")),
)
TOOLS = (
    "repo.status",
    "repo.list_files",
    "repo.open_file",
    "repo.outline",
    "repo.search",
    "repo.refresh_index",
    "repo.build_context_bundle",
    "repo.audit_log",
)
AT_ONCE = {"repo.open_file", "repo.search"}


@dataclass(frozen=True, slots=True)
class Shown:
    """One client's conversation by `SCRIPT`."""

    driver: Driver
    stage: Stage
    played: Played
    left: list[tuple[int, str]]  # what still ran when the client had left

    def compare(self, call: str, tool: str, place: int = 0) -> dict[str, Any]:
        """Return an answer, which the model must have seen as it was sent, byte for byte."""
        sent = self.stage.find_answer(tool, place)
        text = sent["content"][0]["text"]
        assert self.driver.unwrap(self.played.seen[call]) == text
        answer = json.loads(text)
        assert answer == sent["structuredContent"]
        assert isinstance(answer, dict)
        return answer


@pytest.fixture(scope="module", params=DRIVERS.values(), ids=DRIVERS)
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    driver: Driver = request.param
    stage = Stage(tmp_path_factory.mktemp("stage"))
    stage.add_file("src/long.py", LINES)
    stage.set_up(*driver.setup)
    stage.index()
    played = driver.play(stage, SCRIPT)
    return Shown(driver, stage, played, stage.wait_until_alone())


def test_the_conversation_comes_to_its_end(shown: Shown) -> None:
    assert LAST_WORD in shown.played.said
    # in any order: some clients make the calls of one step at the same time
    assert set(shown.played.seen) == {f"call_{number}" for number in range(7)}


def test_the_server_is_known_to_the_first_request(shown: Shown) -> None:
    """Its tools are offered, or a client that has them searched for says its name and first words.

    Claude Code also says their names then, and offers those that ask for it.
    """
    first = shown.played.requests[0]
    offered = {tool for tool in TOOLS if first.find(tool) is not None}
    is_asked = shown.driver.names_first
    assert offered == ((AT_ONCE if is_asked else set()) if shown.driver.words_first else set(TOOLS))
    if shown.driver.words_first:
        words = f"{shown.driver.head_first}{REPO[: shown.driver.words_first]}"
        assert json.dumps(words)[1:-1] in json.dumps(first.body)
    if is_asked:
        names = [shown.driver.rename(tool)[1] for tool in TOOLS]
        assert all(name in json.dumps(first.body) for name in names)


def test_names_as_the_model_says_them(shown: Shown) -> None:
    found = [shown.played.requests[-1].find(tool) for tool in TOOLS]
    said = [(tool.namespace, tool.name) for tool in found if tool is not None]
    assert said == [shown.driver.rename(tool) for tool in TOOLS]


def test_every_argument_reaches_the_model_with_its_description(shown: Shown) -> None:
    sent = {
        tool["name"]: tool
        for frame in shown.stage.iter_answers()
        for tool in frame.get("tools", [])
        if tool["name"] in TOOLS
    }
    assert tuple(sent) == TOOLS
    for name, tool in sent.items():
        offered = shown.played.requests[-1].find(name)
        assert offered is not None
        assert tool["description"] in offered.description
        for argument, schema in tool["inputSchema"]["properties"].items():
            if offered.schema:
                # Copilot puts limits behind the words
                seen = offered.schema["properties"][argument].get("description", "")
                assert seen.startswith(schema.get("description", ""))  # a name may say it all
                assert set(offered.schema.get("required", ())) == set(tool["inputSchema"].get("required", ()))
            else:  # in code mode the description holds what the schema says, as a type
                said = f"// {schema['description']}\n" if "description" in schema else ""
                assert f"{said}  {argument}" in offered.description


def test_a_search_is_seen_as_it_was_sent(shown: Shown) -> None:
    answer = shown.compare("call_0", "repo.search")
    assert answer["ok"]
    assert answer["result"]["hits"][0]["path"] == "src/ledger/accounts.py"


def test_a_denied_file_is_refused_and_the_reason_is_seen(shown: Shown) -> None:
    answer = shown.compare("call_1", "repo.open_file")
    assert (answer["ok"], answer["blocked"], answer["result"]) == (False, True, None)
    assert answer["error"]["code"] == "path_denied"
    for body in (json.dumps(request.body) for request in shown.played.requests):
        assert SECRET not in body


def test_errors_are_seen_as_they_were_sent(shown: Shown) -> None:
    answer = shown.compare("call_2", "repo.open_file", 1)
    assert answer["error"]["code"] == "not_found"
    assert shown.stage.find_answer("repo.open_file", 1)["isError"]
    answer = shown.compare("call_3", "repo.search", 1)
    assert answer["error"]["code"] == "invalid_argument"


def test_an_answer_of_ordinary_length_is_not_cut(shown: Shown) -> None:
    if shown.driver.whole_chars < 19_000:
        pytest.skip(
            f"models that this client does not know see {shown.driver.whole_chars:,} bytes of any answer"
        )
    answer = shown.compare("call_4", "repo.open_file", 2)
    assert answer["ok"]
    assert 15_000 < len(answer["result"]["content"]) < 19_000


def test_what_is_asked_for_beyond_that_is_cut_and_the_model_is_told(shown: Shown) -> None:
    sent = shown.stage.find_answer("repo.open_file", 3)
    text = sent["content"][0]["text"]
    assert 60_000 < len(text) <= 65_536
    seen = shown.played.seen["call_5"]
    assert len(seen) < len(text)
    assert any(word in seen for word in ("truncated", "Output too large"))


def test_the_index_lies_in_the_repository(shown: Shown) -> None:
    answer = shown.compare("call_6", "repo.refresh_index")
    assert answer["ok"]
    assert (shown.stage.tree / ".repo_mcp" / "CACHEDIR.TAG").is_file()
    assert not list(shown.stage.home.glob("**/CACHEDIR.TAG"))


def test_nothing_runs_on_when_the_client_has_left(shown: Shown) -> None:
    assert shown.left == []
    started = [frame for frame in shown.stage.read_frames() if frame.what == "started"]
    assert len(started) == 1
