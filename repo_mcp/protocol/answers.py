"""The answers of this server, as the bytes that are sent.

    {"jsonrpc":"2.0","id":7,"result":{"content":[{"text":"{\\"ok\\":true}","type":"text"}],"isError":false,
     "structuredContent":{"ok":true}}}

Keys stand in the order of the SDK's models, by the alphabet with what its base models declare behind; those
of a tool's schemas stand as the tool has them. Tests compare the bytes with those of the SDK, in every
version of the protocol. Results of the second era name their kind and the server. A tool's JSON is encoded
once, by the tool: it is sent as it is in `structuredContent`, and as a string in `content`. Pure.

Left out on purpose: what is said of tasks (`repo_mcp.protocol.task_methods`).
"""

from __future__ import annotations

from repo_mcp.protocol.frames import (
    JsonObject,
    RequestId,
    encode_frame,
    encode_json,
    end_frame,
)
from repo_mcp.protocol.requests import MODERN_VERSION, TASKS_EXTENSION, TASKS_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from repo_mcp.protocol.tool_model import Tool, ToolAnswer

SERVER_NAME = "repo-mcp"
SERVER_TITLE = "Repository search"
_EXECUTION = ',"execution":{"taskSupport":"optional"}'  # in no string: there a backslash precedes each quote
# What the second era says with a list or a file: it is complete, and to be asked for again.
NOT_KEPT: JsonObject = {"cacheScope": "private", "resultType": "complete", "ttlMs": 0}
TASKS_CAPABILITY: JsonObject = {"cancel": {}, "list": {}, "requests": {"tools": {"call": {}}}}


