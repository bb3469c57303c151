"""Find what sets, reads and holds the default of a setting by names made of its own: `DEFAULT_MAX_RETRIES`.

Where settings are private fields, as in Java, callers set one by a function such as `setMaxRetries`, and what
it decides is in the callers of another, such as `getMaxRetries`. The value that it has otherwise is often
that of a constant or a function.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import NAMED
from repo_mcp.model import ExactMatch
from repo_mcp.research.findings.locating import is_test_symbol, may_answer
from repo_mcp.research.findings.named_symbols import VALUES
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.settings.traced_values import trace_value
from repo_mcp.research.words.shown_lines import show_body
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind

SHORT_LINES = 12  # a longer function does more than to set or return a value
MAX_DECLARED, MAX_FUNCTIONS, MAX_READERS = 12, 2, 3  # of one name; setters or getters; callers of a getter
MAX_USERS = 6  # of a constant
READER_CHARS = 300  # shown of a caller
_BOUNDS = Bounds(files=20, references=60)
_SETTERS, _GETTERS, _DEFAULTS = ("set", "with", "enable"), ("get", "is", "has"), ("default",)
_HELD = CALLABLE_KINDS | VALUES
_IMPORTERS = frozenset({SymbolKind.FILE, SymbolKind.MODULE})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def find_setters(state: ResearchState, name: str) -> list[Node]:
    """Return the first functions that by their names let callers set a setting: `setMaxRetries`."""
    return _find_short(state, _spell(name, _SETTERS))[:MAX_FUNCTIONS]


def note_accessors(state: ResearchState, name: str, setters: Iterable[Node]) -> None:
    """Note what holds the default of a setting, what lets callers set it, and what reads it by a function."""
    for node in _find_short(state, _spell(name, _DEFAULTS), _HELD)[:MAX_FUNCTIONS]:
        reason = Reason(f"by its name holds the default of {name}", Role.DEFAULT, name)
        state.add(node, reason, 1, shown=show_body(state, node, READER_CHARS))
    for node in setters:
        reason = Reason(f"lets callers set {name}", Role.SETTER, name)
        state.add(node, reason, 1, shown=show_body(state, node, READER_CHARS))
    getters = _find_short(state, _spell(name, _GETTERS))
    names = {one.symbol.name for one in getters}
    for node in getters[:MAX_FUNCTIONS]:
        found = _find_readers(state, node, names)
        readers = [(one, lines) for one, lines in found if not _sets(state, name, one, lines)]
        for reader, lines in readers[:MAX_READERS]:
            shown = show_body(state, reader, READER_CHARS, dict.fromkeys(lines, (name,)))
            shown = tuple(sorted({*shown, *lines[:1]}))
            state.add(reader, _explain_reader(node), 1, Confidence.PROBABLE, lines, shown=shown)


def note_values(state: ResearchState, name: str, nodes: Iterable[Node]) -> None:
    """Note the constants whose values declarations of a setting give it: `= Limits.DefaultRetries;`."""
    for node in nodes:
        for place in trace_value(state, node)[-1:]:
            held = state.source.find_around(place.path, place.first)
            if held is not None and held != node and held.symbol.kind in VALUES:
                reason = Reason(f"is the value given to {name}", Role.VALUE, name)
                state.add(held, reason, 1, shown=show_body(state, held, READER_CHARS))


def note_constants(state: ResearchState, key: str, matches: Iterable[ExactMatch]) -> None:
    """Note what uses the constants that hold a key as a text, among the declarations around some lines."""
    quoted = re.compile(rf"[\"'`]{re.escape(key)}[\"'`]")
    held = dict.fromkeys(
        node
        for one in matches
        if quoted.search(one.line) and may_answer(one.path)
        for node in [state.source.find_around(one.path, one.start_line)]
        if node is not None and node.symbol.kind in VALUES and _is_short(node)
    )
    for constant in [*held][:MAX_FUNCTIONS]:
        state.check()
        edges = state.graph.find_incoming(constant, NAMED, _BOUNDS).edges
        users = [(state.get_node(edge.other), edge) for edge in edges if may_answer(edge.other.path)]
        own = [one for one in users if not is_test_symbol(one[0]) and one[0].symbol.kind not in _IMPORTERS]
        for user, edge in own[:MAX_USERS]:
            state.add(user, _explain_reader(constant), 1, edge.confidence, edge.lines, shown=edge.lines)


def _explain_reader(node: Node) -> Reason:
    """Return the reason for what reads a setting through a function or a constant."""
    return Reason(f"reads it through {node.symbol.name}", Role.READER, node.symbol.name)


def _is_short(node: Node) -> bool:
    """Return whether a declaration has few lines."""
    return node.symbol.end_line - node.symbol.start_line < SHORT_LINES


def _spell(name: str, verbs: Sequence[str]) -> list[str]:
    """Return the names that consist of a word and those of a setting, as different languages write them."""
    words = [word.lower() for word in _WORD.findall(name)]
    pascal = "".join(map(str.capitalize, words))
    return [
        spelled
        for verb in verbs
        for snake in ["_".join((verb, *words))]
        for spelled in (f"{verb}{pascal}", f"{verb.capitalize()}{pascal}", snake, snake.upper())
    ]


def _find_short(
    state: ResearchState, names: Iterable[str], kinds: Set[SymbolKind] = CALLABLE_KINDS
) -> list[Node]:
    """Return the short declarations of some kinds that have one of some names, those with a body first."""
    state.check()
    found = [
        state.get_node(one)
        for name in names
        for one in state.graph.scan.find_declared(name, MAX_DECLARED)
        if may_answer(one.path) and state.admits(one.path)
    ]
    short = [
        node for node in found if node.symbol.kind in kinds and _is_short(node) and not is_test_symbol(node)
    ]
    return sorted(short, key=lambda node: node.symbol.start_line == node.symbol.end_line)  # stable


def _sets(state: ResearchState, name: str, reader: Node, lines: Sequence[int]) -> bool:
    """Return True for a function that passes a setting on under the same name, as a copying one does."""
    text = state.source.read_lines(reader.path)
    return any(re.search(rf"\b{re.escape(name)}\s*[=:]", text[line - 1], re.IGNORECASE) for line in lines)


def _find_readers(
    state: ResearchState, getter: Node, names: Iterable[str]
) -> list[tuple[Node, tuple[int, ...]]]:
    """Return the functions that call a getter and are none, each with the lines of its calls."""
    own = set(names)
    edges = list_users(state, getter, _BOUNDS)
    readers = [(state.get_node(edge.other), edge.lines) for edge in edges if may_answer(edge.other.path)]
    return [
        (node, lines)
        for node, lines in readers
        if node.symbol.kind in CALLABLE_KINDS and node.symbol.name not in own and not is_test_symbol(node)
    ]
