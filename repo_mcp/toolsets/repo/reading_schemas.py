"""The schemas, titles and descriptions of `repo.open_file` and `repo.outline`."""

from __future__ import annotations

from repo_mcp.config.server_config import Limits
from repo_mcp.toolsets.pages import CURSOR, NEXT_CURSOR
from repo_mcp.toolsets.repo.schemas import build_envelope_schema
from repo_mcp.toolsets.schema_parts import (
    Schema,
    build_choice,
    build_count,
    build_field,
    build_list,
    build_object,
    build_record,
    build_switch,
    build_text,
)

MAX_PATH_CHARS = 4_096
MAX_LINE_NUMBER = 2_147_483_647
MAX_SYMBOL_CHARS = 1_000
MAX_ABOUT_CHARS = 1_000
MAX_SPANS = 20
MAX_OUTLINE_DEPTH = 100
MAX_OUTLINE_KINDS = 32
OUTLINE_DETAILS = ("symbols", "text", "full")

OPEN_TITLE = "Open repository file"
OPEN_DESCRIPTION = (
    "Read code, with line numbers. Cheapest is one declaration: by symbol, or by path and line, as hits give"
    " them, with about; several in spans. start_line and end_line open other lines."
)
_PATH = build_text("From the root, with `/`.", MAX_PATH_CHARS)


def open_file_input(limits: Limits) -> Schema:
    most, ordinary = limits.max_open_lines, limits.default_open_lines
    end = f"Last line; at most {most:,} lines. Default: {ordinary} lines."
    declaration = {
        "path": _PATH,
        "symbol": build_text("Name: `Worker.run`; path: its or a caller's, or none.", MAX_SYMBOL_CHARS),
        "line": build_count(
            "The declaration around this line; of a long one, the lines near it.", MAX_LINE_NUMBER
        ),
        "about": build_text("Words: cut a long one to lines about them.", MAX_ABOUT_CHARS),
    }
    lines = {
        "start_line": build_count("First line. Default 1.", MAX_LINE_NUMBER, 1),
        "end_line": build_count(end, MAX_LINE_NUMBER),
    }
    span = build_object({name: {"type": schema["type"]} for name, schema in (declaration | lines).items()})
    several = (
        f"Up to {MAX_SPANS}: [{{line}}, {{symbol, about}}, {{path, start_line, end_line}}]. path and about"
        " outside hold for all."
    )
    spans = build_list(span, several) | {"maxItems": MAX_SPANS}
    return build_object({**declaration, "spans": spans, **lines})


def open_file_output() -> Schema:
    one = {
        "path": build_field("string"),
        "start_line": build_field("integer"),
        "end_line": build_field(
            "integer", "Last line in content, or of the span that about cut; start_line - 1 if empty"
        ),
        "total_lines": build_field("integer", "Lines of the file"),
        # Its default is one that it never has: it is there even when it is empty.
        "content": build_field("string", "Numbered lines: line number, tab, text, newline")
        | {"default": None},
        "truncated": build_field("boolean", "True when lines asked for are missing or a line was cut"),
        "symbol": build_field("string", "Qualified name of the declaration that is shown"),
    }
    span = {
        **{
            name: {key: schema[key] for key in schema if key != "description"} for name, schema in one.items()
        },
        "warnings": build_list(build_field("string")),
        "error": build_record(dict.fromkeys(("code", "message", "hint"), build_field("string"))),
        "blocked": build_field("boolean", "True when this read was refused for safety"),
    }
    spans = build_list(
        build_object(span),
        "With spans: the answer to each, or its error; without the path that the call gave for all or the one"
        " before has, without start_line or end_line if content begins or ends there, without a symbol that"
        " the call gave",
    )
    return build_envelope_schema(build_object({**one, "spans": spans}))


OUTLINE_TITLE = "Outline repository file"
OUTLINE_DESCRIPTION = (
    "Outline a file: its functions, classes, methods, constants, headings or keys, with signature, lines and"
    " parent. Cheaper than reading; cheapest as text."
)


def outline_input() -> Schema:
    depth = "1 is the top level. Default: all."
    kinds = "Only these: class, function, method, heading, ..."
    kind: Schema = {"type": "string", "minLength": 1, "maxLength": 40}
    details = "Default symbols; text: a line each; full: every field."
    return build_object(
        {
            "path": _PATH,
            "max_depth": build_count(depth, MAX_OUTLINE_DEPTH),
            "kinds": build_list(kind, kinds) | {"maxItems": MAX_OUTLINE_KINDS},
            "parent": build_text("Only the members of this declaration.", MAX_SYMBOL_CHARS),
            "detail": build_choice(details, OUTLINE_DETAILS) | {"default": OUTLINE_DETAILS[0]},
            "docs": build_switch("Add first lines of docstrings."),
            "cursor": CURSOR,
        },
        ["path"],
    )


def outline_output() -> Schema:
    properties = {
        "kind": build_field("string"),
        "name": build_field("string"),
        "signature": build_field("string", "Declaration on one line, without name and self except in full"),
        "start_line": build_field("integer", "Decorators included"),
        "end_line": build_field("integer"),
        "doc": build_field(["string", "null"], "First line of the docstring or comment"),
        "parent_symbol": build_field(
            ["string", "null"],
            "Qualified name of the enclosing declaration; null: none; absent: the innermost longer one above"
            " whose lines include these, if any",
        )
        | {"default": ""},  # a name never is, so null stays
        "scope_kind": build_field(
            ["string", "null"], "module, class or function; absent: class within a parent, else module"
        ),
        "is_conditional": build_field(["boolean", "null"], "Under if, try, match, with, a loop or cfg"),
        "decl_context": build_field(["string", "null"], "These, outermost first"),
        "members": build_field(
            "string", "Names of its short members, which parent or kinds lists: fields, enum values"
        ),
    }
    symbol = build_object(properties, ("kind", "name", "signature", "start_line", "end_line"))
    result = {
        "path": build_field("string"),
        "language": build_field("string"),
        "symbols": build_list(
            symbol | {"type": ["object", "string"]},
            "By start line, end line, column, name; with detail text strings: first-last, signature",
        ),
        "cursor": NEXT_CURSOR,
        "truncated": build_field("boolean", "True when symbols that were asked for are left out"),
        "parser": build_field(
            "string", "Default ast: exact; lexical: by line patterns, best effort; headings; keys"
        )
        | {"default": "ast"},
    }
    return build_envelope_schema(build_object(result, ("path", "language", "symbols")))
