"""The requests of a client, read or refused with the error that it gets; and our answers, as the bytes sent.

Two eras. In the first, `initialize` opens the session and chooses one of HANDSHAKE_VERSIONS. In the second
each request carries an envelope in `_meta`:

    {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
     "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": {…}}

The server checks the fields that it reads, and a refusal names the field. It does not check others: a
client with an odd capability, or a parameter of another version, is served all the same. Tests compare this
with the SDK's server, and list where the two differ.

    {"jsonrpc":"2.0","id":7,"result":{"content":[{"text":"{\\"ok\\":true}","type":"text"}],"isError":false,
     "structuredContent":{"ok":true}}}

The keys of an answer are in the order of the SDK's models: alphabetical, followed by those of its base
models. Those of a tool's schemas are in the tool's order. Tests compare the bytes with those of the SDK, in
every version of the protocol. Results of the second era name their kind and the server. A tool's JSON is
encoded once, by the tool: it is sent as it is in `structuredContent`, and as a string in `content`.

Pure. Left out on purpose: the state of the session, the arguments of tools, and what is said of tasks
(`repo_mcp.protocol.task_methods`).
"""

from __future__ import annotations

from repo_mcp.protocol.frames import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    JsonObject,
    RequestId,
    encode_frame,
    encode_json,
    end_frame,
    is_encodable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from repo_mcp.protocol.tool_model import Tool, ToolAnswer


HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
TASKS_VERSION = "2025-11-25"  # the one version of the first era that has tasks
MODERN_VERSION = "2026-07-28"
RESOURCE_METHODS = frozenset(("resources/list", "resources/read", "resources/templates/list"))
TASKS_EXTENSION = "io.modelcontextprotocol/tasks"  # tasks in the second era
UNSUPPORTED_VERSION = -32022
ONE_PAGE = "There is one page: leave out the cursor"

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
_CLIENT_KEY = "io.modelcontextprotocol/clientInfo"


class RequestRefused(Exception):
    """The error with which a request is answered."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        """`data` is JSON; None leaves it out."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Caller:
    """The client behind a request, as it describes itself: not to be trusted."""

    __slots__ = ("has_roots", "name", "progress_token", "samples", "takes_tasks", "version")

    def __init__(
        self, name: str, version: str, progress_token: RequestId | None = None, *, samples: bool = False
    ) -> None:
        """`progress_token` is None when no progress is wanted. `samples`: the client's model can be asked."""
        self.name = name
        self.version = version
        self.progress_token = progress_token
        self.samples = samples
        self.takes_tasks = False  # a client of the second era can allow any call to be answered with one
        self.has_roots = False  # the client can be asked for the directories that its user works in


def refuse_method(method: str) -> RequestRefused:
    """Return the error for a method that this server does not have."""
    return RequestRefused(METHOD_NOT_FOUND, "Method not found", method)


def refuse_params(fault: str) -> RequestRefused:
    """Return the error for parameters that are not as they must be."""
    return RequestRefused(INVALID_PARAMS, f"Invalid params: {fault}")


# Requests of the first era


def read_opening(params: JsonObject) -> tuple[str, Caller]:
    """Return the version to speak and the client of an `initialize`. Raises RequestRefused."""
    asked = params.get("protocolVersion")
    if not isinstance(asked, str):
        raise refuse_params("protocolVersion must be a string")
    client = _read_client(params, "clientInfo")
    if client is None:
        raise refuse_params("clientInfo is missing")
    _note_capabilities(client, params, "capabilities")
    read_progress_token(params)
    return (asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]), client


def read_progress_token(params: JsonObject) -> RequestId | None:
    """Return the token under which progress is wanted; None without one. Raises RequestRefused.

    A token that no UTF-8 can carry is none: nothing could be sent under it.
    """
    meta = params.get("_meta")
    if meta is None:
        return None
    if not isinstance(meta, dict):
        raise refuse_params("_meta must be an object")
    if "progressToken" not in meta:
        return None
    token = meta["progressToken"]
    if isinstance(token, bool) or not isinstance(token, int | str):
        raise refuse_params("_meta.progressToken must be a string or an integer")
    return token if isinstance(token, int) or is_encodable(token) else None


# Requests of the second era


def has_envelope(params: JsonObject) -> bool:
    """Return True for a request of the second era, whatever is wrong with it."""
    meta = params.get("_meta")
    return isinstance(meta, dict) and _VERSION_KEY in meta


def refuse_opening(params: JsonObject) -> RequestRefused:
    """Return the error for an `initialize` in the second era."""
    asked = params.get("protocolVersion")
    return _refuse_version(
        f"connection is serving the {MODERN_VERSION} protocol; the initialize handshake is not accepted",
        asked if isinstance(asked, str) and is_encodable(asked) else None,
    )


