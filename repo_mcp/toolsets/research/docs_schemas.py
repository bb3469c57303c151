"""The schemas of `search_docs`."""

from __future__ import annotations

from repo_mcp.config.server_config import Limits
from repo_mcp.toolsets.cursors import CURSOR, NEXT_CURSOR
from repo_mcp.toolsets.research.schemas import (
    FORMAT,
    MAX_QUERY_CHARS,
    PATH,
    PATH_FILTER,
    build_result,
)
from repo_mcp.toolsets.schema_parts import (
    Schema,
    build_choice,
    build_field,
    build_limited,
    build_list,
    build_object,
    build_text,
    keep,
)

DEFAULT_HITS = 10
SECTION, DOC_COMMENT = KINDS = ("section", "doc_comment")


def docs_input(limits: Limits) -> Schema:
    """Return the input schema of `search_docs`."""
    most = limits.max_search_hits
    return build_object(
        {
            "query": build_text(
                'Also "an exact phrase", +must, -mustnot',
                MAX_QUERY_CHARS,
            ),
            "path": PATH,
            "limit": build_limited("Most sections", min(DEFAULT_HITS, most), most),
            "path_filter": PATH_FILTER,
            "format": FORMAT,
            "cursor": CURSOR,
        },
        ("query",),
    )


_HIT = build_object(
    {
        "path": build_field("string", "Relative to the repository"),
        "start_line": build_field("integer", "First line of the snippet"),
        "end_line": build_field("integer"),
        "relevance_percent": build_field(
            "number",
            "0 to 100, the same scale for every query: 100 has each word of it, in the heading too. Above 75"
            " most of the query is met, below 40 little of it",
        ),
        "kind": build_choice("Section of a document, or comment of a declaration in code", KINDS),
        "breadcrumb": build_field(
            "string",
            "Its headings, or module and scopes, down to its own: Guide > Setup > pip",
        ),
        "section_lines": build_list(
            build_field("integer"),
            "First and last line of the whole section or comment, if the snippet is a part of it",
        ),
        "snippet": build_field("string", "The lines as they are in the file now"),
    },
    ("path", "start_line", "end_line", "relevance_percent", "kind", "breadcrumb", "snippet"),
)
_MEDIA = build_object(
    {
        "path": build_field("string"),
        "mime_type": build_field("string"),
        "size": build_field("integer", "Bytes"),
        "text": build_field("string", "Alternative text or caption"),
        "hit": build_field("integer", "Number of the result that refers to it, from 1"),
    },
    ("path", "mime_type", "size", "hit"),
)
DOCS_OUTPUT = build_result(
    {
        "results": keep(build_list(_HIT, "Best first; ties by path, then line")),
        "total": build_field("integer", "Sections and comments that were ranked"),
        "truncated": build_field("boolean", "There are more than returned"),
        "cursor": NEXT_CURSOR,
        "media": build_list(
            _MEDIA, "Images, sounds and other files that the results refer to; linked beside the text"
        ),
    }
)
