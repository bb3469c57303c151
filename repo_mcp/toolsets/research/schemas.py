"""The schemas of `index_codebase` and `search_code`, and the parts that the whole toolset shares."""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.config.server_config import Limits
from repo_mcp.toolsets.pages import CURSOR, NEXT_CURSOR
from repo_mcp.toolsets.research.answers import ERROR_CODES, FORMATS
from repo_mcp.toolsets.schema_parts import (
    Schema,
    build_choice,
    build_field,
    build_limited,
    build_list,
    build_object,
    build_switch,
    build_text,
    keep,
)

MAX_PATH_CHARS = 4_096
MAX_QUERY_CHARS = 10_000
MAX_GLOB_CHARS = 512
DEFAULT_HITS = 20
DEFAULT_SEMANTIC_WEIGHT = 0  # on repositories that it was not chosen on, 0.7 made .872 into .870
MAX_EXTENSIONS_CHARS = 1_000


def build_result(properties: Mapping[str, Schema]) -> Schema:
    """Return the schema of an answer: these properties, or one text in the requested form, or an error."""
    text = build_field("string")
    error = build_object({"code": build_choice("", ERROR_CODES), "message": text, "hint": text})
    return build_object(
        {
            **properties,
            "warnings": build_list(build_field("string"), "What is incomplete or unusual about this answer"),
            "format": build_choice("Form of text; left out if the answer is JSON", FORMATS[1:]),
            "text": build_field("string", "The whole answer in that form"),
            "error": error,
        }
    )


def _build_counts(description: str) -> Schema:
    return {"type": "object", "description": description, "additionalProperties": {"type": "integer"}}


PATH = build_text("Folder", MAX_PATH_CHARS, 0) | {"default": "."}
PATH_FILTER = build_text("Glob: src/auth/**", MAX_GLOB_CHARS)
FORMAT = build_choice("", FORMATS) | {"default": FORMATS[0]}

INDEX_INPUT = build_object(
    {
        "path": build_text(". or the path of the repository", MAX_PATH_CHARS, 0),
        "force": build_switch("Read every file again", False),
        "format": FORMAT,
    },
    ("path",),
)
INDEX_OUTPUT = build_result(
    {
        "files": build_field("integer", "Files in the index"),
        "chunks": build_field("integer", "Pieces of files that a search can find"),
        "symbols": build_field("integer", "Declarations that are known"),
        "errors": build_field("integer", "Files that could not be read or parsed"),
        "added": build_field("integer", "Files new in the index"),
        "updated": build_field("integer", "Files that had changed, or were indexed again with force"),
        "removed": build_field("integer", "Files that are gone"),
        "unchanged": build_field("integer"),
        "skipped": _build_counts("Files not indexed, by reason: binary, too_large, ignored, ..."),
        "parsed": build_object(
            {
                "files": build_field("integer", "Files whose declarations are known"),
                "partly": build_field("integer", "Of these, files with errors in their text"),
                "failed": build_field("integer", "Of these, files that could not be parsed at all"),
                "now": build_field("integer", "Files that were parsed by this call"),
            }
        ),
        "vectors": build_object(
            {
                "files": build_field("integer", "Files whose chunks have a vector"),
                "total": build_field("integer", "Files that get one, in the background"),
                "chunks": build_field("integer", "Chunks that have a vector"),
            }
        ),
        "languages": _build_counts("Files by language"),
    }
)


def search_input(limits: Limits) -> Schema:
    """Return the input schema of `search_code`."""
    most = limits.max_search_hits
    return build_object(
        {
            "query": build_text(
                'A question (with names the code may use); "an exact phrase", +must, -mustnot, sym:name,'
                " lang:python",
                MAX_QUERY_CHARS,
            ),
            "path": PATH,
            "limit": build_limited("Most results", min(DEFAULT_HITS, most), most),
            "semantic_weight": {
                "type": "number",
                "description": "0 words, 1 meaning; needs a semantic model",
                "default": DEFAULT_SEMANTIC_WEIGHT,
                "minimum": 0,
                "maximum": 1,
            },
            "extensions": build_text("py,ts", MAX_EXTENSIONS_CHARS),
            "path_filter": PATH_FILTER,
            "format": FORMAT,
            "cursor": CURSOR,
            "expand_query": build_switch("Widen the query with related words", False),
            "synthesize": build_switch("Add a summary with citations", False),
        },
        ("query",),
    )


_HIT = build_object(
    {
        "path": build_field("string"),
        "start_line": build_field("integer", "First line of content"),
        "end_line": build_field("integer", "Last line of content, included"),
        "relevance_percent": build_field(
            "number",
            "0 to 100, the same scale for every query: 100 is a file that holds each word as strongly as the"
            " strongest place in the repository, and is named after it. Above 60 most of the query is met,"
            " below 30 a word or two of it",
        ),
        "kind": build_field(
            "string", "function, method, class, ... of the declaration; section, configuration, code or data"
        ),
        "symbols": build_list(build_field("string"), "Names declared in content or around it"),
        "signature": build_field("string", "Left out, as doc_comment is, if content shows it"),
        "breadcrumb": build_field("string", "Enclosing declarations, outermost first"),
        "doc_comment": build_field("string", "First line of the declaration's comment"),
        "declared_lines": build_list(
            build_field("integer"), "First and last line of the declaration, if content is a part of it"
        ),
        "content": build_field(
            "string", "The lines as they are in the file now; very long ones cut around what matches"
        ),
    },
    ("path", "start_line", "end_line", "content", "relevance_percent", "kind", "symbols"),
)
_CITATION = build_object({"path": build_field("string"), "line": build_field("integer")})
_AUTHOR = build_choice("client: your model; index: made from the index", ("client", "index"))
_EXPANSION = build_object(
    {
        "by": _AUTHOR,
        "terms": build_list(
            build_object(
                {
                    "word": build_field("string"),
                    "weight": build_field("number", "Words of the query have 1"),
                }
            )
        ),
    }
)
_SUMMARY = build_object(
    {
        "by": _AUTHOR,
        "text": build_field("string"),
        "citations": build_list(_CITATION),
        "follow_ups": build_list(
            build_object(
                {
                    "tool": build_field("string"),
                    "arguments": {"type": "object", "additionalProperties": {"type": "string"}},
                    "reason": build_field("string"),
                }
            ),
            "Suggested next calls",
        ),
    }
)
SEARCH_OUTPUT = build_result(
    {
        "results": keep(build_list(_HIT, "Best first")),
        "total": build_field("integer", "Chunks that match"),
        "truncated": build_field("boolean", "True when there is more"),
        "cursor": NEXT_CURSOR,
        "expansion": _EXPANSION,
        "summary": _SUMMARY,
    }
)
