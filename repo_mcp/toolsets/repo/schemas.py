"""The schemas, titles and descriptions of the `repo` tools, except those that read one file.

Several clients drop `default`, `minimum` and `maximum` before a model sees a schema, and one drops all
descriptions of an input schema above 5,000 bytes. So each description says its limits in words, and is
short. Others find tools by searching these texts, so they name what a person would ask for. Nothing here
depends on the repository that is served; the operator's limits are the only thing filled in.
"""

from __future__ import annotations

from dataclasses import fields

from repo_mcp.bundler.limits import (
    CHARS_PER_TOKEN,
    DEFAULT_STRATEGY,
    LINES_PER_FILE,
    MAX_BUNDLE_TOKENS,
    STRATEGIES,
)
from repo_mcp.config.server_config import Limits
from repo_mcp.toolsets.pages import CURSOR, NEXT_CURSOR
from repo_mcp.toolsets.repo.answers import ERROR_CODES
from repo_mcp.toolsets.schema_parts import (
    Schema,
    build_choice,
    build_count,
    build_field,
    build_limited,
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
MAX_CONTEXT = 20  # lines before and after an exact match
MAX_PER_FILE = 200  # lines of a file that match


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


def status_input(limits: Limits) -> Schema:
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


def list_files_output(limits: Limits) -> Schema:
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


SEARCH_TITLE = "Search repository code"
SEARCH_DESCRIPTION = (
    "Search code, configuration and documentation. By default (bm25) ranked full-text search: paste the"
    " whole issue, error message or question, or give words, and see the functions that it is about."
    " Mode literal (exact string) or regex (grep), for names you have seen: each line under its function"
    " and span. Mode symbol: declarations by name."
)
SEARCH_MODES = ("bm25", "literal", "regex", "symbol")
SEARCH_DETAILS = ("snippets", "text", "files", "count")


def search_input(limits: Limits) -> Schema:
    return build_object(
        {
            "query": build_text(
                "A whole issue, a question or words; exact text; a regex (RE2).",
                MAX_QUERY_CHARS,
            ),
            "mode": build_choice(
                "Default bm25.",
                SEARCH_MODES,
            )
            | {"default": SEARCH_MODES[0]},
            "top_k": build_count(
                f"Maximum hits or files, 1 to {limits.max_search_hits}."
                f" Default {limits.default_search_hits}.",
                limits.max_search_hits,
                limits.default_search_hits,
            ),
            "file_glob": build_text(
                "Only these paths: `*.py`, `src/**`, `!docs/**`.",
                MAX_GLOB_CHARS,
            ),
            "language": build_text("Only this language, as in repo.status.", 64),
            "include_tests": build_switch("Search tests too. Default true.", True),
            "detail": build_choice(
                "Default snippets; text: half the bytes, to find a place.",
                SEARCH_DETAILS,
            )
            | {"default": SEARCH_DETAILS[0]},
            "context": build_limited("Exact modes: lines around; default 0", 0, MAX_CONTEXT, 0),
            "max_per_file": build_count(
                f"Exact modes: lines per file, 1 to {MAX_PER_FILE}. Default 5 or more.",
                MAX_PER_FILE,
            ),
            "ignore_case": build_switch("Exact modes."),
            "whole_word": build_switch("Exact modes."),
            "explain": build_switch("Explain each score."),
            "cursor": CURSOR,
        },
        ["query"],
    )


def search_output(limits: Limits) -> Schema:
    properties = {
        "hits": build_list(
            _search_hit() | {"type": ["object", "string"]},
            "Best first, ties by path, then line. Modes literal and regex: one hit per file, by path,"
            " program files first, then configuration, tests, documents, third-party files. As text: the"
            " path, then declarations with their spans (exact modes: the first time), each above its"
            " numbered lines (for a question its first ones). Where the first line declares it, its span"
            " and class replace the line number (`30-41 Ledger.:`). A blank row comes before lines outside"
            " every declaration. `also` names others in the file that a question may be about. Far below"
            " the best: span and name alone",
        ),
        "total": build_field(
            ["integer", "null"],
            "Matching spans; declarations in mode symbol, lines in modes literal and regex; absent: not"
            " all were counted",
        )
        | {"default": None},
        "truncated": build_field(
            "boolean", "True when more match than are given; not as text, where `cursor` or a row says so"
        ),
        "snapshot": build_field(
            "string",
            "The version of the index that answered; absent: the files were read, or detail text",
        ),
    }
    file = build_record({"path": build_field("string"), "hits": build_field("integer")})
    extra = {
        "cursor": NEXT_CURSOR,
        "total_is_lower_bound": build_field("boolean", "True: there are at least `total`"),
        "files": build_list(file, "With detail files: the files of the hits, in their order"),
    }
    return build_envelope_schema(build_object(properties | extra, ("hits",)))


def _search_hit() -> Schema:
    always = {
        "path": build_field("string"),
        "start_line": build_field(
            "integer",
            "First line of the snippet, apart from first lines of other declarations; in a brief hit, of"
            " the declaration that it is about",
        ),
        "end_line": build_field("integer", "Its last line"),
        "snippet": build_field(
            "string",
            "Numbered lines: the head of a declaration and its matching lines; for a question also first"
            " lines of others that it may be about; in a brief hit, far below the best, one line. Modes"
            " literal and regex: matching lines of the file, each under its declaration: `Ledger.post`,"
            " then `.close` for the same class, with a span if it is long. Where the first line declares"
            " it, its span replaces the line number. A blank row comes before lines outside every"
            " declaration",
        ),
    }
    line = build_field("integer")
    optional = {
        "symbol": build_field(
            ["string", "null"], "The declaration that the hit is about; in a brief hit, see the snippet"
        ),
        "symbol_lines": build_list(line, "First and last line of that declaration")
        | {"type": ["array", "null"], "minItems": 2, "maxItems": 2},
        "also": build_list(
            build_field("string"),
            "Of pasted text: further declarations of the file that it may be about: `30-41 Ledger.close`;"
            " `.open` is in the class that was named last; `50-61,70-75 .post` are two of one name",
        ),
        "copies": build_list(
            build_field("string"),
            "Later hits of the page with the same lines: `old/ledger.py:12-20`; `4 more`",
        ),
        "more": build_field("integer", "Matching lines that are not shown; see max_per_file")
        | {"default": 0},
        "more_lines": build_list(
            build_field("integer"),
            "First and last of these; only the first if the file was not read to its end",
        ),
        "score": build_field(
            "number", "Relevance; comparable within one answer; not in modes literal and regex"
        ),
        "matched_terms": build_list(
            build_field("string"),
            "Words of the query, or forms of them; only in mode bm25, not in brief hits",
        ),
    }
    explanation = {
        "type": "object",
        "description": "With explain: signal -> points; together they are the score",
        "additionalProperties": {"type": "number"},
    }
    explained = {
        "explanation": explanation,
        "chunk_id": build_field("string", "With explain: the same while the file and its chunks are"),
        "chunk_lines": build_list(line, "With explain: first and last line of that indexed chunk"),
    }
    return build_object({**always, **optional, **explained}, always)


REFRESH_TITLE = "Refresh repository index"
REFRESH_DESCRIPTION = (
    "Bring the index up to date (re-index) after files changed. Writes only the server's own index."
)


def refresh_input(limits: Limits) -> Schema:
    text = "Read every file again; slower."
    return build_object({"force": build_switch(text)})


def refresh_output(limits: Limits) -> Schema:
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


BUNDLE_TITLE = "Build context bundle"
BUNDLE_DESCRIPTION = (
    "Collect the code that a task, question, bug report or stack trace is about: a context bundle of cited"
    " excerpts from several files, whole functions and classes where they fit. One call instead of many"
    " searches and reads; some 15 KB, by budget."
)


def bundle_input(limits: Limits) -> Schema:
    files, lines = limits.max_bundle_files, limits.max_bundle_lines
    budget = build_object(
        {
            "max_files": build_count(
                f"1 to {files}. Default {limits.default_bundle_files}, or lines / {LINES_PER_FILE}.",
                files,
            ),
            "max_total_lines": build_count(
                f"1 to {lines:,}. Default {limits.default_bundle_lines}.",
                lines,
                limits.default_bundle_lines,
            ),
            "max_tokens": build_count(
                f"Characters / {CHARS_PER_TOKEN}. Default: what one answer holds.",
                MAX_BUNDLE_TOKENS,
            ),
        }
    )
    return build_object(
        {
            "prompt": build_text(
                "Any text: whole issues, stack traces.",
                MAX_QUERY_CHARS,
            ),
            "budget": budget | {"description": "Never exceeded."},
            "strategy": {
                "type": "string",
                "enum": list(STRATEGIES),
                "default": DEFAULT_STRATEGY,
            },
            "include_tests": build_switch("Include tests, after the code they test. Default true.", True),
            "audit": build_switch("Show how it was found."),
        },
        ["prompt"],
    )


def bundle_output(limits: Limits) -> Schema:
    number, text = build_field("integer"), build_field("string")
    always = {
        "path": text,
        "start_line": number,
        "end_line": number,
        "rationale": build_field("string", "The strongest evidence; with audit all of it"),
        "score": build_field("number", "Relevance; comparable within one bundle; 0 for companions"),
        "citation": build_field("string", "path:start-end"),
        "content": build_field("string", "Numbered lines: line number, tab, text, newline"),
    }
    optional = {
        "symbol": build_field(["string", "null"], "Declaration shown or around it"),
        "role": build_field("string", "match, or a companion of one: imports, signature")
        | {"default": "match"},
        "matched_terms": build_list(text, "With audit: the prompt's words in the lines, the rarest first"),
    }
    properties = {
        "selections": build_list(build_object(always | optional, always), "Best file first, then by line"),
        "totals": build_record(dict.fromkeys(("files", "lines", "tokens"), number)),
        "audit": _bundle_audit(),
        "bundle_id": build_field("string", "Digest of request and bundle: equal for equal trees"),
        "prompt_fingerprint": build_field("string", "Digest of the prompt"),
    }
    strategy = text | {"default": DEFAULT_STRATEGY}
    return build_envelope_schema(build_object({**properties, "strategy": strategy}, properties))


def _bundle_audit() -> Schema:
    number, text = build_field("integer"), build_field("string")
    span = {"start_line": number, "end_line": number}
    search = build_record(
        {
            "name": text,
            "query": build_field("string", "Terms looked for"),
            "hits": number,
            "files": build_field("integer", "Files among the hits that were looked at"),
        }
    )
    chunk = build_record({"chunk_id": text, "path": text, **span})
    dropped = build_object(
        {
            "path": text,
            "start_line": build_field(["integer", "null"], "absent: the whole file"),
            "end_line": build_field(["integer", "null"]),
            "reason": text,
        },
        ["path", "reason"],
    )
    always = {
        "keywords": build_field("object", "By kind: what the prompt was searched for")
        | {"additionalProperties": build_list(text)},
        "considered": build_field("integer", "Files"),
        "dropped_total": build_field("integer", "Files and spans that were left out"),
    }
    whole = {
        "searches": build_list(search),
        "chunks": build_list(chunk, "Indexed chunks found by the searches that the excerpts lie in"),
        "dropped": build_list(dropped, "The best of what was left out"),
        "budget": build_object(
            dict.fromkeys(("max_files", "max_total_lines", "max_tokens"), build_field(["integer", "null"]))
        ),
        "fingerprints": build_field("object", "By path: xxh3_128 of the file's bytes, in hexadecimal")
        | {"additionalProperties": text},
    }
    described = "Keywords and counts; with audit: true everything"
    return build_object(always | whole, always) | {"description": described}


AUDIT_TITLE = "Repository audit log"
AUDIT_DESCRIPTION = (
    "Audit log of recent tool calls to this server: time, tool, outcome, duration; no queries or contents."
)


def audit_input(limits: Limits) -> Schema:
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


def audit_output(limits: Limits) -> Schema:
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
