"""Say where a setting is declared, set and read, from what an investigation has noted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from repo_mcp.bodies.statements import is_branch
from repo_mcp.research.claims.option_sentence import describe_option
from repo_mcp.research.edges.written_names import is_nowhere
from repo_mcp.research.findings.citing import cite_line, join_clauses, join_names
from repo_mcp.research.findings.locating import is_test_place
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding, Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrase_names import fold_name
from repo_mcp.research.settings.given_values import find_value, tells_value
from repo_mcp.research.settings.kept_values import describe_kept
from repo_mcp.research.settings.line_use import LineUse, read_parameter_default
from repo_mcp.research.settings.named_defaults import describe_named_defaults
from repo_mcp.research.settings.nested_keys import describe_nested_keys
from repo_mcp.research.settings.noted_deciding import describe_deciding_setting
from repo_mcp.research.settings.option_calls import find_default
from repo_mcp.research.settings.reading_lines import asks_for_readers
from repo_mcp.research.settings.settings_types import describe_settings_type
from repo_mcp.research.settings.traced_values import trace_value
from repo_mcp.symbol_index.unread_declarations import has_parser
from repo_mcp.text.citations import write_citation
from repo_mcp.text.roles import FileRole, find_role

_ASKS_DEFAULT = re.compile(
    r"\b(?:what|which|its|their)\b.*\bdefaults?\b|\bdefault value|\bdefaults? to\b", re.IGNORECASE
)
_ASKS_VALUE = re.compile(r"\bdefaults?\b", re.IGNORECASE)
_SAYS_DEFAULT = re.compile(r"default", re.IGNORECASE)
# Roles of lines that may give a default with the name of a setting, the surest first.
_GIVING = (Role.OPTION, Role.PASSES, Role.SETS, Role.FROM_ENVIRONMENT, Role.READS)
_VALUES = frozenset({"constant", "property", "variable"})
_BY_OPTION = LineUse.FILLS.value.removeprefix("sets {}")
MAX_DEFAULT_CHARS = 80  # of a default that is quoted


def describe_settings(state: ResearchState, subject: Subject) -> str:
    """Return where a setting is declared, read and set.

    Documents, examples and tests count only if the program neither declares nor sets nor reads it.
    """
    if not subject.declaring:
        return _describe_values(state, subject, state.findings)
    option = describe_option(state, subject)
    if not subject.nodes:
        return option
    calls = {(one.path, one.first) for one in subject.declaring}
    others = [one for one in state.findings if (one.path, one.start_line) not in calls]
    values = _describe_values(state, subject, others)
    is_first = bool(state.findings) and state.findings[0] not in others
    return f"{option} {values}" if is_first else f"{values} {option}"


def _describe_values(state: ResearchState, subject: Subject, findings: Sequence[Finding]) -> str:
    """Return where a setting is declared, read and set, as far as some findings tell."""
    of_type = describe_settings_type(state, subject)
    if of_type:
        return of_type
    others_named = {one.reason.about for one in state.findings if one.role is Role.NAMED_DEFAULT}
    whole = [
        one for one in findings if _has_its_spelling(subject, one) and one.reason.about not in others_named
    ]
    own = [one for one in whole if not is_test_place(one.path)]
    program = [one for one in own if find_role(one.path) is not FileRole.DOCS]
    passing = _cite_role(program, Role.PASSES)
    places = _cite_places(program, () if subject.nodes or passing else (own, whole))
    name = _choose_name(subject, program)
    reading = sorted(program, key=lambda one: not _decides(state, one))  # stable
    read = _join_with_others(_cite_role(reading, Role.READS), state.unnoted[Role.READS])
    is_first = bool(read) and asks_for_readers(state.request.query)
    reads = f" It is read at {read}." if read and not is_first else ""
    deciding = describe_deciding_setting(state)
    named = describe_named_defaults(state, deciding)
    otherwise = f"{reads}{describe_kept(state)}{named}"
    if is_first:
        so = _state_places(subject, places, state.unnoted[Role.SETS])
        return f"{name} is read at {read}.{otherwise}{f' It is {so}.' if so else ''}"
    nested = describe_nested_keys(state, subject.asked if subject.nodes else "")
    if not (subject.nodes or any(places.values())):
        handed = f"The name {subject.asked} is passed at {join_names(passing)}." if passing else ""
        told = nested or handed
        return f"{told}{otherwise}" if told else _describe_unset(state, subject, whole, otherwise)
    declared = "computed" if nested and subject.nodes else "declared"  # what is stored is the key of a table
    if deciding:
        sentence = _state_places(subject, places, state.unnoted[Role.SETS], declared)
        parameters = "" if " default of " in deciding else _describe_parameters(state, program)
        return f"{deciding} {name} is {sentence}.{parameters}{otherwise}"
    default = (
        _describe_given(state, program)
        or _describe_parameters(state, program)
        or _describe_default(state, subject, program)
    )
    value = "" if default or nested else _read_declared(state, subject)
    so_declared = f"{declared} as {value}" if value else declared
    only = "" if default or value else _read_only_value(state, program)
    sentence = _state_places(subject, places, state.unnoted[Role.SETS], so_declared, only)
    lead = f"{nested} It" if nested else name
    return f"{lead} is {sentence or 'not declared here'}.{default}{otherwise}"


def _cite_places(program: Sequence[Finding], others: Sequence[Sequence[Finding]]) -> dict[Role, list[str]]:
    """Return the places that state a setting by their roles: of the program, or of the first others with any.

    If the program has a place for any role, the others do not count.
    """
    is_attribute = any(one.role is Role.DECLARES and not has_parser(one.path) for one in program)
    roles = (Role.OPTION, Role.FROM_ENVIRONMENT, Role.SETS, *[Role.DECLARES] * is_attribute)
    is_stated = any(_cite_role(program, role) for role in roles)
    groups = (program,) if is_stated else (program, *others)
    return {role: next(filter(None, (_cite_role(own, role) for own in groups)), []) for role in roles}


def _describe_given(state: ResearchState, program: Sequence[Finding]) -> str:
    """Return a sentence on the default that a call gives with the name of a setting, if it is asked for."""
    if not _ASKS_VALUE.search(state.request.query):
        return ""
    for role in _GIVING:
        for one in program:
            for at in one.lines if one.role is role else ():
                given = find_default(state, one.path, at, one.reason.about, reads=True)
                if given:
                    return f" Its default is {given} ({write_citation(one.path, at, at)})."
    return ""


def _describe_parameters(state: ResearchState, program: Sequence[Finding]) -> str:
    """Return a sentence on what parameters of the name have if nothing is given for them."""
    given: dict[str, list[str]] = {}
    for one in program:
        for at in one.lines if one.role is Role.PARAMETER else ():
            line = "".join(state.source.read_lines(one.path)[at - 1 : at])
            value = read_parameter_default(one.reason.about, line)
            if value and len(value) <= MAX_DEFAULT_CHARS:
                given.setdefault(value, []).append(write_citation(one.path, at, at))
    telling = [value for value in given if tells_value(value)] or [*given]
    told = join_clauses([f"{value} ({join_names(given[value])})" for value in telling])
    return f" As a parameter it is by default {told}." if told else ""


def _describe_default(state: ResearchState, subject: Subject, program: Sequence[Finding]) -> str:
    """Return sentences on the default of a setting, if it is asked for and some line tells it.

    That is a line which says that it sets a default, the end of what its values lead to, or the declaration.
    """
    if not _ASKS_DEFAULT.search(state.request.query):
        return ""
    name = subject.nodes[0].symbol.name if subject.nodes else subject.asked
    setting = [one for one in program if one.role is Role.SETS and one.reason.about == name]
    said = [one for one in setting if _SAYS_DEFAULT.search(f"{one.symbol} {one.excerpt}")]
    places = [(one.path, at) for one in said if one.kind in _VALUES for at in one.lines]
    for node in subject.nodes:
        places += [(place.path, place.first) for place in reversed(trace_value(state, node))]
    places += [(node.path, node.symbol.start_line) for node in subject.nodes]
    for path, at in places:
        line = "".join(state.source.read_lines(path)[at - 1 : at])  # none of a file that became shorter
        given = find_value(name, line).rstrip(" ,;")
        is_name = fold_name(given.strip("\"'`").rpartition(".")[2]) == fold_name(name)  # a mere key
        if given and not is_name and len(given) <= MAX_DEFAULT_CHARS:
            return f" Its default is {given} ({write_citation(path, at, at)})."
    return ""


def _read_only_value(state: ResearchState, program: Sequence[Finding]) -> str:
    """Return the value that all lines of the program give to a setting; "" for several, or for none."""
    if not _ASKS_DEFAULT.search(state.request.query):
        return ""
    given = [
        find_value(one.reason.about, "".join(state.source.read_lines(one.path)[at - 1 : at])).rstrip(" ,;")
        for one in program
        for at in one.lines
        if one.role is Role.SETS
    ]
    is_one = len({*given}) == 1 and tells_value(given[0]) and len(given[0]) <= MAX_DEFAULT_CHARS
    return given[0] if is_one else ""


def _read_declared(state: ResearchState, subject: Subject) -> str:
    """Return the value that the only declaration of a setting gives it; "" for none."""
    if len(subject.nodes) != 1 or subject.left_out:
        return ""
    node = subject.nodes[0]
    at = node.symbol.start_line
    line = "".join(state.source.read_lines(node.path)[at - 1 : at])
    comment = r"\s#\s" if node.language == "python" else r"\s(?:#|//)\s"  # two slashes divide in Python
    given = re.split(comment, find_value(node.symbol.name, line))[0].rstrip(" ,;")
    return given if tells_value(given) and len(given) <= MAX_DEFAULT_CHARS else ""


def _choose_name(subject: Subject, program: Sequence[Finding]) -> str:
    """Return the name of a setting as it is declared, else as it is set, else as it was asked for."""
    asked = fold_name(subject.asked).replace(" ", "")
    own = (one for one in program if one.role in (Role.SETS, Role.DECLARES))
    declared = [node.symbol.name for node in subject.nodes]
    declared = declared or [one.reason.about for one in own if fold_name(one.reason.about) == asked]
    is_so = not declared or subject.asked.rpartition(".")[2] in declared
    return subject.asked if is_so else declared[0]


def _describe_unset(state: ResearchState, subject: Subject, whole: Sequence[Finding], otherwise: str) -> str:
    """Return sentences on a setting that nothing sets, with what `otherwise` says."""
    is_mentioned = any(one.role in (Role.MENTIONS, Role.PASSES) for one in whole)
    is_explained = is_mentioned or otherwise or not state.findings
    by_words = "" if is_explained else " What is shown only has words of the question."
    if subject.asked.isupper() and not whole and is_nowhere(state, subject.asked):
        return f"{subject.asked} does not occur in this repository.{otherwise}"
    if otherwise and subject.asked not in state.request.query:  # only guessed, perhaps a type
        return otherwise.lstrip()
    verb = "read" if asks_for_readers(state.request.query) else "set"
    return f"Nothing is known to {verb} {subject.asked}.{otherwise}{by_words}"


def _join_with_others(found: Sequence[str], unnoted: int, *, is_least: bool = True) -> str:
    """Return the first places, and the number of all others, also of those that are not noted."""
    return join_names(found, beyond=unnoted, at_least=bool(unnoted) and is_least)


def _state_places(
    subject: Subject,
    places: Mapping[Role, list[str]],
    unnoted: int,
    declared: str = "declared",
    value: str = "",
) -> str:
    """Return where a setting is declared, taken and set: "declared at a, and set at b"; "" if nowhere.

    If the lines that set it give it only one `value`, this is told.
    """
    set_so = f"set to {value}" if value else "set"
    groups = (
        ("declared as an option", places[Role.OPTION]),
        (
            declared,
            [
                write_citation(node.path, node.symbol.start_line, node.symbol.end_line)
                for node in subject.nodes
            ]
            or places.get(Role.DECLARES, []),
        ),
        ("taken from the environment", places[Role.FROM_ENVIRONMENT]),
        (set_so, places[Role.SETS]),
    )
    others = {set_so: unnoted, declared: subject.left_out}
    told = [
        f"{what} at "
        + _join_with_others(found, others.get(what, 0), is_least=what == set_so or subject.left_out_is_least)
        for what, found in groups
        if found
    ]
    return join_clauses(told)


def _decides(state: ResearchState, one: Finding) -> bool:
    """Return True for a finding with a line that branches on what it is about."""
    lines = state.source.read_lines(one.path)
    return any(is_branch(lines[at - 1]) for at in one.lines if at <= len(lines))


def _has_its_spelling(subject: Subject, one: Finding) -> bool:
    """Return False for a finding that spells a name in capitals otherwise: it may be another setting."""
    return not subject.asked.isupper() or subject.asked in one.reason.about


def _cite_role(found: Sequence[Finding], role: Role) -> list[str]:
    own = [one for one in found if one.role is role]
    return [f"{cite_line(one)}{' (an option)' if _BY_OPTION in one.reason.text else ''}" for one in own]
