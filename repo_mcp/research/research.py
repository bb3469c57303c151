"""Answer a question with a report: understand it, investigate it, show it with live text.

Equal trees and questions give equal reports, because the search is bounded by counts and never by time.
"""

from __future__ import annotations

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.research.architecture import Architecture
from repo_mcp.research.configured import build_hit_address
from repo_mcp.research.dependency_map import build_map
from repo_mcp.research.excerpts import add_excerpts
from repo_mcp.research.investigations import Gathered, investigate
from repo_mcp.research.records import (
    DEFAULT_DEPTH,
    MAX_DEPTH,
    MIN_DEPTH,
    Focus,
    Form,
    Outside,
    Reading,
    Report,
    ResearchRequest,
    Steps,
    Subject,
)
from repo_mcp.research.research_state import ResearchState, search_words
from repo_mcp.research.source import Source
from repo_mcp.research.understanding import understand

TEXT_HITS = 20
MAX_OUTSIDE = 40  # names
# All implementations include those of subtypes; paths are searched from both ends.
_USUAL_DEPTHS = {Form.IMPLEMENTATIONS: MAX_DEPTH, Form.FLOW: 4}
_WITH_OUTSIDE = frozenset({Form.CALLEES, Form.DEPENDENCIES, Form.DEFINED})
NO_RECORD = (
    "The structure of the files is not indexed yet: this answer is that of a search for the words;"
    " nothing was followed."
)


def answer_question(request: ResearchRequest, source: Source, steps: Steps) -> Report:
    """Return the report on a question. Raises RepoError: INVALID_ARGUMENT, CANCELLED, or a search error."""
    check_request(request)
    state = ResearchState(source, request, steps)
    state.tell(0, "understanding the question")
    reading = understand(source.graph, request)
    if source.graph is None:
        return _answer_by_text(state, reading)
    if request.depth is None:
        state.depth = _USUAL_DEPTHS.get(reading.form, DEFAULT_DEPTH)
    state.tell(0, f"understood as: {reading.form.value}")
    gathered = investigate(state, reading)
    if state.outside_folder:
        state.limit(
            f"{len(state.outside_folder)} symbols outside of {request.folder}",
            "only what lies in the path is shown",
        )
    report = _build_report(state, reading, gathered)
    state.tell(state.depth + 1, f"{len(report.findings)} findings")
    return report


def check_request(request: ResearchRequest) -> None:
    """Raise RepoError with INVALID_ARGUMENT, naming the argument, when a request is not valid."""
    if not request.query.strip():
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            "query is empty.",
            "Ask a question, such as: what calls authenticate()?",
            {"argument": "query"},
        )
    if request.depth is not None and not MIN_DEPTH <= request.depth <= MAX_DEPTH:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"depth is {request.depth}.",
            f"Give {MIN_DEPTH} to {MAX_DEPTH}.",
            {"argument": "depth"},
        )


def _build_report(state: ResearchState, reading: Reading, gathered: Gathered) -> Report:
    findings, gone = add_excerpts(state.source, state.findings)
    if gone:
        state.warnings.append(f"{gone} places were left out: their files changed since they were indexed.")
    nodes, edges = build_map(state)
    architecture = gathered.architecture
    if architecture is not None and architecture.map_nodes:
        nodes, edges = architecture.map_nodes, architecture.map_edges
    report = Report(
        state.request,
        reading,
        state.depth,
        tuple(findings),
        nodes,
        edges,
        tuple(gathered.chains),
        tuple(state.entry_points.values()),
        shapes=gathered.shapes,
        outside=_join_outside(state, reading, architecture),
        warnings=tuple(state.warnings),
    )
    if architecture is not None and architecture.modules:
        report.modules, report.layers = architecture.modules, architecture.layers
    report.limits = state.limits
    return report


def _join_outside(
    state: ResearchState, reading: Reading, architecture: Architecture | None
) -> tuple[Outside, ...] | None:
    """Return the names declared elsewhere with their uses added up, or None when they are not wanted."""
    if architecture is not None:
        return architecture.outside
    if reading.form not in _WITH_OUTSIDE and state.request.focus is not Focus.DEPENDENCIES:
        return None
    joined: dict[str, Outside] = {}
    for one in state.outside:
        known = joined.get(one.name)
        count = one.count + (known.count if known else 0)
        joined[one.name] = Outside(one.name, count, known.citation if known else one.citation)
    if len(joined) > MAX_OUTSIDE:
        state.limit(f"{len(joined) - MAX_OUTSIDE} more names declared outside", f"{MAX_OUTSIDE} are listed")
    return tuple(joined.values())[:MAX_OUTSIDE] or None


def _answer_by_text(state: ResearchState, reading: Reading) -> Report:
    """Answer with a search for the words alone."""
    request = state.request
    for hit in search_words(state, request.query, TEXT_HITS):
        state.add_place(build_hit_address(state, hit, "holds the words", 0))
    findings, _ = add_excerpts(state.source, state.findings)
    state.tell(state.depth + 1, f"{len(findings)} findings")
    reading = Reading(Form.OPEN, reading.text, (Subject(request.query, "words"),))
    return Report(request, reading, 0, tuple(findings), warnings=(NO_RECORD,))
