"""The requests of a client: their parameters are read here, or refused with the error that it gets.

Two eras. In the first, `initialize` opens the session and chooses one of HANDSHAKE_VERSIONS. In the second
each request carries an envelope in `_meta`:

    {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
     "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": {…}}

What the server reads is judged, and a refusal names the field. What it does not read is not judged: a
client with an odd capability, or a parameter of another version, is served all the same. Tests hold this
against the SDK's server, and list where the two differ. Pure. Left out on purpose: the state of the session
and the arguments of tools."""

from __future__ import annotations

from repo_mcp.protocol.frames import INVALID_PARAMS, METHOD_NOT_FOUND, JsonObject, RequestId, is_encodable

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
    """The client behind a request, as it describes itself: not to be believed."""

    __slots__ = ("has_roots", "name", "progress_token", "samples", "takes_tasks", "version")

    def __init__(
        self,
        name: str,
        version: str,
        progress_token: RequestId | None = None,
        *,
        samples: bool = False,
        takes_tasks: bool = False,
        has_roots: bool = False,
    ) -> None:
        """`progress_token` is None when no progress is wanted. `samples`: the client's model can be asked.

        `takes_tasks`: any call may be answered with a task, which a client of the second era can allow.
        `has_roots`: it can be asked for the directories that its user works in.
        """
        self.name = name
        self.version = version
        self.progress_token = progress_token
        self.samples = samples
        self.takes_tasks = takes_tasks
        self.has_roots = has_roots


def refuse_method(method: str) -> RequestRefused:
    """Return the error for a method that this server does not have."""
    return RequestRefused(METHOD_NOT_FOUND, "Method not found", method)


def refuse_params(fault: str) -> RequestRefused:
    """Return the error for parameters that are not as they must be."""
    return RequestRefused(INVALID_PARAMS, f"Invalid params: {fault}")


# The first era


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


# The second era


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


# Both eras


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
    client.has_roots = isinstance(capabilities.get("roots"), dict)  # of no use to most servers: never refused
    extensions = read_object(capabilities, "extensions") or {}
    client.takes_tasks = read_object(extensions, TASKS_EXTENSION) is not None
