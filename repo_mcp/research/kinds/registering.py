"""Find the functions that take types of a kind: one that registers them, or the constructor of their user."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.edges import Bounds, Edge
from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.research.edges.shared_members import list_bases
from repo_mcp.research.findings.bounds import GLANCE, LOOK
from repo_mcp.research.findings.locating import may_answer
from repo_mcp.research.findings.named_symbols import (
    DOING,
    admits_node,
    count_lines,
    find_by_name,
    is_deprecated,
    is_left_out,
    read_body,
)
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.kinds.base_types import is_enumeration, join_name
from repo_mcp.research.question.members_of_types import list_symbols
from repo_mcp.symbols.symbol_record import SymbolFlag, SymbolKind
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import count_words, find_action, shares_word

MOST_TAKING = 12  # functions that take a type; of more, none says where it belongs
MOST_DECLARED = 40  # functions of one name
MOST_ALSO = 1  # further ones with the name of what takes a type
HEAD_LINES = 3  # of a function, with its parameters
MOST_GUESSED = 3  # names after which a function may be called
REGISTERS = re.compile(r"_*(?:[Rr]egister|[Aa]dd|[Ii]nstall|[Uu]se|[Aa]ppend|[Pp]lug|[Dd]efine)(?![a-z])")
_SETS = re.compile(r"_*[Ss]et(?![a-z])")
_LIST_OF = r"(?:\[\]|\.\.\.|\b\w*(?:Array|Collection|Iterable|List|Seq|Sequence|Set|Vec)[\[<])\s*+"
_FAILURE = re.compile(r"(?:Error|Exception)s?$")


def find_registering(state: ResearchState, base: Node) -> Node | None:
    """Return the shortest function that takes the type and has a name like `register`; None without one.

    If none takes it, return one named after both, `RegisterParcelSorter`, which takes what makes a sorter, or
    after a guessed name: `setSorterFactory`. What sets a member of an enumeration registers none.
    """
    nodes = _list_taking(state, base)
    fitting = [
        node
        for node in nodes
        if node.symbol.kind in DOING
        and _is_offered(node, base)
        and _may_register(node.symbol.name, base.symbol.name)
    ]
    fitting = fitting or [
        node
        for kind in dict.fromkeys((base.symbol.name, *list_own_names(state.request.guesses)[:MOST_GUESSED]))
        for words in (kind, f"register {kind}", f"set {kind}")
        for node in find_by_name(state, words)
        if node.symbol.kind in DOING
        and not is_deprecated(node)
        and not is_left_out(state, node)
        and _registers_kind(node.symbol.name, kind)
        and not (is_enumeration(base) and _SETS.match(node.symbol.name))
    ]
    fitting = fitting or _list_guessed_registering(state)
    best = min(
        fitting,
        key=lambda node: (
            "register" not in node.symbol.name.lower(),
            not _hands_on(state, node),
            count_lines(node),
            node.path,
            node.symbol.start_line,
        ),
        default=None,
    )
    return None if best is None else _find_working(state, best)


def _list_guessed_registering(state: ResearchState) -> list[Node]:
    """Return the guessed functions with a verb such as `add` and the noun of the question: `add_sorter`.

    What they take may be declared elsewhere.
    """
    action = find_action(state.request.query)
    if action is None:
        return []
    nouns = {join_name(action.nouns[-1]), join_name("".join(action.nouns))}
    verbs = {name: REGISTERS.match(name) for name in list_own_names(state.request.guesses)}
    names = [name for name, verb in verbs.items() if verb and join_name(name[verb.end() :]) in nouns]
    return [node for name in names for node in _list_declared(state, name)]


def _hands_on(state: ResearchState, node: Node) -> bool:
    """Return True for a function that calls another one of its name: who uses the program calls the first."""
    call = rf"[.>:]{re.escape(node.symbol.name)}\s*\("
    return re.search(call, "\n".join(read_body(state, node)[1:])) is not None


def _find_working(state: ResearchState, best: Node) -> Node:
    """Return a function, or the overload of it that does the work if the function only hands on to one."""
    name = best.symbol.name
    calls = re.compile(rf"\b{re.escape(name)}\s*+(?:<[^()]{{,200}}>\s*+)?\(")
    alike = [node for node in state.graph.outline(best.path) if node.qualified_name == best.qualified_name]
    bodies = {node: "\n".join(read_body(state, node)).partition(name)[2] for node in (best, *alike)}
    working = (node for node, body in bodies.items() if not (calls.search(body) or is_deprecated(node)))
    return next(working, best) if calls.search(bodies[best]) else best


def find_taking(state: ResearchState, base: Node) -> Node | None:
    """Return a guessed function that takes a type, or one that others can call and that takes several of it.

    Of several, return the shortest; without any, a constructor. That takes one, and is no error's, which does
    nothing with it. Return None without either. What many functions take belongs to none of them.
    """
    guessed = _list_guessed_taking(state, base)
    if guessed:
        return _find_working(state, guessed[0])
    nodes = _list_taking(state, base)
    offered = [one for one in nodes if one.symbol.kind in DOING and one.symbol.flags & SymbolFlag.PUBLIC_API]
    several = [one for one in offered if _takes_several(one, base)]
    if 0 < len(several) <= MOST_TAKING:
        return _find_working(state, min(several, key=lambda one: (count_lines(one), one.path)))
    fitting = [
        node
        for node in nodes
        if node.symbol.kind is SymbolKind.CONSTRUCTOR
        and node.symbol.flags & SymbolFlag.PUBLIC_API
        and not _FAILURE.search(node.qualified_name.split(".")[-2:][0])
    ]
    if len(nodes) > MOST_TAKING:
        return None
    order = (count_lines(node) for node in fitting)
    return min(zip(order, fitting, strict=True), key=lambda one: (one[0], one[1].path), default=(0, None))[1]


def _list_guessed_taking(state: ResearchState, base: Node) -> list[Node]:
    """Return the guessed functions that take a type, or any that derives from it: `attach<T : Sorter>()`.

    They belong to no type of the kind.
    """
    own = {one.name for one in list_symbols(state.graph, base)}
    names = [name for name in list_own_names(state.request.guesses) if name not in own]
    found = (node for name in names for node in _list_declared(state, name))
    fitting = [node for node in found if _takes(state, node, base)]
    order = {name: at for at, name in enumerate(names)}
    return sorted(fitting, key=lambda one: (order[one.symbol.name], count_lines(one), one.path))


def _list_declared(state: ResearchState, name: str) -> list[Node]:
    """Return the functions of the program with a name and code of their own."""
    nodes = map(state.get_node, state.graph.scan.find_declared(name, MOST_DECLARED))
    return [
        node
        for node in nodes
        if node.symbol.kind in DOING
        and admits_node(state, node)
        and not is_deprecated(node)
        and state.get_parent(node).symbol.kind not in ABSTRACT_KINDS
    ]


def _takes(state: ResearchState, node: Node, base: Node) -> bool:
    """Return True for a function with a type among its parameters, or as the bound of one of its types."""
    name = re.escape(base.symbol.name)
    head = " ".join(read_body(state, node)[:HEAD_LINES])
    return (
        re.search(rf"\b{name}\b", node.symbol.parameters) is not None
        or re.search(rf"\bwhere\b[^{{;]{{0,80}}:\s*{name}\b|<[^()]{{0,80}}(?:\bextends\b|:)\s*{name}\b", head)
        is not None
    )


def list_alike(state: ResearchState, base: Node, taker: Node) -> list[Node]:
    """Return what takes a type under the name of a function: the other forms of that, or what it hands on to.

    `attach(sorter)` and `attach<T : Sorter>()` are two ways to attach one, and `App.add` may only call
    `Registry.add`, which says what fails.
    """
    calls = re.compile(rf"\b{re.escape(taker.symbol.name)}\s*+(?:<[^()]{{,200}}>\s*+)?\(")
    hands_on = calls.search("\n".join(read_body(state, taker)[1:])) is not None
    return [
        one
        for one in _list_declared(state, taker.symbol.name)
        if one != taker
        and _takes(state, one, base)
        and hands_on is (one.qualified_name != taker.qualified_name)
        and not calls.search("\n".join(read_body(state, one)).partition(one.symbol.name)[2])
    ][:MOST_ALSO]


def find_call(state: ResearchState, taker: Node, model: Node) -> tuple[Node, int] | None:
    """Return what gives a type to a function, with the line that does; None if nothing is known to."""
    name = re.compile(rf"\b{re.escape(model.symbol.name)}\b")
    for edge in list_users(state, taker, GLANCE):
        lines = state.source.read_lines(edge.other.path)
        at = next((at for at in edge.lines if at <= len(lines) and name.search(lines[at - 1])), 0)
        if at and may_answer(edge.other.path) and state.admits(edge.other.path):
            return state.get_node(edge.other), at
    return None


def _takes_several(node: Node, base: Node) -> bool:
    """Return True for a parameter that is a list of a type: `Sorter[]`, `...Sorter`, `Sequence[Sorter]`."""
    name = rf"(?:\w{{1,60}}\.)?{re.escape(base.symbol.name)}\b"
    return re.search(rf"{_LIST_OF}{name}|{name}(?:<\w*+>)?\??\[\]", node.symbol.parameters) is not None


def _list_taking(state: ResearchState, base: Node) -> list[Node]:
    """Return some functions of the program that take a type and are not deprecated.

    The type may have parameters, and a base of its name without any. Where no function near takes it, more
    files are searched. Its own constructors take one to copy it, and a function that is deleted takes none.
    """
    taken = (base, *(one for one in list_bases(state, base) if one.symbol.name == base.symbol.name))
    edges = _find_edges(state, taken, GLANCE) or _find_edges(state, taken, LOOK)
    nodes = [state.get_node(edge.other) for edge in edges if may_answer(edge.other.path)]
    return [
        node
        for node in nodes
        if not is_deprecated(node) and not is_left_out(state, node) and not _copies(node, base)
    ]


def _find_edges(state: ResearchState, types: Sequence[Node], bounds: Bounds) -> list[Edge]:
    found = (state.graph.find_incoming(one, (EdgeType.ACCEPTS,), bounds) for one in types)
    return [edge for own in found for edge in own.edges]


def _copies(node: Node, base: Node) -> bool:
    owner = node.qualified_name.rpartition(".")[0]
    return node.symbol.kind is SymbolKind.CONSTRUCTOR and owner == base.qualified_name


def _is_offered(node: Node, base: Node) -> bool:
    """Return True for what others can call, or is named after a kind; a private `defineDelay` is not."""
    return bool(node.symbol.flags & SymbolFlag.PUBLIC_API) or bool(
        shares_word(node.symbol.name, (base.symbol.name,))
    )


def _may_register(name: str, kind: str) -> bool:
    """Return True for a verb such as `register`; `UseServer` uses a server, whatever it takes besides."""
    verb = REGISTERS.match(name)
    if verb is None:
        return False
    rest = name[verb.end() :].strip("_")
    is_use = verb[0].strip("_").lower() == "use"
    return not (is_use and rest) or not set(get_word_terms(rest)).isdisjoint(get_word_terms(kind))


def _registers_kind(name: str, kind: str) -> bool:
    """Return True for a verb such as `register` or `set` with the whole name of a kind.

    That has several words, or the verb is `register` itself: much is added that is of no kind.
    """
    verb = REGISTERS.match(name) or _SETS.match(name)
    if verb is None or join_name(name[verb.end() :]) != join_name(kind):
        return False
    return count_words(kind) > 1 or verb[0].strip("_").lower() == "register"
