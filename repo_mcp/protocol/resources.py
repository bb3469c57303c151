"""Files as resources: their URIs, the templates of these, and what answers the methods `resources/…`.

    repo:///docs/a%20plan.png         a file of the one root that is served, or of the first
    repo://ledger/main.py#L10-L20     lines of a file of the root `ledger`, of several that a client names
    docs:///guide.md                  a file of the root `docs` of the toolset `retrieval`

A URI is the client's: its escapes are decoded once, the path is judged by the repository reader like that of
any tool, and `?`, `#` and `%` that are not part of an escape or of the lines belong to the path, since
clients put names into templates as they are.

A method is answered as a tool is: checked, guarded, cancelled and logged alike. The structured content of its
answer is the result, or else the error, with a code of the first era. Left out on purpose: which files are
listed and how one is read (`repo_mcp.toolsets.resources`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.frames import INTERNAL_ERROR, INVALID_PARAMS, JsonObject, RequestId, encode_error
from repo_mcp.protocol.instructions import name_schemes
from repo_mcp.record_classes import dataclass, replace

if TYPE_CHECKING:
    from repo_mcp.protocol.messages import Answers
    from repo_mcp.protocol.tool_model import CallContext, Tool, ToolAnswer, Toolset

LIST, READ = "resources/list", "resources/read"
MAX_URI_CHARS = 16_384  # PATH_MAX of Linux, with every byte escaped, and a name and lines
NOT_FOUND = -32002  # only in the first era; the second has INVALID_PARAMS for it
TRY_AGAIN = -32000  # the specification leaves this code to the server

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_LINES = re.compile(r"#L([1-9]\d{0,8})(?:-L?([1-9]\d{0,8}))?\Z", re.ASCII)
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_CODES: Mapping[ErrorCode, int] = {
    ErrorCode.NOT_FOUND: NOT_FOUND,
    ErrorCode.NOT_A_FILE: NOT_FOUND,
    ErrorCode.PATH_DENIED: NOT_FOUND,
    ErrorCode.PATH_ESCAPE: NOT_FOUND,
    ErrorCode.NO_ROOT: NOT_FOUND,
    ErrorCode.INVALID_ARGUMENT: INVALID_PARAMS,
    ErrorCode.PATH_INVALID: INVALID_PARAMS,
    ErrorCode.FILE_TOO_LARGE: INVALID_PARAMS,
    ErrorCode.LIMIT_EXCEEDED: INVALID_PARAMS,
    ErrorCode.BINARY_FILE: INVALID_PARAMS,
    ErrorCode.BUSY: TRY_AGAIN,
    ErrorCode.TOO_MANY_CALLS: TRY_AGAIN,
    ErrorCode.TIMEOUT: TRY_AGAIN,
}


@dataclass(frozen=True, slots=True)
class ResourceUri:
    """The root, path and lines that a URI names, decoded and not checked any further."""

    scheme: str
    root: str  # "" for the only root, or the first
    path: str  # relative to the root
    lines: tuple[int, int] | None  # the first and the last, 1-based; None for the whole file


def quote_path(path: str) -> str:
    """Return a path as it is written in a URI: every byte except plain letters, digits and `-._~/` as %XX."""
    return "/".join(map(_quote, path.split("/")))


def build_uri(scheme: str, root: str, path: str) -> str:
    """Return the URI of a file. `root` is "" for the only one."""
    return f"{scheme}://{_quote(root)}/{quote_path(path)}"


def read_uri(uri: str, schemes: Sequence[str]) -> ResourceUri:
    """Return the file that a URI names. Raises RepoError with INVALID_ARGUMENT if it names none of ours."""
    scheme, separator, rest = uri.partition("://")
    root, slash, path = rest.partition("/")
    if not (separator and slash and len(uri) <= MAX_URI_CHARS and scheme.lower() in schemes):
        known = " or ".join(f"{one}:///" for one in schemes)
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            "The URI does not name a file of this server.",
            f"Give {known} followed by the path, such as {schemes[0]}:///README.md.",
        )
    found = _LINES.search(path)
    if found is None:
        return ResourceUri(scheme.lower(), _decode(root), _decode(path), None)
    first = int(found[1])
    lines = (first, int(found[2] or first))
    return ResourceUri(scheme.lower(), _decode(root), _decode(path[: found.start()]), lines)


def find_root(uri: object) -> str | None:
    """Return the root that a URI names; None when it names none, or is no URI of a file."""
    try:
        return read_uri(str(uri), ("repo",)).root or None
    except RepoError:
        return None


def describe_templates(schemes: Sequence[str], *, names_roots: bool) -> list[JsonObject]:
    """Return the templates of the URIs of files. `names_roots`: there may be several roots of one scheme."""
    whole = "Text, image, audio, video or PDF by its path in the repository; add #L10-L20 for lines"
    templates: list[JsonObject] = []
    for scheme in schemes:
        title = "File of the repository" if scheme == "repo" else f"File of {scheme}"
        described: JsonObject = {"description": whole, "name": f"{scheme} file", "title": title}
        templates.append(described | {"uriTemplate": f"{scheme}:///{{+path}}"})
        if names_roots and scheme == "repo":
            described |= {"name": "file of a root", "title": "File of one of several roots"}
            templates.append(described | {"uriTemplate": f"{scheme}://{{root}}/{{+path}}"})
    return templates


def choose_code(code: ErrorCode) -> int:
    """Return the code that a failure has in the first era."""
    return _CODES.get(code, INTERNAL_ERROR)


def encode_answer(answers: Answers, request_id: RequestId, answer: ToolAnswer, *, modern: bool) -> bytes:
    """Return the frame that answers a method. Raises UnicodeEncodeError when it holds a lone surrogate."""
    if not answer.is_error:
        return answers.resources(request_id, answer.structured, modern=modern)
    code, message, data = read_error(answer, modern=modern)
    return encode_error(request_id, code, message, data)


def read_error(answer: ToolAnswer, *, modern: bool) -> tuple[int, str, object]:
    """Return the code, the message and the data of an answer that is an error."""
    error = answer.structured
    code = error["code"]
    assert isinstance(code, int)
    return (INVALID_PARAMS if modern and code == NOT_FOUND else code), str(error["message"]), error["data"]


def join_resources(toolsets: Sequence[Toolset]) -> dict[str, Tool]:
    """Return the object that answers the methods for the files of all toolsets; none if no toolset has any.

    Toolsets over the same root have the same files: the first of them answers.
    """
    sources: dict[str, dict[str, Tool]] = {}
    for toolset in toolsets:
        schemes = [one for one in name_schemes([toolset.name]) if one not in sources]
        if toolset.find_resources is not None and schemes:
            source = {tool.name: tool for tool in toolset.find_resources()}
            sources |= dict.fromkeys(schemes, source)
    return {method: _join(sources, method) for method in (LIST, READ) if sources}


def _join(sources: Mapping[str, Mapping[str, Tool]], method: str) -> Tool:
    """Return one method over several sources: a URI chooses its own, and lists are joined."""
    by_scheme = {scheme: source[method] for scheme, source in sources.items()}
    tools = list({id(tool): tool for tool in by_scheme.values()}.values())
    if len(tools) == 1:
        return tools[0]

    def choose(arguments: Mapping[str, object]) -> list[Tool]:
        scheme = str(arguments.get("uri")).partition(":")[0].lower()
        return tools if method == LIST else [by_scheme.get(scheme, tools[0])]

    def call(arguments: Mapping[str, object], context: CallContext) -> ToolAnswer:
        return join_lists([tool.call(arguments, context) for tool in choose(arguments)])

    def drop(arguments: Mapping[str, object], context: CallContext) -> None:
        for tool in choose(arguments):
            if tool.drop is not None:
                tool.drop(arguments, context)

    return replace(tools[0], call=call, drop=drop)


def join_lists(given: Sequence[ToolAnswer]) -> ToolAnswer:
    """Return the answers to `resources/list` as one; an error where one is, and the only one as it is."""
    failed = next((answer for answer in given if answer.is_error), None)
    if failed is not None or len(given) == 1:
        return failed or given[0]
    listed: list[object] = []
    for answer in given:
        resources = answer.structured["resources"]
        listed += resources if isinstance(resources, list) else []
    return replace(given[0], structured={"resources": listed})


def _quote(text: str) -> str:
    return "".join(
        char if char in _PLAIN else "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))
        for char in text
    )


def _decode(text: str) -> str:
    """Return text with its escapes decoded, once. Raises RepoError with PATH_INVALID when it is not UTF-8."""
    try:
        return _ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), text.encode()).decode()
    except UnicodeError:
        hint = "Give the path in UTF-8, with each byte except letters, digits and -._~/ as %XX."
        raise RepoError(ErrorCode.PATH_INVALID, "The URI is not valid UTF-8.", hint) from None
