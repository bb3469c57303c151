"""Tasks as a client meets them: a real process, real pipes, the SDK's own client in both eras.

The SDK's client has the types of tasks and no calls for them: in the first era a task is asked for by its
raw request, for it would refuse the answer to `tools/call`; in the second by an extension, as it is meant.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import anyio
import mcp_types
import pytest
from mcp import ClientSession
from mcp.client.client import Client
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from index_format import DiskDirectory, verify_index
from tests.deep.sizes import IS_DEEP, first
from tests.forked import popen
from tests.growth import HANG_SECONDS

PROJECT = Path(__file__).resolve().parents[3]
CORPUS = PROJECT / "tests" / "corpus" / "tiny_repo"
START = "from tests.repo_mcp.stdio.task_server import main; raise SystemExit(main())"
REAL = "from repo_mcp.server import main; raise SystemExit(main())"
PATIENCE_SECONDS = 60.0
FILES = 20 if IS_DEEP else 8  # in each folder of many
EXIT_SECONDS = 2.0 + 3.0 if IS_DEEP else HANG_SECONDS  # promised, and room: `make deep` looks at it
EXTENSION = "io.modelcontextprotocol/tasks"
RELATED = "io.modelcontextprotocol/related-task"
Talk = Callable[[ClientSession], Awaitable[None]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    copied = tmp_path / "tiny_repo"
    shutil.copytree(CORPUS, copied)
    return copied


def _environment(root: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    path = os.pathsep.join([str(PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return kept | {"PYTHONPATH": path, "HOME": str(root.parent), "XDG_CACHE_HOME": str(root.parent)}


def _arguments(root: Path, start: str = START) -> list[str]:
    return ["-c", start, "--repo-root", str(root), "--toolsets", "research", "--no-watch"]


def _name_server(root: Path, start: str = START) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=_arguments(root, start), env=_environment(root), cwd=root.parent
    )


def _converse(root: Path, talk: Talk, **more: Any) -> None:
    """Hold a conversation of the first era."""

    async def main() -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            async with (
                stdio_client(_name_server(root)) as streams,
                ClientSession(*streams, **more) as session,
            ):
                opened = await session.initialize()
                assert opened.protocol_version == "2025-11-25"
                tasks = opened.capabilities.tasks
                assert tasks is not None
                assert tasks.requests is not None
                assert tasks.model_dump(exclude_none=True, by_alias=True) == {
                    "list": {},
                    "cancel": {},
                    "requests": {"tools": {"call": {}}},
                }
                await talk(session)

    anyio.run(main)


async def _begin(
    session: ClientSession, name: str, arguments: dict[str, Any] | None = None, **more: Any
) -> mcp_types.Task:
    params = {"name": name, "arguments": arguments or {}, "task": {"ttl": 60_000}} | more
    raw = await session._dispatcher.send_raw_request("tools/call", params)
    return mcp_types.CreateTaskResult.model_validate(raw).task


async def _get(session: ClientSession, task_id: str) -> mcp_types.GetTaskResult:
    request = mcp_types.GetTaskRequest(params=mcp_types.GetTaskRequestParams(task_id=task_id))
    return await session.send_request(request, mcp_types.GetTaskResult)


async def _fetch(session: ClientSession, task_id: str) -> mcp_types.CallToolResult:
    params = mcp_types.GetTaskPayloadRequestParams(task_id=task_id)
    result = await session.send_request(
        mcp_types.GetTaskPayloadRequest(params=params), mcp_types.CallToolResult
    )
    assert result.meta == {RELATED: {"taskId": task_id}}
    return result


async def _cancel(session: ClientSession, task_id: str) -> mcp_types.CancelTaskResult:
    params = mcp_types.CancelTaskRequestParams(task_id=task_id)
    return await session.send_request(mcp_types.CancelTaskRequest(params=params), mcp_types.CancelTaskResult)


async def _poll(session: ClientSession, task_id: str) -> mcp_types.GetTaskResult:
    while (task := await _get(session, task_id)).status in ("working", "input_required"):
        await anyio.sleep(0.02)
    return task


def test_index_codebase_as_a_task(root: Path) -> None:
    async def talk(session: ClientSession) -> None:
        listed = {tool.name: tool for tool in (await session.list_tools()).tools}
        execution = listed["index_codebase"].execution
        assert execution is not None
        assert execution.task_support == "optional"
        (icon,) = listed["index_codebase"].icons or []
        assert (icon.mime_type, icon.src[:26]) == ("image/svg+xml", "data:image/svg+xml;base64,")
        task = await _begin(session, "index_codebase", {"path": str(root)})
        assert (task.status, task.ttl, len(task.task_id)) == ("working", 60_000, 32)
        result = await _fetch(session, task.task_id)  # blocks
        assert result.structured_content["files"] > 8
        assert (await _get(session, task.task_id)).status == "completed"
        assert await _fetch(session, task.task_id) == result
        tasks = await session.send_request(mcp_types.ListTasksRequest(), mcp_types.ListTasksResult)
        assert [one.task_id for one in tasks.tasks] == [task.task_id]
        with pytest.raises(MCPError, match="already in terminal status 'completed'"):
            await _cancel(session, task.task_id)
        with pytest.raises(MCPError, match="Task not found"):
            await _get(session, "0" * 32)

    _converse(root, talk)


def test_progress_of_a_task_reaches_the_token_that_asked_for_it(root: Path) -> None:
    seen: list[float] = []

    async def talk(session: ClientSession) -> None:
        task = await _begin(session, "slow", {"steps": 40}, _meta={"progressToken": "tok"})
        assert (await _poll(session, task.task_id)).status == "completed"

    async def on_message(message: Any) -> None:
        if isinstance(message, mcp_types.ProgressNotification):
            assert message.params.progress_token == "tok"
            seen.append(message.params.progress)

    _converse(root, talk, message_handler=on_message)
    assert len(seen) > 1
    assert sorted(set(seen)) == seen


def test_cancelling_a_task_stops_its_work_at_once(root: Path) -> None:
    async def talk(session: ClientSession) -> None:
        task = await _begin(session, "slow", {"steps": 100_000})
        assert (await _cancel(session, task.task_id)).status == "cancelled"
        with pytest.raises(MCPError, match="Task was cancelled"):
            await _fetch(session, task.task_id)
        for _ in range(8):  # as many as there are places
            short = await _begin(session, "slow", {"steps": 1})
            assert not (await _fetch(session, short.task_id)).is_error

    _converse(root, talk)


def test_a_task_expires(root: Path) -> None:
    async def talk(session: ClientSession) -> None:
        task = await _begin(session, "slow", {"steps": 1}, task={"ttl": 1_000})
        assert (await _poll(session, task.task_id)).status == "completed"
        endless = await _begin(session, "slow", {"steps": 100_000}, task={"ttl": 1_000})
        with pytest.raises(MCPError, match="Task has expired"):
            await _fetch(session, endless.task_id)  # the work is stopped, and who waits is told
        with pytest.raises(MCPError, match="Task has expired"):
            await _fetch(session, task.task_id)

    _converse(root, talk)


def test_a_client_without_tasks_gets_the_same_tool_with_progress(root: Path) -> None:
    seen: list[float] = []

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        seen.append(done)

    async def talk(session: ClientSession) -> None:
        answer = await session.call_tool("slow", {"steps": 40}, progress_callback=on_progress)
        assert answer.structured_content == {"steps": 40}

    _converse(root, talk)
    assert len(seen) > 1
    assert sorted(set(seen)) == seen


def test_blocks_beside_the_text(root: Path) -> None:
    async def talk(session: ClientSession) -> None:
        text, link, sound = (await session.call_tool("show", {})).content
        assert text.type == "text"
        assert isinstance(link, mcp_types.ResourceLink)
        assert (link.uri, link.mime_type, link.description, link.size) == (
            "repo:///docs/logo.png",
            "image/png",
            "The logo",
            68,
        )
        assert link.annotations is not None
        assert (link.annotations.audience, link.annotations.priority) == (["user"], 0.5)
        assert isinstance(sound, mcp_types.AudioContent)
        assert (sound.data, sound.mime_type) == ("UklGRg==", "audio/wav")

    _converse(root, talk)


async def _sample(
    context: Any, params: mcp_types.CreateMessageRequestParams
) -> mcp_types.CreateMessageResult:
    assert params.system_prompt == "Answer with words alone."
    content = mcp_types.TextContent(text="login password")
    return mcp_types.CreateMessageResult(role="assistant", content=content, model="m")


async def _refuse(context: Any, params: Any) -> mcp_types.ErrorData:
    return mcp_types.ErrorData(code=-1, message="the user said no")


@pytest.mark.parametrize(("callback", "answer"), [(_sample, "login password"), (_refuse, "refused")])
def test_a_tool_asks_the_clients_model(root: Path, callback: Any, answer: str) -> None:
    async def talk(session: ClientSession) -> None:
        assert (await session.call_tool("ask", {})).structured_content == {"answer": answer}
        task = await _begin(session, "ask")
        assert (await _fetch(session, task.task_id)).structured_content == {"answer": answer}

    _converse(root, talk, sampling_callback=callback)


# The second era


class TaskHandle(mcp_types.Result):
    """The answer that the extension lets a call give."""

    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    ttl_ms: int | None
    poll_interval_ms: int | None = None


class TaskRequestParams(mcp_types.RequestParams):
    task_id: str
    input_responses: dict[str, Any] | None = None


class TaskRequest(mcp_types.Request[TaskRequestParams, str]):
    """One of the requests of the extension."""


class TaskState(mcp_types.Result):
    task_id: str
    status: str
    status_message: str | None = None
    result: dict[str, Any] | None = None
    input_requests: dict[str, Any] | None = None


async def _do(
    session: ClientSession, method: str, task_id: str, result_type: Any = TaskState, **more: Any
) -> Any:
    request = TaskRequest(method=method, params=TaskRequestParams(task_id=task_id, **more))
    return await session.send_request(request, result_type)


class Tasks(ClientExtension):
    """The extension as a client has it: a call that became a task is polled to its result."""

    identifier = EXTENSION

    def __init__(self) -> None:
        self.statuses: list[str] = []

    def claims(self) -> list[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=TaskHandle, resolve=self._resolve)]

    async def _resolve(self, handle: TaskHandle, context: ClaimContext) -> mcp_types.CallToolResult:
        assert handle.poll_interval_ms == 100
        while True:
            state = await _do(context.session, "tasks/get", handle.task_id)
            self.statuses.append(state.status)
            if state.result is not None:
                return mcp_types.CallToolResult.model_validate(state.result)
            if state.input_requests is not None:
                answers = {}
                for key, asked in state.input_requests.items():
                    request = mcp_types.CreateMessageRequest.model_validate(asked)
                    answer = await _sample(None, request.params)
                    answers[key] = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
                await _do(
                    context.session,
                    "tasks/update",
                    handle.task_id,
                    mcp_types.EmptyResult,
                    input_responses=answers,
                )
            assert state.status in ("working", "input_required", "completed")
            await anyio.sleep(0.02)


def _converse_modern(root: Path, talk: Callable[[Client], Awaitable[None]], **more: Any) -> None:
    async def main() -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            async with Client(_name_server(root), mode="2026-07-28", **more) as client:
                await talk(client)

    anyio.run(main)


def test_in_the_second_era_long_calls_become_tasks(root: Path) -> None:
    extension = Tasks()

    async def talk(client: Client) -> None:
        result = await client.call_tool("index_codebase", {"path": "."})
        assert result.structured_content["files"] > 8
        assert extension.statuses[-1] == "completed"
        assert (await client.call_tool("slow", {"steps": 3})).structured_content == {"steps": 3}
        assert (await client.call_tool("show", {})).structured_content == {"ok": True}
        handle = await client.session.call_tool("slow", {"steps": 100_000}, allow_claimed=True)
        assert isinstance(handle, TaskHandle)
        await _do(client.session, "tasks/cancel", handle.task_id, mcp_types.EmptyResult)
        assert (await _do(client.session, "tasks/get", handle.task_id)).status == "cancelled"
        with pytest.raises(MCPError, match="Task not found"):
            await _do(client.session, "tasks/get", "x")

    _converse_modern(root, talk, extensions=[extension])


def test_in_the_second_era_discovery_names_the_extension(root: Path) -> None:
    async def main() -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            async with stdio_client(_name_server(root)) as streams, ClientSession(*streams) as session:
                found = await session.discover()
                assert found.capabilities.extensions == {EXTENSION: {}}
                answer = await session.call_tool("slow", {"steps": 3})  # no task
                assert answer.structured_content == {"steps": 3}
                with pytest.raises(MCPError) as refused:
                    await _do(session, "tasks/get", "x")
                assert refused.value.error.code == mcp_types.MISSING_REQUIRED_CLIENT_CAPABILITY

    anyio.run(main)


@pytest.mark.parametrize("as_task", [False, True])
def test_in_the_second_era_a_tool_asks_the_clients_model(root: Path, as_task: bool) -> None:
    extension = Tasks()

    async def talk(client: Client) -> None:
        result = await client.call_tool("ask", {})
        assert result.structured_content == {"answer": "login password"}
        assert ("input_required" in extension.statuses) == as_task

    extensions = [extension] if as_task else []
    _converse_modern(root, talk, sampling_callback=_sample, extensions=extensions)


# A client that disappears


class Process:
    """A server whose client is this test."""

    def __init__(self, root: Path, start: str = START) -> None:
        self.popen = popen(
            [sys.executable, *_arguments(root, start)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(root),
            cwd=root.parent,
        )
        self.errors: list[bytes] = []
        assert self.popen.stderr is not None
        self.reader = threading.Thread(target=self.errors.extend, args=(self.popen.stderr,), daemon=True)
        self.reader.start()

    def do(self, request_id: int, method: str, **params: Any) -> dict[str, Any]:
        self.send({"id": request_id, "method": method, "params": params})
        assert self.popen.stdout is not None
        while True:
            frame = json.loads(self.popen.stdout.readline())
            if frame.get("id") == request_id:
                return dict(frame)

    def send(self, frame: dict[str, Any]) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(json.dumps({"jsonrpc": "2.0"} | frame).encode() + b"\n")
        self.popen.stdin.flush()

    def open(self) -> None:
        client = {"name": "test", "version": "0"}
        self.do(0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)

    def close(self) -> None:
        self.popen.kill()
        self.popen.wait()
        self.reader.join(PATIENCE_SECONDS)
        for stream in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                pass


@pytest.fixture
def many_files(tmp_path: Path) -> Path:
    """Return a tree whose index takes a moment."""
    made = tmp_path / "many"
    for folder in range(30):
        (made / f"part{folder}").mkdir(parents=True)
        for number in range(FILES):
            text = "".join(
                f"def work_{number}_{line}(value):\n    return value + {line}\n" for line in range(60)
            )
            (made / f"part{folder}" / f"module{number}.py").write_text(text)
    return made


@pytest.fixture
def processes() -> Iterator[list[Process]]:
    started: list[Process] = []
    yield started
    for process in started:
        process.close()


def _find_faults(root: Path) -> dict[str, list[str]]:
    """Return the faults of each index that has been committed."""
    return {
        manifest.parent.name.partition("-")[0]: verify_index(DiskDirectory(str(manifest.parent)))
        for manifest in (root / ".repo_mcp").glob("*/manifest")
    }


@pytest.mark.sized
@pytest.mark.parametrize("way", first(2, ["killed", "end of input", "broken pipe", "terminated"]))
def test_a_client_that_disappears_stops_the_work_and_leaves_the_index_whole(
    many_files: Path, processes: list[Process], way: str
) -> None:
    process = Process(many_files)
    processes.append(process)
    process.open()
    calls: list[tuple[str, dict[str, Any]]] = [
        ("index_codebase", {"path": ".", "force": True}),
        ("slow", {"steps": 10**6}),
    ]
    for number, (name, arguments) in enumerate(calls, 1):
        created = process.do(number, "tools/call", name=name, arguments=arguments, task={})
        assert created["result"]["task"]["status"] == "working"
    process.send(
        {"id": 3, "method": "tasks/result", "params": {"taskId": created["result"]["task"]["taskId"]}}
    )
    time.sleep(0.02 * FILES)  # in the middle of it
    assert process.popen.stdin is not None
    assert process.popen.stdout is not None
    if way in ("killed", "terminated"):
        process.popen.send_signal(signal.SIGKILL if way == "killed" else signal.SIGTERM)
    else:
        if way == "broken pipe":
            process.popen.stdout.close()
        process.popen.stdin.close()
    begun = time.monotonic()
    code = process.popen.wait(EXIT_SECONDS)
    assert time.monotonic() - begun < EXIT_SECONDS
    assert code == (-signal.SIGKILL if way == "killed" else 0)
    assert b"Traceback" not in b"".join(process.errors)
    assert not any(_find_faults(many_files).values())

    again = Process(many_files)  # whatever is there is an index, and is made whole
    processes.append(again)
    again.open()
    result = again.do(1, "tools/call", name="index_codebase", arguments={"path": "."})["result"]
    assert not result["isError"]
    assert result["structuredContent"]["files"] == 30 * FILES
    assert again.popen.stdin is not None
    again.popen.stdin.close()
    assert again.popen.wait(EXIT_SECONDS) == 0
    assert _find_faults(many_files) == {"index": [], "structure": []}


def test_the_real_server_offers_tasks_with_research_alone(root: Path, processes: list[Process]) -> None:
    process = Process(root, REAL)
    processes.append(process)
    client = {"name": "test", "version": "0"}
    opened = process.do(0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
    assert opened["result"]["capabilities"].keys() == {"resources", "tasks", "tools"}
    created = process.do(1, "tools/call", name="index_codebase", arguments={"path": "."}, task={})
    task_id = created["result"]["task"]["taskId"]
    result = process.do(2, "tasks/result", taskId=task_id)["result"]
    assert result["structuredContent"]["files"] > 8
