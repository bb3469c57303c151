"""Turn a report into the record of an answer: the most valuable findings, then parts of the other sections.

report_fields.py has the fields of each section, shown_findings.py the choice of findings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Part, Result
from repo_mcp.toolsets.research.other_places import group_others, list_folded_places
from repo_mcp.toolsets.research.report_fields import (
    build_chain,
    build_map,
    build_module,
    build_reading,
    build_shape,
    escape_all,
)
from repo_mcp.toolsets.research.shown_findings import Chosen, build_finding, choose_all, is_of_words

if TYPE_CHECKING:
    from repo_mcp.research.findings.records import Chain, Finding, MapNode, Report

MAX_LIMITS = 3  # of a report that are listed, some 100 bytes each; the first ones are about the subjects
# Other sections grow with the findings shown (500 bytes each), and so keep a share of the answer: one call
# chain (350 bytes) for 12 findings, one entry point (150) for 6, one name from outside (90) for 2, and a
# module or a shape (170), which are what their questions ask for, for each.
FINDINGS_A_CHAIN, FINDINGS_AN_ENTRY, FINDINGS_A_NAME = 12, 6, 2
LEAST_ROWS = 4  # of a section that only some questions have: fewer show no order among modules or names
FLOW = "flow"  # a form of a question
ONE_CALL = 2  # symbols of a chain
IN_TESTS = "tests that lead to it"
FINDINGS_FIRST = "findings come first"
T = TypeVar("T")


def cut_report(report: Report, rows: int) -> Part:
    """Return a report with the `rows` most valuable findings, and parts of its other sections.

    Rows beyond the findings are spent on the other sections.
    """
    return _build_part(report, rows, choose_all(report, rows))


def add_lines(report: Report, rows: int, room: int) -> Part | None:
    """Return what `cut_report` does, with those first lines of one more finding that fit into `room` bytes.

    Return None if they are too few.
    """
    chosen = choose_all(report, rows, room)
    return _build_part(report, rows + 1, chosen) if sum(len(own) for own, _ in chosen) > rows else None


def is_thin(report: Report) -> bool:
    """Return True if nothing fits the question, in any part: what was found is hardly worth a look."""
    return all(one.is_thin for one in report.parts or (report,))


def _build_part(report: Report, rows: int, chosen: Sequence[Chosen]) -> Part:
    findings = [one for shown, _ in chosen for one in shown]
    cuts = _Cuts(len(findings), rows - len(findings))
    chains = _list_chains(report, findings)
    nodes = _list_mapped(report)
    result: Result = {
        "answer": escape_text(report.claim),
        "understood_as": build_reading(report),
        "depth": report.depth,
        "focus": None if report.request.focus is None else report.request.focus.value,
        "findings": [
            build_finding(one, part if report.parts else 0)
            for part, (shown, _) in enumerate(chosen, 1)
            for one in shown
        ],
        "total_findings": len(report.findings),
        "truncated": len(findings) < len(report.findings),
        "surroundings": _list_surroundings(report, [others for _, others in chosen]),
        **_build_sections(report, cuts),
        "call_chains": [
            build_chain(one) for one in cuts.take(chains, _count_chains(report, cuts.findings), "call chains")
        ],
        "entry_points": [
            {"symbol": escape_text(one.symbol), "citation": escape_text(one.citation), "why": one.why}
            for one in cuts.take(report.entry_points, 1 + cuts.findings // FINDINGS_AN_ENTRY, "entry points")
        ],
        "dependency_map": build_map(cuts.take(nodes, 0, "nodes of the map"), report.map_edges),
    }
    limits = _list_limits(report, cuts.said)
    result["limits"] = [{"what": escape_text(what), "why": escape_text(why)} for what, why in limits]
    return Part(result, report.warnings)


def _list_surroundings(report: Report, others: Sequence[Sequence[Finding]]) -> list[Result]:
    """Return the places around what is shown, by what they are, with the `others` of each part."""
    from repo_mcp.research.findings.citing import join_by_file  # not when tools are listed

    parts = report.parts or (report,)
    groups: list[tuple[str, Sequence[str]]] = []
    if not is_thin(report):  # what lies around so little is noise
        groups += [(one.what, one.places) for one in report.groups]
    folded = [place for one in parts for place in list_folded_places(one)]
    groups += [(IN_TESTS, folded)] if folded else []
    also: dict[str, list[str]] = {}
    for one, own in zip(parts, others, strict=True):
        for what, places in group_others(one, own, len(parts)):
            also.setdefault(what, []).extend(places)
    groups += also.items()
    return [{"what": what, "places": escape_all(join_by_file(places))} for what, places in groups]


def _list_chains(report: Report, shown: Sequence[Finding]) -> list[Chain]:
    """Return the call chains without those of one call between findings that are shown, which say it."""
    if _asks_for_map(report):
        return list(report.chains)
    named = {one.symbol for one in shown}
    return [one for one in report.chains if len(one.symbols) > ONE_CALL or not named.issuperset(one.symbols)]


def _count_chains(report: Report, findings: int) -> int:
    """Return the number of chains that are shown beside so many findings.

    It is 0 if words chose the findings, because their order and reasons say who calls whom.
    """
    return 0 if is_of_words(report) else 1 + findings // FINDINGS_A_CHAIN


def _list_mapped(report: Report) -> Sequence[MapNode]:
    """Return the nodes of the map: unless it is asked for, those with edges, and none if all are findings."""
    if _asks_for_map(report):
        return report.map_nodes
    ends = {end for edge in report.map_edges for end in (edge.source, edge.target)}
    nodes = [one for one in report.map_nodes if one.key in ends]
    found = {one.node.node_id for one in report.findings if one.node is not None}
    return () if found.issuperset(one.key for one in nodes) else nodes


def _asks_for_map(report: Report) -> bool:
    """Return True if the map and the chains are wanted although they repeat the findings.

    A path is its chains, and who gives a depth, a focus or a number of findings wants to see all edges.
    """
    asked = report.request
    return report.reading.form == FLOW or bool(asked.depth or asked.focus or asked.findings)


def _build_sections(report: Report, cuts: _Cuts) -> Result:
    """Return the sections that only some questions have."""
    sections: Result = {}
    if report.modules is not None:
        sections["modules"] = [
            build_module(one) for one in cuts.take(report.modules, LEAST_ROWS + cuts.findings, "modules")
        ]
    if report.layers is not None:
        sections["layers"] = [
            {
                "level": one.level,
                "modules": escape_all(one.modules),
                "cycles": [escape_all(cycle) for cycle in one.cycles],
            }
            for one in report.layers
        ]
    if report.shapes is not None:
        sections["shapes"] = [
            build_shape(one) for one in cuts.take(report.shapes, LEAST_ROWS + cuts.findings, "shapes")
        ]
    if report.outside is not None:
        sections["outside"] = [
            {"name": escape_text(one.name), "count": one.count, "citation": escape_text(one.citation)}
            for one in cuts.take(
                report.outside, LEAST_ROWS + cuts.findings // FINDINGS_A_NAME, "names from outside"
            )
        ]
    return sections


def _list_limits(report: Report, cut: Sequence[str]) -> list[tuple[str, str]]:
    """Return what was left out and why. If words found the findings, one entry names it all, to save room."""
    met = [one for one in report.limits if _asks_for_map(report) or not one.what.endswith("call chains")]
    limits = [(one.what, one.why) for one in met[:MAX_LIMITS]]
    if len(met) > MAX_LIMITS:
        more = len(met) - MAX_LIMITS
        limits.append((f"{more} more {'limit' if more == 1 else 'limits'}", "they matter less"))
    if not cut:
        return limits
    if not is_of_words(report):
        return [*limits, (", ".join(cut), FINDINGS_FIRST)]
    return [(", ".join((*(one.what for one in met[:MAX_LIMITS]), *cut)), FINDINGS_FIRST)]


class _Cuts:
    """The cuts of an answer: findings come first, and the other sections get the remaining room."""

    def __init__(self, findings: int, beyond: int) -> None:
        """Take the number of findings shown, and the number of rows left when all are (`beyond`)."""
        self.findings, self._beyond = findings, beyond
        self.said: list[str] = []

    def take(self, whole: Sequence[T], most: int, what: str) -> Sequence[T]:
        """Return at most `most` items of a section, and one more for each row left over.

        `what` names the rest where the answer says that they were left out.
        """
        most += self._beyond
        if len(whole) <= most:
            return whole
        self.said.append(f"{len(whole) - most} more {what}")
        return whole[:most]
