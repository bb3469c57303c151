"""The schemas of what the `graph` tools return. What they take is in `argument_schemas.py`."""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.graph.vocabulary import KINDS, EdgeType
from repo_mcp.toolsets.graph.answers import ERROR_CODES
from repo_mcp.toolsets.graph.argument_schemas import MAX_UNRESOLVED_FILES
from repo_mcp.toolsets.pages import NEXT_CURSOR
from repo_mcp.toolsets.schema_parts import Schema, build_field, build_list, build_object, build_record, keep


def _result(properties: Mapping[str, Schema], **of_error: Schema) -> Schema:
    """Return the schema of an answer: these properties or an error, and warnings beside either.

    `of_error` are additional fields of this tool's errors.
    """
    error = build_object(
        {
            "code": {"type": "string", "enum": list(ERROR_CODES)},
            "message": build_field("string"),
            "hint": build_field("string", "What to do next"),
            **of_error,
        },
        ("code", "message"),
    )
    warnings = build_list(build_field("string"), "What is incomplete or unusual about this answer")
    return build_object({**properties, "warnings": warnings, "error": error})


_NULL_TEXT = ["string", "null"]
_SHAPE: dict[str, Schema] = {
    "access_modifier": build_field(_NULL_TEXT),
    "parameter_signature": build_field(_NULL_TEXT),
    "return_type": build_field(_NULL_TEXT),
}
_NAMED: dict[str, Schema] = {
    "node_id": build_field("string", "Stable id of the symbol; its lines may change"),
    "name": build_field("string"),
    "qualified_name": build_field("string"),
    "node_type": {"type": "string", "enum": list(KINDS)},
}
_PLACED: dict[str, Schema] = {
    "language": build_field("string"),
    "file_path": build_field("string"),
    "line_start": build_field("integer"),
    "line_end": build_field("integer"),
}
_SYMBOL: dict[str, Schema] = {**_NAMED, **_PLACED, **_SHAPE}
_MORE: dict[str, Schema] = {
    "truncated": build_field("boolean", "True when there is more"),
    "cursor": NEXT_CURSOR,
}
_CHOSEN_FIELDS: dict[str, Schema] = {
    **{name: one for name, one in _NAMED.items() if name != "name"},
    "file_path": build_field("string"),
    "line_start": build_field("integer"),
    "parameter_signature": build_field(_NULL_TEXT),
}
_CHOSEN_NAMED = [name for name in _CHOSEN_FIELDS if name != "parameter_signature"]
_DEFINITIONS = build_list(
    build_field("string"), "path:line of other definitions, if platforms or builds have their own"
)
_CONSTRAINT = {"constraint": build_field("string", "Of the builds that have this variant")}
_CHOSEN = build_object(
    {
        **_CHOSEN_FIELDS,
        "definitions": _DEFINITIONS,
        "sampled_uses": build_field("string", "How many of a few uses of the name mean it"),
    },
    _CHOSEN_NAMED,
)
_CANDIDATES = build_list(_CHOSEN, "Symbols that match, if several do; the most used first")


def _result_of_symbol(properties: Mapping[str, Schema]) -> Schema:
    """Return the schema of an answer about one symbol, or about several candidates."""
    chosen = {
        **build_object({**_CHOSEN_FIELDS, **_CONSTRAINT, "definitions": _DEFINITIONS}, _CHOSEN_NAMED),
        "description": "What the answer is about; left out if asked for by node_id",
    }
    return _result({"symbol": chosen, **properties}, candidates=_CANDIDATES)


_PROJECT = build_field("string", "Folder of the nearest project file above; . is the root") | {"default": "."}

