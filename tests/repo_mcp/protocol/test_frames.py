"""The frames: one table of lines and what they are, and the splitter cut at every byte."""

from __future__ import annotations

import json

import pytest

from repo_mcp.protocol.frames import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    MAX_CAPS,
    MAX_DEPTH,
    PARSE_ERROR,
    TOO_LONG,
    Dropped,
    LineSplitter,
    Notification,
    Refusal,
    Request,
    Response,
    encode_error,
    parse_frame,
)

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'

PARSE_ERRORS = {
    "empty line": b"",
    "blank line": b"  \r",
    "no json": b"hello",
    "half an object": b'{"jsonrpc":"2.0","id":1',
    "two objects": PING + PING,
    "byte order mark": b"\xef\xbb\xbf" + PING,
    "latin-1": b'{"jsonrpc":"2.0","id":1,"method":"caf\xe9"}',
    "overlong utf-8": b'{"jsonrpc":"2.0","id":1,"method":"\xc0\xaf"}',
    "encoded surrogate": b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}',
    "utf-16": PING.decode().encode("utf-16"),
    "very deep": b"[" * 100_000,
    "very deep and closed": b"[" * 100_000 + b"]" * 100_000,
    "single quotes": b"{'jsonrpc':'2.0'}",
    "control character": b'{"jsonrpc":"2.0","id":1,"method":"a\x01"}',
}

