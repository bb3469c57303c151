"""The conversation as ordinary clients hold it: which requests are plain, and the bytes of their answers.

A plain request is one whose answer by the SDK is known here to the last byte, so that it can be given
before the SDK is imported, and for most clients without importing it at all. What is plain is drawn
narrowly: an unknown capability, a null where a value may be left out, a cursor or a lone surrogate is left
to the SDK, and so is every refusal that says what is wrong with a request. Tests compare with the
SDK in every protocol version, and let random requests look for one that is answered otherwise.

Two eras. In the first, `initialize` opens the conversation and chooses one of HANDSHAKE_VERSIONS; all of
them give the same answers. In the second each request carries an envelope in `_meta`:

    {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
     "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": {…}}

Keys stand in the order of the SDK's models: by the alphabet, what its base models declare behind. Pure.
Left out on purpose: the state of the conversation, and running a tool.
"""

from __future__ import annotations

from repo_mcp.frames import JsonObject, RequestId, encode_error, encode_json, end_frame, is_encodable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from repo_mcp.tool_model import Tool, ToolAnswer

SERVER_NAME = "repo-mcp"
SERVER_TITLE = "Repository search"
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSION = "2026-07-28"
METHOD_NOT_FOUND = -32601
# What clients ask of every server, whatever it says it offers. There is nothing of it here.
NOT_OFFERED = frozenset({"prompts/list", "resources/list", "resources/templates/list"})

_PREFIX = "io.modelcontextprotocol/"
_VERSION_KEY = _PREFIX + "protocolVersion"
_CAPABILITIES_KEY = _PREFIX + "clientCapabilities"
_CLIENT_KEY = _PREFIX + "clientInfo"
_ENVELOPE_KEYS = frozenset({_VERSION_KEY, _CAPABILITIES_KEY, _CLIENT_KEY})
_CLIENT_TEXTS = frozenset({"name", "version", "title", "description", "websiteUrl"})
# Known capabilities -> what may stand in them: bool, or an object of anything.
_CAPABILITIES: Mapping[str, Mapping[str, type]] = {
    "roots": {"listChanged": bool},
    "sampling": {"context": dict, "tools": dict},
    "elicitation": {"form": dict, "url": dict},
}
_NAMED_OBJECTS = frozenset({"experimental"})  # an object of objects, whatever their names
_SCHEMA_KEYS = ("$schema", "properties", "required", "type")
_MODERN_INPUT_KEYS = ("$schema", "type")
_MODERN_OUTPUT_KEYS = ("$schema",)
_PARAMS_OF_A_LIST = frozenset({"_meta"})
_PARAMS_OF_A_CALL = frozenset({"name", "arguments", "_meta"})


class Caller:
    """Who asks, as the client says it; `progress_token` is None when no progress is asked for."""

    __slots__ = ("name", "progress_token", "version")

    def __init__(self, name: str, version: str, progress_token: RequestId | None = None) -> None:
        self.name = name
        self.version = version
        self.progress_token = progress_token


class Opening:
    """A plain `initialize`: the version that is spoken from then on, and the client."""

    __slots__ = ("client", "version")

    def __init__(self, version: str, client: Caller) -> None:
        self.version = version
        self.client = client


def read_opening(params: JsonObject | None) -> Opening | None:
    """The opening in the params of a plain `initialize`; None for what the SDK must judge."""
    if params is None or not params.keys() <= {"protocolVersion", "capabilities", "clientInfo", "_meta"}:
        return None
    asked, client = params.get("protocolVersion"), _read_client(params.get("clientInfo"))
    if not isinstance(asked, str) or not is_encodable(asked) or client is None:
        return None
    if not _are_plain_capabilities(params.get("capabilities")) or not has_plain_meta(params):
        return None
    return Opening(asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1], client)


def has_plain_meta(params: JsonObject) -> bool:
    """True when `_meta` is absent, or holds nothing that means something but a progress token."""
    if "_meta" not in params:
        return True
    meta = params["_meta"]
    return isinstance(meta, dict) and _is_plain_meta(meta, frozenset())


def read_envelope(params: JsonObject | None) -> Caller | None:
    """The caller in the plain envelope of the second era; None without one, or when the SDK must judge."""
    meta = None if params is None else params.get("_meta")
    if not isinstance(meta, dict) or not _is_plain_meta(meta, _ENVELOPE_KEYS):
        return None
    if meta.get(_VERSION_KEY) != MODERN_VERSION or not _are_plain_capabilities(meta.get(_CAPABILITIES_KEY)):
        return None
    client = _read_client(meta[_CLIENT_KEY]) if _CLIENT_KEY in meta else Caller("", "")
    if client is not None:
        client.progress_token = meta.get("progressToken")
    return client


def _is_plain_meta(meta: JsonObject, meant: frozenset[str]) -> bool:
    token = meta.get("progressToken", 0)
    usable = is_encodable(token) if isinstance(token, str) else type(token) is int and abs(token) < 1 << 63
    return usable and all(
        is_encodable(key) and key != "progress_token" and (key in meant or not key.startswith(_PREFIX))
        for key in meta
    )


def _read_client(info: object) -> Caller | None:
    if not isinstance(info, dict) or not info.keys() <= _CLIENT_TEXTS:
        return None
    if not all(isinstance(text, str) and is_encodable(text) for text in info.values()):
        return None
    name, version = info.get("name"), info.get("version")
    return Caller(name, version) if isinstance(name, str) and isinstance(version, str) else None