_CONFIDENCES = ("exact", "probable", "possible")
_LINES: dict[str, Schema] = {
    "lines": build_field(
        "string", "Lines of the references: number, tab, text, or the number alone; at most 20 in a row"
    )
}
_EDGE: dict[str, Schema] = {
    "node_id": _NAMED["node_id"],
    "name": build_field("string", "Qualified name inside the file, without a package that holds all of it"),
    "node_type": _NAMED["node_type"] | {"description": "Left out for functions and methods"},
    "file_path": build_field("string"),
    "line_start": build_field(["integer", "null"], "Where a symbol that is depended on is declared"),
    "edge_type": {"type": "string", "enum": [one.value for one in EdgeType], "default": "calls"},
    "direction": {"type": "string", "enum": ["incoming", "outgoing"]},
    "confidence": {
        "type": "string",
        "enum": list(_CONFIDENCES),
        "default": "exact",
        "description": "Of these lines. exact: resolved through scopes and imports; probable: the only one of"
        " that name; possible: one of several",
    },
    "source": build_field("string", "scip: from a precise indexer"),
    "via": build_field("string", "The overridden member that the lines call, if any"),
    **_LINES,
}
_EXTERNAL: dict[str, Schema] = {
    "qualified_name": build_field("string", "Name declared outside this repository"),
    "edge_type": _EDGE["edge_type"],
    **_LINES,
}

_ENTRY = build_object(
    {
        "name": build_field("string"),
        "type": build_field("string"),
        "size": build_field("integer", "Bytes of a file"),
    },
    ("name", "type"),
)
LISTING_OUTPUT = _result(
    {
        "result": keep(build_list(_ENTRY)),
        "total": build_field("integer"),
        **_MORE,
        "left_out": {
            "type": "object",
            "description": "Entries that are not shown, by reason: hidden, ignored, denied, ...",
            "additionalProperties": {"type": "integer"},
        },
    }
)
READ_OUTPUT = _result(
    {
        "path": build_field("string"),
        "content": keep(build_field("string", "The lines as they are in the file, their ends written \\n")),
        "line_start": build_field("integer"),
        "line_end": build_field("integer"),
        "total_lines": build_field("integer"),
        "truncated": keep(_MORE["truncated"]),
    }
)
TREE_OUTPUT = _result(
    {
        "name": build_field("string"),
        "type": build_field("string"),
        "children": keep(
            build_list(
                build_field("object"), "name and type; of a folder its children, and truncated when cut"
            )
        ),
        **_MORE,
    }
)
SYMBOLS_OUTPUT = _result(
    {
        "result": keep(
            build_list(
                build_object(
                    {
                        **_SYMBOL,
                        "project_id": _PROJECT,
                        "rank": build_field("number", "The lower, the better"),
                    },
                    (*_NAMED, *_PLACED),
                )
            )
        ),
        **_MORE,
        "total": build_field("integer", "Symbols with the name that was looked up, if not all are here"),
    }
)
SIMILAR_OUTPUT = _result_of_symbol(
    {
        "result": keep(
            build_list(
                build_object(
                    {
                        **_SYMBOL,
                        "similarity": build_field(
                            "number",
                            "0 to 1: 0.45 x rare names used in common + 0.35 x runs of tokens in common,"
                            " identifiers made equal + 0.2 x parts of the own name in common",
                        ),
                        "shared_names": build_list(build_field("string"), "The rarest names that both use"),
                    },
                    (*_NAMED, *_PLACED, "similarity"),
                )
            )
        ),
        **_MORE,
    }
)
_FLAGS = ("public_api", "static", "abstract", "async", "override", "deprecated")
SYMBOL_OUTPUT = _result(
    {
        **_SYMBOL,
        "project_id": _PROJECT,
        **{f"is_{name}": build_field("boolean") | {"default": False} for name in _FLAGS},
        "has_doc_comment": build_field("boolean") | {"default": False},
        "parse_status": build_field(
            "string", "full, partial or failed: how much of the file could be parsed"
        ),
        "parameter_count": build_field("integer") | {"default": 0},
        "reference_count": build_field("integer", "References in this repository, in any role"),
        "reference_count_is_lower_bound": build_field("boolean") | {"default": False},
    },
    candidates=_CANDIDATES,
)
_SPAN: dict[str, Schema] = {
    "file_path": build_field("string"),
    "line_start": build_field("integer"),
    "line_end": build_field("integer"),
    "is_primary": build_field("boolean"),
}
SPANS_OUTPUT = _result_of_symbol(
    {"result": keep(build_list(build_object({**_SPAN, **_CONSTRAINT}, [*_SPAN]))), **_MORE}
)
OUTLINE_OUTPUT = _result(
    {
        "result": keep(
            build_list(
                build_object(
                    {
                        **_NAMED,
                        "qualified_name": build_field(
                            "string",
                            "Left out if it follows from the symbol around these lines, or there is none;"
                            " what a method assigns belongs to its type",
                        ),
                        "line_start": build_field("integer"),
                        "line_end": build_field("integer"),
                        **_SHAPE,
                    },
                    ("node_id", "name", "node_type", "line_start", "line_end"),
                )
            )
        ),
        **_MORE,
        "parse_status": build_field(
            _NULL_TEXT, "full, partial or failed; absent for a language without a parser"
        ),
    }
)


