"""Find the key of a configuration file that a question names: "the feature full", "where is log-level set".

Only the lines of files that configure something are read. A plain word is a key only if the question calls it
one, or a feature.
"""

from __future__ import annotations

import re

from repo_mcp.model import ExactRequest
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.roles import FileRole, find_role

MOST_MATCHES = 60  # lines with the name that are looked at
_NAME = r"[A-Za-z][A-Za-z0-9_]*(?:[-.][A-Za-z0-9_]+)*"
_KINDS = r"(?:cargo )?(?:feature(?: flag)?|extra|config(?:uration)? key|manifest key|key)"
_ASKS = re.compile(
    r"\b(?:where|what|which|declar\w+|defin\w+|configur\w+|set|turns?(?: on)?|enables?|pulls?|brings?)\b",
    re.IGNORECASE,
)
# "the feature full", "the full feature"; `log-level`, which no word has to call a key.
_SAID = re.compile(rf"\b{_KINDS}(?: called| named)? [`'\"]?({_NAME})", re.IGNORECASE)
_SAID_BEFORE = re.compile(rf"(?<![\w/.-])({_NAME})[`'\"]? {_KINDS}\b", re.IGNORECASE)
_HYPHENATED = re.compile(r"(?<![\w/.`-])`?([a-z][a-z0-9]*(?:-[a-z0-9]+)+)`?(?![\w/.-])")


def find_asked_key(state: ResearchState, *, is_place: bool) -> str:
    """Return the key that a question asks for, or "" if no configuration file has one that it may mean.

    If the question asks for a place, words with a hyphen may be one without being called so.
    """
    question = state.request.query
    if _ASKS.search(question) is None:
        return ""
    forms = (_SAID, _SAID_BEFORE, *((_HYPHENATED,) if is_place else ()))
    named = [name for form in forms for name in form.findall(question)]
    return next((name for name in dict.fromkeys(named) if _is_key(state, name)), "")


def _is_key(state: ResearchState, name: str) -> bool:
    """Return True if a configuration file gives the name a value at the beginning of a line."""
    request = ExactRequest(
        rf"^\s*[\"']?{re.escape(name)}[\"']?\s*[=:]", regex=True, case_sensitive=True, limit=MOST_MATCHES
    )
    return any(find_role(one.path) is FileRole.CONFIG for one in state.source.search_exact(request).matches)
