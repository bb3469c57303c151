"""Toolsets as one SDK server: the list of tools, and calls in worker threads.

Calls run at the same time, as many as the pool has places; one that the client cancelled is left alone at
once. Progress goes out at most a few times a second, never falls, and never follows the answer. A tool's
question to the client's model is an answer in the second era; in the first there is nobody to ask. This is
the server of HTTP, and of the tests, which hold our answers over stdio (`repo_mcp.protocol.session`)
against its. Left out on purpose: what the tools do, the transport, and requests about tasks; only their
capability is declared.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import anyio
import mcp_types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError

from repo_mcp.protocol.calls import PROGRESS_SECONDS, CallPool, Outcome, submit_tool
from repo_mcp.protocol.frames import JsonObject
from repo_mcp.protocol.instructions import join_texts, name_schemes
from repo_mcp.protocol.messages import (
    MODERN_VERSION,
    NOT_KEPT,
    ONE_PAGE,
    SERVER_NAME,
    SERVER_TITLE,
    TASKS_CAPABILITY,
    TASKS_EXTENSION,
    TASKS_VERSION,
    RequestRefused,
)
from repo_mcp.protocol.resources import LIST, READ, TRY_AGAIN, describe_templates, join_resources, read_error
from repo_mcp.protocol.sampling import Round, read_round
from repo_mcp.protocol.tool_listing import SHOWN_AT_ONCE, describe_block, describe_icon, show_schema
from repo_mcp.protocol.tool_model import (
    CallContext,
    Progress,
    Question,
    Tool,
    ToolAnswer,
    Toolset,
    explain_unknown_tool,
    name_tools,
)

Context = ServerRequestContext[dict[str, Any]]


async def _run_in(
    pool: CallPool, tool: Tool, arguments: Mapping[str, object], context: CallContext
) -> Outcome:
    """Return what the tool gives. A call that is cancelled before it begins is dropped."""
    loop = asyncio.get_running_loop()
    done = anyio.Event()
    outcomes: list[Outcome] = []

    def end(outcome: Outcome) -> None:
        outcomes.append(outcome)
        _call_soon(loop, done.set)

    call = submit_tool(pool, tool, arguments, context, end)
    try:
        await done.wait()
    except BaseException:
        call.cancel()
        raise
    (outcome,) = outcomes
    return outcome


def _call_soon(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:  # the loop is closed: the process is ending
        pass


class _ProgressRelay:
    """The progress of one call on its way from its thread to the client; only the latest counts."""

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
    toolsets: Sequence[Toolset],
    version: str,
    pool: CallPool | None = None,
    *,
    root: str = "",
    offers_tasks: bool = False,
) -> Server[dict[str, Any]]:
    """Return the SDK's server over the tools of `toolsets`, listed in their order; calls run in `pool`.

    `root` is a sentence on which repository is served. `offers_tasks`: tasks are declared, as over stdio.
    This server does not answer requests about them.
    """
    calls = CallPool() if pool is None else pool
    tools = name_tools(toolsets)
    said = join_texts({toolset.name: toolset.instructions for toolset in toolsets})
    server: Server[dict[str, Any]] = Server(
        SERVER_NAME,
        version=version,
        title=SERVER_TITLE,
        instructions=" ".join(filter(None, (said, root))),
        **_build_tool_methods(tools, calls, offers_tasks),
        **_build_file_methods(toolsets, calls),
    )
    if offers_tasks:
        server.extensions[TASKS_EXTENSION] = {}
        server.middleware.append(cast(Any, _declare_tasks))
    return server


def _build_tool_methods(tools: Mapping[str, Tool], calls: CallPool, offers_tasks: bool) -> dict[str, Any]:
    """Return what the SDK is given for the tools: the functions that list them and call one."""
    listed = [_describe(tool, offers_tasks) for tool in tools.values()]

    async def list_tools(
        context: Context, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        _check_cursor(params)
        return mcp_types.ListToolsResult(tools=listed)

    async def call_tool(context: Context, params: mcp_types.CallToolRequestParams) -> HandlerResult:
        tool = tools.get(params.name)
        if tool is None:
            raise MCPError(code=mcp_types.INVALID_PARAMS, message=explain_unknown_tool(params.name))
        _check_room(calls)
        return await _call(calls, tool, params.arguments or {}, context)

    return {"on_list_tools": list_tools, "on_call_tool": call_tool}


def _build_file_methods(toolsets: Sequence[Toolset], calls: CallPool) -> dict[str, Any]:
    """Return what the SDK is given for the files of the toolsets: nothing where they have none."""
    schemes = name_schemes(toolset.name for toolset in toolsets if toolset.find_resources is not None)
    if not schemes:
        return {}
    find_resources = functools.cache(lambda: join_resources(toolsets))

    async def list_resources(
        context: Context, params: mcp_types.PaginatedRequestParams | None
    ) -> HandlerResult:
        _check_cursor(params)
        return await _ask_about_files(calls, find_resources()[LIST], {}, context)

    async def list_templates(
        context: Context, params: mcp_types.PaginatedRequestParams | None
    ) -> HandlerResult:
        _check_cursor(params)
        return {"resourceTemplates": describe_templates(schemes, names_roots=False), **NOT_KEPT}

    async def read_resource(context: Context, params: mcp_types.ReadResourceRequestParams) -> HandlerResult:
        return await _ask_about_files(calls, find_resources()[READ], {"uri": params.uri}, context)

    return {
        "on_list_resources": list_resources,
        "on_list_resource_templates": list_templates,
        "on_read_resource": read_resource,
    }


def _check_cursor(params: mcp_types.PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor is not None:
        raise MCPError(code=mcp_types.INVALID_PARAMS, message=ONE_PAGE)


def _check_room(calls: CallPool) -> None:
    if calls.is_full:  # a client of /sse has any number of calls under way
        raise MCPError(code=TRY_AGAIN, message="Too many calls are waiting: try again in a moment")


async def _ask_about_files(
    pool: CallPool, tool: Tool, arguments: Mapping[str, object], context: Context
) -> JsonObject:
    """Return the result of a method about resources."""
    _check_room(pool)
    cancelled = threading.Event()
    try:
        answer = await _run_in(
            pool, tool, arguments, CallContext(cancelled.is_set, None, _name_client(context))
        )
    finally:
        cancelled.set()
    if not isinstance(answer, ToolAnswer):
        raise MCPError(code=mcp_types.INTERNAL_ERROR, message="internal error")
    if not answer.is_error:
        return {**answer.structured, **NOT_KEPT}
    code, message, data = read_error(answer, modern=context.protocol_version == MODERN_VERSION)
    raise MCPError(code=code, message=message, data=data)


async def _declare_tasks(context: Context, call_next: CallNext) -> HandlerResult:
    """Add the capability to the answer to `initialize`: the SDK cannot say it of one version alone."""
    result = await call_next(context)
    if context.method != "initialize" or not isinstance(result, dict):
        return result
    if result["protocolVersion"] == TASKS_VERSION:
        result["capabilities"] = {"tasks": TASKS_CAPABILITY} | result["capabilities"]
    return result


async def _call(pool: CallPool, tool: Tool, arguments: Mapping[str, object], context: Context) -> JsonObject:
    cancelled = threading.Event()
    wants_progress = context.meta is not None and context.meta.get("progress_token") is not None
    relay = _ProgressRelay(context.session) if wants_progress else None
    report = None if relay is None else relay.put
    round_ = _find_round(context)
    ask = None if round_ is None else round_.ask
    call_context = CallContext(cancelled.is_set, report, _name_client(context), ask)
    try:
        if relay is None:
            return _render(await _run_in(pool, tool, arguments, call_context), round_)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(relay.send_regularly)
            outcome = await _run_in(pool, tool, arguments, call_context)
            tasks.cancel_scope.cancel()
        await relay.send_latest()
        return _render(outcome, round_)
    finally:
        cancelled.set()  # the thread of a call that nobody awaits sees it and ends


def _find_round(context: Context) -> Round | None:
    """Return the round in which the client's model is asked; None when it cannot be."""
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.sampling is None or context.protocol_version != MODERN_VERSION:
        return None
    try:
        return read_round(context.params or {})
    except RequestRefused as refused:
        raise MCPError(code=refused.code, message=refused.message) from None


