"""The `graph` toolset: files, symbols, and who calls, implements and depends on what.

Tools stand in the order in which clients see them. Each call checks its arguments strictly, asks the engine,
renders one answer and, however it ended, writes one line of the log of calls.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.config.server_config import Limits
from repo_mcp.protocol import instructions
from repo_mcp.protocol.call_guard import UNGUARDED, CallGuard
from repo_mcp.protocol.tool_model import Toolset
from repo_mcp.toolsets import icons
from repo_mcp.toolsets.answers import answer_call
from repo_mcp.toolsets.binding import Entry, Opened, bind, find_plain_writer
from repo_mcp.toolsets.graph import edge_calls, engine_calls, file_calls, schemas, symbol_calls
from repo_mcp.toolsets.graph.answers import FORM

if TYPE_CHECKING:
    from repo_mcp.repository import Repository

__all__ = ["bind_toolset"]


_ENTRIES = (
    Entry(
        "list_directory",
        "List a folder",
        "Files and folders directly in a folder of this code repository, with sizes. Ignored and hidden"
        " entries are left out. At most 1,000 entries.",
        schemas.FOLDER_ARGUMENTS,
        schemas.LISTING_OUTPUT,
        file_calls.list_directory,
    ),
    Entry(
        "read_file",
        "Read a file",
        "Text of a file of this code repository, whole or from line_start to line_end (1-based, included)."
        " At most 10,000 lines or 500 KB; truncated says when it was cut.",
        schemas.READ_ARGUMENTS,
        schemas.READ_OUTPUT,
        file_calls.read_file,
    ),
    Entry(
        "get_directory_tree",
        "Directory tree",
        "Nested tree of folders and files of this code repository, 3 levels deep unless depth (1 to 10) says"
        " otherwise. At most 1,000 entries of one folder.",
        schemas.TREE_ARGUMENTS,
        schemas.TREE_OUTPUT,
        file_calls.get_directory_tree,
    ),
    Entry(
        "search_symbols",
        "Search symbols",
        "Find declared symbols (classes, functions, methods, types, ...) by name, beginning (Auth*), humps"
        " (gUN), qualified name or words, best first. The way to get a node_id.",
        schemas.SEARCH_ARGUMENTS,
        schemas.SYMBOLS_OUTPUT,
        symbol_calls.search_symbols,
        free_text=frozenset({"query"}),
    ),
    Entry(
        "lookup_symbol",
        "Look up a symbol",
        "The symbols with exactly this qualified name: several for overloads and partial classes.",
        schemas.LOOKUP_ARGUMENTS,
        schemas.SYMBOLS_OUTPUT,
        symbol_calls.lookup_symbol,
    ),
    Entry(
        "find_similar",
        "Find similar symbols",
        "Symbols written like a given one: near-clones, and code that does the same with other names.",
        schemas.SIMILAR_ARGUMENTS,
        schemas.SIMILAR_OUTPUT,
        symbol_calls.find_similar,
    ),
    Entry(
        "get_symbol",
        "Symbol details",
        "Everything known of one symbol: kind, place, signature, modifiers, and how often it is referred to.",
        schemas.NODE_ARGUMENTS,
        schemas.SYMBOL_OUTPUT,
        symbol_calls.get_symbol,
    ),
    Entry(
        "get_source_spans",
        "Where a symbol is declared",
        "Every place where a symbol is declared, the primary one first: partial classes and prototypes have"
        " several. Read them with read_file.",
        schemas.NODE_ARGUMENTS,
        schemas.SPANS_OUTPUT,
        symbol_calls.get_source_spans,
    ),
    Entry(
        "get_file_outline",
        "Outline of a file",
        "The symbols that a file declares, in order of line, with their node_ids and signatures.",
        schemas.PATH_ARGUMENTS,
        schemas.OUTLINE_OUTPUT,
        symbol_calls.get_file_outline,
    ),
    Entry(
        "get_callers",
        "Who calls it",
        "The symbols that call a function, method or constructor, with lines and confidence; unresolved are"
        " calls of that name that may mean it.",
        schemas.EDGE_ARGUMENTS,
        schemas.CALLERS_OUTPUT,
        edge_calls.get_callers,
    ),
    Entry(
        "get_callees",
        "What it calls",
        "The symbols that a symbol calls; what is declared outside of the repository is listed apart.",
        schemas.EDGE_ARGUMENTS,
        schemas.CALLEES_OUTPUT,
        edge_calls.get_callees,
    ),
    Entry(
        "get_implementations",
        "Implementations",
        "The types that implement an interface or extend a base class; of a method, the methods that"
        " override it.",
        schemas.EDGE_ARGUMENTS,
        schemas.REFERENCES_OUTPUT,
        edge_calls.get_implementations,
    ),
    Entry(
        "get_references",
        "References",
        "The symbols that name a symbol in any role: calls, types, imports, base classes, values.",
        schemas.EDGE_ARGUMENTS,
        schemas.REFERENCES_OUTPUT,
        edge_calls.get_references,
    ),
    Entry(
        "get_dependencies",
        "What it depends on",
        "All outgoing edges of a symbol: what it calls, inherits, imports, contains, accepts and names.",
        schemas.TYPED_EDGE_ARGUMENTS,
        schemas.DEPENDENCIES_OUTPUT,
        edge_calls.get_dependencies,
    ),
    Entry(
        "get_dependents",
        "What depends on it",
        "All incoming edges of a symbol: what would have to be looked at before it is changed.",
        schemas.TYPED_EDGE_ARGUMENTS,
        schemas.DEPENDENTS_OUTPUT,
        edge_calls.get_dependents,
    ),
    Entry(
        "index_files",
        "Index files now",
        "Bring the index up to date for some files right away, at most 100; changed files are otherwise found"
        " by themselves. Says which could not be indexed, and why.",
        schemas.INDEX_ARGUMENTS,
        schemas.INDEX_OUTPUT,
        engine_calls.index_files,
        read_only=False,
    ),
    Entry(
        "get_status",
        "Index status",
        "Health of the index: files and symbols indexed, languages, how far the indexing is, watcher.",
        schemas.NO_ARGUMENTS,
        schemas.STATUS_OUTPUT,
        engine_calls.get_status,
    ),
)


def bind_toolset(limits: Limits, opened: Opened[Repository], guard: CallGuard = UNGUARDED) -> Toolset:
    """Return the tools of the repository that `opened` gives when one of them is called."""
    answer = partial(answer_call, FORM, max_bytes=limits.max_total_bytes_per_response)
    tools = bind(_ENTRIES, limits, opened, answer, find_plain_writer, icon=icons.GRAPH, guard=guard)
    return Toolset("graph", tools, instructions.GRAPH)
