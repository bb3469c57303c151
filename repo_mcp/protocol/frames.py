"""The frames of the wire: bytes to lines, lines to messages. Pure: no input or output, no SDK.

One frame is one line: UTF-8, one JSON object, ended by "\\n" (a "\\r" before it is white space).
Worked example, a request and its refusal when the version is wrong:

    {"jsonrpc":"2.0","id":7,"method":"ping"}     a Request: id 7, method "ping", no params
    {"jsonrpc":"1.0","id":7,"method":"ping"}     a Refusal: id 7, code -32600

Strict on purpose, where the SDK's own reader is lenient or silent: bytes that are not UTF-8, NaN and
Infinity, numbers no double holds, duplicate keys, deep nesting, batches, ids that are not a string
or an integer. Whatever is refused gets an answer, so that no client waits for ever; only notifications
and responses, which JSON-RPC never answers, may be dropped. Left out on purpose: what a method means, and
its arguments. They are judged where they are used.
"""

from __future__ import annotations

import json
import re  # json imports it too

TYPE_CHECKING = False  # a constant, as importing typing would take a seventh of the time to the handshake
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FRAME_BYTES = 4 * 1024 * 1024  # a longer line is refused before it is held
MAX_DEPTH = 64  # levels of nesting; the deepest schema of ours has 6
MAX_ID_CHARS = 1_024  # an id is echoed and held while its call runs
MAX_METHOD_CHARS = 256  # an unknown method's name is echoed
MAX_DIGITS = 100  # most digits of an integer: no argument needs more, and they are slow to convert
MAX_ID_INTEGER = 2**63 - 1  # an id must survive clients that hold it in 64 bits

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

RequestId = int | str
JsonObject = dict[str, object]


class _Record:
    """A record, equal to another when all fields are.

    Importing dataclasses would take longer than the handshake.
    """

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({fields})"


class Request(_Record):
    """A request, which must be answered once, under its id."""

    __slots__ = ("id", "method", "params")

    def __init__(self, id: RequestId, method: str, params: JsonObject | None) -> None:
        self.id = id
        self.method = method
        self.params = params


class Notification(_Record):
    """A message that is never answered."""

    __slots__ = ("method", "params")

    def __init__(self, method: str, params: JsonObject | None) -> None:
        self.method = method
        self.params = params


class Response(_Record):
    """The client's answer to a request of the server: `body` is the whole object."""

    __slots__ = ("body",)

    def __init__(self, body: JsonObject) -> None:
        self.body = body


class Refusal(_Record):
    """A frame that is answered with an error and goes no further; `id` is None where it shows none."""

    __slots__ = ("code", "id", "message")

    def __init__(self, id: RequestId | None, code: int, message: str) -> None:
        self.id = id
        self.code = code
        self.message = message


class Dropped(_Record):
    """A frame that may not be answered and cannot be used."""

    __slots__ = ()


Frame = Request | Notification | Response | Refusal | Dropped

TOO_DEEP = f"parse error: more than {MAX_DEPTH} levels of nesting"
TOO_LONG = f"message too large: a line may have at most {MAX_FRAME_BYTES} bytes"
_ID = rb'"id"\s*:\s*(-?\d{1,19}|"[^"\\\x00-\x1f]*")\s*'
# An id before method and params, or the last thing in the message. One between is not looked for: arguments
# may hold what looks like it.
_LEADING_ID = rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID + rb","
_TRAILING_ID = rb",\s*" + _ID + rb"\}\s*$"
_ENDING_BYTES = 8_192  # of a line, in which its trailing id is
MAX_CAPS = 16  # a line without a leading id is refused, at the latest, when it is so many times too long


