"""Say where errors of a type are raised, under which conditions, and where they are caught or only made."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.research.errors.guards import read_guard
from repo_mcp.research.findings.citing import cite, join_names, name_findings, shorten, shorten_symbol
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding, Reading
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.raised_places import lies_in
from repo_mcp.symbols.symbol_record import TYPE_KINDS
from repo_mcp.text.citations import write_citation

MOST_TOLD = 5  # functions that raise a type, and as many that raise one that derives from it
MOST_LINES = 3  # of one function


def describe_raised(state: ResearchState, reading: Reading) -> str:
    """Return where the errors of the subject are raised, caught and only made."""
    subject = reading.subjects[0]
    types = [node for node in subject.nodes if node.symbol.kind in TYPE_KINDS] or subject.nodes
    named = join_names(f"{shorten(node.qualified_name)} ({cite(node)})" for node in types)
    named = named or subject.name or subject.asked
    raising = _list_role(state, Role.RAISES)
    own = [one for one in raising if not one.reason.about]
    derived = [one for one in raising if one.reason.about]
    asked = state.raising_types
    if asked and not any(lies_in(one.path, one.lines[0], one.symbol, asked) for one in raising):
        within = join_names(dict.fromkeys(shorten(node.qualified_name) for node in asked))
        told = [f"No line of {within} itself is known to raise {named}."]
    else:
        told = []
    if own:
        told += [f"{named} {_are(types)} raised by {_name_raising(state, own, is_last=not derived)}."]
    elif not told:
        itself = " itself" if derived else ""
        told = [f"Nothing outside tests{state.inside} is known to raise {named}{itself}."]
    if derived:
        kinds = join_names(one.reason.about for one in derived)
        told.append(
            f"What derives from it ({kinds}) is raised by {_name_raising(state, derived, is_last=True)}."
        )
    for role, verb in ((Role.CATCHES, "caught"), (Role.GIVES_ERROR, "made for their callers")):
        found = _list_role(state, role)
        told += [f"It is {verb} by {_name_all(state, role, found)}."] if found else []
    made = _list_role(state, Role.MAKES_ERROR)
    own_makers = _name_all(state, Role.MAKES_ERROR, made)
    told += [f"It is only made, and not raised, by {own_makers}."] if made else []
    return " ".join(told)


def _are(types: Sequence[object]) -> str:
    return "are" if len(types) > 1 else "is"


def _list_role(state: ResearchState, role: Role) -> list[Finding]:
    return [one for one in state.findings if one.role is role]


def _name_all(state: ResearchState, role: Role, found: Sequence[Finding]) -> str:
    """Return the first functions that have a role, and the number of the others, noted or not."""
    return name_findings(found, beyond=state.unnoted[role], at_least=bool(state.unnoted[role]))


def _name_raising(state: ResearchState, found: Sequence[Finding], *, is_last: bool) -> str:
    """Return the functions that raise an error, each with its lines and the condition of the first.

    The last ones may be followed by others that are not noted.
    """
    unnoted = state.unnoted[Role.RAISES] if is_last else 0
    beyond = max(0, len(found) - MOST_TOLD) + unnoted
    named = (_name_one(state, one) for one in found[:MOST_TOLD])
    return join_names(named, MOST_TOLD, beyond, at_least=bool(unnoted))


def _name_one(state: ResearchState, one: Finding) -> str:
    said: list[str] = []
    for at in one.lines[:MOST_LINES]:
        guard = read_guard(state, one.path, one.start_line, one.end_line, at)
        place = write_citation(one.path, at, at) if not said else f":{at}"
        said.append(f"{place}, {guard.text}" if guard.text else place)
    return f"{shorten_symbol(one)} ({'; '.join(said)})"
