"""Answer in a few sentences, each with its citation, from what an investigation has noted.

The sentences state only findings and the edges between them: what a subject is, its callees, its users, where
it is set.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.research.locating import is_test_place
from repo_mcp.research.records import Finding, Form, Reading, Subject
from repo_mcp.research.research_state import ResearchState

MAX_NAMED = 3  # in one sentence
READS = "reads the field "  # begins the reason of a finding that reads a field which a subject sets
_RELATIONS = {
    Form.CALLERS: ("is called by", "Nothing in the repository is known to call"),
    Form.DEPENDENTS: ("is used by", "Nothing in the repository is known to use"),
    Form.IMPLEMENTATIONS: (
        "is implemented, extended or overridden by",
        "Nothing in the repository is known to implement or extend",
    ),
    Form.CALLEES: ("calls", "Nothing that the repository declares is known to be called by"),
    Form.DEPENDENCIES: ("uses", "Nothing that the repository declares is known to be used by"),
}


def build_claim(state: ResearchState, reading: Reading) -> str:
    """Return the answer in at most three sentences; "" if there is none for its form."""
    undeclared = [one for one in reading.subjects if one.how == "undeclared"]
    if undeclared:
        return " ".join(_describe_undeclared(one) for one in undeclared)
    if reading.form in _RELATIONS:
        return _describe_relation(state, reading)
    if reading.form is Form.CONFIGURED:
        return _describe_settings(state, reading.subjects[0])
    if reading.form is Form.DIFFERENCE and all(subject.nodes for subject in reading.subjects):
        return f"{'; '.join(map(_describe_compared, reading.subjects))}."
    own = [node for node in state.nodes.values() if not is_test_place(node.path)]
    if state.lacks_most:
        return "This repository may have no answer: most words of the question are in no file."
    if reading.form in (Form.OPEN, Form.EXTENSION, Form.ERRORS, Form.DIFFERENCE) and own:
        return _describe_best(state, own)
    return ""


def name_place(node: Node) -> str:
    """Return the name of a symbol with its citation."""
    return f"{node.qualified_name} ({node.path}:{node.symbol.start_line}-{node.symbol.end_line})"


def name_briefly(node: Node) -> str:
    """Return the last two parts of a symbol's name with its citation, whose path says the rest."""
    name = ".".join(node.qualified_name.split(".")[-2:])
    return f"{name} ({node.path}:{node.symbol.start_line}-{node.symbol.end_line})"


def _describe_undeclared(subject: Subject) -> str:
    near = "; ".join(map(name_place, subject.near))
    nearest = f" The nearest names are {near}." if near else " No name here is similar to it."
    return f"{subject.asked} is not declared in this repository.{nearest}"


def _describe_relation(state: ResearchState, reading: Reading) -> str:
    relation, none = _RELATIONS[reading.form]
    subjects = [node for subject in reading.subjects for node in subject.nodes]
    if len(subjects) > 1:
        relation = relation.replace("calls", "call").replace("uses", "use").replace("is ", "are ", 1)
    named = join_names(map(name_place, subjects)) or reading.subjects[0].name or reading.subjects[0].asked
    first_hop = [one for one in state.findings if one.hop == 1]
    readers = [one for one in first_hop if one.why.startswith(READS)]
    found = [one for one in first_hop if READS not in one.why]
    if state.source.is_partial:
        none = f"So far {none[0].lower()}{none[1:]}"  # files that are not parsed yet may
    if not found and not readers:
        return f"{none} {named}."
    later = join_names(f"{one.symbol} ({one.citation})" for one in readers)
    told = f" What it sets is read by {later}." if later else ""
    if not found:
        return f"{none} {named}.{told}"
    own = [one for one in found if not is_test_place(one.path)]
    first = join_names(f"{one.symbol} ({one.citation})" for one in own)
    tests = len(found) - len(own)
    also = f"{tests} {'place' if tests == 1 else 'places'} in tests" if tests else ""
    return f"{named} {relation} {' and by '.join(filter(None, (first, also)))}.{told}"


def _describe_compared(subject: Subject) -> str:
    more = len(subject.nodes) + subject.left_out - 1
    others = f" and {more} more {'declaration' if more == 1 else 'declarations'}" if more else ""
    return f"{subject.asked} is {name_place(subject.nodes[0])}{others}"


def _describe_settings(state: ResearchState, subject: Subject) -> str:
    """Return where a setting is declared, read and set; tests count only if the program does neither."""
    own = [one for one in state.findings if not is_test_place(one.path)]
    places = {
        how: [_cite_line(one) for one in own if one.why.startswith(how)]
        or [_cite_line(one) for one in state.findings if one.why.startswith(how)]
        for how in ("takes", "sets")
    }
    if not (subject.nodes or any(places.values())):
        return f"Nothing is known to set {subject.asked}." if not state.findings else ""
    told = (
        (
            "declared",
            [f"{node.path}:{node.symbol.start_line}-{node.symbol.end_line}" for node in subject.nodes],
        ),
        ("taken from the environment", places["takes"]),
        ("set", places["sets"]),
    )
    sentence = " and ".join(f"{what} at {join_names(found)}" for what, found in told if found)
    return f"{subject.asked} is {sentence}."


def _cite_line(place: Finding) -> str:
    """Return the citation of the first line that a place is found for."""
    return f"{place.path}:{place.lines[0]}-{place.lines[0]}" if place.lines else place.citation


def _describe_best(state: ResearchState, own: Sequence[Node]) -> str:
    best = own[0]
    sentences = [f"{name_place(best)} fits the question best."]
    callees = list(_list_called(state, best.declaration))
    if callees:
        sentences.append(f"It calls {join_names(map(name_place, callees))}.")
    sections = [one for one in state.findings if one.kind == "section"]
    others = [node for node in own[1:] if node not in callees]
    if others:
        sentences.append(f"Next to it are {join_names(map(name_place, others[:2]))}.")
    if sections:
        sentences.append(f"The documentation describes it in {_cite_section(sections[0])}.")
    return " ".join(sentences)


def _cite_section(section: Finding) -> str:
    return f"{section.symbol} ({section.citation})"


def _list_called(state: ResearchState, caller: Declaration) -> Iterable[Node]:
    for link in state.links.values():
        if link.source == caller and link.kind == "calls" and link.target in state.nodes:
            yield state.nodes[link.target]


def join_names(names: Iterable[str]) -> str:
    """Return the first names joined as in a sentence, with the number of the others."""
    listed = list(dict.fromkeys(names))
    shown = listed[:MAX_NAMED]
    if len(listed) > MAX_NAMED:
        return f"{', '.join(shown)} and {len(listed) - MAX_NAMED} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))
