"""Find a name that nothing declares where it is written: a variable of the environment, a key, an event."""

from __future__ import annotations

import re

from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding, Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState

MAX_READ, MAX_SHOWN = 20, 5  # lines with a name, those that are shown
_OF_SETTING = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")  # `NO_COLOR`
_KEY = re.compile(r"[a-z][\w-]*(?:\.[a-z][\w-]*)+")  # `search.lang`
_OPTION = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")  # `max_tries`


def names_setting(state: ResearchState, reading: Reading) -> bool:
    """Return True for an undeclared name that the program writes as it writes the name of a setting.

    Of a key such as `search.lang`, only the last part may be declared, and mean something else. `on_ready`
    may be an event, unless it is asked what reads or uses it.
    """
    subject = reading.subjects[0]
    is_undeclared = subject.taken_as is TakenAs.UNDECLARED
    may_be_key = is_undeclared or subject.taken_as is TakenAs.DECLARED_OTHERWISE
    is_key = may_be_key and _KEY.fullmatch(subject.asked)
    is_used = is_undeclared and reading.form in (Form.DEPENDENTS, Form.DEFINED)
    if is_key or (is_used and _OPTION.fullmatch(subject.asked)):
        return any(
            re.search(rf"[\"'`]{re.escape(subject.asked)}[\"'`]", one.line)
            for one in _list_written(state, subject)
        )
    is_setting = is_undeclared and _OF_SETTING.fullmatch(subject.asked) is not None
    return is_setting and bool(_list_written(state, subject))


def note_written_name(state: ResearchState, subject: Subject) -> None:
    """Note the first lines of the program that have a name which nothing declares."""
    for one in _list_written(state, subject)[:MAX_SHOWN]:
        around = state.source.find_around(one.path, one.start_line)
        state.add_place(
            Finding(
                one.path,
                one.start_line,
                one.start_line,
                one.path if around is None else around.qualified_name,
                "text",
                None,
                Reason(f"has the name {subject.asked}", Role.HAS_NAME, subject.asked),
                0,
                "text",
            )
        )


def describe_written_name(state: ResearchState, subject: Subject) -> str:
    """Return the beginning of a sentence: a name is not declared, but written at some places, if it is."""
    found = [one for one in state.findings if one.role is Role.HAS_NAME and one.reason.about == subject.asked]
    places = [one.citation for one in found]
    written = f"written at {join_names(places)}" if places else ""
    if state.source.is_partial and not state.source.is_absent(subject.asked):
        return f"No file parsed so far declares {subject.asked}{written and ', but it is '}{written}."
    return f"{subject.asked} is not declared in this repository{written and ', but '}{written}."


def _list_written(state: ResearchState, subject: Subject) -> list[ExactMatch]:
    request = ExactRequest(subject.asked, whole_word=True, limit=MAX_READ, include_tests=False)
    found = state.source.search_exact(request).matches
    return [one for one in found if is_program(one.path) and state.admits(one.path)]
