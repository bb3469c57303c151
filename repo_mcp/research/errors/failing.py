"""Find the functions that fail: those that a question names, what they call, and what makes a named error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.bodies.statements import only_logs
from repo_mcp.graph.edges import Bounds, Edge
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.ranking.query.asked_name import split_qualified
from repo_mcp.research.edges.filled_functions import MOST_OVERRIDING, list_standing_in
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.errors.caught import find_filter, list_caught
from repo_mcp.research.errors.entered import list_leaving
from repo_mcp.research.errors.given_arguments import Given
from repo_mcp.research.errors.guards import read_guard
from repo_mcp.research.errors.lines import OF_ARGUMENT, find_errors
from repo_mcp.research.errors.made import iter_errors, list_raising
from repo_mcp.research.errors.reached_lines import join_known, list_unreached, read_call
from repo_mcp.research.errors.uses import MAKING, ErrorUse, find_used, find_written
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.handed_on import Place
from repo_mcp.research.findings.locating import is_program, is_test_node
from repo_mcp.research.findings.named_symbols import VALUES, admits_node
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Form, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, build_finding, list_users, list_uses
from repo_mcp.research.question.asked_words import includes_tests
from repo_mcp.research.question.error_types import is_error, is_error_name, is_of_error
from repo_mcp.research.question.named_forms import find_only_name
from repo_mcp.research.question.phrase_names import is_one_name, is_whole_name
from repo_mcp.research.question.phrases import read_phrase
from repo_mcp.research.question.subjects import Subjects
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import shares_word

FAILING_DEPTH, MAX_CALLING = 3, 24  # levels of calls searched for errors, and functions on each level
NEAR_DEPTH = 5  # levels of what lies in one file, or overrides what is called
LEVELS_ABOVE = 2  # of calls, from a function to those around it
MAX_FAILING = 5  # functions shown for a question about the errors of a function
MAX_DECLARING = 4  # files that declare one error
MAX_OVERLOADING, MOST_OVERLOADS = 200, 12  # declarations of one name, and functions whose errors are told
MOST_MAKING = 4  # functions that make one error, if each is shown for it
MOST_TRIED = 8  # functions that override one, until one is found that fails
MOST_BELOW = 40  # functions whose errors are told for such a question
LEAST_BELOW = 2  # of these, functions below the named ones, however many overloads have the name
_WORD = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])")  # of a name
_BETWEEN = re.compile(r",? (?:and|or) |, ")  # several names
_HEAD = re.compile(r"([A-Za-z_$][\w$]*) (?:against|for|from|in|into|of|on|to|with)\b")
_ERRORS = ("Error", "Exception")  # endings of the name of an error that is declared for a type
_TRANSLATES = re.compile(r"translate_?\w*err|map_?\w*err|strerror", re.IGNORECASE)
# The name of an error, or the last part of one.
_CAPITAL = re.compile(r"\b[A-Z]\w*[a-z]\w*|\b(?:[A-Z0-9]+_){0,4}ERR(?:_[A-Z0-9]+)+\b")
_MENTIONS = (*CALLS, EdgeType.REFERENCES)
_BELOW = Bounds(files=40, references=240)  # of a long function: the call that fails may be its last


def find_failing(state: ResearchState, text: str) -> tuple[list[Node], dict[Node, Reason]]:
    """Return the functions that a question names and those below them that fail.

    The mapping has the reason for each of the latter. Callees are searched level by level while few functions
    are found. Declarations without a body are left out if one has a body; if none has, the functions that
    override or implement them are added. Types of errors that are guessed and raised come behind the first
    functions that fail, and are in the mapping, too. Both results are empty if the question names no
    function, and no type that fails itself. All that fail are noted in the state.
    """
    named = state.failures.asked = _find_named(state, text)
    if named and named[0].symbol.kind in TYPE_KINDS:
        return named, {}
    named = [node for node in named if _has_body(state, node)] or [
        *named,
        *(state.get_node(link.source) for node in named for link in list_overriding(state, node)),
    ]
    below = find_below(state, named, MOST_BELOW) if named else {}
    words = [word for node in named for word in _WORD.findall(node.symbol.name)]

    def rank(node: Node) -> tuple[bool, int]:
        return node.symbol.kind is SymbolKind.CONSTRUCTOR, -shares_word(node.symbol.name, words)

    best = state.failures.failing = sorted(below, key=rank)
    room = max(MAX_FAILING - len(named), LEAST_BELOW)
    leading = named[: max(1, MAX_FAILING - min(len(best), room))]
    shown = [*leading, *best][:MAX_FAILING]
    guessed = _find_guessed_types(state, [*named, *best])
    first = len(leading) + LEAST_BELOW
    return [*shown[:first], *guessed, *shown[first:]], below | guessed


def _has_body(state: ResearchState, node: Node) -> bool:
    """Return True for a function of several lines, and for one of a single line that calls something.

    What an interface of TypeScript declares has none, on however many lines.
    """
    if node.symbol.parent and state.get_parent(node).symbol.kind is SymbolKind.INTERFACE:
        last = "".join(state.source.read_lines(node.path)[node.symbol.end_line - 1 : node.symbol.end_line])
        if not last.rstrip().endswith("}"):
            return False
    return node.symbol.end_line > node.symbol.start_line or bool(list_uses(state, node, GLANCE))


def _find_guessed_types(state: ResearchState, functions: Sequence[Node]) -> dict[Node, Reason]:
    """Return the types of errors that a question guesses and some functions raise, each with the reason."""
    raised: dict[str, Node] = {}
    guessed = list_own_names(state.request.guesses)
    for node in functions if any(name[:1].isupper() for name in guessed) else ():
        for _, errors in iter_errors(state, build_finding(node)):
            for name in (split_qualified(name)[-1] for name, _ in errors if name):
                raised.setdefault(name, node)
    return {
        node: Reason(f"{raised[name].symbol.name} raises it", Role.OTHER)
        for name in guessed
        if name in raised
        for node in map(state.get_node, state.graph.scan.find_declared(name, MAX_DECLARING))
        if node.symbol.kind in TYPE_KINDS and admits_node(state, node)
    }


def find_below(state: ResearchState, named: Sequence[Node], most: int) -> dict[Node, Reason]:
    """Return functions that fail below some others, each with the reason: levels until there are `most`.

    Note among the limits that there may be more further down, if not all was followed.
    """
    failing: dict[Node, Reason] = {}
    level, given = [*named], dict[Node, dict[str, Given]]()  # what all known calls give the parameters
    for depth in range(1, NEAR_DEPTH + 1):
        below: list[Node] = []
        reasons: dict[Node, Reason] = {}
        for node in level[:MAX_CALLING] if len(failing) < most else ():
            for edge, other in _list_run(state, node, depth, given.get(node, {})):
                if other in named:
                    continue
                own = read_call(state, node, edge.lines, other)
                known = own if other not in given else join_known(given[other], own)
                below += [other] if given.get(other) != known and other not in below else []
                given[other] = known
                reasons.setdefault(
                    other, Reason(f"fails, and {node.symbol.name} {edge.type.value} it", Role.FAILS)
                )
                _note_condition(state, node, edge.lines, other, is_direct=depth == 1)
            for other in list_leaving(state, node) if depth == 1 else ():
                reasons.setdefault(other, Reason(f"fails when {node.symbol.name} leaves it", Role.FAILS))
        for other, reason in reasons.items():
            _note_unreached(state, other, given.get(other, {}))
            if other not in failing and fails(state, other):
                failing[other] = reason
        level = below
    if level or len(failing) >= most:
        state.limit("errors that arise further down", f"calls are followed {NEAR_DEPTH} levels at most")
    return failing


def _note_condition(
    state: ResearchState, node: Node, lines: Sequence[int], other: Node, *, is_direct: bool
) -> None:
    """Note the conditions under which a function leads to another one, those that all known calls have.

    They are those of the calls in a function that is asked for, and the clauses around any call on the way.
    """
    known = state.failures.called_under
    for at in lines:
        own = _list_conditions(state, node, at, is_direct=is_direct)
        known[other] = tuple(one for one in known.get(other, own) if one in own)


def _list_conditions(state: ResearchState, node: Node, at: int, *, is_direct: bool) -> tuple[str, ...]:
    symbol, lines = node.symbol, state.source.read_lines(node.path)
    guard = read_guard(state, node.path, symbol.start_line, symbol.end_line, at).text if is_direct else ""
    clause = find_filter(lines, symbol.start_line, symbol.end_line, at)
    own = (guard and f"called under {guard}", clause and f"called in a `try` with `{clause}`")
    return tuple(dict.fromkeys(filter(None, (*state.failures.called_under.get(node, ()), *own))))


def _note_unreached(state: ResearchState, node: Node, given: dict[str, Given]) -> None:
    """Note the lines of a function that fail and that what its calls give it rules out."""
    own = range(node.symbol.start_line, node.symbol.end_line + 1)
    state.failures.unreached.difference_update((node.path, at) for at in own)
    lines = _list_raising(state, node) if given else ()
    state.failures.unreached |= {(node.path, at) for at in list_unreached(state, node, given, lines)}


def _list_run(
    state: ResearchState, node: Node, depth: int, given: dict[str, Given]
) -> list[tuple[Edge, Node]]:
    """Return the functions of the program that one uses; what overrides one that does nothing itself.

    That must be a single one, or two right below what was asked for: of several it is not known which runs,
    and it is noted that errors depend on it. Of those deep below, return only the overriding ones and those
    in the same file. What is called where all errors are caught, where what the function is `given` rules it
    out, only logs or makes an error is left out.
    """
    lines = state.source.read_lines(node.path)
    caught = list_caught(lines, node.symbol.start_line, node.symbol.end_line, node.path)
    used = []
    perhaps = _list_constructing(state, node) if depth == 1 else []
    edges = (*list_uses(state, node, _BELOW, _MENTIONS), *perhaps)
    unreached = list_unreached(state, node, given, {at for edge in edges for at in edge.lines})
    for edge in edges:
        other = state.get_node(edge.other)
        left_out = {at for at in edge.lines if at in caught or any(map(only_logs, lines[at - 1 : at]))}
        left_out |= unreached.intersection(edge.lines)
        if is_of_error(other.qualified_name, other.kind) or (edge.lines and left_out.issuperset(edge.lines)):
            continue
        filled = _list_run_for(state, other, edge.type)
        if len(filled) > MOST_OVERRIDING:  # which of them runs, only a configuration tells
            if depth == 1 and any(fails(state, one) for one in filled[:MOST_TRIED]):
                state.failures.left_open.append(other)
            continue
        for one in filled if len(filled) == 1 or depth == 1 else ():
            is_far = depth > FAILING_DEPTH and one is other and one.path != node.path
            if is_program(one.path) and not is_far:
                used.append((edge, one))
    return used


def _list_constructing(state: ResearchState, node: Node) -> list[Edge]:
    """Return the calls of a function that may run one of a few constructors of a type."""
    edges = state.graph.find_outgoing(node, CALLS, _BELOW).edges
    return [
        edge
        for edge in edges
        if edge.confidence is Confidence.POSSIBLE
        and state.get_node(edge.other).symbol.kind is SymbolKind.CONSTRUCTOR
    ][:MOST_OVERRIDING]


def _list_run_for(state: ResearchState, other: Node, edge_type: EdgeType) -> list[Node]:
    """Return what a use of a declaration runs: a function, or what implements a member without a body.

    Of a type that is called, this is its method `__init__`; other languages have edges to constructors.
    """
    if other.symbol.kind in CALLABLE_KINDS:
        return list_standing_in(state, other)
    if other.symbol.kind in TYPE_KINDS and edge_type is EdgeType.CALLS:
        record = state.graph.scan.find_record(other.path)
        members = [] if record is None else record.list_children(other.symbol.ordinal)
        nodes = (state.get_node(Declaration(other.path, member)) for member in members)
        return [node for node in nodes if node.symbol.name == "__init__"][:1]
    if other.symbol.kind is not SymbolKind.PROPERTY:
        return []
    return [state.get_node(link.source) for link in list_overriding(state, other)]


def find_makers(state: ResearchState) -> dict[Node, Reason]:
    """Return the functions of the program that make an error named by the question or a guess, with reasons.

    Where it is made says when it comes up, however few words of the question stand there. If many functions
    make it, those count that make another one that is named or have a guessed name themselves, unless it is
    declared here as a value, such as `ErrClosed`: that is one error and no kind of errors. Set where such
    values are made, and what uses named errors otherwise.
    """
    made: dict[str, dict[Node, None]] = {}
    using: dict[Node, None] = {}
    values: dict[Node, list[Place]] = {}
    for said in dict.fromkeys(_CAPITAL.findall(state.request.full_text)):
        endings = ("", *_ERRORS)  # `Lost` may be said of a `LostError`
        name = next(
            (f"{said}{end}" for end in endings if state.graph.scan.find_declared(said + end, 1)), said
        )
        found: list[tuple[Node, ErrorUse]] = []
        for node in map(state.get_node, state.graph.scan.find_declared(name, MAX_DECLARING)):
            if not is_error(state.graph, node, state.source.read_lines):
                continue
            used = _keep_in_functions(state, find_used(state, node))
            places = sorted({(one.path, one.number) for _, one in used if one.use in MAKING})
            is_value = node.symbol.kind in VALUES and node.symbol.name.startswith("Err")
            values |= {node: places} if places and is_value else {}
            found += used
        if name.isupper() and not any(one.use in MAKING for _, one in found):
            found += _keep_in_functions(state, find_written(state, [name]))
        elif is_error_name(name) and not state.graph.scan.find_declared(name, 1):
            found += _find_making_other(state, name)
        made[name] = {node: None for node, one in found if one.use in MAKING}
        using |= {node: None for node, _ in found}
    counts = Counter(node for own in made.values() for node in own)
    state.failures.values = values
    state.failures.testing = [node for node in using if node not in counts]
    whole, guessed = {node.symbol.name for node in values}, list_own_names(state.request.guesses)
    making: dict[Node, Reason] = {}
    for name, own in made.items():
        least = 1 if len(own) <= MOST_MAKING or name in whole else 2
        reason = Reason(f"makes {name}", Role.MAKES_ERROR)
        counted = (node for node in own if counts[node] >= least or node.symbol.name in guessed)
        making |= {node: reason for node in counted if node not in making}
    return making


def _find_making_other(state: ResearchState, name: str) -> list[tuple[Node, ErrorUse]]:
    """Return the uses of an error of a library in the functions that make it; none if these are many."""
    if state.source.is_absent(name):
        return []
    used = _keep_in_functions(state, find_written(state, [name]))
    found = [(node, one) for node, one in used if one.use in MAKING]
    return found if len({node for node, _ in found}) <= MOST_MAKING else []


def _keep_in_functions(state: ResearchState, uses: Sequence[ErrorUse]) -> list[tuple[Node, ErrorUse]]:
    """Return the uses in functions of the program, each behind its function."""
    return [
        (one.node, one)
        for one in uses
        if one.node and one.node.symbol.kind in CALLABLE_KINDS and admits_node(state, one.node)
    ]


def _find_named(state: ResearchState, text: str) -> list[Node]:
    """Return the functions that a question names, one or several, or else the types whose lines fail."""
    parts = _BETWEEN.split(text)
    if len(parts) > 1 and all(is_one_name(part.removesuffix("()")) for part in parts):
        return [*dict.fromkeys(node for part in parts for node in _find_one_named(state, part))]
    return _find_one_named(state, text)


def _find_one_named(state: ResearchState, text: str) -> list[Node]:
    """Return the functions that a text names, or else the types whose lines fail.

    They may be named in several words, if these make up the whole name: "let command" for `LetCommand`. Of
    "scan for a parcel", `scan` is a name if it is guessed, too.
    """
    head = _HEAD.match(text)
    guessed = head[1] if head is not None and head[1] in list_own_names(state.request.guesses) else ""
    phrase = read_phrase(find_only_name(text) or guessed or text)
    subject = Subjects(state.graph, state.request.folder, state.source.read_lines).find(phrase, Form.CALLEES)
    if " " in phrase.text:
        nodes = [node for node in subject.nodes if is_whole_name(node.symbol.name, phrase.text)]
    else:
        nodes = list(subject.nodes) if subject.taken_as is TakenAs.DECLARED else []
    if not includes_tests(state):
        nodes = [node for node in nodes if not is_test_node(node)]
    alike = [node for node in nodes if node.symbol.kind in CALLABLE_KINDS]
    named = _keep_meant(state, alike)
    functions = [node for node in named if node.symbol.kind is not SymbolKind.CONSTRUCTOR]
    if subject.left_out and functions:
        functions = _list_failing_overloads(state, functions)
    functions += _list_above(state, functions, alike)
    types = [node for node in nodes if node.symbol.kind in TYPE_KINDS and _list_raising(state, node)]
    return functions or types or named


def _keep_meant(state: ResearchState, named: Sequence[Node]) -> list[Node]:
    """Return those of some namesakes that a guess means by its owner and other guesses by what is called.

    `Shelf.only` of "only() on a shelf" is not `Query.only`; of two types of one name, that is meant whose
    member uses another guessed function. A choice that leaves none is not made.
    """
    if len({(node.path, node.qualified_name) for node in named}) < 2:
        return [*named]
    guesses = state.request.guesses
    owned = [node for node in named if any(f".{node.qualified_name}".endswith(f".{one}") for one in guesses)]
    owned = [node for node in owned if "." in node.qualified_name]
    others = {*list_own_names(guesses)} - {node.symbol.name for node in named}
    meant = [node for node in owned or named if others and _list_called_names(state, node) & others]
    return meant or owned or [*named]


def _list_above(state: ResearchState, meant: Sequence[Node], named: Sequence[Node]) -> list[Node]:
    """Return those of some namesakes that lead to the functions which are meant: callers use the outermost.

    If a guess has the owner of a function, that one is asked for, and no other.
    """
    own = {node.qualified_name for node in meant}
    others = [node for node in named if node not in meant]
    is_owned = any(
        "." in one and f".{name}".endswith(f".{one}") for name in own for one in state.request.guesses
    )
    above = set() if is_owned or not others else find_above(state, meant)
    return [node for node in others if node in above]


def find_above(state: ResearchState, nodes: Sequence[Node]) -> set[Node]:
    """Return what surely calls some functions, or calls what does, of MAX_CALLING on each level."""
    above: set[Node] = set()
    level = [*nodes]
    for _ in range(LEVELS_ABOVE):
        edges = [edge for node in level[:MAX_CALLING] for edge in list_users(state, node, GLANCE)]
        level = [
            node for node in map(state.get_node, {edge.other: None for edge in edges}) if node not in above
        ]
        above.update(level)
    return above


def is_namesake(state: ResearchState, name: str, path: str) -> bool:
    """Return True for the name of a function whose errors are asked for, in a file without this function."""
    meant = [node for node in state.failures.asked if node.symbol.name == name]
    return bool(meant) and all(node.symbol.kind in CALLABLE_KINDS and node.path != path for node in meant)


def _list_called_names(state: ResearchState, node: Node) -> set[str]:
    return {state.get_node(edge.other).symbol.name for edge in list_uses(state, node, GLANCE)}


def _list_failing_overloads(state: ResearchState, named: Sequence[Node]) -> list[Node]:
    """Return those of all overloads of the first of some functions that fail; the functions if none does."""
    overloads = (
        node
        for node in map(state.get_node, state.graph.scan.find_declared(named[0].symbol.name, MAX_OVERLOADING))
        if node.qualified_name == named[0].qualified_name and node.symbol.kind in CALLABLE_KINDS
    )
    failing = [node for node in overloads if admits_node(state, node) and fails(state, node)]
    return failing[:MOST_OVERLOADS] or [*named]


def fails(state: ResearchState, node: Node) -> bool:
    """Return True for a function that raises or returns an error.

    The constructor of an error is none, nor is what gives the error of another system as ours: it holds every
    error. A function that only refuses a missing argument does so for its caller, who may well give one.
    """
    if (
        node.symbol.kind not in CALLABLE_KINDS
        or is_of_error(node.qualified_name, node.kind)
        or _TRANSLATES.search(node.symbol.name)
    ):
        return False
    lines = state.source.read_lines(node.path)
    raising = _list_raising(state, node)
    return any(not {*find_errors(lines[at - 1])} & OF_ARGUMENT for at in raising)


def _list_raising(state: ResearchState, node: Node) -> list[int]:
    return list_raising(state, node.path, node.symbol.start_line, node.symbol.end_line)
