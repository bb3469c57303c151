"""The schemas, title and description of `repo.build_context_bundle`."""

from __future__ import annotations

from repo_mcp.bundler.limits import (
    CHARS_PER_TOKEN,
    DEFAULT_STRATEGY,
    LINES_PER_FILE,
    MAX_BUNDLE_TOKENS,
    STRATEGIES,
)
from repo_mcp.config.server_config import Limits
from repo_mcp.toolsets.repo.schemas import MAX_QUERY_CHARS, build_envelope_schema
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
                f"1 to {files}. Default {limits.default_bundle_files}, or lines / {LINES_PER_FILE}.", files
            ),
            "max_total_lines": build_count(
                f"1 to {lines:,}. Default {limits.default_bundle_lines}.", lines, limits.default_bundle_lines
            ),
            "max_tokens": build_count(
                f"Characters / {CHARS_PER_TOKEN}. Default: what one answer holds.", MAX_BUNDLE_TOKENS
            ),
        }
    )
    return build_object(
        {
            "prompt": build_text(
                "Any text: whole issues, stack traces, questions (with names the code may use).",
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


def bundle_output() -> Schema:
    number, text = build_field("integer"), build_field("string")
    always = {
        "path": text,
        "start_line": number,
        "end_line": number,
        "rationale": build_field("string", "The strongest evidence; with audit all of it"),
        "score": build_field("number", "Relevance; comparable within one bundle"),
        "citation": build_field("string", "path:start-end"),
        "content": build_field("string", "Numbered lines: line number, tab, text, newline"),
    }
    optional = {
        "symbol": build_field(["string", "null"], "Declaration shown or around it"),
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