def _describe_unresolved(description: str) -> dict[str, Schema]:
    return {
        "unresolved": build_field("integer", description) | {"default": 0},
        "unresolved_in": build_list(
            build_object({"file_path": build_field("string"), **_LINES}, ("file_path",)),
            f"Where they are, nearest files first, at most {MAX_UNRESOLVED_FILES} an answer, after all edges",
        ),
    }


def _describe_edges(direction: str) -> dict[str, Schema]:
    """Return the fields of a list of edges, all of one direction."""
    lines = build_list(build_field("integer"), "Lines of the overloads that it belongs to, of several")
    edge = _EDGE | {"direction": _EDGE["direction"] | {"default": direction}, "overloads": lines}
    own = {
        name: _CHOSEN_FIELDS[name] for name in ("node_id", "file_path", "line_start", "parameter_signature")
    }
    overload = build_object({**own, "total": build_field("integer", "Its edges")}, ("node_id", "line_start"))
    possible = "Of the total; these mostly come after the others, on pages of their own"
    return {
        "overloads": build_list(overload, "All that the name means, if symbol is only the first of several"),
        "result": keep(build_list(build_object(edge, ("node_id", "name")))),
        "total": build_field("integer", "Symbols at the other end, once for each type of edge"),
        "possible": build_field("integer", possible) | {"default": 0},
        "reference_total": build_field("integer", "Lines of all edges"),
        "total_is_lower_bound": build_field("boolean", "True while the numbers are not final"),
        **_MORE,
    }


_EXTERNALS: dict[str, Schema] = {
    "external": build_list(
        build_object(_EXTERNAL, ("qualified_name",)), "What is declared outside this repository"
    ),
    "external_total": build_field("integer") | {"default": 0},
}
_ROLES = {
    "code": "The program",
    "test": "Also modules of tests in Rust",
    "docs": "Examples and benchmarks, too",
    "foreign": "Vendored or generated",
}
_FOLDERS: dict[str, Schema] = {
    "total_by_role": build_object({role: build_field("integer", said) for role, said in _ROLES.items()})
    | {"description": "Of the total, in the order of the rows, if another page follows"},
    "references_by_name": build_field(
        "integer", "All references to its name, whatever they mean: no more than these lead to it"
    ),
    "folders": build_list(
        build_object(
            {
                "folder": build_field("string"),
                "rest": build_field("boolean", "Only what is in no subfolder with a row of its own")
                | {"default": False},
                "files": build_field("integer"),
                "references": build_field("integer", "By name"),
                "resolved": build_field("integer", "Of these, a sample; left out if all are"),
                **{one: build_field("integer", "Lines") | {"default": 0} for one in _CONFIDENCES},
            },
            ("folder", "files", "references"),
        ),
        "Uses by folder, if many pages follow; folder asks for one of them",
    ),
}
_MAY_MEAN_IT = _describe_unresolved("Unresolved references of its name: some may mean it")
_UNRESOLVED = _describe_unresolved("References that could not be resolved")

