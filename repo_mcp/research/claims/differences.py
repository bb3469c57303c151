"""Say what compared subjects are, and what only one of compared types declares."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence, Set
from operator import itemgetter

from repo_mcp.bodies.body import list_code
from repo_mcp.bodies.statements import is_branch, only_logs
from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.research.edges.shared_members import (
    MAX_ALONE,
    find_compared_members,
    find_inherited,
    find_members,
    list_bases,
    name_apart,
)
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.errors.branches import quote
from repo_mcp.research.findings.citing import (
    cite,
    cite_lines,
    join_names,
    join_places,
    name_briefly,
    shorten,
    shorten_symbol,
    write_count,
)
from repo_mcp.research.findings.first_sentences import read_description
from repo_mcp.research.findings.named_symbols import calls_its_name, list_statements, read_code
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding, Subject
from repo_mcp.research.findings.research_state import ResearchState, list_uses
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind
from repo_mcp.text.citations import write_citation
from repo_mcp.text.guessed_names import list_own_names

MAX_CALLS = 6  # that only one of compared functions makes; of more, those are told that are guessed by name
MOST_QUOTED = 4  # conditions of a function that decides by all that is compared
_OF_ALL = "all of them"
BRIEF = 4  # statements of a function, of which all are told that another one does not run
_BOUNDS = Bounds(files=60, references=400)
# `options.mode = Mode.NONE`, `rows[key] = row`, `rows.push(row)`
_CHANGES = re.compile(
    r"[\w$#@]++(?:(?:\??\.|->|::)[\w$#]++|\[[^\]\n]{1,60}\])+\s*+"
    r"(?:[-+|&?:*/]{0,2}=(?![=>])"
    r"|(?i:(?<=add|put)|(?<=push)|(?<=append|extend|insert|remove|delete|repend|nqueue))\()"
)
_GIVES_BACK = re.compile(r"(?:return|yield)\b\s*+[\w$.]*+$")
# A parameter, under any name.
_NAME_SET = re.compile(r"=\s*+(?!(?:true|false|null|nil|nullptr|undefined)$)[a-z_$][\w$]*+$")
_IS_RUN = re.compile(r"[\w$@*(&]")  # not the middle of a type


def describe_compared(state: ResearchState, subjects: Sequence[Subject], *, counts: bool = True) -> list[str]:
    """Return for each compared subject where it is declared, and the first sentence of its comment.

    Of several declarations, the first one with a comment is quoted. A comment that two subjects have tells no
    difference, and is left out. If it `counts`, further declarations are counted.
    """
    read = [_choose_commented(state, one) for one in subjects]
    comments = [comment for comment, _ in read]
    return [
        _describe_declared(state, one, comment if comments.count(comment) == 1 else "", node, counts=counts)
        for one, (comment, node) in zip(subjects, read, strict=True)
    ]


def _choose_commented(state: ResearchState, subject: Subject) -> tuple[str, Node]:
    """Return the first comment among a subject's declarations, and which has it; "" and the first if none."""
    read = ((read_description(state, one), one) for one in subject.nodes)
    return next(filter(itemgetter(0), read), ("", subject.nodes[0]))


def _describe_declared(
    state: ResearchState, subject: Subject, comment: str, commented: Node, *, counts: bool
) -> str:
    """Return where a subject is declared with a comment, which may be that of what it overrides."""
    first, more = subject.nodes[0], len(subject.nodes) + subject.left_out - 1
    if not comment:
        others = f" and {write_count(more, 'other place')}" if more else ""
        return f"{shorten(first.qualified_name)} is declared at {cite(first)}{others}."
    cited = commented if first.qualified_name == commented.qualified_name else first
    name = f"{name_briefly(cited)}{f', one of {more + 1} declarations' if more and counts else ''}"
    overriding = (state.get_node(link.source) for link in list_overriding(state, commented))
    if cited is commented or any(first.qualified_name == one.qualified_name for one in overriding):
        return f"{name}: {comment}"
    return f'{name}; the comment on {name_briefly(commented)} says: "{comment}"'


def describe_members(state: ResearchState, nodes: Sequence[Node]) -> list[str]:
    """Return a sentence for each of some types on what it alone declares; none for anything but types.

    What another one inherits is not told: it has that, too.
    """
    sentences = []
    for node, alone in state.alone.items():
        if not alone or len(find_members(state, node)) > MAX_ALONE:
            continue
        inherited = frozenset().union(*(find_inherited(state, one) for one in nodes if one is not node))
        kept = [one for one in alone if one.symbol.name not in inherited]
        told = [f"{one.symbol.name} ({cite(one)})" for one in kept]
        is_own = all(one.path == node.path and one.symbol.parent == node.symbol.ordinal for one in kept)
        name = shorten(name_apart(node, nodes))
        sentences += (
            [f"Only {name} {'declares' if is_own else 'requires'} {join_places(told)}."] if told else []
        )
    return sentences


