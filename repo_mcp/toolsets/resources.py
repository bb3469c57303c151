"""The methods `resources/list` and `resources/read`, over one root or several.

    {"uri":"repo:///a.md"} -> {"contents":[{"mimeType":"text/markdown","text":"# A","uri":"repo:///a.md"}]}

Files are read as the tools read them: through the repository reader, with its limits and denials, and each
call is guarded and logged. A resource is returned whole or refused, because a client takes it for the file.
Text that does not fit into an answer is refused with a hint which lines would fit. Images, sounds, films,
drawings and PDFs are useless in pieces, so they are returned up to `max_file_bytes`. No other binary file is
returned.

A list holds the documents and media nearest to the root; the URI of any other file follows from the template.
Left out on purpose: subscriptions, and listing every file, which several clients would do at their start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.audit.call_recorder import CallRecorder
from repo_mcp.config.server_config import Limits
from repo_mcp.errors import ErrorCode, RepoError, explain_limit
from repo_mcp.protocol.call_guard import CallGuard
from repo_mcp.protocol.frames import encode_json, is_encodable
from repo_mcp.protocol.resources import (
    LIST,
    MAX_URI_CHARS,
    READ,
    ResourceUri,
    build_uri,
    choose_code,
    read_uri,
)
from repo_mcp.protocol.tool_model import CallContext, JsonSchema, Tool, ToolAnswer
from repo_mcp.text.lines import HIDING, decode_source, escape_text, split_lines
from repo_mcp.text.media_types import SNIFFED_BYTES, find_media_type, find_text_type, is_media
from repo_mcp.toolsets.answers import Arguments, Asked, Call, Draft, Form, Part, Result, answer_call
from repo_mcp.toolsets.binding import Binding, Entry, Opened, Write
from repo_mcp.toolsets.failure_hints import HINTS, choose_hint
from repo_mcp.toolsets.shown_text import MAY_HIDE
from repo_mcp.workspace.reader.client_paths import shown
from repo_mcp.workspace.reader.opened_lines import describe_reading

if TYPE_CHECKING:
    from repo_mcp.audit.log import AuditLog
    from repo_mcp.repository import Repository
    from repo_mcp.workspace.reader.opened_file import OpenedFile

Places = Mapping[str, Callable[[Asked], "Repository"]]  # by scheme; may raise RepoError

MAX_LISTED = 50  # files of one root: 6 KB, which a client's model may have to read
WARNINGS = "repo-mcp/warnings"  # in the `_meta` of contents
_ANY_SIZE = 1 << 40  # bytes: an answer is never cut here, because resources are returned whole
_LINES_HINT = "Give lines after the path, as #L10-L20."
_NOTHING: JsonSchema = {"type": "object", "properties": {}, "additionalProperties": False}
_INPUT: JsonSchema = {
    "type": "object",
    "properties": {"uri": {"type": "string", "minLength": 1, "maxLength": MAX_URI_CHARS}},
    "required": ["uri"],
    "additionalProperties": False,
}
_LOGGED: JsonSchema = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "uri": {"type": "string"}},
}

_OWN_HINTS: Mapping[ErrorCode, str] = {
    ErrorCode.NOT_FOUND: "Find the path with a tool that searches or lists files.",
    ErrorCode.NOT_A_FILE: "Only regular files are resources: list a directory with a tool.",
    ErrorCode.BINARY_FILE: "Only text, images, audio, video and PDFs can be read.",
    ErrorCode.TOO_MANY_CALLS: "Try again in a few seconds.",
    ErrorCode.TIMEOUT: "Try again in a moment.",
    ErrorCode.CANCELLED: "Ask again.",
}
_HINTS = {**HINTS, **_OWN_HINTS}


def bind_resources(
    limits: Limits, opened: Opened[Asked], guard: CallGuard, places: Places[Asked]
) -> tuple[Tool, ...]:
    """Return the tools that answer both methods for the roots in `opened`; `places` finds each by scheme."""

    def find_writer(
        audit: AuditLog, method: str, _schema: JsonSchema, asked: Asked, arguments: Arguments
    ) -> Write:
        scheme, logged = _describe_for_log(arguments, tuple(places))

        def name_path(path: str) -> str:  # finds the repository only if there is a path, since that may raise
            return places[scheme](asked).tree.name_path(path)

        recorder = CallRecorder(audit, method, _LOGGED, name_path)
        return partial(recorder.record, logged)

    entries = (
        Entry(LIST, "", "", _NOTHING, {"type": "object"}, partial(_list_nearest, places)),
        Entry(READ, "", "", _INPUT, {"type": "object"}, partial(_read, places)),
    )
    answer = partial(answer_call, FORM, max_bytes=_ANY_SIZE)
    return Binding(limits, opened, answer, find_writer, icon="", guard=guard).bind(entries)


def _describe_for_log(arguments: Arguments, schemes: tuple[str, ...]) -> tuple[str, Arguments]:
    """Return the scheme of the root whose path is logged, and the arguments as they are logged."""
    try:
        uri = read_uri(str(arguments["uri"]), schemes)
    except (KeyError, RepoError):  # a call of LIST, or a URI that names no path
        return schemes[0], arguments
    return uri.scheme, {"path": uri.path}


def _list_nearest(places: Places[Asked], asked: Asked, _arguments: Arguments, context: CallContext) -> Draft:
    """Answer `resources/list`."""
    from repo_mcp.documentation.nearest import find_nearest  # here: resources may only be read

    listed: list[Result] = []
    for scheme, find in places.items():
        repository = find(asked)
        extensions, limits = dict(repository.config.extensions), repository.config.limits
        document_bytes = min(limits.max_total_bytes_per_response, limits.max_file_bytes)
        for entry in find_nearest(
            repository.tree.list_directory, extensions, MAX_LISTED, document_bytes, limits.max_file_bytes
        ):
            media_type = find_media_type(entry.path)
            if not is_media(media_type):
                media_type = find_text_type(entry.path)
            one: Result = {"mimeType": media_type, "name": escape_text(entry.path)}
            one |= {} if entry.size is None else {"size": entry.size}
            listed.append(one | {"uri": build_uri(scheme, context.root, entry.path)})
    return Draft(lambda rows: Part({"resources": listed[:rows]}), len(listed))


def _read(places: Places[Asked], asked: Asked, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `resources/read`."""
    given = str(arguments["uri"])
    uri = read_uri(given, tuple(places))
    if uri.root not in ("", context.root):
        raise RepoError(
            ErrorCode.NOT_FOUND,
            f"No root is called {shown(uri.root[:64])}.",
            f"Leave it out: {uri.scheme}:///path.",
        )
    repository = places[uri.scheme](asked)
    opened = repository.tree.read(uri.path)
    content, warnings = _describe(opened, uri, given, repository.config.limits)
    return Draft(lambda _rows: Part({"contents": [{**content, "uri": given}]}, warnings), 1)


