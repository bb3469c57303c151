"""The schemas, titles and descriptions of the `repo` tools on the index, the list of files and the log.

Other modules have those of the tools that search, read one file, or build a bundle.

Several clients drop `default`, `minimum` and `maximum` before a model sees a schema, and one drops all
descriptions of an input schema above 5,000 bytes. So each description says its limits in words, and is
short. Others find tools by searching these texts, so they name what a person would ask for. Nothing here
depends on the repository that is served; the operator's limits are the only thing filled in.
"""

from __future__ import annotations

from dataclasses import fields

from repo_mcp.config.server_config import Limits
from repo_mcp.toolsets.pages import CURSOR, NEXT_CURSOR
from repo_mcp.toolsets.repo.answers import ERROR_CODES
from repo_mcp.toolsets.schema_parts import (
    Schema,
    build_count,
    build_field,
    build_list,
    build_object,
    build_record,
    build_switch,
    build_text,
)

DEFAULT_AUDIT_ENTRIES = 50
MAX_AUDIT_ENTRIES = 1_000
MAX_SINCE_CHARS = 64
DEFAULT_LIST_RESULTS = 50  # rows of about 80 characters: a model that wants more asks for them
MOST_FOLDERS = 32  # by which all files are counted where these are not all
MAX_GLOB_CHARS = 512
MAX_QUERY_CHARS = 131_072  # far above max_query_words words; the words above that are cut with a warning


def _counts(description: str) -> Schema:
    return {"type": "object", "description": description, "additionalProperties": {"type": "integer"}}


def build_envelope_schema(result: Schema) -> Schema:
    """Return the output schema of a tool: its result within the envelope."""
    error = build_record(
        {
            "code": {"type": "string", "enum": list(ERROR_CODES)},
            "message": build_field("string"),
            "hint": build_field("string", "What to do next"),
        }
    )
    properties = {
        "request_id": build_field("string"),
        "ok": build_field("boolean"),
        "result": result | {"type": ["object", "null"]},
        "warnings": build_list(build_field("string"), "What is incomplete or unusual about this answer"),
        "blocked": build_field("boolean", "True when a read was refused for safety"),
        "error": error,
        "reason": build_field("string", "Why the read was refused"),
        "hint": build_field("string", "What to do instead"),
    }
    return build_object(properties, ["request_id", "ok", "result", "warnings", "blocked"])


STATUS_TITLE = "Repository index status"
STATUS_DESCRIPTION = (
    "State of the search index: ready, building or stale; files indexed and skipped, by reason; languages;"
    " limits. Call it when results look incomplete."
)


def status_input() -> Schema:
    return build_object({})


def status_output(limits: Limits) -> Schema:
    progress = build_record(
        {
            "phase": build_field("string"),
            "files_done": build_field("integer"),
            "files_total": build_field("integer"),
            "bytes_done": build_field("integer"),
            "bytes_total": build_field("integer"),
        }
    )
    coverage = build_object(
        {"indexed": build_field("integer"), "skipped": _counts("Files not indexed, by reason")}, ["indexed"]
    )
    names = build_list(build_field("string"))
    properties = {
        "repo_root": build_field("string", "Absolute path of the repository"),
        "state": build_field("string", "missing, building, partial, ready or degraded"),
        "snapshot": build_field(["string", "null"], "The version of the index that answers"),
        "generation": build_field("integer"),
        "indexed_files": build_field("integer"),
        "segments": build_field("integer"),
        "index_bytes": build_field("integer"),
        "coverage": coverage,
        "stale": build_field(
            ["integer", "null"], "Files known to have changed since the last refresh; absent: unknown"
        ),
        "last_refresh": build_field(["string", "null"], "Time (ISO 8601, UTC)"),
        "progress": progress | {"type": ["object", "null"], "description": "Of a running refresh"},
        "languages": _counts("Indexed files by language"),
        "adapters": names,
        "limits": build_record({limit.name: build_field("integer") for limit in fields(limits)}),
        "toolsets": names,
        "hardening": build_field(
            "string", "What the kernel forbids this server: off, on or unavailable, and what"
        ),
        "version": build_field("string"),
        "origin": build_field("string", "Index that this one started from"),
    }
    allowed = build_list(build_field("string"), "Names served although denied by default; absent: none")
    required = ("repo_root", "state", "last_refresh", "indexed_files", "coverage", "adapters", "limits")
    return build_envelope_schema(build_object({**properties, "allow_paths": allowed}, required))


