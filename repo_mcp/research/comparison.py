"""Investigate a question for a difference: both sides, what they share, and what only one of them has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.bodies.statements import decides
from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.record_classes import replace
from repo_mcp.research.compared_members import (
    DECIDING_ALL,
    chooses,
    list_choosing,
    list_enum_members,
    name_value,
    note_default,
)
from repo_mcp.research.compared_owners import keep_of_one_type
from repo_mcp.research.edges.paths import find_paths
from repo_mcp.research.edges.shared_members import list_alone, list_shared_members
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.edges.surroundings import find_sections
from repo_mcp.research.findings.bounds import SHORT
from repo_mcp.research.findings.citing import shorten_in
from repo_mcp.research.findings.first_sentences import list_comment
from repo_mcp.research.findings.named_symbols import (
    VALUES,
    admits_node,
    calls_its_name,
    count_lines,
    read_body,
    show_body,
)
from repo_mcp.research.findings.reasons import Reason, Role, explain_named
from repo_mcp.research.findings.records import Chain, Finding, Reading, Subject
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.question.bound_names import find_run
from repo_mcp.research.question.phrase_names import split_parts
from repo_mcp.research.question.readings import build_reading
from repo_mcp.research.settings.field_readers import list_called
from repo_mcp.research.words.found_seeds import NamedFirst, find_seeds
from repo_mcp.research.written.section_lines import choose_rows
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind
from repo_mcp.text.question_words import count_words, list_words, shares_word

COMPARED = 3  # declarations of one name
MOST_ALONE = 2  # functions shown that only one of the types has
NAMED_CHARS = 1_200  # shown of a name that is compared with what is only described
VALUE_CHARS = 400  # shown of a value that is compared
MOST_DECIDING = 12  # lines shown of one
WHOLE_LINES = 36  # of a function that decides by all, all of which is shown
MOST_READERS = 2  # functions that decide by all values that are compared, or by one of them
MAX_DECLARING = 20  # files that declare one name
_GOES_ON = re.compile(r"\s*(?:\?|:|&&|\|\|)\s")  # a line in the middle of a condition or a choice
_PRINTS = re.compile(
    r"_*(?:to_?s(?:tring)?|repr|str|string|inspect|debug|fmt|dump|describe)_*", re.IGNORECASE
)
_OF_BOTH = Reason("is declared by both of the types that are compared", Role.COMPARED)
_OF_ONE = Reason("only one of the types that are compared declares it", Role.COMPARED)


def note_compared(state: ResearchState, reading: Reading) -> list[Chain]:
    """Note what is compared, and the functions in which types differ. Return the calls between the first."""
    nodes = [node for subject in reading.subjects for node in _list_working(state, subject.nodes)]
    if reading.described is not None:
        _note_described(state, nodes, reading.described)
        return []
    first = [subject.nodes[0] for subject in reading.subjects if subject.nodes]
    functions = _list_functions(state, first)
    for subject in reading.subjects:
        _note_values(state, subject)
    note_default(state, reading.subjects)
    _note_table(state, [node.symbol.name for node in first])
    readers = _list_readers(state, reading.subjects)
    text = " ".join(subject.asked for subject in reading.subjects)
    of_all = [node for node in readers if readers[node] is DECIDING_ALL]
    named = [*of_all, *(node for node in nodes if node not in readers)]
    of_one = [node for node in readers if node not in of_all]
    doing = _list_doing(state, first)
    first_ones = [*named, *doing, *functions, *of_one]
    reasons = {**doing, **functions, **readers}
    find_seeds(state, text, first=NamedFirst(first_ones, reasons, only_near=True))
    _show_deciding(state, list(map(name_value, reading.subjects)))
    return find_paths(state, nodes[:1], nodes[-1:]) if len(nodes) > 1 else []


def _list_functions(state: ResearchState, nodes: Sequence[Node]) -> dict[Node, Reason]:
    """Return the functions in which types differ, with reasons: what makes one of them for the other first.

    What both have comes behind what one alone declares, unless the question or a guess names it.
    """
    if all(node.symbol.kind in TYPE_KINDS for node in nodes):
        state.alone = list_alone(state, nodes)
    shared = list_shared_members(state, nodes)
    found = _list_making(state, nodes)
    words = list_words(state.request.full_text)
    found.update(dict.fromkeys((one for one in shared if shares_word(one.symbol.name, words)), _OF_BOTH))
    for alone in state.alone.values() if shared else ():
        found.update(dict.fromkeys([one for one in alone if one not in shared][:MOST_ALONE], _OF_ONE))
    return {**found, **dict.fromkeys(shared, _OF_BOTH)}


def _list_doing(state: ResearchState, nodes: Sequence[Node]) -> dict[Node, Reason]:
    """Return what only one of some functions calls and that is named like it, with reasons.

    `QueryClient.resetQueries` calls `Query.reset`: the difference lies there.
    """
    called = [
        {
            state.get_node(edge.other): node
            for edge in list_called(state, node, split_parts(node.symbol.name), 1)
        }
        for node in nodes
        if node.symbol.kind in CALLABLE_KINDS
    ]
    counted = Counter(one for own in called for one in own)
    return {
        one: Reason(f"called by {shorten_in(node.path, node.qualified_name)}", Role.DEPENDED_ON)
        for own in called
        for one, node in own.items()
        if counted[one] == 1 and one not in nodes and len(called) > 1
    }


def _list_making(state: ResearchState, nodes: Sequence[Node]) -> dict[Node, Reason]:
    """Return what makes one of two types for the other: a member of that, or a function in its file."""
    making: dict[Node, Reason] = {}
    if len(nodes) != 2 or not all(node.symbol.kind in TYPE_KINDS for node in nodes):
        return making
    for made, node in (nodes, nodes[::-1]):
        for edge in list_users(state, made, SHORT):
            user = state.get_node(edge.other)
            is_member = user.qualified_name.startswith(f"{node.qualified_name}.")
            is_beside = made.path != node.path and not user.symbol.parent
            if user.path == node.path and user.symbol.kind in CALLABLE_KINDS and (is_member or is_beside):
                own, other = node.symbol.name, made.symbol.name
                making[user] = Reason(f"makes {other} for {own}", Role.MAKES_COMPARED, f"{own} makes {other}")
    return making


def _list_readers(state: ResearchState, subjects: Sequence[Subject]) -> dict[Node, Reason]:
    """Return the functions that decide by the values of all compared names, the shortest first, with reasons.

    What sets two options says little of their difference: that lies in what is done with them. If no function
    decides by all, return for each value those that decide by it and use it on the most lines.
    """
    if all(map(list_enum_members, subjects)):
        return list_choosing(state, subjects)
    declared = [_list_declared(state, name_value(one)) for one in subjects]
    readers = [_find_readers(state, nodes) for nodes in declared]
    names = [name_value(one) for one in subjects]
    deciding = dict.fromkeys(node for own in readers for node in own)
    both = [
        node
        for node in deciding
        if all(
            node in own or _decides_by_variable(state, node, name)
            for own, name in zip(readers, names, strict=True)
        )
    ]
    if both:
        both.sort(key=lambda node: (_PRINTS.fullmatch(node.symbol.name) is not None, count_lines(node)))
        return dict.fromkeys(both[:MOST_READERS], DECIDING_ALL)
    found: dict[Node, Reason] = {}
    for subject, nodes, known in zip(subjects, declared, readers, strict=True):
        own = _find_readers(
            state, [node for node in nodes if _is_bound(state, node, subject)] if known else []
        )
        best = sorted(own, key=lambda node: (-own[node], count_lines(node)))[:MOST_READERS]
        name = name_value(subject)
        found.update(dict.fromkeys(best, Reason(f"decides by {name}", Role.DECIDES_BY_ONE, name)))
    return found


def _decides_by_variable(state: ResearchState, node: Node, name: str) -> bool:
    """Return True for a function that decides by a variable or parameter with a name of several words.

    That is probably the value: `finalMinLevel` in a function that is handed `rule.FinalMinLevel`.
    """
    lines = read_body(state, node)
    found = re.search(rf"(?<![.\w]){re.escape(name)}\b", "\n".join(lines), re.IGNORECASE)
    return count_words(name) > 1 and found is not None and decides(found[0], lines)


def _is_bound(state: ResearchState, node: Node, subject: Subject) -> bool:
    """Return True for a value that what is compared is bound to."""
    return bool(subject.nodes) and subject.nodes[0] in find_run(state.graph, node, state.source.read_lines)


def _list_declared(state: ResearchState, name: str) -> list[Node]:
    """Return the values that have a name."""
    declared = map(state.get_node, state.graph.scan.find_declared(name, MAX_DECLARING))
    return [node for node in declared if node.symbol.kind in VALUES]


def _show_deciding(state: ResearchState, names: Sequence[str]) -> None:
    """Show of what decides by all names the lines with one of them, each with the next: it may be long."""
    # Of several words, a variable may have the name in another case.
    spelled = [rf"(?i:{re.escape(name)})" if count_words(name) > 1 else re.escape(name) for name in names]
    has_name = re.compile(rf"\b(?:{'|'.join(spelled)})\b")
    for position, one in enumerate(state.findings):
        if one.role in (Role.DECIDES_BY_ALL, Role.DECIDES_BY_ONE):
            lines = state.source.read_lines(one.path)
            numbers = range(one.start_line, min(one.end_line, len(lines)) + 1)
            held = tuple(at for at in numbers if has_name.search(lines[at - 1]))[:MOST_DECIDING]
            held = held[1:] if held[1:] and held[0] == one.start_line else held  # its parameters
            near = {*held, *(at + 1 for at in held if at < one.end_line)}
            near.update(at - 1 for at in held if _GOES_ON.match(lines[at - 1]))
            if one.role is Role.DECIDES_BY_ALL and len(numbers) <= WHOLE_LINES:
                near.update(numbers)
            if one.role is Role.DECIDES_BY_ONE:
                held = tuple(at for at in held if any(chooses(name, lines[at - 1]) for name in names))
                near.update(one.shown)
            shown = tuple(sorted({one.start_line, *near}))
            state.findings[position] = replace(one, lines=held, shown=shown)


def _find_readers(state: ResearchState, values: Sequence[Node]) -> dict[Node, int]:
    """Return the functions of the program that decide by one of some values, with the lines that use it."""
    found: dict[Node, int] = {}
    for value in values:
        for edge in list_users(state, value, SHORT, (EdgeType.REFERENCES,)):
            node, lines = state.get_node(edge.other), state.source.read_lines(edge.other.path)
            is_own = node.symbol.kind in CALLABLE_KINDS and admits_node(state, node)
            if (
                decides(value.symbol.name, [lines[at - 1] for at in edge.lines if at <= len(lines)])
                and is_own
            ):
                found[node] = len(edge.lines)
    return found


def _note_described(state: ResearchState, nodes: Sequence[Node], described: Subject) -> None:
    """Note what is named of two things that are compared, and what fits the words for the other."""
    for node in nodes:
        state.add(node, explain_named(node.symbol.name), 0, shown=show_body(state, node, NAMED_CHARS))
    asked = state.request
    names = {node.symbol.name for node in nodes}
    guesses = tuple(one for one in asked.guesses if one not in names)
    state.request = replace(asked, query=described.asked, guesses=guesses)
    find_seeds(state, described.asked)
    state.request = asked
    state.word_match.rivals = [one for one in state.word_match.rivals if one[1] not in nodes]


def _note_table(state: ResearchState, names: Sequence[str]) -> None:
    """Note the rows of the first table of a document that has one for each of some names."""
    names = list(dict.fromkeys(names))
    for hit in find_sections(state, names) if len(names) > 1 else ():
        span = (hit.section_start, hit.section_end)
        rows = choose_rows(state.source.read_lines(hit.path), span, names)
        if rows:
            title = hit.breadcrumb or hit.path
            reason = Reason("a table in the documentation has both", Role.COMPARED)
            state.add_place(
                Finding(
                    hit.path, rows[0], rows[-1], title, "section", None, reason, 0, "text", shown=tuple(rows)
                )
            )
            return


def _note_values(state: ResearchState, subject: Subject) -> None:
    """Note the values and members of an enumeration that a subject is, with the comments above them."""
    for node in subject.nodes:
        if node.symbol.kind in VALUES or node.symbol.kind is SymbolKind.ENUM_MEMBER:
            shown = (*list_comment(state, node), *show_body(state, node, VALUE_CHARS))
            state.add(node, explain_named(subject.asked), 0, shown=shown)


def pair_subjects(state: ResearchState, reading: Reading) -> Reading:
    """Return a reading whose subjects have at most COMPARED declarations each, the fitting ones first.

    Of two names that many declare, those types are compared that belong together, or the members of the type
    that declares both. Of the overloads of a type, the one that does the work comes before those that hand on
    to it. Of many, one compares those in a file that declares the others too, with the same parameters. Of
    several such files, the first is that whose declarations others override.
    """
    reading = keep_of_one_type(state, _choose_pair(state, reading))
    working = {node for one in reading.subjects for node in _list_working(state, one.nodes)}
    paired = []
    overridden = Counter(
        node.path for one in reading.subjects for node in one.nodes if list_overriding(state, node)
    )
    for subject in reading.subjects:
        others = [node for one in reading.subjects if one is not subject for node in one.nodes]
        kinds = {node.symbol.kind for node in others}
        paths, parameters = {node.path for node in others}, {_read_parameters(state, node) for node in others}
        ordered = sorted(  # stable
            subject.nodes,
            key=lambda node: (
                node not in working,
                node.symbol.kind not in kinds,
                node.symbol.kind is SymbolKind.MACRO,  # which stands in for a function elsewhere
                node.path not in paths,
                -overridden[node.path],
                _read_parameters(state, node) not in parameters,
            ),
        )
        left_out = subject.left_out + max(0, len(ordered) - COMPARED)
        paired.append(replace(subject, nodes=tuple(ordered[:COMPARED]), left_out=left_out))
    return replace(reading, subjects=tuple(paired))


def _is_abstract(state: ResearchState, node: Node) -> bool:
    """Return True for a member of an interface."""
    return bool(node.symbol.parent) and state.get_parent(node).symbol.kind in ABSTRACT_KINDS


def _list_working(state: ResearchState, nodes: Sequence[Node]) -> list[Node]:
    """Return some declarations, of overloads of one type the longest that does not hand on to another.

    Members of interfaces are left out if others do what they only declare.
    """
    nodes = [node for node in nodes if not _is_abstract(state, node)] or nodes
    overloads: dict[tuple[str, str], list[Node]] = {}
    for node in nodes:
        overloads.setdefault((node.path, node.qualified_name), []).append(node)

    def rate(node: Node) -> tuple[bool, int]:
        return not calls_its_name(node, read_body(state, node)), count_lines(node)

    return [own[0] if len(own) == 1 else max(own, key=rate) for own in overloads.values()]


def _choose_pair(state: ResearchState, reading: Reading) -> Reading:
    """Return a reading of two names, of each only the type that belongs together with the other one.

    Such types are of one kind and in one folder. Return the reading as it is if there are none.
    """
    if len(reading.subjects) != 2 or not any(len(one.nodes) > 1 for one in reading.subjects):
        return reading
    listed = [_list_types(state, one) for one in reading.subjects]
    pairs = [
        (first, second)
        for first in listed[0]
        for second in listed[1]
        if first.kind == second.kind and first.folder == second.folder
    ]
    if not pairs:
        return reading
    # those of one file belong together, then the longest, and the first of equals
    chosen = max(pairs, key=lambda pair: (pair[0].path == pair[1].path, sum(map(count_lines, pair))))
    subjects = (
        replace(subject, nodes=(node,), left_out=subject.left_out + len(subject.nodes) - 1)
        for subject, node in zip(reading.subjects, chosen, strict=True)
    )
    return build_reading(reading.form, tuple(subjects))


def _list_types(state: ResearchState, subject: Subject) -> list[Node]:
    """Return the types of the program that have the name of a subject, also those that were left out."""
    name = subject.name.rpartition(".")[2] or subject.asked
    found = [] if "." in subject.name else state.graph.scan.find_declared(name, MAX_DECLARING)
    nodes = dict.fromkeys((*subject.nodes, *map(state.get_node, found)))
    return [node for node in nodes if node.symbol.kind in TYPE_KINDS and admits_node(state, node)]


def _read_parameters(state: ResearchState, node: Node) -> str:
    """Return what stands in the round brackets behind the name of a declaration; "" for none."""
    head = next(iter(read_body(state, node)), "")
    return head.partition(f"{node.symbol.name}(")[2].partition(")")[0]
