"""Toolsets as one SDK server: the list of tools, and calls in worker threads.

Calls run at the same time, as many as the pool has places; one that the client cancelled is left alone
at once. Progress goes out at most a few times a second, never falls, and never follows the answer.
Left out on purpose: what the tools do, and the transport.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import anyio
import mcp_types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError

from repo_mcp.call_pool import CallPool
from repo_mcp.conversation import SERVER_NAME, SERVER_TITLE
from repo_mcp.desk import PROGRESS_SECONDS, explain_unknown_tool
from repo_mcp.tool_model import CallContext, Progress, Tool, ToolAnswer, Toolset

Context = ServerRequestContext[dict[str, Any]]


async def _run_in(pool: CallPool, work: Callable[[], ToolAnswer], drop: Callable[[], object]) -> ToolAnswer:
    """The answer of `work`; `drop` is called instead when the call is cancelled before it begins."""
    loop = asyncio.get_running_loop()
    done = anyio.Event()
    answers: list[ToolAnswer] = []

    def run() -> None:
        try:
            answers.append(work())
        finally:
            _call_soon(loop, done.set)

    call = pool.submit(run, drop)
    try:
        await done.wait()
    except BaseException:
        call.cancel()
        raise
    (answer,) = answers
    return answer


def _call_soon(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:  # the loop is closed: the process is ending
        pass


class _ProgressRelay:
    """The latest progress of one call, from its thread to the client."""

    def __init__(self, session: ServerSession) -> None:
        self._session = session
        self._latest: Progress | None = None
        self._sent = -1.0

    def put(self, progress: Progress) -> None:
        self._latest = progress

    async def send_latest(self) -> None:
        latest = self._latest
        if latest is not None and latest.done > self._sent:
            self._sent = latest.done
            await self._session.report_progress(latest.done, latest.total, latest.message)

    async def send_regularly(self) -> None:
        while True:
            await self.send_latest()
            await anyio.sleep(PROGRESS_SECONDS)


def build_sdk_server(
    toolsets: Sequence[Toolset], version: str, pool: CallPool | None = None
) -> Server[dict[str, Any]]:
    """The SDK's server over the tools of `toolsets`, listed in their order; calls run in `pool`."""
    calls = CallPool() if pool is None else pool
    tools = {tool.name: tool for toolset in toolsets for tool in toolset.tools}
    listed = [_describe(tool) for tool in tools.values()]

    async def list_tools(
        context: Context, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(
                code=mcp_types.INVALID_PARAMS, message="There is one page of tools: leave out the cursor"
            )
        return mcp_types.ListToolsResult(tools=listed)

    async def call_tool(
        context: Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            raise MCPError(code=mcp_types.INVALID_PARAMS, message=explain_unknown_tool(params.name))
        return _render(await _call(calls, tool, params.arguments or {}, context))

    return Server(
        SERVER_NAME,
        version=version,
        title=SERVER_TITLE,
        instructions="\n\n".join(toolset.instructions for toolset in toolsets if toolset.instructions),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _call(pool: CallPool, tool: Tool, arguments: Mapping[str, object], context: Context) -> ToolAnswer:
    cancelled = threading.Event()
    wants_progress = context.meta is not None and context.meta.get("progress_token") is not None
    relay = _ProgressRelay(context.session) if wants_progress else None
    report = None if relay is None else relay.put
    call_context = CallContext(cancelled.is_set, report, _name_client(context))
    work = partial(tool.call, arguments, call_context)
    drop = partial(tool.drop or _ignore, arguments, call_context)
    try:
        if relay is None:
            return await _run_in(pool, work, drop)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(relay.send_regularly)
            answer = await _run_in(pool, work, drop)
            tasks.cancel_scope.cancel()
        await relay.send_latest()
        return answer
    finally:
        cancelled.set()  # the thread of a call that nobody awaits sees it and ends


def _name_client(context: Context) -> tuple[str, str]:
    params = context.session.client_params
    return ("", "") if params is None else (params.client_info.name, params.client_info.version)


def _ignore(arguments: Mapping[str, object], context: CallContext) -> None:
    return None


def _describe(tool: Tool) -> mcp_types.Tool:
    hints = tool.annotations
    return mcp_types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.input_schema),
        output_schema=dict(tool.output_schema),
        annotations=mcp_types.ToolAnnotations(
            title=tool.title,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )


def _render(answer: ToolAnswer) -> mcp_types.CallToolResult:
    return mcp_types.CallToolResult(
        content=[mcp_types.TextContent(type="text", text=answer.text)],
        structured_content=dict(answer.structured),
        is_error=answer.is_error,
    )
