"""The schemas, titles and descriptions of the `retrieval` tools.

Each description says its limits in words, since clients drop what a schema says of them. Nothing depends on
the roots that are served; the operator's limits are the only thing filled in.
"""

from __future__ import annotations

from repo_mcp.config.server_config import Limits
from repo_mcp.toolsets.pages import CURSOR, NEXT_CURSOR
from repo_mcp.toolsets.retrieval.failures import Code
from repo_mcp.toolsets.schema_parts import (
    Schema,
    build_choice,
    build_count,
    build_field,
    build_object,
    build_record,
    build_switch,
    build_text,
)

REPOS = ("docs", "code")  # in the order of answers
BOTH = "both"
MAX_QUERY_CHARS = 1_000
MAX_PATH_CHARS = 4_096
MAX_GLOB_CHARS = 512
MAX_LINE_NUMBER = 2_147_483_647


def build_envelope_schema(result: Schema) -> Schema:
    """Return the output schema of a tool: its result, or an error, within the envelope."""
    details = build_object(
        {
            "argument": build_field("string", "The argument that is wrong"),
            "reason": build_field("string", "missing, unreadable, out_of_root, denied, binary, ..."),
            "hint": build_field("string", "What to do next"),
            "total_lines": build_field("integer", "Lines of the file"),
            "max_bytes": build_field("integer", "The limit that the file exceeds"),
        },
        ["reason", "hint"],
    )
    error = build_record(
        {
            "code": {"type": "string", "enum": [code.value for code in Code]},
            "message": build_field("string"),
            "details": details,
        }
    )
    meta = build_object(
        {
            "repo": build_field(
                ["string", "null"], "The repo asked for; null when there is none of that name"
            ),
            "duration_ms": build_field("integer"),
            "truncated": build_field("boolean", "True when there is more than the result holds"),
            "warnings": build_field("array", "What is incomplete or unusual; left out when there is nothing")
            | {"items": build_field("string")},
        },
        ["repo", "duration_ms", "truncated"],
    )
    return build_object({"result": result, "error": error, "meta": meta}, ["meta"])


SEARCH_TITLE = "Search docs and code"
SEARCH_DESCRIPTION = (
    "Search local documentation (docs), source code (code) or both for an exact text or a regular"
    " expression, like grep: every matching line, docs first, by path and line. Ignored and secret files are"
    " left out."
)


def search_input(limits: Limits) -> Schema:
    most, ordinary = limits.max_search_hits, limits.default_search_hits
    return build_object(
        {
            "repo": build_choice('Default "both".', (*REPOS, BOTH)) | {"default": BOTH},
            "query": build_text("The text or, with regex, the pattern to find.", MAX_QUERY_CHARS),
            "limit": build_count(f"Maximum matches, 1 to {most:,}. Default {ordinary}.", most)
            | {"default": ordinary},
            "case_sensitive": build_switch(""),
            "regex": build_switch("RE2 syntax: no look-around, no back-references."),
            "path_glob": build_text("Only paths that match: `*.md`, `!old/**`.", MAX_GLOB_CHARS),
            "cursor": CURSOR,
        },
        ["query"],
    )


def search_output() -> Schema:
    match = build_object(
        {
            "repo": {
                "type": "string",
                "enum": list(REPOS),
                "description": "Of this match and those after it; left out where meta.repo names it",
            },
            "path": build_field("string"),
            "line": build_field("integer", "Counted from 1"),
            "end_line": build_field("integer", "Only if a match spans lines"),
            "preview": build_field("string", "The line, cut around the match when it is long"),
        },
        ["path", "line", "preview"],
    )
    rows = build_field("array", "By repo (docs, code), path, line") | {"items": match}
    return build_envelope_schema(build_object({"matches": rows, "cursor": NEXT_CURSOR}, ["matches"]))


OPEN_TITLE = "Open file"
OPEN_DESCRIPTION = (
    "Read a whole text file of docs or code as numbered lines; for a part of it use get_snippet."
)


def open_file_input() -> Schema:
    return build_record({"repo": build_choice("", REPOS), "path": build_text("", MAX_PATH_CHARS)})


SNIPPET_TITLE = "Get lines of a file"
SNIPPET_DESCRIPTION = (
    "Read lines start_line to end_line (from 1, both included) of one text file of docs or code,"
    " numbered: for example those around a match of search."
)


def get_snippet_input() -> Schema:
    return build_record(
        {
            "repo": build_choice("", REPOS),
            "path": build_text("", MAX_PATH_CHARS),
            "start_line": build_count("", MAX_LINE_NUMBER),
            "end_line": build_count("", MAX_LINE_NUMBER),
        }
    )


def lines_output() -> Schema:
    properties = {
        "path": build_field("string"),
        "start_line": build_field("integer"),
        "end_line": build_field("integer", "Last line in content; start_line - 1 when there is none"),
        "total_lines": build_field("integer", "Lines of the file"),
        "content": build_field("string", "Numbered lines: line number, tab, text, newline"),
    }
    return build_envelope_schema(build_record(properties))


LIST_TITLE = "List directory"
LIST_DESCRIPTION = (
    "List the files and directories directly in one directory of docs or code, by name, page by page. Hidden"
    " and ignored ones are only counted."
)


def list_dir_input() -> Schema:
    path = 'Default "": the root.'
    return build_object(
        {
            "repo": build_choice("", REPOS),
            "path": build_text(path, MAX_PATH_CHARS, least=0) | {"default": ""},
            "cursor": CURSOR,
        },
        ["repo"],
    )


def list_dir_output() -> Schema:
    entry = build_object(
        {
            "path": build_field("string", "Relative to the root of repo"),
            "type": {"type": "string", "enum": ["file", "directory"]},
            "size": build_field("integer", "Bytes; files only"),
        },
        ["path", "type"],
    )
    left_out = build_field("object", "Entries left out, by reason: hidden, ignored, denied, symlink, special")
    properties = {
        "path": build_field("string", 'Of the directory; "" for the root'),
        "entries": build_field("array", "By name") | {"items": entry},
        "left_out": left_out | {"additionalProperties": {"type": "integer"}},
    }
    return build_envelope_schema(build_object({**properties, "cursor": NEXT_CURSOR}, ("path", "entries")))
