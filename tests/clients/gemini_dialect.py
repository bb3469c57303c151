"""Google's API of generated contents, as Gemini CLI speaks it: contents of parts in, candidates out.

A tool's answer is a part `functionResponse`, whose `response` has `output` or `error`. Answers have no ids of
ours; they come in the order of the calls, so they are numbered. Requests to count tokens are always answered
with one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.clients.model_backend import Reply, render_events
from tests.clients.script import LAST_WORD, Answer, Offered, Request


class GeminiDialect:
    """POST /v1beta/models/MODEL:streamGenerateContent."""

    def read(self, path: str, body: Mapping[str, Any]) -> Request | None:
        if not path.partition("?")[0].endswith(":streamGenerateContent"):
            return None
        parts = [part for content in body["contents"] for part in content["parts"]]
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        seen = {f"call_{place}": _read_response(one["response"]) for place, one in enumerate(answers)}
        declared = [one for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
        offered = tuple(
            Offered(one["name"], one["description"], one.get("parametersJsonSchema", {})) for one in declared
        )
        return Request(offered, seen, body)

    def write(self, request: Request, answer: Answer) -> Reply:
        parts: list[dict[str, Any]] = [
            {"functionCall": {"name": call.offered.name, "args": dict(call.arguments)}}
            for call in answer.calls
        ]
        if answer.text:
            parts.append({"text": answer.text})
        return render_events([_build_response(parts)])

    def serve(self, path: str) -> Reply | None:
        what = path.partition("?")[0].rpartition(":")[2]
        if what == "generateContent":
            return Reply(json.dumps(_build_response([{"text": LAST_WORD}])).encode(), "application/json")
        return Reply(b'{"totalTokens": 1}', "application/json") if what == "countTokens" else None


def _build_response(parts: list[dict[str, Any]]) -> dict[str, Any]:
    candidate = {"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return {"candidates": [candidate], "usageMetadata": usage}


def _read_response(response: Mapping[str, Any]) -> str:
    text = response["output"] if "output" in response else response["error"]
    return text if isinstance(text, str) else json.dumps(text)
