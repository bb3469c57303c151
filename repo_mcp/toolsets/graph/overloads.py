"""The edges of all overloads that a name means, in one list.

Whoever asks what calls a method gives its name, and seldom means one of its overloads. Each edge says to
which of them it belongs, by the lines that declare them. Left out on purpose: pages. What is cut is asked for
by the node_id of one overload.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from repo_mcp.errors import RepoError
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import TYPE_KINDS
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result
from repo_mcp.toolsets.graph.answers import render_candidate
from repo_mcp.toolsets.graph.edge_page import EdgePage, choose_rows
from repo_mcp.toolsets.graph.page_rows import EDGE, EXTERNAL, UNRESOLVED
from repo_mcp.toolsets.graph.rows import INCOMING, Row

if TYPE_CHECKING:
    from repo_mcp.graph.nodes import Node
    from repo_mcp.repository import Repository

MAX_OVERLOADS = 20  # whose edges are listed together
CUT_OVERLOADS = "Not all edges of these overloads are shown: ask for one of them by its node_id."


def list_overloads(error: RepoError) -> Sequence[Node]:
    """Return what an ambiguous name means if these are overloads, by file and line; else nothing.

    A value of an enum and a property may have the name of a function.
    """
    meant: Sequence[Node] = getattr(error, "meant", ())
    if len(meant) > MAX_OVERLOADS or not getattr(error, "are_overloads", False):
        return ()
    if any(node.symbol.kind in TYPE_KINDS for node in meant):
        return ()
    return sorted(meant, key=lambda node: (node.path, node.symbol.start_line))


def share_rows(pages: Sequence[EdgePage], most: int) -> list[EdgePage]:
    """Return the pages with at most so many rows in all: each has all of its own, or as many as others."""
    left, shares = most, dict[int, int]()
    ascending = sorted(range(len(pages)), key=lambda position: len(pages[position].rows))
    for place, position in enumerate(ascending):
        shares[position] = min(len(pages[position].rows), left // (len(pages) - place))
        left -= shares[position]
    return [replace(one, rows=one.rows[: shares[position]]) for position, one in enumerate(pages)]


def _join_rows(each: Iterable[tuple[int, Iterable[tuple[str, Row]]]]) -> list[tuple[str, Row]]:
    """Return rows of several symbols, each with its field and once: the program first, guesses last.

    `each` has the line of a symbol, and its rows. Edges say whose they are, the surest first.
    """
    joined: dict[str, list[tuple[bool, int, str, Row]]] = {}
    for line, rows in each:
        for field, row in rows:
            plain = {name: one for name, one in row.items() if name != "confidence"}
            is_possible = row.get("confidence") == "possible"
            joined.setdefault(f"{field} {plain}", []).append((is_possible, line, field, row))
    found: list[tuple[str, Row]] = []
    for same in joined.values():
        same.sort(key=lambda one: one[:2])
        _, _, field, row = same[0]
        lines = [line for _, line, _, _ in same]
        found.append((field, {**row, "overloads": lines} if field == EDGE else row))
    return sorted(found, key=lambda one: _order(one[1]))  # stable


def _order(row: Row) -> tuple[bool, int]:
    """Return a sort key: what is only possible comes last, and before that users that are no program."""
    from repo_mcp.graph.user_roles import find_path_role, rank_role  # not when tools are listed

    is_user = row.get("direction") == INCOMING
    rank = rank_role(find_path_role(str(row["file_path"]))) if is_user else 0
    return row.get("confidence") == "possible", rank


def draft_overloads(
    repository: Repository, nodes: Sequence[Node], pages: Sequence[EdgePage], arguments: Arguments
) -> Draft:
    """Draft the first pages of several overloads as one. The first of these stands for all."""
    rows = _join_rows((node.symbol.start_line, one.rows) for node, one in zip(nodes, pages, strict=True))
    totals = [one.known.totals for one in pages]
    overloads = _render_overloads(nodes, [one.edges for one in totals])
    shared: Result = {"symbol": render_candidate(nodes[0]), "overloads": overloads}
    is_short = any(len(one.rows) < len(one.known.rows) or not one.known.totals.is_complete for one in pages)
    said = (*(note for one in pages for note in (*one.blind, *one.notes)), *repository.engines.graph.warn())

    def build(count: int) -> Part:
        is_cut = is_short or count < len(rows)
        fields = {field: choose_rows(rows[:count], field) for field in (EDGE, EXTERNAL, UNRESOLVED)}
        result: Result = {**shared, EDGE: fields.pop(EDGE), "truncated": is_cut}
        result |= {field: one for field, one in fields.items() if one}
        result["unresolved"] = max(one.unresolved for one in totals)
        return Part(result, [*dict.fromkeys(said), *[CUT_OVERLOADS] * is_cut])

    return Draft(build, len(rows), "limit" not in arguments)


def _render_overloads(nodes: Sequence[Node], totals: Sequence[int]) -> list[Row]:
    """Return what distinguishes overloads from each other, and the number of the edges of each."""
    fields = ["node_id", "file_path", "line_start", "parameter_signature"]
    if len({node.path for node in nodes}) == 1:
        fields.remove("file_path")
    rows = map(render_candidate, nodes)
    return [
        {name: row[name] for name in fields} | {"total": total}
        for row, total in zip(rows, totals, strict=True)
    ]
