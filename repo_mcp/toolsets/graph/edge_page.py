"""One page of the edges of a symbol, and the answer that it makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from repo_mcp.record_classes import dataclass
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result
from repo_mcp.toolsets.graph.rows import OUTGOING, Row
from repo_mcp.toolsets.pages import Page

if TYPE_CHECKING:
    from repo_mcp.graph.edge_list import KnownEdges
    from repo_mcp.repository import Repository

EDGE, EXTERNAL, UNRESOLVED, NOTHING = "result", "external", "unresolved_in", ""  # fields that hold rows
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