INVALID_REQUESTS = {
    "batch": (b"[" + PING + b"]", None),
    "empty batch": (b"[]", None),
    "number": (b"7", None),
    "null": (b"null", None),
    "string": (b'"ping"', None),
    "version 1": (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7),
    "version as number": (b'{"jsonrpc":2.0,"id":7,"method":"ping"}', 7),
    "no version": (b'{"id":"a","method":"ping"}', "a"),
    "id null": (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None),
    "id fraction": (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None),
    "id as 1.0": (b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}', None),
    "id boolean": (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None),
    "id object": (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None),
    "id array": (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', None),
    "id beyond 64 bits": (b'{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}', None),
    "id with a lone surrogate": (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', None),
    "id of 2000 characters": (b'{"jsonrpc":"2.0","id":"' + b"a" * 2_000 + b'","method":"ping"}', None),
    "key twice": (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', None),
    "key twice inside": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}', 1),
    "no method": (b'{"jsonrpc":"2.0","id":1}', 1),
    "method number": (b'{"jsonrpc":"2.0","id":1,"method":5}', 1),
    "method number, no id": (b'{"jsonrpc":"2.0","method":5}', None),
    "method empty": (b'{"jsonrpc":"2.0","id":1,"method":""}', 1),
    "method with a lone surrogate": (b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', 1),
    "method of 300 characters": (b'{"jsonrpc":"2.0","id":1,"method":"' + b"m" * 300 + b'"}', 1),
    "method and result": (b'{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', 1),
}


@pytest.mark.parametrize("line", PARSE_ERRORS.values(), ids=PARSE_ERRORS)
def test_what_is_not_strict_json_is_a_parse_error_without_an_id(line: bytes) -> None:
    frame = parse_frame(line)
    assert isinstance(frame, Refusal)
    assert (frame.code, frame.id) == (PARSE_ERROR, None)


@pytest.mark.parametrize("value", [b"NaN", b"-Infinity", b"1e999", b"9" * 5_000])
def test_a_number_that_is_refused_is_refused_under_the_id_of_its_request(value: bytes) -> None:
    """A client may hand on what a model made up, and would wait for ever for an answer under the id."""
    first = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":%b}}' % value
    last = b'{"method":"ping","params":{"a":%b},"jsonrpc":"2.0","id":"b"}' % value
    for line, request_id in ((first, 1), (last, "b"), (b"[%b]" % value, None)):
        frame = parse_frame(line)
        assert isinstance(frame, Refusal)
        assert (frame.code, frame.id) == (PARSE_ERROR, request_id)


@pytest.mark.parametrize(
    ("field", "wanted"),
    [
        (b'"id":true', "id must be a string or an integer"),
        (b'"id":9223372036854775808', "id must be an integer of at most 63 bits"),
        (b'"id":"%b"' % (b"a" * 2_000), "id must be a string of at most 1,024 characters"),
        (b'"id":1,"method":""', "method must be a string of 1 to 256 characters"),
    ],
)
def test_a_refusal_names_the_bound_that_is_not_kept(field: bytes, wanted: str) -> None:
    method = b"" if b"method" in field else b',"method":"ping"'
    frame = parse_frame(b'{"jsonrpc":"2.0",%b%b}' % (field, method))
    assert isinstance(frame, Refusal)
    assert wanted in frame.message


@pytest.mark.parametrize(("line", "request_id"), INVALID_REQUESTS.values(), ids=INVALID_REQUESTS)
def test_json_that_is_no_request_is_refused_under_its_id_where_it_has_one(
    line: bytes, request_id: int | str | None
) -> None:
    frame = parse_frame(line)
    assert isinstance(frame, Refusal)
    assert (frame.code, frame.id) == (INVALID_REQUEST, request_id)


def test_valid_messages_are_what_they_say() -> None:
    assert parse_frame(PING + b"\r") == Request(1, "ping", None)
    assert parse_frame(b'{"jsonrpc":"2.0","id":"7","method":"a/b","params":{"x":[1]}}') == Request(
        "7", "a/b", {"x": [1]}
    )
    assert parse_frame(b'{"jsonrpc":"2.0","method":"notifications/x"}') == Notification(
        "notifications/x", None
    )
    answer = {"jsonrpc": "2.0", "id": 3, "result": {"a": 1}}
    assert parse_frame(json.dumps(answer).encode()) == Response(answer)


def test_params_must_be_an_object_and_notifications_are_never_answered() -> None:
    frame = parse_frame(b'{"jsonrpc":"2.0","id":4,"method":"ping","params":[1]}')
    assert isinstance(frame, Refusal)
    assert (frame.code, frame.id) == (INVALID_PARAMS, 4)
    assert parse_frame(b'{"jsonrpc":"2.0","method":"ping","params":[1]}') == Dropped()


@pytest.mark.parametrize(
    "body",
    [
        b'"id":1,"result":5',
        b'"id":1,"error":"no"',
        b'"id":1,"error":{"code":true,"message":"no"}',
        b'"id":null,"error":{"code":1,"message":"no"}',
        b'"id":1,"result":{},"error":{"code":1,"message":"no"}',
    ],
)
def test_malformed_responses_are_dropped_for_an_answer_could_be_answered_for_ever(body: bytes) -> None:
    assert parse_frame(b'{"jsonrpc":"2.0",' + body + b"}") == Dropped()


def test_nesting_is_allowed_to_the_limit() -> None:
    depth = MAX_DEPTH - 2  # the message and its params are two levels
    nested = b'{"a":' * depth + b"1" + b"}" * depth
    frame = parse_frame(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"p":' + nested + b"}}")
    assert isinstance(frame, Request)
    deeper = parse_frame(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"p":{"p":' + nested + b"}}}")
    assert isinstance(deeper, Refusal)


def test_integers_beyond_64_bits_in_params_reach_the_check_of_arguments() -> None:
    frame = parse_frame(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"n":99999999999999999999}}')
    assert frame == Request(1, "m", {"n": 99999999999999999999})


def test_lines_are_the_same_wherever_the_stream_is_cut() -> None:
    stream = b"one\n\ntwo\r\nthr\xc3\xa9e\n" + b"x" * 11 + b"\nlast"
    want = [b"one", b"", b"two\r", "thrée".encode(), Refusal(None, INVALID_REQUEST, TOO_LONG)]
    for first in range(len(stream)):
        for second in range(first, len(stream), 3):
            splitter = LineSplitter(max_bytes=10)
            pieces = (stream[:first], stream[first:second], stream[second:])
            assert [line for piece in pieces for line in splitter.feed(piece)] == want
            assert splitter.finish() == b"last"


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 5_000])
@pytest.mark.parametrize(
    ("beginning", "ending", "request_id"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":', b"}", 1),
        (b'{"method":"ping","params":', b',"jsonrpc":"2.0","id":"b"}', "b"),
        (b'{"method":"ping","params":', b',"id":2,"jsonrpc":"2.0"}', None),
    ],
)
def test_what_is_nested_too_deep_is_refused_under_an_id_at_either_end(
    depth: int, beginning: bytes, ending: bytes, request_id: object
) -> None:
    frame = parse_frame(beginning + b'{"a":' * depth + b'{"id":3}' + b"}" * depth + ending)
    assert isinstance(frame, Refusal)
    assert (frame.code, frame.id) == (PARSE_ERROR, request_id)


def test_a_line_over_the_cap_is_never_held_and_refused_though_it_has_no_end() -> None:
    splitter = LineSplitter(max_bytes=10_000)
    found = [one for _ in range(2 * MAX_CAPS) for one in splitter.feed(b"a" * 10_000)]
    assert found == [Refusal(None, INVALID_REQUEST, TOO_LONG)]
    assert sum(map(len, [*splitter._pieces, splitter._ending or b""])) <= 10_000
    assert splitter.finish() is None
    assert list(splitter.feed(b"\nnext\n")) == [b"next"]


@pytest.mark.parametrize(
    ("ending", "request_id"),
    [
        (b'"},"jsonrpc":"2.0","id":7}', 7),
        (b'"} , "id" : "\xc3\xa9" } \r', "\xe9"),
        (b'"},"id":7,"jsonrpc":"2.0"}', None),
        (b'","id":7}}', None),  # an argument
        (b'","id":7}}}', None),
        (b'"},"id":07}', None),
        (b'"},"id":"' + b"x" * 1_025 + b'"}', None),
    ],
)
@pytest.mark.parametrize("piece_bytes", [1, 5_000])
@pytest.mark.parametrize("is_ended", [True, False])
def test_a_line_over_the_cap_is_refused_under_the_id_it_ends_with(
    ending: bytes, request_id: object, piece_bytes: int, is_ended: bool
) -> None:
    splitter = LineSplitter(max_bytes=3_000)
    line = b'{"method":"tools/call","params":{"id":1,"diff":"' + b"+" * 4_000 + ending + b"\n" * is_ended
    pieces = (line[start : start + piece_bytes] for start in range(0, len(line), piece_bytes))
    found = [one for piece in pieces for one in splitter.feed(piece)]
    if not is_ended:
        last = splitter.finish()
        assert not found
        assert last is not None
        found = [last]
    assert found == [Refusal(request_id, INVALID_REQUEST, TOO_LONG)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("beginning", "request_id"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call"', 7),
        (b' { "id" : "\xc3\xa9" , "jsonrpc":"2.0"', "\xe9"),
        (b'{"id":-1,', -1),
        (b'{"method":"tools/call","id":7,', None),
        (b'{"params":{"id":7,', None),
        (b'{"id":7', None),  # cut in the number, perhaps
        (b'{"id":07,', None),
        (b'{"id":7.5,', None),
        (b'{"id":9999999999999999999,', None),
        (b'{"id":"\xff",', None),
        (b'{"id":"' + b"x" * 1_025 + b'",', None),
        (b"[" * 2_000, None),
    ],
)
@pytest.mark.parametrize("piece_bytes", [1, 5_000])
def test_a_line_over_the_cap_is_refused_under_the_id_it_begins_with(
    beginning: bytes, request_id: object, piece_bytes: int
) -> None:
    splitter = LineSplitter(max_bytes=3_000)
    line = beginning + b" " * 4_000 + b"\n"
    pieces = (line[start : start + piece_bytes] for start in range(0, len(line), piece_bytes))
    (refusal,) = (one for piece in pieces for one in splitter.feed(piece))
    assert refusal == Refusal(request_id, INVALID_REQUEST, TOO_LONG)  # type: ignore[arg-type]


def test_an_error_is_one_line_and_echoes_the_id() -> None:
    frame = encode_error("a\nb", PARSE_ERROR, "no")
    assert frame.count(b"\n") == 1
    assert json.loads(frame) == {
        "jsonrpc": "2.0",
        "id": "a\nb",
        "error": {"code": PARSE_ERROR, "message": "no"},
    }


def test_a_message_that_is_no_object_is_named() -> None:
    said = {line: parse_frame(line) for line in (b"[]", b"7", b"null")}
    messages = {line: refusal.message for line, refusal in said.items() if isinstance(refusal, Refusal)}
    assert messages == {
        b"[]": "invalid request: the message is a batch, not one JSON object",
        b"7": "invalid request: the message is not one JSON object",
        b"null": "invalid request: the message is not one JSON object",
    }
