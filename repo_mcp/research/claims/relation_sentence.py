"""Say what calls, uses or implements the subjects of a question, or what they use, and how many there are.

Findings are named. What is known but is no finding, because a report has no room for it, is counted, too. If
not all uses were read, a number is the least that it can be. What is only possible is called so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from repo_mcp.graph.called_overrides import describe_called_overrides
from repo_mcp.graph.function_types import describe_function_type
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.graph.unnamed_uses import describe_unnamed_uses
from repo_mcp.graph.vocabulary import BLOCKS, CALLS, IMPL
from repo_mcp.record_classes import dataclass
from repo_mcp.research.claims.member_sentences import describe_open_types
from repo_mcp.research.edges.edge_reasons import find_upward_role
from repo_mcp.research.edges.function_tables import describe_set
from repo_mcp.research.edges.read_edges import WIDE, lacks_uses
from repo_mcp.research.findings.citing import MAX_NAMED, cite, join_names, name_findings, shorten, shorten_in
from repo_mcp.research.findings.locating import CONFIDENCES, is_test, is_test_node, is_test_place
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding, Form, Link, Reading
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.citations import write_citation

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

MOST_WORKERS = 2  # whose callees are named
MOST_CALLERS = 6  # named where they are asked for: "and 1 more" is as long as one
_NO_USERS = frozenset(
    {
        Role.OVERRIDDEN,
        Role.READS_FIELD,
        Role.READS_FIELD_BELOW,
        Role.WORKS_FOR,
        Role.FILLS,
        Role.CALLS_MEMBER,
    }
)
_NO_CALLERS = _NO_USERS | {Role.MENTIONS, Role.HOLDS}


def is_relation(form: Form) -> bool:
    """Return True for a form whose claim names everything found that is related to its subject."""
    return form in _RELATIONS


def describe_relation(state: ResearchState, reading: Reading) -> str:
    """Return sentences on what is related to the subjects in the way that the question asks for."""
    subjects = reading.nodes
    relation, none = _name_relation(reading)
    named = name_subjects(subjects) or reading.subjects[0].name or reading.subjects[0].asked
    if said := describe_set(state.findings, named):
        return said
    first_hop = [one for one in state.findings if one.hop == 1]
    readers = [one for one in first_hop if one.role is Role.READS_FIELD]
    more = _describe_beside(state, reading, first_hop)
    found = _choose_related(state, reading, subjects, first_hop)
    users = _gather_users(state, reading, subjects, found)
    if state.is_unimplemented and len(subjects) == 1:
        said = describe_function_type(state.graph, subjects[0], named)
        if said:
            return said
    if state.is_unimplemented:
        more += f" It {users.say('is used by')}." if found else ""
        found = []
    if reading.form is Form.IMPLEMENTATIONS and found:
        more += _describe_below(state)
        if all(one.kind == IMPL for one in found):
            relation = relation.replace("implemented, extended or overridden", "implemented")
    more += _describe_left_out(reading)
    unresolved = _describe_unresolved(state, reading, subjects, found)
    if state.open_types:
        also = relation.replace("used", "also used")
        used = f" {'They' if relation.startswith('are') else 'It'} {users.say(also)}." if found else ""
        return f"{describe_open_types(state.open_types)}{used}{more}"
    if filling := _describe_filling(state, reading, relation, found):
        return f"{named} {filling}{more}"
    if not found and readers and reading.form is Form.CALLEES:
        return f"{named} {relation} nothing that the repository declares.{more}"
    if not found:
        directly = _say_directly(reading, first_hop)
        return f"{_say_none(state, reading, none)} {named}{directly}.{unresolved}{more}"
    most = MOST_CALLERS if reading.form is Form.CALLERS else MAX_NAMED
    return f"{named} {users.say(relation, most)}.{unresolved}{more}"


def _name_relation(reading: Reading) -> tuple[str, str]:
    """Return what the subjects do or what is done with them, and what begins a sentence if nothing is."""
    relation, none = _RELATIONS[reading.form]
    if len({shorten(node.qualified_name) for node in reading.nodes}) > 1:
        relation = relation.replace("calls", "call").replace("uses", "use").replace("is ", "are ", 1)
    return relation, none


def _describe_beside(state: ResearchState, reading: Reading, first_hop: Sequence[Finding]) -> str:
    """Return sentences on what leads from or to the subjects in other ways than the question asks for."""
    subjects = reading.nodes
    of_role = {
        role: [one for one in first_hop if one.role is role]
        for role in (Role.WORKS_FOR, Role.READS_FIELD, Role.OVERRIDDEN, Role.MENTIONS)
    }
    more = _describe_unnamed(subjects) if reading.form in (Form.CALLERS, Form.DEPENDENTS) else ""
    working = of_role[Role.WORKS_FOR]
    more += f" Called there: {name_findings(working)}." if working else ""
    more += _describe_readers(state, of_role[Role.READS_FIELD])
    more += _describe_overridden(state, of_role[Role.OVERRIDDEN], len(subjects) > 1)
    if reading.form is Form.CALLERS:
        more += _describe_mentions(state, subjects, of_role[Role.MENTIONS])
        more += _describe_called_overrides(state, subjects)
    return more


def _say_directly(reading: Reading, first_hop: Sequence[Finding]) -> str:
    """Return the words that leave out what leads to the subjects in another way; "" if nothing does."""
    roles = {one.role for one in first_hop}
    if reading.form is Form.CALLERS:
        return " directly" if roles & {Role.MENTIONS, Role.OVERRIDDEN} else ""
    return " through its own type" if Role.OVERRIDDEN in roles else ""


def _describe_filling(state: ResearchState, reading: Reading, relation: str, found: Sequence[Finding]) -> str:
    """Return what is said of subjects without a body, which others override; "" for any others."""
    filling = list_filling_in(state, reading.nodes) if reading.form is Form.CALLEES else []
    if not any(one in filling for one in found):
        return ""
    own = [one for one in filling if not is_test(one.path, one.symbol)] or filling
    rest = [one for one in found if one not in filling]
    calls = f" It {_gather_users(state, reading, reading.nodes, rest).say(relation)}." if rest else ""
    return f"leaves its work to what overrides it: {name_findings(own, MOST_CALLERS)}.{calls}"


def list_filling_in(state: ResearchState, subjects: Sequence[Node]) -> list[Finding]:
    """Return the findings that override subjects without a body, so that a call runs one of them."""
    own = {node.declaration for node in subjects}
    links = (one for one in state.links.values() if one.kind == "overridden_by" and one.source in own)
    filling = {link.target for link in links}
    return [one for one in state.findings if one.node is not None and one.node.declaration in filling]


def _choose_related(
    state: ResearchState, reading: Reading, subjects: Sequence[Node], first_hop: Sequence[Finding]
) -> list[Finding]:
    """Return the findings of the first hop that are related to the subjects as the question asks."""
    apart = _NO_CALLERS if reading.form is Form.CALLERS else _NO_USERS
    calling = _list_calling(state, subjects)
    found = [
        one for one in first_hop if one.role not in apart or (one.role is Role.FILLS and one.node in calling)
    ]
    found.sort(key=lambda one: one.role is Role.FILLS)  # stable; named already
    if reading.form is Form.DEPENDENTS:  # the methods of a type may be in blocks of its own name, as in Rust
        own = {node.qualified_name for node in subjects}
        return [one for one in found if one.kind not in BLOCKS or one.symbol not in own]
    return _count_types_once(found) if reading.form is Form.IMPLEMENTATIONS else found


def _list_calling(state: ResearchState, subjects: Sequence[Node]) -> set[Node]:
    """Return what calls a subject, also if it overrides that: it may hand the call on to another one."""
    own = {node.declaration for node in subjects}
    calls = (link for link in state.links.values() if link.kind == "calls" and link.target in own)
    return {state.get_node(link.source) for link in calls}


def _say_none(state: ResearchState, reading: Reading, none: str) -> str:
    tests = ", except tests," if state.leaves_out_tests else ""
    none = none.replace(" in the repository", f"{state.inside or ' in the repository'}{tests}")
    if _lacks_uses(state, reading) and not _asks_for_users(reading):
        none = f"In what was read of it, {none[0].lower()}{none[1:]}"
    elif _lacks_uses(state, reading):  # those that were not read may be what is asked for
        none = none.replace("Nothing", "Of the uses of this name that were read, none")
        none = none.replace(" in the repository is", " is")
    # Files that are not parsed yet may do so.
    return f"So far {none[0].lower()}{none[1:]}" if state.source.is_partial else none


def _asks_for_users(reading: Reading) -> bool:
    """Return False if it is asked what the subjects use."""
    return reading.form not in (Form.CALLEES, Form.DEPENDENCIES)


def _lacks_uses(state: ResearchState, reading: Reading) -> bool:
    names = [node.qualified_name for node in reading.nodes]
    return lacks_uses(state, [*names, *(subject.name for subject in reading.subjects)])


def _describe_left_out(reading: Reading) -> str:
    """Return a sentence on declarations of the subjects' names that were not followed; "" for none."""
    left = sum(one.left_out for one in reading.subjects if one.is_declared)
    were = "declaration of this name was" if left == 1 else "declarations of this name were"
    least = "At least " if any(one.left_out_is_least for one in reading.subjects) else ""
    return f" {least}{left:,} more {were} not followed." if left else ""


