"""What clients see of `index_codebase` and `search_code`."""

from __future__ import annotations

from repo_mcp.toolsets.research.schema_parts import (
    FORMAT,
    MAX_PATH_CHARS,
    Schema,
    build_field,
    build_object,
    build_result,
    build_switch,
    build_text,
)


def _build_counts(description: str) -> Schema:
    return {"type": "object", "description": description, "additionalProperties": {"type": "integer"}}


INDEX_INPUT = build_object(
    {
        "path": build_text(
            "Directory to index: . or the path of the repository that is served, or a folder in it. The whole"
            " repository is indexed",
            MAX_PATH_CHARS,
            0,
        ),
        "force": build_switch("Read and parse every file again, whether it changed or not"),
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
        "added": build_field("integer", "Files that are new in the index"),
        "updated": build_field("integer", "Files that had changed, or were indexed again with force"),
        "removed": build_field("integer", "Files that are gone"),
        "unchanged": build_field("integer"),
        "skipped": _build_counts("Files that are not indexed, by reason: binary, too_large, ignored, ..."),
        "parsed": build_object(
            {
                "files": build_field("integer", "Files whose declarations are known"),
                "partly": build_field("integer", "Of these, files with errors in their text"),
                "failed": build_field("integer", "Of these, files that could not be parsed at all"),
                "now": build_field("integer", "Files that were parsed by this call"),
            }
        ),
        "languages": _build_counts("Files by language"),
    }
)