class LineSplitter:
    """A stream of bytes, cut into lines. At most `max_bytes` of it are held."""

    def __init__(self, max_bytes: int = MAX_FRAME_BYTES) -> None:
        self._max_bytes = max_bytes
        self._pieces: list[bytes] = []
        self._held_bytes = 0
        self._discarding = False
        self._ending: bytes | None = None  # of a line that is discarded and not refused yet

    def feed(self, data: bytes) -> Iterator[bytes | Refusal]:
        """Yield each line that `data` completes, without its "\\n"; a refusal for each line over the cap.

        The refusal comes as soon as the cap is passed if the line begins with its id; else at its end, where
        the id may be. A line without an end is refused too.
        """
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            yield from self._hold(data[start:end])
            if not self._discarding:
                yield b"".join(self._pieces)
            elif self._ending is not None:
                yield _refuse_long(ending=self._ending)
            self._forget()
            self._discarding = False
            start = end + 1
        yield from self._hold(data[start:])

    def finish(self) -> bytes | Refusal | None:
        """Return the last line, or its refusal, when the stream ended without "\\n"; None without one."""
        line, ending = b"".join(self._pieces), self._ending
        self._forget()
        return line or (None if ending is None else _refuse_long(ending=ending))

    def _hold(self, piece: bytes) -> Iterator[Refusal]:
        self._held_bytes += len(piece)
        if self._discarding:
            yield from self._discard(piece)
        elif self._held_bytes <= self._max_bytes:
            self._pieces.append(piece)
        else:
            beginning, self._discarding = b"".join((*self._pieces, piece)), True
            self._pieces.clear()
            refusal = _refuse_long(beginning)
            if refusal.id is None:
                self._ending = beginning[-_ENDING_BYTES:]
            else:
                yield refusal

    def _discard(self, piece: bytes) -> Iterator[Refusal]:
        if self._ending is None:
            return
        self._ending = (self._ending + piece)[-_ENDING_BYTES:]
        if self._held_bytes > MAX_CAPS * self._max_bytes:
            self._ending = None
            yield _refuse_long()

    def _forget(self) -> None:
        self._pieces.clear()
        self._held_bytes = 0
        self._ending = None


class _NotStrict(ValueError):
    """A message that this wire does not accept. `code` is the error that the client gets.

    `shows_id` tells that the message may be a request all the same, which is to be answered under its id: a
    client may have handed on what a model made up, such as NaN or too deep an array.
    """

    def __init__(self, code: int, message: str, *, shows_id: bool = True) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.shows_id = shows_id


def _refuse_constant(name: str) -> object:
    raise _NotStrict(PARSE_ERROR, "parse error: NaN and Infinity are not JSON")


def _parse_float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _NotStrict(PARSE_ERROR, "parse error: a number is out of range")
    return value


def _parse_integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _NotStrict(PARSE_ERROR, f"parse error: an integer has more than {MAX_DIGITS} digits")
    return int(digits)


def _build_object(pairs: list[tuple[str, object]]) -> JsonObject:
    built = dict(pairs)
    if len(built) != len(pairs):
        has_one_id = sum(key == "id" for key, _ in pairs) <= 1
        fault = "invalid request: an object has the same key twice"
        raise _NotStrict(INVALID_REQUEST, fault, shows_id=has_one_id)
    return built


_DECODER = json.JSONDecoder(
    object_pairs_hook=_build_object,
    parse_float=_parse_float,
    parse_int=_parse_integer,
    parse_constant=_refuse_constant,
)


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _too_deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        deeper: list[object] = []
        for item in level:
            if isinstance(item, dict):
                deeper += [entry for entry in item.values() if isinstance(entry, dict | list)]
            elif isinstance(item, list):
                deeper += [entry for entry in item if isinstance(entry, dict | list)]
        if not deeper:
            return False
        level = deeper
    return True


def _decode(line: bytes) -> object:
    """Return the JSON value of one line. Raises _NotStrict for whatever is not strict JSON."""
    try:
        value = _DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise _NotStrict(PARSE_ERROR, "parse error: the message is not UTF-8", shows_id=False) from None
    except RecursionError:
        raise _NotStrict(PARSE_ERROR, TOO_DEEP) from None
    except json.JSONDecodeError:
        fault = "parse error: the message is not one JSON value"
        raise _NotStrict(PARSE_ERROR, fault, shows_id=False) from None
    if _too_deep(value):
        raise _NotStrict(PARSE_ERROR, TOO_DEEP)
    return value


