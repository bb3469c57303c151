"""Find the functions that make the errors which a question or a guess names, or describes by a negation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.errors.uses import MAKING, ErrorUse, find_used, find_written
from repo_mcp.research.findings.handed_on import Place
from repo_mcp.research.findings.named_symbols import VALUES, admits_node
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.denied_names import list_denied_names
from repo_mcp.research.question.error_types import is_error, is_error_name
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.guessed_names import list_own_names

MAX_DECLARING = 4  # files that declare one error
MOST_MAKING = 4  # functions that make one error, if each is shown for it
_ERRORS = ("Error", "Exception")  # endings of the name of an error that is declared for a type
# The name of an error, or the last part of one.
_CAPITAL = re.compile(r"\b[A-Z]\w*[a-z]\w*|\b(?:[A-Z0-9]+_){0,4}ERR(?:_[A-Z0-9]+)+\b")


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


def find_denied_makers(state: ResearchState) -> dict[Node, Reason]:
    """Return the functions that make an error that the question describes by a negation, with reasons.

    "a parcel that isn't labelled" means `NotLabelled`. Of six such functions to which 360 questions led,
    all were wanted; of ten that make an error which more than MOST_MAKING make, none was.
    """
    for name in list_denied_names(state.request.query):
        making: dict[Node, None] = {}
        for node in map(state.get_node, state.graph.scan.find_declared(name, MAX_DECLARING)):
            if admits_node(state, node) and is_error(state.graph, node, state.source.read_lines):
                used = _keep_in_functions(state, find_used(state, node))
                making |= {other: None for other, one in used if one.use in MAKING}
        if making:
            is_sure = len(making) <= MOST_MAKING
            return dict.fromkeys(making if is_sure else (), Reason(f"makes {name}", Role.MAKES_ERROR))
    return {}


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
