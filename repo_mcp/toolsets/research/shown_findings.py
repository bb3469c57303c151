"""Choose the findings of a report that an answer shows: of each part of a question its own, the best first.

What does not fit as a whole is left to others, or shown in part.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from repo_mcp.protocol.frames import encode_json
from repo_mcp.record_classes import replace
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Result

if TYPE_CHECKING:
    from repo_mcp.research.findings.records import Finding, Report

CALLERS = "callers"  # a form of a question
USERS = {CALLERS: "callers", "dependents": "users"}  # forms that ask for users, and what they call them
BY_WORDS = frozenset({"open", "errors", "extension"})  # forms whose findings are chosen by words
# Hops of findings that are shown for some forms if no amount is asked for: 153 further ones had none of 480
# lines and symbols that answered questions in words.
MOST_HOPS = {**dict.fromkeys(USERS, 1), **dict.fromkeys(BY_WORDS, 0)}
WITH_BODIES = BY_WORDS | {"callees"}  # those of which a finding with one line is only named
FEW_TESTS = 2  # callers in tests are only counted, if there are more; the first ones are named
LEAST_LINES = 4  # of a finding that is shown in part
NEXT = 4  # findings of which one may be shown in part
Chosen = tuple[list["Finding"], list["Finding"]]  # those of a part that are shown, and the others


def choose_all(report: Report, rows: int, room: int = 0) -> list[Chosen]:
    """Return the `rows` most valuable findings, for each part of the question, with the others.

    One more is shown if its first lines fit into `room` bytes.
    """
    parts = report.parts or (report,)
    shares = _share_rows(parts, rows)
    more = _share_rows(parts, rows + 1) if room else shares
    return [
        _choose_findings(one, own, room * (own < another))
        for one, own, another in zip(parts, shares, more, strict=True)
    ]


def shorten(finding: Finding, room: int) -> Finding | None:
    """Return a finding with those lines of its excerpt with which it fits; None if they are too few.

    The lines worth least are left out first, of equal ones the last, and those for which it was found at the
    very last.
    """
    from repo_mcp.research.findings.excerpts import GAP  # not when tools are listed

    lines = finding.excerpt.splitlines(keepends=True)
    telling = {f"{at}" for at in finding.lines}
    ranks = {f"{at}": rank for rank, at in enumerate(finding.ranked)}
    least = min(LEAST_LINES, len(lines) - lines.count(GAP))
    while len(lines) - lines.count(GAP) >= least:
        short = replace(finding, excerpt="".join(lines))
        told = {key: value for key, value in build_finding(short, 1).items() if value}
        if lines[-1] != GAP and len(encode_json(told)) <= room:
            return short
        spare = [at for at in range(1, len(lines)) if lines[at].partition("\t")[0] not in telling]
        spare = [at for at in spare if lines[at] != GAP] or [len(lines) - 1]
        worst = max(spare, key=lambda at: (ranks.get(lines[at].partition("\t")[0], len(ranks)), at))
        lines[worst:] = _join_gaps([GAP, *lines[worst + 1 :]], lines[worst - 1], GAP)
    return None


def _join_gaps(lines: Sequence[str], before: str, gap: str) -> list[str]:
    """Return some lines behind another one, without gaps beside gaps or at the end."""
    kept: list[str] = []
    for line in lines:
        if line != gap or (kept[-1] if kept else before) != gap:
            kept.append(line)
    return kept[:-1] if kept[-1:] == [gap] else kept


def build_finding(finding: Finding, part: int) -> Result:
    """Build the fields of a finding; `part` is that of the question, from 1, or 0 if it has only one."""
    from repo_mcp.research.findings.citing import shorten_symbol  # not when tools are listed

    return {
        "part": part,
        "path": escape_text(finding.path),
        "start_line": finding.start_line,
        "end_line": finding.end_line,
        "symbol": escape_text(shorten_symbol(finding)),  # the path says the rest
        "kind": finding.kind,
        "why": escape_text(finding.why),
        "hop": finding.hop,
        "confidence": finding.confidence,
        "reference_lines": _list_uses(finding),
        "excerpt": finding.excerpt,
        "values": list(finding.values),
    }


def _list_uses(finding: Finding) -> list[int]:
    """Return those lines of the uses for which a finding is there that its excerpt does not show."""
    quoted = {line.partition("\t")[0] for line in finding.excerpt.splitlines()}
    return [at for at in finding.lines if f"{at}" not in quoted]


def count_shown(report: Report) -> int:
    """Return the number of findings of a part that may be shown.

    Found by words or called, one of which only one line is shown is named among the surroundings instead,
    and so is what uses a subject only through others.
    """
    folded = {id(one) for one in list_folded(report)}
    near = [one for one in report.findings if _is_near(report, one) and id(one) not in folded]
    return (sum(map(_shows_body, near)) if _needs_bodies(report) else 0) or len(near)


def list_folded(report: Report) -> list[Finding]:
    """Return the findings in tests that lead to a subject, if they would take the room of the code that does.

    Return none if the question asks for a number of findings.
    """
    from repo_mcp.research.findings.locating import is_test  # not when tools are listed

    if report.reading.form != CALLERS or report.request.findings:
        return []
    tests = [one for one in report.findings if one.hop and is_test(one.path, one.symbol)]
    return tests if len(tests) > FEW_TESTS else []


def _is_near(report: Report, finding: Finding) -> bool:
    """Return False for what is reached through others, unless the question asks for an amount of this.

    What reaches a method through one that it overrides is near.
    """
    from repo_mcp.research.findings.reasons import Role  # not when tools are listed

    asked, form = report.request, report.reading.form
    is_asked = bool(asked.depth or asked.findings or asked.focus)
    if is_asked or finding.hop <= MOST_HOPS.get(form, finding.hop):
        return True
    above = {one.symbol for one in report.findings if one.role is Role.OVERRIDDEN}
    return form in USERS and finding.hop == 2 and finding.reason.about in above


def _shows_body(finding: Finding) -> bool:
    """Return False for a finding of several lines that shows at most one: its place says as much."""
    return finding.end_line == finding.start_line or finding.excerpt.count("\n") > 1


def _share_rows(parts: Sequence[Report], rows: int) -> list[int]:
    """Return the rows of each part: as many for each, and what one cannot use for the others."""
    shown, whole = list(map(count_shown, parts)), [len(one.findings) for one in parts]
    most = shown if rows <= sum(shown) else whole
    shares = [0] * len(parts)
    for _ in range(min(rows, sum(whole))):
        free = [at for at, own in enumerate(most) if shares[at] < own]
        shares[min(free, key=lambda at: shares[at])] += 1
    return shares


def _choose_findings(report: Report, rows: int, room: int) -> Chosen:
    """Return the `rows` most valuable findings in the order in which they are shown, and the others.

    Of the next ones, the first that fits into `room` bytes is shown as well, with the lines that do.
    Findings for an open question or one about errors are in the order of execution. Tests that lead to a
    subject come after the code that does.
    """
    from repo_mcp.research.edges.execution import order_by_calls, order_findings  # not when tools are listed
    from repo_mcp.research.findings.locating import is_test
    from repo_mcp.research.findings.records import Form

    folded = {id(one) for one in list_folded(report)}
    ordered = [at for at in order_findings(report.findings) if id(report.findings[at]) not in folded]
    if report.reading.form is Form.CALLERS:  # stable
        ordered.sort(
            key=lambda at: (
                is_test(report.findings[at].path, report.findings[at].symbol),
                report.findings[at].hop,
            )
        )
    ordered.sort(key=lambda at: not _is_near(report, report.findings[at]))  # stable
    if _needs_bodies(report):
        ordered.sort(key=lambda at: not _shows_body(report.findings[at]))  # stable
    next_ones = ((at, shorten(report.findings[at], room)) for at in ordered[rows : rows + NEXT] if room)
    more = dict(islice((one for one in next_ones if one[1] is not None), 1))
    findings = [more.get(at) or report.findings[at] for at in sorted([*ordered[:rows], *more])]
    findings.sort(key=lambda one: one.hop > 0 and is_test(one.path, one.symbol))  # stable
    if report.reading.form in (Form.OPEN, Form.ERRORS):
        findings = order_by_calls(findings, report.map_edges)
    return findings, [report.findings[at] for at in ordered[rows:] if at not in more]


def is_of_words(report: Report) -> bool:
    """Return True for a report whose findings were found by words, those of all its parts."""
    return all(one.reading.form in BY_WORDS for one in report.parts or (report,))


def _needs_bodies(report: Report) -> bool:
    """Return True for a report that names the findings of which only one line is shown behind the others."""
    return all(one.reading.form in WITH_BODIES for one in report.parts or (report,))