def name_subjects(nodes: Sequence[Node]) -> str:
    """Return the names of subjects with their citations; subjects of one name share an entry."""
    places: dict[str, list[str]] = {}
    for node in nodes:
        places.setdefault(shorten_in(node.path, node.qualified_name), []).append(cite(node))
    return join_names(f"{name} ({', '.join(dict.fromkeys(own))})" for name, own in places.items())


@dataclass(frozen=True, slots=True)
class _Users:
    """Findings that are related to the subjects, and how many more such symbols are known."""

    found: Sequence[Finding]
    beyond: Mapping[tuple[bool, bool], int]  # by whether they are counted as tests, and only possible
    counts_tests: bool
    is_least: bool  # not all uses were read, so there may be more

    def say(self, relation: str, most: int = MAX_NAMED) -> str:
        """Return the relation with what it leads to: what is in tests is only counted.

        Of what may only share the name, it says "perhaps".
        """
        verb, by = (relation.removesuffix(" by"), "by ") if relation.endswith(" by") else (relation, "")
        tests, guesses = (self._count_tests(is_guess=guessed) for guessed in (False, True))
        sure = (self._name(by, most, is_guess=False), self._say_tests(tests, guesses))
        perhaps = (self._name(by, MAX_NAMED, is_guess=True), "" if tests else self._say_tests(guesses, 0))
        parts = [*filter(None, sure)]
        if not parts:
            verb = f"is perhaps{verb[2:]}" if verb.startswith("is ") else f"perhaps {verb}"
        lead = "perhaps " if parts else ""
        parts += [f"{lead}{part}" for part in perhaps if part]
        return f"{verb} {', and '.join(filter(None, (', '.join(parts[:-1]), *parts[-1:])))}"

    def _name(self, by: str, most: int, *, is_guess: bool) -> str:
        """Return those that are named and the number of the others, all sure or all guesses; "" for none."""
        found = [one for one in self.found if not self._is_counted(one) and _is_guess(one) is is_guess]
        named = name_findings(found, most, self.beyond[False, is_guess], at_least=self.is_least)
        return named and f"{by}{named}"

    def _count_tests(self, *, is_guess: bool) -> int:
        tests = sum(self._is_counted(one) and _is_guess(one) is is_guess for one in self.found)
        return tests + self.beyond[True, is_guess]

    def _say_tests(self, number: int, guesses: int) -> str:
        if not number:
            return ""
        least = " or more" if self.is_least else ""
        most = f" (perhaps {number + guesses})" if guesses and not least else ""
        return f"at {number}{least} {'place' if f'{number}{least}' == '1' else 'places'} in tests{most}"

    def _is_counted(self, one: Finding) -> bool:
        return self.counts_tests and is_test(one.path, one.symbol)


