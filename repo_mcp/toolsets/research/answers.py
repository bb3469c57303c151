"""Answers of the `research` toolset: results in the form asked for, errors as specification 4 has them.

    json     text is the compact JSON of the structured content, byte for byte: {"query":"…","results":[…]}
    human    text for people; toon: the same values as JSON has, in fewer tokens (repo_mcp/toolsets/toon.py).
             Structured content is then {"format":"human","text":"…"}: whoever reads only that loses nothing
    errors   text is the message and what to do, and structured content has both as "message"; if the
             specification words the message, text is the message alone, and what to do stands beside it:
             {"error":{"code":"not_found","message":"…","hint":"…"}}

The limit of bytes counts the text and the blocks beside it.

`path` and `path_filter` give a search its scope; errors of theirs are in the words of specification 4, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from repo_mcp.errors import CHECK_PLACE, ErrorCode, RepoError
from repo_mcp.protocol.tool_arguments import read_arguments
from repo_mcp.protocol.tool_model import JsonSchema, ToolAnswer
from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Arguments, Call, Draft, Form, Part, add_warnings, build_answer
from repo_mcp.toolsets.binding import TakenArguments
from repo_mcp.toolsets.failure_hints import HINTS, choose_hint

if TYPE_CHECKING:
    from repo_mcp.repository import Repository
    from repo_mcp.workspace.glob_filter import GlobFilter

JSON, HUMAN, TOON = FORMATS = ("json", "human", "toon")
_CODES: Mapping[ErrorCode, str] = {code: code.value for code in ErrorCode} | {
    ErrorCode.TOO_MANY_CALLS: "busy"
}
ERROR_CODES: tuple[str, ...] = tuple(sorted(set(_CODES.values())))

# For failures that come without a hint of their own, and those whose own hints name tools of other toolsets.
_HINTS: Mapping[ErrorCode, str] = {
    **HINTS,
    ErrorCode.INDEX_UNAVAILABLE: "Run 'index_codebase' tool, or try again in a moment.",
}
_OWN_HINTS = frozenset({ErrorCode.BUSY, ErrorCode.INDEX_UNAVAILABLE})
ROOT = "."
_NO_FOLDER = frozenset(
    {ErrorCode.NOT_FOUND, ErrorCode.NOT_A_DIRECTORY, ErrorCode.NOT_A_FILE, ErrorCode.UNREADABLE}
)


_ARGUMENT_HINTS = {
    "path": "Give '.' for the whole repository, or a folder in it.",
    "query": "Give query as a question, or as names or words to look for.",
}


class ResearchToolError(RepoError):
    """A failure with the message that specification 4 gives it: the text is that message and nothing else."""


def take_arguments(
    tool: str, schema: JsonSchema, arguments: Mapping[str, object], free_text: frozenset[str]
) -> TakenArguments:
    """Return arguments as a tool takes them, and warnings.

    Raises RepoError with INVALID_ARGUMENT, first for the faults that specification 4 words: a missing
    argument, an empty query.
    """
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if arguments.get(name) is None:
            message = f"Missing required argument: {name}"
            raise ResearchToolError(ErrorCode.INVALID_ARGUMENT, message, _ARGUMENT_HINTS[name])
    query = arguments.get("query")
    if isinstance(query, str) and not query.strip():
        message, hint = "Query cannot be empty", _ARGUMENT_HINTS["query"]
        raise ResearchToolError(ErrorCode.INVALID_ARGUMENT, message, hint)
    return read_arguments(schema, arguments, free_text)


def _render(call: Call[Repository], draft: Draft, part: Part) -> ToolAnswer:
    result = add_warnings(part.result, part.warnings)
    blocks = () if draft.find_blocks is None else draft.find_blocks(result)
    form = call.arguments.get("format")
    if form == HUMAN and draft.render is not None:
        text = _append_notes(draft.render(result), result)
    elif form == TOON:
        from repo_mcp.toolsets.toon import encode_toon  # here: tools are listed before anything is called

        # A table has the same fields in every row: where there are tables, leaving some out may cost more.
        text = min(encode_toon(call.prune(result)), encode_toon(result), key=len)
    else:
        return build_answer(result, prune=call.prune, blocks=blocks)
    return ToolAnswer({"format": form, "text": text}, text, False, blocks)


def _append_notes(text: str, result: Mapping[str, object]) -> str:
    """Return a text for people, followed by hints how to continue and the warnings."""
    warnings, cursor = result.get("warnings"), result.get("cursor")
    notes = [f"More: cursor {cursor}"] if cursor else []
    notes += [f"Note: {warning}" for warning in warnings] if isinstance(warnings, list) else []
    return "\n".join([text.rstrip("\n"), "", *notes]) if notes else text


def _render_failure(_call: Call[Repository], error: RepoError, _warnings: Sequence[str]) -> ToolAnswer:
    """Return the message followed by the hint, or with it beside. The text has no place for warnings."""
    text, hint = escape_text(error.message), choose_hint(error, _HINTS, _OWN_HINTS)
    shown = {"code": _CODES[error.code], "message": text}
    if isinstance(error, ResearchToolError):
        shown |= {"hint": hint} if hint else {}
    elif hint:
        shown["message"] = text = f"{text}{'' if text.endswith('.') else '.'} {hint}"
    return ToolAnswer({"error": shown}, text, is_error=True)


FORM = Form(
    "research",
    lambda error: _CODES[error.code],
    _render,
    _render_failure,
    reserved_bytes=64,  # what the warning takes at most, in any form
)


@dataclass(frozen=True, slots=True)
class PathScope:
    """One folder of the root, and a pattern for paths in it."""

    folder: str  # relative to the root, "" for the root itself
    filter: GlobFilter | None = None
    pattern: str = ""

    @property
    def key(self) -> str:
        """Return a name of the scope: two scopes with the same key contain the same paths."""
        return f"{self.folder}\0{self.pattern}"

    @property
    def is_whole(self) -> bool:
        """Return True when the scope contains every path."""
        return not self.folder and self.filter is None

    def holds(self, path: str) -> bool:
        """Return True for a path, relative to the root, that lies in the folder and matches the pattern.

        A pattern may be relative to the root, as the paths in answers are, or to the folder.
        """
        if self.folder and not path.startswith(self.folder + "/"):
            return False
        below = path[len(self.folder) + 1 :] if self.folder else None
        return self.filter is None or self.filter.matches_either(path, below)


def resolve_scope(repository: Repository, arguments: Arguments) -> PathScope:
    """Return the scope of `path` and `path_filter`, for a tool that needs an index.

    Waits a little for the first files while they are indexed. Raises RepoError in the words of
    specification 4 for a path that is not a folder, and where no index is being built.
    """
    scope = _build_scope(resolve_folder(repository, arguments), arguments.get("path_filter"))
    index = repository.indexes.lexical
    try:
        index.get_searcher()
    except RepoError as error:
        is_kept_out = error.hint == CHECK_PLACE  # to index again would fail again
        if error.code is not ErrorCode.INDEX_UNAVAILABLE or is_kept_out or index.is_being_built():
            raise
        given = _given(arguments)
        place = f"{given} (the root)" if given == "." else given
        message = f"No index found for path: {place}. Run 'index_codebase' tool first."
        raise ResearchToolError(ErrorCode.INDEX_UNAVAILABLE, message) from error
    return scope


def _build_scope(folder: str, pattern: object) -> PathScope:
    if not isinstance(pattern, str):
        return PathScope(folder)
    from repo_mcp.workspace.glob_filter import GlobFilter  # here: tools are listed before anything is loaded

    return PathScope(folder, GlobFilter(pattern), pattern)


def resolve_folder(repository: Repository, arguments: Arguments) -> str:
    """Return the folder that `path` names, relative to the root. Raises RepoError for anything else."""
    given = _given(arguments)
    try:
        return repository.tree.reach_directory(given)
    except RepoError as error:
        if error.code in _NO_FOLDER:
            message = f"Path does not exist or is not a directory: {given}"
            raise ResearchToolError(error.code, message, _explain_no_folder(error)) from error
        if error.code is ErrorCode.PATH_ESCAPE:
            message = f"Path is outside the served repository: {given}."
            raise RepoError(error.code, message, "Give '.' or a folder inside the repository.") from error
        if error.code is ErrorCode.PATH_DENIED:
            raise RepoError(error.code, f"Path is never served: {given}.", error.hint) from error
        raise


def _explain_no_folder(error: RepoError) -> str:
    """Return what to do about a path that leads to no folder."""
    if error.code is ErrorCode.UNREADABLE:
        return error.hint
    found = "This is a file. " if error.code is ErrorCode.NOT_A_DIRECTORY else ""
    return f"{found}{_ARGUMENT_HINTS['path']}"


def _given(arguments: Arguments) -> str:
    """Return the path as the client wrote it."""
    given = arguments.get("path", ROOT)
    return given if isinstance(given, str) else ROOT
