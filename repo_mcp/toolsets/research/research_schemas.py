"""The schemas of `code_research`: what a client may ask, and what a report holds."""

from __future__ import annotations

from repo_mcp.toolsets.research.schemas import FORMAT, MAX_QUERY_CHARS, PATH, build_result
from repo_mcp.toolsets.schema_parts import (
    Schema,
    build_choice,
    build_count,
    build_field,
    build_list,
    build_object,
    build_text,
    keep,
)

MAX_DEPTH = 5
DEFAULT_FINDINGS, MAX_FINDINGS = 40, 200
FOCUSES = ("architecture", "dependencies", "patterns", "flow")
FORMS = (
    "implementations", "callers", "callees", "dependencies", "dependents", "configured", "flow", "defined",
    "open", "overview", "extension", "errors", "difference", "tests", "raised", "written",
)  # fmt: skip
TAKEN_AS = (
    "declared", "declared_otherwise", "undeclared", "unparsed", "file", "folder",
    "outside", "words", "unknown",
)  # fmt: skip
CONFIDENCES = ("exact", "probable", "possible", "text")

RESEARCH_INPUT = build_object(
    {
        "query": build_text(
            "what calls authenticate(); with names the code may use: how is input validated? (check, schema)",
            MAX_QUERY_CHARS,
            0,
        ),
        "path": PATH,
        # Without defaults: who gives an amount wants all of it, and the usual one depends on the form.
        "depth": build_count(f"Levels of references, 1 to {MAX_DEPTH}", MAX_DEPTH),
        "focus": build_choice("", FOCUSES),
        "limit": build_count(f"Most findings, 1 to {MAX_FINDINGS}", MAX_FINDINGS),
        "format": FORMAT,
    },
    ("query",),
)


def _text(description: str = "") -> Schema:
    return build_field("string", description)


def _number(description: str = "") -> Schema:
    return build_field("integer", description)


_TEXTS = build_list(build_field("string"))
_FINDING = build_object(
    {
        "part": _number("Of the question, from 1; 0: it has one") | {"default": 0},
        "path": _text(),
        "start_line": _number(),
        "end_line": _number(),
        "symbol": _text("Name with that of its holder, or the path outside any symbol"),
        "kind": _text("function, class, file, text, ..."),
        "why": _text("Why it is here"),
        "hop": _number("References away from the subject; 0: the subject") | {"default": 0},
        "confidence": build_choice("How sure the path there is; text: found by its words", CONFIDENCES)
        | {"default": "exact"},
        "reference_lines": build_list(
            build_field("integer"), "Where it is used besides the lines of the excerpt"
        ),
        "excerpt": _text(
            "Numbered lines that decide, as they are now, without shared indentation; …: some are left out"
        ),
        "values": build_list(
            build_field("string"), "What names in the excerpt stand for: a path, then its numbered lines"
        ),
    },
    ("path", "start_line", "end_line", "symbol", "kind", "why"),
)
_MAP = build_object(
    {
        "nodes": build_list(
            build_object(
                {
                    "id": _text(),
                    "label": _text(),
                    "kind": _text(),
                    "path": _text("Absent: outside the repository"),
                }
            )
        ),
        "edges": build_list(
            build_object(
                {
                    "from": _text("Depends on the other"),
                    "to": _text(),
                    "kind": _text("calls, imports, inherits, ..."),
                    "confidence": build_choice("", CONFIDENCES),
                    "citation": _text(),
                    "count": _number("References that it represents") | {"default": 1},
                }
            )
        ),
    }
)
_CHAIN = build_object(
    {
        "symbols": build_list(build_field("string"), "Each calls the next"),
        "citations": build_list(build_field("string"), "Of each call"),
        "confidence": build_choice("Of the weakest call", CONFIDENCES),
        "ends": _text("Why it ends, or that it is a cycle"),
    }
)
_MODULE = build_object(
    {
        "name": _text("File or folder"),
        "files": _number(),
        "strength": build_field("number", "Percent of random walks along imports ending there"),
        "imported_by": _number("Modules"),
        "imports": _number("Modules"),
        "layer": _number("0 is the lowest"),
        "citation": _text("One import of it; absent if no listed module imports it"),
    }
)
_LAYER = build_object({"level": _number(), "modules": _TEXTS, "cycles": build_list(_TEXTS)})
_SHAPE = build_object(
    {
        "shape": _text("family, decorator, registration, members, name or likeness"),
        "name": _text(),
        "count": _number(),
        "citations": _TEXTS,
        "note": _text(),
    }
)
_SUBJECT = build_object(
    {
        "asked": _text(),
        "taken_as": build_choice("", TAKEN_AS),
        "symbols": _TEXTS,
    }
)
RESEARCH_OUTPUT = build_result(
    {
        "answer": _text("A few sentences, each with its citation"),
        "understood_as": build_object(
            {
                "form": build_choice("The kind of question", FORMS),
                "text": _text("How the question was understood"),
                "subjects": build_list(_SUBJECT),
                "parts": build_list(build_field("string"), "Of a question with several, as asked"),
            }
        ),
        "depth": _number("Hops that were followed"),
        "focus": build_field(["string", "null"]),
        "findings": keep(build_list(_FINDING, "Best first")),
        "total_findings": _number(),
        "truncated": build_field("boolean", "There are more findings than listed"),
        "surroundings": build_list(
            build_object({"what": _text("implementers, callers of a symbol, tests, ..."), "places": _TEXTS}),
            "Related code by file: name (path:start-end), name (:start-end)",
        ),
        "call_chains": build_list(_CHAIN),
        "entry_points": build_list(
            build_object({"symbol": _text(), "citation": _text(), "why": _text()}),
            "Where the findings start: what nothing else calls",
        ),
        "dependency_map": _MAP,
        # Those that a focus asks for stand there even when there are none.
        "modules": keep(build_list(_MODULE, "Of an architecture, the strongest first")),
        "layers": keep(build_list(_LAYER, "Of an architecture, the lowest first")),
        "shapes": keep(build_list(_SHAPE, "Of patterns")),
        "outside": keep(
            build_list(
                build_object({"name": _text(), "count": _number(), "citation": _text()}),
                "What is used but declared outside the repository",
            )
        ),
        "limits": build_list(
            build_object({"what": _text(), "why": _text()}), "What was left out, and by which limit"
        ),
    }
)
