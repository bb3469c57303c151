"""Say how one more of a kind is added: its base, what has to name it, and one to copy."""

from __future__ import annotations

from repo_mcp.research.claims.best_claim import describe_section
from repo_mcp.research.findings.citing import name_findings, shorten_symbol
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.research_state import ResearchState

# What is said of the first place of each role, in this order.
_SENTENCES = (
    (Role.REGISTERS, "{} registers one."),
    (Role.TAKES_ONE, "{} takes one."),
    (Role.LISTS, "{} names some of them."),
    (Role.MODEL, "One to copy is {}."),
)


def describe_recipe(state: ResearchState) -> str:
    """Return where one of a kind belongs, what lists it and what to copy; "" if nothing is known."""
    found = {one.role: f"{shorten_symbol(one)} ({one.citation})" for one in reversed(state.findings)}
    tables = [one for one in state.findings if one.role is Role.NAMED_TABLE]
    if Role.ENUMERATION in found:
        sentences = [f"Others of the kind are members of {found[Role.ENUMERATION]}."]
    elif Role.RETURNED in found:
        sentences = [f"Others of the kind are functions that return {found[Role.RETURNED]}."]
    elif Role.BASE in found:
        inner = f", most of them from {found[Role.INNER_BASE]}" if Role.INNER_BASE in found else ""
        sentences = [f"Others of the kind derive from {found[Role.BASE]}{inner}."]
    elif tables:
        their = "its name" if len(tables) == 1 else "their names"
        sentences = [f"By {their}, others of the kind are entries of {name_findings(tables)}."]
    else:
        return ""
    for role, sentence in _SENTENCES:
        if role in found:
            sentences.append(sentence.format(found[role]))
    named = [one for one in state.findings if one.role is Role.NAMED_SO]
    if named:
        their = "its name" if len(named) == 1 else "their names"
        sentences.append(f"By {their}, {name_findings(named)} may do what is asked.")
    return " ".join([*sentences, *describe_section(state)])


def describe_tables(state: ResearchState) -> str:
    """Return sentences on the tables that good declarations read, in which a new entry may belong."""
    tables = [one for one in state.findings if one.role is Role.TABLE]
    return "".join(f" {shorten_symbol(one)} ({one.citation}) {one.why}." for one in tables)