CALLERS_OUTPUT = _result_of_symbol({**_describe_edges("incoming"), **_FOLDERS, **_MAY_MEAN_IT})
IMPLEMENTATIONS_OUTPUT = _result_of_symbol({**_describe_edges("incoming"), **_MAY_MEAN_IT})
CALLEES_OUTPUT = _result_of_symbol({**_describe_edges("outgoing"), **_EXTERNALS, **_UNRESOLVED})
REFERENCES_OUTPUT = CALLERS_OUTPUT
DEPENDENCIES_OUTPUT = _result_of_symbol({**_describe_edges("outgoing"), **_EXTERNALS, **_UNRESOLVED})
DEPENDENTS_OUTPUT = CALLERS_OUTPUT
_CHANGED = {
    "node_id": _NAMED["node_id"] | {"description": "Left out if the index has no such symbol"},
    "name": _EDGE["name"],
    "node_type": build_field("string"),
    "file_path": build_field("string"),
    "line_start": build_field("integer"),
    "change": {"type": "string", "enum": ["changed", "added", "deleted", "imports"], "default": "changed"},
    "new_signature": build_field("boolean", "True if the diff changes its declaration"),
}
_REACHED = {
    **{name: _EDGE[name] for name in ("node_id", "name", "node_type", "edge_type", "confidence", "lines")},
    "distance": build_field("integer", "Edges on the way") | {"default": 1},
    "via": build_field("string", "Name of the symbol that its edge leads to"),
}
_REACHED_FILE = build_object(
    {
        "file_path": build_field("string"),
        "confidence": _EDGE["confidence"] | {"description": "Of the surest path there"},
        "symbols": build_list(build_object(_REACHED, ("node_id", "name", "via")), "The nearest and surest"),
        "symbols_total": build_field("integer", "If it has more: get_dependents lists them"),
        "reasons": build_list(build_field("string"), "Why it may change too, besides edges"),
    },
    ("file_path",),
)
IMPACT_OUTPUT = _result(
    {
        "changed": build_list(
            build_object(_CHANGED, ("name", "node_type", "file_path", "line_start")),
            "Symbols that the diff touches",
        ),
        "result": keep(build_list(_REACHED_FILE, "Files that are affected, the likeliest to change first")),
        "tests": build_list(_REACHED_FILE, "Tests to run, the nearest first"),
        "left_out": build_list(
            build_record({"file_path": build_field("string"), "reason": build_field("string")}),
            "Files of the diff about which nothing is known, or may be said",
        ),
        "total": build_field("integer", "Of result"),
        "possible": build_field("integer", "Of these, files that no sure edge leads to") | {"default": 0},
        "tests_total": build_field("integer") | {"default": 0},
        "unresolved": build_field("integer", "References that may mean what changes") | {"default": 0},
        **_MORE,
    }
)
INDEX_OUTPUT = _result(
    {
        "indexed": build_field("integer", "Files whose current state is indexed"),
        "files": build_list(
            build_object(
                {
                    "path": build_field("string"),
                    "parse_status": build_field(
                        _NULL_TEXT, "full, partial or failed; pending; absent without a parser"
                    ),
                },
                ["path"],
            )
        ),
        "errors": keep(
            build_list(
                build_record(
                    {
                        "path": build_field("string"),
                        "code": build_field("string"),
                        "message": build_field("string"),
                    }
                )
            )
        ),
    }
)
STATUS_OUTPUT = _result(
    {
        "healthy": keep(build_field("boolean")),
        "state": build_field("string", "missing, building, partial, ready or degraded"),
        "schema_version": build_field("integer"),
        "indexed_files": build_field("integer"),
        "indexed_symbols": build_field("integer"),
        "languages": keep(build_list(build_field("string"), "Languages whose symbols are indexed")),
        "watcher_active": keep(build_field("boolean")),
        "last_batch_at": build_field(_NULL_TEXT, "Time (ISO 8601, UTC)"),
        "embedding_model": build_field(
            _NULL_TEXT, "Folder of the model for search_code; find_similar needs none"
        ),
        "embeddings_count": build_field("integer"),
        "structure": build_object(
            {
                "state": build_field("string", "missing, building, partial, ready or degraded"),
                "files_done": build_field("integer"),
                "files_total": build_field("integer"),
                "partial": build_field("integer", "Files with errors in their text"),
                "failed": build_field("integer", "Files that could not be parsed"),
            }
        ),
        "stale": build_field(["integer", "null"], "Files known to have changed since the last refresh"),
    }
)
