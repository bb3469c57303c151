"""Name the sections of documents that a claim ends with: the closest one, or where else to look.

Where the best declaration may be about something else, documents may say in a reader's words what the code
calls otherwise. Then all sections that were found are named.
"""

from __future__ import annotations

from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.question_words import list_words, shares_word


def describe_sections(state: ResearchState) -> list[str]:
    """Return a sentence on the sections of documents among the findings, if there is one to name."""
    named = [_name_section(one) for one in _list_sections(state)]
    if state.is_doubtful and named:
        return [f"The documentation has some of its words in {join_names(named)}."]
    return describe_closest(state)


def describe_closest(state: ResearchState) -> list[str]:
    """Return a sentence on the first section of a document among the findings, if there is one.

    Its heading, or the one above, must have a word of the question.
    """
    words = list_words(state.request.query)
    headed = (one for one in _list_sections(state) if shares_word(_read_headings(one), words))
    best = [f"{one.symbol} ({one.citation})" for one in headed][:1]
    return [f"The closest section of the documentation is {one}." for one in best]


def _list_sections(state: ResearchState) -> list[Finding]:
    return [one for one in state.findings if one.kind == "section"]


def _read_headings(one: Finding) -> str:
    """Return the heading of a section, and the one above it."""
    return " > ".join(one.symbol.split(" > ")[-2:])


def _name_section(one: Finding) -> str:
    return f"{_read_headings(one)} ({one.citation})"
