"""Put findings in the order of execution: the best first, then its callees in the order of the calls. Pure.

The findings that fit into an answer are chosen by worth, but a reader wants them in the order in which they
run. The walk begins with the best finding, which the answer names first, and descends from there, call by
call. Then it continues with the best finding that is left.

Findings of hop 0, which the question names or its words match, come first. A later one is worth less the
further away and the less sure it is, and the more findings of its hop come before it. So each hop gets a
share of the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from repo_mcp.research.findings.locating import is_document_line, is_test
from repo_mcp.research.findings.records import Finding, MapEdge

CALLS = "calls"
DISTANCE = 0.85  # factor of worth for each further hop
CROWD = 6  # after so many findings of one hop, the next is worth half
ASIDE = 0.4  # factor of worth for tests, and for lines of documents that only repeat a name
_SURE = {"exact": 1.0, "probable": 0.8, "text": 0.8, "possible": 0.4}


def order_by_calls(findings: Sequence[Finding], edges: Sequence[MapEdge]) -> list[Finding]:
    """Return the findings of hop 0 in the order of execution, then the others as they are."""
    near = [one for one in findings if not one.hop]
    at = {one.node.node_id: position for position, one in enumerate(near) if one.node is not None}
    called: dict[int, dict[int, int]] = {position: {} for position in range(len(near))}
    for edge in edges:
        source, target = at.get(edge.source), at.get(edge.target)
        if edge.kind == CALLS and source is not None and target is not None and source != target:
            called[source][target] = int(edge.citation.rpartition(":")[2].partition("-")[0] or 0)
    ordered = _walk(len(near), called)
    return [*(near[position] for position in ordered), *(one for one in findings if one.hop)]


def _walk(count: int, called: Mapping[int, Mapping[int, int]]) -> list[int]:
    """Return the positions below `count`, each with its callees behind it; `called` has the line of each."""
    ordered: dict[int, None] = {}

    def descend(position: int) -> None:
        ordered[position] = None
        for other in sorted(called[position], key=lambda one: (called[position][one], one)):
            if other not in ordered:
                descend(other)

    for start in range(count):
        if start not in ordered:
            descend(start)
    return list(ordered)


def order_findings(findings: Sequence[Finding]) -> list[int]:
    """Return the positions of findings: hop 0 first, then by worth, highest first; ties by position."""
    met: Counter[int] = Counter()
    worth: list[float] = []
    for one in findings:
        share = _SURE[one.confidence] * (
            ASIDE if is_test(one.path, one.symbol) or is_document_line(one) else 1.0
        )
        crowd = 1.0 + met[one.hop] / CROWD
        worth.append(share * DISTANCE ** (one.hop - 1) / crowd)
        met[one.hop] += 1
    return sorted(range(len(findings)), key=lambda at: (findings[at].hop > 0, -worth[at], at))
