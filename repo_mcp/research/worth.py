"""Order findings by what they are worth to a reader, for an answer that has no room for all.

What a question names, and what fits its words, comes first. Of what is reached from there, each hop gets its
share: a finding is worth less the further away and the less sure it is, and the more of its hop come before
it. So a deep question is answered from its depth too. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from repo_mcp.research.locating import is_test_place
from repo_mcp.research.records import Finding

DISTANCE = 0.85  # of the worth of the hop before
CROWD = 6  # findings of one hop, after which the next is worth half
TEST = 0.4
_SURE = {"exact": 1.0, "probable": 0.8, "text": 0.8, "possible": 0.4}


def order_findings(findings: Sequence[Finding]) -> list[int]:
    """Return the positions of findings, those worth most first; ties by position."""
    met: Counter[int] = Counter()
    worth: list[float] = []
    for one in findings:
        share = _SURE[one.confidence] * (TEST if is_test_place(one.path) else 1.0)
        crowd = 1.0 + met[one.hop] / CROWD
        worth.append(share * DISTANCE ** (one.hop - 1) / crowd)
        met[one.hop] += 1
    return sorted(range(len(findings)), key=lambda at: (findings[at].hop > 0, -worth[at], at))
