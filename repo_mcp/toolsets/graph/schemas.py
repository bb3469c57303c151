"""What clients see of the `graph` tools: schemas and descriptions.

Several clients drop `default`, `minimum` and `maximum` before a model sees a schema: so each description says
its limits in words. Nothing here depends on the repository that is served.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from repo_mcp.graph.questions import KINDS, EdgeType
from repo_mcp.toolsets.graph.answers import ERROR_CODES

Schema = dict[str, object]

MAX_PATH_CHARS = 4_096
MAX_NAME_CHARS = 1_024
MAX_QUERY_CHARS = 10_000
MAX_LINE_NUMBER = 2_147_483_647
MAX_ENTRIES = 1_000  # of one folder (specification, 4.1)
MAX_TREE_ENTRIES = 5_000  # of one tree
DEFAULT_DEPTH, MAX_DEPTH = 3, 10
MAX_READ_LINES = 10_000
MAX_READ_BYTES = 500_000
DEFAULT_SYMBOLS, MAX_SYMBOLS = 20, 50
DEFAULT_SIMILAR, MAX_SIMILAR = 10, 50
DEFAULT_EDGES, MAX_EDGES = 50, 500
MAX_INDEXED_PATHS = 100


def _object(properties: Mapping[str, object], required: Iterable[str] = ()) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _text(description: str, max_chars: int, least: int = 1) -> Schema:
    return {"type": "string", "description": description, "minLength": least, "maxLength": max_chars}


def _count(description: str, default: int | None, most: int) -> Schema:
    schema: Schema = {"type": "integer", "description": description, "minimum": 1, "maximum": most}
    return schema if default is None else schema | {"default": default}


def _choice(description: str, values: Sequence[str]) -> Schema:
    return {"type": "string", "description": description, "enum": list(values)}


def _out(kind: str | list[str], description: str = "") -> Schema:
    return {"type": kind, "description": description} if description else {"type": kind}


def _list(items: Schema, description: str = "") -> Schema:
    return _out("array", description) | {"items": items}


def _result(properties: Mapping[str, Schema]) -> Schema:
    """What a tool answers: these properties, or an error; warnings beside either."""
    error = _object(
        {
            "code": {"type": "string", "enum": list(ERROR_CODES)},
            "message": _out("string"),
            "hint": _out("string", "What to do next"),
        },
        ("code", "message"),
    )
    warnings = _list(_out("string"), "What is incomplete or unusual about this answer")
    return _object({**properties, "warnings": warnings, "error": error})


_NULL_TEXT = ["string", "null"]
_SHAPE: dict[str, Schema] = {
    "access_modifier": _out(_NULL_TEXT),
    "parameter_signature": _out(_NULL_TEXT),
    "return_type": _out(_NULL_TEXT),
}
_NAMED: dict[str, Schema] = {
    "node_id": _out("string", "Stable id of the symbol: it does not change with its lines"),
    "name": _out("string"),
    "qualified_name": _out("string"),
    "node_type": {"type": "string", "enum": list(KINDS)},
}
_PLACED: dict[str, Schema] = {
    "language": _out("string"),
    "file_path": _out("string"),
    "line_start": _out("integer"),
    "line_end": _out("integer"),
}
_SYMBOL: dict[str, Schema] = {**_NAMED, **_PLACED, **_SHAPE}
_TRUNCATED = _out("boolean", "True when there is more than is shown")
_PROJECT = _out("string", "Folder of the nearest project file above; . is the root")

_EDGE: dict[str, Schema] = {
    **_NAMED,
    **_PLACED,
    "edge_type": {"type": "string", "enum": [one.value for one in EdgeType]},
    "direction": {"type": "string", "enum": ["incoming", "outgoing"]},
    "confidence": {
        "type": "string",
        "enum": ["exact", "probable", "possible"],
        "description": "exact: resolved through scopes and imports; probable: the only one of that name;"
        " possible: one of several",
    },
    "reference_lines": _list(_out("integer"), "Lines of the references, at most 20"),
    "reference_count": _out("integer"),
}
_EXTERNAL: dict[str, Schema] = {
    "qualified_name": _out("string", "Name that is declared outside of this repository"),
    "edge_type": _EDGE["edge_type"],
    "reference_lines": _list(_out("integer")),
    "reference_count": _out("integer"),
}

PATH = _text("Path relative to the repository's root", MAX_PATH_CHARS)
FOLDER = _text("Folder relative to the repository's root; the root when left out", MAX_PATH_CHARS, 0)
NODE_ID = _text(
    "The symbol's node_id, from search_symbols, lookup_symbol or any other answer", MAX_NAME_CHARS
)
LANGUAGE = _text("Only symbols of this language: csharp, typescript, python, go, ...", 64)
PROJECT_ID = _text("Only symbols of this project: its folder, as project_id in results", MAX_PATH_CHARS)
EDGE_TYPE = _choice("Only edges of this type; all types when left out", [one.value for one in EdgeType])
EDGE_LIMIT = _count(
    f"Most edges to return, 1 to {MAX_EDGES}; {DEFAULT_EDGES} when left out", DEFAULT_EDGES, MAX_EDGES
)

NO_ARGUMENTS = _object({})
FOLDER_ARGUMENTS = _object({"path": FOLDER})
READ_ARGUMENTS = _object(
    {
        "path": PATH,
        "line_start": _count("First line, from 1, included", None, MAX_LINE_NUMBER),
        "line_end": _count("Last line, included", None, MAX_LINE_NUMBER),
    },
    ("path",),
)
TREE_ARGUMENTS = _object(
    {
        "path": FOLDER,
        "depth": _count(
            f"Levels below the folder, 1 to {MAX_DEPTH}; {DEFAULT_DEPTH} when left out",
            DEFAULT_DEPTH,
            MAX_DEPTH,
        ),
    }
)
SEARCH_ARGUMENTS = _object(
    {
        "query": _text(
            "A name (UserService), a beginning (Auth*), humps (gUN for getUserName), a qualified name"
            " (AuthService.login) or words (user service)",
            MAX_QUERY_CHARS,
        ),
        "project_id": PROJECT_ID,
        "node_type": _choice("Only symbols of this type", tuple(KINDS)),
        "language": LANGUAGE,
        "limit": _count(
            f"Most results, 1 to {MAX_SYMBOLS}; {DEFAULT_SYMBOLS} when left out", DEFAULT_SYMBOLS, MAX_SYMBOLS
        ),
    },
    ("query",),
)
LOOKUP_ARGUMENTS = _object(
    {
        "qualified_name": _text("Exact qualified name, such as MyApp.Auth.AuthService.Login", MAX_NAME_CHARS),
        "language": LANGUAGE,
        "project_id": PROJECT_ID,
    },
    ("qualified_name",),
)
SIMILAR_ARGUMENTS = _object(
    {
        "node_id": NODE_ID,
        "limit": _count(
            f"Most results, 1 to {MAX_SIMILAR}; {DEFAULT_SIMILAR} when left out", DEFAULT_SIMILAR, MAX_SIMILAR
        ),
    },
    ("node_id",),
)
NODE_ARGUMENTS = _object({"node_id": NODE_ID}, ("node_id",))
PATH_ARGUMENTS = _object({"path": PATH}, ("path",))
EDGE_ARGUMENTS = _object({"node_id": NODE_ID, "limit": EDGE_LIMIT}, ("node_id",))
TYPED_EDGE_ARGUMENTS = _object(
    {"node_id": NODE_ID, "edge_type": EDGE_TYPE, "limit": EDGE_LIMIT}, ("node_id",)
)
INDEX_ARGUMENTS = _object(
    {
        "paths": {
            "type": "array",
            "description": f"Paths of files relative to the repository's root, at most {MAX_INDEXED_PATHS}",
            "items": _text("A path", MAX_PATH_CHARS),
            "maxItems": MAX_INDEXED_PATHS,
        }
    },
    ("paths",),
)

_ENTRY = _object({"name": _out("string"), "type": _out("string"), "size": _out("integer", "Bytes of a file")})
LISTING_OUTPUT = _result(
    {
        "result": _list(_ENTRY),
        "total": _out("integer"),
        "truncated": _TRUNCATED,
        "left_out": {
            "type": "object",
            "description": "Entries that are not shown, by reason: hidden, ignored, denied, ...",
            "additionalProperties": {"type": "integer"},
        },
    }
)
READ_OUTPUT = _result(
    {
        "path": _out("string"),
        "content": _out("string", "The lines as they are in the file"),
        "line_start": _out("integer"),
        "line_end": _out("integer"),
        "total_lines": _out("integer"),
        "truncated": _TRUNCATED,
    }
)
TREE_OUTPUT = _result(
    {
        "name": _out("string"),
        "type": _out("string"),
        "children": _list(_out("object"), "name and type; of a folder its children, and truncated when cut"),
        "truncated": _TRUNCATED,
    }
)
SYMBOLS_OUTPUT = _result(
    {
        "result": _list(
            _object({**_SYMBOL, "project_id": _PROJECT, "rank": _out("number", "The lower, the better")})
        ),
        "truncated": _TRUNCATED,
    }
)
SIMILAR_OUTPUT = _result(
    {
        "result": _list(
            _object(
                {
                    **_SYMBOL,
                    "similarity": _out("number", "0 to 1"),
                    "by_names": _out("number"),
                    "by_shape": _out("number"),
                    "by_own_name": _out("number"),
                    "shared_names": _list(_out("string"), "The rarest names that both use"),
                }
            )
        ),
        "truncated": _TRUNCATED,
        "method": _out("string", "How likeness was judged"),
    }
)
_FLAGS = ("public_api", "static", "abstract", "async", "override", "deprecated")
SYMBOL_OUTPUT = _result(
    {
        **_SYMBOL,
        "project_id": _PROJECT,
        **{f"is_{name}": _out("boolean") for name in _FLAGS},
        "has_doc_comment": _out("boolean"),
        "parse_status": _out("string", "full, partial or failed: how much of the file could be parsed"),
        "parameter_count": _out("integer"),
        "reference_count": _out("integer", "References in this repository, in any role"),
        "reference_count_is_lower_bound": _out("boolean"),
    }
)
SPANS_OUTPUT = _result(
    {
        "result": _list(
            _object(
                {
                    "file_path": _out("string"),
                    "line_start": _out("integer"),
                    "line_end": _out("integer"),
                    "is_primary": _out("boolean"),
                }
            )
        ),
        "truncated": _TRUNCATED,
    }
)
OUTLINE_OUTPUT = _result(
    {
        "result": _list(
            _object({**_NAMED, "line_start": _out("integer"), "line_end": _out("integer"), **_SHAPE})
        ),
        "truncated": _TRUNCATED,
        "parse_status": _out(_NULL_TEXT, "full, partial or failed; null for a language without a parser"),
    }
)
INCOMING_OUTPUT = _result(
    {"result": _list(_object(_EDGE)), "total": _out("integer"), "truncated": _TRUNCATED}
)
OUTGOING_OUTPUT = _result(
    {
        "result": _list(_object(_EDGE)),
        "total": _out("integer"),
        "truncated": _TRUNCATED,
        "external": _list(_object(_EXTERNAL), "What is declared outside of this repository"),
        "external_total": _out("integer"),
        "unresolved": _out("integer", "References whose meaning is not known"),
    }
)
INDEX_OUTPUT = _result(
    {
        "indexed": _out("integer", "Files that the index now knows as they are"),
        "files": _list(
            _object(
                {
                    "path": _out("string"),
                    "parse_status": _out(
                        _NULL_TEXT, "full, partial or failed; pending; null without a parser"
                    ),
                }
            )
        ),
        "errors": _list(_object({"path": _out("string"), "code": _out("string"), "message": _out("string")})),
    }
)
STATUS_OUTPUT = _result(
    {
        "healthy": _out("boolean"),
        "state": _out("string", "missing, building, partial, ready or degraded"),
        "schema_version": _out("integer"),
        "indexed_files": _out("integer"),
        "indexed_symbols": _out("integer"),
        "languages": _list(_out("string"), "Languages whose symbols are indexed"),
        "watcher_active": _out("boolean"),
        "last_batch_at": _out(_NULL_TEXT, "Time (ISO 8601, UTC)"),
        "embedding_model": _out(_NULL_TEXT, "None: find_similar needs no model"),
        "embeddings_count": _out("integer"),
        "structure": _object(
            {
                "state": _out("string", "missing, building, partial, ready or degraded"),
                "files_done": _out("integer"),
                "files_total": _out("integer"),
                "partial": _out("integer", "Files with errors in their text"),
                "failed": _out("integer", "Files that could not be parsed"),
            }
        ),
        "stale": _out(["integer", "null"], "Files known to have changed since the last refresh"),
    }
)