LIST_TITLE = "List repository files"
LIST_DESCRIPTION = (
    "Find files by name, extension or folder (glob), with sizes and times; of many, counts by folder. Ignored"
    " (.gitignore) and secret files are left out. repo.search looks inside files."
)


def list_files_input(limits: Limits) -> Schema:
    default = min(DEFAULT_LIST_RESULTS, limits.max_list_results)
    return build_object(
        {
            "glob": build_text(
                "Glob on the path: `*.py` (any depth), `src/**`, `*.{ts,tsx}`. Default: every file.",
                MAX_GLOB_CHARS,
            ),
            "max_results": build_count(
                f"Maximum files, 1 to {limits.max_list_results:,}. Default {default}.",
                limits.max_list_results,
                default,
            ),
            "include_hidden": build_switch("Include hidden files; .github and the like always are."),
            "cursor": CURSOR,
        }
    )


def list_files_output() -> Schema:
    row = build_record(
        {
            "path": build_field("string"),
            "size": build_field("integer", "Bytes"),
            "mtime": build_field("number", "Modification time, seconds since 1970 (UTC)"),
        }
    )
    properties = {
        "files": build_list(row, "Sorted by path"),
        "total": build_field("integer", "Files that match, before any cut"),
        "truncated": build_field("boolean", "True when more follow"),
        "folders": _counts("Matching files by glob, if more follow and max_results was not given"),
    }
    return build_envelope_schema(build_object({**properties, "cursor": NEXT_CURSOR}, ("files", "total")))


REFRESH_TITLE = "Refresh repository index"
REFRESH_DESCRIPTION = "Bring the index up to date after files changed. Writes only the server's own index."


def refresh_input() -> Schema:
    text = "Read every file again; slower."
    return build_object({"force": build_switch(text)})


def refresh_output() -> Schema:
    properties = {
        "added": build_field("integer"),
        "updated": build_field("integer"),
        "removed": build_field("integer"),
        "unchanged": build_field("integer"),
        "skipped": _counts("Files not indexed, by reason"),
        "duration_ms": build_field("integer"),
        "timestamp": build_field("string", "When the index was written (ISO 8601, UTC)"),
        "snapshot": build_field("string", "The version of the index that now answers"),
    }
    required = ("added", "updated", "removed", "duration_ms", "timestamp")
    return build_envelope_schema(build_object(properties, required))


AUDIT_TITLE = "Repository audit log"
AUDIT_DESCRIPTION = (
    "Audit log of recent tool calls to this server: time, tool, outcome, duration; no queries or contents."
)


def audit_input() -> Schema:
    since = "From this time: ISO 8601 (UTC) or seconds since 1970."
    return build_object(
        {
            "since": {
                "type": ["string", "number"],
                "description": since,
                "minLength": 1,
                "maxLength": MAX_SINCE_CHARS,
            },
            "limit": build_count(
                f"Latest calls, 1 to {MAX_AUDIT_ENTRIES:,}. Default {DEFAULT_AUDIT_ENTRIES}.",
                MAX_AUDIT_ENTRIES,
                DEFAULT_AUDIT_ENTRIES,
            ),
            "cursor": CURSOR,
        }
    )


def audit_output() -> Schema:
    shapes = {"type": "object", "description": "By name: type, length, digest; values where harmless"}
    entry = build_object(
        {
            "timestamp": build_field("string", "When the call ended (ISO 8601, UTC)"),
            "request_id": build_field("string"),
            "tool": build_field("string"),
            "arguments": shapes,
            "ok": build_field("boolean"),
            "blocked": build_field("boolean"),
            "error_code": build_field(["string", "null"]),
            "duration_ms": build_field("integer"),
        },
        ("timestamp", "request_id", "tool", "ok", "duration_ms"),
    )
    properties = {
        "entries": build_list(entry, "In the order logged, the latest last"),
        "truncated": build_field("boolean", "True when there are earlier calls that match"),
    }
    cursor = NEXT_CURSOR | {"description": "For the calls before these; none at the end"}
    return build_envelope_schema(build_object({**properties, "cursor": cursor}, ["entries"]))
