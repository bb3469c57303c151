"""Find what nothing declares where it is written: a variable of the environment, a key, an event, a text.

It is also told which of these names a setting, and which constant holds a text.
"""

from __future__ import annotations

import re

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.research.findings.citing import join_names, shorten
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.named_symbols import count_lines
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding, Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState

MAX_READ, MAX_SHOWN = 20, 5  # lines with a name, those that are shown
MOST_LINES = 40  # of a symbol that is shown as a whole for several of these
_OF_SETTING = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")  # `NO_COLOR`
_KEY = re.compile(r"[a-z][\w-]*(?:\.[a-z][\w-]*)+")  # `search.lang`
OF_CONFIGURATION = re.compile(r"(?:\w+\.)*config(?:uration)?(?:\.\w+)*\.([a-z][a-z0-9]*(?:_[a-z0-9]+)+)")
_ASKS_DECLARATION = re.compile(r"\b(?:defined|declared|implemented|definition|declaration)\b", re.IGNORECASE)
_OPTION = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")  # `max_tries`
_TEXT = re.compile(r"[\w.:-]{3,80}")  # in quotes
_ASKS_USES = re.compile(r"\b(?:used|uses?|defined|declared)\b", re.IGNORECASE)


def names_setting(state: ResearchState, reading: Reading) -> bool:
    """Return True for an undeclared name that the program writes as it writes the name of a setting.

    Of a key such as `search.lang`, only the last part may be declared, and mean something else. `on_ready`
    may be an event, unless it is asked what reads or uses it. A constant is one whose name the program gives
    as a text to what looks settings up: `settings.get("MAX_JOBS")`.
    """
    subject = reading.subjects[0]
    is_undeclared = subject.taken_as is TakenAs.UNDECLARED
    may_be_key = is_undeclared or subject.taken_as is TakenAs.DECLARED_OTHERWISE
    is_key = may_be_key and _KEY.fullmatch(subject.asked)
    asks_use = reading.form is Form.DEPENDENTS or not _ASKS_DECLARATION.search(state.request.query)
    is_used = is_undeclared and reading.form in (Form.DEPENDENTS, Form.DEFINED) and asks_use
    if is_key or (is_used and _OPTION.fullmatch(subject.asked)):
        return any(
            re.search(rf"[\"'`]{re.escape(subject.asked)}[\"'`]", one.line)
            for one in list_written(state, subject.asked)
        )
    if _OF_SETTING.fullmatch(subject.asked) is None:
        return False
    if subject.taken_as is TakenAs.DECLARED and reading.form is Form.DEPENDENTS:
        # In brackets behind a name, or alone on its line: in a list of exports, a comma follows.
        quoted = rf"[\"'`]{re.escape(subject.asked)}[\"'`]"
        looks_up = re.compile(rf"[\w)\]][\[(]\s*{quoted}|^\s*{quoted}\s*$")
        return any(looks_up.search(one.line) for one in list_written(state, subject.asked))
    return is_undeclared and bool(list_written(state, subject.asked))


def find_option(state: ResearchState, reading: Reading) -> str:
    """Return the last part of an undeclared key of a configuration, such as `config.depot.max_size`; or "".

    The program declares, sets and reads it under that name alone, on objects that are called otherwise.
    """
    subject = reading.subjects[0]
    found = OF_CONFIGURATION.fullmatch(subject.asked) if subject.taken_as is TakenAs.UNDECLARED else None
    return found[1] if found is not None and list_written(state, found[1]) else ""


def find_holding(state: ResearchState, reading: Reading) -> Subject | None:
    """Return the constants whose value is a text that a question asks the uses of: code uses it by these."""
    text = reading.subjects[0].asked
    if reading.subjects[0].nodes or not _ASKS_USES.search(state.request.query) or not _TEXT.fullmatch(text):
        return None
    holds = re.compile(rf"=\s*[\"']{re.escape(text)}[\"']\s*[;,]?\s*$")
    lines = [one for one in list_written(state, text) if holds.search(one.line)]
    around = (state.source.find_around(one.path, one.start_line) for one in lines)
    nodes = dict.fromkeys(node for node in around if node is not None and node.symbol.kind in VALUE_KINDS)
    return Subject(text, TakenAs.DECLARED_OTHERWISE, tuple(nodes)[:MAX_SHOWN]) if nodes else None


def note_written_name(state: ResearchState, subject: Subject) -> None:
    """Note the first lines of the program that have a name which nothing declares.

    A short symbol with several of them, such as the function whose parameter it is, is shown as a whole.
    """
    holders: dict[tuple[str, Node | None], list[int]] = {}
    for one in list_written(state, subject.asked)[:MAX_SHOWN]:
        around = state.source.find_around(one.path, one.start_line)
        holders.setdefault((one.path, around), []).append(one.start_line)
    reason = Reason(f"has the name {subject.asked}", Role.HAS_NAME, subject.asked)
    for (path, around), lines in holders.items():
        if around is not None and len(lines) > 1 and count_lines(around) <= MOST_LINES:
            shown = range(around.symbol.start_line, around.symbol.end_line + 1)
            state.add(around, reason, 0, shown=tuple(shown))
            continue
        symbol = path if around is None else around.qualified_name
        for line in lines:
            state.add_place(Finding(path, line, line, symbol, "text", None, reason, 0, "text"))


def describe_written_name(state: ResearchState, subject: Subject) -> str:
    """Return the beginning of a sentence: a name is not declared, but written at some places, if it is."""
    found = [one for one in state.findings if one.role is Role.HAS_NAME and one.reason.about == subject.asked]
    inside = join_names(f"{shorten(one.symbol)} ({one.citation})" for one in found if one.node_id)
    lines = join_names(one.citation for one in found if not one.node_id)
    places = " and ".join(filter(None, (inside and f"in {inside}", lines and f"at {lines}")))
    written = f"written {places}" if places else ""
    if state.source.is_partial and not state.source.is_absent(subject.asked):
        return f"No file parsed so far declares {subject.asked}{written and ', but it is '}{written}."
    made = [one for one in state.findings if one.role is Role.DEFINES_BY_PATTERN]
    if made:
        places = join_names(f"{shorten(one.symbol)} ({one.citation})" for one in made)
        define = "defines" if len(made) == 1 else "define"
        return f"No line declares {subject.asked} as a whole, but {places} {define} such names."
    return f"{subject.asked} is not declared in this repository{written and ', but '}{written}."


def list_written(state: ResearchState, name: str) -> list[ExactMatch]:
    """Return the first lines of the program that have a name as a whole word."""
    request = ExactRequest(name, whole_word=True, limit=MAX_READ, include_tests=False, by_role=True)
    found = state.source.search_exact(request).matches
    return [one for one in found if is_program(one.path) and state.admits(one.path)]
