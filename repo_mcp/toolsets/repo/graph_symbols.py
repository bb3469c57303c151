"""The symbols that a name means for the tools of the graph, where outlines and line patterns know none.

These know initialisers, operators and names with all their namespaces. Where files are not parsed, there are
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import SymbolFlag
from repo_mcp.text.citations import write_citation
from repo_mcp.text.lines import escape_text

if TYPE_CHECKING:
    from repo_mcp.graph.nodes import Node
    from repo_mcp.model import Hit, OpenedText, SearchAnswer, SearchRequest
    from repo_mcp.repository import Repository

MAX_NAMED = 5  # other declarations of a name
MAX_NEAR = 3  # names that are similar to one that nothing has


def list_meant(repository: Repository, text: str) -> Sequence[Node]:
    """Return what a name or a place means for the graph: one symbol, several of one name, or nothing.

    Of overloads that are declared apart from their definitions, only these count.
    """
    try:
        with repository.engines.graph.open_at(text, has_body=True) as (_, node):
            return [node] if node.symbol.ordinal else []
    except RepoError as error:
        meant: Sequence[Node] = getattr(error, "meant", ()) or getattr(error, "candidates", ())
        return [node for node in meant if not node.symbol.flags & SymbolFlag.FORWARD] or meant


def open_longest(repository: Repository, nodes: Sequence[Node], about: str | None) -> OpenedText:
    """Return the lines of the longest of several symbols of one file, and a warning that names the others.

    These are the lines of its declaration in the outline or, if that has none, those that were indexed.
    """
    node = max(nodes, key=lambda one: one.symbol.end_line - one.symbol.start_line)
    opened = _open_listed(repository, node, about)
    if opened is None:
        first, last = node.symbol.start_line, node.symbol.end_line
        opened = replace(repository.open_file(node.path, first, last, about=about), symbol=node.name_inside)
    others = [_cite(one) for one in nodes if one is not node]
    if not others:
        return opened
    more = f" and {len(others) - MAX_NAMED} more" if len(others) > MAX_NAMED else ""
    note = f"Other declarations of this name: {', '.join(others[:MAX_NAMED])}{more}."
    return replace(opened, warnings=(note, *opened.warnings))


def _open_listed(repository: Repository, node: Node, about: str | None) -> OpenedText | None:
    """Return the lines of a symbol in the outline; None if that has none, or another one of its name."""
    name, first, last = node.symbol.name, node.symbol.start_line, node.symbol.end_line
    try:
        opened = repository.open_file(
            node.path, None, None, symbol=name, around=first, about=about, folds=True
        )
    except RepoError as error:
        if error.code is not ErrorCode.NOT_FOUND:
            raise
        return None
    return opened if opened.start_line <= last and opened.end_line >= first else None


def _cite(node: Node) -> str:
    place = write_citation(node.path, node.symbol.start_line, node.symbol.end_line)
    return f"`{escape_text(node.name_inside)}` ({place})"


def list_near(repository: Repository, name: str) -> list[str]:
    """Return the names that an undeclared one is short for, such as `DocHelp`, or is nearly spelled like."""
    from repo_mcp.graph.lookup.qualified_names import NameMatch
    from repo_mcp.graph.nodes import normalise_name
    from repo_mcp.graph.vocabulary import SymbolFilter

    try:
        with repository.engines.graph.open(names=name) as graph:
            nodes, match, _ = graph.look_up(name, SymbolFilter())
            near = nodes if match is NameMatch.IN_ORDER else graph.list_near(name)
    except RepoError:
        return []
    owner = normalise_name(name).rpartition(".")[0]
    near = sorted(near, key=lambda node: not f".{node.qualified_name}".startswith(f".{owner}."))  # stable
    return [*dict.fromkeys(f"`{escape_text(node.qualified_name)}`" for node in near)][:MAX_NEAR]


def _name_near(repository: Repository, answer: SearchAnswer, name: str) -> SearchAnswer:
    """Return an answer without a hit; what it says to be similar begins with what is for the graph."""
    from repo_mcp.ranking.direct_hits.near_names import SIMILAR

    near = [] if answer.hits else list_near(repository, name)
    missing = [one for one in answer.warnings if "declaration is named" in one]
    if not near or not missing:
        return answer
    said, _, others = missing[0].rstrip(".").partition(SIMILAR)
    similar = dict.fromkeys((*near, *filter(None, others.split(", "))))
    warning = f"{said}{SIMILAR}{', '.join([*similar][:MAX_NEAR])}."
    return replace(answer, warnings=tuple(warning if one is missing[0] else one for one in answer.warnings))


def add_named(repository: Repository, request: SearchRequest, answer: SearchAnswer) -> SearchAnswer:
    """Return the symbols of the requested name, if an answer of mode `symbol` has no hit of that name.

    If nothing is named so, similar names are said.
    """
    from repo_mcp.graph.nodes import normalise_name

    name = request.query.strip()
    last = normalise_name(name).rpartition(".")[2]
    if any((hit.symbol or "").endswith(last) for hit in answer.hits):
        return answer
    found = _list_named(repository, request, name)
    if not found:
        return _name_near(repository, answer, name)
    from repo_mcp.ranking.direct_hits.name_lookup import SHOWN_LINES

    lines = chain(SHOWN_LINES, repeat(SHOWN_LINES[-1]))
    hits = [_show(repository, node, most) for node, most in zip(found[: request.top_k], lines, strict=False)]
    return replace(answer, hits=tuple(hits), total=len(found), truncated=len(found) > len(hits), warnings=())


def _list_named(repository: Repository, request: SearchRequest, name: str) -> list[Node]:
    """Return the symbols whose qualified name is, or ends with, a name, in the files of a request."""
    from repo_mcp.graph.lookup.qualified_names import NameMatch
    from repo_mcp.graph.vocabulary import SymbolFilter
    from repo_mcp.text.roles import is_test_path

    try:
        wanted = repository.select_files(request)
        with repository.engines.graph.open(names=name) as graph:
            nodes, match, _ = graph.look_up(name, SymbolFilter())
    except RepoError:
        return []
    if match is NameMatch.IN_ORDER:
        return []
    tests = request.include_tests
    return [one for one in nodes if wanted(one.path) and (tests or not is_test_path(one.path))]


def _show(repository: Repository, node: Node, most_lines: int) -> Hit:
    """Return the hit that shows the first lines of a symbol."""
    from repo_mcp.model import Hit
    from repo_mcp.ranking.page.hit_lines import render_numbered

    first, end = node.symbol.start_line, node.symbol.end_line
    last = min(end, first + most_lines - 1)
    lines = repository.open_file(node.path, first, last).lines
    return Hit(
        node.path,
        first,
        last,
        render_numbered(dict(enumerate(lines, first))),
        1.0,
        (),
        node.name_inside,
        chunk_id=node.node_id,
        symbol_lines=(first, end),
        symbol_name=node.symbol.name,
    )
