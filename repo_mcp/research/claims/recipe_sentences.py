"""Say how one more of a kind is added: its base, what has to name it, and one to copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_mcp.research.claims.best_claim import describe_section
from repo_mcp.research.findings.citing import cite_lines, join_names, name_findings, shorten_symbol
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import MOST_INNER

SECTION = "section"  # the kind of a finding in a document
_OPEN = ("interface", "protocol", "trait")  # kinds of types without code of their own
MOST_LISTING = 4  # places
MOST_FILES, MOST_LINES = 6, 4  # with one of the kind, and lines of each
# What is said of the first place of each role, in this order.
_SENTENCES = (
    (Role.MODEL, "An example is {}."),
    (Role.REGISTERS, "{} registers it."),
    (Role.TAKES_ONE, "It can be given to {}."),
)


def describe_told(state: ResearchState) -> list[str]:
    """Return sentences on documents that say how one is added."""
    sections = [f"{one.symbol} ({one.citation})" for one in _list(state, Role.TELLS_HOW)]
    others = [
        f"{one.symbol} ({one.citation})"
        for one in state.findings
        if one.kind == SECTION and one.role is not Role.TELLS_HOW
    ]
    sentences = [f"How one is added is told in {join_names(sections)}."] if sections else []
    return [*sentences, *([f"See also {join_names(others)}."] if sections and others else [])]


def _list(state: ResearchState, role: Role) -> list[Finding]:
    return [one for one in state.findings if one.role is role]


def _describe_place(state: ResearchState, found: Mapping[Role, str]) -> list[str]:
    """Return where one of a kind belongs; nothing if it is only known what lists the others."""
    tables = _list(state, Role.NAMED_TABLE)
    folder = next((one.reason.about for one in _list(state, Role.MODEL)), "")
    if Role.ENUMERATION in found:
        return [f"Add a member to {found[Role.ENUMERATION]}."]
    if Role.RETURNED in found:
        return [f"Write a function that returns {found[Role.RETURNED]}."]
    if Role.BASE in found:
        return _describe_base(state)
    if folder:
        return [f"Add a file to {folder}/."]
    return [f"Add an entry to {name_findings(tables)}."] if tables else []


def describe_recipe(state: ResearchState) -> str:
    """Return where one of a kind belongs, what lists it and what to copy; "" if nothing is known."""
    found = {one.role: f"{shorten_symbol(one)} ({one.citation})" for one in reversed(state.findings)}
    listing = _list(state, Role.LISTS)
    sentences = _describe_place(state, found)
    if not sentences and listing:
        best, *listing = listing
        sentences = [f"Add one to {name_findings([best])}, which {best.why}."]
    elif not sentences and Role.HAS_MEMBER not in found:  # by which the question says what one more is like
        return ""
    for role, sentence in _SENTENCES:
        if role in found:
            sentences.append(sentence.format(found[role]))
    sentences += [f"{shorten_symbol(one)} ({one.citation}) {one.why}." for one in _list(state, Role.KEEPS)]
    sentences += [*_describe_listing(state, listing), *_describe_calling(state), *_describe_member(state)]
    named = [one for one in state.findings if one.role is Role.NAMED_SO]
    if named:
        their = "its name" if len(named) == 1 else "their names"
        sentences.append(f"By {their}, {name_findings(named)} may do what is asked.")
    return " ".join([*sentences, *_describe_document(state)])


def _describe_base(state: ResearchState) -> list[str]:
    """Return sentences on the type that one more derives from, and on the members that it must have."""
    base, inner_ones = _list(state, Role.BASE)[0], _list(state, Role.INNER_BASE)
    verb = "Implement" if base.kind in _OPEN else "Derive from"
    inner = f", as most do by way of {name_findings(inner_ones[:MOST_INNER])}" if inner_ones else ""
    said = f"{verb} {shorten_symbol(base)} ({base.citation}){inner}."
    return [said, base.reason.about] if base.reason.about else [said]


def _describe_document(state: ResearchState) -> list[str]:
    """Return a sentence on the section of a document that says or shows how one is added."""
    told = [*_list(state, Role.TELLS_HOW), *_list(state, Role.SHOWS_HOW)][:1]
    if told:
        return [f"In the documentation, see {told[0].symbol} ({told[0].citation})."]
    return describe_section(state)


def _describe_listing(state: ResearchState, listing: Sequence[Finding]) -> list[str]:
    """Return a sentence on the places that list the kind, and on what reads them."""
    verb = "lists" if len(listing) == 1 else "list"
    said = [f"{name_findings(listing, MOST_LISTING)} {verb} existing ones."] if listing else []
    return [
        *said,
        *(f"{shorten_symbol(one)} ({one.citation}) {one.why}." for one in _list(state, Role.READS_LIST)),
    ]


def _describe_calling(state: ResearchState) -> list[str]:
    """Return a sentence for each member of the kind that something calls."""
    calling = _list(state, Role.CALLS_KIND)
    sentences = []
    for name in dict.fromkeys(one.reason.about for one in calling):
        own = [one for one in calling if one.reason.about == name]
        sentences.append(f"{name_findings(own)} {'calls' if len(own) == 1 else 'call'} {name}.")
    return sentences


def _describe_member(state: ResearchState) -> list[str]:
    """Return a sentence on the other lines with one of the kind, where one more may belong."""
    places = _list(state, Role.HAS_MEMBER)
    named = join_names((cite_lines(one, MOST_LINES) for one in places), MOST_FILES)
    if not places:
        return []
    name = places[0].reason.about
    if _list(state, Role.ENUMERATION):
        return [f"One of them, {name}, occurs at {named}."]
    return [f"One more belongs where {name} is: {named}."]


def describe_tables(state: ResearchState) -> str:
    """Return sentences on the tables that good declarations read, in which a new entry may belong."""
    tables = [one for one in state.findings if one.role is Role.TABLE]
    return "".join(f" {shorten_symbol(one)} ({one.citation}) {one.why}." for one in tables)
