"""The calls of the `graph` toolset that follow edges: callers, implementations, dependencies.

Each takes the same steps: the symbol that the arguments name, one page of its edges, notes on it. A name that
means no single symbol is answered where it can be: for all its overloads, for the most used of its symbols,
or, if it is a base of another repository, for the types that name it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.vocabulary import CALLS, NAMED, EdgeType
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import SymbolFlag
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Arguments, Draft, find_integer, find_text
from repo_mcp.toolsets.graph.answers import open_symbol, render_chosen
from repo_mcp.toolsets.graph.edge_notes import list_blind_spots, list_notes
from repo_mcp.toolsets.graph.edge_page import EdgePage, choose_end, choose_limit, draft_page
from repo_mcp.toolsets.graph.found_edges import EdgeTool, FoundEdges
from repo_mcp.toolsets.graph.most_used import choose_most_used
from repo_mcp.toolsets.graph.overloads import draft_overloads, list_overloads, share_rows
from repo_mcp.toolsets.graph.page_rows import RowRenderer, name_rows
from repo_mcp.toolsets.graph.rows import INCOMING, OUTGOING, render_folders, render_roles
from repo_mcp.toolsets.pages import Page

if TYPE_CHECKING:
    from repo_mcp.graph.graph import Graph, Span
    from repo_mcp.graph.nodes import Node
    from repo_mcp.repository import Repository

OF_ANOTHER = "{} is not declared in this repository: these types name it as their base."


def get_callers(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_callers`."""
    return _answer(EdgeTool("get_callers", INCOMING, CALLS), repository, arguments)


