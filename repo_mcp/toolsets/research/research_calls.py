"""The call of `code_research`: one question, one report, as much of it as fits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.protocol.tool_model import CallContext, Progress
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Arguments, Draft, find_integer, find_text
from repo_mcp.toolsets.binding import Entry
from repo_mcp.toolsets.research.answers import resolve_scope
from repo_mcp.toolsets.research.report_record import add_lines, cut_report, is_thin
from repo_mcp.toolsets.research.research_schemas import DEFAULT_FINDINGS, RESEARCH_INPUT, RESEARCH_OUTPUT
from repo_mcp.toolsets.research.research_text import render_report
from repo_mcp.toolsets.research.shown_findings import count_shown, list_folded

if TYPE_CHECKING:
    from repo_mcp.repository import Repository

ORDINARY_BYTES = 10_240  # of an answer to a question that asks for no particular amount
THIN_BYTES = 5_120  # of an answer that says that nothing fits


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
    tell = None if context.report is None else partial(_tell_progress, context.report)
    control = RunControl(context.cancelled, tell)
    report = repository.engines.researcher.answer(request, control)
    most = min(DEFAULT_FINDINGS if limit is None else limit, len(report.findings))
    if limit is None:
        most = min(most, sum(map(count_shown, report.parts or (report,))))
    folded = sum(len(list_folded(one)) for one in report.parts or (report,))
    is_whole = most == len(report.findings) - folded
    ordinary = THIN_BYTES if is_thin(report) else ORDINARY_BYTES
    most_bytes = repository.config.limits.max_total_bytes_per_response
    return Draft(
        partial(cut_report, report),
        most + (max(len(report.chains), len(report.map_nodes)) if is_whole else 0),
        limit is None,
        min(ordinary, most_bytes) if limit is None else None,
        render=partial(render_report, request.query),
        add_lines=partial(add_lines, report),
    )


def _tell_progress(report: Callable[[Progress], None], done: float, total: float, message: str) -> None:
    report(Progress(done, total, escape_text(message)))


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
        is_beginning=True,
    ),
)