def describe_deriving(state: ResearchState, nodes: Sequence[Node]) -> list[str]:
    """Return a sentence for each of some types that derives from another one, with what it overrides."""
    sentences = []
    for node in nodes if all(one.symbol.kind in TYPE_KINDS for one in nodes) else ():
        for base in (one for one in list_bases(state, node) if one in nodes):
            theirs, members = (find_compared_members(state, one, nodes) for one in (base, node))
            own = (one for name, one in members.items() if name in theirs)
            overriding = [
                f"{one.symbol.name} ({cite(one)})"
                for one in own
                if one.symbol.kind is not SymbolKind.CONSTRUCTOR
            ]
            declared = f" and overrides {join_places(overriding)}" if overriding else ""
            sentences.append(
                f"{shorten(node.qualified_name)} derives from {shorten(base.qualified_name)}{declared}."
            )
    return sentences


def describe_calls(state: ResearchState, subjects: Sequence[Subject]) -> list[str]:
    """Return a sentence for each of some functions on what it alone calls; none for anything but functions.

    What is called must be declared here, and where another one has its name in its lines, that must mean
    another declaration. Another one is each declaration of another subject. Of overloads, the first counts
    that does not hand on to another one. Nothing is told of functions in folders apart, or of one whose calls
    were not all read: they have little in common.
    """
    if not all(one.nodes[0].symbol.kind in CALLABLE_KINDS for one in subjects):
        return []
    nodes = [next((one for one in subject.nodes if _is_whole(state, one)), None) for subject in subjects]
    whole = [node for node in nodes if node is not None]
    folders = sorted({node.folder for node in whole}, key=len)
    if len(whole) < len(nodes) or not all(f"{one}/".startswith(f"{folders[0]}/") for one in folders):
        return []
    every = dict.fromkeys(node for subject in subjects for node in subject.nodes)
    texts = {node: "\n".join(_list_lines(state, node)) for node in every}
    calls = {node: _list_calls(state, node) for node in every}
    guessed, sentences, places = list_own_names(state.request.guesses), list[str](), set[str]()
    for subject, node in zip(subjects, whole, strict=True):
        others = [other for other in every if other not in subject.nodes]
        alone = [
            called
            for called in calls[node]
            if not any(_may_call(called, calls[other], texts[other]) for other in others)
        ]
        asked = [called for called in alone if called.symbol.name in guessed]
        others = [] if len(alone) > MAX_CALLS else [called for called in alone if called not in asked]
        told = [f"{shorten(one.qualified_name)} ({calls[node][one]})" for one in (*asked, *others)]
        places.update(calls[node][one] for one in (*asked, *others))
        if told:
            sentences.append(f"Only {shorten(node.qualified_name)} calls {join_places(told)}.")
    return [*sentences, *describe_running(state, whole, places)]


def describe_running(
    state: ResearchState, nodes: Sequence[Node], told_places: Collection[str] = ()
) -> list[str]:
    """Return a sentence for each of two functions on the statements that it alone runs.

    These set what belongs to something, or put something into it; of brief functions that have a statement in
    common, they are all others, too. Those in `told_places` are left out.
    """
    run = [_list_run(state, node) for node in nodes]
    is_alike = all(len(own) <= BRIEF for own in run) and bool(run and set(run[0]).intersection(*run[1:]))
    sentences = []
    for node, own in zip(nodes, run, strict=True) if len(nodes) > 1 else ():
        others = {key for other in run if other is not own for key in other}
        alone = [one for key, one in own.items() if key not in others]
        told = [
            f"`{text}` ({place})"
            for text, place in alone
            if place not in told_places and (is_alike or _CHANGES.match(text))
        ]
        sentences += [f"Only {shorten(node.qualified_name)} runs {join_places(told)}."] if told else []
    return sentences


def _list_run(state: ResearchState, node: Node) -> dict[str, tuple[str, str]]:
    """Return the statements that do something, and their places, by a text without the name that one sets."""
    body = read_code(state, node)
    run: dict[str, tuple[str, str]] = {}
    for one in list_statements(state, node)[1:]:
        line, text = body.lines[one.first - 1].strip(), quote(body, (one,)).rstrip(";")
        if _IS_RUN.match(text) and not (is_branch(line) or only_logs(line) or _GIVES_BACK.match(text)):
            place = write_citation(node.path, one.first, one.first)
            run.setdefault(_NAME_SET.sub("= …", text), (text, place))
    return run


def _may_call(called: Node, calls: Iterable[Node], text: str) -> bool:
    """Return True if a function with some sure `calls` calls a declaration too, or may do so by its text."""
    names = {one.symbol.name for one in calls}
    if called in calls or called.symbol.name in names:
        return called in calls
    return re.search(rf"(?<![\w$]){re.escape(called.symbol.name)}(?![\w$])", text) is not None


