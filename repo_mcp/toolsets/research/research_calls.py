"""The call of `code_research`: one question, one report, cut to fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from repo_mcp.protocol.tool_model import CallContext, Progress
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result, find_integer, find_text
from repo_mcp.toolsets.binding import Entry
from repo_mcp.toolsets.research.answers import resolve_scope
from repo_mcp.toolsets.research.research_schemas import DEFAULT_FINDINGS, RESEARCH_INPUT, RESEARCH_OUTPUT
from repo_mcp.toolsets.research.research_text import ALSO, render_report
from repo_mcp.toolsets.research.shown_findings import (
    FEW_TESTS,
    USERS,
    Chosen,
    build_finding,
    choose_all,
    count_shown,
    is_of_words,
    list_folded,
)

if TYPE_CHECKING:
    from repo_mcp.repository import Repository
    from repo_mcp.research.findings.records import Chain, Finding, MapEdge, MapNode, Module, Report, Shape

ORDINARY_BYTES = 10_240  # of an answer to a question that asks for no particular amount
THIN_BYTES, ALSO_THIN_CHARS = 2_048, 300  # of an answer that says that nothing fits, and of its places
ALSO_CHARS, NEAR_CHARS = 600, 450  # of the places of findings without an excerpt; of those of hop 0
ALSO_OF_PARTS_CHARS = 400  # of these places, if a question has several parts
MAX_LIMITS = 3  # of a report that are listed
FLOW = "flow"  # a form of a question
ONE_CALL = 2  # symbols of a chain
IN_TESTS = "tests that lead to it"
FINDINGS_FIRST = "findings come first"
MAX_TOLD_CHARS = 600  # of a text that says how the question was understood; the client knows the question
T = TypeVar("T")


def code_research(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `code_research`. A NUL in the query counts as a blank: no person types one."""
    from repo_mcp.research.findings.records import (  # not when tools are listed
        Focus,
        ResearchRequest,
        RunControl,
    )

    scope = resolve_scope(repository, arguments)
    focus, limit = find_text(arguments, "focus"), find_integer(arguments, "limit")
    request = ResearchRequest(
        str(arguments["query"]).replace("\0", " "),
        find_integer(arguments, "depth"),
        None if focus is None else Focus(focus),
        scope.folder,
        limit or 0,
    )
    control = RunControl(context.cancelled, None if context.report is None else partial(_report, context))
    report = repository.engines.researcher.answer(request, control)
    most = min(DEFAULT_FINDINGS if limit is None else limit, len(report.findings))
    if limit is None:
        most = min(most, sum(map(count_shown, report.parts or (report,))))
    folded = sum(len(list_folded(one)) for one in report.parts or (report,))
    is_whole = most == len(report.findings) - folded
    ordinary = THIN_BYTES if _is_thin(report) else ORDINARY_BYTES
    most_bytes = repository.config.limits.max_total_bytes_per_response
    return Draft(
        partial(cut_report, report),
        most + (max(len(report.chains), len(report.map_nodes)) if is_whole else 0),
        limit is None,
        min(ordinary, most_bytes) if limit is None else None,
        render=partial(render_report, request.query),
        add_lines=partial(add_lines, report),
    )


def _is_thin(report: Report) -> bool:
    """Return True if nothing fits the question, in any part: what was found is hardly worth a look."""
    return all(one.is_thin for one in report.parts or (report,))


def _fold(report: Report) -> tuple[str, ...]:
    """Return the places of the first folded findings, and the number of the others."""
    folded = list_folded(report)
    named = _list_also(folded[:FEW_TESTS])
    return (*named, f"and {len(folded) - len(named)} more") if folded else ()


def _report(context: CallContext, done: float, total: float, message: str) -> None:
    if context.report is not None:
        context.report(Progress(done, total, escape_text(message)))


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


