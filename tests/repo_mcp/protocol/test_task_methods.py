"""Tasks over real pipes, in both eras: every request is answered once, whatever comes in whatever order."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

import mcp_types
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repo_mcp.protocol import task_methods, wire
from repo_mcp.protocol.task_methods import PAGE_TASKS
from repo_mcp.protocol.tasks import MAX_UNFINISHED, MAX_WAITERS
from repo_mcp.protocol.tool_model import CallContext, Progress, Question, Tool, ToolAnswer
from repo_mcp.protocol.wire import StopReason
from tests.deep.sizes import examples
from tests.growth import HANG_SECONDS
from tests.no_threads import no_threads
from tests.repo_mcp.pipe_client import CLIENT, ENVELOPE, PipeClient, build_answer, build_tool

PATIENCE_SECONDS = 60.0  # a test that needs it has failed
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
EXTENSION = "io.modelcontextprotocol/tasks"
RELATED = "io.modelcontextprotocol/related-task"
SAMPLED = {"role": "assistant", "content": {"type": "text", "text": "other words"}, "model": "m"}
QUESTION = Question("expansion", "be brief", "words like x?", 100)


def _envelope(**capabilities: Any) -> dict[str, Any]:
    return {"_meta": ENVELOPE | {CAPABILITIES: {"extensions": {EXTENSION: {}}} | capabilities}}


def _opening(version: str = "2025-11-25", **capabilities: Any) -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": CLIENT}
    return {"id": "open", "method": "initialize", "params": params}


class Slow:
    """A tool that works until its gate opens or it is stopped, and what became of its calls."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.story: list[str] = []
        self.changed = threading.Condition()

    def note(self, what: str) -> None:
        with self.changed:
            self.story.append(what)
            self.changed.notify_all()

    def wait_for(self, *story: str) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.story) >= len(story), PATIENCE_SECONDS)
            assert self.story == list(story)

    def call(self, arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        self.note("begun")
        while not self.gate.wait(0.002) and not context.cancelled():
            pass
        self.note("stopped" if context.cancelled() else "done")
        return build_answer({"arguments": dict(arguments)}, is_error="fail" in arguments)

    def drop(self, arguments: Mapping[str, object], context: CallContext) -> None:
        self.note("dropped")

    def build(self) -> Tool:
        return build_tool("slow", self.call, self.drop, may_be_task=True)


@pytest.fixture
def slow() -> Iterator[Slow]:
    tool = Slow()
    yield tool
    tool.gate.set()


class Talker(PipeClient):
    """A client of one era that tells answers from notifications."""

    def __init__(self, *tools: Tool, modern: bool = False, opening: Any = None, **more: Any) -> None:
        super().__init__(*tools, offers_tasks=True, **more)
        self.modern = modern
        self.capabilities: dict[str, Any] = {}
        self.received: list[dict[str, Any]] = []  # notifications and requests, in order
        self.number = 0
        if not modern:
            self.ask(opening or _opening())

    def request(self, method: str, **params: Any) -> int:
        self.number += 1
        if self.modern:
            params = _envelope(**self.capabilities) | params
        self.send({"id": self.number, "method": method, "params": params})
        return self.number

    def read_answer(self) -> dict[str, Any]:
        while "method" in (frame := self.read()):
            self.received.append(frame)
        return frame

    def do(self, method: str, **params: Any) -> dict[str, Any]:
        number = self.request(method, **params)
        answer = self.read_answer()
        assert answer["id"] == number
        return answer

    def begin(self, name: str = "slow", **more: Any) -> str:
        if not self.modern:
            more = {"task": {}} | more
        result = self.do("tools/call", name=name, **more)["result"]
        task = result if self.modern else result["task"]
        assert task["status"] == "working"
        return str(task["taskId"])

    def wait_until(self, task_id: str, status: str) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            result = self.do("tasks/get", taskId=task_id)["result"]
            if result["status"] == status:
                return dict(result)
            time.sleep(0.005)
        raise AssertionError(f"never {status}: {result}")

    def statuses(self) -> list[str]:
        return [
            one["params"]["status"] for one in self.received if one["method"] == "notifications/tasks/status"
        ]


def test_a_task_of_the_first_era(slow: Slow) -> None:
    client = Talker(slow.build())
    created = client.do("tools/call", name="slow", arguments={"a": 1}, task={"ttl": 60_000})["result"]
    task = mcp_types.CreateTaskResult.model_validate(created).task
    assert (task.status, task.ttl, task.poll_interval) == ("working", 60_000, 100)
    assert task.created_at.endswith("Z")
    waiting = client.request("tasks/result", taskId=task.task_id)
    assert mcp_types.GetTaskResult.model_validate(client.do("tasks/get", taskId=task.task_id)["result"])
    slow.gate.set()
    answer = client.read_answer()
    assert answer["id"] == waiting
    assert answer["result"] == {
        "content": [{"text": '{"arguments":{"a":1}}', "type": "text"}],
        "isError": False,
        "structuredContent": {"arguments": {"a": 1}},
        "_meta": {RELATED: {"taskId": task.task_id}},
    }
    assert client.do("tasks/result", taskId=task.task_id)["result"] == answer["result"]
    ended = client.do("tasks/get", taskId=task.task_id)["result"]
    assert (ended["status"], ended["createdAt"]) == ("completed", task.created_at)
    assert client.do("tasks/list")["result"] == {"tasks": [ended]}
    assert client.statuses() == ["completed"]
    assert mcp_types.TaskStatusNotification.model_validate(client.received[0])
    client.close()


def test_a_task_of_the_second_era(slow: Slow) -> None:
    client = Talker(slow.build(), modern=True)
    created = client.do("tools/call", name="slow", arguments={"a": 1})["result"]
    assert (created["resultType"], created["status"], created["pollIntervalMs"]) == ("task", "working", 100)
    assert created["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "repo-mcp"
    task_id = created["taskId"]
    working = client.do("tasks/get", taskId=task_id)["result"]
    assert (working["resultType"], working["status"], "result" in working) == ("complete", "working", False)
    slow.gate.set()
    ended = client.wait_until(task_id, "completed")
    assert ended["result"] == {
        "content": [{"text": '{"arguments":{"a":1}}', "type": "text"}],
        "isError": False,
        "resultType": "complete",
        "structuredContent": {"arguments": {"a": 1}},
    }
    assert client.do("tasks/get", taskId=task_id)["result"] == ended
    assert client.do("tasks/cancel", taskId=task_id)["result"].keys() == {"resultType", "_meta"}
    for method in ("tasks/list", "tasks/result", "tasks/other"):
        assert client.do(method, taskId=task_id)["error"]["code"] == -32601
    assert client.received == []  # nothing is sent about tasks without a subscription
    client.close()


@pytest.mark.parametrize("modern", [False, True])
def test_a_tool_that_answers_with_an_error_has_failed_in_the_first_era_only(slow: Slow, modern: bool) -> None:
    slow.gate.set()
    client = Talker(slow.build(), modern=modern)
    task_id = client.begin(arguments={"fail": 1})
    ended = client.wait_until(task_id, "completed" if modern else "failed")
    assert ended["statusMessage"]
    result = ended["result"] if modern else client.do("tasks/result", taskId=task_id)["result"]
    assert result["isError"]
    client.close()


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize(
    "given", [None, ToolAnswer({}, '{"a":"\ud800"}', False), ToolAnswer({"a": object()}, "", False)]
)
def test_a_tool_that_breaks_is_a_task_that_fails(modern: bool, given: ToolAnswer | None) -> None:
    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        if given is None:
            raise ValueError("the contents of a file")
        return given

    client = Talker(build_tool("broken", call, may_be_task=True), modern=modern, slots=1)
    for _ in range(2):  # it keeps no place
        task_id = client.begin("broken")
        failed = client.wait_until(task_id, "failed")
        assert failed["statusMessage"] == "internal error"
        error = {"code": -32603, "message": "internal error"}
        assert error == (failed["error"] if modern else client.do("tasks/result", taskId=task_id)["error"])
    client.close()


@pytest.mark.parametrize("modern", [False, True])
def test_cancelling_stops_the_work_and_answers_who_waits(
    slow: Slow, modern: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_methods, "RUNNING_TASKS", 1)
    client = Talker(slow.build(), modern=modern)
    running, queued = client.begin(), client.begin()
    slow.wait_for("begun")
    waiting = None if modern else client.request("tasks/result", taskId=queued)
    cancelling = client.request("tasks/cancel", taskId=queued)
    answers = {answer["id"]: answer for answer in (client.read_answer() for _ in range(1 if modern else 2))}
    if not modern:
        assert answers[cancelling]["result"]["status"] == "cancelled"
        assert answers[waiting]["error"] == {
            "code": -32602,
            "message": "Failed to retrieve result: Task was cancelled",
        }
    slow.wait_for("begun", "dropped")
    assert "error" not in client.do("tasks/cancel", taskId=running)
    slow.wait_for("begun", "dropped", "stopped")
    for task_id in (running, queued):
        assert client.do("tasks/get", taskId=task_id)["result"]["status"] == "cancelled"
        again = client.do("tasks/cancel", taskId=task_id)
        if modern:
            assert "result" in again
        else:
            assert again["error"]["code"] == -32602
            assert "already in terminal status 'cancelled'" in again["error"]["message"]
    assert client.statuses() == ([] if modern else ["cancelled", "cancelled"])
    client.close()


BAD_FIRST: list[tuple[str, dict[str, Any], int]] = [
    ("tasks/get", {}, -32602),
    ("tasks/get", {"taskId": 5}, -32602),
    ("tasks/get", {"taskId": "\u202e" * 3}, -32602),
    ("tasks/get", {"taskId": "0" * 32}, -32602),
    ("tasks/result", {"taskId": "x"}, -32602),
    ("tasks/cancel", {"taskId": "x"}, -32602),
    ("tasks/list", {"cursor": "x"}, -32602),
    ("tasks/list", {"cursor": 5}, -32602),
    ("tasks/list", {"cursor": "1" * 40}, -32602),
    ("tasks/update", {"taskId": "x", "inputResponses": {}}, -32601),
    ("tasks/", {}, -32601),
    ("tools/call", {"name": "nothing", "task": {}}, -32602),
    ("tools/call", {"name": "echo", "task": {}}, -32601),
    ("tools/call", {"name": "slow", "task": {"ttl": "1"}}, -32602),
    ("tools/call", {"name": "slow", "task": {"ttl": -1}}, -32602),
    ("tools/call", {"name": "slow", "task": {"ttl": True}}, -32602),
    ("tools/call", {"name": "slow", "task": []}, -32602),
    ("tools/call", {"name": "slow", "task": {}, "arguments": [1]}, -32602),
    ("tools/call", {"name": 5, "task": {}}, -32602),
    ("tools/call", {"name": "\ud800", "task": {}}, -32602),
]
BAD_SECOND: list[tuple[str, dict[str, Any], int]] = [
    ("tasks/get", {}, -32602),
    ("tasks/get", {"taskId": "x"}, -32602),
    ("tasks/cancel", {"taskId": ["x"]}, -32602),
    ("tasks/update", {"taskId": "x", "inputResponses": {}}, -32602),
    ("tasks/get", {"taskId": "x", "_meta": ENVELOPE}, -32021),
    ("tasks/update", {"taskId": "x", "_meta": ENVELOPE | {CAPABILITIES: {"extensions": 5}}}, -32602),
    ("tasks/cancel", {"taskId": "x", "_meta": {}}, -32602),
]


@pytest.mark.parametrize("modern", [False, True])
def test_what_cannot_be_done_is_refused_as_the_specification_says(slow: Slow, modern: bool) -> None:
    client = Talker(slow.build(), modern=modern)
    client.do("tools/list")  # the era is decided
    for method, params, code in BAD_SECOND if modern else BAD_FIRST:
        answer = client.do(method, **params)
        assert answer["error"]["code"] == code, (method, params, answer)
        if code == -32021:
            needed = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
            assert answer["error"]["data"] == needed
    assert slow.story == []
    client.close()


def test_inputs_that_are_no_object_are_refused(slow: Slow) -> None:
    client = Talker(slow.build(), modern=True)
    task_id = client.begin()
    for responses in ({}, {"inputResponses": None}, {"inputResponses": []}):
        assert client.do("tasks/update", taskId=task_id, **responses)["error"]["code"] == -32602
    assert "result" in client.do("tasks/update", taskId=task_id, inputResponses={"a": 5})
    client.close()


@pytest.mark.parametrize("modern", [False, True])
def test_a_client_that_knows_no_tasks_gets_the_answer(slow: Slow, modern: bool) -> None:
    slow.gate.set()
    client = Talker(slow.build(), modern=modern)
    more = {"_meta": ENVELOPE} if modern else {}
    assert client.do("tools/call", name="slow", **more)["result"]["structuredContent"] == {"arguments": {}}
    client.close()


def test_before_tasks_were_in_the_protocol_they_are_ignored(slow: Slow) -> None:
    slow.gate.set()
    client = Talker(slow.build(), opening=_opening("2025-06-18"))
    assert client.do("tools/call", name="slow", task={})["result"]["structuredContent"] == {"arguments": {}}
    assert client.do("tasks/list")["error"]["code"] == -32601
    client.close()


@pytest.mark.parametrize("capabilities", [{"unknown": {}}, {"sampling": {"tools": None}}])
def test_a_client_of_the_first_era_with_odd_capabilities_has_tasks_too(slow: Slow, capabilities: Any) -> None:
    client = Talker(slow.build(), opening=_opening(**capabilities))
    assert client.do("no/such/method")["error"]["code"] == -32601
    task_id = client.begin()
    waiting = client.request("tasks/result", taskId=task_id)
    slow.gate.set()
    assert client.read_answer()["id"] == waiting
    client.close()


def test_a_client_of_the_second_era_with_odd_capabilities_has_tasks_too(slow: Slow) -> None:
    client = Talker(slow.build(), modern=True)
    client.capabilities = {"unknown": {}}
    client.do("tools/list")
    assert client.do("tasks/get", taskId="x")["error"]["message"] == "Failed to retrieve task: Task not found"
    client.begin()
    client.close()


def test_a_task_can_be_the_first_request_of_the_second_era(slow: Slow) -> None:
    client = Talker(slow.build(), modern=True)
    task_id = client.begin()
    assert client.do("no/such/method")["error"]["code"] == -32601
    assert client.do("tasks/get", taskId=task_id)["result"]["status"] == "working"
    client.close()


def test_too_many_tasks(slow: Slow) -> None:
    client = Talker(slow.build())
    tasks = [client.begin() for _ in range(MAX_UNFINISHED)]
    refused = client.do("tools/call", name="slow", task={})
    assert (refused["error"]["code"], "Too many tasks" in refused["error"]["message"]) == (-32000, True)
    client.do("tasks/cancel", taskId=tasks[0])
    client.begin()
    waiting = [client.request("tasks/result", taskId=tasks[1]) for _ in range(MAX_WAITERS)]
    refused = client.do("tasks/result", taskId=tasks[2])
    assert refused["error"]["code"] == -32000
    slow.gate.set()
    assert sorted(client.read_answer()["id"] for _ in waiting) == waiting
    client.close()


def test_in_the_second_era_too_many_tasks_are_answered_when_they_are_done(slow: Slow) -> None:
    client = Talker(slow.build(), modern=True, slots=4)
    for _ in range(MAX_UNFINISHED):
        client.begin()
    last = client.request("tools/call", name="slow")
    client.do("tools/list")  # the call is taken by now
    slow.gate.set()
    answer = client.read_answer()
    assert (answer["id"], "structuredContent" in answer["result"]) == (last, True)
    client.close()


@pytest.mark.parametrize("modern", [False, True])
def test_calls_get_through_however_many_tasks_run(slow: Slow, modern: bool) -> None:
    client = Talker(slow.build(), modern=modern, slots=1)
    for _ in range(12):
        client.begin()
    more = {"_meta": ENVELOPE} if modern else {}
    assert "structuredContent" in client.do("tools/call", name="echo", **more)["result"]
    assert slow.story == ["begun"] * task_methods.RUNNING_TASKS
    client.close()


def test_lists_come_in_pages(slow: Slow) -> None:
    slow.gate.set()
    client = Talker(slow.build())
    tasks = []
    for _ in range(PAGE_TASKS + 3):
        tasks.append(client.begin())
        client.do("tasks/result", taskId=tasks[-1])
    first = client.do("tasks/list")["result"]
    second = client.do("tasks/list", cursor=first["nextCursor"])["result"]
    assert [task["taskId"] for task in [*first["tasks"], *second["tasks"]]] == tasks
    assert "nextCursor" not in second
    client.close()


def test_a_result_that_nobody_waits_for_any_more_is_not_given(slow: Slow) -> None:
    client = Talker(slow.build())
    task_id = client.begin()
    first = client.request("tasks/result", taskId=task_id)
    client.send({"method": "notifications/cancelled", "params": {"requestId": str(first)}})
    second = client.request("tasks/result", taskId=task_id)
    client.do("ping")  # all that is taken by now
    slow.gate.set()
    assert client.read_answer()["id"] == second
    assert client.do("ping")["result"] == {}
    client.close()


def test_cancelling_the_request_that_asked_for_a_task_changes_nothing(slow: Slow) -> None:
    client = Talker(slow.build())
    task_id = client.begin()
    client.send({"method": "notifications/cancelled", "params": {"requestId": client.number}})
    slow.gate.set()
    client.wait_until(task_id, "completed")
    client.close()


@pytest.mark.parametrize("modern", [False, True])
def test_progress_of_a_task(modern: bool) -> None:
    steps, go = threading.Semaphore(0), threading.Event()

    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        assert context.report is not None
        for done in (10.0, 5.0, 40.0):
            context.report(Progress(done, 100.0, f"{done:.0f} \u202e files"))
        steps.release()
        go.wait(PATIENCE_SECONDS)
        context.report(Progress(100.0, 100.0, "all"))
        return build_answer({})

    client = Talker(build_tool("work", call, may_be_task=True), modern=modern)
    meta = {"_meta": (_envelope()["_meta"] if modern else {}) | {"progressToken": "tok"}}
    task_id = client.begin("work", **meta)
    assert steps.acquire(timeout=PATIENCE_SECONDS)
    assert client.do("tasks/get", taskId=task_id)["result"]["statusMessage"] == "40 \\u202e files"
    go.set()
    client.wait_until(task_id, "completed")
    progress = [one["params"] for one in client.received if one["method"] == "notifications/progress"]
    done = [one["progress"] for one in progress]
    assert done == ([] if modern else sorted(set(done)))
    if not modern:
        assert done[-1] == 100.0
        assert all(one["progressToken"] == "tok" for one in progress)
        assert all(one["_meta"] == {RELATED: {"taskId": task_id}} for one in progress)
        ending = [one["method"] for one in client.received].index("notifications/tasks/status")
        assert ending == len(client.received) - 1  # nothing follows the end
    client.close()


def _build_asking(answers: list[str | None], *questions: Question) -> Tool:
    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        if context.ask is None:
            return build_answer({"asks": False})
        answers.extend(context.ask(question) for question in questions)
        return build_answer({"asks": True})

    return build_tool("asking", call, may_be_task=True)


def test_a_question_in_a_task_of_the_first_era() -> None:
    answers: list[str | None] = []
    client = Talker(_build_asking(answers, QUESTION), opening=_opening(sampling={}))
    task_id = client.begin("asking")
    waiting = client.request("tasks/result", taskId=task_id)
    while not client.received or client.received[-1]["method"] != "sampling/createMessage":
        client.received.append(client.read())
    asked = client.received[-1]
    assert asked["params"]["_meta"] == {RELATED: {"taskId": task_id}}
    assert mcp_types.CreateMessageRequest.model_validate(asked)
    client.send({"id": asked["id"], "result": SAMPLED}, {"id": asked["id"], "result": SAMPLED})
    assert client.read_answer()["id"] == waiting
    assert answers == ["other words"]
    assert client.statuses() == ["input_required", "working", "completed"]
    client.close()


def test_a_question_in_a_task_of_the_second_era() -> None:
    answers: list[str | None] = []
    client = Talker(_build_asking(answers, QUESTION, QUESTION), modern=True)
    client.capabilities = {"sampling": {}}
    task_id = client.begin("asking")
    waiting = client.wait_until(task_id, "input_required")
    assert waiting["inputRequests"].keys() == {"expansion"}
    asked = waiting["inputRequests"]["expansion"]
    assert mcp_types.CreateMessageRequest.model_validate(asked).params.max_tokens == 100
    client.do("tasks/update", taskId=task_id, inputResponses={"another": SAMPLED})
    assert client.do("tasks/get", taskId=task_id)["result"]["status"] == "input_required"
    client.do("tasks/update", taskId=task_id, inputResponses={"expansion": SAMPLED})
    until = time.monotonic() + PATIENCE_SECONDS
    while client.wait_until(task_id, "input_required")["inputRequests"].keys() != {"expansion-2"}:
        assert time.monotonic() < until  # a key is never used again
    client.do("tasks/update", taskId=task_id, inputResponses={"expansion-2": {"content": [1, {}]}})
    client.wait_until(task_id, "completed")
    assert answers == ["other words", None]
    client.close()


@pytest.mark.parametrize("modern", [False, True])
def test_cancelling_a_task_that_waits_for_an_answer(modern: bool) -> None:
    answers: list[str | None] = []
    client = Talker(_build_asking(answers, QUESTION), modern=modern, opening=_opening(sampling={}))
    client.capabilities = {"sampling": {}} if modern else {}
    task_id = client.begin("asking")
    client.wait_until(task_id, "input_required")
    client.do("tasks/cancel", taskId=task_id)
    until = time.monotonic() + PATIENCE_SECONDS
    while answers != [None]:
        assert time.monotonic() < until
        time.sleep(0.002)
    cancelled = client.do("tasks/get", taskId=task_id)["result"]
    assert (cancelled["status"], "inputRequests" in cancelled) == ("cancelled", False)
    if not modern:
        received = [one["method"] for one in client.received]
        assert received.index("notifications/cancelled") > received.index("sampling/createMessage")
    client.close()


def test_an_answer_that_never_comes_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_methods, "POLLED_ANSWER_SECONDS", 0.1)
    answers: list[str | None] = []
    client = Talker(_build_asking(answers, QUESTION), modern=True)
    client.capabilities = {"sampling": {}}
    task_id = client.begin("asking")
    client.wait_until(task_id, "completed")
    assert answers == [None]
    assert "result" in client.do("tasks/update", taskId=task_id, inputResponses={"expansion": SAMPLED})
    client.close()


def test_the_end_of_input_stops_tasks_and_leaves_no_thread(
    slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_methods, "RUNNING_TASKS", 2)
    monkeypatch.setattr(wire, "DRAIN_SECONDS", 0.1)
    answers: list[str | None] = []
    asking = _build_asking(answers, QUESTION)
    client = Talker(slow.build(), asking, opening=_opening(sampling={}))
    client.begin()
    client.begin("asking")
    client.request("tasks/result", taskId=client.begin())  # which is not begun, and never ends
    slow.wait_for("begun")
    begun = time.monotonic()
    client.close()
    assert time.monotonic() - begun < HANG_SECONDS
    client.session.wait_until_idle(PATIENCE_SECONDS)
    assert sorted(slow.story) == ["begun", "dropped", "stopped"]
    assert answers == [None]


ANY_ID = st.sampled_from(["task 0", "task 1", "task 2", "unknown"])
STEPS = st.one_of(
    st.tuples(st.just("begin"), st.sampled_from([None, 0, 5_000, -1, "x"])),
    st.tuples(st.just("sync"), st.none()),
    st.tuples(st.sampled_from(["tasks/get", "tasks/result", "tasks/cancel", "tasks/update"]), ANY_ID),
    st.tuples(st.just("tasks/list"), st.none()),
    st.tuples(st.just("forget"), st.integers(0, 12)),
    st.tuples(st.just("open the gate"), st.none()),
    st.tuples(st.just("answer"), st.sampled_from(["repo-mcp/ask/1", "repo-mcp/ask/x", 1])),
)


@pytest.mark.parametrize("modern", [False, True])
def test_no_sequence_of_messages_hangs_or_is_answered_twice(modern: bool) -> None:
    @settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(STEPS, max_size=14))
    def run(steps: list[tuple[str, Any]]) -> None:
        _play(modern, steps)

    run()


