"""Find the setting that a question asks for, although no symbol has its name, and the names to search for.

A call declares it as an option of the command line, a configuration file gives it a value, or the program
writes it as it writes the names of settings.
"""

from __future__ import annotations

import re

from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import replace
from repo_mcp.research.edges.written_names import list_written
from repo_mcp.research.findings.records import Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.named_settings import list_keys, list_options, read_configuration_key
from repo_mcp.research.settings.option_calls import list_declaring
from repo_mcp.research.settings.setting_lines import search_mentions, search_setting
from repo_mcp.text.question_words import count_words
from repo_mcp.text.roles import FileRole, find_role
from repo_mcp.text.stop_words import STOP_WORDS

MOST_MATCHES = 60  # lines with a key that are looked at
_IN_CAPITALS = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")  # `NO_COLOR`
_DOTTED = re.compile(r"[a-z][\w-]*(?:\.[a-z][\w-]*)+")  # `search.lang`
_JOINED = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")  # `max_tries`
_ASKS_DECLARATION = re.compile(r"\b(?:defined|declared|implemented|definition|declaration)\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_HYPHENATED = re.compile(r"\w+(?:-\w+)+")


def find_option(state: ResearchState) -> Subject | None:
    """Return the option whose declaration or default a question asks for, with the calls that declare it."""
    for name in list_options(state.request.query):
        if declaring := list_declaring(state, name):
            return Subject(name, TakenAs.WORDS, declaring=tuple(declaring))
    return None


def find_key(state: ResearchState, *, is_place: bool) -> Subject | None:
    """Return the key of a configuration file that a question asks for; None if no file has one it may mean.

    If the question asks for a place, words with a hyphen may be one without being called so.
    """
    names = list_keys(state.request.query, is_place=is_place)
    return next((Subject(name, TakenAs.WORDS) for name in names if _is_key(state, name)), None)


def _is_key(state: ResearchState, name: str) -> bool:
    """Return True if a configuration file gives the name a value at the beginning of a line."""
    request = ExactRequest(
        rf"^\s*[\"']?{re.escape(name)}[\"']?\s*[=:]", regex=True, case_sensitive=True, limit=MOST_MATCHES
    )
    return any(find_role(one.path) is FileRole.CONFIG for one in state.source.search_exact(request).matches)


def find_written_setting(state: ResearchState, reading: Reading) -> Subject | None:
    """Return the subject of a question as a setting, if the program writes it as one; else None."""
    subject = reading.subjects[0]
    key = read_configuration_key(subject.asked) if subject.taken_as is TakenAs.UNDECLARED else ""
    if key and list_written(state, key):
        return Subject(key, TakenAs.WORDS)
    return Subject(subject.asked, TakenAs.WORDS) if _is_written_as_setting(state, reading) else None


def _is_written_as_setting(state: ResearchState, reading: Reading) -> bool:
    """Return True for a name that the program writes as it writes the name of a setting.

    Of a key such as `search.lang`, only the last part may be declared, and mean something else. `on_ready`
    may be an event, unless it is asked what reads or uses it. A constant is one whose name the program gives
    as a text to what looks settings up: `settings.get("MAX_JOBS")`.
    """
    subject = reading.subjects[0]
    is_undeclared = subject.taken_as is TakenAs.UNDECLARED
    may_be_key = is_undeclared or subject.taken_as is TakenAs.DECLARED_OTHERWISE
    asks_use = reading.form is Form.DEPENDENTS or not _ASKS_DECLARATION.search(state.request.query)
    is_used = is_undeclared and reading.form in (Form.DEPENDENTS, Form.DEFINED) and asks_use
    quoted = rf"[\"'`]{re.escape(subject.asked)}[\"'`]"
    if (may_be_key and _DOTTED.fullmatch(subject.asked)) or (is_used and _JOINED.fullmatch(subject.asked)):
        return any(re.search(quoted, one.line) for one in list_written(state, subject.asked))
    if _IN_CAPITALS.fullmatch(subject.asked) is None:
        return False
    if subject.taken_as is TakenAs.DECLARED and reading.form is Form.DEPENDENTS:
        # In brackets behind a name, or alone on its line: in a list of exports, a comma follows.
        looks_up = re.compile(rf"[\w)\]][\[(]\s*{quoted}|^\s*{quoted}\s*$")
        return any(looks_up.search(one.line) for one in list_written(state, subject.asked))
    return is_undeclared and bool(list_written(state, subject.asked))


def add_keeping(state: ResearchState, subject: Subject) -> Subject:
    """Return a setting with the private fields that keep it: `self._limit = limit` for `limit`."""
    names = {node.symbol.name for node in subject.nodes}
    kept = []
    for name in names:
        keeps = re.compile(rf"=\s*{re.escape(name)}\s*;?\s*$")
        for node in map(state.get_node, state.graph.scan.find_declared(f"_{name}", MOST_MATCHES)):
            lines = state.source.read_lines(node.path)[node.symbol.start_line - 1 : node.symbol.start_line]
            kept += [node] if any(map(keeps.search, lines)) and state.admits(node.path) else []
    return replace(subject, nodes=tuple(dict.fromkeys((*subject.nodes, *kept)))) if kept else subject


def list_setting_names(subject: Subject) -> list[str]:
    """Return at most two names to search for: those of the declarations found, else the text itself.

    A private field of several words may keep a parameter, whose name comes first then.
    """
    names = dict.fromkeys(node.symbol.name for node in subject.nodes if subject.is_declared)
    public = [name.lstrip("_") for name in names if name.startswith("_") and count_words(name) > 1]
    names = dict.fromkeys((*public, *names)) if public else names
    if not names:
        last = subject.asked.rpartition(".")[2]
        named = (
            [last]
            if _NAME.fullmatch(last)
            else [*filter(_HYPHENATED.fullmatch, [subject.asked]), *_join_words(subject.asked)]
        )
        names = dict.fromkeys(named)
    return list(names)[:2]


def _join_words(text: str) -> list[str]:
    words = [word for word in re.findall(r"\w+", text) if word.lower() not in STOP_WORDS]
    return ["_".join(words)] if words else []


def is_written(state: ResearchState, subject: Subject) -> bool:
    """Return True for a setting that is declared, or whose name, perhaps of several words, some line has."""
    return bool(subject.nodes) or any(
        search_setting(state, name) or search_mentions(state, name) for name in list_setting_names(subject)
    )