def _build_part(report: Report, rows: int, chosen: Sequence[Chosen]) -> Part:
    from repo_mcp.research.findings.citing import join_by_file  # not when tools are listed
    from repo_mcp.research.findings.records import Group

    parts = report.parts or (report,)
    also: dict[str, list[str]] = {}
    for one, (_, others) in zip(parts, chosen, strict=True):
        for what, places in _group_others(one, others, len(parts)):
            also.setdefault(what, []).extend(places)
    findings = [one for shown, _ in chosen for one in shown]
    folded = [place for one in parts for place in _fold(one)]
    groups = [
        *(() if _is_thin(report) else report.groups),  # what lies around so little is noise
        *([Group(IN_TESTS, tuple(folded))] if folded else []),
        *(Group(what, tuple(places)) for what, places in also.items()),
    ]
    cuts = _Cuts(len(findings), rows - len(findings))
    chains = _list_chains(report, findings)
    nodes = _list_mapped(report)
    result: Result = {
        "answer": escape_text(report.claim),
        "understood_as": _build_reading(report),
        "depth": report.depth,
        "focus": None if report.request.focus is None else report.request.focus.value,
        "findings": [
            build_finding(one, part if report.parts else 0)
            for part, (shown, _) in enumerate(chosen, 1)
            for one in shown
        ],
        "total_findings": len(report.findings),
        "truncated": len(findings) < len(report.findings),
        "surroundings": [{"what": one.what, "places": _escape(join_by_file(one.places))} for one in groups],
        **_build_sections(report, cuts),
        "call_chains": [
            _build_chain(one)
            for one in cuts.take(chains, _count_chains(report, cuts.findings), "call chains")
        ],
        "entry_points": [
            {"symbol": escape_text(one.symbol), "citation": escape_text(one.citation), "why": one.why}
            for one in cuts.take(report.entry_points, 1 + cuts.findings // 6, "entry points")
        ],
        "dependency_map": _build_map(cuts.take(nodes, 0, "nodes of the map"), report.map_edges),
    }
    limits = _list_limits(report, cuts.said)
    result["limits"] = [{"what": escape_text(what), "why": escape_text(why)} for what, why in limits]
    return Part(result, report.warnings)


def _list_chains(report: Report, shown: Sequence[Finding]) -> list[Chain]:
    """Return the call chains without those of one call between findings that are shown, which say it."""
    if _asks_for_map(report):
        return list(report.chains)
    named = {one.symbol for one in shown}
    return [one for one in report.chains if len(one.symbols) > ONE_CALL or not named.issuperset(one.symbols)]


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


def _count_chains(report: Report, findings: int) -> int:
    """Return the number of chains that are shown beside so many findings.

    It is 0 if words chose the findings, because their order and reasons say who calls whom.
    """
    return 0 if is_of_words(report) else 1 + findings // 12


def _group_others(
    report: Report, others: Sequence[Finding], parts: int
) -> Iterable[tuple[str, Sequence[str]]]:
    """Yield the places of the findings without an excerpt, with what they are.

    Where callers or users are asked for, those that reach the subject only through others stand apart, and
    so does what it depends on itself.
    """
    from repo_mcp.research.findings.citing import join_by_file  # not when tools are listed
    from repo_mcp.research.findings.reasons import Role

    who = USERS.get(report.reading.form)
    direct, indirect = f"other direct {who}", f"indirect {who}"
    groups: dict[str, list[Finding]] = {direct: [], indirect: [], ALSO: []}
    for one in others:
        is_user = who is not None and one.role not in (Role.DEPENDED_ON, Role.HOLDS, Role.HAS_WORDS)
        groups[(indirect if one.hop > 1 else direct) if is_user else ALSO].append(one)
    room = ALSO_OF_PARTS_CHARS // parts if parts > 1 else ALSO_CHARS  # each part needs it for its findings
    room = min(room, ALSO_THIN_CHARS) if report.is_thin else room
    for what, own in groups.items():
        places = _list_also(own, room)
        room -= sum(map(len, join_by_file(places)))
        if places:
            yield what, places


def _list_also(findings: Iterable[Finding], room: int = ALSO_CHARS) -> tuple[str, ...]:
    """Return the places of the first findings whose excerpts do not fit, within so many characters.

    Those of hop 0 take at most NEAR_CHARS, to leave room for the findings that they lead to.
    """
    from repo_mcp.research.findings.citing import shorten_symbol  # not when tools are listed

    places: list[str] = []
    met: set[str] = set()  # a path is told once
    near, left = NEAR_CHARS, room
    for one in findings:
        place = f"{shorten_symbol(one)} ({one.citation})"
        size = len(place) - (len(one.path) if one.path in met else 0)
        if size <= (left if one.hop else min(near, left)):
            places.append(place)
            met.add(one.path)
            left -= size
            near -= 0 if one.hop else size
    return tuple(places)


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


def _build_reading(report: Report) -> Result:
    subjects: list[Result] = []
    for row in (row for one in report.parts or (report,) for row in _list_subjects(one)):
        subjects += [row] if row not in subjects else []  # parts may have one subject
    return {
        "form": report.reading.form.value,
        "text": _cut(escape_text(report.reading.text)),
        "subjects": subjects,
        "parts": [_cut(escape_text(one.asked)) for one in report.parts],
    }


def _list_subjects(report: Report) -> list[Result]:
    return [
        {
            "asked": _cut(escape_text(one.asked)),
            "taken_as": one.taken_as.value,
            "symbols": _escape(
                [node.qualified_name for node in one.nodes] or ([one.name] if one.name else [])
            ),
        }
        for one in report.reading.subjects
        if one.nodes or one.name or one.asked != report.request.query  # else the question is its own subject
    ]


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TOLD_CHARS else text[:MAX_TOLD_CHARS] + "…"


def _build_chain(chain: Chain) -> Result:
    return {
        "symbols": _escape(chain.symbols),
        "citations": _escape(chain.citations),
        "confidence": chain.confidence,
        "ends": escape_text(chain.ends),
    }


def _build_module(module: Module) -> Result:
    return {
        "name": escape_text(module.name),
        "files": module.files,
        "strength": module.strength,
        "imported_by": module.imported_by,
        "imports": module.imports,
        "layer": module.layer,
        "citation": escape_text(module.citation),
    }


def _build_shape(shape: Shape) -> Result:
    return {
        "shape": shape.shape,
        "name": escape_text(shape.name),
        "count": shape.count,
        "citations": _escape(shape.citations),
        "note": shape.note,
    }


def _build_map(nodes: Sequence[MapNode], edges: Sequence[MapEdge]) -> Result:
    """Return the map with short ids for its nodes, to which its edges refer.

    Without edges it is empty: its nodes are findings, and shown as such.
    """
    ids = {node.key: f"n{place}" for place, node in enumerate(nodes)}
    shown = [edge for edge in edges if edge.source in ids and edge.target in ids]
    return {
        "nodes": [
            {
                "id": ids[node.key],
                "label": escape_text(node.label),
                "kind": node.kind,
                "path": escape_text(node.path),
            }
            for node in (nodes if shown else ())
        ],
        "edges": [
            {
                "from": ids[edge.source],
                "to": ids[edge.target],
                "kind": edge.kind,
                "confidence": edge.confidence,
                "citation": escape_text(edge.citation),
                "count": edge.count,
            }
            for edge in shown
        ],
    }


def _build_sections(report: Report, cuts: _Cuts) -> Result:
    """Return the sections that only some questions have."""
    sections: Result = {}
    if report.modules is not None:
        sections["modules"] = [
            _build_module(one) for one in cuts.take(report.modules, 4 + cuts.findings, "modules")
        ]
    if report.layers is not None:
        sections["layers"] = [
            {
                "level": one.level,
                "modules": _escape(one.modules),
                "cycles": [_escape(cycle) for cycle in one.cycles],
            }
            for one in report.layers
        ]
    if report.shapes is not None:
        sections["shapes"] = [
            _build_shape(one) for one in cuts.take(report.shapes, 4 + cuts.findings, "shapes")
        ]
    if report.outside is not None:
        sections["outside"] = [
            {"name": escape_text(one.name), "count": one.count, "citation": escape_text(one.citation)}
            for one in cuts.take(report.outside, 4 + cuts.findings // 2, "names from outside")
        ]
    return sections


def _escape(texts: Sequence[str]) -> list[str]:
    return [escape_text(text) for text in texts]


ENTRIES = (
    Entry(
        "code_research",
        "Research the code",
        "Answer a question by following references: how something works, what calls or implements X,"
        " where X is configured or added, what breaks, X against Y, the architecture. Returns an answer"
        " with citations.",
        RESEARCH_INPUT,
        RESEARCH_OUTPUT,
        code_research,
        free_text=frozenset({"query"}),
        may_be_task=True,
    ),
)