def _play(modern: bool, steps: list[tuple[str, Any]]) -> None:
    """Play the steps, then open the gate: what was not cancelled is answered, once."""
    slow = Slow()
    client = Talker(slow.build(), modern=modern)
    client.do("tools/list")  # the era is decided: what the SDK has taken over in the second makes no tasks
    sent: dict[int, str] = {}
    tasks: list[str] = []
    forgotten: set[int] = set()
    seen: list[dict[str, Any]] = []
    for what, value in steps:
        if what == "begin":
            more = {} if modern else {"task": {} if value is None else {"ttl": value}}
            answer = _settle(client, client.request("tools/call", name="slow", **more), seen, sent, forgotten)
            result = answer.get("result", {})
            task = result if modern else result.get("task", {})
            if "taskId" in task:
                tasks.append(task["taskId"])
        elif what == "sync":
            more = {"_meta": ENVELOPE} if modern else {}
            sent[client.request("tools/call", name="slow", **more)] = what
        elif what == "forget":
            if value in sent:
                client.send({"method": "notifications/cancelled", "params": {"requestId": value}})
                forgotten.add(value)
        elif what == "open the gate":
            slow.gate.set()
        elif what == "answer":
            client.send({"id": value, "result": SAMPLED})
        else:
            index = int(value[-1]) if isinstance(value, str) and value[-1].isdigit() else 99
            named = {"taskId": tasks[index]} if index < len(tasks) else {"taskId": "unknown"}
            more = {} if value is None else named | {"inputResponses": {"expansion": SAMPLED}}
            sent[client.request(what, **more)] = what
    slow.gate.set()
    _settle(client, client.request("tools/list"), seen, sent, forgotten)
    while {frame["id"] for frame in seen} | forgotten < set(sent) | forgotten:
        seen.append(client.read_answer())
    client.wire._in_flight.wait_until_empty(PATIENCE_SECONDS)
    assert client.wire._in_flight._slots == 0  # nobody is owed anything
    client.close()
    client.session.wait_until_idle(PATIENCE_SECONDS)
    ids = [frame["id"] for frame in seen]
    assert len(ids) == len(set(ids))
    assert set(ids) <= set(sent)
    assert slow.story.count("begun") == slow.story.count("done") + slow.story.count("stopped")


