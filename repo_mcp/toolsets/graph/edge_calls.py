"""The calls of the `graph` toolset that follow edges: callers, implementations, dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.unnamed_uses import describe_plain_type, describe_unnamed_uses
from repo_mcp.graph.vocabulary import (
    CALLED_KINDS,
    CALLS,
    IMPLEMENTED_KINDS,
    NAMED,
    EdgeType,
    list_implementing,
)
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import DERIVED, TYPE_KINDS, ParseStatus, ReferenceRole, SymbolFlag, SymbolKind
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Arguments, Draft, find_integer, find_text
from repo_mcp.toolsets.graph.answers import open_symbol, render_chosen
from repo_mcp.toolsets.graph.argument_schemas import DEFAULT_EDGES, MAX_UNRESOLVED_FILES
from repo_mcp.toolsets.graph.edge_page import EDGE, EXTERNAL, NOTHING, UNRESOLVED, EdgePage, draft_page
from repo_mcp.toolsets.graph.handed_values import MOST_SOUGHT, describe_values
from repo_mcp.toolsets.graph.most_used import choose_most_used
from repo_mcp.toolsets.graph.no_edges import describe_unparsed_rest, explain_kind
from repo_mcp.toolsets.graph.overloads import draft_overloads, list_overloads, share_rows
from repo_mcp.toolsets.graph.rows import (
    INCOMING,
    OUTGOING,
    Row,
    render_edge,
    render_external,
    render_folders,
    render_roles,
    render_unresolved,
    warn_untracked,
)
from repo_mcp.toolsets.pages import Page

if TYPE_CHECKING:
    from repo_mcp.graph.edge_list import EdgeQuestion, EdgeRow, KnownEdges
    from repo_mcp.graph.graph import Graph, Span
    from repo_mcp.graph.nodes import Node
    from repo_mcp.repository import Repository


DISPATCHING = frozenset({"get_callers", "get_callees"})  # their edges may lead through an overridden method
MOST_WHOLE = 40  # edges that are not cut into two pages
_NEVER_NAMED = frozenset({SymbolKind.FILE, SymbolKind.MODULE})  # code names these only by their paths
TEXT_ROWS = 250  # of a page; with more, only the numbers of lines are shown: 500 rows fit into 64 KiB
_DIRECTLY = frozenset({EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS})
_BASES = TYPE_KINDS - {SymbolKind.EXTENSION}
MAX_ASKED = 20  # types of one page that are asked for subtypes
MAX_NAMED = 3  # of those that have some
PARTLY_PARSED = "This file was parsed only in part: what the rest of it leads to is not known."
ONLY_NUMBERS = (
    "More than {0} rows have only the numbers of their lines: a limit of {0} shows the lines as well."
)
SHARED = "{} may mean this {}: the build decides which of the {} headers that declare it is included there."
BY_MACRO = "{:,} derive(...) name it, such as {}: what a macro implements is not listed."
OF_ANOTHER = "{} is not declared in this repository: these types name it as their base."
BY_SHAPE = "Only what names this interface is listed: too many classes have what it requires."


def get_callers(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_callers`."""
    return _answer("get_callers", repository, arguments, INCOMING, CALLS)


