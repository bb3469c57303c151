"""Questions to the client's own model: the request, the wait for its answer, and the reading of it.

In the first era of the protocol the server sends a request and the client answers it:

    {"jsonrpc": "2.0", "id": "repo-mcp/ask/1", "method": "sampling/createMessage", "params": {
     "maxTokens": 200, "messages": [{"content": {"text": "…", "type": "text"}, "role": "user"}],
     "systemPrompt": "…"}}

What a model says is text and nothing else: anything but text, a refusal, an error or no answer in time counts
as None, and whoever asked goes on without it. It is not to be trusted any more than an argument.

In the second era the server sends no requests. The question is part of a result, and its answer part of the
client's next request (as below, or in `repo_mcp.protocol.task_methods`). So a call has several rounds:

    tools/call {"name": "search_code", …}
      -> {"inputRequests": {"expansion": {"method": "sampling/createMessage", …}}, "requestState": "…",
          "resultType": "input_required"}
    tools/call {"name": "search_code", …, "inputResponses": {"expansion": {…}}, "requestState": "…"}
      -> the result, or the next question

Nothing is kept between the rounds: the answers so far come back in the state. Because the client holds it, it
is signed with a key of this process, bound to the tool and its arguments, and valid for STATE_SECONDS. A
client that does not answer a question has refused, and the tool goes on without the answer. So every round
settles one question, and the rounds come to an end.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING

from repo_mcp.protocol.frames import (
    INVALID_PARAMS,
    JsonObject,
    RequestId,
    Response,
    encode_frame,
    encode_json,
    is_encodable,
)
from repo_mcp.protocol.messages import RequestRefused, encode_notification
from repo_mcp.protocol.tool_model import AnswerNeeded, Question

if TYPE_CHECKING:
    from repo_mcp.protocol.tool_model import Question

ANSWER_SECONDS = 30.0  # most time for an answer to a request: a person may have to allow it first
MAX_ANSWER_CHARS = 16_000  # the rest is cut off
POLL_SECONDS = 0.05  # how often a waiting call looks whether it was cancelled
METHOD = "sampling/createMessage"
ID_PREFIX = "repo-mcp/ask/"  # no id of the SDK's, which are numbers
RELATED_TASK = "io.modelcontextprotocol/related-task"
STATE_SECONDS = 600.0
MAX_STATE_CHARS = 262_144
_KEY = os.urandom(32)
_SIGNATURE_BYTES = 32
BAD_STATE = "requestState belongs to another call or has expired: make the call again without it"


def relate(task_id: str) -> JsonObject:
    """Return the `_meta` that relates a message to a task."""
    return {RELATED_TASK: {"taskId": task_id}}


def describe_question(question: Question) -> JsonObject:
    """Return a question as the params of a request. Keys are in the order of the SDK's models."""
    return {
        "maxTokens": question.max_tokens,
        "messages": [{"content": {"text": question.text, "type": "text"}, "role": "user"}],
        "systemPrompt": question.system,
    }


def read_answer(result: object) -> str | None:
    """Return the text that a client's model gave, at most MAX_ANSWER_CHARS; None when it gave none."""
    content = result.get("content") if isinstance(result, dict) else None
    blocks = content if isinstance(content, list) else [content]
    texts = []
    for block in blocks:
        text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
        if isinstance(text, str):
            texts.append(text)
    answer = "\n".join(texts)[:MAX_ANSWER_CHARS].strip()
    return answer if answer and is_encodable(answer) else None