def _name_client(context: Context) -> tuple[str, str]:
    params = context.session.client_params
    return ("", "") if params is None else (params.client_info.name, params.client_info.version)


def _describe(tool: Tool, offers_tasks: bool) -> mcp_types.Tool:
    hints = tool.annotations
    may_be_task = tool.may_be_task and offers_tasks
    return mcp_types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=show_schema(tool.input_schema),
        output_schema=dict(tool.output_schema),
        annotations=mcp_types.ToolAnnotations(
            title=tool.title,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
        icons=[mcp_types.Icon.model_validate(describe_icon(tool.icon))] if tool.icon else None,
        execution=mcp_types.ToolExecution(task_support="optional") if may_be_task else None,
        _meta=SHOWN_AT_ONCE if tool.is_beginning else None,
    )


def _render(outcome: Outcome, round_: Round | None) -> JsonObject:
    if isinstance(outcome, Question) and round_ is not None:
        return round_.describe(outcome)
    if not isinstance(outcome, ToolAnswer):
        raise MCPError(code=mcp_types.INTERNAL_ERROR, message="internal error")
    return {
        "content": [
            {"type": "text", "text": outcome.text},
            *(describe_block(block) for block in outcome.blocks),
        ],
        "structuredContent": dict(outcome.structured),
        "isError": outcome.is_error,
        "resultType": "complete",
    }