def _describe(
    opened: OpenedFile, uri: ResourceUri, given: str, limits: Limits
) -> tuple[Result, tuple[str, ...]]:
    """Return the content of a file, and warnings. Raises RepoError if it does not fit whole."""
    try:
        source = decode_source(opened.data)
    except RepoError:
        media_type = find_media_type(opened.path, opened.data[:SNIFFED_BYTES])
        if not is_media(media_type) or uri.lines is not None:
            raise
        import base64  # here: most of what is read is text

        return {"blob": base64.b64encode(opened.data).decode("ascii"), "mimeType": media_type}, ()
    media_type = find_text_type(opened.path)
    lines = split_lines(source.data)
    first, last = uri.lines or (1, len(lines))
    if uri.lines is not None and not first <= last <= len(lines):
        raise RepoError(ErrorCode.INVALID_ARGUMENT, f"The file has {len(lines)} lines.", _LINES_HINT)
    is_whole = uri.lines is None
    text = (
        source.data if is_whole else _join(lines[first - 1 : last], source.data, last == len(lines))
    ).decode()
    if not (is_whole and is_media(media_type)):
        _check_size(lines, first, last, text, given.partition("#L")[0] if not is_whole else given, limits)
    warnings = describe_reading(opened, source)
    if HIDING.search(text):
        warnings += (f"{MAY_HIDE}.",)
    return {"mimeType": media_type, "text": text}, warnings


def _join(lines: Sequence[bytes], data: bytes, is_end: bool) -> bytes:
    """Return lines as they are in the file, whose last line may have no end."""
    return b"\n".join(lines) + (b"" if is_end and not data.endswith(b"\n") else b"\n")


def _check_size(lines: Sequence[bytes], first: int, last: int, text: str, uri: str, limits: Limits) -> None:
    """Raise RepoError with LIMIT_EXCEEDED for text that does not fit, with a hint which lines would."""
    most_bytes, most_lines = limits.max_total_bytes_per_response, limits.max_open_lines
    is_part = first > 1 or last < len(lines)
    size = len(encode_json(text).encode())
    if size <= most_bytes and not (is_part and last - first >= most_lines):
        return
    room, fitting = most_bytes - 2, first - 1  # without the quotes
    for line in lines[first - 1 : first - 1 + most_lines]:
        room -= len(encode_json(line.decode()).encode())  # its quotes stand for the line end
        if room < 0:
            break
        fitting += 1
    count = last - first + 1
    message = f"The text takes {size:,} bytes in {count:,} lines; an answer may have {most_bytes:,} bytes."
    if fitting < first:
        raise RepoError(ErrorCode.LIMIT_EXCEEDED, message, explain_limit("max_total_bytes_per_response"))
    raise RepoError(ErrorCode.LIMIT_EXCEEDED, message, f"Read it in parts, first {uri}#L{first}-L{fitting}.")


def _render(_call: Call[Asked], _draft: Draft, part: Part) -> ToolAnswer:
    """Return the result, with warnings in the `_meta` of its contents."""
    result = dict(part.result)
    contents = result.get("contents")
    if part.warnings and isinstance(contents, list):
        warnings = [escape_text(warning) for warning in dict.fromkeys(part.warnings)]
        result["contents"] = [{"_meta": {WARNINGS: warnings}, **one} for one in contents]
    return ToolAnswer(result, "", is_error=False)


def _render_failure(call: Call[Asked], error: RepoError, _warnings: Sequence[str]) -> ToolAnswer:
    message, hint = escape_text(error.message), choose_hint(error, _HINTS, frozenset(_OWN_HINTS))
    data: Result = {"reason": error.code.value}
    uri = call.arguments.get("uri")
    if isinstance(uri, str) and len(uri) <= MAX_URI_CHARS and is_encodable(uri):
        data["uri"] = uri
    text = f"{message}{'' if message.endswith(('.', '?')) else '.'} {hint}".rstrip()
    return ToolAnswer({"code": choose_code(error.code), "message": text, "data": data}, "", is_error=True)


def _measure(part: Part, _answer: ToolAnswer) -> int:
    """Return the bytes of a file that an answer contains, for the log."""
    contents = part.result.get("contents")
    (one,) = contents if isinstance(contents, list) and contents else ({},)
    return len(str(one.get("text", "")).encode()) + len(str(one.get("blob", "")))


FORM: Form[object] = Form(
    "resources", lambda error: error.code.value, _render, _render_failure, reserved_bytes=0, measure=_measure
)