def _are_plain_capabilities(capabilities: object) -> bool:
    return isinstance(capabilities, dict) and all(
        isinstance(value, dict) and _is_plain_capability(name, value) for name, value in capabilities.items()
    )


def _is_plain_capability(name: str, value: JsonObject) -> bool:
    if name in _NAMED_OBJECTS:
        return all(isinstance(one, dict) and not one and is_encodable(key) for key, one in value.items())
    known = _CAPABILITIES.get(name)
    if known is None:
        return False
    return all(
        key in known and type(one) is known[key] and (known[key] is bool or not one)
        for key, one in value.items()
    )


def is_plain_list(params: JsonObject | None) -> bool:
    """True for the params of a request that takes none, or only a cursor and that is not given."""
    return params is None or params.keys() <= _PARAMS_OF_A_LIST


def read_call(params: JsonObject | None) -> tuple[str, JsonObject] | None:
    """The tool and the arguments of a plain `tools/call`; None for what the SDK must judge."""
    if params is None or not params.keys() <= _PARAMS_OF_A_CALL:
        return None
    name, arguments = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or not is_encodable(name) or not isinstance(arguments, dict):
        return None
    return name, arguments


class Answers:
    """The answers of one server, as frames."""

    def __init__(self, version: str, instructions: str) -> None:
        """`version` is the server's own."""
        self._instructions = instructions
        self._server = {"name": SERVER_NAME, "title": SERVER_TITLE, "version": version}
        stamp = encode_json({_PREFIX + "serverInfo": self._server})
        self._stamp = f',"_meta":{stamp}'
        self._tools = {False: "", True: ""}

    def set_tools(self, tools: Iterable[Tool]) -> None:
        """What `list_tools` answers from now on."""
        listed = list(tools)
        for modern in self._tools:
            self._tools[modern] = encode_json([_describe(tool, modern) for tool in listed])

    def initialize(self, request_id: RequestId, version: str) -> bytes:
        """The answer to a plain `initialize`."""
        result: JsonObject = {"capabilities": {"tools": {"listChanged": False}}}
        if self._instructions:
            result["instructions"] = self._instructions
        result |= {"protocolVersion": version, "serverInfo": self._server}
        return _frame(request_id, encode_json(result))

    def discover(self, request_id: RequestId) -> bytes:
        """The answer to a plain `server/discover`."""
        result: JsonObject = {"cacheScope": "private", "capabilities": {"tools": {"listChanged": False}}}
        if self._instructions:
            result["instructions"] = self._instructions
        result |= {"resultType": "complete", "supportedVersions": [MODERN_VERSION], "ttlMs": 0}
        return _frame(request_id, encode_json(result)[:-1] + self._stamp + "}")

    def ping(self, request_id: RequestId) -> bytes:
        """The answer to a plain `ping`."""
        return _frame(request_id, "{}")

    def list_tools(self, request_id: RequestId, *, modern: bool) -> bytes:
        """The answer to a plain `tools/list`."""
        tools = self._tools[modern]
        if not modern:
            return _frame(request_id, f'{{"tools":{tools}}}')
        result = f'{{"cacheScope":"private","resultType":"complete","tools":{tools},"ttlMs":0{self._stamp}}}'
        return _frame(request_id, result)

    def call(self, request_id: RequestId, answer: ToolAnswer, *, modern: bool) -> bytes:
        """The answer of a tool. UnicodeEncodeError when it holds a lone surrogate."""
        is_error = "true" if answer.is_error else "false"
        kind, stamp = (',"resultType":"complete"', self._stamp) if modern else ("", "")
        return _frame(
            request_id,
            f'{{"content":[{{"text":{encode_json(answer.text)},"type":"text"}}],"isError":{is_error}{kind},'
            f'"structuredContent":{answer.text}{stamp}}}',
        )


def refuse_method(request_id: RequestId, method: str) -> bytes:
    """The answer to a request for what is not offered."""
    return encode_error(request_id, METHOD_NOT_FOUND, "Method not found", method)


def encode_progress(token: RequestId, done: float, total: float, message: str) -> bytes:
    """A notification of progress."""
    params = encode_json({"progressToken": token, "progress": done, "total": total, "message": message})
    return end_frame(f'{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}')


def _frame(request_id: RequestId, result: str) -> bytes:
    return end_frame(f'{{"jsonrpc":"2.0","id":{encode_json(request_id)},"result":{result}}}')


def _describe(tool: Tool, modern: bool) -> JsonObject:
    hints = tool.annotations
    return {
        "annotations": {
            "destructiveHint": hints.destructive,
            "idempotentHint": hints.idempotent,
            "openWorldHint": hints.open_world,
            "readOnlyHint": hints.read_only,
            "title": tool.title,
        },
        "description": tool.description,
        "inputSchema": _order(tool.input_schema, _MODERN_INPUT_KEYS if modern else _SCHEMA_KEYS),
        "name": tool.name,
        "outputSchema": _order(tool.output_schema, _MODERN_OUTPUT_KEYS if modern else _SCHEMA_KEYS),
        "title": tool.title,
    }


def _order(schema: Mapping[str, object], declared: tuple[str, ...]) -> JsonObject:
    """The keys that the SDK's model of a schema declares, then the others as they stand."""
    first = [key for key in declared if key in schema]
    return {key: schema[key] for key in [*first, *(key for key in schema if key not in first)]}
