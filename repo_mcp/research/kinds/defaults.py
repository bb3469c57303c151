"""Find the setting that says which of a kind are used by default, by its name: `DEFAULT_THROTTLE_CLASSES`."""

from __future__ import annotations

import re

from repo_mcp.graph.nodes import Node
from repo_mcp.model import ExactRequest
from repo_mcp.research.findings.locating import may_answer
from repo_mcp.research.findings.named_symbols import VALUES
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.question_words import spell_plural

MOST_MATCHES, MOST_PLACES = 20, 2  # lines with such a name, and declarations that are shown


def list_defaults(state: ResearchState, noun: str) -> list[tuple[Node, int]]:
    """Return the values that give or read such a setting, each with its line, what gives it first."""
    words = noun.split()
    plural = [*words[:-1], spell_plural(words[-1])]
    joined, whole = "_".join(words), "_".join(plural)
    names = (
        rf"DEFAULT_(?:{joined.upper()}_CLASS(?:ES)?|{whole.upper()})"
        rf"|default_(?:{joined}_class(?:es)?|{whole})|default{''.join(map(str.capitalize, plural))}"
    )
    request = ExactRequest(
        rf"\b(?:{names})\b", regex=True, case_sensitive=True, limit=MOST_MATCHES, include_tests=False
    )
    given = re.compile(rf"\b(?:{names})\b[\"']?\s*[:=]")
    read = re.compile(rf"=\s*[\w.]*\b(?:{names})\b")
    found: dict[Node, int] = {}
    matches = [one for one in state.source.search_exact(request).matches if may_answer(one.path)]
    for sign in (given, read):
        for one in matches:
            around = state.source.find_around(one.path, one.start_line) if sign.search(one.line) else None
            if around is not None and around.symbol.kind in VALUES and state.admits(one.path):
                found.setdefault(around, one.start_line)
    return [*found.items()][:MOST_PLACES]
