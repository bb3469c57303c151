"""The `graph` toolset: files, symbols, and who calls, implements and depends on what.

Tools are in the order in which clients see them. Each call checks its arguments strictly, asks the engine,
renders one answer and, however it ended, writes one line of the log of calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.config.server_config import Limits
from repo_mcp.protocol import instructions
from repo_mcp.protocol.call_guard import UNGUARDED, CallGuard
from repo_mcp.protocol.tool_model import Toolset
from repo_mcp.toolsets import icons
from repo_mcp.toolsets.answers import answer_call
from repo_mcp.toolsets.binding import Binding, Entry, Opened, find_plain_writer
from repo_mcp.toolsets.graph import (
    argument_schemas,
    edge_calls,
    file_calls,
    impact_calls,
    index_calls,
    schemas,
    symbol_calls,
)
from repo_mcp.toolsets.graph.answers import FORM

if TYPE_CHECKING:
    from repo_mcp.repository import Repository

__all__ = ["bind_toolset"]


_ENTRIES = (
    Entry(
        "list_directory",
        "List a folder",
        "A folder's entries, without hidden and ignored ones.",
        argument_schemas.FOLDER_ARGUMENTS,
        schemas.LISTING_OUTPUT,
        file_calls.list_directory,
    ),
    Entry(
        "read_file",
        "Read a file",
        "A file's text without line numbers; at most 10,000 lines or 500 KB.",
        argument_schemas.READ_ARGUMENTS,
        schemas.READ_OUTPUT,
        file_calls.read_file,
    ),
    Entry(
        "get_directory_tree",
        "Directory tree",
        "Nested folders and files.",
        argument_schemas.TREE_ARGUMENTS,
        schemas.TREE_OUTPUT,
        file_calls.get_directory_tree,
    ),
    Entry(
        "search_symbols",
        "Search symbols",
        "Declared symbols by name, camel humps or words, best first.",
        argument_schemas.SEARCH_ARGUMENTS,
        schemas.SYMBOLS_OUTPUT,
        symbol_calls.search_symbols,
        free_text=frozenset({"query"}),
        is_beginning=True,
    ),
    Entry(
        "lookup_symbol",
        "Look up a symbol",
        "Symbols of exactly this qualified name.",
        argument_schemas.LOOKUP_ARGUMENTS,
        schemas.SYMBOLS_OUTPUT,
        symbol_calls.lookup_symbol,
    ),
    Entry(
        "find_similar",
        "Find similar symbols",
        "Symbols written like this one: near-clones, duplicated code.",
        argument_schemas.SIMILAR_ARGUMENTS,
        schemas.SIMILAR_OUTPUT,
        symbol_calls.find_similar,
    ),
    Entry(
        "get_symbol",
        "Symbol details",
        "A symbol's kind, place, signature, modifiers and number of references.",
        argument_schemas.NODE_ARGUMENTS,
        schemas.SYMBOL_OUTPUT,
        symbol_calls.get_symbol,
    ),
    Entry(
        "get_source_spans",
        "Where a symbol is declared",
        "Every place that declares a symbol.",
        argument_schemas.SPANS_ARGUMENTS,
        schemas.SPANS_OUTPUT,
        symbol_calls.get_source_spans,
    ),
    Entry(
        "get_file_outline",
        "Outline of a file",
        "Symbols that a file declares, by line.",
        argument_schemas.PATH_ARGUMENTS,
        schemas.OUTLINE_OUTPUT,
        symbol_calls.get_file_outline,
    ),
    Entry(
        "get_callers",
        "Who calls it",
        "Who calls a function or method, with the calling lines.",
        argument_schemas.USER_ARGUMENTS,
        schemas.CALLERS_OUTPUT,
        edge_calls.get_callers,
        is_beginning=True,
    ),
    Entry(
        "get_callees",
        "What it calls",
        "What a symbol calls; external names separately.",
        argument_schemas.EDGE_ARGUMENTS,
        schemas.CALLEES_OUTPUT,
        edge_calls.get_callees,
    ),
    Entry(
        "get_implementations",
        "Implementations",
        "Types that implement or extend a type; overrides of a method.",
        argument_schemas.EDGE_ARGUMENTS,
        schemas.IMPLEMENTATIONS_OUTPUT,
        edge_calls.get_implementations,
    ),
    Entry(
        "get_references",
        "References",
        "Symbols that use a symbol in any role: calls, types, imports, bases, values.",
        argument_schemas.USER_ARGUMENTS,
        schemas.REFERENCES_OUTPUT,
        edge_calls.get_references,
    ),
    Entry(
        "get_dependencies",
        "What it depends on",
        "What a symbol calls, inherits, imports, contains and uses.",
        argument_schemas.TYPED_EDGE_ARGUMENTS,
        schemas.DEPENDENCIES_OUTPUT,
        edge_calls.get_dependencies,
    ),
    Entry(
        "get_dependents",
        "What depends on it",
        "What changing a symbol affects: edges that lead to it.",
        argument_schemas.DEPENDENT_ARGUMENTS,
        schemas.DEPENDENTS_OUTPUT,
        edge_calls.get_dependents,
    ),
    Entry(
        "get_impact",
        "Impact of a diff",
        "What a unified diff changes, what depends on it, files that may change too, tests to run.",
        argument_schemas.IMPACT_ARGUMENTS,
        schemas.IMPACT_OUTPUT,
        impact_calls.get_impact,
        free_text=frozenset({"diff"}),
    ),
    Entry(
        "index_files",
        "Index files now",
        "Index changed files now; says which failed, and why.",
        argument_schemas.INDEX_ARGUMENTS,
        schemas.INDEX_OUTPUT,
        index_calls.index_files,
        read_only=False,
    ),
    Entry(
        "get_status",
        "Index status",
        "How far symbols are indexed; languages, watcher.",
        argument_schemas.NO_ARGUMENTS,
        schemas.STATUS_OUTPUT,
        index_calls.get_status,
    ),
)


def bind_toolset(
    limits: Limits, opened: Opened[Repository], guard: CallGuard = UNGUARDED, roots: Sequence[str] = ()
) -> Toolset:
    """Return the tools of the repository that `opened` gives when one of them is called."""
    answer = partial(answer_call, FORM, max_bytes=limits.max_total_bytes_per_response)
    binding = Binding(limits, opened, answer, find_plain_writer, icons.GRAPH, guard=guard, roots=roots)
    return Toolset("graph", binding.bind(_ENTRIES), instructions.GRAPH)
