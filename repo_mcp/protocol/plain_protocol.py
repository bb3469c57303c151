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
Left out on purpose: the state of the conversation, running a tool, and what is said of tasks.
"""

from __future__ import annotations

from repo_mcp.protocol.frames import (
    JsonObject,
    RequestId,
    encode_error,
    encode_frame,
    encode_json,
    end_frame,
    is_encodable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from repo_mcp.protocol.tool_model import Tool, ToolAnswer

SERVER_NAME = "repo-mcp"
SERVER_TITLE = "Repository search"
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
TASKS_VERSION = "2025-11-25"  # the one version of the first era that has tasks
MODERN_VERSION = "2026-07-28"
TASKS_EXTENSION = "io.modelcontextprotocol/tasks"  # what they are in the second era
METHOD_NOT_FOUND = -32601
TASKS_CAPABILITY: JsonObject = {"cancel": {}, "list": {}, "requests": {"tools": {"call": {}}}}
# What clients ask of every server, whatever it says it offers. There is nothing of it here.
NOT_OFFERED = frozenset({"prompts/list", "resources/list", "resources/templates/list"})

_PREFIX = "io.modelcontextprotocol/"
_VERSION_KEY = _PREFIX + "protocolVersion"
_CAPABILITIES_KEY = _PREFIX + "clientCapabilities"
_CLIENT_KEY = _PREFIX + "clientInfo"
_LEVEL_KEY = _PREFIX + "logLevel"  # the log messages that a client wants; there are none
_ENVELOPE_KEYS = frozenset({_VERSION_KEY, _CAPABILITIES_KEY, _CLIENT_KEY, _LEVEL_KEY})
_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_CLIENT_TEXTS = frozenset({"name", "version", "title", "description", "websiteUrl"})
# Known capabilities -> what may stand in them: bool, or an object of known keys.
_Shape = dict[str, "type[bool] | _Shape"]
_CAPABILITIES: _Shape = {
    "roots": {"listChanged": bool},
    "sampling": {"context": {}, "tools": {}},
    "elicitation": {"form": {}, "url": {}},
    "tasks": {
        "list": {},
        "cancel": {},
        "requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}},
    },
}
_EXPERIMENTAL = "experimental"  # objects of nothing, whatever their names
_EXTENSIONS = "extensions"  # objects of anything, whatever their names
_PARAMS_OF_A_LIST = frozenset({"_meta"})
_PARAMS_OF_A_CALL = frozenset({"name", "arguments", "_meta"})
_PARAMS_OF_A_RETRY = _PARAMS_OF_A_CALL | {"inputResponses", "requestState"}
_SAMPLED_TEXTS = frozenset({"role", "model", "stopReason"})


class Caller:
    """Who asks, as the client says it; `progress_token` is None when no progress is asked for."""

    __slots__ = ("name", "progress_token", "samples", "takes_tasks", "version")

    def __init__(
        self,
        name: str,
        version: str,
        progress_token: RequestId | None = None,
        *,
        samples: bool = False,
        takes_tasks: bool = False,
    ) -> None:
        """`samples`: its model can be asked. `takes_tasks`: it has said so, as the second era wants it."""
        self.name = name
        self.version = version
        self.progress_token = progress_token
        self.samples = samples
        self.takes_tasks = takes_tasks


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
    capabilities = params.get("capabilities")
    if not _are_plain_capabilities(capabilities) or not has_plain_meta(params):
        return None
    client.samples = can_sample(capabilities)
    return Opening(asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1], client)


def read_any_opening(params: JsonObject | None) -> Opening:
    """The opening in the params of an `initialize` that need not be plain: no version when it shows none."""
    given = params or {}
    asked, client = given.get("protocolVersion"), _read_client(given.get("clientInfo")) or Caller("", "")
    client.samples = can_sample(given.get("capabilities"))
    if not isinstance(asked, str):
        return Opening("", client)
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
    if meta.get(_LEVEL_KEY, "info") not in _LEVELS:
        return None
    client = _read_client(meta[_CLIENT_KEY]) if _CLIENT_KEY in meta else Caller("", "")
    if client is not None:
        client.progress_token = meta.get("progressToken")
        _note_capabilities(client, meta[_CAPABILITIES_KEY])
    return client


def read_progress_token(params: JsonObject | None) -> RequestId | None:
    """The token under which progress is asked for, if it is."""
    meta = None if params is None else params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if isinstance(token, str):
        return token if is_encodable(token) else None
    return token if isinstance(token, int) and not isinstance(token, bool) else None


def read_any_envelope(params: JsonObject | None) -> Caller | None:
    """The caller in an envelope that need not be plain. None without one of the version we speak."""
    meta = None if params is None else params.get("_meta")
    if not isinstance(meta, dict) or meta.get(_VERSION_KEY) != MODERN_VERSION:
        return None
    client = _read_client(meta.get(_CLIENT_KEY)) or Caller("", "")
    _note_capabilities(client, meta.get(_CAPABILITIES_KEY))
    return client


def has_envelope(params: JsonObject | None) -> bool:
    """True for a request of the second era, whatever is wrong with it."""
    meta = None if params is None else params.get("_meta")
    return isinstance(meta, dict) and _VERSION_KEY in meta


def can_sample(capabilities: object) -> bool:
    """True for the capabilities of a client whose model can be asked."""
    return isinstance(capabilities, dict) and isinstance(capabilities.get("sampling"), dict)


def _note_capabilities(client: Caller, capabilities: object) -> None:
    client.samples = can_sample(capabilities)
    extensions = capabilities.get(_EXTENSIONS) if isinstance(capabilities, dict) else None
    client.takes_tasks = isinstance(extensions, dict) and isinstance(extensions.get(TASKS_EXTENSION), dict)


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
    if name == _EXPERIMENTAL:
        return all(isinstance(one, dict) and not one and is_encodable(key) for key, one in value.items())
    if name == _EXTENSIONS:
        return all(isinstance(one, dict) for one in value.values()) and is_encodable(encode_json(value))
    return name in _CAPABILITIES and _fits(value, _CAPABILITIES[name])


def _fits(value: object, shape: type[bool] | _Shape) -> bool:
    if not isinstance(shape, dict):
        return type(value) is shape
    return isinstance(value, dict) and all(
        key in shape and _fits(one, shape[key]) for key, one in value.items()
    )


def is_plain_list(params: JsonObject | None) -> bool:
    """True for the params of a request that takes none, or only a cursor and that is not given."""
    return params is None or params.keys() <= _PARAMS_OF_A_LIST


def read_call(params: JsonObject | None, *, modern: bool = False) -> tuple[str, JsonObject] | None:
    """The tool and the arguments of a plain `tools/call`; None for what the SDK must judge."""
    if params is None or not params.keys() <= (_PARAMS_OF_A_RETRY if modern else _PARAMS_OF_A_CALL):
        return None
    name, arguments = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or not is_encodable(name) or not isinstance(arguments, dict):
        return None
    state, responses = params.get("requestState", ""), params.get("inputResponses", {})
    if not isinstance(state, str) or not isinstance(responses, dict):
        return None
    return (name, arguments) if all(map(_is_sampled_text, responses.values())) else None


def _is_sampled_text(response: object) -> bool:
    """True for what a client's model said, when it is plain text."""
    if not isinstance(response, dict) or not response.keys() <= _SAMPLED_TEXTS | {"content"}:
        return False
    content = response.get("content")
    return (
        response.get("role") in ("user", "assistant")
        and isinstance(response.get("model"), str)
        and isinstance(response.get("stopReason", ""), str)
        and isinstance(content, dict)
        and content.keys() == {"type", "text"}
        and content["type"] == "text"
        and isinstance(content["text"], str)
        and is_encodable(encode_json(response))
    )