def _is_guess(one: Finding) -> bool:
    return one.confidence == Confidence.POSSIBLE.value


def _gather_users(
    state: ResearchState, reading: Reading, subjects: Sequence[Node], found: Sequence[Finding]
) -> _Users:
    """Return some findings, and the number of others of the same roles that are known."""
    counts_tests = _asks_for_users(reading)
    apart = _NO_CALLERS if reading.form is Form.CALLERS else _NO_USERS
    links = _list_links(state, subjects)
    others = [
        (link.source if counts_tests else link.target, link.confidence)
        for link in links
        if not counts_tests or find_upward_role(link) not in apart
    ]
    beyond = _count_beyond(state, others, found, counts_tests=counts_tests)
    return _Users(found, beyond, counts_tests, _lacks_uses(state, reading))


def _list_links(state: ResearchState, nodes: Iterable[Node]) -> list[Link]:
    """Return the edges of symbols that were read, whether they are among the findings or not."""
    return [link for node in nodes for link in state.known_links.get(node.declaration, ())]


def _count_beyond(
    state: ResearchState,
    others: Iterable[tuple[Declaration, Confidence]],
    found: Iterable[Finding],
    *,
    counts_tests: bool,
) -> Counter[tuple[bool, bool]]:
    """Count the symbols not told of and not `found`, by whether they are in tests, and only possible.

    A finding of a later hop is not told of, although it may be one of those that were asked for.
    """
    told = {one.node for one in (*(one for one in state.findings if one.hop <= 1), *found)}
    surest: dict[Declaration, Confidence] = {}
    for other, sure in others:
        if state.admits(other.path) and state.get_node(other) not in told:
            surest[other] = min(surest.get(other, sure), sure, key=CONFIDENCES.__getitem__)
    return Counter(
        (counts_tests and is_test_node(state.get_node(one)), sure is Confidence.POSSIBLE)
        for one, sure in surest.items()
    )