def is_encodable(text: str) -> bool:
    """Return False when `text` holds a lone surrogate, which no UTF-8 can carry."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _usable_id(value: object) -> RequestId | None:
    if isinstance(value, str):
        return value if len(value) <= MAX_ID_CHARS and is_encodable(value) else None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_ID_INTEGER:
        return value
    return None


def _describe_ids(value: object) -> str:
    """Return what an id must be, with the bounds of its type where only these are not kept."""
    if isinstance(value, str):
        return f"a string of at most {MAX_ID_CHARS:,} characters, without lone surrogates"
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return "an integer of at most 63 bits" if is_integer else "a string or an integer"


def _find_id(beginning: bytes, ending: bytes) -> RequestId | None:
    """Return the id with which a message begins or else ends; None where neither shows a usable one."""
    found = re.match(_LEADING_ID, beginning) or re.search(_TRAILING_ID, ending)
    try:
        return _usable_id(json.loads(found[1])) if found else None
    except ValueError:  # no UTF-8, or a number that begins with 0
        return None


def _refuse_long(beginning: bytes = b"", ending: bytes = b"") -> Refusal:
    """Return the refusal of a line over the cap, under the id that its beginning or ending shows."""
    return Refusal(_find_id(beginning, ending), INVALID_REQUEST, TOO_LONG)


def parse_frame(line: bytes) -> Frame:
    """Return the message in one line, or how it is refused. Never raises."""
    try:
        value = _decode(line)
    except _NotStrict as refused:
        request_id = _find_id(line, line[-_ENDING_BYTES:]) if refused.shows_id else None
        return Refusal(request_id, refused.code, refused.message)
    if not isinstance(value, dict):
        what = "a batch, not" if isinstance(value, list) else "not"
        return Refusal(None, INVALID_REQUEST, f"invalid request: the message is {what} one JSON object")
    return _classify(value)


def _classify(body: JsonObject) -> Frame:
    request_id = _usable_id(body.get("id"))
    if body.get("jsonrpc") != "2.0":
        return Refusal(request_id, INVALID_REQUEST, 'invalid request: jsonrpc must be "2.0"')
    if "method" not in body:
        return _classify_response(body, request_id)
    method = body["method"]
    if "id" in body and request_id is None:
        return Refusal(None, INVALID_REQUEST, f"invalid request: id must be {_describe_ids(body['id'])}")
    if "result" in body or "error" in body:
        return Refusal(
            request_id, INVALID_REQUEST, "invalid request: method and a result or error exclude each other"
        )
    if not isinstance(method, str) or not 0 < len(method) <= MAX_METHOD_CHARS or not is_encodable(method):
        wanted = f"a string of 1 to {MAX_METHOD_CHARS} characters, without lone surrogates"
        return Refusal(request_id, INVALID_REQUEST, f"invalid request: method must be {wanted}")
    params = body.get("params")
    if params is not None and not isinstance(params, dict):
        if request_id is None:
            return Dropped()
        return Refusal(request_id, INVALID_PARAMS, "invalid params: params must be an object")
    return Notification(method, params) if request_id is None else Request(request_id, method, params)


def _classify_response(body: JsonObject, request_id: RequestId | None) -> Frame:
    if "result" not in body and "error" not in body:
        return Refusal(request_id, INVALID_REQUEST, "invalid request: method is missing")
    if request_id is None or ("error" in body and "result" in body):
        return Dropped()
    error = body.get("error")
    if "error" in body:
        fits = (
            isinstance(error, dict)
            and type(error.get("code")) is int
            and isinstance(error.get("message"), str)
        )
        return Response(body) if fits else Dropped()
    return Response(body) if isinstance(body["result"], dict) else Dropped()


def encode_error(request_id: RequestId | None, code: int, message: str, data: object = None) -> bytes:
    """Return an error answer as one frame, "\\n" included. Raises UnicodeEncodeError for a lone surrogate."""
    error: JsonObject = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return encode_frame({"jsonrpc": "2.0", "id": request_id, "error": error})


def encode_frame(message: JsonObject) -> bytes:
    """Return a message as one frame, "\\n" included. Raises UnicodeEncodeError for a lone surrogate."""
    return end_frame(encode_json(message))


def encode_json(value: object) -> str:
    """Return compact JSON. Raises ValueError for NaN, TypeError for what JSON cannot say."""
    return _ENCODER.encode(value)


def end_frame(text: str) -> bytes:
    """Return the frame of a message's JSON. Raises UnicodeEncodeError for a lone surrogate.

    U+2028 and U+2029 are escaped: some clients end a line at them too. In JSON they only stand in strings.
    """
    if not text.isascii():
        text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return text.encode("utf-8") + b"\n"