class Answers:
    """The answers of one server, as frames."""

    def __init__(self, version: str, instructions: str, *, offers_tasks: bool = False) -> None:
        """`version` is the server's own. `offers_tasks`: some tool may be called as a task."""
        self.offers_tasks = offers_tasks
        self._instructions = instructions
        self._server = {"name": SERVER_NAME, "title": SERVER_TITLE, "version": version}
        stamp = encode_json({_PREFIX + "serverInfo": self._server})
        self._stamp = f',"_meta":{stamp}'
        self._listing: Mapping[bool, str] = {}

    @property
    def has_listing(self) -> bool:
        """True when `list_tools` can answer."""
        return bool(self._listing)

    def set_tools(self, tools: Iterable[Tool]) -> None:
        """What `list_tools` answers from now on."""
        from repo_mcp.protocol.tool_listing import describe_tool

        listed = list(tools)
        self.set_listing(
            {
                modern: encode_json(
                    [describe_tool(tool, modern=modern, offers_tasks=self.offers_tasks) for tool in listed]
                )
                for modern in (False, True)
            }
        )

    def set_listing(self, listing: Mapping[bool, str]) -> None:
        """The same with the tools as a JSON array for each era, by whether it is the second."""
        self._listing = listing

    def initialize(self, request_id: RequestId, version: str) -> bytes:
        """The answer to a plain `initialize`."""
        capabilities: JsonObject = {"tools": {"listChanged": False}}
        if self.offers_tasks and version == TASKS_VERSION:
            capabilities = {"tasks": TASKS_CAPABILITY} | capabilities
        result: JsonObject = {"capabilities": capabilities}
        if self._instructions:
            result["instructions"] = self._instructions
        result |= {"protocolVersion": version, "serverInfo": self._server}
        return _frame(request_id, encode_json(result))

    def discover(self, request_id: RequestId) -> bytes:
        """The answer to a plain `server/discover`."""
        capabilities: JsonObject = {"tools": {"listChanged": False}}
        if self.offers_tasks:
            capabilities = {_EXTENSIONS: {TASKS_EXTENSION: {}}} | capabilities
        result: JsonObject = {"cacheScope": "private", "capabilities": capabilities}
        if self._instructions:
            result["instructions"] = self._instructions
        result |= {"resultType": "complete", "supportedVersions": [MODERN_VERSION], "ttlMs": 0}
        return _frame(request_id, encode_json(result)[:-1] + self._stamp + "}")

    def ping(self, request_id: RequestId) -> bytes:
        """The answer to a plain `ping`."""
        return _frame(request_id, "{}")

    def list_tools(self, request_id: RequestId, *, modern: bool) -> bytes:
        """The answer to a plain `tools/list`, when there is a listing."""
        tools = self._listing[modern]
        if not modern:
            return _frame(request_id, f'{{"tools":{tools}}}')
        result = f'{{"cacheScope":"private","resultType":"complete","tools":{tools},"ttlMs":0{self._stamp}}}'
        return _frame(request_id, result)

    def call(self, request_id: RequestId, answer: ToolAnswer, *, modern: bool) -> bytes:
        """The answer of a tool. UnicodeEncodeError when it holds a lone surrogate."""
        return self.stored(request_id, encode_result(answer, modern=modern), self._stamp if modern else "")

    def stored(self, request_id: RequestId, result: str, meta: str = "") -> bytes:
        """A result of `encode_result`; `meta` is the JSON of one more member, with the comma before it."""
        return _frame(request_id, result[:-1] + meta + "}")

    def result(self, request_id: RequestId, result: JsonObject, *, modern: bool, more: str = "") -> bytes:
        """Any other result; `more` is the JSON of further members, each with the comma before it.

        In the second era it says what kind it is, "complete" unless it says otherwise.
        """
        if modern and "resultType" not in result:
            result = result | {"resultType": "complete"}
        body = encode_json(result)
        return _frame(request_id, body[:-1] + more + (self._stamp if modern else "") + "}")


