"""What the schemas of the `research` tools have in common. Nothing depends on what is served."""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.toolsets.research.answers import ERROR_CODES, FORMATS
from repo_mcp.toolsets.schema_parts import (
    Schema,
    build_choice,
    build_field,
    build_list,
    build_object,
    build_text,
)

MAX_PATH_CHARS = 4_096
MAX_QUERY_CHARS = 10_000
MAX_GLOB_CHARS = 512


def build_limited(description: str, default: int, most: int, least: int = 1) -> Schema:
    """A number argument; the description gets its limits."""
    said = f"{description}, {least} to {most}; {default} when left out"
    return {"type": "integer", "description": said, "default": default, "minimum": least, "maximum": most}


def build_result(properties: Mapping[str, Schema]) -> Schema:
    """What a tool answers: these properties, or one text in the form that was asked for, or an error."""
    error = build_object({"code": build_choice("", ERROR_CODES), "message": build_field("string")})
    return build_object(
        {
            **properties,
            "warnings": build_list(build_field("string"), "What is incomplete or unusual about this answer"),
            "format": build_choice("Form of text; left out where the answer is JSON", FORMATS[1:]),
            "text": build_field("string", "The whole answer in that form"),
            "error": error,
        }
    )


PATH = build_text(
    "Folder to search in: . for the whole repository (when left out), or a folder inside it",
    MAX_PATH_CHARS,
    0,
) | {"default": "."}
PATH_FILTER = build_text(
    "Only paths that match this glob, such as src/auth/** or **/*_test.go; relative to the repository or to"
    " path",
    MAX_GLOB_CHARS,
)
FORMAT = build_choice(
    "Form of the answer: json (when left out), human (text to read) or toon (JSON in fewer tokens)", FORMATS
) | {"default": FORMATS[0]}