def check_envelope(params: JsonObject) -> None:
    """Raise RequestRefused for a request without an envelope of the version that is spoken."""
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        raise RequestRefused(
            INVALID_PARAMS,
            f"params._meta must be an object carrying the required {_VERSION_KEY!r} and"
            f" {_CAPABILITIES_KEY!r} envelope keys",
        )
    missing = [key for key in (_VERSION_KEY, _CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise RequestRefused(
            INVALID_PARAMS, f"params._meta is missing the required envelope key(s): {', '.join(missing)}"
        )
    asked = meta[_VERSION_KEY]
    if not isinstance(asked, str):
        raise RequestRefused(INVALID_PARAMS, "the protocol-version envelope value must be a string")
    if asked != MODERN_VERSION:
        raise _refuse_version("Unsupported protocol version", asked if is_encodable(asked) else None)


def read_caller(params: JsonObject) -> Caller:
    """Return the client behind a request whose envelope was checked. Raises RequestRefused."""
    token = read_progress_token(params)
    meta = params["_meta"]
    assert isinstance(meta, dict)
    client = _read_client(meta, _CLIENT_KEY) or Caller("", "")
    client.progress_token = token
    _note_capabilities(client, meta, _CAPABILITIES_KEY)
    return client


def _refuse_version(message: str, asked: str | None) -> RequestRefused:
    requested: JsonObject = {} if asked is None else {"requested": asked}
    return RequestRefused(UNSUPPORTED_VERSION, message, {"supported": [MODERN_VERSION]} | requested)


# Requests of both eras


def check_cursor(params: JsonObject) -> None:
    """Raise RequestRefused for the cursor of a page: every list has one page."""
    cursor = params.get("cursor")
    if cursor is not None and not isinstance(cursor, str):
        raise refuse_params("cursor must be a string")
    if cursor is not None:
        raise RequestRefused(INVALID_PARAMS, ONE_PAGE)


def read_call(params: JsonObject) -> tuple[str, JsonObject]:
    """Return the tool that a `tools/call` names, and its arguments. Raises RequestRefused."""
    name = params.get("name")
    if not isinstance(name, str):
        raise refuse_params("name must be a string")
    return name, read_object(params, "arguments") or {}


def read_uri(params: JsonObject) -> str:
    """Return the URI that a `resources/read` names. Raises RequestRefused."""
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise refuse_params("uri must be a string")
    return uri


def read_object(params: JsonObject, name: str) -> JsonObject | None:
    """Return an object among the parameters; None where it is left out or null. Raises RequestRefused."""
    value = params.get(name)
    if value is None or isinstance(value, dict):
        return value
    raise refuse_params(f"{name} must be an object")


def _read_client(holder: JsonObject, key: str) -> Caller | None:
    info = read_object(holder, key)
    if info is None:
        return None
    name, version = info.get("name"), info.get("version")
    if not isinstance(name, str) or not isinstance(version, str):
        raise refuse_params(f"{key}.name and {key}.version must be strings")
    return Caller(name, version)


def _note_capabilities(client: Caller, holder: JsonObject, key: str) -> None:
    capabilities = read_object(holder, key)
    if capabilities is None:
        raise refuse_params(f"{key} must be an object")
    client.samples = read_object(capabilities, "sampling") is not None
    # Most servers have no use for them, so a wrong type is not refused.
    client.has_roots = isinstance(capabilities.get("roots"), dict)
    extensions = read_object(capabilities, "extensions") or {}
    client.takes_tasks = read_object(extensions, TASKS_EXTENSION) is not None


# Answers

SERVER_NAME = "repo-mcp"
SERVER_TITLE = "Repository search"
# Cannot occur within a string, where a backslash precedes each quote.
_EXECUTION = ',"execution":{"taskSupport":"optional"}'
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
        """Return the answer to an `initialize`; `version` is the protocol used, whatever was requested."""
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
        """Return the capabilities of both eras, and whether changes are announced to the client."""
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

    def stored(self, request_id: RequestId, result: str, meta: str) -> bytes:
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
    token: RequestId, done: float, total: float, message: str, meta: JsonObject | None
) -> bytes:
    """Return the frame of a notification of progress. Raises ValueError for NaN and lone surrogates."""
    params: JsonObject = {"progressToken": token, "progress": done, "total": total, "message": message}
    return encode_notification("notifications/progress", params if meta is None else params | {"_meta": meta})


def encode_notification(method: str, params: JsonObject) -> bytes:
    """Return the frame of any notification. Raises UnicodeEncodeError for a lone surrogate."""
    return encode_frame({"jsonrpc": "2.0", "method": method, "params": params})


def _frame(request_id: RequestId, result: str) -> bytes:
    return end_frame(f'{{"jsonrpc":"2.0","id":{encode_json(request_id)},"result":{result}}}')
