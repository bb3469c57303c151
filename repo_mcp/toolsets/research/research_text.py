"""A report of `code_research` as Markdown, for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from repo_mcp.text.citations import write_citation
from repo_mcp.text.lines import escape_text

ALSO = "also found"  # the group of findings without an excerpt
Result = Mapping[str, Any]


def render_report(query: str, result: Mapping[str, object]) -> str:
    """Return a report on a question as Markdown, in reading order."""
    from repo_mcp.research.findings.records import Form  # here: tools are listed before anything is called

    report: Result = dict(result)
    title = escape_text(" ".join(query.split()))
    understood = report["understood_as"]
    lines = [f"# {title}"]
    if report["answer"]:
        lines += ["", report["answer"]]
    if understood["form"] != Form.OPEN.value or understood["parts"]:  # of an open one this says nothing
        lines += ["", f"Understood as: {understood['text']}."]
    for render in (
        _render_findings,
        _render_surroundings,
        _render_chains,
        _render_entries,
        _render_modules,
        _render_shapes,
        _render_outside,
        _render_map,
        _render_limits,
    ):
        section = list(render(report))
        if section:
            lines += ["", *section]
    return "\n".join(lines) + "\n"


def _render_findings(report: Result) -> Iterable[str]:
    findings = report["findings"]
    more = f" (the first {len(findings)} of {report['total_findings']})" if report["truncated"] else ""
    yield f"## Findings{more}"
    if not findings:
        yield ""
        yield "Nothing was found."
    part = 0
    for number, one in enumerate(findings, 1):
        if one["part"] != part:
            part = one["part"]
            yield ""
            yield f"### {report['understood_as']['parts'][part - 1]}"
        yield ""
        place = write_citation(one["path"], one["start_line"], one["end_line"])
        said = f"**{number}. {one['symbol']}** ({one['kind']}), {place}"  # lines of a list would stand deeper
        yield f"{said}: {one['why']}{_describe_hop(one)}"
        for quoted in (one["excerpt"].removesuffix("\n"), *one["values"]):
            if quoted:
                yield ""
                yield from (f"    {line}" for line in quoted.split("\n"))


def _describe_hop(finding: Result) -> str:
    """Return in how many hops a finding was reached and how surely; nothing for what words alone found."""
    from repo_mcp.graph.program import Confidence  # here, as above

    sure = finding["confidence"]
    if finding["hop"]:
        return f" (hop {finding['hop']}, {sure})"
    return "" if sure == Confidence.PROBABLE.value else f" ({sure})"


def _render_surroundings(report: Result) -> Iterable[str]:
    if report["surroundings"]:
        yield "## Around it"
    for one in report["surroundings"]:
        yield ""
        yield f"{one['what'][:1].upper()}{one['what'][1:]}:"
        yield from (f"- {place}" for place in one["places"])


def _render_chains(report: Result) -> Iterable[str]:
    if report["call_chains"]:
        yield "## Call chains\n"
    for one in report["call_chains"]:
        yield f"- {' -> '.join(one['symbols'])} ({one['confidence']}; {one['ends']})"
        yield f"  {', '.join(one['citations'])}"


def _render_entries(report: Result) -> Iterable[str]:
    if report["entry_points"]:
        yield "## Entry points\n"
    for one in report["entry_points"]:
        yield f"- {one['symbol']}, {one['citation']}: {one['why']}"


def _render_modules(report: Result) -> Iterable[str]:
    if report.get("modules"):
        yield "## Modules, the strongest first\n"
        yield "Strength is the share of random walks along imports that end at a module.\n"
        yield "| module | files | strength | imported by | imports | layer |"
        yield "|---|---|---|---|---|---|"
        for one in report["modules"]:
            numbers = (one["files"], f"{one['strength']} %", one["imported_by"], one["imports"], one["layer"])
            yield f"| {one['name']} | {' | '.join(map(str, numbers))} |"
    if report.get("layers"):
        yield ""
        yield "## Layers, the lowest first\n"
    for one in report.get("layers") or ():
        yield f"- {one['level']}: {', '.join(one['modules'])}"
        for cycle in one["cycles"]:
            names = " <-> ".join(cycle) if len(cycle) == 2 else f"of {len(cycle)}: {', '.join(cycle)}"
            yield f"  - cycle {names}"


def _render_shapes(report: Result) -> Iterable[str]:
    if report.get("shapes"):
        yield "## Repeated shapes\n"
    for one in report.get("shapes") or ():
        yield f"- {one['shape']} {one['name']}: {one['count']} {one['note']}, {', '.join(one['citations'])}"


def _render_outside(report: Result) -> Iterable[str]:
    if report.get("outside"):
        yield "## Outside the repository\n"
    for one in report.get("outside") or ():
        yield f"- {one['name']}: {one['count']}, {one['citation']}"


def _render_map(report: Result) -> Iterable[str]:
    from repo_mcp.research.findings.records import MapEdge, MapNode
    from repo_mcp.research.structure.mermaid import (
        render_mermaid,  # here: tools are listed before anything is called
    )

    shown = report["dependency_map"]
    nodes = [MapNode(one["id"], one["label"], one["kind"], one["path"]) for one in shown["nodes"]]
    edges = [MapEdge(one["from"], one["to"], one["kind"], one["confidence"]) for one in shown["edges"]]
    if edges:
        yield "## Dependency map\n"
        yield "```mermaid"
        yield from render_mermaid(nodes, edges).splitlines()
        yield "```"


def _render_limits(report: Result) -> Iterable[str]:
    if report["limits"]:
        yield "## Left out\n"
    for one in report["limits"]:
        yield f"- {one['what']}: {one['why']}"
