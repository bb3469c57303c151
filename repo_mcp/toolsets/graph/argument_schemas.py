"""The schemas of what the `graph` tools take, and the limits of arguments and answers.

Several clients drop `default`, `minimum` and `maximum` before a model sees a schema, so each description says
its limits in words. Nothing here depends on the repository that is served. What the tools return is in
`schemas.py`.
"""

from __future__ import annotations

from repo_mcp.graph.vocabulary import DEFAULT_IMPACT_DEPTH, KINDS, MAX_IMPACT_DEPTH, EdgeType
from repo_mcp.toolsets.pages import CURSOR
from repo_mcp.toolsets.schema_parts import build_choice, build_count, build_object, build_text

MAX_PATH_CHARS = 4_096
MAX_NAME_CHARS = 1_024
MAX_QUERY_CHARS = 10_000
MAX_LANGUAGE_CHARS = 64
MAX_LINE_NUMBER = 2_147_483_647
MAX_ENTRIES = 1_000  # of one folder (specification, 4.1)
MAX_TREE_ENTRIES = 5_000  # of one tree
DEFAULT_DEPTH, MAX_DEPTH = 3, 10
MAX_READ_LINES = 10_000
MAX_READ_BYTES = 500_000
DEFAULT_SYMBOLS, MAX_SYMBOLS = 20, 50
DEFAULT_SIMILAR, MAX_SIMILAR = 10, 50
DEFAULT_EDGES, MAX_EDGES = 30, 500
MAX_UNRESOLVED_FILES = 10  # the nearest of those where something is not resolved
MAX_INDEXED_PATHS = 100
MAX_DIFF_CHARS = 4_000_000  # what a line of the protocol holds
DEFAULT_REACHED, MAX_REACHED = 20, 100

PATH = build_text("", MAX_PATH_CHARS)
FOLDER = build_text("Default: the root", MAX_PATH_CHARS, 0)
SYMBOL = {
    "symbol": build_text("Name or path:line", MAX_NAME_CHARS),
    "node_id": build_text("", MAX_NAME_CHARS),
}
LANGUAGE = build_text("python, csharp, ...", MAX_LANGUAGE_CHARS)
PROJECT_ID = build_text("As in results", MAX_PATH_CHARS)
EDGE_TYPE = build_choice("", [one.value for one in EdgeType])
EDGE_LIMIT = build_count("", MAX_EDGES, DEFAULT_EDGES)
FROM_FOLDER = {"folder": build_text("", MAX_PATH_CHARS, 0)}

NO_ARGUMENTS = build_object({})
FOLDER_ARGUMENTS = build_object({"path": FOLDER, "cursor": CURSOR})
READ_ARGUMENTS = build_object(
    {
        "path": PATH,
        "line_start": build_count("", MAX_LINE_NUMBER),
        "line_end": build_count("", MAX_LINE_NUMBER),
    },
    ("path",),
)
TREE_ARGUMENTS = build_object(
    {
        "path": FOLDER,
        "depth": build_count("", MAX_DEPTH, DEFAULT_DEPTH),
        "cursor": CURSOR,
    }
)
SEARCH_ARGUMENTS = build_object(
    {
        "query": build_text(
            'Auth*, gUN, AuthService.login, user service; AND, OR, NOT, "a b"', MAX_QUERY_CHARS
        ),
        "project_id": PROJECT_ID,
        "node_type": build_choice("", tuple(KINDS)),
        "language": LANGUAGE,
        "limit": build_count("", MAX_SYMBOLS, DEFAULT_SYMBOLS),
        "cursor": CURSOR,
    },
    ("query",),
)
LOOKUP_ARGUMENTS = build_object(
    {
        "qualified_name": build_text("MyApp.Auth.AuthService.Login", MAX_NAME_CHARS),
        "language": build_text("", MAX_LANGUAGE_CHARS),
        "project_id": build_text("", MAX_PATH_CHARS),
        "cursor": CURSOR,
    },
    ("qualified_name",),
)
SIMILAR_ARGUMENTS = build_object(
    {**SYMBOL, "limit": build_count("", MAX_SIMILAR, DEFAULT_SIMILAR), "cursor": CURSOR}
)
NODE_ARGUMENTS = build_object(SYMBOL)
SPANS_ARGUMENTS = build_object({**SYMBOL, "cursor": CURSOR})
PATH_ARGUMENTS = build_object({"path": PATH, "cursor": CURSOR}, ("path",))
EDGE_ARGUMENTS = build_object({**SYMBOL, "limit": EDGE_LIMIT, "cursor": CURSOR})
TYPED_EDGE_ARGUMENTS = build_object({**SYMBOL, "edge_type": EDGE_TYPE, "limit": EDGE_LIMIT, "cursor": CURSOR})
USER_ARGUMENTS = build_object({**SYMBOL, **FROM_FOLDER, "limit": EDGE_LIMIT, "cursor": CURSOR})
DEPENDENT_ARGUMENTS = build_object(
    {**SYMBOL, **FROM_FOLDER, "edge_type": EDGE_TYPE, "limit": EDGE_LIMIT, "cursor": CURSOR}
)
IMPACT_ARGUMENTS = build_object(
    {
        "diff": build_text("", MAX_DIFF_CHARS, 0),
        "depth": build_count("", MAX_IMPACT_DEPTH, DEFAULT_IMPACT_DEPTH),
        "limit": build_count("", MAX_REACHED, DEFAULT_REACHED),
        "cursor": CURSOR,
    },
    ("diff",),
)
INDEX_ARGUMENTS = build_object(
    {
        "paths": {
            "type": "array",
            "description": f"At most {MAX_INDEXED_PATHS}",
            "items": build_text("", MAX_PATH_CHARS),
            "maxItems": MAX_INDEXED_PATHS,
        }
    },
    ("paths",),
)
