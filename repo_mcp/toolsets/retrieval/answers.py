"""The envelope of every answer of the `retrieval` toolset.

    {"result":{…},"meta":{"repo":"docs","duration_ms":3,"truncated":false}}
    {"error":{"code":"PATH_NOT_FOUND","message":"…","details":{…}},
     "meta":{"repo":"docs","duration_ms":0,"truncated":false}}

`meta.repo` is the repository asked for, "both" included; null when the argument names none. What varies
from call to call stands in `meta` alone: equal trees and arguments give an equal `result`. `meta.warnings`
is there only when something about the answer is incomplete or unusual.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.errors import RepoError
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.tool_model import ToolAnswer
from repo_mcp.text.escapes import escape_text, escape_texts
from repo_mcp.toolsets.answers import Call, Draft, Form, Part, build_answer, measure_answer
from repo_mcp.toolsets.arguments import Arguments
from repo_mcp.toolsets.retrieval.failures import explain_refusal
from repo_mcp.toolsets.retrieval.roots import Roots
from repo_mcp.toolsets.retrieval.schemas import BOTH, REPOS

_OF_BOTH = "search"  # the tool that is about both repositories when it names none
_META_BYTES = 132  # that `meta` takes at most besides the warnings: the duration is not known before


def name_repo(tool: str, arguments: Arguments) -> Arguments:
    """Return the arguments with the repository that is meant where none is named."""
    is_named = tool != _OF_BOTH or arguments.get("repo") is not None
    return arguments if is_named else {**arguments, "repo": BOTH}


def find_repo(call: Call[Roots]) -> str | None:
    """Return the repository that a call asks for, "both" included; None where its argument names none."""
    named = name_repo(call.tool, call.arguments).get("repo")
    known = (*REPOS, BOTH) if call.tool == _OF_BOTH else REPOS
    return named if isinstance(named, str) and named in known else None


def _render(call: Call[Roots], _draft: Draft, part: Part) -> ToolAnswer:
    return build_answer(
        {"result": part.result, "meta": _describe(call, part.truncated, part.warnings)}, prune=call.prune
    )


def _render_failure(call: Call[Roots], error: RepoError, warnings: Sequence[str]) -> ToolAnswer:
    failure = explain_refusal(error)
    details = {
        name: escape_text(value) if isinstance(value, str) else value
        for name, value in failure.details.items()
    }
    shown = {"code": failure.shown_code.value, "message": escape_text(failure.message), "details": details}
    envelope = {"error": shown, "meta": _describe(call, False, warnings)}
    return build_answer(envelope, prune=call.prune, is_error=True)


def _describe(call: Call[Roots], truncated: bool, warnings: Sequence[str]) -> dict[str, object]:
    return {
        "repo": find_repo(call),
        "duration_ms": call.elapsed_ms(),
        "truncated": truncated,
        "warnings": escape_texts(warnings),
    }


def _measure(part: Part, answer: ToolAnswer) -> int:
    """Return the bytes of the result and the warnings: the rest of `meta` varies from call to call."""
    meta = encode_json(answer.structured["meta"])
    return measure_answer(part, answer) - len(meta.encode()) + len(encode_json(part.warnings).encode())


FORM = Form(
    "retrieval",
    lambda error: explain_refusal(error).shown_code,
    _render,
    _render_failure,
    reserved_bytes=_META_BYTES,
    room="max_total_bytes_per_response, {whole:,} bytes",
    measure=_measure,
)
