"""A report of `code_research` as Markdown, for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from repo_mcp.text.lines import escape_text

ALSO, MAX_ALSO = "also found", 12  # the group of findings without an excerpt; its places that a person reads
Result = Mapping[str, Any]


def render_report(query: str, result: Mapping[str, object]) -> str:
    """Return a report on a question as Markdown, in reading order."""
    told: Result = dict(result)
    title = escape_text(" ".join(query.split()))
    claim = [told["answer"], ""] if told["answer"] else []
    lines = [f"# {title}", "", *claim, f"Understood as {told['understood_as']['text']}."]
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
        section = list(render(told))
        if section:
            lines += ["", *section]
    return "\n".join(lines) + "\n"


def _render_findings(told: Result) -> Iterable[str]:
    findings = told["findings"]
    more = f" (the first {len(findings)} of {told['total_findings']})" if told["truncated"] else ""
    yield f"## Findings{more}"
    if not findings:
        yield ""
        yield "Nothing was found."
    for number, one in enumerate(findings, 1):
        yield ""
        place = f"{one['path']}:{one['start_line']}-{one['end_line']}"
        yield f"{number}. **{one['symbol']}** ({one['kind']}), {place}"
        yield f"    {one['why']} (hop {one['hop']}, {one['confidence']})"
        if one["excerpt"]:
            yield ""
            yield from (f"        {line}" for line in one["excerpt"].removesuffix("\n").split("\n"))


def _render_surroundings(told: Result) -> Iterable[str]:
    if told["surroundings"]:
        yield "## Around it"
    for one in told["surroundings"]:
        yield ""
        yield f"{one['what'].capitalize()}:"
        shown = one["places"][:MAX_ALSO] if one["what"] == ALSO else one["places"]
        yield from (f"- {place}" for place in shown)
        if len(one["places"]) > len(shown):
            yield f"- and {len(one['places']) - len(shown)} more"


def _render_chains(told: Result) -> Iterable[str]:
    if told["call_chains"]:
        yield "## Call chains\n"
    for one in told["call_chains"]:
        yield f"- {' -> '.join(one['symbols'])} ({one['confidence']}; {one['ends']})"
        yield f"  {', '.join(one['citations'])}"


def _render_entries(told: Result) -> Iterable[str]:
    if told["entry_points"]:
        yield "## Entry points\n"
    for one in told["entry_points"]:
        yield f"- {one['symbol']}, {one['citation']}: {one['why']}"


def _render_modules(told: Result) -> Iterable[str]:
    if told.get("modules"):
        yield "## Modules, the strongest first\n"
        yield "| module | files | strength | imported by | imports | layer |"
        yield "|---|---|---|---|---|---|"
        for one in told["modules"]:
            numbers = (one["files"], f"{one['strength']} %", one["imported_by"], one["imports"], one["layer"])
            yield f"| {one['name']} | {' | '.join(map(str, numbers))} |"
    if told.get("layers"):
        yield ""
        yield "## Layers, the lowest first\n"
    for one in told.get("layers") or ():
        yield f"- {one['level']}: {', '.join(one['modules'])}"
        for cycle in one["cycles"]:
            names = " <-> ".join(cycle) if len(cycle) == 2 else f"of {len(cycle)}: {', '.join(cycle)}"
            yield f"  - cycle {names}"


def _render_shapes(told: Result) -> Iterable[str]:
    if told.get("shapes"):
        yield "## Repeated shapes\n"
    for one in told.get("shapes") or ():
        yield f"- {one['shape']} {one['name']}: {one['count']} {one['note']}, {', '.join(one['citations'])}"


def _render_outside(told: Result) -> Iterable[str]:
    if told.get("outside"):
        yield "## Outside the repository\n"
    for one in told.get("outside") or ():
        yield f"- {one['name']}: {one['count']}, {one['citation']}"


def _render_map(told: Result) -> Iterable[str]:
    from repo_mcp.research.mermaid import render_mermaid  # here: tools are listed before anything is called
    from repo_mcp.research.records import MapEdge, MapNode

    shown = told["dependency_map"]
    nodes = [MapNode(one["id"], one["label"], one["kind"], one["path"]) for one in shown["nodes"]]
    edges = [MapEdge(one["from"], one["to"], one["kind"], one["confidence"]) for one in shown["edges"]]
    if edges:
        yield "## Dependency map\n"
        yield "```mermaid"
        yield from render_mermaid(nodes, edges).splitlines()
        yield "```"


def _render_limits(told: Result) -> Iterable[str]:
    if told["limits"]:
        yield "## Left out\n"
    for one in told["limits"]:
        yield f"- {one['what']}: {one['why']}"
