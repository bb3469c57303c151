"""Calls in several rounds: in the second era a tool's question is an answer, and its answer another call.

    tools/call {"name": "search_code", …}
      -> {"inputRequests": {"expansion": {"method": "sampling/createMessage", …}}, "requestState": "…",
          "resultType": "input_required"}
    tools/call {"name": "search_code", …, "inputResponses": {"expansion": {…}}, "requestState": "…"}
      -> the result, or the next question

Nothing is kept between the rounds: what was answered so far comes back in the state, which is what the client
has and so signed with a key of this process, bound to the tool and its arguments, and good for a while. A
client that does not answer what it was asked has refused, and the tool goes on without: every round settles
one question, so they come to an end.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import time
from collections.abc import Mapping

from repo_mcp.protocol.frames import INVALID_PARAMS, JsonObject, encode_json
from repo_mcp.protocol.requests import RequestRefused
from repo_mcp.protocol.sampling import METHOD, describe_question, read_answer
from repo_mcp.protocol.tool_model import AnswerNeeded, Question

STATE_SECONDS = 600.0
MAX_STATE_CHARS = 262_144
_KEY = os.urandom(32)
_SIGNATURE_BYTES = 32
BAD_STATE = "requestState belongs to another call or has expired: make the call again without it"


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
        """Return the result that asks the question. Keys stand in the order of the SDK's models."""
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
    """Return the round that the params of a `tools/call` open or go on with.

    Raises RequestRefused for a state that this process did not give for this call, or gave too long ago.
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
    text = json.dumps([name, arguments or {}], sort_keys=True)  # escapes what UTF-8 cannot carry
    return hashlib.sha256(text.encode()).hexdigest()


def _sign(payload: bytes) -> str:
    return base64.urlsafe_b64encode(_seal(payload) + payload).decode()


def _seal(payload: bytes) -> bytes:
    return hmac.digest(_KEY, payload, "sha256")


def _read_state(state: str, call: str) -> tuple[dict[str, str | None], str]:
    """Return the answers of earlier rounds, and the key of the last question. Raises RequestRefused."""
    try:
        signed = base64.urlsafe_b64decode(state) if len(state) <= MAX_STATE_CHARS else b""
    except (binascii.Error, ValueError):
        raise RequestRefused(INVALID_PARAMS, BAD_STATE) from None
    seal, payload = signed[:_SIGNATURE_BYTES], signed[_SIGNATURE_BYTES:]
    if not hmac.compare_digest(seal, _seal(payload)):
        raise RequestRefused(INVALID_PARAMS, BAD_STATE)
    told = json.loads(payload)  # ours: the seal says so
    if told["call"] != call or time.monotonic() > told["until"]:
        raise RequestRefused(INVALID_PARAMS, BAD_STATE)
    return told["answers"], told["asked"]