def get_callees(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_callees`."""
    return _answer(EdgeTool("get_callees", OUTGOING, CALLS), repository, arguments)


def get_implementations(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_implementations`."""
    return _answer(EdgeTool("get_implementations", INCOMING, None), repository, arguments)


def get_references(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_references`."""
    return _answer(EdgeTool("get_references", INCOMING, NAMED), repository, arguments)


def get_dependencies(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_dependencies`."""
    return _answer(EdgeTool("get_dependencies", OUTGOING, _list_types(arguments)), repository, arguments)


def get_dependents(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_dependents`."""
    return _answer(EdgeTool("get_dependents", INCOMING, _list_types(arguments)), repository, arguments)


def _list_types(arguments: Arguments) -> tuple[EdgeType, ...]:
    chosen = arguments.get("edge_type")
    return (EdgeType(chosen),) if isinstance(chosen, str) else tuple(EdgeType)


def _answer(tool: EdgeTool, repository: Repository, arguments: Arguments) -> Draft:
    """Draft the edges of the call's symbol, or of what else its name means."""
    page = Page(tool.name, arguments)
    try:
        found = _find_page(tool, repository, arguments, page)
    except RepoError as error:
        instead = _find_instead(tool, repository, arguments, page, error)
        if instead is None:
            return _answer_overloads(tool, repository, arguments, page, error)
        found = instead
    page.check(found.keys)
    return draft_page(repository, found, page, arguments)


def _find_page(
    tool: EdgeTool, repository: Repository, arguments: Arguments, page: Page, *, asks_text: bool = True
) -> EdgePage:
    """Return one page of the edges of the symbol that the arguments name.

    Of a name in text it says something only if `asks_text` is set.
    """
    from repo_mcp.graph.edge_list import EdgeQuestion

    folder = _read_folder(repository, arguments)
    has_body = not tool.is_incoming
    with open_symbol(repository, arguments, has_body=has_body, likely=tool.likely_kinds) as (graph, node):
        types = tool.list_types(node.symbol.kind)
        asked = EdgeQuestion(node.declaration, types, tool.is_incoming, tool.dispatches, folder)
        known = graph.edge_lists.read(asked, page.start)
        limit, end = choose_end(known, page.start, arguments)
        found = FoundEdges(tool, graph, node, asked, known, page.start, end)
        facts = {**render_chosen(node, arguments, _list_variants(graph, node)), **_sum_up(found, limit)}
        blind = list_blind_spots(repository, found)
        notes = list_notes(repository, found, blind, asks_text=asks_text)
        renderer = RowRenderer(graph, tool.direction, node.symbol.name, has_text=found.has_text)
        rows, keys = renderer.render(found.rows), name_rows(known.rows[:end])
        return EdgePage(known, rows, keys, tool.direction, facts, blind, notes)


def _sum_up(found: FoundEdges, limit: int) -> dict[str, object]:
    """Return the uses of a symbol by folder and by role, where a first page does not show all of them."""
    known = found.known
    if not (found.tool.is_incoming and found.is_first_page and found.is_named_in_code):
        return {}
    is_complete = known.totals.is_complete
    facts: dict[str, object] = {}
    if found.tool.types is not None and (not is_complete or len(known.rows) - found.end > limit):
        folders = found.graph.edge_lists.list_folders(found.asked, known)
        facts |= render_folders(folders, is_complete=is_complete)
    if not is_complete or found.end < len(known.rows):
        facts |= render_roles(known.totals.roles)
    return facts


def _find_instead(
    tool: EdgeTool, repository: Repository, arguments: Arguments, page: Page, error: RepoError
) -> EdgePage | None:
    """Return one page of what stands for a symbol that was not found, or is one of several; None if nothing.

    `error` says why the arguments name no single symbol.
    """
    if tool.types is None and error.code is ErrorCode.NOT_FOUND:
        derived = _find_derived(repository, arguments, page)
        if derived is not None:
            return derived
    if not tool.is_incoming or list_overloads(error):  # bodies may be those of platforms
        return None
    taken = choose_most_used(repository, error)
    if taken is None:
        return None
    node, note = taken
    found = _find_page(tool, repository, _name_by_id(arguments, node), page)
    return replace(found, notes=[note, *found.notes])


def _answer_overloads(
    tool: EdgeTool, repository: Repository, arguments: Arguments, page: Page, error: RepoError
) -> Draft:
    """Draft the edges of all overloads that a name means. Raises the error itself if there are none."""
    overloads = list_overloads(error)
    if page.start or not overloads:
        raise error
    pages = [  # the first of which tells of their one name in text
        _find_page(tool, repository, _name_by_id(arguments, node), page, asks_text=not number)
        for number, node in enumerate(overloads)
    ]
    limit = find_integer(arguments, "limit") or choose_limit(sum(len(one.rows) for one in pages))
    return draft_overloads(repository, overloads, share_rows(pages, limit), arguments)


def _name_by_id(arguments: Arguments, node: Node) -> Arguments:
    """Return the arguments with the id of a symbol instead of what named it."""
    rest = {name: one for name, one in arguments.items() if name not in ("symbol", "node_id")}
    return {**rest, "node_id": node.node_id}


def _find_derived(repository: Repository, arguments: Arguments, page: Page) -> EdgePage | None:
    """Return one page of the types whose base is a type of another repository; None if none names it."""
    from repo_mcp.graph.edge_list import EdgeList
    from repo_mcp.graph.nodes import normalise_name

    text = find_text(arguments, "symbol") or ""
    name = normalise_name(text).rpartition(".")[2]
    if not name.isidentifier():
        return None
    with repository.engines.graph.open(names=name) as graph:
        found = graph.name_uses.find_external_derived(name, _read_folder(repository, arguments))
        known = EdgeList(iter([found])).read(page.start)
        if not known.rows:
            return None
        _, end = choose_end(known, page.start, arguments)
        rows = RowRenderer(graph, INCOMING, name, has_text=True).render(known.rows[page.start : end])
        notes = [OF_ANOTHER.format(escape_text(text))]
        return EdgePage(known, rows, name_rows(known.rows[:end]), INCOMING, {}, [], notes)


def _list_variants(graph: Graph, node: Node) -> Sequence[Span]:
    """Return the declarations of a prototype, or of a symbol of which builds have their own; else none."""
    spans = graph.list_spans(node)
    return spans if node.symbol.flags & SymbolFlag.FORWARD or spans[0].constraint else ()


def _read_folder(repository: Repository, arguments: Arguments) -> str:
    """Return the argument `folder` relative to the root, "" for the root or without the argument.

    Raises RepoError with NOT_FOUND for anything but a folder, and for a path that is not valid or denied.
    """
    given = str(arguments.get("folder", ""))
    return "" if given in ("", ".", "./", "/") else repository.tree.reach_directory(given.rstrip("/"))
