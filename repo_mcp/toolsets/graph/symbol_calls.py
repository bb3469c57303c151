"""The calls of the `graph` toolset about symbols: search, the details of one, the outline of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.vocabulary import NAMED, SymbolFilter
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.symbols.model import SymbolKind
from repo_mcp.text.lines import escape_text, escape_texts
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result, find_integer, find_text
from repo_mcp.toolsets.graph.answers import open_symbol, render_chosen
from repo_mcp.toolsets.graph.argument_schemas import DEFAULT_SIMILAR, DEFAULT_SYMBOLS
from repo_mcp.toolsets.graph.rows import Row, render_details, render_outline, render_symbol, warn_untracked
from repo_mcp.toolsets.pages import Page
from repo_mcp.workspace.reader.client_paths import shown

if TYPE_CHECKING:
    from repo_mcp.graph.graph import Graph
    from repo_mcp.graph.nodes import Node
    from repo_mcp.repository import Repository


NO_WORDS = "The query has no name or word to search for."
NO_EXPRESSION = (
    "The query was taken as plain words: AND, OR and NOT must be between words,"
    " and quotes and parentheses must be paired."
)
TOO_MANY = "More symbols match than can be ranked: give more of the name, a node_type or a project_id."
UNKNOWN = "No symbol has this qualified name"
ELSEWHERE = "Symbols have this name, but none in the language or project that was asked for."
RENAMED = "Nothing is declared under this name: files import or export this symbol under it."
# By the name of a NameMatch: that module is loaded with the first call.
NOT_EXACT = {
    "ENDING": ("No symbol has exactly this qualified name; these end with it.",),
    "IN_ORDER": ("No symbol has exactly this qualified name; these have its parts in this order.",),
}

LOOKED_UP_ROWS = 20  # on a page of `lookup_symbol`: 6 KB, where hundreds of packages declare a name
ROW_BYTES = 130  # of a row of `get_file_outline`, beside the name and the parameters
_ASSIGNING = (SymbolKind.CONSTRUCTOR, SymbolKind.METHOD)


def search_symbols(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `search_symbols`."""
    # Here: tools are listed before anything is loaded.
    from repo_mcp.graph.lookup.symbol_expression import is_expression, parse_expression
    from repo_mcp.graph.lookup.symbol_search import has_words

    page, query = Page("search_symbols", arguments), str(arguments["query"])
    end = page.start + (find_integer(arguments, "limit") or DEFAULT_SYMBOLS)
    scope = _build_scope(repository, arguments)
    with repository.engines.graph.open(names=query) as graph:
        found, is_cut = graph.search(query, scope, end + 1)
        rows = [{**_render_found(graph, node), "rank": -score} for node, score in found[:end]]
    more, ordinary = len(found) > end, "limit" not in arguments
    notes = [] if has_words(query) else [NO_WORDS]
    if not notes and is_expression(query) and parse_expression(query) is None:
        notes.append(NO_EXPRESSION)
    if is_cut:
        notes.append(TOO_MANY)
    if not found and not notes:
        notes += _say_unread(repository, query)
    return _draft_rows(repository, page, rows, more=more, ordinary=ordinary, notes=notes)


