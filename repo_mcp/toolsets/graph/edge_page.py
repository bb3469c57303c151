"""One page of the edges of a symbol: where it ends, and the answer that it makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from repo_mcp.record_classes import dataclass
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result, find_integer
from repo_mcp.toolsets.graph.argument_schemas import DEFAULT_EDGES, MAX_UNRESOLVED_FILES
from repo_mcp.toolsets.graph.page_rows import EDGE, EXTERNAL, NOTHING, UNRESOLVED, name_field
from repo_mcp.toolsets.graph.rows import OUTGOING, Row
from repo_mcp.toolsets.pages import Page

if TYPE_CHECKING:
    from repo_mcp.graph.edge_list import KnownEdges
    from repo_mcp.repository import Repository

MOST_WHOLE = 40  # edges that are not cut into two pages
CUT = "So many types inherit from each other, or are alike, that some edges may not be listed."
MORE = "Not every file has been searched yet: continue with cursor."
AT_LEAST = "At least {:,} references: not every file has been searched yet, continue with cursor."


@dataclass(frozen=True, slots=True)
class EdgePage:
    """One page of the edges of a symbol."""

    known: KnownEdges
    rows: Sequence[tuple[str, Row]]  # those of the page, each with the field to which it belongs
    keys: Sequence[str]  # of all rows up to the end of the page
    direction: str
    facts: Mapping[str, object]  # fields beside the rows: the symbol, and its uses by folder
    blind: Sequence[str]  # why there may be edges that are not known
    notes: Sequence[str]  # on what is known


def choose_end(known: KnownEdges, start: int, arguments: Arguments) -> tuple[int, int]:
    """Return how many edges a page has at most, and where it ends."""
    limit = find_integer(arguments, "limit") or choose_limit(len(known.rows) - start)
    return limit, _find_end(known, start, limit)


def choose_limit(left: int) -> int:
    """Return how many edges a page has by default: all rows that are left if the next page would be short."""
    return left if DEFAULT_EDGES < left <= MOST_WHOLE else DEFAULT_EDGES


def _find_end(known: KnownEdges, start: int, most: int) -> int:
    """Return where a page ends: after `most` edges, as many external names, or enough unresolved places.

    Few of these are shown beside edges; a later page that begins with them has as many as of edges.
    """
    is_last = 0 < start < len(known.rows) and name_field(known.rows[start]) == UNRESOLVED
    places = max(most, MAX_UNRESOLVED_FILES) if is_last else MAX_UNRESOLVED_FILES
    left = {EDGE: most, EXTERNAL: most, UNRESOLVED: places, NOTHING: len(known.rows)}
    for position in range(start, len(known.rows)):
        row = known.rows[position]
        field = name_field(row)
        if not left[field]:
            return position
        left[field] -= 1
    return len(known.rows)


def draft_page(repository: Repository, found: EdgePage, page: Page, arguments: Arguments) -> Draft:
    """Draft the answer with one page of the edges of a symbol."""
    known, shown, totals = found.known, found.rows, found.known.totals
    is_outgoing = found.direction == OUTGOING
    more = AT_LEAST.format(totals.lines) if totals.lines else MORE
    notes = [*found.blind, *found.notes, *[CUT] * totals.is_cut, *[more] * (not totals.is_complete)]
    notes += repository.engines.graph.warn()

    def build(rows: int) -> Part:
        is_cut = not totals.is_complete or page.start + rows < len(known.rows)
        result: Result = {**found.facts, EDGE: choose_rows(shown[:rows], EDGE)}
        if totals.edges or not found.blind:  # otherwise the total is unknown
            result["total"] = totals.edges
            result["reference_total"] = totals.lines
        result["possible"] = totals.possible
        result["total_is_lower_bound"] = totals.is_cut or not totals.is_complete
        result["truncated"] = is_cut
        if is_outgoing:
            result[EXTERNAL] = choose_rows(shown[:rows], EXTERNAL)
            result["external_total"] = totals.externals
        result["unresolved"] = totals.unresolved
        result[UNRESOLVED] = choose_rows(shown[:rows], UNRESOLVED)
        return Part({**result, **page.follow(found.keys, rows, is_cut)}, notes)

    return Draft(build, len(shown), "limit" not in arguments)


def choose_rows(rows: Iterable[tuple[str, Row]], wanted: str) -> list[Row]:
    """Return the rows of one field."""
    return [row for field, row in rows if field == wanted]