def get_callees(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_callees`."""
    return _answer("get_callees", repository, arguments, OUTGOING, CALLS)


def get_implementations(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_implementations`."""
    return _answer("get_implementations", repository, arguments, INCOMING, None)


def get_references(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_references`."""
    return _answer("get_references", repository, arguments, INCOMING, NAMED)


def get_dependencies(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_dependencies`."""
    return _answer("get_dependencies", repository, arguments, OUTGOING, _list_types(arguments))


def get_dependents(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_dependents`."""
    return _answer("get_dependents", repository, arguments, INCOMING, _list_types(arguments))


def _list_types(arguments: Arguments) -> tuple[EdgeType, ...]:
    chosen = arguments.get("edge_type")
    return (EdgeType(chosen),) if isinstance(chosen, str) else tuple(EdgeType)


def _answer(
    tool: str,
    repository: Repository,
    arguments: Arguments,
    direction: str,
    types: Iterable[EdgeType] | None,
) -> Draft:
    """Draft the edges of the call's symbol, or of all overloads that its name means.

    `types` is None for the edges from its implementations.
    """
    page = Page(tool, arguments)
    try:
        found = _find_page(tool, repository, arguments, direction, types, page)
    except RepoError as error:
        derived = _find_derived(repository, arguments, page) if types is None else None
        if derived is not None and error.code is ErrorCode.NOT_FOUND:
            page.check(derived.keys)
            return draft_page(repository, derived, page, arguments)
        rest = {name: one for name, one in arguments.items() if name not in ("symbol", "node_id")}
        overloads = list_overloads(error)
        is_sampled = direction == INCOMING and not overloads  # bodies may be those of platforms
        taken = choose_most_used(repository, error) if is_sampled else None
        if taken is not None:
            node, note = taken
            chosen = rest | {"node_id": node.node_id}
            found = _find_page(tool, repository, chosen, direction, types, page)
            page.check(found.keys)
            return draft_page(repository, replace(found, notes=[note, *found.notes]), page, arguments)
        if page.start or not overloads:
            raise
        each = enumerate(rest | {"node_id": node.node_id} for node in overloads)
        pages = [  # the first of which tells of their one name in text
            _find_page(tool, repository, one, direction, types, page, asks_text=not number)
            for number, one in each
        ]
        limit = find_integer(arguments, "limit") or _choose_limit(sum(len(one.rows) for one in pages))
        return draft_overloads(repository, overloads, share_rows(pages, limit), arguments)
    page.check(found.keys)
    return draft_page(repository, found, page, arguments)


def _find_page(
    tool: str,
    repository: Repository,
    arguments: Arguments,
    direction: str,
    types: Iterable[EdgeType] | None,
    page: Page,
    *,
    asks_text: bool = True,
) -> EdgePage:
    """Return one page of the edges of the symbol that the arguments name.

    Of a name in text it says something only if `asks_text` is set.
    """
    from repo_mcp.graph.edge_list import EdgeQuestion
    from repo_mcp.graph.function_types import describe_function_type

    folder = _read_folder(repository, arguments)
    likely = IMPLEMENTED_KINDS if types is None else CALLED_KINDS if types == CALLS else frozenset()
    with open_symbol(repository, arguments, has_body=direction == OUTGOING, likely=likely) as (graph, node):
        wanted = frozenset(list_implementing(node.symbol.kind) if types is None else types)
        incoming, dispatches = direction == INCOMING, tool in DISPATCHING
        asked = EdgeQuestion(node.declaration, wanted, incoming, dispatches, folder)
        known = graph.edge_lists.read(asked, page.start)
        limit, end = _choose_end(known, page.start, arguments)
        has_text = end - page.start <= TEXT_ROWS
        renderer = _Renderer(graph, direction, node.symbol.name, has_text=has_text)
        facts = {**render_chosen(node, arguments, _list_variants(graph, node))}
        blind = _find_blind_spots(graph, node, known, direction, only_implementing=types is None)
        if incoming and not page.start and node.symbol.kind not in _NEVER_NAMED:
            is_complete = known.totals.is_complete
            if types is not None and (not is_complete or len(known.rows) - end > limit):
                facts |= render_folders(graph.edge_lists.list_folders(asked, known), is_complete=is_complete)
            if not is_complete or end < len(known.rows):
                facts |= render_roles(known.totals.roles)
            named = node.symbol.name, node.language, node.symbol.kind
            blind += filter(None, [repository.engines.describe_unread_uses(*named)])
        rows = known.rows[page.start : end]
        if types is None:
            blind += [*_name_bases(graph, rows), *([] if page.start else _count_derives(graph, node))]
        notes = [] if known.rows or blind else explain_kind(graph, node, types, asked)
        asks_text &= tool == "get_references" or not (known.rows or notes)
        if types is None and not page.start:
            notes += filter(None, [escape_text(describe_function_type(graph, node))])
        if incoming and not (known.rows or blind or notes):
            notes = describe_unparsed_rest(repository, graph, node)
        if tool == "get_callers" and not page.start and not known.totals.edges:
            notes += filter(None, [escape_text(graph.outside_callers.describe(node))])
        if tool == "get_callers" and not page.start:
            notes += [*describe_values(graph, node, asked, known), *_name_called_overrides(graph, known)]
        if incoming and types is not None and not page.start:
            notes += _count_shared(graph, node, asked, known)
            notes += _describe_mentions(repository, graph, node, asked, known) if asks_text else []
        notes += [ONLY_NUMBERS.format(TEXT_ROWS)] * (incoming and not has_text)
        keys = _name_rows(known.rows[:end])
        return EdgePage(known, renderer.render(rows), keys, direction, facts, blind, notes)


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
        _, end = _choose_end(known, page.start, arguments)
        rows = _Renderer(graph, INCOMING, name, has_text=True).render(known.rows[page.start : end])
        notes = [OF_ANOTHER.format(escape_text(text))]
        return EdgePage(known, rows, _name_rows(known.rows[:end]), INCOMING, {}, [], notes)


def _choose_end(known: KnownEdges, start: int, arguments: Arguments) -> tuple[int, int]:
    """Return how many edges a page has at most, and where it ends."""
    limit = find_integer(arguments, "limit") or _choose_limit(len(known.rows) - start)
    return limit, _find_end(known, start, limit)


def _choose_limit(left: int) -> int:
    """Return how many edges a page has by default: all rows that are left if the next page would be short."""
    return left if DEFAULT_EDGES < left <= MOST_WHOLE else DEFAULT_EDGES


def _find_blind_spots(
    graph: Graph, node: Node, known: KnownEdges, direction: str, *, only_implementing: bool
) -> list[str]:
    """Return the reasons why a symbol may have edges that are not known."""
    if only_implementing:
        is_distinctive = graph.edge_lists.is_distinctive(node.declaration)
        return [*[BY_SHAPE] * (not is_distinctive), *filter(None, [describe_plain_type(node)])]
    if direction == INCOMING:
        unnamed = describe_unnamed_uses(node), describe_plain_type(node)
        return [*warn_untracked(node), *filter(None, unnamed)]
    return [PARTLY_PARSED] if not known.rows and node.status == ParseStatus.PARTIAL else []


def _count_shared(graph: Graph, node: Node, asked: EdgeQuestion, known: KnownEdges) -> list[str]:
    """Return a note on the lines that mean this symbol or another one of its name, as the build decides."""
    from repo_mcp.graph.edges import Edge, Unresolved

    shared = graph.variant_uses.find(node, asked.types)
    if shared is None or asked.folder:
        return []
    listed = {(row.other.path, line) for row in known.rows if isinstance(row, Edge) for line in row.lines}
    listed |= {(row.path, line) for row in known.rows if isinstance(row, Unresolved) for line in row.lines}
    places = [one for one in shared.places if one not in listed]
    if places:
        path, line = places[0]
        said = f"{len(places):,} more line{'s' * (len(places) > 1)}, such as {escape_text(path)}:{line},"
    elif shared.most and not shared.places:
        said = f"Up to {shared.most:,} more lines"
    else:
        return []
    return [SHARED.format(said, node.symbol.name, shared.variants)]


def _describe_mentions(
    repository: Repository, graph: Graph, node: Node, asked: EdgeQuestion, known: KnownEdges
) -> list[str]:
    """Return a note on the files with the name of a symbol in text, if these are quickly found."""
    from repo_mcp.graph.edges import Edge

    if node.symbol.kind in _NEVER_NAMED or asked.folder or graph.edge_lists.count_uses(asked) > MOST_SOUGHT:
        return []
    listed = {(row.other.path, line) for row in known.rows if isinstance(row, Edge) for line in row.lines}
    *holders, name = [part for part in node.qualified_name.split(".") if part.isidentifier()] or [""]
    said = repository.engines.describe_mentions(name, holders, node.language, listed)
    return [said] if said else []


def _name_called_overrides(graph: Graph, known: KnownEdges) -> list[str]:
    """Return a note on the overrides of a member that are called by their own types."""
    from repo_mcp.graph.called_overrides import describe_called_overrides

    totals = known.totals
    said = describe_called_overrides(graph, totals.below, is_complete=totals.is_complete)
    return [f"{said.removesuffix('.')}: ask for theirs."] if said else []


def _name_bases(graph: Graph, rows: Iterable[EdgeRow]) -> list[str]:
    """Return a note on the types among some rows that have subtypes, which are implementations as well."""
    from repo_mcp.graph.edges import Edge

    others = dict.fromkeys(row.other for row in rows if isinstance(row, Edge) and row.type in _DIRECTLY)
    nodes = [graph.get_node(one) for one in [*others][:MAX_ASKED]]
    named = [node.symbol.name for node in nodes if node.symbol.kind in _BASES and _has_subtypes(graph, node)]
    if not named:
        return []
    more = f" and {len(named) - MAX_NAMED} more" if len(named) > MAX_NAMED else ""
    has = "has" if len(named) == 1 else "have"
    return [f"{', '.join(named[:MAX_NAMED])}{more} {has} subtypes that are not listed: ask for theirs."]


def _count_derives(graph: Graph, node: Node) -> list[str]:
    """Return a note on the types of Rust that derive a trait: a macro implements it for them."""
    if node.symbol.kind is not SymbolKind.TRAIT or node.language != "rust":
        return []
    places: list[str] = []
    found = graph.name_uses.list_rare(node.symbol.name, MOST_SOUGHT)
    for path in sorted({path for paths in found for path in paths}):
        record = graph.scan.find_record(path)
        for row in record.list_named_role(node.symbol.name, ReferenceRole.TYPE) if record is not None else ():
            if record is not None and record.get_reference(row).arguments == DERIVED:
                places.append(f"{path}:{record.ref_lines[row]}")
    return [BY_MACRO.format(len(places), places[0])] if places else []


def _has_subtypes(graph: Graph, node: Node) -> bool:
    below = map(graph.get_node, graph.edge_lists.list_derived(node.declaration))
    return any(one.symbol.name != node.symbol.name for one in below)  # not only extensions of its own


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


def _find_end(known: KnownEdges, start: int, most: int) -> int:
    """Return where a page ends: after `most` edges, as many external names, or enough unresolved places.

    Few of these are shown beside edges; a later page that begins with them has as many as of edges.
    """
    is_last = 0 < start < len(known.rows) and _name_field(known.rows[start]) == UNRESOLVED
    places = max(most, MAX_UNRESOLVED_FILES) if is_last else MAX_UNRESOLVED_FILES
    left = {EDGE: most, EXTERNAL: most, UNRESOLVED: places, NOTHING: len(known.rows)}
    for position in range(start, len(known.rows)):
        row = known.rows[position]
        field = _name_field(row)
        if not left[field]:
            return position
        left[field] -= 1
    return len(known.rows)


def _name_field(row: EdgeRow) -> str:
    """Return the field of an answer to which a row belongs."""
    fields = {"Edge": EDGE, "External": EXTERNAL, "Unresolved": UNRESOLVED}
    return fields.get(type(row).__name__, NOTHING)


def _name_rows(rows: Iterable[EdgeRow]) -> list[str]:
    """Return a key for each row, without its lines: an edit above them makes no cursor stale."""
    from repo_mcp.graph.edge_list import WindowEnd
    from repo_mcp.graph.edges import Edge, External

    keys = []
    for row in rows:
        if isinstance(row, Edge):
            via = "" if row.via is None else f" {row.via.ordinal} {row.via.path}"
            key = f"{row.type} {row.confidence}{row.source} {row.other.ordinal} {row.other.path}{via}"
        elif isinstance(row, WindowEnd):
            key = f"window {row.number}"
        else:
            key = f"{row.type} {row.name}" if isinstance(row, External) else row.path
        keys.append(key)
    return keys


class _Renderer:
    """Renders the rows of one page about the symbol called `name`."""

    def __init__(self, graph: Graph, direction: str, name: str, *, has_text: bool) -> None:
        self._graph = graph
        self._direction = direction
        self._name = name
        self._has_text = has_text
        self._texts: dict[str, Sequence[str]] = {}

    def render(self, rows: Iterable[EdgeRow]) -> list[tuple[str, Row]]:
        """Return each row with the field to which it belongs."""
        return [(_name_field(row), self._render(row)) for row in rows]

    def _render(self, row: EdgeRow) -> Row:
        from repo_mcp.graph.edges import Edge, External, Unresolved

        if isinstance(row, Edge):
            node = self._graph.get_node(row.other)
            via = None if row.via is None else self._graph.get_node(row.via)
            # what a symbol uses is located by its declaration
            text = self._read_lines(node.path) if self._direction == INCOMING else ()
            return render_edge(row, node, self._direction, text, via, self._name)
        if isinstance(row, External):
            return render_external(row)
        if isinstance(row, Unresolved):
            return render_unresolved(row, self._read_lines(row.path), self._name)
        return {}

    def _read_lines(self, path: str) -> Sequence[str]:
        if not self._has_text:
            return ()
        if path not in self._texts:
            self._texts[path] = self._graph.read_lines(path)
        return self._texts[path]