def _is_whole(state: ResearchState, node: Node) -> bool:
    """Return True for a function all of whose calls were read, and which calls no overload of its own."""
    if node.symbol.kind not in CALLABLE_KINDS or node.symbol.end_line == node.symbol.start_line:
        return False
    if calls_its_name(node, _list_lines(state, node)) or state.graph.find_outgoing(node, CALLS, _BOUNDS).cut:
        return False
    return all(one.qualified_name != node.qualified_name for one in _list_calls(state, node))


def _list_lines(state: ResearchState, node: Node) -> list[str]:
    """Return the lines of a function that are code and do not only close something."""
    body = read_code(state, node)
    return [body.lines[at - 1] for at in list_code(body)]


def _list_calls(state: ResearchState, node: Node) -> dict[Node, str]:
    """Return what a function surely calls outside of itself, each with the place of the first call."""
    called: dict[Node, str] = {}
    edges = (edge for edge in list_uses(state, node, _BOUNDS) if edge.lines)
    for edge in sorted(edges, key=lambda one: one.lines[0]):
        other = state.get_node(edge.other)
        if not other.qualified_name.startswith(f"{node.qualified_name}."):
            called.setdefault(other, write_citation(node.path, edge.lines[0], edge.lines[0]))
    names = {one.qualified_name for one in called}
    return {
        one: place
        for one, place in called.items()
        if one.symbol.kind is not SymbolKind.CONSTRUCTOR
        or one.qualified_name.rpartition(".")[0] not in names  # its type is called
    }


def describe_making(state: ResearchState) -> list[str]:
    """Return a sentence for each of two types that makes the other, with where it does so first."""
    made: dict[str, Finding] = {}
    for one in state.findings:
        if one.role is Role.MAKES_COMPARED:
            made.setdefault(one.reason.about, one)
    return [f"{about}: {shorten_symbol(one)} ({one.citation})." for about, one in made.items()]


def describe_deciding(state: ResearchState) -> list[str]:
    """Return sentences on the functions that decide by all values that are compared, or by one of them."""
    deciding: dict[str, list[str]] = {}
    for one in state.findings:
        if one.role in (Role.DECIDES_BY_ALL, Role.DECIDES_BY_ONE):
            what = one.reason.about or _OF_ALL
            deciding.setdefault(what, []).append(f"{shorten_symbol(one)} ({cite_lines(one)})")
    asks = _quote_deciding(state)
    return [
        f"{join_names(named)} {'decides' if len(named) == 1 else 'decide'} by {what}."
        f"{asks if what == _OF_ALL else ''}"
        for what, named in deciding.items()
    ]


def _quote_deciding(state: ResearchState) -> str:
    """Return a sentence with the conditions of what decides by all that is compared; "" for none."""
    first = next((one for one in state.findings if one.role is Role.DECIDES_BY_ALL and one.node), None)
    if first is None or first.node is None:
        return ""
    body = read_code(state, first.node)
    asked = (
        one
        for one in list_statements(state, first.node)
        if not {*first.lines}.isdisjoint((one.first, one.last))
    )
    quoted = [quote(body, (one,)) for one in asked if is_branch(body.lines[one.first - 1])][:MOST_QUOTED]
    return f" {shorten_symbol(first)} asks {join_names(f'`{one}`' for one in quoted)}." if quoted else ""


def describe_default(state: ResearchState) -> list[str]:
    """Return a sentence for each value that has a member of a compared enumeration as a default."""
    return [
        f"{shorten(one.reason.about)} is a default ({cite_lines(one)})."
        for one in state.findings
        if one.role is Role.DEFAULT_OF_KIND
    ]


def describe_passing(state: ResearchState, subjects: Sequence[Subject]) -> list[str]:
    """Return a sentence for each of some functions that calls another of them, and often adds little."""
    nodes = {node for subject in subjects for node in subject.nodes}
    return [
        f"{one.nodes[0].symbol.name} calls {name} ({place})."
        for one in subjects
        for name, place in _list_called(state, one, nodes).items()
    ]


def _list_called(state: ResearchState, subject: Subject, nodes: Set[Node]) -> dict[str, str]:
    """Return the names of those nodes that a subject calls, except its own, each with the place of a call."""
    others = {node.declaration: node for node in nodes if node not in subject.nodes}
    called: dict[str, str] = {}
    for node in subject.nodes if subject.nodes[0].symbol.kind in CALLABLE_KINDS else ():
        for edge in list_uses(state, node, _BOUNDS):
            if edge.lines and edge.other in others:
                called.setdefault(
                    others[edge.other].symbol.name, write_citation(node.path, edge.lines[0], edge.lines[0])
                )
    return called