def encode_result(answer: ToolAnswer, *, modern: bool) -> str:
    """What a tool gave, as the JSON of a result."""
    is_error = "true" if answer.is_error else "false"
    kind = ',"resultType":"complete"' if modern else ""
    content = f'{{"text":{encode_json(answer.text)},"type":"text"}}'
    if answer.blocks:
        from repo_mcp.protocol.content import describe_block

        content = ",".join([content, *(encode_json(describe_block(block)) for block in answer.blocks)])
    structured = encode_json(answer.structured)  # not the text: it may be in another form
    return f'{{"content":[{content}],"isError":{is_error}{kind},"structuredContent":{structured}}}'


def refuse_method(request_id: RequestId, method: str) -> bytes:
    """The answer to a request for what is not offered."""
    return encode_error(request_id, METHOD_NOT_FOUND, "Method not found", method)


def encode_progress(
    token: RequestId, done: float, total: float, message: str, meta: JsonObject | None = None
) -> bytes:
    """A notification of progress."""
    params: JsonObject = {"progressToken": token, "progress": done, "total": total, "message": message}
    return encode_notification("notifications/progress", params if meta is None else params | {"_meta": meta})


def encode_notification(method: str, params: JsonObject) -> bytes:
    """Any notification. UnicodeEncodeError for a lone surrogate."""
    return encode_frame({"jsonrpc": "2.0", "method": method, "params": params})


def _frame(request_id: RequestId, result: str) -> bytes:
    return end_frame(f'{{"jsonrpc":"2.0","id":{encode_json(request_id)},"result":{result}}}')