class Answers:
    """The answers of one server, as frames."""

    def __init__(
        self,
        version: str,
        instructions: str,
        *,
        root: str = "",
        offers_tasks: bool = False,
        schemes: tuple[str, ...] = (),
    ) -> None:
        """`version` is the server's own, `root` a sentence on which repository is served.

        `offers_tasks`: some tool may be called as a task. `schemes` are those of the URIs of files; without
        one there are no resources.
        """
        self.offers_tasks = offers_tasks
        self.schemes = schemes
        self._instructions = instructions
        self._root = root
        self.has_client_roots = False  # the client names the repositories, and may name others later
        self._server = {"name": SERVER_NAME, "title": SERVER_TITLE, "version": version}
        stamp = encode_json({"io.modelcontextprotocol/serverInfo": self._server})
        self._stamp = f',"_meta":{stamp}'
        self._listing = ""

    @property
    def has_listing(self) -> bool:
        """Return True when `list_tools` can answer."""
        return bool(self._listing)

    def set_tools(self, tools: Iterable[Tool]) -> None:
        """List these tools from now on, in their order."""
        from repo_mcp.protocol.tool_listing import describe_tool

        self.set_listing(encode_json([describe_tool(tool, offers_tasks=self.offers_tasks) for tool in tools]))

    def set_listing(self, listing: str) -> None:
        """List tools that are encoded already: the JSON array of the first era."""
        self._listing = listing

    def expect_roots(self) -> None:
        """Say from now on that the repository is the client's root, and that tools may come to take more."""
        from repo_mcp.protocol.instructions import ROOT_OF_CLIENT

        self._root, self.has_client_roots = ROOT_OF_CLIENT, True

    def initialize(self, request_id: RequestId, version: str) -> bytes:
        """Return the answer to an `initialize`, whatever it asked for: `version` is spoken."""
        capabilities = self._declare(tools_change=self.has_client_roots, files_change=True)
        if self.offers_tasks and version == TASKS_VERSION:
            capabilities = {"tasks": TASKS_CAPABILITY} | capabilities
        result: JsonObject = {"capabilities": capabilities} | self._instruct()
        result |= {"protocolVersion": version, "serverInfo": self._server}
        return _frame(request_id, encode_json(result))

    def discover(self, request_id: RequestId) -> bytes:
        """Return the answer to a `server/discover`."""
        capabilities = self._declare(tools_change=False, files_change=False)
        if self.offers_tasks:
            capabilities = {"extensions": {TASKS_EXTENSION: {}}} | capabilities
        result: JsonObject = {"cacheScope": "private", "capabilities": capabilities} | self._instruct()
        result |= {"resultType": "complete", "supportedVersions": [MODERN_VERSION], "ttlMs": 0}
        return _frame(request_id, encode_json(result)[:-1] + self._stamp + "}")

    def _declare(self, *, tools_change: bool, files_change: bool) -> JsonObject:
        """Return the capabilities of both eras, and whether the client is told of changes."""
        files: JsonObject = {"resources": {"listChanged": files_change, "subscribe": False}}
        return (files if self.schemes else {}) | {"tools": {"listChanged": tools_change}}

    def _instruct(self) -> JsonObject:
        text = " ".join(filter(None, (self._instructions, self._root)))
        return {"instructions": text} if text else {}

    def ping(self, request_id: RequestId) -> bytes:
        """Return the answer to a `ping`."""
        return _frame(request_id, "{}")

    def list_tools(self, request_id: RequestId, *, modern: bool) -> bytes:
        """Return the answer to a `tools/list`. There must be a listing."""
        if not modern:
            return _frame(request_id, f'{{"tools":{self._listing}}}')
        tools = self._listing.replace(_EXECUTION, "")
        result = f'{{"cacheScope":"private","resultType":"complete","tools":{tools},"ttlMs":0{self._stamp}}}'
        return _frame(request_id, result)

    def resources(self, request_id: RequestId, result: Mapping[str, object], *, modern: bool) -> bytes:
        """Return the answer to any request about resources; in the second era it says not to keep it.

        Raises UnicodeEncodeError when it holds a lone surrogate.
        """
        if modern:
            result = dict(sorted({**result, **NOT_KEPT}.items()))
        return self.result(request_id, {**result}, modern=modern)

    def call(self, request_id: RequestId, answer: ToolAnswer, *, modern: bool) -> bytes:
        """Return the answer of a tool. Raises UnicodeEncodeError when it holds a lone surrogate."""
        return self.stored(request_id, encode_result(answer, modern=modern), self._stamp if modern else "")

    def stored(self, request_id: RequestId, result: str, meta: str = "") -> bytes:
        """Return an answer with a result of `encode_result`.

        `meta` is the JSON of one more member, with the comma before it.
        """
        return _frame(request_id, result[:-1] + meta + "}")

    def result(self, request_id: RequestId, result: JsonObject, *, modern: bool, more: str = "") -> bytes:
        """Return an answer with any other result.

        `more` is the JSON of further members, each with the comma before it.

        In the second era a result names its kind, "complete" unless it names another.
        """
        if modern and "resultType" not in result:
            result = result | {"resultType": "complete"}
        body = encode_json(result)
        return _frame(request_id, body[:-1] + more + (self._stamp if modern else "") + "}")


def encode_result(answer: ToolAnswer, *, modern: bool) -> str:
    """Return the JSON of the result that carries a tool's answer."""
    is_error = "true" if answer.is_error else "false"
    kind = ',"resultType":"complete"' if modern else ""
    content = f'{{"text":{encode_json(answer.text)},"type":"text"}}'
    if answer.blocks:
        from repo_mcp.protocol.tool_listing import describe_block

        content = ",".join([content, *(encode_json(describe_block(block)) for block in answer.blocks)])
    structured = answer.json or encode_json(answer.structured)
    return f'{{"content":[{content}],"isError":{is_error}{kind},"structuredContent":{structured}}}'


def encode_progress(
    token: RequestId, done: float, total: float, message: str, meta: JsonObject | None = None
) -> bytes:
    """Return the frame of a notification of progress. Raises ValueError for NaN and lone surrogates."""
    params: JsonObject = {"progressToken": token, "progress": done, "total": total, "message": message}
    return encode_notification("notifications/progress", params if meta is None else params | {"_meta": meta})


def encode_notification(method: str, params: JsonObject) -> bytes:
    """Return the frame of any notification. Raises UnicodeEncodeError for a lone surrogate."""
    return encode_frame({"jsonrpc": "2.0", "method": method, "params": params})


def _frame(request_id: RequestId, result: str) -> bytes:
    return end_frame(f'{{"jsonrpc":"2.0","id":{encode_json(request_id)},"result":{result}}}')
