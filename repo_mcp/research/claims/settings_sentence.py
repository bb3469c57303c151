"""Say where a setting is declared, set and read, from what an investigation has noted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_mcp.record_classes import replace
from repo_mcp.research.findings.citing import cite_line, join_names, name_findings
from repo_mcp.research.findings.locating import is_test_place
from repo_mcp.research.findings.reasons import (
    DECLARES,
    DEFAULTS,
    GIVEN,
    IN_DOCUMENTS,
    LAST_PART,
    OPTION,
    PASSES,
    READS_BY,
    SETS_BY,
)
from repo_mcp.research.findings.records import Finding, Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.subjects import BY_WORDS
from repo_mcp.research.settings.configured import KCONFIG
from repo_mcp.text.citations import write_citation


def describe_settings(state: ResearchState, subject: Subject) -> str:
    """Return where a setting is declared, read and set.

    Documents, examples and tests count only if the program neither declares nor sets nor reads it.
    """
    if subject.how == BY_WORDS:
        named = describe_settings(state, replace(subject, asked=subject.name, how="declared"))
        return f"By its name, this is {subject.name}. {named}"
    whole = [one for one in state.findings if LAST_PART not in one.why and _has_its_spelling(subject, one)]
    own = [one for one in whole if not is_test_place(one.path)]
    program = [one for one in own if not one.why.endswith(IN_DOCUMENTS)]
    passing = _cite_beginning(program, PASSES)
    hows = (OPTION, "takes", "sets", *[DECLARES] * subject.asked.startswith(KCONFIG))
    is_stated = bool(subject.nodes or passing) or any(_cite_beginning(program, how) for how in hows)
    others = () if is_stated else (own, whole)
    places = {
        how: next(filter(None, (_cite_beginning(found, how) for found in (program, *others))), [])
        for how in hows
    }
    by_callers = _describe_accessors(state)
    otherwise = _describe_otherwise(state, subject)
    if passing and not (subject.nodes or any(places.values())):
        return f"The name {subject.asked} is passed at {join_names(passing)}.{otherwise}{by_callers}"
    if not (subject.nodes or any(places.values()) or by_callers):
        return _describe_unset(state, subject, whole, otherwise)
    sentence = _state_places(subject, places)
    is_so = f"{subject.asked} is {sentence}." if sentence else f"{subject.asked} is not declared here."
    meant = f"By {state.documented}, this is {subject.asked}. " if state.documented else ""
    return f"{meant}{is_so}{otherwise}{by_callers}"


def _describe_unset(state: ResearchState, subject: Subject, whole: Sequence[Finding], otherwise: str) -> str:
    """Return sentences on a setting that nothing sets: where it is mentioned, and what `otherwise` says."""
    seen = join_names([*_cite_beginning(whole, "mentions "), *_cite_beginning(whole, PASSES)])
    mentioned = f" It is mentioned at {seen}." if seen else ""
    is_explained = mentioned or otherwise or not state.findings
    by_words = "" if is_explained else " What is shown only has words of the question."
    return f"Nothing is known to set {subject.asked}.{mentioned}{otherwise}{by_words}"


def _state_places(subject: Subject, places: Mapping[str, list[str]]) -> str:
    """Return where a setting is declared, taken and set: "declared at a, and set at b"; "" if nowhere."""
    groups = (
        ("declared as an option", places[OPTION]),
        (
            "declared",
            [
                write_citation(node.path, node.symbol.start_line, node.symbol.end_line)
                for node in subject.nodes
            ]
            or places.get(DECLARES, []),
        ),
        ("taken from the environment", places["takes"]),
        ("set", places["sets"]),
    )
    told = [f"{what} at {join_names(found)}" for what, found in groups if found]
    return (", and " if len(told) > 2 else " and ").join(filter(None, (", ".join(told[:-1]), *told[-1:])))


def _has_its_spelling(subject: Subject, one: Finding) -> bool:
    """Return False for a finding that spells a name in capitals otherwise: it may be another setting."""
    return not subject.asked.isupper() or subject.asked.removeprefix(KCONFIG) in one.why


def _describe_otherwise(state: ResearchState, subject: Subject) -> str:
    """Return sentences on places with another spelling of a setting, or only the last part of its name."""
    parts = [cite_line(one) for one in state.findings if LAST_PART in one.why]
    every = [one for one in state.findings if not _has_its_spelling(subject, one)]
    others = [one for one in every if not is_test_place(one.path)] or every
    spelled = _cite_beginning([one for one in others if LAST_PART not in one.why], "sets")
    sentence = f" The last part of its name is at {join_names(parts)}." if parts else ""
    return f"{sentence} In another spelling, it is set at {join_names(spelled)}." if spelled else sentence


def _describe_accessors(state: ResearchState) -> str:
    """Return sentences on what holds the default of a setting, sets it for callers, and reads it."""
    setting = [one for one in state.findings if one.why.startswith(SETS_BY)]
    reading = [one for one in state.findings if one.why.startswith(READS_BY)]
    default = [one for one in state.findings if one.why.startswith(DEFAULTS)]
    given = [one for one in state.findings if one.why.startswith(GIVEN)]
    sentences = [f" It is declared with the value of {name_findings(given)}."] if given else []
    sentences += [f" By name, its default is {name_findings(default)}."] if default else []
    sentences += [f" Callers set it by {name_findings(setting)}."] if setting else []
    reads = "reads" if len(reading) == 1 else "read"
    return "".join([*sentences, f" {name_findings(reading)} {reads} it."] if reading else sentences)


def _cite_beginning(found: Sequence[Finding], how: str) -> list[str]:
    return [cite_line(one) for one in found if one.why.startswith(how)]
