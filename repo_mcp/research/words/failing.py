"""Find the functions that fail: those that a question about errors names, and those that they call."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.graph.edges import Bounds, Edge
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.model import ExactRequest
from repo_mcp.research.edges.filled_functions import fill
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.named_symbols import admits_node, read_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Form, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, list_users, list_uses
from repo_mcp.research.question.named_forms import find_only_name
from repo_mcp.research.question.phrase_names import is_whole_name
from repo_mcp.research.question.phrases import read_phrase
from repo_mcp.research.question.subjects import Subjects
from repo_mcp.research.words.errors_made import find_errors, makes_error
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind

FAILING_DEPTH, MAX_CALLING = 3, 12  # levels of calls searched for errors, and functions on each level
NEAR_DEPTH = 5  # levels of what lies in one file, or overrides what is called
MAX_FAILING = 5  # functions shown for a question about the errors of a function
MAX_DECLARING = 4  # files that declare one error
MOST_MAKING = 4  # functions that make one error, if each is shown for it
MOST_WRITTEN = 40  # lines of the text with the name of an error that no edge leads to
LEAST_BELOW = 2  # of these, functions below the named ones, however many overloads have the name
_TRANSLATES = re.compile(r"translate_?\w*err|map_?\w*err|strerror", re.IGNORECASE)
# The name of an error, or the last part of one.
_CAPITAL = re.compile(r"\b[A-Z]\w*[a-z]\w*|\b(?:[A-Z0-9]+_){0,4}ERR(?:_[A-Z0-9]+)+\b")
_MENTIONS = (*CALLS, EdgeType.REFERENCES)
_BOUNDS = Bounds(files=20, references=60)


def find_failing(state: ResearchState, text: str) -> tuple[list[Node], dict[Node, Reason]]:
    """Return the functions that a question about errors names and those below them that fail.

    The mapping has the reason for each of the latter. Callees are searched level by level while few functions
    are found. Declarations without a body are left out if one has a body; if none has, the functions that
    override or implement them are added. Both results are empty if the question names no function, and no
    type that fails itself.
    """
    named = _find_named(state, text)
    if named and named[0].symbol.kind in TYPE_KINDS:
        return named, {}
    named = [node for node in named if node.symbol.end_line > node.symbol.start_line] or [
        *named,
        *(state.get_node(link.source) for node in named for link in list_overriding(state, node)),
    ]
    below = find_below(state, named, max(MAX_FAILING - len(named), LEAST_BELOW))
    return [*named[: max(1, MAX_FAILING - len(below))], *below][:MAX_FAILING], below


def find_below(state: ResearchState, named: Sequence[Node], most: int) -> dict[Node, Reason]:
    """Return functions that fail below some others, each with the reason: levels until there are `most`."""
    failing: dict[Node, Reason] = {}
    level, seen = [*named], {*named}
    for depth in range(1, NEAR_DEPTH + 1):
        below: list[Node] = []
        for node in level[:MAX_CALLING] if len(failing) < most else ():
            for edge, other in _list_run(state, node, is_deep=depth > FAILING_DEPTH):
                if other not in seen:
                    seen.add(other)
                    below.append(other)
                if other not in named and other not in failing and fails(state, other):
                    failing[other] = Reason(f"fails, and {node.symbol.name} {edge.type.value} it", Role.FAILS)
        level = below
    return failing


def _list_run(state: ResearchState, node: Node, *, is_deep: bool) -> list[tuple[Edge, Node]]:
    """Return the functions of the program that one uses; what overrides one that does nothing itself.

    That must be a single one: of several it is not known which is called. Of those deep below what was asked
    for, return only the overriding ones and those in the same file.
    """
    used = []
    for edge in list_uses(state, node, _BOUNDS, _MENTIONS):
        other = state.get_node(edge.other)
        filled = fill(state, other) if other.symbol.kind in CALLABLE_KINDS else []
        for one in filled if len(filled) == 1 else ():
            if is_program(one.path) and not (is_deep and one is other and one.path != node.path):
                used.append((edge, one))
    return used


def find_makers(state: ResearchState) -> dict[Node, Reason]:
    """Return the functions of the program that make an error named by the question or a guess, with reasons.

    Where it is made says when it comes up, however few words of the question stand there. If many functions
    make it, those count that make another one that is named.
    """
    made: dict[str, dict[Node, None]] = {}
    for name in dict.fromkeys(_CAPITAL.findall(" ".join((state.request.query, *state.request.guesses)))):
        own = made.setdefault(name, {})
        for declaration in state.graph.scan.find_declared(name, MAX_DECLARING):
            for edge in list_users(state, state.get_node(declaration), _BOUNDS, _MENTIONS):
                other = state.get_node(edge.other)
                is_function = other.symbol.kind in CALLABLE_KINDS and admits_node(state, other)
                if is_function and _makes(name, state.source.read_lines(other.path), edge.lines):
                    own[other] = None
        own |= dict.fromkeys(_list_writing(state, name)) if not own and name.isupper() else {}
    counts = Counter(node for own in made.values() for node in own)
    making: dict[Node, Reason] = {}
    for name, own in made.items():
        for node in own if len(own) <= MOST_MAKING else (node for node in own if counts[node] > 1):
            making.setdefault(node, Reason(f"makes {name}", Role.MAKES_ERROR))
    return making


def _list_writing(state: ResearchState, name: str) -> list[Node]:
    """Return the functions of the program with lines that make an error, which may be declared as a value."""
    request = ExactRequest(name, whole_word=True, limit=MOST_WRITTEN, include_tests=False)
    found = [match for match in state.source.search_exact(request).matches if name in find_errors(match.line)]
    around = (state.source.find_around(match.path, match.start_line) for match in found)
    return [
        node
        for node in around
        if node is not None and node.symbol.kind in CALLABLE_KINDS and admits_node(state, node)
    ]


def _makes(name: str, lines: Sequence[str], numbers: Sequence[int]) -> bool:
    """Return True if one of some lines makes an error of a name, not only one that has it inside."""
    texts = [lines[at - 1] for at in numbers if at <= len(lines) and makes_error(lines[at - 1])]
    return any(name in re.split(r"\W+", found) for text in texts for found in find_errors(text))


def _find_named(state: ResearchState, text: str) -> list[Node]:
    """Return the functions that a question names, or else the types whose lines fail.

    They may be named in several words, if these make up the whole name: "let command" for `LetCommand`.
    """
    phrase = read_phrase(find_only_name(text) or text)
    subject = Subjects(state.graph, state.request.folder, state.source.read_lines).find(phrase, Form.CALLEES)
    if " " in phrase.text:
        nodes = [node for node in subject.nodes if is_whole_name(node.symbol.name, phrase.text)]
    else:
        nodes = list(subject.nodes) if subject.taken_as is TakenAs.DECLARED else []
    named = [node for node in nodes if node.symbol.kind in CALLABLE_KINDS]
    functions = [node for node in named if node.symbol.kind is not SymbolKind.CONSTRUCTOR]
    types = [node for node in nodes if node.symbol.kind in TYPE_KINDS and _holds_error(state, node)]
    return functions or types or named


def fails(state: ResearchState, node: Node) -> bool:
    """Return True for a function that raises or returns an error.

    A constructor is none, nor is what gives the error of another system as ours: it holds every error.
    """
    is_callable = node.symbol.kind in CALLABLE_KINDS and node.symbol.kind is not SymbolKind.CONSTRUCTOR
    if not is_callable or _TRANSLATES.search(node.symbol.name):
        return False
    return _holds_error(state, node)


def _holds_error(state: ResearchState, node: Node) -> bool:
    left_out = state.source.read_comment_lines(node.path)
    body = enumerate(read_body(state, node), node.symbol.start_line)
    return any(number not in left_out and makes_error(line) for number, line in body)
