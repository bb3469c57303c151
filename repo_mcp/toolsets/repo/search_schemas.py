"""The schemas, title and description of `repo.search`."""

from __future__ import annotations

from repo_mcp.config.server_config import Limits
from repo_mcp.toolsets.pages import CURSOR, NEXT_CURSOR
from repo_mcp.toolsets.repo.schemas import MAX_GLOB_CHARS, MAX_QUERY_CHARS, build_envelope_schema
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

MAX_CONTEXT = 20  # lines before and after an exact match
MAX_PER_FILE = 200  # lines of a file that match

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
                "A whole issue or question (with names the code may use), words; exact text; regex (RE2).",
                MAX_QUERY_CHARS,
            ),
            "mode": build_choice("Default bm25.", SEARCH_MODES) | {"default": SEARCH_MODES[0]},
            "top_k": build_count(
                f"Hits or files, 1 to {limits.max_search_hits}. Default {limits.default_search_hits}.",
                limits.max_search_hits,
                limits.default_search_hits,
            ),
            "file_glob": build_text("Only paths: `*.py`, `src/**`, `!docs/**`.", MAX_GLOB_CHARS),
            "language": build_text("Only this language, as in repo.status; cpp has all .h files.", 64),
            "include_tests": build_switch("Tests too. Default true.", True),
            "detail": build_choice("Default snippets; text: half the bytes, to find a place.", SEARCH_DETAILS)
            | {"default": SEARCH_DETAILS[0]},
            "context": build_limited("Exact modes: lines around; default 0", 0, MAX_CONTEXT, 0),
            "max_per_file": build_count(
                f"Exact modes: lines per file, 1 to {MAX_PER_FILE}. Default 5 or more.", MAX_PER_FILE
            ),
            "ignore_case": build_switch("Exact modes."),
            "whole_word": build_switch("Exact modes."),
            "explain": build_switch("Explain each score."),
            "cursor": CURSOR,
        },
        ["query"],
    )


def search_output() -> Schema:
    properties = {
        "hits": build_list(
            _build_hit() | {"type": ["object", "string"]},
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
            " all were counted, or, in these modes as text and without a cursor, all are shown",
        )
        | {"default": None},
        "truncated": build_field(
            "boolean", "True when more match than are given; not as text, where `cursor` or a row says so"
        ),
        "snapshot": build_field(
            "string", "The version of the index that answered; absent: the files were read, or detail text"
        ),
    }
    file = build_record({"path": build_field("string"), "hits": build_field("integer")})
    extra = {
        "cursor": NEXT_CURSOR,
        "total_is_lower_bound": build_field("boolean", "True: there are at least `total`"),
        "files": build_list(file, "With detail files: the files of the hits, in their order"),
    }
    return build_envelope_schema(build_object(properties | extra, ("hits",)))


def _build_hit() -> Schema:
    always = _build_excerpt()
    return build_object({**always, **_build_details(), **_build_explanation()}, always)


def _build_excerpt() -> dict[str, Schema]:
    """Return the fields that every hit has: where its lines are, and the lines."""
    return {
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


def _build_details() -> dict[str, Schema]:
    """Return the fields that a hit has only if there is something to say."""
    return {
        "symbol": build_field(
            ["string", "null"], "The declaration that the hit is about; in a brief hit, see the snippet"
        ),
        "symbol_lines": build_list(build_field("integer"), "First and last line of that declaration")
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


def _build_explanation() -> dict[str, Schema]:
    """Return the fields that a hit has if an explanation is asked for."""
    line = build_field("integer")
    explanation: Schema = {
        "type": "object",
        "description": "With explain: signal -> points; together they are the score",
        "additionalProperties": {"type": "number"},
    }
    return {
        "explanation": explanation,
        "chunk_id": build_field("string", "With explain: the same while the file and its chunks are"),
        "chunk_lines": build_list(line, "With explain: first and last line of that indexed chunk"),
    }