def _describe_unnamed(subjects: Sequence[Node]) -> str:
    """Return which uses of the subjects are not followed because they do not name them; "" for none.

    What a value runs is used by the name of the value, which is followed.
    """
    if subjects and subjects[0].symbol.kind in VALUE_KINDS:
        return ""
    said = dict.fromkeys(filter(None, map(describe_unnamed_uses, subjects)))
    return "".join(f" {one}" for one in said)


def _describe_readers(state: ResearchState, readers: Sequence[Finding]) -> str:
    """Return sentences on what reads the fields that the subjects set and hands them on; "" for none."""
    if not readers:
        return ""
    below = [one for one in state.findings if one.role is Role.READS_FIELD_BELOW]
    handed = [one for one in below if one.hop == 1]
    sentence = f" What it sets is read by {name_findings(readers, beyond=state.unnoted[Role.READS_FIELD])}"
    sentence += f", and handed on to {name_findings(handed)}." if handed else "."
    called: dict[str, list[Finding]] = {}
    for one in below:
        if one.hop > 1:
            called.setdefault(one.reason.about, []).append(one)
    told = list(called.items())[:MOST_WORKERS]
    return sentence + "".join(f" {shorten(caller)} calls {name_findings(own)}." for caller, own in told)


def _describe_unresolved(
    state: ResearchState, reading: Reading, subjects: Sequence[Node], found: Sequence[Finding]
) -> str:
    """Return a sentence on calls that may mean the one subject, if no sure user outside tests was found."""
    names = {node.symbol.name for node in subjects}
    if len(names) != 1 or reading.form not in (Form.CALLERS, Form.DEPENDENTS):
        return ""
    if any(not _is_guess(one) and not is_test(one.path, one.symbol) for one in found):
        return ""
    edges = state.graph.find_incoming(subjects[0], CALLS, WIDE)
    noted = {(one.path, at) for one in found for at in one.lines}
    count = sum(one.count for one in edges.unresolved)
    if not count or any((one.path, at) in noted for one in edges.unresolved for at in one.lines):
        return ""
    name, more = subjects[0].symbol.name, " more" if found else ""
    calls = f"one{more} call of {name} means" if count == 1 else f"{count}{more} calls of {name} mean"
    places = [one for one in edges.unresolved if not is_test_place(one.path)]
    named = join_names([write_citation(one.path, one.lines[0], one.lines[0]) for one in places[:MAX_NAMED]])
    such = f", as in {named}," if named else ""
    return f" What {'at least ' if edges.cut else ''}{calls}{such} could not be resolved."


