"""Put the function first that returns the decision for which a question asks.

    "How does the sink decide when to rotate a log?"  ->  bool MustRotateLog(Sink sink)

What uses a setting of it, or acts on it, has as many words of the question, but does not say when.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import is_test_node
from repo_mcp.research.findings.named_symbols import computes
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.seeds.seed import Seed, lead
from repo_mcp.text.question_words import list_words, shares_word

LEAST_SAID = 2  # words of what is decided, in the name of a function that decides it
AHEAD = 2.0  # times the worth of the best declaration, so that no other one fits as well
RETURNS_IT = Reason("returns what the question asks the decision of", Role.NAMED_SO)
_ASKS_DECISION = re.compile(
    r"\b(?:decid|determin|choos|check|judg)\w*\s+(?:if|when|whether|which|what|who|how)\b(.+)", re.IGNORECASE
)
_IS_PREDICATE = re.compile(
    r"_*(?:must|should|shall|can|could|may|will|would|is|are|was|has|have|had|needs?|allows?|wants?|do|does)"
    r"(?-i:(?<=[a-z])(?=[A-Z_])|(?<=[A-Z])(?=_))",  # not `ISODate`
    re.IGNORECASE,
)


def read_decision(query: str) -> list[str]:
    """Return the words of what a question asks the decision of; none for another question."""
    found = _ASKS_DECISION.search(query)
    return list_words(found[1]) if found is not None else []


def is_predicate(name: str) -> bool:
    """Return True for a name that begins like a question: `must_rotate_log`."""
    return _IS_PREDICATE.match(name) is not None


def put_predicate_first(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; the function named for the decision that a question asks for leads, if there is one.

    Its name begins like a question, `must_rotate_log`, and says LEAST_SAID words of what is decided.
    """
    words = read_decision(state.request.query)
    said = {at: _count_said(seed, words) for at, seed in enumerate(seeds)} if words else {}
    best = max(said, key=lambda at: (said[at], -at), default=0)
    if said.get(best, 0) < LEAST_SAID:
        return [*seeds]
    return lead(seeds, seeds[best], replace(seeds[best], worth=AHEAD * seeds[0].worth, reason=RETURNS_IT))


def _count_said(seed: Seed, words: Sequence[str]) -> int:
    """Return how many words of a decision the name of a function says that returns one; 0 for another."""
    if seed.node is None or not computes(seed.node) or is_test_node(seed.node):
        return 0
    return shares_word(seed.name, words) if is_predicate(seed.name) else 0