def _settle(
    client: Talker, number: int, seen: list[dict[str, Any]], sent: dict[int, str], forgotten: set[int]
) -> dict[str, Any]:
    """Read up to the answer to one request; what comes before is kept."""
    while (answer := client.read_answer())["id"] != number:
        assert answer["id"] in sent
        seen.append(answer)
    return answer


def test_who_tells_of_a_task_cannot_be_overtaken() -> None:
    answers: list[str | None] = []
    many = [Question(f"q{number}", "", "", 1) for number in range(20)]
    client = Talker(_build_asking(answers, *many), opening=_opening(sampling={}))
    task_id = client.begin("asking")
    waiting = client.request("tasks/result", taskId=task_id)
    while (frame := client.read()).get("id") != waiting:
        client.received.append(frame)
        if frame["method"] == "sampling/createMessage":
            client.send({"id": frame["id"], "result": SAMPLED})
    assert client.statuses() == [*["input_required", "working"] * 20, "completed"]
    assert answers == ["other words"] * 20
    client.close()


def test_a_client_that_does_not_read_cannot_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.protocol.calls.PROGRESS_SECONDS", 0.0)
    story: list[str] = []

    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        assert context.report is not None
        done = 0.0
        while not context.cancelled():
            done += 1.0
            context.report(Progress(done, done, "x" * 10_000))
        story.append("stopped")
        return build_answer({})

    client = Talker(build_tool("loud", call, may_be_task=True))
    client.begin("loud", _meta={"progressToken": "tok"})
    time.sleep(0.3)  # the pipe is full, and the report waits for its reader
    client.wire.stop(StopReason.TERMINATED)
    assert client.wire.wait() is StopReason.TERMINATED
    begun = time.monotonic()
    client.session.close()
    client.wire.finish()
    assert time.monotonic() - begun < HANG_SECONDS
    client.answers.close()  # whoever waits for the reader is let go
    client.session.wait_until_idle(PATIENCE_SECONDS)
    assert story == ["stopped"]


def test_old_tasks_are_to_be_asked_about_less_often(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Talker(slow.build())
    task_id = client.begin()
    created = time.time()
    for age, poll in ((0.0, 100), (2.0, 500), (100.0, 2_000)):
        monkeypatch.setattr(task_methods.time, "time", lambda age=age: created + age)
        assert client.do("tasks/get", taskId=task_id)["result"]["pollInterval"] == poll
    client.close()


@pytest.mark.parametrize("modern", [False, True])
def test_a_task_for_which_the_system_has_no_thread_has_failed(slow: Slow, modern: bool) -> None:
    """Once it was at work until it expired, and whoever asked for its result waited."""
    client = Talker(slow.build(), modern=modern)
    with no_threads():
        task_id = client.begin()
        assert client.wait_until(task_id, "failed")["statusMessage"] == "internal error"
    slow.gate.set()
    client.wait_until(client.begin(), "completed")
    client.close()