def lookup_symbol(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `lookup_symbol`."""
    page, name = Page("lookup_symbol", arguments), str(arguments["qualified_name"])
    scope = _build_scope(repository, arguments)
    with repository.engines.graph.open(names=name) as graph:
        nodes, match, total = graph.look_up(name, scope, page.start + LOOKED_UP_ROWS)
        notes = NOT_EXACT.get(match.name, ()) if nodes else _say_unknown(graph, arguments)
        if not nodes and ELSEWHERE not in notes and (renamed := graph.scan.find_meant(name)):
            nodes = [graph.get_node(one) for one in renamed[:LOOKED_UP_ROWS]]
            total, notes = len(nodes), [RENAMED]
        rows = [_render_found(graph, node) for node in nodes]
    if not nodes:
        notes = [*notes, *_say_unread(repository, name)]
    more = total > len(rows)
    return _draft_rows(repository, page, rows, more=more, notes=notes, facts={"total": total} if more else {})


def _say_unknown(graph: Graph, arguments: Arguments) -> list[str]:
    """Return the warning that no symbol has the name, with the nearest names if there are any."""
    name = str(arguments["qualified_name"])
    if graph.look_up(name, SymbolFilter(), 1)[0]:
        return [ELSEWHERE]
    near = graph.list_near(name)
    named = ", ".join(escape_text(node.qualified_name) for node in near)
    return [f"{UNKNOWN}; similar: {named}." if named else f"{UNKNOWN}."]


def _say_unread(repository: Repository, name: str) -> list[str]:
    """Return the warning that no parser reads some of the languages, where nothing was found for a name."""
    return list(filter(None, [repository.engines.graph.describe_unread(name)]))


def _render_found(graph: Graph, node: Node) -> Row:
    return {**render_symbol(node), "project_id": escape_text(graph.projects.find(node.path))}


def find_similar(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `find_similar`."""
    page = Page("find_similar", arguments)
    end = page.start + (find_integer(arguments, "limit") or DEFAULT_SIMILAR)
    with open_symbol(repository, arguments) as (graph, node):
        found = graph.find_similar(node, end + 1)
        rows: list[Row] = [
            {
                **render_symbol(other),
                "similarity": similar.likeness,
                "shared_names": escape_texts(similar.shared),
            }
            for other, similar in found[:end]
        ]
    more, ordinary = len(found) > end, "limit" not in arguments
    chosen = render_chosen(node, arguments)
    return _draft_rows(repository, page, rows, more=more, ordinary=ordinary, facts=chosen)


def get_symbol(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_symbol`."""
    from repo_mcp.graph.edge_list import EdgeQuestion

    with open_symbol(repository, arguments) as (graph, node):
        asked = EdgeQuestion(node.declaration, frozenset(NAMED), incoming=True)
        known = graph.edge_lists.read(asked, 0).totals
        result: Result = {
            **render_details(node, graph.projects.find(node.path)),
            "reference_count": known.lines,
            "reference_count_is_lower_bound": known.is_cut or not known.is_complete,
        }
    blind = warn_untracked(node)
    if blind:
        result["reference_count"] = result["reference_count"] or None  # None: unknown
    notes = [*blind, *repository.engines.graph.warn()]
    return Draft(lambda _: Part(result, notes))


def get_source_spans(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_source_spans`."""
    page = Page("get_source_spans", arguments)
    with open_symbol(repository, arguments) as (graph, node):
        spans = graph.list_spans(node)
    rows: list[Row] = [
        {
            "file_path": escape_text(span.path),
            "line_start": span.start_line,
            "line_end": span.end_line,
            "is_primary": span.is_primary,
            **({"constraint": escape_text(span.constraint)} if span.constraint else {}),
        }
        for span in spans
    ]
    return _draft_rows(repository, page, rows, facts=render_chosen(node, arguments))


def get_file_outline(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_file_outline`."""
    page = Page("get_file_outline", arguments)
    opened = repository.open_file(str(arguments["path"]), None, None)  # a refusal waits for nothing
    path = opened.path
    nodes, status = repository.engines.graph.outline(path)
    notes = [] if status is not None else [repository.engines.graph.explain_unparsed(path)]
    if notes and "repo" in repository.config.toolsets and repository.outline(path).symbols:
        notes.append("repo.outline lists what its lines declare.")
    said = None if status is None else status.name.lower()
    nodes, note = _leave_out_short(nodes, opened.total_lines)
    notes += [note] if note else []
    rows = [render_outline(node) for node in nodes]
    _shorten_names(nodes[page.start :], rows[page.start :])
    return _draft_rows(repository, page, rows, ordinary=True, notes=notes, facts={"parse_status": said})


def _leave_out_short(nodes: Sequence[Node], file_lines: int) -> tuple[list[Node], str]:
    """Return the nodes of an outline without functions with titles that are too short, and a note on them."""
    from repo_mcp.titled_names import is_titled
    from repo_mcp.toolsets.titled_rows import TitledRow, leave_out_short

    rows = [
        TitledRow(
            number,
            node.symbol.name,
            node.symbol.end_line - node.symbol.start_line + 1,
            ROW_BYTES + len(node.symbol.name) + len(node.symbol.parameters),
        )
        for number, node in enumerate(nodes)
        if is_titled(node.symbol.name)
    ]
    short, note = leave_out_short(rows, file_lines)
    return [node for number, node in enumerate(nodes) if number not in short], note


def _shorten_names(nodes: Sequence[Node], rows: Sequence[Row]) -> None:
    """Remove from the rows of a page each qualified name that follows from the name and the row around it.

    What a method assigns is a property of the type around it.
    """
    around: list[tuple[Node, Node | None]] = []  # the outermost first, each with the owner of what it assigns
    for node, row in zip(nodes, rows, strict=True):
        while around and not _may_hold(around[-1][0], node):
            around.pop()
        inside, owner = around[-1] if around else (None, None)
        outer = owner if node.symbol.kind is SymbolKind.PROPERTY else inside
        if node.qualified_name == (f"{outer.qualified_name}." if outer else "") + node.symbol.name:
            del row["qualified_name"]
        around.append((node, owner if node.symbol.kind in _ASSIGNING else node))


def _may_hold(outer: Node, node: Node) -> bool:
    """Return whether a symbol may be around one below it: not if `int a, b;` declares both in one place."""
    first, second = ((one.symbol.start_line, one.symbol.end_line, one.symbol.kind) for one in (outer, node))
    return first != second and outer.symbol.end_line >= node.symbol.end_line


def _draft_rows(
    repository: Repository,
    page: Page,
    rows: Sequence[Row],
    *,
    more: bool = False,
    ordinary: bool = False,
    notes: Sequence[str] = (),
    facts: Mapping[str, object] = MappingProxyType({}),
) -> Draft:
    """Draft the rows from the start of the page on; `more` says whether others follow the last one.

    `facts` are further fields of the answer.
    """
    said = [*notes, *repository.engines.graph.warn()]
    keys = [_name_row(row) for row in rows]
    page.check(keys)
    shown = rows[page.start :]

    def build(count: int) -> Part:
        is_cut = more or count < len(shown)
        result: Result = {"result": shown[:count], "truncated": is_cut, **facts}
        return Part({**result, **page.follow(keys, count, is_cut)}, said)

    return Draft(build, len(shown), ordinary)


def _name_row(row: Row) -> str:
    """Return the key of a row, which stands for a symbol or a span of lines."""
    return str(row.get("node_id") or (row["file_path"], row["line_start"], row["line_end"]))


def _build_scope(repository: Repository, arguments: Arguments) -> SymbolFilter:
    """Return the filter of a search. Raises RepoError with INVALID_ARGUMENT for an unknown language."""
    language = find_text(arguments, "language")
    scope = SymbolFilter(find_text(arguments, "node_type"), language, find_text(arguments, "project_id"))
    if language is None:
        return scope
    from repo_mcp.languages.symbol_parsers import list_languages  # not at start

    known = sorted({*list_languages(), *repository.outliner.list_languages()})
    if language in known:
        return scope
    raise RepoError(
        ErrorCode.INVALID_ARGUMENT,
        f"There are no symbols of a language {shown(language)}.",
        f"Give one of: {', '.join(known)}.",
        {"argument": "language"},
    )