def _describe_mentions(state: ResearchState, subjects: Sequence[Node], found: Sequence[Finding]) -> str:
    """Return a sentence on what mentions a function as a value, which may call it or not; "" for nothing."""
    if not found:
        return ""
    own = [one for one in found if not is_test(one.path, one.symbol)]
    links = [one for one in _list_links(state, subjects) if find_upward_role(one) is Role.MENTIONS]
    others = _count_beyond(state, ((one.source, one.confidence) for one in links), found, counts_tests=True)
    beyond = sum(number for (in_tests, _), number in others.items() if in_tests is not bool(own))
    named = name_findings(own or found, MAX_NAMED, beyond)
    verb = "mentions" if len(own or found) + beyond == 1 else "mention"
    they = "them" if len(subjects) > 1 else "it"
    return f" {named} {verb} {they}, and may cause {they} to be called."


def _describe_overridden(state: ResearchState, found: Sequence[Finding], several: bool) -> str:
    """Return a sentence on methods of bases through which calls may reach a method; "" for none."""
    if not found:
        return ""
    bases = [one.node for one in found if one.node is not None]
    calls = [link for link in _list_links(state, bases) if link.kind == "calls"]
    sources = {state.get_node(link.source) for link in calls}
    named = [one for one in state.findings if one.hop > 1 and one.node in sources]
    beyond = _count_beyond(
        state, ((link.source, link.confidence) for link in calls), named, counts_tests=True
    )
    is_least = lacks_uses(state, [node.qualified_name for node in bases])
    users = _Users(named, beyond, counts_tests=True, is_least=is_least)
    called = f", {users.say('called by')}" if named else ""
    return f" Calls may reach {'them' if several else 'it'} through {name_findings(found)}{called}."


def _describe_called_overrides(state: ResearchState, subjects: Sequence[Node]) -> str:
    """Return a sentence on overrides of one subject that are called by their own types; "" for none."""
    if len(subjects) != 1 or subjects[0].symbol.kind not in (SymbolKind.METHOD, SymbolKind.PROPERTY):
        return ""
    found = state.graph.find_incoming(subjects[0], CALLS, WIDE, dispatches=True)
    said = describe_called_overrides(state.graph, found.below, is_complete=not found.is_followed)
    return f" {said}" if said else ""


def _describe_below(state: ResearchState) -> str:
    """Return a sentence on what derives from the types that implement a subject; "" for nothing."""
    below = [one for one in state.findings if one.hop > 1 and not is_test(one.path, one.symbol)]
    return f" Derived from these: {name_findings(_count_types_once(below))}." if below else ""


def _count_types_once(found: Sequence[Finding]) -> list[Finding]:
    """Return the findings without extensions if the type that conforms by one is itself among them."""
    types = {one.symbol for one in found if one.role is Role.BY_EXTENSION}
    return [one for one in found if one.kind not in BLOCKS or one.symbol not in types]