class PendingAnswers:
    """The answers that calls wait for, each under a name of its own. Safe in any thread."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._waited_for: set[Hashable] = set()
        self._given: dict[Hashable, str | None] = {}

    def expect(self, name: Hashable) -> None:
        """Take an answer of this name from now on. `wait` must follow."""
        with self._lock:
            self._waited_for.add(name)

    def wait(self, name: Hashable, seconds: float, cancelled: Callable[[], bool]) -> tuple[bool, str | None]:
        """Wait for an answer, at most `seconds` and until the call is cancelled.

        Return whether one came, and the answer: None for a refusal.
        """
        deadline = time.monotonic() + seconds
        with self._lock:
            while name not in self._given:
                left = deadline - time.monotonic()
                if left <= 0 or cancelled():
                    break
                self._lock.wait(min(left, POLL_SECONDS))
            self._waited_for.discard(name)
            came = name in self._given
            return came, self._given.pop(name, None)

    def give(self, name: Hashable, answer: str | None) -> bool:
        """Hand over an answer. Return False when nobody waits for it, or it was handed over before."""
        with self._lock:
            if name not in self._waited_for or name in self._given:
                return False
            self._given[name] = answer
            self._lock.notify_all()
            return True


class Sampler:
    """The way to ask the client's model: by requests of the server's own. Safe in any thread."""

    def __init__(self, say: Callable[[bytes], object], seconds: float = ANSWER_SECONDS) -> None:
        self._say = say
        self._seconds = seconds
        self._pending = PendingAnswers()
        self._lock = threading.Lock()
        self._asked = 0

    def ask(
        self, question: Question, cancelled: Callable[[], bool], task_id: str | None = None
    ) -> str | None:
        """Return the model's answer; None when none comes in time or the call is cancelled. Blocks."""
        if cancelled():
            return None
        with self._lock:
            self._asked += 1
            request_id = f"{ID_PREFIX}{self._asked}"
        meta: JsonObject = {} if task_id is None else {"_meta": relate(task_id)}
        params = describe_question(question) | meta
        try:
            frame = encode_frame({"jsonrpc": "2.0", "id": request_id, "method": METHOD, "params": params})
        except ValueError:  # a lone surrogate
            return None
        self._pending.expect(request_id)
        self._say(frame)
        came, answer = self._pending.wait(request_id, self._seconds, cancelled)
        if not came:
            self._withdraw(request_id, meta)
        return answer

    def take(self, response: Response) -> bool:
        """Take the client's answer to a question, however late.

        Return False when it answers something else.
        """
        request_id = response.body.get("id")
        if not isinstance(request_id, str) or not request_id.startswith(ID_PREFIX):
            return False
        self._pending.give(request_id, read_answer(response.body.get("result")))
        return True

    def _withdraw(self, request_id: RequestId, meta: JsonObject) -> None:
        params: JsonObject = {"reason": "not needed any more", "requestId": request_id}
        self._say(encode_notification("notifications/cancelled", params | meta))


class Round:
    """One round of a call, and the answers that there are by now."""

    def __init__(self, call: str, answers: Mapping[str, str | None]) -> None:
        """Hold the answers to a call's questions, by their keys.

        `call` identifies the tool and its arguments.
        """
        self._call = call
        self._answers = dict(answers)

    def ask(self, question: Question) -> str | None:
        """Return the answer, None for a refusal. Raises AnswerNeeded where there is neither yet."""
        if question.key in self._answers:
            return self._answers[question.key]
        raise AnswerNeeded(question)

    def describe(self, question: Question) -> JsonObject:
        """Return the result that asks the question. Keys are in the order of the SDK's models."""
        state = {
            "answers": self._answers,
            "asked": question.key,
            "call": self._call,
            "until": time.monotonic() + STATE_SECONDS,
        }
        return {
            "inputRequests": {question.key: {"method": METHOD, "params": describe_question(question)}},
            "requestState": _sign(encode_json(state).encode()),
            "resultType": "input_required",
        }


def read_round(params: Mapping[str, object]) -> Round:
    """Return the round that the params of a `tools/call` open or continue.

    Raises RequestRefused for a state that this process did not issue for this call, or issued too long ago.
    """
    call = _identify(params.get("name"), params.get("arguments"))
    responses = params.get("inputResponses")
    given = responses if isinstance(responses, dict) else {}
    state = params.get("requestState")
    if state is None:
        return Round(call, {key: read_answer(response) for key, response in given.items()})
    if not isinstance(state, str):
        raise RequestRefused(INVALID_PARAMS, BAD_STATE)
    answers, asked = _read_state(state, call)
    return Round(call, answers | {asked: read_answer(given.get(asked))})


def _identify(name: object, arguments: object) -> str:
    import hashlib  # imported here, as listing the tools does not need it

    text = json.dumps([name, arguments or {}], sort_keys=True)  # escapes what UTF-8 cannot carry
    return hashlib.sha256(text.encode()).hexdigest()


def _sign(payload: bytes) -> str:
    return base64.urlsafe_b64encode(_seal(payload) + payload).decode()


def _seal(payload: bytes) -> bytes:
    import hmac

    return hmac.digest(_KEY, payload, "sha256")


def _read_state(state: str, call: str) -> tuple[dict[str, str | None], str]:
    """Return the answers of earlier rounds, and the key of the last question. Raises RequestRefused."""
    import hmac

    try:
        signed = base64.urlsafe_b64decode(state) if len(state) <= MAX_STATE_CHARS else b""
    except (binascii.Error, ValueError):
        raise RequestRefused(INVALID_PARAMS, BAD_STATE) from None
    seal, payload = signed[:_SIGNATURE_BYTES], signed[_SIGNATURE_BYTES:]
    if not hmac.compare_digest(seal, _seal(payload)):
        raise RequestRefused(INVALID_PARAMS, BAD_STATE)
    content = json.loads(payload)  # ours: the seal says so
    if content["call"] != call or time.monotonic() > content["until"]:
        raise RequestRefused(INVALID_PARAMS, BAD_STATE)
    return content["answers"], content["asked"]
