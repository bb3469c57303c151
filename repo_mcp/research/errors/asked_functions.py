"""Find the functions whose errors are asked for, by the names that a question gives them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.errors.asked_types import choose_of_types
from repo_mcp.research.errors.followed_calls import find_above
from repo_mcp.research.errors.raising_lines import list_raising
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.locating import is_test_node
from repo_mcp.research.findings.named_symbols import count_lines
from repo_mcp.research.findings.records import Form, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, build_finding, list_uses
from repo_mcp.research.question.asked_words import includes_tests
from repo_mcp.research.question.named_forms import find_only_name
from repo_mcp.research.question.phrase_names import is_one_name, is_whole_name
from repo_mcp.research.question.phrases import read_phrase
from repo_mcp.research.question.subjects import Subjects
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind
from repo_mcp.text.guessed_names import list_own_names

_BETWEEN = re.compile(r",? (?:and|or) |, ")  # several names
_HEAD = re.compile(r"([A-Za-z_$][\w$]*) (?:against|for|from|in|into|of|on|to|with)\b")


def find_named_functions(state: ResearchState, text: str) -> list[Node]:
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
    alike = [node for node in nodes if node.symbol.kind in CALLABLE_KINDS] or [
        node for node in nodes if node.symbol.kind is SymbolKind.PROPERTY and count_lines(node) > 1
    ]
    named = _keep_meant(state, alike)
    functions = [node for node in named if node.symbol.kind is not SymbolKind.CONSTRUCTOR]
    if functions:
        functions = choose_of_types(state, functions, are_all=not subject.left_out)
    functions += _list_above(state, functions, alike)
    types = [
        node for node in nodes if node.symbol.kind in TYPE_KINDS and list_raising(state, build_finding(node))
    ]
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


def _list_called_names(state: ResearchState, node: Node) -> set[str]:
    return {state.get_node(edge.other).symbol.name for edge in list_uses(state, node, GLANCE)}


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


def is_namesake(state: ResearchState, name: str, path: str) -> bool:
    """Return True for the name of a function whose errors are asked for, in a file without this function."""
    meant = [node for node in state.failures.asked if node.symbol.name == name]
    return bool(meant) and all(node.symbol.kind in CALLABLE_KINDS and node.path != path for node in meant)
